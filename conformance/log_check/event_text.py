"""Events as text for people: one line each, or every field with its bytes."""

from collections.abc import Iterator
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_info import event_info
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.flags import flag_names
from conformance.binlog.query_dump import is_extended_query, query_dump_lines
from conformance.binlog.servers import server_of
from conformance.binlog.tables_info import tables_text
from conformance.binlog.transaction_payload import inner_events
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES, BoundaryType

#: Characters of the fields in a line, and of a value in a dump.
_TEXT: Final = 160
_VALUE: Final = 100
#: The most bytes of a character.
_CHARACTER_BYTES: Final = 4
#: Bytes in one line of a dump.
_BYTES: Final = 16
#: The version of a server that marks boundaries in the flags (WL#4162).
_MARKING_SERVER: Final = server_of("worklog").version


def printable(text: str, *, limit: int) -> str:
    """Return text on one line, without characters that a terminal would act on."""
    cut = text[: limit + 1]
    shown = "".join(each if each.isprintable() else _escaped(each) for each in " ".join(cut.split("\n")))
    return shown if len(text) <= limit else f"{shown[:limit]}..."


def _escaped(char: str) -> str:
    # Bytes that are not UTF-8 come as surrogates; they are shown as the original bytes.
    code = ord(char)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else char.encode("unicode_escape").decode("ascii")


def event_lines(event: Event) -> Iterator[str]:
    """Yield the line of an event, and after a Transaction_payload those of the events inside it.

    Raises:
        MalformedBody: The body contradicts its layout.
    """
    yield _line(str(event.offset), event)
    if event.recognised and event.header.type == EventType.TRANSACTION_PAYLOAD:
        yield from _inside(event)


def _inside(event: Event) -> Iterator[str]:
    try:
        for inner in inner_events(event):
            yield _line(f"+{inner.offset}", inner)
    except ImportError as error:
        yield f"{'':>12}  (the payload is not shown: {error})"


def _line(place: str, event: Event) -> str:
    code = event.format.type_code(event.header.type)
    flags = f" [{flags_text(event, event.header.flags)}]" if event.header.flags else ""
    content = content_text(event, longest=_TEXT)
    text = f"{place:>12}  {type_name(code):<24} {event.header.length:>8}{flags}"
    listed = _tables(event) if is_extended_query(event) else ""
    tables = f"  (tables info: {printable(listed, limit=_TEXT)})" if listed else ""
    return f"{text}  {content}{tables}" if content else f"{text}{tables}"


def content_text(event: Event, *, longest: int) -> str:
    """Return what an event holds, on one line: what SHOW BINLOG EVENTS has, or its fields where that has nothing.

    Args:
        event: The event.
        longest: Characters that are shown; a longer content ends with three dots.

    Raises:
        MalformedBody: The body contradicts its layout.
    """
    info = event_info(event, longest=_CHARACTER_BYTES * (longest + 1))
    return printable(_fields(event) if info is None else info, limit=longest)


def _tables(event: Event) -> str:
    return tables_text(event.fields()["tables_info"]).decode("utf-8", "surrogateescape")


def flags_text(event: Event, flags: int) -> str:
    """Return the names of the flags that are set; in logs of WL#4162 three bits are the boundary type."""
    if event.format.server_version != _MARKING_SERVER or not MARKER_BITS.stored(flags):
        return flag_names(flags)
    value, others = MARKER_BITS.stored(flags), MARKER_BITS.write(flags, 0)
    marker = f"spare marker {value}" if value in SPARE_VALUES else BoundaryType(value).heading
    return f"{flag_names(others)}|{marker}" if others else marker


def _fields(event: Event) -> str:
    return " ".join(f"{name}={_value(value)}" for name, value in event.fields().items())


def _value(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        head = bytes(value[:_VALUE])
        text = head.decode("utf-8", "replace")
        readable = text.isprintable() and "\ufffd" not in text
        shown = repr(text) if readable else head.hex()
        return shown if len(value) <= _VALUE else f"{printable(shown, limit=_VALUE)} ({len(value)} bytes)"
    return printable(str(value), limit=_VALUE)


def dump_lines(event: Event) -> Iterator[str]:
    """Yield the annotated hex dump of an event: a heading, then each field with offset, bytes, name and value.

    An extended Query event is dumped as in its worklog (WL#40).
    """
    if is_extended_query(event):
        yield from query_dump_lines(event)
        return
    code = event.format.type_code(event.header.type)
    try:
        info = event_info(event, longest=_CHARACTER_BYTES * (_TEXT + 1)) or ""
    except MalformedBody as error:
        info = f"cannot be read: {error}"
    heading = f"# {type_name(code)} at {event.offset}, {event.header.length} bytes"
    yield f"{heading}: {printable(info, limit=_TEXT)}" if info else heading
    for span in event.spans():
        data = event.data[span.offset : span.offset + span.size]
        at = event.offset + span.offset
        value = flags_text(event, span.value) if span.name == "flags" else _value(span.value)
        note = f"{span.name} = {value}" if span.name != "unread" else f"unread, {span.size} bytes"
        yield f"{at:08x}  {data[:_BYTES].hex(' '):<{3 * _BYTES - 1}}  {note}"
        for start in range(_BYTES, len(data), _BYTES):
            yield f"{at + start:08x}  {data[start : start + _BYTES].hex(' ')}"
