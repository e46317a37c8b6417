"""Judging without Spark: the expected results of a run on Spark."""

from collections import Counter

from conformance.corpus.counts import Counts
from conformance.corpus.judging import CaseJudge, KitErrors, planned_cases
from conformance.corpus.plan import Plan
from conformance.corpus.result_batches import ROWS, batches_of
from conformance.implementations.process.limits import Limits
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge
from conformance.specs.profiles import PROFILES
from conformance.strategies.grammar.family import families

LIMITS = Limits(seconds=1)
PLAN = Plan(
    tuple(
        (family.name, each)
        for family in families().values()
        if "decode" in family.focus
        for each in PROFILES
        if each in family.profiles_of("decode")
    )
)


def judged(spec, *stretches, plan=PLAN, kit_errors=None, limits=LIMITS, **options):
    """Judge stretches of a plan, and return their counts."""
    counts, kit_errors = Counts(), kit_errors or KitErrors()
    with implementation(spec, limits=limits) as started:
        role = started.declaration.roles["decode"]
        judge = CaseJudge(started, Judge(role), kit_errors=kit_errors, limits=limits, **options)
        for first, end in stretches:
            judge.count(planned_cases(plan, first, end, kit_errors=kit_errors), counts)
    return counts


def sums(*parts):
    """Add up counts as Spark does: rows of one table and cell."""
    totals = Counter()
    for counts in parts:
        for batch in batches_of(counts):
            assert batch.schema == ROWS
            add_rows(totals, batch)
    return totals


def add_rows(totals, rows):
    """Add rows to sums."""
    for row in rows.to_pylist():
        totals[row["table"], tuple(row["cell"]), row["number"]] += row["count"]
