"""Judging without Spark: what a run on Spark has to come to."""

from collections import Counter

from conformance.corpus.counts import Counts
from conformance.corpus.judging import CaseJudge, Mishaps, planned_cases
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


def judged(spec, *stretches, plan=PLAN, mishaps=None, limits=LIMITS):
    """Judges stretches of a plan, and returns their counts."""
    counts, mishaps = Counts(), mishaps or Mishaps()
    with implementation(spec, limits=limits) as tested:
        judge = CaseJudge(tested, Judge(tested.declaration.roles["decode"]), mishaps=mishaps)
        for first, end in stretches:
            judge.count(planned_cases(plan, first, end, mishaps=mishaps), counts)
    return counts


def sums(*parts):
    """Adds up counts as Spark does: rows of one table and cell."""
    met = Counter()
    for counts in parts:
        for batch in batches_of(counts):
            assert batch.schema == ROWS
            add_rows(met, batch)
    return met


def add_rows(met, rows):
    """Adds rows to sums."""
    for row in rows.to_pylist():
        met[row["table"], tuple(row["cell"]), row["number"]] += row["count"]
