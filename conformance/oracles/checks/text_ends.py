"""Texts that end where their event does, read to a wrong end: with a checksum, or without four bytes of their own."""

import re
from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import CUT_SHORT, Cause, group_of_entry

#: The texts that end where their event does.
LAST_FIELDS: Final = frozenset({"query", "next_file", "rows_query", "log_name", "message"})
#: The bytes of the position in a Rotate event.
_POSITION_BYTES: Final = 8
FOUR_SHORT: Final = "4 bytes short"
#: How such a text differs where a checksum is taken for text, or text for a checksum, and whether the event has one:
#: the same cause in all types.
ENDINGS: Final = {FOUR_SHORT: False, "too long": True}
#: What stands in a text for bytes that are not UTF-8.
REPLACED: Final = "\ufffd"
#: What other readers write for one such byte.
_ESCAPED: Final = re.compile(r"\\x[0-9a-fA-F]{2}")
#: The last fields of events without such a text.
_OTHERS: Final = ("xid", "intvar_value", "seed2", "previous_gtids", "gtid_list")


def may_be_of_checksum(expected: str, seen: str) -> bool:
    """Return whether a text may have gained the four bytes of a checksum, or lost as many of its own."""
    more = seen.removeprefix(expected)
    if not seen.startswith(expected):
        return len(expected.encode()) - len(seen.encode()) == CHECKSUM_BYTES
    return REPLACED in more or len(_ESCAPED.sub("?", more).encode()) == CHECKSUM_BYTES


def cause_of_end(alignment: Alignment, index: int, field: str, how: str) -> Cause | None:
    """Return the cause of a text that has one of `ENDINGS`; None where that of another difference in it is the same.

    Args:
        alignment: The answer beside the expected one.
        index: Index of the expected entry.
        field: The field.
        how: How its value differs.
    """
    checksummed = ENDINGS[how]
    if none_ends_right(alignment, checksummed=checksummed) and (checksummed or not are_rotates(alignment)):
        return Cause(how, "the last field of an event")
    return None if checksummed else Cause(CUT_SHORT, group_of_entry(alignment.case.expected.events[index]), field)


def _events(alignment: Alignment, *, checksummed: bool) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return the events with a checksum or those without one, each with what was seen of it."""
    chosen, has_checksum = [], False
    for index, event in enumerate(alignment.case.expected.events):
        seen = alignment.observed(index)
        if seen is not None and has_checksum is checksummed:
            chosen.append((event, seen))
        has_checksum = event.get("checksum_algorithm", "crc32" if has_checksum else "none") != "none"
    return chosen


def none_ends_right(alignment: Alignment, *, checksummed: bool) -> bool:
    """Return whether an answer has no last field right, in the events with or without a checksum.

    One that is right shows that the reader knows where an event ends: the others are wrong for another reason.
    """
    texts = [
        event[name] == seen[name]
        for event, seen in _events(alignment, checksummed=checksummed)
        for name in LAST_FIELDS & event.keys() & seen.keys()
        if event[name]
    ]
    return bool(texts) and not any(texts)


def are_rotates(alignment: Alignment) -> bool:
    """Return whether Rotate events alone lack their end: an event of another type is read to it, and has no text there.

    Sources send Rotate events of their own, with and without a checksum, so readers treat them in a way of their own.
    """
    events = _events(alignment, checksummed=False)
    with_text = {event["type"] for event, seen in events if any(event.get(name) for name in LAST_FIELDS & seen.keys())}
    others = (event[name] == seen[name] for event, seen in events for name in _OTHERS if name in event and name in seen)
    return with_text == {EventType.ROTATE} and any(others)


def cause_of_short_name(alignment: Alignment, index: int) -> Cause | None:
    """Return the cause where a Rotate event has a name of less than four bytes, which are all taken for a checksum.

    Then the position before it lacks bytes, too; None if the event is another one.
    """
    event = alignment.case.expected.events[index]
    name = event.get("next_file") if event["type"] == EventType.ROTATE else None
    if not name or len(name.encode()) >= CHECKSUM_BYTES:
        return None
    has_checksum = event["length"] > HEADER_BYTES + _POSITION_BYTES + len(name.encode())
    return None if has_checksum else cause_of_end(alignment, index, "next_file", FOUR_SHORT)
