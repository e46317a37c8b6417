"""What an oracle is, and the kinds of check that oracles are made of."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.gtid_set import GtidSet
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import (
    CUT_SHORT,
    DIFFERS,
    MISSING,
    NOT_KNOWN,
    WRONG_END,
    Cause,
    group_of_entry,
    group_of_field,
    known_as,
    without_codes,
)
from conformance.oracles.checks.flagged_events import FOR_FLAG, passed_over_for_flag
from conformance.oracles.checks.misread_texts import BY_LENGTH_BYTE, is_read_by_length_byte
from conformance.oracles.checks.packed_numbers import (
    NINE_BYTES,
    READ_WITH_LENGTH,
    is_of_nine_bytes,
    is_read_with_length,
)
from conformance.oracles.checks.same_value import same_bytes, same_statement, same_variable
from conformance.oracles.checks.signed_numbers import cause_of_sign
from conformance.oracles.checks.text_encodings import (
    OTHER_CHARACTERS,
    READ_AS_TEXT,
    is_in_other_characters,
    is_read_as_text,
)
from conformance.oracles.checks.text_ends import ENDINGS, FOUR_SHORT, LAST_FIELDS, cause_of_end
from conformance.protocol.roles.decode import HEADER_FIELDS


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check.

    Attributes:
        signature: What is wrong, in a short text without numbers that vary; empty if nothing is.
        message: What was expected and what was observed.
        at: Offset in bytes of the event concerned.
        cause: The cause, where the check knows it better than its signature does.
        log: The number of the log that the offset is in, from 0, where an answer is several logs.
    """

    signature: str = ""
    message: str = ""
    at: int | None = None
    cause: Cause | None = None
    log: int = 0


#: The check of what is right.
GOOD = Check()

#: Returns whether an expected value of a field and the value seen break a requirement.
Blame = Callable[[Any, Any], bool]

Examine = Callable[[Alignment, str], Iterator[Check]]


@dataclass(frozen=True, slots=True)
class Oracle:
    """Judges observations by one requirement.

    Attributes:
        requirement: The requirement's id.
        examine: Yields a check for each event that the requirement governs and that was reached.
        any_of: The fields that show it; it cannot be judged if none of them is declared.
        needs: The fields without which it cannot be judged, all of them.
        abilities: The abilities that it needs.
        asks_more: It checks more than the expected observation holds, so an answer that agrees with the
            expected one must still be examined.
        is_measured: It judges the memory that an answer takes; unsupported where that cannot be measured.
        of_torn_logs: It judges what was written before the place at which a log cannot be read on; other oracles of
            written logs have nothing to judge then.
        owns: The fields for which the requirement is blamed where no other one accounts for a difference; the judge
            looks for these differences itself.
    """

    requirement: str
    examine: Examine
    any_of: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    abilities: frozenset[str] = frozenset()
    asks_more: bool = False
    is_measured: bool = False
    of_torn_logs: bool = False
    owns: frozenset[str] = frozenset()


