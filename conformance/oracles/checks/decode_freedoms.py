"""The differences that are left to readers: what is skipped, refused, unknown, or in another notation."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER_BYTES, TYPE_AT
from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.checks import malformed_bodies
from conformance.oracles.checks.reader_state import is_right_state
from conformance.oracles.checks.same_value import same_cell
from conformance.oracles.checks.tables_info import listed_tables
from conformance.oracles.differences import Difference
from conformance.oracles.oracle import equal_values, same_field
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE, may_be_missing
from conformance.specs.catalogue import ENTRY, ERROR, catalogue

_Image = Mapping[str, Any] | None
#: Kind of a value -> a type of columns that have such values.
_KINDS: Final = {int: ColumnType.LONG, str: ColumnType.VARCHAR}
_SIDES: Final = ("before", "after")
_TRUNCATED_HEADER: Final = "FORMAT-TRUNCATED-HEADER"


def is_skipped(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event that must be ignored is not reported, or is without its type code."""
    if difference.field not in (ENTRY, "type") or difference.index >= alignment.count:
        return False
    may_be_ignored = alignment.case.expected.events[difference.index].get("handled") != "known"
    seen = alignment.observed(difference.index)
    if difference.field == "type":
        return may_be_ignored and seen is not None and seen.get("type") is None
    return may_be_ignored and alignment.fate(difference.index) is Fate.DROPPED


def is_value_of_unread_statement(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event is not reported that sets a value for a statement which cannot be read."""
    if difference.field != ENTRY or difference.index >= alignment.count:
        return False
    is_dropped = alignment.fate(difference.index) is Fate.DROPPED
    return is_dropped and alignment.is_of_unread_statement(difference.index)


def is_not_of_a_log(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event that may be refused is, or is passed over."""
    if difference.index not in alignment.case.expected.tolerated:
        return False
    if difference.field == ENTRY:
        fate = alignment.fate(difference.index)
        return fate is Fate.REFUSED or (fate is Fate.DROPPED and alignment.may_be_dropped(difference.index))
    return difference.field == "handled" and alignment.is_unknown(difference.index)


def is_torn_header(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a log before MySQL 8.0 ends within a header without an error."""
    expected = alignment.case.expected
    if difference.field != ERROR or alignment.observation.error is not None or expected.refused_kind != "truncated":
        return False
    left = len(alignment.case.stream) - (expected.refused_at or 0)
    return left < HEADER_BYTES and alignment.case.id.profile not in catalogue()[_TRUNCATED_HEADER].holds


def is_faulty_payload(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a payload with a fault inside is reported although it is refused too."""
    at = alignment.case.expected.refused_at
    if difference.field != ENTRY or at is None or difference.place != at or alignment.observation.error is None:
        return False
    return alignment.case.stream[at + TYPE_AT] == EventType.TRANSACTION_PAYLOAD


def is_at_burden(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is at or after an event that claims or holds far more than it should."""
    expected, error = alignment.case.expected, alignment.observation.error
    if not expected.burden or expected.refused_at is None or difference.index != alignment.count:
        return False
    reported = None if error is None else error.at
    place = difference.place if difference.field == ENTRY else reported
    return place is None or place >= expected.refused_at


def is_malformed_unknown(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event with a malformed body is passed over by a reader that does not know its type."""
    at_end = difference.index == alignment.count and alignment.case.expected.refused_kind == "malformed"
    return at_end and malformed_bodies.is_of_unknown_type(alignment)


def is_of_unknown_type(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is in the body of an event of a type that the reader does not know."""
    in_body = difference.index < alignment.count and difference.field not in (*FIELDS_OF_EVERY_TYPE, ENTRY)
    return in_body and alignment.is_unknown(difference.index)


def is_unreported(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a field is missing that not every reader reports."""
    if difference.index >= alignment.count:
        return False
    seen = alignment.observed(difference.index)
    if seen is None or seen.get(difference.field) is not None:
        return False
    return may_be_missing(alignment.case.expected.events[difference.index]["type"], difference.field)


def is_in_another_notation(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a value of an entry is the expected one in another notation."""
    if difference.index >= alignment.count:
        return False
    name, seen = difference.field, alignment.observed(difference.index)
    wanted = alignment.case.expected.events[difference.index]
    if seen is None or name not in wanted:
        return False
    if name == "rows":
        return _same_rows(alignment.case.expected.columns.get(difference.index), wanted[name], seen.get(name))
    if name == "tables_info":
        lists = [listed_tables(each.get(name) or "", wanted["database"]) for each in (wanted, seen)]
        return lists[0] is not None and lists[0] == lists[1]
    return same_field(name, wanted[name], seen.get(name))


def is_sent_without_in_use(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the flags lack the bit of a log in use, as those of what a server sends do."""
    of_flags = difference.field == "flags" and difference.index < alignment.count
    return of_flags and alignment.case.role == "decode" and alignment.may_lack_in_use(difference.index)


def is_in_right_state(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the reader's own state is right in another way than the expected one."""
    seen = alignment.observed(difference.index) if difference.index < alignment.count else None
    return seen is not None and is_right_state(
        alignment, difference.index, difference.field, seen.get(difference.field)
    )


def _same_rows(codes: tuple[int, ...] | None, wanted: list[Mapping[str, Any]], seen: Any) -> bool:
    if not isinstance(seen, list) or len(seen) != len(wanted):
        return False
    pairs = zip(wanted, seen, strict=True)
    return all(_same_image(codes, row[side], other.get(side)) for row, other in pairs for side in _SIDES)


def _same_image(
    codes: tuple[int, ...] | None, wanted: Mapping[str, Any] | None, seen: Mapping[str, Any] | None
) -> bool:
    if wanted is None or seen is None:
        return wanted is seen
    if wanted.keys() != seen.keys():
        return False
    return all(
        _same_value(None if codes is None else codes[int(name)], value, seen[name]) for name, value in wanted.items()
    )


def _same_value(code: int | None, wanted: Any, seen: Any) -> bool:
    """Return whether a value is the expected one; where its type is not recorded, it is that of the expected value."""
    kinds = (kind for kind in _KINDS if code is None and isinstance(wanted, kind) and not isinstance(wanted, bool))
    code = next((_KINDS[kind] for kind in kinds), code)
    return equal_values(wanted, seen) if code is None else same_cell(code, wanted, seen)
