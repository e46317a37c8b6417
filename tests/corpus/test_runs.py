"""Runs on Spark have the same results as one process, however they are divided or interrupted."""

import json
import shlex
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator
from plain_judging import judged

from conformance.corpus import waves
from conformance.corpus.coverage_page import coverage_page
from conformance.corpus.history import History
from conformance.corpus.output import MANIFEST, NotUsable
from conformance.corpus.plan import Plan, Size
from conformance.corpus.results import read_results
from conformance.corpus.run import CorpusRun, Options, generate
from conformance.corpus.trend_page import trend_page
from conformance.engine.baseline import Baseline, entries_for
from conformance.engine.events import ShrinkingStarted
from conformance.engine.record_lines import RecordLines
from conformance.engine.selection import NothingToRun, Selection
from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import CannotStart
from conformance.reports.comparison import compare_runs
from conformance.reports.record import RecordWriter, read_record

SOME = Selection(profiles=("mysql-5.6", "mysql-8.0"))
FEW = Selection(profiles=("mysql-8.0",), families=("transactions", "gtid_streams", "bad_checksum"))
BROKEN = "reference:no-verification"
#: Cases of a run, and of one that has several waves if it is divided for one task: both have two shards, one not whole.
CASES, MORE = 510, 620


@pytest.fixture
def run(spark):
    """Return a function that runs an implementation, and returns how it ended and its results."""

    def go(output, spec="reference", selection=FEW, size=None, *, shrink=False, **options):
        options["shrink"] = shrink
        return CorpusRun(spark, output, spec, Options(**options)).run(selection, size=size or Size(cases=CASES))

    return go


def plainly(spec, cases, selection=FEW):
    """Return the verdict table of the same cases, judged one after the other in this process."""
    from conformance.implementations.registry import implementation

    with implementation(spec) as started:
        plan = Plan(tuple(selection.pairs(started.declaration)))
    return dict(judged(spec, (0, cases), plan=plan).verdicts)


def test_the_results_of_a_run_do_not_depend_on_how_it_is_divided(run, folder):
    finished, one = run(folder("one"), BROKEN, SOME, Size(cases=MORE), cores=1)
    _, other = run(folder("other"), BROKEN, SOME, Size(cases=MORE), cores=3)
    assert one == other
    assert one.verdicts == plainly(BROKEN, MORE, SOME)
    assert finished.tally.cases == MORE
    assert not finished.conforming
    assert len(folder("one").committed()) > len(folder("other").committed())


CRASHES = Path(__file__).parent.parent / "doubles" / "crashes_at_most_lengths.py"


def test_no_glob_loses_a_crash_and_each_is_counted_once(run, folder):
    selection = Selection(profiles=("mysql-8.0",), families=("transactions",), requirements="FORMAT-HEADER-*")
    spec = shlex.join([f"command:{sys.executable}", str(CRASHES)])
    finished, results = run(folder("run"), spec, selection, Size(cases=60))
    crashed = sum(n for (name, _, status), n in results.verdicts.items() if name == "TROUBLE" and status == "crash")
    assert [failure.verdict.requirement for failure in finished.failures] == ["TROUBLE"]
    assert finished.tally.troubles["crash"] == crashed > 30
    assert finished.tally.verdict("FORMAT-HEADER-TYPE") == "crash"
    assert not finished.conforming


def test_every_case_has_a_verdict(run, folder):
    whole = Selection(profiles=("mysql-8.0",), families=("transactions", "gtid_streams"))
    finished, results = run(folder("run"), selection=whole, size=Size(cases=CASES))
    assert finished.conforming
    # Every event of every stream has a header, and each header is judged.
    headers = sum(n for (name, _, _), n in results.verdicts.items() if name == "FORMAT-HEADER-LENGTH")
    assert headers == finished.tally.cases == CASES


@pytest.mark.slow
def test_a_number_of_events_is_reached_and_hardly_exceeded(run, folder):
    finished, _ = run(folder("run"), size=Size(events=9000))
    # Some cases have hundreds of events.
    assert 9000 <= finished.tally.events <= 10_500
    again, _ = run(folder("again"), size=Size(events=9000), cores=5)
    assert again.tally.cases == finished.tally.cases


@pytest.mark.slow
def test_time_ends_a_run_after_a_whole_wave(run, folder):
    finished, results = run(folder("run"), size=Size(seconds=0.5))
    assert finished.tally.cases == folder("run").committed()[-1].end > 0
    assert results.verdicts == plainly("reference", finished.tally.cases)