def delivered(
    requirement: str,
    *,
    reported: bool = True,
    handled: str | None = None,
    unless: Callable[[Alignment, int], bool] = lambda alignment, index: False,
) -> Oracle:
    """Return the oracle that checks that the marked events are delivered.

    Args:
        requirement: The requirement's id.
        reported: Whether the event itself must be reported; otherwise it is enough that reading continues after it.
        handled: Check ``known`` or ``ignored`` events only.
        unless: Returns whether what became of an event, given its index, shows nothing of this requirement.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            if index == alignment.count:
                continue  # Another oracle judges the event to be refused.
            fate = alignment.fate(index)
            event = alignment.case.expected.events[index]
            if fate is Fate.UNREACHED or handled not in (None, event.get("handled")) or unless(alignment, index):
                continue
            kind = "ignorable" if event.get("handled") == "ignored" else alignment.about.kind(event)
            if fate is Fate.REFUSED and index not in alignment.case.expected.tolerated:
                message = f"{alignment.describe(index)} is refused: {alignment.refusal(index)}"
                yield Check(f"{kind} refused", message, event.get("offset"))
            elif fate is Fate.DROPPED and reported and not alignment.may_be_dropped(index):
                yield Check(f"{kind} dropped", f"{alignment.describe(index)} is missing", event.get("offset"))
            elif index == alignment.astray:
                message = f"after {alignment.describe(index)} the reading goes on where no event starts"
                yield Check(f"{kind} {WRONG_END}", message, event.get("offset"), wrong_end(alignment))
            elif not alignment.read_on(index):
                message = f"nothing is delivered after {alignment.describe(index)}, and there is no error"
                yield Check(f"stream ends silently after {kind}", message, event.get("offset"))
            else:
                yield GOOD

    return Oracle(requirement, examine)


def fields(
    requirement: str,
    *names: str,
    types: tuple[int, ...] = (),
    absent: tuple[str, ...] = (),
    blame: Blame | None = None,
    where_reported: bool = False,
    unless: Callable[[Alignment, int, str], bool] | None = None,
) -> Oracle:
    """Return the oracle that compares fields of the marked events that were delivered.

    Args:
        requirement: The requirement's id.
        *names: The fields; each is compared if it is expected.
        types: Check events of these type codes only.
        absent: Fields that must be missing, null or zero.
        blame: Returns whether a difference between the expected value and the one seen breaks this requirement; any
            difference does if None.
        where_reported: Check only fields that the answer has, as not every reader has all of them.
        unless: Returns whether a field of an event, given its index, shows nothing of this requirement.
    """
    every = frozenset((*names, *absent))

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        declared = alignment.role.fields
        any_good = False
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            # Many good checks show no more than one.
            if seen is None or (any_good and every.isdisjoint(alignment.differing(index))):
                continue
            expected = alignment.case.expected.events[index]
            if types and expected.get("type") not in types:
                continue
            for field in names:
                if field not in expected or field not in declared or not alignment.asks(index, field):
                    continue
                if (field in seen or not where_reported) and not (unless and unless(alignment, index, field)):
                    value = seen.get(field)
                    innocent = blame is not None and not blame(expected[field], value)
                    check = GOOD if innocent else _compared(alignment, index, field, expected[field], value)
                    any_good = any_good or check is GOOD
                    yield check
            for field in absent:
                if field in declared:
                    good = not seen.get(field)
                    message = f"{alignment.describe(index)}: {field} is {seen.get(field)!r}, but the event has none"
                    yield GOOD if good else Check(f"{field} invented", message, expected.get("offset"))

    return Oracle(requirement, examine, any_of=every)


def _compared(alignment: Alignment, index: int, field: str, expected: Any, seen: Any) -> Check:
    if same_field(field, expected, seen):
        return GOOD
    event = alignment.case.expected.events[index]
    how = how_differs(expected, seen)
    if how and isinstance(seen, str) and len(expected) > _SHORT:
        difference = f"{how}: {len(seen)} characters, expected {len(expected)}"
    else:
        difference = f"{shown(seen)}, expected {shown(expected)}" + (f" ({how})" if how else "")
    message = f"{alignment.describe(index)}: {field} is {difference}"
    kind = alignment.about.kind(event)
    cause = field_cause(alignment, index, field, seen)
    return Check(f"{field} of {kind} {how or 'differs'}".strip(), message, event.get("offset"), cause)


def wrong_end(alignment: Alignment) -> Cause | None:
    """Return the cause of a reading that goes on where no event starts; None if it does not."""
    if alignment.astray is None:
        return None
    return Cause(WRONG_END, group_of_entry(alignment.case.expected.events[alignment.astray]))


#: Role -> the fields of its entries that are in the header of an event.
_OF_HEADER: Final = {"client": HEADER_FIELDS, "render": ("pos", "server_id", "end_log_pos")}


def field_cause(alignment: Alignment, index: int, field: str, seen: Any) -> Cause:
    """Return the cause of a difference in one field of an expected entry.

    Args:
        alignment: The answer beside the expected one.
        index: Index of the entry.
        field: The field.
        seen: Its value in the answer.
    """
    event = alignment.case.expected.events[index]
    if field in _OF_HEADER.get(alignment.case.role, ()):
        # The header is the same for every type.
        return Cause(DIFFERS, "", field, role=alignment.case.role)
    if alignment.case.role == "client" and index in passed_over_for_flag(alignment) and field == "query":
        return FOR_FLAG
    if alignment.case.role != "decode":
        return Cause(DIFFERS, without_codes(alignment.about.kind(event)), field, role=alignment.case.role)
    if field == "handled" and seen == "ignored":
        return FOR_FLAG if index in passed_over_for_flag(alignment) else Cause(NOT_KNOWN, known_as(event))
    if field in HEADER_FIELDS:
        # The header is the same for every type.
        return Cause(MISSING if seen is None else DIFFERS, "", field)
    how = how_differs(event.get(field), seen)
    if is_in_other_characters(event.get(field), seen):
        return OTHER_CHARACTERS
    if is_read_as_text(event.get(field), seen):
        return READ_AS_TEXT
    if is_read_with_length(event.get(field), seen):
        return READ_WITH_LENGTH
    if (of_sign := cause_of_sign(event.get(field), seen)) is not None:
        return of_sign
    if event["type"] == EventType.GTID_TAGGED and _misreads_long_numbers(alignment, index):
        return NINE_BYTES
    if is_read_by_length_byte(alignment, index, field, seen):
        return BY_LENGTH_BYTE
    of_end = cause_of_end(alignment, index, field, how) if field in LAST_FIELDS and how in ENDINGS else None
    return of_end or Cause(_KINDS.get(how, DIFFERS), group_of_field(event, field), field)


#: The fields of an event that are not in its body: the header's, and what a reader keeps.
_NOT_IN_BODY: Final = frozenset((*HEADER_FIELDS, "position", "executed_gtid_set"))


def _misreads_long_numbers(alignment: Alignment, index: int) -> bool:
    seen, entry = alignment.observed(index), alignment.case.expected.events[index]
    differing = (entry.keys() - _NOT_IN_BODY).intersection(alignment.differing(index))
    return seen is not None and is_of_nine_bytes(entry, seen, differing)


def equal_values(expected: Any, seen: Any) -> bool:
    """Return whether two values are equal; true and 1 are not."""
    return bool(expected == seen) and isinstance(expected, bool) == isinstance(seen, bool)


def _equal_gtids(expected: Any, seen: Any) -> bool:
    # An Anonymous_gtid has no GTID: the word ANONYMOUS and an empty value are both right.
    if expected == "ANONYMOUS":
        return seen == expected or not seen
    return isinstance(seen, str) and seen.lower() == expected


def _equal_padded(expected: Any, seen: Any) -> bool:
    # A reader may hand on a text of fixed width with the NULs that fill it.
    return isinstance(seen, str) and seen.rstrip("\0") == expected


def same_gtid_set(expected: Any, seen: Any) -> bool:
    """Return whether two texts are the same GTID set.

    Servers accept sources and tags in any order, a source more than once, either case, any white space, and intervals
    that may be one: ``u:1-2:tag:5`` is ``U:tag:5-5, u:1, u:2``.
    """
    if expected == seen or not isinstance(seen, str):
        return bool(expected == seen)
    try:
        first, second = (ExecutedGtids(_whole_intervals(GtidSet.from_text(each))).gtids() for each in (expected, seen))
    except ValueError:
        # MariaDB's have no intervals.
        return sorted("".join(expected.split()).split(",")) == sorted("".join(seen.split()).split(","))
    return first == second


def _whole_intervals(gtids: GtidSet) -> GtidSet:
    """Return a set that was read from a text.

    Raises:
        ValueError: An interval ends before it begins.
    """
    for interval in (each for source in gtids.sources for each in source.intervals):
        if interval.start >= interval.end:
            raise ValueError(f"{interval} is not an interval")
    return gtids


_EQUAL: dict[str, Callable[[Any, Any], bool]] = {
    "gtid": _equal_gtids,
    "query": same_statement,
    "rows_query": same_statement,
    "server_version": _equal_padded,
    "view_id": _equal_padded,
    "previous_gtids": same_gtid_set,
    "gtid_list": same_gtid_set,
    "executed_gtids": same_gtid_set,
    "variable_value": same_variable,
    "block_data": same_bytes,
    "status_variables": same_bytes,
    "snapshot_version": same_bytes,
    "xa_gtrid": same_bytes,
    "xa_bqual": same_bytes,
}


def same_field(name: str, expected: Any, seen: Any) -> bool:
    """Return whether the value of a field is the expected one, in any notation that the protocol allows."""
    return _EQUAL.get(name, equal_values)(expected, seen)


#: The other differences that have a cause of their own.
_KINDS: Final = {MISSING: MISSING, CUT_SHORT: CUT_SHORT, FOUR_SHORT: CUT_SHORT}


def how_differs(expected: Any, seen: Any) -> str:
    """Return how a value differs from the expected one where that has a name; empty otherwise."""
    if seen is None:
        return MISSING
    if isinstance(expected, str) and isinstance(seen, str):
        lost = len(expected.encode()) - len(seen.encode())
        if expected.startswith(seen) and lost:
            # A missing or extra checksum is the common case; each other length would make a signature of its own.
            return FOUR_SHORT if lost == CHECKSUM_BYTES else CUT_SHORT
        if seen.startswith(expected):
            return "too long"
        if expected.endswith(seen) and lost:
            return "without its beginning"
    return ""


#: Characters of a value that a message shows whole.
_SHORT: Final = 60


def shown(value: Any) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    return text if len(text) <= _SHORT + 20 else f"{text[:48]}...{text[-24:]} ({len(text)} characters)"


def refused(requirement: str, *, abilities: tuple[str, ...] = ()) -> Oracle:
    """Return the oracle that checks that the event to be refused is refused, with an error at its offset."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        expected = alignment.case.expected
        if expected.refused_at is None or alignment.fate(len(expected.events)) is Fate.UNREACHED:
            return
        error = alignment.observation.error
        beyond = [offset for offset in alignment.phantoms if offset >= expected.refused_at]
        if beyond:
            message = f"an event is delivered at offset {beyond[0]}, at or after the fault ({expected.refused_kind})"
            yield Check(f"{expected.refused_kind} accepted", message, expected.refused_at)
        elif alignment.refuses_fault:
            yield GOOD
        elif error is None:
            message = f"no error at offset {expected.refused_at}, where the fault is ({expected.refused_kind})"
            yield Check(f"{expected.refused_kind} not reported", message, expected.refused_at)
        elif "error_at" in alignment.role.abilities and error.at != expected.refused_at:
            message = f"the error is reported at offset {error.at}, but the fault is at {expected.refused_at}"
            yield Check(f"{expected.refused_kind} reported at the wrong offset", message, expected.refused_at)
        else:
            yield GOOD

    return Oracle(requirement, examine, abilities=frozenset(abilities))


def both(first: Oracle, second: Oracle) -> Oracle:
    """Return the oracle that makes the checks of two oracles, for a requirement with two parts."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        yield from first.examine(alignment, requirement)
        yield from second.examine(alignment, requirement)

    return Oracle(
        first.requirement,
        examine,
        any_of=first.any_of | second.any_of,
        needs=first.needs | second.needs,
        abilities=first.abilities | second.abilities,
        of_torn_logs=first.of_torn_logs and second.of_torn_logs,
    )
