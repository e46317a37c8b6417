"""The fixtures of all tests: the ground truth, if there is one."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Machines differ in speed, and a failing run must fail again.
settings.register_profile("kit", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("kit")

_VARIABLE = "BINLOG_GROUND_TRUTH"


@pytest.fixture(scope="session")
def ground_truth() -> Path:
    """Return the folder of real binary logs; tests that use it are skipped if the variable is unset."""
    path = os.environ.get(_VARIABLE)
    if not path:
        pytest.skip(f"needs the real binary logs that {_VARIABLE} names, which is unset")
    folder = Path(path)
    assert folder.is_dir(), f"{_VARIABLE} names {folder}, which is not a folder"
    return folder
