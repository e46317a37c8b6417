"""A reader of its own, written from docs/protocol.md: what it reads is right, and nobody may blame it.

It has the framing, the checksums, and the fields of statements, tables and markers, not the values of rows.
"""

import base64
import copy
import struct
import zlib
from collections.abc import Callable
from typing import Any, Final

from bodies import check
from watch import statement
from wire import (
    ANONYMOUS,
    CRC,
    FORMAT,
    GTID,
    GTID_TAGGED,
    HEADER,
    IGNORABLE,
    IN_USE,
    MAGIC,
    MYSQL,
    PREVIOUS_GTIDS,
    QUERY,
    ROTATE,
    XID,
    Bytes,
    Event,
    Format,
    events,
    gtid_of,
    serve,
    set_of_body,
    text_of_set,
)

#: Type -> the bytes of its post-header that are known; of a longer one, the rest is left out.
_POST_HEADERS: Final = {
    **dict.fromkeys((9, 11, 17), 4),
    **dict.fromkeys((5, 13, 14, 16, 29, PREVIOUS_GTIDS, 38), 0),
    **dict.fromkeys((19, 20, 21, 22, 23, 24, 25, ROTATE), 8),
    **dict.fromkeys((30, 31, 32, 39), 10),
    **{QUERY: 13, 18: 26, 26: 2},
}
_EXTENDED_QUERY: Final = 17
#: The types that MySQL 9.7 knows.
_KNOWN: Final = {*range(1, 44)} - {28}
_LONGEST: Final = 1 << 30
Fields = dict[str, Any]


class _Refused(Exception):
    """An event cannot be read: its offset, the kind of error, and the words."""


def _with_usual_post_header(event: Event, form: Format) -> tuple[Event, Format]:
    """Return an event without what is more in its post-header than is known, and the format of such an event."""
    usual, declared = _POST_HEADERS.get(event.type), form.post_header(event.type) or 0
    if usual is None or declared <= usual or (event.type, declared) == (QUERY, _EXTENDED_QUERY):
        return event, form
    start = HEADER.size + usual
    if len(event.raw) < HEADER.size + declared:
        raise ValueError("the body is too short")
    shorter = copy.copy(form)
    shorter.lengths = form.lengths[: event.type - 1] + bytes([usual]) + form.lengths[event.type :]
    return event._replace(raw=event.raw[:start] + event.raw[HEADER.size + declared :]), shorter


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _description(event: Event, form: Format) -> Fields:
    body = event.raw[HEADER.size :]
    return {
        "binlog_version": int.from_bytes(body[:2], "little"),
        "server_version": form.version,
        "created": int.from_bytes(body[52:56], "little"),
        "event_types": len(form.lengths),
        "checksum_algorithm": "crc32" if form.checksummed else "none",
    }


def _query(event: Event, form: Format) -> Fields:
    body = form.body(event)
    post = form.post_header(event.type) or 13
    thread, seconds, size, code, status = struct.unpack_from("<IIBHH", body)
    query = statement(event, form)
    assert query is not None
    database = body[post + status : post + status + size]
    fields = {"thread_id": thread, "exec_time": seconds, "error_code": code}
    return {**fields, "database": _text(database), "query": _text(query)}


def _load_query(event: Event, form: Format) -> Fields:
    file_id, start, end, handling = struct.unpack_from("<IIIB", form.body(event), 13)
    named = {"file_id": file_id, "file_name_start": start, "file_name_end": end, "duplicate_handling": handling}
    return {**_query(event, form), **named}


def _block(event: Event, form: Format) -> Fields:
    body = form.body(event)
    data = body[form.post_header(event.type) or 4 :]
    from_file = {"file_id": int.from_bytes(body[:4], "little")}
    return {**from_file, "block_data": _bytes(data)}


def _bytes(data: bytes) -> Any:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _rotate(event: Event, form: Format) -> Fields:
    body = form.body(event)
    return {
        "next_position": int.from_bytes(body[:8], "little"),
        "next_file": _text(body[form.post_header(ROTATE) or 8 :]),
    }


def _table_map(event: Event, form: Format) -> Fields:
    data = Bytes(form.body(event))
    data.take(form.post_header(event.type) or 8)
    database = data.take(data.packed() + 1)[:-1]
    table = data.take(data.packed() + 1)[:-1]
    return {"database": _text(database), "table": _text(table), "column_count": data.packed()}


def _gtid(event: Event, form: Format) -> Fields:
    source, number = gtid_of(event, form)
    text = text_of_set({source: [(number, number)]})
    return {"gtid": text, **(_timestamps(event, form) if event.type == GTID else _tagged_timestamps(event, form))}


def _tagged_timestamps(event: Event, form: Format) -> Fields:
    """Return the logical timestamps of a Gtid_tagged event, which are signed."""
    data = Bytes(form.body(event))
    data.varlen(), data.varlen(), data.varlen()
    values = {}
    while data.at < len(data.data):
        field = data.varlen()
        if field == 1:
            for _ in range(16):
                data.varlen()
        elif field == 3:
            data.take(data.varlen())
        else:
            values[field] = data.varlen()
    signed = {field: value >> 1 if not value & 1 else -(value >> 1) - 1 for field, value in values.items()}
    return {name: signed[field] for field, name in ((4, "last_committed"), (5, "sequence_number")) if field in signed}


def _anonymous(event: Event, form: Format) -> Fields:
    return {"gtid": "ANONYMOUS", **_timestamps(event, form)}


def _timestamps(event: Event, form: Format) -> Fields:
    body = form.body(event)
    if len(body) < 42 or body[25] != 2:
        return {}
    last, number = struct.unpack_from("<qq", body, 26)
    return {"last_committed": last, "sequence_number": number}