@pytest.mark.slow
def test_each_kind_of_failure_is_shrunk_once_and_not_again_in_the_next_run(run, spark, folder):
    history = History(spark, folder("history").storage)
    events = []
    first, _ = run(folder("monday"), BROKEN, history=history, listeners=[events.append], shrink=True)
    shrunk = [event for event in events if isinstance(event, ShrinkingStarted)]
    assert len(shrunk) == len({failure.case.id for failure in first.failures}) > 0
    events.clear()
    second, _ = run(folder("tuesday"), BROKEN, history=history, listeners=[events.append], shrink=True)
    assert [event for event in events if isinstance(event, ShrinkingStarted)] == []
    assert second.failures == first.failures
    page = trend_page(history.read())
    assert first.failures[0].verdict.requirement in page


@pytest.mark.slow
def test_a_failure_in_the_baseline_is_conforming(run, folder):
    failures = run(folder("first"), BROKEN)[0].failures
    assert failures
    known = tuple(entries_for(failures, "investigated"))
    assert run(folder("second"), BROKEN, baseline=Baseline("known.toml", known))[0].conforming
    unmet = run(folder("third"), "reference", baseline=Baseline("known.toml", known))[0]
    assert len(unmet.unexpected_passes) == len(known)


def test_a_crash_is_a_verdict_and_not_the_end(run, folder, reader):
    finished, results = run(folder("run"), reader("crash=7"), size=Size(cases=90))
    assert finished.tally.cases == 90
    assert any(status == "crash" for _, _, status in results.verdicts)
    assert any(failure.verdict.status == "crash" for failure in finished.failures)


def test_a_hang_costs_its_time_and_one_verdict(run, folder, reader):
    size = len(Plan(tuple(("transactions", each) for each in ("mysql-8.0",))).case(5).stream)
    finished, results = run(
        folder("run"),
        reader(f"hang={size}"),
        Selection(profiles=("mysql-8.0",), families=("transactions",)),
        Size(cases=12),
        limits=Limits(seconds=1.5),
    )
    assert finished.tally.cases == 12
    assert finished.tally.troubles == {"hang": 1}
    assert {n for (_, _, status), n in results.verdicts.items() if status == "hang"} == {1}


def test_an_implementation_that_starts_nowhere_ends_the_run_at_once(run, folder, reader, tmp_path):
    starts = tmp_path / "starts"
    starts.write_bytes(b"")
    with pytest.raises(CannotStart, match="it does not start here any more"):
        run(folder("run"), reader(f"starts={starts}"))


@pytest.mark.slow
def test_an_implementation_that_starts_only_on_the_driver_is_reported_with_its_message(run, folder, reader, tmp_path):
    starts = tmp_path / "starts"
    starts.write_bytes(b"1")
    with pytest.raises(CannotStart, match=r"(?s)on .*it does not start here any more"):
        run(folder("run"), reader(f"starts={starts}"), size=Size(cases=1000))
    assert folder("run").committed() == []
    # Once it starts again, the run continues.
    starts.write_bytes(b"1" * 100)
    finished, _ = run(folder("run"), reader(f"starts={starts}"), size=Size(cases=1000), resume=True)
    assert finished.tally.cases == 1000


def test_no_task_starts_it_again_where_it_did_not_start(run, folder, reader, tmp_path, monkeypatch):
    monkeypatch.setattr(waves, "_LOOK", 3600.0)  # The tasks of the next wave run before the driver cancels them.
    starts, log = tmp_path / "starts", tmp_path / "log"
    starts.write_bytes(b"1")
    with pytest.raises(CannotStart, match="it does not start here any more"):
        run(folder("run"), reader(f"starts={starts}", f"log={log}"), size=Size(cases=20_000))
    # The driver starts it once; then each of the two workers tries twice, although two waves are running.
    assert 1 + 2 <= len(log.read_text().splitlines()) <= 1 + 2 * 2


