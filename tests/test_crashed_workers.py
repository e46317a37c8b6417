"""A test that ends its worker is named, and every other test is still run once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("xdist")

ROOT = Path(__file__).parents[1]

SCHEDULER = """
def pytest_xdist_make_scheduler(config, log):
    from tests.workers import SomeTogether

    return SomeTogether(config, log)
"""

TESTS = """
import os

import pytest


@pytest.mark.parametrize("number", range(12))
def test_of_many(number, request):
    with open("begun", "a") as begun:
        begun.write(f"{number}\\n")
    if number in CRASHING:
        os._exit(70)
"""


@pytest.mark.parametrize(
    ("workers", "crashing"),
    [
        pytest.param("1", (5,), marks=pytest.mark.slow),
        ("1", (10, 11)),
        pytest.param("2", (), marks=pytest.mark.slow),
        pytest.param("2", (0,), marks=pytest.mark.slow),
        ("2", (11,)),
        ("2", (0, 1)),
    ],
    ids=str,
)
def test_crashed_workers(tmp_path, workers, crashing):
    (tmp_path / "conftest.py").write_text(SCHEDULER)
    (tmp_path / "test_many.py").write_text(TESTS.replace("CRASHING", repr(crashing)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", workers, "-p", "no:cacheprovider", "-rf"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == (1 if crashing else 0), done.stdout
    failed = {line.partition(" - ")[0] for line in done.stdout.splitlines() if line.startswith("FAILED")}
    assert failed == {f"FAILED test_many.py::test_of_many[{number}]" for number in crashing}
    assert sorted(int(line) for line in (tmp_path / "begun").read_text().split()) == list(range(12))
