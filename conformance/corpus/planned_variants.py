"""The variants of a corpus: the classes of its cases follow from their ids, so no worker has to count them."""

from typing import Final

from conformance.corpus.plan import Plan
from conformance.engine.variants import MetVariants
from conformance.strategies.grammar.family import families

#: The most cases whose classes are looked at in all: enough for every triple of each family, whatever a night makes.
_MOST: Final = 300_000


def planned_variants(plan: Plan, cases: int) -> MetVariants:
    """Return the classes of the first cases of a plan, triples included.

    Args:
        plan: The sequence of cases.
        cases: How many of them were judged.
    """
    variants = MetVariants(triples=True)
    for number in range(min(cases, _MOST)):
        case_id = plan.case_id(number)
        assert case_id.index is not None, "the cases of a plan have numbers"
        space = families()[case_id.family].space(case_id.role)
        row = space.row(case_id.profile, index=case_id.index, key=case_id.key)
        variants.add_row(case_id.family, case_id.role, case_id.profile, row)
    return variants
