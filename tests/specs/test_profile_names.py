"""Names of profiles in code: what servers do is keyed by version instead."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Where the name of a profile is not the key of a fact, and why.
NAMED = {
    "conformance/models/server/storage.py": "the release whose figures the worklog gives",
    "conformance/mutants/decode/wire_format.py": "whose lengths a mutant takes",
    "conformance/servers/products.py": "the releases of the servers that are unpacked",
    "conformance/suite/__init__.py": "the release whose streams a test is given by default",
    "specs/profiles.py": "the table of profiles",
    "strategies/families/cross_version.py": "the sources whose streams a reader is given",
    "strategies/families/old_sources.py": "the servers whose recorded logs have a shape",
    "strategies/families/replica_versions.py": "the sources whose streams a replica is given",
    "strategies/families/unrecognised_events.py": "the source whose streams an old replica is given",
}
NAME = re.compile(r"(mysql|mariadb)-[0-9]+\.(x|[0-9.]+)")


def _texts(path):
    """The constants of a module that are names of profiles, but for those in its texts."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
            yield node.value


def test_what_servers_do_is_keyed_by_version_and_not_by_the_names_of_profiles():
    rooms = ("reports", "specs", "strategies")
    # In a working tree the package has links to these folders, in an unpacked distribution copies.
    inside = [path for path in (ROOT / "conformance").rglob("*.py") if path.relative_to(ROOT).parts[1] not in rooms]
    modules = [*inside, *(path for room in rooms for path in (ROOT / room).rglob("*.py"))]
    naming = {str(path.relative_to(ROOT)): sorted(set(_texts(path))) for path in modules}
    naming = {path: names for path, names in naming.items() if names and path not in NAMED}
    assert naming == {}, (
        "a profile that comes later is forgotten where names are listed: write ranges of versions "
        '(Profiles("mysql >= 8.0")) or rows (ByVersion), of conformance/specs/versions.py'
    )
