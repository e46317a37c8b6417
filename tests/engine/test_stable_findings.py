"""One bug has one signature: at another seed, with another number of cases, in `certify` and in a corpus."""

from functools import cache

import pytest

from conformance.corpus.counts import Counts
from conformance.corpus.failing_cases import CASES
from conformance.corpus.judging import CaseJudge, planned_cases
from conformance.corpus.plan import Plan
from conformance.engine.baseline import Baseline, entries_for
from conformance.engine.certification import Budget, Certification, Selection
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge

#: Mutants with the families that exercise them.
MUTANTS = {
    "reference:text-cut-at-255": ("rows_query_streams", "golden_vectors"),
    "reference:any-magic": ("bad_magic",),
    "reference:no-verification": ("bad_checksum",),
    "reference:low-flags": ("ignorable_events", "transactions"),
    "reference:late-timestamp": ("transactions",),
}


def certified(spec, families=(), *, seed, examples, baseline=None, profiles=("mysql-8.0", "mysql-9.x")):
    with implementation(spec) as tested:
        return Certification(
            implementation=tested,
            spec=spec,
            selections=[Selection(profiles=profiles, families=families)],
            budget=Budget(examples=examples),
            seed=seed,
            baseline=baseline or Baseline(),
        ).run()


#: The two with most findings are for the slow runs.
SPECS = [
    pytest.param(spec, marks=pytest.mark.slow if "transactions" in families else ())
    for spec, families in MUTANTS.items()
]


@cache
def first_failures(spec):
    """Return what a run of sixty cases finds."""
    return certified(spec, MUTANTS[spec], seed=0, examples=60).failures


@pytest.mark.parametrize("spec", SPECS)
def test_the_baseline_of_one_seed_accepts_another_with_fewer_cases(spec):
    first = first_failures(spec)
    assert first
    baseline = Baseline("first.toml", tuple(entries_for(first, "one bug")))
    second = certified(spec, MUTANTS[spec], seed=77, examples=30, baseline=baseline)
    assert second.failures
    assert [failure.finding for failure in second.failures if failure.known is None] == []
    assert second.unexpected_passes == []


def test_the_baseline_of_one_bug_does_not_accept_another_in_the_same_requirement():
    cut, late = "reference:text-cut-at-255", "reference:late-timestamp"
    known = entries_for(certified(cut, MUTANTS[cut], seed=0, examples=30).failures, "one bug")
    other = certified(late, MUTANTS[late], seed=0, examples=10, baseline=Baseline("known.toml", tuple(known)))
    assert all(failure.known is None for failure in other.failures)
    assert other.failures


@pytest.mark.parametrize("spec", SPECS)
def test_a_corpus_has_the_findings_of_certify(spec):
    by_certify = {(each.finding, each.group) for each in first_failures(spec)}
    with implementation(spec) as tested:
        pairs = Selection(profiles=("mysql-8.0", "mysql-9.x"), families=MUTANTS[spec]).pairs(tested.declaration)
    plan = Plan(tuple(pairs), seed=5)
    counts = Counts()
    with implementation(spec) as tested:
        judge = CaseJudge(tested, Judge(tested.declaration.roles["decode"]))
        judge.count(planned_cases(plan, 0, 120, kit_errors=judge.kit_errors), counts)
    assert judge.kit_errors.entries == []
    in_corpus = {(signature, group) for signature, group, what, _ in counts.failing.counts if what == CASES}
    assert in_corpus == by_certify


@pytest.mark.slow
def test_a_library_has_the_same_findings_at_another_seed():
    pytest.importorskip("pymysqlreplication.packet")
    profiles = ("mysql-8.4",)
    first = certified("mysql-replication", seed=0, examples=24, profiles=profiles)
    baseline = Baseline("first.toml", tuple(entries_for(first.failures, "as it is")))
    second = certified("mysql-replication", seed=77, examples=16, baseline=baseline, profiles=profiles)
    # What few cases show may be shown at one seed only, in several cases that are alike: that is chance.
    new = [failure for failure in second.failures if failure.known is None and failure.counts.cases > 12]
    assert [failure.finding for failure in new] == []
    frequent = {each.finding for each in first.failures if each.counts.cases > 12}
    assert len(frequent) > 5
    assert frequent <= {each.finding for each in second.failures}
