"""The counts of judged cases add up to the same sums, however the cases are divided."""

import pytest
from plain_judging import PLAN, judged, sums

from conformance.corpus.failing_cases import CASES, FailingCases, storable
from conformance.corpus.judging import KitErrors
from conformance.corpus.plan import Plan
from conformance.corpus.stored_case import batch_of_cases, cases_of_batch
from conformance.engine.coverage import position
from conformance.implementations.process.limits import Limits
from conformance.oracles.registry import oracles
from conformance.oracles.verdict import Verdict
from conformance.strategies.grammar.case_id import CaseId

#: What needs a process.
MEASURED = {name for name, oracle in oracles().items() if oracle.is_measured}


def test_sums_do_not_depend_on_the_division():
    whole = sums(judged("reference:low-flags", (0, 1000)))
    # Failing cases are kept by shards, which a part does not divide.
    parts = sums(*(judged("reference:low-flags", part) for part in ((500, 1000), (0, 500))))
    assert whole == parts
    assert any(table == "clusters" for table, _, _ in whole)


def test_a_reader_in_a_process_has_the_same_results_as_in_this_one(reader):
    # Only of a process can it be measured what it takes.
    shown = [
        {row: count for row, count in sums(counts).items() if row[1][0] not in MEASURED}
        for counts in (judged(reader(), (0, 300), limits=Limits(seconds=120)), judged("reference", (0, 300)))
    ]
    assert shown[0] == shown[1]


def test_a_crash_is_a_failure_of_its_case(reader):
    counts = judged(reader("crash=7"), (0, 60))
    crashed = [number for number in range(60) if len(PLAN.case(number).stream) % 7 == 0]
    assert counts.totals["cases judged"] == 60
    assert {case.status for case in counts.failing} == {"crash"}
    assert sum(number for (_, _, what, _), number in counts.failing.counts.items() if what == CASES) == len(crashed) > 0
    assert min(case.number for case in counts.failing) == crashed[0]


def test_a_hang_is_a_failure_of_its_case(reader):
    plan = Plan((("transactions", "mysql-8.0"),))
    size = len(plan.case(5).stream)
    counts = judged(reader(f"hang={size}"), (0, 12), plan=plan)
    assert counts.totals["cases judged"] == 12
    assert [(case.number, case.status) for case in counts.failing] == [(5, "hang")]


@pytest.mark.parametrize("window", [1, 16])
def test_an_implementation_that_always_hangs_is_asked_twice_in_a_shard(reader, window):
    limits = Limits(seconds=0.5)
    counts = judged(reader("hang=1"), (0, 40), limits=limits, window=window)
    assert counts.totals["cases with hang"] == 2
    assert 0 < counts.totals["cases not asked"] <= counts.totals["cases judged"] - 2
    assert not [status for _, _, status in counts.verdicts if status == "pass"]


def test_after_a_hang_the_other_cases_of_a_shard_are_judged_as_without_it(reader):
    undisturbed = judged(reader(), (0, 60))
    counts = judged(reader(f"hang={len(PLAN.case(5).stream)}"), (0, 60))
    assert 1 <= counts.totals["cases with hang"] <= 2
    assert counts.totals["cases not asked"] == 0
    good, left = (
        sum(number for (_, _, status), number in each.verdicts.items() if status in ("pass", "hang"))
        for each in (undisturbed, counts)
    )
    assert good <= left <= good + counts.totals["cases with hang"]


def test_nothing_is_asked_once_the_run_has_given_up(reader):
    counts = judged(reader("hang=1"), (0, 40), asks=False)
    assert counts.totals["cases with hang"] == 0
    assert counts.totals["cases not asked"] > 0
    assert not [status for _, _, status in counts.verdicts if status == "pass"]


def test_a_process_that_is_killed_from_outside_changes_no_verdict(tmp_path, reader):
    kill = tmp_path / "kill"
    kill.touch()
    killed = judged(reader(f"killed={kill}"), (0, 200))
    assert not kill.exists()
    assert killed.totals.pop("cases with a killed process, which a new one answered") == 1
    assert sums(killed) == sums(judged(reader(), (0, 200)))


def test_a_crash_that_does_not_come_again_is_a_failure_and_its_case_is_judged(tmp_path, reader):
    once = tmp_path / "once"
    once.touch()
    counts = judged(reader(f"crashes-once={once}"), (0, 200))
    assert not once.exists()
    (case,) = counts.failing
    assert (case.requirement, case.status) == ("TROUBLE", "crash")
    assert case.signature == "crash that does not come again: exit-status-1"
    assert counts.totals["cases with crash"] == 1
    assert counts.verdicts["TROUBLE", PLAN.case(case.number).id.profile, "crash"] == 1
    del counts.verdicts["TROUBLE", PLAN.case(case.number).id.profile, "crash"]
    assert counts.verdicts == judged(reader(), (0, 200)).verdicts


def test_an_error_in_this_process_is_a_crash(monkeypatch):
    from conformance.reference.implementation import ReferenceImplementation

    def ask(self, request):
        raise IndexError("no such byte")

    monkeypatch.setattr(ReferenceImplementation, "ask", ask)
    (case, *_) = judged("reference", (0, 1)).failing
    assert (case.status, case.signature) == ("crash", "crash: IndexError")


def test_a_case_at_which_the_kit_fails_is_named_and_the_others_are_judged():
    plan = Plan((("transactions", "mysql-8.0"), ("no_such_family", "mysql-8.0")))
    kit_errors = KitErrors()
    counts = judged("reference", (0, 4), plan=plan, kit_errors=kit_errors)
    assert counts.totals["cases judged"] == 2
    assert [case for case, _, _ in kit_errors.entries] == [
        "no_such_family/mysql-8.0/0/0",
        "no_such_family/mysql-8.0/0/1",
    ]
    assert "no family 'no_such_family'" in kit_errors.entries[0][1]


def test_an_interruption_is_not_an_error_of_the_kit():
    with pytest.raises(KeyboardInterrupt), KitErrors():
        raise KeyboardInterrupt


def test_a_shard_keeps_the_first_of_each_finding_and_distinguishes_three_hundred():
    failing, group = FailingCases(), "mysql 5.6 to 8.4"
    for number in range(499):
        verdicts = [Verdict(name, "fail", f"kind {number % 400}", "message") for name in ("R", "S")]
        failing.add(number, CaseId("f", "mysql-8.0", 0, number), verdicts)
    assert [(case.number, case.requirement) for case in failing][:4] == [(0, "R"), (0, "S"), (1, "R"), (1, "S")]
    assert failing.counts["kind 0", group, CASES, ""] == 2
    assert failing.counts["kind 0", group, "requirement", "S"] == 2
    assert failing.counts["kind 0", group, "profile", "mysql-8.0"] == 2
    assert failing.counts["(more findings than are distinguished)", group, CASES, ""] == 100


def test_any_text_can_be_stored():
    assert storable("a\ud800b") == "a\\ud800b"


def test_a_stored_case_is_read_as_it_was_written():
    cases = [(number, PLAN.case(number)) for number in range(400)]
    assert list(cases_of_batch(batch_of_cases(cases))) == cases


@pytest.mark.parametrize(("index", "bucket"), [(0, "0"), (2, "2"), (3, "3-4"), (8, "5-8"), (33, "33+"), (900, "33+")])
def test_positions_fall_into_buckets(index, bucket):
    assert position(index) == bucket
