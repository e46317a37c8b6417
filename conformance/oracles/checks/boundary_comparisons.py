"""The checks of boundary parsers that compare answers with each other: the fault is that alike events differ."""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.event_class import CONTEXT_CLASSES, QUERY_CLASSES, EventClass, event_class
from conformance.models.boundary.guess import kind_of
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.boundary_answers import (
    FIELDS,
    Answer,
    cause_of,
    check_everything,
    check_of,
    compare_fields,
    judged_fields,
)
from conformance.oracles.checks.boundary_steps import fed_by_offset, is_in_step, step_cause
from conformance.oracles.checks.misread_statements import misread_for_checksums
from conformance.oracles.oracle import GOOD, Check, Oracle

#: The types of events that hold statements.
_OF_STATEMENTS: Final = frozenset({EventType.QUERY, EventType.EXECUTE_LOAD_QUERY})


def check_any_format(requirement: str) -> Oracle:
    """Return the oracle that checks that a change is answered alike in transactions of one format and of several.

    A parser that answers wrongly about it in all of them breaks another rule.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        answers: list[tuple[int, tuple[int, bool], bool, str]] = []
        for index, is_mixed in _changes(alignment, requirement):
            if (wrong := _wrong(alignment, index, check_everything)) is None:
                continue
            expected = alignment.case.expected.events[index]
            kind = expected["type"], expected["marker"] == BoundaryType.NOT_DEFINED.heading
            answers.append((index, kind, is_mixed, wrong))
        right = {(kind, is_mixed) for _, kind, is_mixed, wrong in answers if not wrong}
        for index, kind, is_mixed, wrong in answers:
            if not wrong or (kind, not is_mixed) in right:
                yield check_of(alignment, index, wrong)

    return Oracle(requirement, examine, any_of=frozenset(FIELDS))


def _wrong(alignment: Alignment, index: int, look: Callable[[Answer, Answer], str]) -> str | None:
    """Return what is wrong with the answer about an event; None where the expected one was not to come."""
    seen = alignment.observed(index)
    if seen is None or not is_in_step(alignment, index) or index in misread_for_checksums(alignment):
        return None
    expected = alignment.case.expected.events[index]
    return look(expected, judged_fields(alignment, expected, seen))


def _changes(alignment: Alignment, requirement: str) -> Iterator[tuple[int, bool]]:
    """Yield the marked changes, each with whether its transaction so far has both rows and statements."""
    entries = alignment.case.expected.events
    forms: set[bool] = set()
    before = 0
    for index in alignment.marked(requirement):
        if any(entry["within_transaction"] == "no" for entry in entries[before:index]):
            forms.clear()
        forms.add(entries[index]["type"] in _OF_STATEMENTS)
        before = index
        yield index, len(forms) > 1


def check_any_gtid_mode(requirement: str) -> Oracle:
    """Return the oracle that checks for the boundaries of transactions with and without a Gtid event.

    A Gtid event must begin a transaction; the same statement or Xid must be right with one and without. A parser that
    answers wrongly about it in all of them breaks another rule.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        kinds = dict(_kinds(alignment))
        wrong = {index: each for index in kinds if (each := _wrong(alignment, index, _check_within)) is not None}
        # Where its type is wrong, a parser may be outside of a transaction for that reason alone.
        right = {kinds[index] for index in wrong if not _wrong(alignment, index, _check_type_and_within)}
        for index in alignment.marked(requirement):
            if index in wrong:
                kind, has_gtid = kinds[index]
                if not wrong[index] or kind[0] is EventClass.GTID or (kind, not has_gtid) in right:
                    yield check_of(alignment, index, wrong[index])

    return Oracle(requirement, examine, any_of=frozenset({"within_transaction"}))


def _check_type_and_within(expected: Answer, seen: Answer) -> str:
    return compare_fields(expected, seen, "boundary_type", "within_transaction")


def _check_within(expected: Answer, seen: Answer) -> str:
    return compare_fields(expected, seen, "within_transaction")


def _kinds(alignment: Alignment) -> Iterator[tuple[int, tuple[tuple[Hashable, ...], bool]]]:
    """Yield the Gtid events, statements and Xids: the index, the kind, and whether the transaction has a Gtid event.

    One with a marker is of another kind than one without, which a parser has to guess, and an Xid that ends something
    than one that ends nothing.
    Statements with context events are not among these: they begin and end transactions by rules of their own.
    """
    fed, entries = fed_by_offset(alignment.case.stream), alignment.case.expected.events
    has_gtid, before = False, None
    for index, entry in enumerate(entries):
        if (event := fed.get(entry["offset"])) is None:
            return
        its_class = event_class(event)
        is_open = index > 0 and entries[index - 1]["within_transaction"] == "yes"
        has_gtid = its_class is EventClass.GTID or (has_gtid and is_open)
        if its_class in (EventClass.GTID, EventClass.XID):
            yield index, ((its_class, entry.get("marker"), is_open), has_gtid)
        elif its_class in QUERY_CLASSES and before not in CONTEXT_CLASSES:
            yield index, ((kind_of(event, its_class), entry.get("marker"), entry["within_transaction"]), has_gtid)
        before = its_class


def check_same_rules(requirement: str) -> Oracle:
    """Return the oracle that checks that a stream gives the same answers when it is read again for another use.

    It compares answers with each other, not with the expected ones.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        settings, expected = alignment.case.settings, alignment.case.expected.events
        places = {entry["offset"]: index for index, entry in enumerate(expected)}
        starts = [0, *(places[offset] for offset in settings["resets"])]
        for index in alignment.marked(requirement):
            number = bisect_right(starts, index) - 1
            before, seen = alignment.observed(index - starts[number] + starts[number - 1]), alignment.observed(index)
            if before is None or seen is None:
                continue
            first = next((field for field in FIELDS if before.get(field) != seen.get(field)), None)
            if first is None:
                yield GOOD
                continue
            uses = f"to a {settings['uses'][number - 1]} and to a {settings['uses'][number]}"
            message = f"{alignment.describe(index)}: {first} differs {uses}: {before.get(first)}, {seen.get(first)}"
            wrong = f"{first} depends on the use"
            yield Check(wrong, message, expected[index]["offset"], _cause_of_difference(alignment, index, wrong))

    return Oracle(requirement, examine, any_of=frozenset(FIELDS))


def _cause_of_difference(alignment: Alignment, index: int, wrong: str) -> Cause:
    """Return the cause of an answer that depends on the use: what was wrong last, if it follows from that."""
    causes = (step_cause(alignment, each) for each in range(index, -1, -1))
    return next((each for each in causes if each is not None), None) or cause_of(alignment, index, wrong)
