"""What a boundary parser answers about the events that a requirement governs, and what is wrong with it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.event_class import EventClass, event_class
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.guess import Kind, kind_of
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.boundary_steps import (
    begin_before,
    fed_by_offset,
    field_cause,
    is_in_step,
    own_steps,
    step_cause,
)
from conformance.oracles.checks.misread_statements import is_for_checksums
from conformance.oracles.checks.misread_types import forgets_begin
from conformance.oracles.checks.remembered_begin import is_for_remembered
from conformance.oracles.oracle import GOOD, Check, Oracle

#: What is expected of an event, or what was answered: the fields that are expected and declared, None for a
#: missing one.
Answer = Mapping[str, Any]
#: Returns a stable description of what is wrong with the answer about an event, "" if nothing is, None if the answer
#: does not show it. Its arguments are the expected entry and the observed one.
Look = Callable[[Answer, Answer], str | None]

#: Returns whether a wrong answer about an event, given its index, does not break a requirement.
Unless = Callable[[Alignment, int], bool]

#: The fields that depend on the events before.
FIELDS: Final = ("boundary_type", "state", "within_transaction", "warning")


def _never(alignment: Alignment, index: int) -> bool:
    return False


def check_answers(
    requirement: str,
    look: Look,
    *names: str,
    anywhere: bool = False,
    begins: bool = False,
    resets: bool = False,
    unless: Unless = _never,
) -> Oracle:
    """Return the oracle that checks the answers about the marked events.

    Args:
        requirement: The requirement's id.
        look: Returns what is wrong with one.
        *names: The fields that show what is wrong; one of them must be declared.
        anywhere: Also check events at which another step follows from what the parser showed before.
        begins: Also check events that show that the parser began in a wrong state.
        resets: Check these alone: a wrong step from the right state does not show a wrong reset.
        unless: Whether to pass over a wrong answer: another reading is open, or another rule is broken.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            if seen is None:
                continue
            began = index in own_steps(alignment).begun_elsewhere
            if not (anywhere or (began and (begins or resets)) or is_in_step(alignment, index)):
                continue
            expected = alignment.case.expected.events[index]
            wrong = look(expected, judged_fields(alignment, expected, seen))
            if wrong and (unless(alignment, index) or is_for_checksums(alignment, index, requirement)):
                continue
            if wrong and is_for_remembered(alignment, requirement):
                continue
            if wrong is not None and (began or not (wrong and resets)):
                yield check_of(alignment, index, wrong)

    return Oracle(requirement, examine, any_of=frozenset(names or FIELDS))


def check_of(alignment: Alignment, index: int, wrong: str) -> Check:
    """Return the check of the answer about an event, given what is wrong with it."""
    if not wrong:
        return GOOD
    at = alignment.case.expected.events[index]["offset"]
    return Check(wrong, f"{alignment.describe(index)}: {wrong}", at, cause_of(alignment, index, wrong))


def cause_of(alignment: Alignment, index: int, wrong: str) -> Cause:
    """Return the cause of what is wrong with an answer: the wrong step, unless it is about the header alone."""
    if wrong.startswith("answer "):
        of_answers = field_cause(alignment, index, "answers")
        return of_answers if of_answers.field == "marker" else Cause(wrong, role=alignment.case.role)
    if wrong.startswith("marker "):
        return field_cause(alignment, index, "marker")
    return step_cause(alignment, index) or Cause(wrong, role=alignment.case.role)


def judged_fields(alignment: Alignment, expected: Answer, seen: Answer) -> Answer:
    """Return the fields of an answer about an event that are expected and declared."""
    return {name: seen.get(name) for name in expected if name in alignment.role.fields}


def compare_fields(expected: Answer, seen: Answer, *names: str) -> str:
    """Return the first of some fields whose value is not the expected one, in words."""
    for name in names:
        if name in seen and seen[name] != expected[name]:
            return f"{name} is {'missing' if seen[name] is None else seen[name]}, not {expected[name]}"
    return ""


def check_warning(expected: Answer, seen: Answer) -> str:
    """Compare whether there is a warning; its text is not compared."""
    if "warning" not in seen or bool(seen["warning"]) == bool(expected["warning"]):
        return ""
    return "no warning" if expected["warning"] else "a warning although the step is right"


def check_everything(expected: Answer, seen: Answer) -> str:
    """Compare the boundary type, the step and whether there is a warning."""
    return compare_fields(expected, seen, "boundary_type", "state", "within_transaction") or check_warning(
        expected, seen
    )


#: The types of BEGIN, COMMIT and ROLLBACK.
_OF_WORDS: Final = frozenset(
    each.heading
    for each in (BoundaryType.START_TRANSACTION, BoundaryType.INSIDE_TRANSACTION, BoundaryType.END_TRANSACTION)
)


def is_no_word(alignment: Alignment, index: int) -> bool:
    """Return whether an ordinary statement has a wrong type that is not that of a BEGIN, a COMMIT or a ROLLBACK.

    What a statement without any of these words ends was taken for one without a BEGIN.
    """
    event = _fed(alignment, index)
    if event is None or kind_of(event, event_class(event)) is not Kind.STATEMENT:
        return False
    its_type = (alignment.observed(index) or {}).get("boundary_type")
    ends = its_type == BoundaryType.END_TRANSACTION.heading
    return its_type not in _OF_WORDS or (ends and forgets_begin(event, begin_before(alignment, index)))


def is_not_ignored(alignment: Alignment, index: int) -> bool:
    """Return whether an event of a known type, with the ignorable flag, is not guessed to be ignored for it."""
    event = _fed(alignment, index)
    is_known = event is not None and event_class(event) is not EventClass.IGNORABLE
    return is_known and (alignment.observed(index) or {}).get("boundary_type") != BoundaryType.IGNORE_BOUNDARY.heading


def _fed(alignment: Alignment, index: int) -> FedEvent | None:
    return fed_by_offset(alignment.case.stream).get(alignment.case.expected.events[index]["offset"])
