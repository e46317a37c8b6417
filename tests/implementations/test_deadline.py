"""A deadline: other programs on the machine must not make a hang of a slow answer."""

import os
import sys

import pytest

from conformance.implementations.process import deadline
from conformance.implementations.process.deadline import Deadline


@pytest.fixture
def clock(monkeypatch):
    """The time now, and the seconds that the threads of the process and of the kit have waited for a processor."""

    class Clock:
        now = 100.0
        waits = {"1": 5.0}  # noqa: RUF012 - each test sets its own
        waits_of_kit = {"7": 2.0}  # noqa: RUF012

    monkeypatch.setattr(deadline.time, "monotonic", lambda: Clock.now)
    monkeypatch.setattr(deadline, "_waits_of", lambda pid: Clock.waits_of_kit if pid == os.getpid() else Clock.waits)
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


def test_the_time_in_which_the_kit_waits_does_not_count_either(clock):
    """Its threads serve what a client reads, which waits for them."""

    def kit_runs_half_of_the_time(clock):
        clock.waits_of_kit = {"7": 2 + (clock.now - 100) / 2}

    assert passed_after(clock, 10.0, kit_runs_half_of_the_time) == pytest.approx(19.9, abs=0.2)


def test_the_waits_of_the_process_and_of_the_kit_are_added(clock):
    def each_runs_while_the_other_waits(clock):
        clock.waits = {"1": 5 + (clock.now - 100) / 4}
        clock.waits_of_kit = {"7": 2 + (clock.now - 100) / 4}

    assert passed_after(clock, 10.0, each_runs_while_the_other_waits) == pytest.approx(19.9, abs=0.3)


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
