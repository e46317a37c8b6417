"""Waves overlap, and are committed in their order, each after it was verified."""

import time
from threading import Event

import pytest

from conformance.corpus.case_source import PlannedCases, task_numbers
from conformance.corpus.output import Wave
from conformance.corpus.pace import Pace
from conformance.corpus.plan import Plan, Size
from conformance.corpus.waves import Verified, WaveFailed, Waves
from conformance.corpus.worker import Stretch


@pytest.fixture
def waves(spark, folder):
    """Return a function that makes waves of ten cases with thirty events; some take time, `begins` is called first."""

    def make(*, count, verify, begins=lambda first: None, seconds=None, is_asked=lambda done, first: True):
        def frame(stretch, is_asked, report):
            begins(stretch.first)
            takes = (seconds or {}).get(stretch.first, 0.0)

            def work(batches):
                for batch in batches:
                    time.sleep(takes)
                    yield batch

            return task_numbers(spark, stretch).mapInArrow(work, "id long")

        def verified(stretch):
            verify(stretch.first)
            return Verified(10, 30)

        return Waves(
            spark,
            folder("run"),
            next_stretch=lambda done, first: Stretch(first, first + 10, 10) if first < count * 10 else None,
            frame=frame,
            verify=verified,
            goal=lambda done: count * 10,
            pace=Pace(2),
            watch=lambda snapshot: None,
            is_asked=is_asked,
        )

    return make


def test_the_next_wave_runs_while_one_is_verified(waves, folder):
    steps, next_begun = [], Event()

    def begins(first):
        steps.append(("begun", first))
        if first == 10:
            next_begun.set()

    def verify(first):
        assert next_begun.wait(60), "the wave from case 10 on was not begun"
        steps.append(("verified", first))

    done = waves(count=4, verify=verify, begins=begins).run()
    assert [(wave.first, wave.end, wave.events) for wave in done] == [(at, at + 10, 30) for at in (0, 10, 20, 30)]
    assert folder("run").committed() == done
    assert [first for step, first in steps if step == "verified"] == [0, 10, 20, 30]
    # At most two run at once: the third is begun after the first.
    assert steps.index(("verified", 0)) < steps.index(("begun", 20))


def test_a_wave_that_fails_stops_the_next_one(waves, folder, tmp_path):
    def fail(first):
        raise WaveFailed("cases 0 to 9: 9 were returned")

    with pytest.raises(WaveFailed, match="9 were returned"):
        waves(count=2, verify=fail, seconds={10: 60.0}).run()
    assert folder("run").committed() == []
    # Spark marks a job that has ended.
    assert list(tmp_path.glob("run/waves/cases=000000000000-000000000010-*/_SUCCESS"))
    assert not list(tmp_path.glob("run/waves/cases=000000000010-000000000020-*/_SUCCESS"))


def test_a_run_of_limited_time_begins_no_wave_that_would_take_too_long():
    source = PlannedCases(Plan((("transactions", "mysql-8.0"),)), Size(seconds=60.0))
    pace = Pace(2)
    pace.done(1000, 10.0)
    done = [Wave(0, 1000, 1000, 8000, 10.0)]
    # 4,000 cases are running, which take 40 of the 50 seconds: 10 are left for the next wave.
    assert source.next(done, 5000, pace, 50.0).end == 6000
    assert source.next(done, 6000, pace, 50.0) is None
