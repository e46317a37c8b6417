"""The dump of a stream: its events, with the place, the name and the value of each field."""

from typing import Any, Final

from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import type_name
from conformance.binlog.header import HEADER, HEADER_BYTES, HEADER_FIELDS, MAGIC
from conformance.binlog.reader import ReaderRules, read_events
from conformance.specs.run_record import FieldSpan, StreamEvent

#: Characters of a value that a dump shows.
_VALUE_LIMIT: Final = 400
#: Everything that can be framed is read, checksums right or wrong.
_RULES: Final = ReaderRules(verify_checksums=False, beyond_format_description=True)


def dump(stream: bytes) -> list[StreamEvent]:
    """Return the events of a stream with the place of each field, offsets in bytes from the start of the stream.

    Where reading stops with an error, the last entry has the bytes that are left.
    """
    events: list[StreamEvent] = []
    end = 0
    try:
        for event in read_events(stream, _RULES):
            if end == 0:
                events.append(_magic(stream))
            spans = tuple(
                FieldSpan(event.offset + span.offset, span.size, span.name, _shown(span.value))
                for span in event.spans()
            )
            events.append(StreamEvent(event.offset, len(event.data), event.header.type, event.type_name, "", spans))
            end = event.end
    except BinlogError as error:
        events += _unread(stream, max(end, 0), error)
    return events or [_magic(stream)]


def _magic(stream: bytes) -> StreamEvent:
    size = min(len(MAGIC), len(stream))
    return StreamEvent(0, size, 0, "MAGIC", "", (FieldSpan(0, size, "magic", stream[:size].hex(" ")),))


def _unread(stream: bytes, start: int, error: BinlogError) -> list[StreamEvent]:
    """Return what is left from the fault on: the header, if there is one, and the bytes after it."""
    events = []
    if start == 0:
        events.append(_magic(stream))
        start = min(len(MAGIC), len(stream))
    left = len(stream) - start
    if left <= 0:
        return events
    spans = []
    type_code, name = 0, "UNREAD"
    place = start
    if left >= HEADER_BYTES:
        header = HEADER.unpack_from(stream, start)
        type_code = header[1]
        name = type_name(type_code)
        for (field, size), value in zip(HEADER_FIELDS, header, strict=True):
            spans.append(FieldSpan(place, size, field, str(value)))
            place += size
    if place < len(stream):
        spans.append(FieldSpan(place, len(stream) - place, "unread", _shown(stream[place:])))
    events.append(StreamEvent(start, left, type_code, name, str(error), tuple(spans)))
    return events


def _shown(value: Any) -> str:
    shown = _bytes_shown(bytes(value)) if isinstance(value, bytes | bytearray) else str(value)
    return shown if len(shown) <= _VALUE_LIMIT else f"{shown[: _VALUE_LIMIT - 40]}... ({len(shown)} characters)"


def _bytes_shown(value: bytes) -> str:
    """Return text as text, other bytes escaped if they are few, and all else as hexadecimal digits."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        ascii_bytes = sum(_printable(chr(byte)) for byte in value if byte < 0x80)
        return repr(value)[2:-1] if 2 * ascii_bytes > len(value) else value.hex()
    return repr(text)[1:-1] if text and all(map(_printable, text)) else value.hex()


def _printable(character: str) -> bool:
    return character.isprintable() or character in "\n\t"
