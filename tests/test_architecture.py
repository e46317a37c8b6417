"""The arrows between the packages: data goes one way."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: The models of the worklogs: what happens to a stream, apart from reading it.
MODELS = tuple(
    f"conformance.{name}"
    for name in ("boundary", "decision", "filtering", "rendering", "source", "replica")
    if (ROOT / "conformance" / name).is_dir()
)
#: Package -> what it may import of ours. The longest name that fits a module counts.
ARROWS = {
    "specs": {"specs"},
    "conformance.binlog": {"conformance.binlog", "specs"},
    **{model: {model, "conformance.binlog", "specs"} for model in MODELS},
    "conformance.models.server": {"conformance.models.server", "conformance.models.boundary", "conformance.binlog", "specs"},
    "strategies": {"strategies", *MODELS, "conformance.binlog", "specs"},
    "conformance.implementations": {"conformance.implementations", *MODELS, "conformance.binlog", "specs"},
    "conformance.oracles": {
        "conformance.oracles", "conformance.implementations", *MODELS, "conformance.log_check", "conformance.binlog",
        "strategies", "specs",
    },
    "conformance.log_check": {"conformance.log_check", "conformance.models.boundary", "conformance.binlog", "specs"},
    "reports": {"reports", "specs"},
}  # fmt: skip
OURS = ("specs", "strategies", "conformance", "reports")


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package.replace(".", "/")).rglob("*.py"))


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return {name for name in found if name.split(".")[0] in OURS}


@pytest.mark.parametrize("package", ARROWS)
def test_a_package_imports_only_what_lies_below_it(package):
    allowed = tuple(ARROWS[package])
    wrong = {
        str(path.relative_to(ROOT)): name
        for path in modules(package)
        for name in imports_of(path)
        # `from conformance import __version__` names no package of an arrow.
        if name != "conformance" and not any(name == each or name.startswith(each + ".") for each in allowed)
    }
    assert wrong == {}


def test_the_arrows_are_measured_on_real_modules():
    assert all(modules(package) for package in ARROWS)


@pytest.mark.parametrize("package", OURS)
def test_importing_a_package_is_quick(package):
    # Nothing heavy at import time: Hypothesis, Spark and the libraries under test come when they are needed.
    import subprocess
    import sys

    code = f"import {package}, sys; print([m for m in ('hypothesis', 'pyspark', 'rich', 'click') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
