"""What all tests share: the ground truth, where there is one, and the extras that tests need."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.extras import ModuleOfTests

# Machines differ in speed, and a run that fails must fail again.
settings.register_profile("kit", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("kit")

_VARIABLE = "BINLOG_GROUND_TRUTH"


def pytest_pycollect_makemodule(module_path, parent):
    return ModuleOfTests.from_parent(parent, path=module_path)


@pytest.fixture(scope="session")
def ground_truth() -> Path:
    """The folder of real binary logs; a test that asks for it is skipped where none is named."""
    named = os.environ.get(_VARIABLE)
    if not named:
        pytest.skip(f"needs the real binary logs that {_VARIABLE} names, which is unset")
    folder = Path(named)
    assert folder.is_dir(), f"{_VARIABLE} names {folder}, which is no folder"
    return folder
