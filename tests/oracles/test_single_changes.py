"""Every difference is accounted for: each value of each expected answer is changed alone, and somebody is blamed."""

import random
from collections import Counter

import pytest

from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import differences
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import freedom_of
from conformance.protocol.roles.registry import role_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import ROLES
from conformance.specs.run_record import UNEXPLAINED
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role
from tests.oracles.single_changes import CONSISTENT, changes_of_entries, changes_of_the_end, refusals

REFERENCE = ReferenceImplementation()
SEED = 14
#: Changes that are made to one case, chosen at random from all that are possible.
CHANGES = 24
ROLES_AND_FAMILIES = [(role, name) for role in ROLES for name, each in sorted(families().items()) if role in each.focus]


def changed_answers(case, answer):
    """Yield some changed answers, each with what is changed: always those with another end."""
    changes = [*changes_of_entries(case, answer), *refusals(case, answer)]
    if case.role in CONSISTENT:
        changes += CONSISTENT[case.role](case, answer)
    # A seed of its own for each case, so that one family's changes do not depend on another's.
    chosen = random.Random(f"{SEED} {case.id}").sample(changes, min(CHANGES, len(changes)))
    for what, answer_with in [*chosen, *changes_of_the_end(case, answer)]:
        # Two entries that are the same may change places.
        if (changed := answer_with()) != answer and not lacks_only_repetitions(case, answer, changed):
            yield what, changed


def lacks_only_repetitions(case, answer, changed):
    """Whether a changed answer has fewer entries, and all that are expected: a client gets some events twice."""
    kind_of = role_of(case.role).kind_of
    kinds = [kind_of(each) for each in changed.events] if kind_of else []
    return len(changed.events) < len(answer.events) and kinds == [kind_of(each) for each in case.expected.events]


def rows_of(case, answer, declared):
    """Return the rows of `FREE` that cover the differences of an answer; None for one that no row covers."""
    alignment = Alignment(case, answer, declared)
    return {freedom_of(alignment, each) for each in differences(alignment)}


@pytest.mark.parametrize(("role", "name"), ROLES_AND_FAMILIES)
def test_a_single_change_is_blamed_on_a_requirement_or_is_free(role, name, record_property):
    require_role(role)
    declared = REFERENCE.declaration.roles[role]
    judge = Judge(declared)
    tried, free, lost, unexplained = 0, Counter(), Counter(), Counter()
    for profile in families()[name].profiles_of(role):
        case = case_of(CaseId(name, profile, seed=SEED, index=0, role=role))
        for what, answer in changed_answers(case, REFERENCE.ask(request_of(case))):
            tried += 1
            blamed = {each.requirement for each in judge.judge(case, answer) if each.is_failure}
            unexplained[what] += UNEXPLAINED in blamed
            rows = {None} if blamed else rows_of(case, answer, declared)
            lost[what] += not blamed and (not rows or None in rows)
            free.update(row.name for row in rows - {None} if not blamed)
    record_property("free", dict(free))
    assert tried > free.total()
    assert (+lost, +unexplained) == (Counter(), Counter())