def _after_post_header(read: Callable[[Bytes], Fields]) -> Callable[[Event, Format], Fields]:
    def fields(event: Event, form: Format) -> Fields:
        data = Bytes(form.body(event))
        data.take(form.post_header(event.type) or 0)
        return read(data)

    return fields


def _incident(event: Event, form: Format) -> Fields:
    body = form.body(event)
    data = Bytes(body)
    data.take(form.post_header(event.type) or 2)
    return {"incident": int.from_bytes(body[:2], "little"), "message": _text(data.take(data.number(1)))}


def _rows_query(event: Event, form: Format) -> Fields:
    return {"rows_query": _text(form.body(event)[(form.post_header(event.type) or 0) + 1 :])}


def _xa(data: Bytes) -> Fields:
    one_phase, format_id, gtrid, bqual = data.number(1), data.number(4), data.number(4), data.number(4)
    return {
        "one_phase": one_phase,
        "xa_format_id": format_id,
        "xa_gtrid": _bytes(data.take(gtrid)),
        "xa_bqual": _bytes(data.take(bqual)),
    }


_FIELDS: Final[dict[int, Callable[[Event, Format], Fields]]] = {
    FORMAT: _description,
    QUERY: _query,
    18: _load_query,
    17: _block,
    9: _block,
    ROTATE: _rotate,
    5: _after_post_header(lambda data: {"intvar_type": data.number(1), "intvar_value": data.number(8)}),
    13: _after_post_header(lambda data: {"seed1": data.number(8), "seed2": data.number(8)}),
    XID: _after_post_header(lambda data: {"xid": data.number(8)}),
    19: _table_map,
    26: _incident,
    29: _rows_query,
    38: _after_post_header(_xa),
    GTID: _gtid,
    GTID_TAGGED: _gtid,
    ANONYMOUS: _anonymous,
    PREVIOUS_GTIDS: lambda event, form: {"previous_gtids": text_of_set(set_of_body(form.body(event)))},
}
_HEADER_FIELDS: Final = ["offset", "type", "timestamp", "server_id", "length", "log_pos", "flags"]
_DECLARED: Final = [
    *_HEADER_FIELDS,
    *("binlog_version", "server_version", "created", "event_types", "checksum_algorithm"),
    *("thread_id", "exec_time", "error_code", "database", "query"),
    *("file_id", "file_name_start", "file_name_end", "duplicate_handling", "block_data"),
    *("next_position", "next_file", "intvar_type", "intvar_value", "seed1", "seed2", "xid"),
    *("table", "column_count", "incident", "message", "rows_query"),
    *("one_phase", "xa_format_id", "xa_gtrid", "xa_bqual"),
    *("gtid", "last_committed", "sequence_number", "previous_gtids"),
]


def _verify(event: Event, form: Format) -> None:
    raw = event.raw
    if event.type == FORMAT and event.flags & IN_USE:
        raw = raw[:17] + bytes([raw[17] & ~IN_USE]) + raw[18:]
    if len(raw) < HEADER.size + CRC or zlib.crc32(raw[:-CRC]) != int.from_bytes(raw[-CRC:], "little"):
        raise _Refused(event.at, "checksum", "the checksum is wrong")


def _read(event: Event, form: Format) -> Fields | None:
    """Return the entry of an event, None for one that is passed over."""
    if form.checksummed:
        _verify(event, form)
    if event.type not in _KNOWN or form.post_header(event.type) is None:
        if event.flags & IGNORABLE and form.post_header(event.type) is not None:
            return None
        raise _Refused(event.at, "unknown-event", f"Unknown event code: {event.type}")
    entry = {
        "offset": event.at,
        "type": event.type,
        "timestamp": event.timestamp,
        "server_id": event.server_id,
        "length": event.length,
        "log_pos": event.log_pos,
        "flags": event.flags,
    }
    try:
        event, form = _with_usual_post_header(event, form)
        check(event, form)
        return entry | (_FIELDS[event.type](event, form) if event.type in _FIELDS else {})
    except (ValueError, IndexError, struct.error) as error:
        raise _Refused(event.at, "malformed", str(error)) from error


def _check_end(stream: bytes, at: int) -> None:
    """Refuse what is left of a stream after its last whole event."""
    if at == len(stream):
        return
    if len(stream) - at < HEADER.size:
        raise _Refused(at, "truncated", "the stream ends within a header")
    length = HEADER.unpack_from(stream, at)[3]
    if not HEADER.size <= length <= _LONGEST:
        raise _Refused(at, "invalid-length", f"the length is {length}")
    raise _Refused(at, "truncated", "the stream ends within an event")


def _decode(stream: bytes, entries: list[Fields]) -> None:
    if stream[:4] != MAGIC:
        raise _Refused(0, "not-a-binlog", "the magic number is wrong")
    at, form = len(MAGIC), None
    for event in events(stream, at, len(stream)):
        if event.type == FORMAT:
            try:
                form = Format(event)
            except (ValueError, IndexError) as error:
                raise _Refused(event.at, "malformed", str(error)) from error
        if form is None:
            raise _Refused(event.at, "no-format-description", "no format description comes before")
        entry = _read(event, form)
        if entry is not None:
            entries.append(entry)
        at = event.at + event.length
    _check_end(stream, at)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the events of a stream, and the error that ends it."""
    entries: list[Fields] = []
    error = None
    try:
        _decode(request["stream"], entries)
    except _Refused as refused:
        error = dict(zip(("at", "kind", "message"), refused.args, strict=True))
    return {"events": entries, "error": error}


if __name__ == "__main__":
    serve("decode", _DECLARED, ["framing", "checksums", "error_at"], answer, ["worklog", *MYSQL])
