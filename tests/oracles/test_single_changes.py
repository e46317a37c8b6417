"""Every difference is accounted for: each value of each expected answer is changed alone, and somebody is blamed."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.filtering.table_filter import TableFilter
from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import differences
from conformance.oracles.freedoms import freedom_of
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import UNEXPLAINED
from conformance.protocol.observation import Refusal
from conformance.reference.boundary import observe
from conformance.reference.filter import answer_with as filtered_with
from conformance.reference.filter import table_filter
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import ROLES
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

REFERENCE = ReferenceImplementation()
SEED = 14
#: Changes that are made to one case, chosen at random from all that are possible.
CHANGES = 24
ROLES_AND_FAMILIES = [(role, name) for role in ROLES for name, each in sorted(families().items()) if role in each.focus]


def changed(value):
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if value + 1 != value else -value  # A large number takes no notice of 1.
    if isinstance(value, str):
        return {"yes": "no", "no": "yes", "kept": "dropped", "dropped": "kept"}.get(value, f"{value}x")
    if isinstance(value, list):
        return value[:-1] if value else [{}]
    return "x" if value is None else {**value, "x": 1}


def changes_of_entries(case, events):
    """Yield what is changed and the changed entries: each value alone, each entry left out, each doubled."""
    count = len(case.expected.events)
    for place, entry in enumerate(events[:count]):
        for name in sorted(case.expected.events[place].keys() & entry.keys() - {"offset"}):
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


#: Decisions that agree within themselves, and what follows for the tables.
DECISIONS = [
    {"format": "statement", "message": "none", "executed": "yes"},
    {"format": "statement", "message": "warning", "executed": "yes"},
    {"format": "row", "message": "none", "executed": "yes"},
    {"format": "none", "message": "error", "executed": "no"},
    {"format": "none", "message": "none", "executed": "yes"},
    {"row_capable": "yes", "statement_capable": "yes", "restricted": "none"},
    {"row_capable": "yes", "statement_capable": "no", "restricted": "row"},
    {"row_capable": "no", "statement_capable": "yes", "restricted": "statement"},
    {"row_capable": "no", "statement_capable": "no", "restricted": "none"},
]


def other_decisions(case, answer):
    """Yield answers with another decision about one statement, all of it."""
    for place, entry in enumerate(answer.events):
        for decision in DECISIONS:
            if not decision.items() <= entry.items():
                events = (*answer.events[:place], {**entry, **decision}, *answer.events[place + 1 :])
                yield "decision changed", replace(answer, events=events)


class OneWrong(TableFilter):
    """A filter that decides wrongly about one statement or table, the one with a number."""

    def __init__(self, settings, number):
        plain = table_filter(settings)
        super().__init__(plain.rules, tables=settings["tables"], renames=settings["renames"])
        self._until = number

    def passes(self, tables, statement=None):
        self._until -= 1
        return super().passes(tables, statement) != (self._until == -1)


def other_fates(case, answer):
    """Yield answers of filters with one wrong decision, and the groups that follow from it."""
    for number in range(len(answer.events)):
        wrong = filtered_with(request_of(case), tables=lambda settings, number=number: OneWrong(settings, number))
        # Whether Query events without tables info are kept is not asked.
        judged = [place for place, entry in enumerate(case.expected.events) if "fate" in entry]
        if any(wrong.events[place]["fate"] != answer.events[place]["fate"] for place in judged):
            yield "fate changed with its group", wrong


class OneStepWrong(WorklogParser):
    """A parser that takes one event, the one with a number, as an event to be ignored."""

    def __init__(self, number):
        super().__init__()
        self._until = number

    def feed(self, event):
        self._until -= 1
        wrong = replace(event, type=99, flags=0x80) if self._until == -1 else event
        return super().feed(wrong)


def other_steps(case, answer):
    """Yield answers of parsers that miss one event, and what follows from it."""
    for number in range(len(answer.events) if case.id.profile == "worklog" else 0):
        wrong = observe(request_of(case), OneStepWrong(number))
        if wrong != answer:
            yield "step missed", wrong


#: Role -> the changes of one decision with all that follows from it.
CONSISTENT = {"decide": other_decisions, "filter": other_fates, "boundary": other_steps}


def changed_answers(case, answer):
    """Return some changes of an answer, each with what is changed: always those of the end."""
    changes = [(what, replace(answer, events=events)) for what, events in changes_of_entries(case, answer.events)]
    if case.role in CONSISTENT:
        changes += CONSISTENT[case.role](case, answer)
    # A seed of its own for each case, so that one family's changes do not depend on another's.
    chosen = random.Random(f"{SEED} {case.id}").sample(changes, min(CHANGES, len(changes)))
    return [*chosen, *changes_of_the_end(case, answer)]


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
