"""A corpus of an implementation that hangs ends in bounded time, and gives up at the same case however it is run."""

import pytest

from conformance.corpus.giving_up import has_given_up, is_asked, next_decision
from conformance.corpus.output import Wave
from conformance.corpus.plan import Size
from conformance.corpus.run import CorpusRun, Options
from conformance.engine.selection import Selection
from conformance.implementations.process.limits import Limits

FEW = Selection(profiles=("mysql-8.0",), families=("transactions", "bad_checksum"))
LIMITS = Limits(seconds=2.0)


def wave(first, end, *, hangs=0, answered=0, unasked=0):
    return Wave(first, end, end - first, 0, 1.0, hangs, answered, unasked)


@pytest.fixture
def run(spark):
    """Return a function that runs an implementation, and returns how it ended and its results."""

    def go(output, spec, size, **options):
        options.setdefault("limits", LIMITS)
        return CorpusRun(spark, output, spec, Options(**options)).run(FEW, size=size)

    return go


def test_the_numbers_of_cases_at_which_it_is_decided_do_not_depend_on_the_waves():
    assert [next_decision(first) for first in (0, 999, 1000, 3999, 4000, 16000)] == [
        1000, 1000, 4000, 4000, 16000, 64000,
    ]  # fmt: skip


def test_only_the_cases_before_a_decision_count():
    hanging = {"hangs": 4, "unasked": 496}
    first = [wave(0, 500, **hanging), wave(500, 1000, **hanging)]
    assert is_asked(first[:1], 500, LIMITS)
    assert not is_asked(first, 1000, LIMITS)
    # What is in the waves after the decision does not change it: they may be divided in any way.
    answering = [wave(1000, 2500, answered=1500)]
    assert not is_asked([*first, *answering], 2500, LIMITS)
    assert is_asked([*first, wave(1000, 4000, answered=3000)], 4000, LIMITS)


@pytest.mark.parametrize(
    ("counted", "given_up"),
    [
        ({"hangs": 2, "answered": 0, "unasked": 998}, True),
        ({"hangs": 1, "answered": 0, "unasked": 0}, False),
        ({"hangs": 4, "answered": 10, "unasked": 986}, False),
        ({"hangs": 5, "answered": 10, "unasked": 985}, True),
        ({"hangs": 20, "answered": 900, "unasked": 80}, False),
    ],
)
def test_it_gives_up_after_the_hangs_that_are_allowed_if_most_cases_were_not_asked(counted, given_up):
    assert has_given_up([wave(0, 1000, **counted)], LIMITS) is given_up


def test_a_timed_run_of_an_implementation_that_never_answers_ends_after_two_hangs_of_each_shard(
    run, folder, reader, tmp_path
):
    log = tmp_path / "log"
    finished, _ = run(folder("run"), reader("hang=1", f"log={log}"), Size(seconds=1.0))
    assert finished.tally.cases == 1000
    assert finished.tally.troubles == {"hang": 4}
    # The driver and two tasks start it, and each hang but the last of a shard starts it again: shrinking asks nothing.
    assert len(log.read_text().splitlines()) <= 3 + 4
    assert not finished.conforming


@pytest.mark.slow
def test_a_run_that_gives_up_is_the_same_when_it_is_divided_otherwise_and_resumed(run, folder, reader, monkeypatch):
    from conformance.corpus import waves

    real = waves.verified_results

    def interrupted(spark, output, *rest):
        if output.committed():
            raise KeyboardInterrupt
        return real(spark, output, *rest)

    spec, size = reader("hang=1"), Size(cases=2000)
    undisturbed, results = run(folder("undisturbed"), spec, size, cores=3)
    assert undisturbed.tally.troubles == {"hang": 4}
    assert undisturbed.tally.not_asked > 1000
    monkeypatch.setattr("conformance.corpus.run.verified_results", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(folder("run"), spec, size, cores=1)
    monkeypatch.undo()
    resumed, again = run(folder("run"), spec, size, cores=2, resume=True)
    assert again == results
    assert resumed.failures == undisturbed.failures
