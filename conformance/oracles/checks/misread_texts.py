"""Texts of Rows_query events read by their length byte, or without their last four bytes, seen in text or refusal.

What such a reader makes of an event depends on its bytes: a text that is cut short or too long, words about an end that
is not there, or about a character that is cut in two. Each follows from one reading, which is known beforehand.
"""

import re
from collections.abc import Iterator
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ends_with_checksum
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.header import HEADER_BYTES, TYPE_AT
from conformance.binlog.reader import framed_event
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import CUT_SHORT, Cause
from conformance.oracles.reasons import OF_BOUNDS, OF_CHARACTERS

_FIELD: Final = "rows_query"
_TYPE: Final = int(EventType.ROWS_QUERY)
#: The bytes of the event before its text: the last of them is the length byte.
_BEFORE: Final = HEADER_BYTES + 1
#: The largest number that one byte holds, at which a reader may cut a text for that reason.
_MOST: Final = 255
#: A text that ends where its length byte has it, and one that ends four bytes before the event.
BY_LENGTH_BYTE: Final = Cause("read by its length byte", type_name(_TYPE), _FIELD)
_WITHOUT_END: Final = Cause(CUT_SHORT, type_name(_TYPE), _FIELD)
_NUMBER: Final = re.compile(r"(?<!\w)-?\d{1,10}\b")
#: Words for a text that does not end within its event.
_OF_LENGTH: Final = re.compile(r"\blength\b|\bnegative\b", re.IGNORECASE)


def is_read_by_length_byte(alignment: Alignment, index: int, field: str, seen: object) -> bool:
    """Return whether the text that was seen of an expected event ends where its length byte has it, and is wrong so."""
    if field != _FIELD or not isinstance(seen, str) or not _has_length_byte(alignment, index):
        return False
    if seen == alignment.case.expected.events[index][_FIELD]:
        # Of the checksum that a length byte may take in, nothing need be seen where it is not UTF-8.
        return False
    possible = {cause for cause, end in _readings(alignment, index) if _shows(alignment, index, end, seen)}
    is_it = {each for each in possible if not _is_refuted(alignment, each)} == {BY_LENGTH_BYTE}
    is_cut_at_most = len(seen.encode()) == _MOST < len(_text(alignment, index)[0])
    return is_it and (not is_cut_at_most or _is_shown(alignment))


def cause_of_refused_text(alignment: Alignment, index: int, reason: str) -> Cause | None:
    """Return the cause of a refusal whose words follow from one of the readings; None if it has another.

    Args:
        alignment: The answer beside the expected one.
        index: Index of the refused event.
        reason: The words of the refusal.
    """
    if not _has_length_byte(alignment, index):
        return None
    possible = {
        cause: end
        for cause, end in _readings(alignment, index)
        if _explains(alignment, index, end, reason) and not _is_refuted(alignment, cause)
    }
    if len(possible) > 1:
        # The words may have the number of bytes that were to be read.
        numbers = {int(each) for each in _NUMBER.findall(alignment.refusal(index))}
        possible = {cause: end for cause, end in possible.items() if end in numbers}
    return next(iter(possible)) if len(possible) == 1 else None


def _has_length_byte(alignment: Alignment, index: int) -> bool:
    """Return whether an expected event is a Rows_query whose length byte comes directly after the header."""
    expected = alignment.case.expected
    at = expected.events[index].get("offset")
    return at is not None and alignment.case.stream[at + TYPE_AT] == _TYPE and index not in expected.made_for


def _text(alignment: Alignment, index: int) -> tuple[bytes, bytes]:
    """Return the right text of an event, and what it has from there to its end, with the checksum if there is one."""
    stream, at = alignment.case.stream, alignment.case.expected.events[index]["offset"]
    event = framed_event(stream, at)
    rest = event[_BEFORE:]
    return rest[:-CHECKSUM_BYTES] if ends_with_checksum(event) else rest, rest


def _readings(alignment: Alignment, index: int) -> Iterator[tuple[Cause, int]]:
    """Yield the wrong ends of the text that a reader may take, in bytes from its beginning, each with its cause."""
    text, rest = _text(alignment, index)
    length_byte = alignment.case.stream[alignment.case.expected.events[index]["offset"] + HEADER_BYTES]
    if length_byte != len(text):
        yield BY_LENGTH_BYTE, length_byte
    if len(rest) == len(text):
        yield _WITHOUT_END, len(text) - CHECKSUM_BYTES


def _shows(alignment: Alignment, index: int, end: int, seen: str) -> bool:
    """Return whether a text is what comes before an end."""
    _, rest = _text(alignment, index)
    return 0 <= end <= len(rest) and seen in {rest[:end].decode(errors=each) for each in ("replace", "ignore")}


def _explains(alignment: Alignment, index: int, end: int, reason: str) -> bool:
    """Return whether a reader that takes an end for that of the text refuses the event in such words."""
    _, rest = _text(alignment, index)
    if not 0 <= end <= len(rest):
        return bool(OF_BOUNDS.search(reason) or _OF_LENGTH.search(reason))
    try:
        rest[:end].decode()
    except UnicodeDecodeError:
        return OF_CHARACTERS.search(reason) is not None
    return False


def _is_shown(alignment: Alignment) -> bool:
    """Return whether a text is read by its length byte where a reader that takes no more than 255 bytes would not."""
    for index in range(alignment.count):
        seen = alignment.observed(index)
        if seen is None or _FIELD not in seen or not _has_length_byte(alignment, index):
            continue
        end = dict(_readings(alignment, index)).get(BY_LENGTH_BYTE, _MOST)
        if end != _MOST and _shows(alignment, index, end, str(seen[_FIELD])):
            return True
    return False


def _is_refuted(alignment: Alignment, cause: Cause) -> bool:
    """Return whether an answer has the text of an event for which one of the readings gives another."""
    for index in range(alignment.count):
        seen = alignment.observed(index)
        if seen is None or _FIELD not in seen or not _has_length_byte(alignment, index):
            continue
        end = dict(_readings(alignment, index)).get(cause)
        if end is not None and not _shows(alignment, index, end, str(seen[_FIELD])):
            return True
    return False
