"""The cost of importing a package; the contracts in pyproject.toml check which package may import which."""

import subprocess
import sys

import pytest

from conformance.cli.main import COMMANDS
from tests.extras import require

PACKAGES = ("conformance", "conformance.specs", "conformance.strategies", "conformance.reports")


def modules_after(code: str) -> set[str]:
    """Return the names of the modules that a fresh Python has imported after some code."""
    code += "; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_is_quick(package):
    # Heavy packages, such as Hypothesis and Spark, are imported when they are needed.
    assert modules_after(f"import {package}").isdisjoint({"hypothesis", "pyspark", "rich", "click"})


def test_listing_the_commands_imports_none_of_them():
    after = modules_after("from conformance.cli.main import cli; cli(['--help'], standalone_mode=False)")
    assert after.isdisjoint({"rich", "msgspec", "conformance.strategies"})
    assert {each for each in after if each.startswith("conformance.engine.")} <= {"conformance.engine.ending_signals"}
    assert not [entry.module for entry in COMMANDS.values() if entry.module in after]


def test_certifying_a_foreign_parser_imports_no_mutant():
    code = (
        "import conformance.cli.certify; from conformance.implementations.registry import implementation; "
        "implementation('command:cat'); implementation('mysql-replication')"
    )
    assert not [name for name in modules_after(code) if name.startswith("conformance.mutants.")]


def test_a_worker_of_a_cluster_imports_only_the_packages_of_the_clusters_page():
    require("spark")
    code = (
        "import conformance.corpus.worker; from conformance.implementations.registry import implementation; "
        "implementation('command:cat'); implementation('reference')"
    )
    assert modules_after(code).isdisjoint({"click", "filelock", "hypothesis", "pytest", "rich"})
