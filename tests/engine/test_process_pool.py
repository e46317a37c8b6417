"""Pools of processes: what an interruption leaves."""

import threading
import time

import pytest

from conformance.engine.process_pool import process_pool


def interrupted_pool():
    with process_pool(2) as pool:
        pool.submit(time.sleep, 60)
        raise KeyboardInterrupt


def test_an_interrupted_pool_leaves_no_thread():
    """One that is left ends while the interpreter does, which then writes to the pipe that it closes."""
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        interrupted_pool()
    assert set(threading.enumerate()) == before
