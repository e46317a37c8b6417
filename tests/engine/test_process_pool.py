"""Pools of processes: what an interruption leaves."""

import threading
import time

import pytest

from conformance.engine.process_pool import process_pool


def test_an_interrupted_pool_leaves_no_thread():
    """One that is left ends while the interpreter does, which then writes to the pipe that it closes."""
    before = set(threading.enumerate())
    tasks = []

    def interrupted():
        with process_pool(2) as pool:
            tasks.extend(pool.submit(time.sleep, 60) for _ in range(2))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert set(threading.enumerate()) <= before
    assert all(task.done() for task in tasks)
