"""A deadline: other programs on the machine must not make a hang of a slow answer."""

import os
import sys

import pytest

from conformance.implementations.process import deadline
from conformance.implementations.process.deadline import Deadline


@pytest.fixture
def clock(monkeypatch):
    """The time now, and the seconds that the threads of each process have waited for a processor."""

    class Clock:
        now = 100.0
        waits = {"1": 5.0}  # noqa: RUF012 - each test sets its own

    monkeypatch.setattr(deadline.time, "monotonic", lambda: Clock.now)
    monkeypatch.setattr(deadline, "_waits_of", lambda pid: Clock.waits)
    return Clock


def passed_after(clock, seconds, until):
    """Return after how many seconds a deadline has passed, looked at when it wants to be."""
    until(clock)
    limit, began = Deadline(seconds, 1), clock.now
    while not limit.has_passed():
        clock.now += limit.step()
        until(clock)
    return round(clock.now - began, 2)


def test_a_process_that_sleeps_has_its_seconds(clock):
    assert passed_after(clock, 10.0, lambda clock: None) == 10.0


def test_the_time_in_which_it_waits_for_a_processor_does_not_count(clock):
    def runs_half_of_the_time(clock):
        clock.waits = {"1": 5 + (clock.now - 100) / 2}

    # The first tenth of a second is not looked at.
    assert passed_after(clock, 10.0, runs_half_of_the_time) == pytest.approx(19.9, abs=0.2)


def test_the_thread_that_has_waited_longest_counts_not_their_sum(clock):
    def ten_threads_wait_a_fifth_of_the_time(clock):
        clock.waits = {str(thread): (clock.now - 100) / 5 for thread in range(10)}

    assert passed_after(clock, 8.0, ten_threads_wait_a_fifth_of_the_time) == pytest.approx(10, abs=0.2)


def test_a_process_that_never_runs_ends_too(clock):
    def never_runs(clock):
        clock.waits = {"1": clock.now}

    assert passed_after(clock, 2.0, never_runs) == pytest.approx(10, abs=0.2)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows how long a thread has waited")
def test_the_waits_of_this_process_are_seen():
    assert os.path.exists("/proc/self/schedstat"), "this kernel was built without scheduler statistics"
    assert all(seconds >= 0 for seconds in deadline._waits_of(os.getpid()).values())
    assert deadline._waits_of(os.getpid())
    assert deadline._waits_of(2**22 + 1) == {}
