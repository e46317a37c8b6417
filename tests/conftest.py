"""The fixtures of all tests: the ground truth, if there is one, and the extras that tests need."""

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from conformance.engine.ending_signals import ENDING
from tests.extras import ModuleOfTests

# Machines differ in speed, and a failing run must fail again.
settings.register_profile("kit", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("kit")

_VARIABLE = "BINLOG_GROUND_TRUTH"


def pytest_configure():
    """Let signals end commands again: a shell without job control, or nohup, has what it starts ignore some of them."""
    for each in ENDING:
        if signal.getsignal(each) == signal.SIG_IGN:
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)
    # Cases and answers are many objects, few of them in cycles, and the tests keep a lot of them: with the threshold of
    # CPython some 7 % of the processor time goes into looking for cycles.
    gc.set_threshold(100_000, 20, 100)


def pytest_pycollect_makemodule(module_path, parent):
    return ModuleOfTests.from_parent(parent, path=module_path)


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist nothing calls it
def pytest_xdist_auto_num_workers():
    """Return the workers of `-n auto`: one more than there are cores, as many tests wait for other processes."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist nothing calls it
def pytest_xdist_make_scheduler(config, log):
    """Share the tests out as `SomeTogether` does."""
    from tests.workers import SomeTogether

    return SomeTogether(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture(scope="session")
def ground_truth() -> Path:
    """Return the folder of real binary logs; tests that use it are skipped if the variable is unset."""
    path = os.environ.get(_VARIABLE)
    if not path:
        pytest.skip(f"needs the real binary logs that {_VARIABLE} names, which is unset")
    folder = Path(path)
    assert folder.is_dir(), f"{_VARIABLE} names {folder}, which is not a folder"
    return folder
