"""Judging without Spark: what a run on Spark has to come to."""

from conformance.corpus.counts import Counts
from conformance.corpus.judging import CaseJudge, Mishaps, planned_cases
from conformance.corpus.plan import Plan
from conformance.implementations.limits import Limits
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge
from specs.profiles import PROFILES
from strategies.family import families

PLAN = Plan(
    tuple(
        (family.name, each)
        for family in families().values()
        if "decode" in family.focus
        for each in PROFILES
        if each in family.profiles_of("decode")
    )
)


def judged(spec, *stretches, plan=PLAN, mishaps=None):
    """Judges stretches of a plan, and returns their counts."""
    counts, mishaps = Counts(), mishaps or Mishaps()
    with implementation(spec, limits=Limits(seconds=1)) as tested:
        judge = CaseJudge(tested, Judge(tested.declaration.roles["decode"]), mishaps=mishaps)
        for first, end in stretches:
            judge.count(planned_cases(plan, first, end, mishaps=mishaps), counts)
    return counts
