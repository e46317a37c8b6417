"""Every difference is accounted for: each value of each expected answer is changed alone, and somebody is blamed."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import differences
from conformance.oracles.freedoms import freedom_of
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import UNEXPLAINED
from conformance.protocol.observation import Refusal
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import ROLES
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

REFERENCE = ReferenceImplementation()
SEED = 14
#: Changes that are made to one case, chosen at random from all that are possible.
CHANGES = 12
ROLES_AND_FAMILIES = [(role, name) for role in ROLES for name, each in sorted(families().items()) if role in each.focus]


def changed(value):
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return {"yes": "no", "no": "yes", "kept": "dropped", "dropped": "kept"}.get(value, f"{value}x")
    if isinstance(value, list):
        return value[:-1] if value else [{}]
    return "x" if value is None else {**value, "x": 1}


def changes_of_entries(case, events):
    """Yield what is changed and the changed entries: each value alone, each entry left out, each doubled."""
    asked = len(case.expected.events)
    for place, entry in enumerate(events[:asked]):
        for name in case.expected.events[place].keys() & entry.keys() - {"offset"}:
            yield f"{name} changed", (*events[:place], {**entry, name: changed(entry[name])}, *events[place + 1 :])
        yield "entry missing", (*events[:place], *events[place + 1 :])
        yield "entry doubled", (*events[: place + 1], *events[place:])


def changes_of_the_end(case, answer):
    """Yield what is changed and the changed answer: the error missing, elsewhere, or not expected."""
    if answer.error is None:
        at = case.expected.events[-1].get("offset") if case.expected.events else None
        yield "error not expected", replace(answer, error=Refusal(at, "other", "cannot read on"))
        yield "error after the last entry", replace(answer, error=Refusal(None, "other", "cannot read on"))
    else:
        yield "error missing", replace(answer, error=None)
        yield "error elsewhere", replace(answer, error=replace(answer.error, at=(answer.error.at or 0) + 1))


def changed_answers(case, answer):
    """Return some changes of an answer, each with what is changed: always those of the end."""
    entries = [(what, replace(answer, events=events)) for what, events in changes_of_entries(case, answer.events)]
    # A seed of its own for each case, so that one family's changes do not depend on another's.
    chosen = random.Random(f"{SEED} {case.id}").sample(entries, min(CHANGES, len(entries)))
    return [*chosen, *changes_of_the_end(case, answer)]


@pytest.mark.parametrize(("role", "name"), ROLES_AND_FAMILIES)
def test_a_single_change_is_blamed_on_a_requirement_or_is_free(role, name):
    require_role(role)
    declared = REFERENCE.declaration.roles[role]
    judge = Judge(declared)
    lost, unexplained, free = Counter(), Counter(), Counter()
    for profile in families()[name].profiles_of(role):
        case = case_of(CaseId(name, profile, seed=SEED, index=0, role=role))
        for what, answer in changed_answers(case, REFERENCE.ask(request_of(case))):
            blamed = {each.requirement for each in judge.judge(case, answer) if each.is_failure}
            if UNEXPLAINED in blamed:
                unexplained[what] += 1
            if blamed:
                continue
            alignment = Alignment(case, answer, declared)
            rows = {freedom_of(alignment, each) for each in differences(alignment)}
            if not rows or None in rows:
                lost[what] += 1
            free.update(row.what for row in rows if row is not None)
    assert (lost, unexplained) == (Counter(), Counter())
