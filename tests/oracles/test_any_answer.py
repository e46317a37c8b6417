"""No answer makes the judge fail: several things are wrong at once, in answers that keep to the protocol."""

import random
from dataclasses import replace

import pytest

from conformance.oracles.judge import Judge
from conformance.protocol.observation import Refusal
from conformance.protocol.roles.registry import role_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import ROLES
from tests.answered import answered_cases
from tests.extras import require_role
from tests.oracles.single_changes import INSIDE, other_values

REFERENCE = ReferenceImplementation()
SEED = 21
#: The most changes of one answer.
MOST = 8
#: Cases of each family and profile, and changed answers to each.
CASES, ANSWERS = 1, 2


def with_other_value(events, chosen):
    """Change one value into that of the same field of another entry, or into one of the same kind."""
    place = chosen.randrange(len(events))
    entry = events[place]
    name = chosen.choice(sorted(entry))
    others = [each[name] for each in events if name in each and each[name] is not None]
    values = [*others, next(iter(other_values(name, entry[name])))] if name != "rows" else others
    value = chosen.choice(values or [entry[name]])
    return [*events[:place], {**entry, name: value}, *events[place + 1 :]]


def without_one(events, chosen):
    place = chosen.randrange(len(events))
    return [*events[:place], *events[place + 1 :]]


def doubled(events, chosen):
    place = chosen.randrange(len(events))
    return [*events[: place + 1], *events[place:]]


def exchanged(events, chosen):
    one, other = (chosen.randrange(len(events)) for _ in range(2))
    changed = list(events)
    changed[one], changed[other] = changed[other], changed[one]
    return changed


def cut(events, chosen):
    return events[: chosen.randrange(len(events) + 1)]


#: The first is what most wrong implementations do.
CHANGES = (with_other_value, with_other_value, with_other_value, without_one, doubled, exchanged, cut)


def other_end(case, answer, chosen):
    """Return an answer that ends with another error, or with none."""
    code = answer.error.code if answer.error else None
    places = [None, 0, 4, len(case.stream), *(each["offset"] for each in case.expected.events if "offset" in each)]
    errors = [Refusal(at, kind, "cannot read on", code) for at in places for kind in ("other", "checksum", "truncated")]
    return replace(answer, error=chosen.choice([None, *errors]))


def changed(case, answer, chosen):
    """Return an answer with several things wrong."""
    if role_of(case.role).answers_streams:
        changes = [make for _, make in INSIDE[case.role](case, answer)]
        return chosen.choice(changes)() if changes else answer
    for _ in range(chosen.randint(1, MOST)):
        if answer.events:
            answer = replace(answer, events=tuple(chosen.choice(CHANGES)(list(answer.events), chosen)))
    return other_end(case, answer, chosen) if chosen.random() < 0.3 else answer


@pytest.mark.parametrize("role", ROLES)
def test_every_answer_has_a_verdict_on_what_its_case_is_made_for(role):
    require_role(role)
    judge = Judge(REFERENCE.declaration.roles[role])
    for _, case, answer in answered_cases(role, CASES):
        for number in range(ANSWERS):
            wrong = changed(case, answer, random.Random(f"{SEED} {case.id} {number}"))
            verdicts = judge.judge(case, wrong)
            assert all(each.finding for each in verdicts if each.is_failure), case.id
