"""The package of docs/extensions.md, installed in a folder of its own with the metadata that an installer writes."""

import os
import re
import subprocess
import sys
import tomllib

from conformance.specs.extensions import GROUP
from tests.extras import require
from tests.generated import ROOT

PAGE = (ROOT / "docs" / "extensions.md").read_text(encoding="utf-8")
PACKAGE = "acme_binlog_checks"
_FILE = re.compile(r"```(?:toml|python)\n# (?P<name>\S+)\n(?P<text>.*?)```", re.DOTALL)


def install(site, *, name="acme", package=PACKAGE, changes=None):
    """Install the package, in whose files some texts are changed: file -> the text and what is put in its place."""
    for each in _FILE.finditer(PAGE):
        text = each["text"]
        for old, new in (changes or {}).get(each["name"].removeprefix(f"{PACKAGE}/"), ()):
            assert old in text, f"{old!r} is not in {each['name']}"
            text = text.replace(old, new)
        path = site / each["name"].replace(PACKAGE, package)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace(PACKAGE, package), encoding="utf-8")
    (site / package / "covering_arrays.json").write_text("{}")
    about = tomllib.loads((site / "pyproject.toml").read_text(encoding="utf-8"))
    metadata = site / f"{package}-{about['project']['version']}.dist-info"
    metadata.mkdir()
    distribution = package.replace("_", "-")
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {about['project']['version']}\n"
    )
    (reference,) = about["project"]["entry-points"][GROUP].values()
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {reference.replace(PACKAGE, package)}\n")
    return site


def keep_arrays(site):
    """Write the covering arrays of the package's families, with the command of the page, which needs covertable."""
    require("dev")
    arrays = run(site, "families", "--arrays")
    assert arrays.returncode == 0, arrays.stderr
    (site / PACKAGE / "covering_arrays.json").write_text(arrays.stdout)


def run(site, *arguments, module="conformance", cwd=None):
    """Run a command of the kit where what is in a folder is installed."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(ROOT)))},
        cwd=cwd or site,
        capture_output=True,
        text=True,
        check=False,
    )
