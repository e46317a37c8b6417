"""The fixtures that the tests with real servers share, their servers, and the table of results at the end.

A test with the fixture `product` is run with each server of its module's `SERVERS`, a `Profiles`, or with all of them.
If it also has the parameter `family`, it is run with each family that the module's function `families_of` returns for
the server. `server` needs the extra mysql-replication, so it is imported once there are tests, which need it too.
"""

import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from node_ids import file_and_server, source_and_replica

from conformance.servers.products import SERVERS, VARIABLE, Product, chosen_names, products
from conformance.specs.versions import EVERY_PROFILE

_HERE = Path(__file__).parent
#: The results that the table counts, as pytest names them.
_RESULTS = ("passed", "failed", "error", "skipped")


def pytest_generate_tests(metafunc):
    if "server_name" not in metafunc.fixturenames:
        return
    held = getattr(metafunc.module, "SERVERS", EVERY_PROFILE)
    names = [name for name in chosen_names() if SERVERS[name] in held]
    if "family" not in metafunc.fixturenames or not hasattr(metafunc.module, "families_of"):
        metafunc.parametrize("server_name", names, scope="module")
        return
    pairs = [(name, family) for name in names for family in metafunc.module.families_of(SERVERS[name])]
    metafunc.parametrize(("server_name", "family"), pairs, scope="module")


def pytest_collection_modifyitems(items):
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.real_servers)
            if not products():
                item.add_marker(pytest.mark.skip(f"needs the unpacked servers that {VARIABLE} names, which is unset"))


def pytest_terminal_summary(terminalreporter):
    """Print server x file and source x replica, with the numbers of tests that passed, failed and were skipped."""
    _print_files(terminalreporter, _counted(terminalreporter, file_and_server))
    _print_pairs(terminalreporter, _counted(terminalreporter, source_and_replica))


_Counts = dict[tuple[str, str], "Counter[str]"]


def _counted(terminalreporter, place_of: Callable[[str], "tuple[str, str] | None"]) -> _Counts:
    counts: _Counts = defaultdict(Counter)
    for result in _RESULTS:
        for report in terminalreporter.stats.get(result, ()):
            place = place_of(report.nodeid)
            if place is not None:
                counts[place][result] += 1
    return counts


def _print_files(terminalreporter, counts: _Counts) -> None:
    if not counts:
        return
    terminalreporter.section("servers: passed/failed/skipped")
    files = sorted({file for file, _ in counts})
    for number, file in enumerate(files, 1):
        terminalreporter.write_line(f"{number:>3} {file}")
    rows = [["", *map(str, range(1, len(files) + 1))]]
    rows += [[name, *(_cell(counts.get((file, name))) for file in files)] for name in SERVERS]
    _print_table(terminalreporter, rows)


def _print_pairs(terminalreporter, counts: _Counts) -> None:
    if not counts:
        return
    terminalreporter.section("source x replica: passed/failed/skipped")
    rows = [["", *SERVERS]]
    rows += [[source, *(_cell(counts.get((source, replica))) for replica in SERVERS)] for source in SERVERS]
    _print_table(terminalreporter, rows)


def _print_table(terminalreporter, rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        terminalreporter.write_line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


def _cell(counts: "Counter[str] | None") -> str:
    if counts is None:
        return "-"
    return f"{counts['passed']}/{counts['failed'] + counts['error']}/{counts['skipped']}"


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    """Return a folder with a short path, as it holds sockets."""
    folder = Path(tempfile.mkdtemp(prefix="rs"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def product(server_name: str) -> Product:
    """Return the unpacked server of a test."""
    if server_name not in products():
        pytest.skip(f"the server {server_name} is not unpacked")
    return products()[server_name]


@pytest.fixture(scope="session")
def templates(server_folder: Path) -> dict[str, Path]:
    """Return the initialised data folders so far, by the product's name."""
    return {}


@pytest.fixture(scope="session")
def template_of(server_folder: Path, templates: dict[str, Path]):
    """Return a function that returns the initialised data folder of a product, which servers copy."""
    from conformance.servers.real_server import initialise

    def find(product: Product) -> Path:
        if product.name not in templates:
            templates[product.name] = server_folder / f"{product.name}-template"
            initialise(product, templates[product.name])
        return templates[product.name]

    return find