def test_an_interrupted_run_is_resumed_to_the_same_verdicts(run, folder, monkeypatch):
    real = waves.verified_results

    def interrupted(spark, output, *rest):
        if output.committed():
            raise KeyboardInterrupt
        return real(spark, output, *rest)

    monkeypatch.setattr("conformance.corpus.run.verified_results", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(folder("run"), BROKEN, size=Size(cases=MORE), cores=1)
    monkeypatch.undo()
    with pytest.raises(NotUsable, match="--resume"):
        run(folder("run"), BROKEN, size=Size(cases=MORE))
    with pytest.raises(NotUsable, match="size was"):
        run(folder("run"), BROKEN, size=Size(cases=MORE + 1), resume=True)
    finished, results = run(folder("run"), BROKEN, size=Size(cases=MORE), cores=2, resume=True)
    assert results.verdicts == plainly(BROKEN, MORE)
    assert finished.tally.cases == MORE


def test_lost_cases_are_noticed(run, folder, monkeypatch):
    monkeypatch.setattr("conformance.corpus.run.verified_results", lambda *unused: waves.Verified(CASES - 1, 1))
    with pytest.raises(waves.WaveFailed, match=f"{CASES - 1} were returned"):
        run(folder("run"))
    assert folder("run").committed() == []


def test_a_stored_corpus_is_judged_like_the_same_cases_of_a_run(run, spark, folder, tmp_path):
    corpus = folder("corpus")
    plan = Plan(tuple(FEW.pairs_under(FEW.profiles)))
    stored = generate(spark, corpus, plan, size=Size(cases=CASES), options=Options())
    assert sum(wave.cases for wave in stored) == CASES
    finished, results = CorpusRun(spark, folder("checked"), BROKEN, Options(shrink=False)).check(corpus, Selection())
    finished_run, results_of_run = run(folder("run"), BROKEN)
    assert results == results_of_run
    assert finished.failures == finished_run.failures
    part = next((tmp_path / "corpus" / "waves").rglob("*.parquet"))
    assert pq.read_schema(part).names[:4] == ["number", "case", "family", "profile"]
    assert json.loads(pq.read_metadata(part).metadata[b"org.apache.spark.sql.parquet.row.metadata"])["fields"][0][
        "metadata"
    ] == {"comment": "number of the case in the corpus, from 0", "corpus_schema": 2}


def test_profiles_that_are_not_claimed_are_left_out_of_a_check(spark, folder, tmp_path):
    corpus = folder("corpus")
    plan = Plan((("transactions", "mysql-8.0"), ("transactions", "worklog")))
    generate(spark, corpus, plan, size=Size(cases=40), options=Options())
    finished, results = CorpusRun(spark, folder("checked"), "mysql-replication").check(corpus, Selection())
    assert (finished.tally.cases, results.not_claimed) == (20, 20)


def test_a_folder_that_is_not_a_corpus_is_not_checked(run, spark, folder):
    with pytest.raises(NotUsable, match="is not a run folder"):
        CorpusRun(spark, folder("checked"), "reference").check(folder("nothing"), Selection())
    run(folder("run"), size=Size(cases=10))
    with pytest.raises(NotUsable, match="is not a corpus that this kit reads: manifest"):
        CorpusRun(spark, folder("checked"), "reference").check(folder("run"), Selection())


def test_an_empty_selection_is_an_error(run, folder):
    with pytest.raises(NothingToRun, match="no profile 'mysql-4'"):
        run(folder("run"), selection=Selection(profiles=("mysql-4",)))


def record_of(run, output, spec, path):
    with RecordWriter(path) as writer:
        run(output, spec, listeners=[RecordLines(writer.append)])
    return read_record(path)


@pytest.mark.slow
def test_two_runs_are_compared(run, folder, tmp_path):
    good = record_of(run, folder("good"), "reference", tmp_path / "good.jsonl")
    bad = record_of(run, folder("bad"), BROKEN, tmp_path / "bad.jsonl")
    broke, fixed = compare_runs(good, bad), compare_runs(bad, good)
    assert ("FORMAT-CHECKSUM-WRONG", "fail") in {(each.id, each.after) for each in broke.broke}
    assert broke.worse
    assert not fixed.worse
    assert {each.id for each in fixed.fixed} == {each.id for each in broke.broke}
    assert not compare_runs(bad, bad).worse


@pytest.mark.slow
def test_the_coverage_page_has_every_table(run, spark, folder):
    run(folder("run"))
    page = coverage_page(read_results(spark, folder("run")).coverage, ["mysql-8.0"])
    for text in ("Event types and flags", "Families", "Faults and positions", "QUERY_EVENT", "bad_checksum"):
        assert text in page or text.replace("_EVENT", "") in page


def test_the_manifest_follows_its_schema(run, folder):
    from importlib import resources

    run(folder("run"), size=Size(cases=10))
    schema = json.loads((resources.files("conformance.specs") / "schemas" / "corpus-manifest.schema.json").read_text())
    Draft202012Validator(schema).validate(json.loads(folder("run").storage.read(MANIFEST, limit=1 << 20)))
