"""One production for each event type: choices in, a planned event out."""

import struct
from typing import Any, Final
from uuid import UUID

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GNO_END, GtidSet, Interval, Source, uuid_text
from conformance.binlog.layout import POST_HEADER_REST, TAIL
from conformance.binlog.layouts.by_type import LOGICAL_TIMESTAMP_TYPECODE, layout_of
from conformance.strategies.events.status_variables import REQUIREMENT as STATUS_REQUIREMENT
from conformance.strategies.events.status_variables import status_fields
from conformance.strategies.events.status_variables import status_variables as generated_status
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: The pieces of generated text, the simplest first.
FRAGMENTS: Final = ("a", "insert into t1(a,b) values(1,2) ", "ä", "日本語 ", "'\"`\\;\n-- ", "# ", "\t%s%n{}<b>&amp;")
NAMES: Final = ("test", "t1", "a", "ünïcode", "x" * 64, "back`tick", "日本")
#: UUIDs of sources: one with every byte below 0x80, one with high bytes, the lowest and the highest.
UUIDS: Final = tuple(
    UUID(text).bytes
    for text in (
        "3e11fa47-71ca-11e1-9e33-c80aa9429562",
        "00000000-0000-0000-0000-000000000001",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "12345678-1234-1234-1234-123456789abc",
    )
)
#: Flag bits that do not affect how an event is read.
FREE_FLAGS: Final = (0, Flag.THREAD_SPECIFIC, Flag.SUPPRESS_USE, 0x10, Flag.NO_FILTER, Flag.MTS_ISOLATE, 0x400, 0x1000)
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: Column type code of INT.
_INT: Final = 3
#: The most rows of an event whose values are expected: more would make a case many times as large.
_FEW_ROWS: Final = 16


def text(stream: StreamBuilder, low: int, high: int) -> str:
    """Return a text of `low` to `high` characters."""
    size = stream.choose.integer(low, high)
    fragment = stream.choose.one_of(FRAGMENTS)
    return (fragment * (size // len(fragment) + 1))[:size]


def plan(
    stream: StreamBuilder,
    type_code: int,
    wire: dict[str, Any],
    fields: dict[str, Any],
    *,
    flags: int = 0,
    marks: tuple[str, ...] = (),
    columns: tuple[int, ...] = (),
) -> PlannedEvent:
    """Return an event of a type with a layout, from its fields on the wire and those that a reader reports.

    Where the format description declares a longer post-header than the layout knows, arbitrary bytes fill it.
    """
    if "status_variables" in wire:
        fields = {**fields, **status_fields(wire["status_variables"])}
        marks = (*marks, STATUS_REQUIREMENT) if wire["status_variables"] else marks
    declared = stream.format.post_header_length(type_code)
    own = stream.server.post_header_lengths
    known = own[type_code - 1] if type_code <= len(own) else declared
    tolerated = False
    if declared > known:
        # mysqlbinlog 9.7 refuses a Table_map with a longer post-header; no server writes one.
        tolerated = type_code == EventType.TABLE_MAP and stream.server.profile != "worklog"
        wire = {**wire, POST_HEADER_REST: stream.choose.octets(declared - known, declared - known)}
        marks = (*marks, "FORMAT-POST-HEADER-LENGTHS")
    body = layout_of(type_code, known).write(wire, post_header_length=declared)
    return PlannedEvent(type_code, body, fields, flags, marks, False, tolerated, columns)


def query(
    stream: StreamBuilder,
    statement: str,
    *,
    database: str = "test",
    status_variables: bytes | None = None,
    flags: int = 0,
    marks: tuple[str, ...] = (),
) -> PlannedEvent:
    """Return a Query event, with the status variables of real events unless some are given."""
    choose = stream.choose
    fields = {
        "thread_id": choose.integer(0, 0xFFFFFFFF),
        "exec_time": choose.integer(0, 255),
        "error_code": choose.one_of((0, 1062, 65535)),
    }
    wire = {
        **fields,
        "status_variables": generated_status(stream) if status_variables is None else status_variables,
        "database": database.encode(),
        "query": statement.encode(),
    }
    reported = {**fields, "database": database, "query": statement}
    marks = ("FORMAT-QUERY", "WL7592-QUERY-SIZE-GROWS", "WL40-USUAL-QUERY-TO-END", *marks)
    return plan(stream, EventType.QUERY, wire, reported, flags=flags, marks=marks)


def rotate(stream: StreamBuilder, *, flags: int = 0) -> PlannedEvent:
    """Return a Rotate event."""
    number = stream.choose.integer(1, 999_999)
    fields = {"next_position": 4, "next_file": f"binlog.{number:06d}"}
    wire = {**fields, "next_file": str(fields["next_file"]).encode()}
    return plan(stream, EventType.ROTATE, wire, fields, flags=flags, marks=("FORMAT-ROTATE",))


def stop(stream: StreamBuilder) -> PlannedEvent:
    """Return a Stop event."""
    return PlannedEvent(EventType.STOP, b"", {}, 0, ("FORMAT-STOP",))


def xid(stream: StreamBuilder) -> PlannedEvent:
    """Return an Xid event."""
    fields = {"xid": stream.choose.integer(0, 2**64 - 1)}
    return plan(stream, EventType.XID, fields, fields, marks=("FORMAT-XID", "WL7592-XID-SIZE"))


def intvar(stream: StreamBuilder) -> PlannedEvent:
    """Return an Intvar event: LAST_INSERT_ID (1) or INSERT_ID (2)."""
    fields = {"intvar_type": stream.choose.one_of((2, 1)), "intvar_value": stream.choose.integer(0, 2**64 - 1)}
    return plan(stream, EventType.INTVAR, fields, fields, marks=("FORMAT-INTVAR",))


def rand(stream: StreamBuilder) -> PlannedEvent:
    """Return a Rand event."""
    fields = {"seed1": stream.choose.integer(0, 2**64 - 1), "seed2": stream.choose.integer(0, 2**64 - 1)}
    return plan(stream, EventType.RAND, fields, fields, marks=("FORMAT-RAND",))


def table_map(stream: StreamBuilder, *, table_id: int, table: str, columns: int) -> PlannedEvent:
    """Return a Table_map event of a table with INT columns."""
    fields = {"table_id": table_id, "database": "test", "table": table, "column_count": columns}
    wire = {
        **fields,
        "table_flags": 1,
        "database": b"test",
        "table": table.encode(),
        "column_types": bytes([_INT]) * columns,
        "column_metadata": b"",
        "null_bits": bytes([0xFF]) * ((columns + 7) // 8),
        "optional_metadata": b"",
    }
    return plan(stream, EventType.TABLE_MAP, wire, fields, marks=("FORMAT-TABLE-MAP",))


def write_rows(stream: StreamBuilder, *, table_id: int, columns: int, rows: int, last: bool) -> PlannedEvent:
    """Return a write rows event of the server's own version; `last` means that it ends the statement."""
    bitmap = (columns + 7) // 8
    values = stream.choose.octets(4 * columns, 4 * columns)
    fields: dict[str, Any] = {"table_id": table_id, "rows_flags": 1 if last else 0}
    marks: tuple[str, ...] = ("FORMAT-ROWS",)
    if rows <= _FEW_ROWS:
        image = {str(index): number for index, (number,) in enumerate(struct.iter_unpack("<i", values))}
        fields["rows"] = [{"before": None, "after": image}] * rows
        marks += ("FORMAT-ROWS-IMAGES",)
    row = bytes(bitmap) + values
    wire = {**fields, "row_data": bytes([columns]) + b"\xff" * bitmap + row * rows}
    return plan(stream, stream.server.rows_events[0], wire, fields, marks=marks, columns=(_INT,) * columns)


def rows_query(stream: StreamBuilder, statement: str, *, length_byte: int | None = None) -> PlannedEvent:
    """Return a Rows_query event; the worklog stores the statement after a leading ``# ``."""
    stored = f"# {statement}" if stream.server.profile == "worklog" else statement
    wire: dict[str, Any] = {"rows_query": stored.encode()}
    if length_byte is not None:
        wire["length_byte"] = length_byte
    marks = (
        "WL4033-READ-ROWS-QUERY-TYPE",
        "WL4033-READ-ROWS-QUERY-TEXT",
        "WL4033-READ-ROWS-QUERY-LENGTH-BYTE",
        "WL4033-READ-IGNORABLE-POST-HEADER",
        "WL4033-READ-KNOWN-FLAGGED",
    )
    return plan(stream, EventType.ROWS_QUERY, wire, {"rows_query": stored}, flags=_IGNORABLE, marks=marks)


def ignorable(stream: StreamBuilder, type_code: int, body: bytes, *, flags: int) -> PlannedEvent:
    """Return an event of a type that no reader knows, with the ignorable flag."""
    return PlannedEvent(type_code, body, {}, flags | _IGNORABLE, (), ignored=True)


def previous_gtids(stream: StreamBuilder, gtids: GtidSet, *, flags: int) -> PlannedEvent:
    """Return a Previous_gtids event; no later Gtid event of the stream has a GTID of its set."""
    stream.executed.add_set(gtids)
    marks = ["WL7592-PREVIOUS-GTIDS-SET-READ" if gtids.sources else "WL7592-PREVIOUS-GTIDS-EMPTY-READ"]
    marks.append("WL7592-PREVIOUS-GTIDS-FLAG-EITHER-WAY")
    if flags & _IGNORABLE:
        marks.append("WL4033-READ-KNOWN-FLAGGED")
    wire = {"previous_gtids": gtids}
    return plan(stream, EventType.PREVIOUS_GTIDS, wire, {"previous_gtids": str(gtids)}, flags=flags, marks=tuple(marks))


def gtid_set(stream: StreamBuilder) -> GtidSet:
    """Return a GTID set of up to four sources, ascending; since 8.3 also one with tags."""
    choose = stream.choose
    sources = []
    tagged = stream.server.gtid_form == "8.3" and choose.yes(3)
    for uuid in sorted(UUIDS[: choose.integer(0, len(UUIDS))]):
        intervals = []
        at = 0
        for _ in choose.several(1, 3):
            start = at + choose.integer(1, 1000)
            end = start + choose.integer(1, 1000)
            intervals.append(Interval(start, end))
            at = end
        if choose.yes(8):
            intervals.append(Interval(GNO_END - 1, GNO_END))
        if tagged and choose.yes():
            sources.append(Source(uuid, (Interval(1, 2),)))
        sources.append(Source(uuid, tuple(intervals), choose.one_of(TAGS) if tagged else ""))
    return GtidSet(tuple(sources), tagged)


#: Tags of GTIDs (8.3 and later): up to 32 letters, digits and underscores.
TAGS: Final = ("a", "tag", "_under_score_9", "x" * 32)


def gtid_tagged(stream: StreamBuilder, *, group_length: int) -> PlannedEvent:
    """Return a tagged Gtid event; `group_length` is the length of its transaction in bytes."""
    choose = stream.choose
    uuid, tag = choose.one_of(UUIDS), choose.one_of(TAGS)
    gno = _unused_gno(stream, uuid, tag)
    fields: dict[str, Any] = {"gtid_flags": choose.integer(0, 1)}
    wire: dict[str, Any] = {"source_uuid": uuid, "gno": gno, "tag": tag.encode()}
    _add_logical_timestamps(stream, wire, fields)
    fields["immediate_commit_timestamp"] = choose.integer(1, 2**55 - 1)
    if choose.yes():
        fields["original_commit_timestamp"] = choose.integer(1, 2**55 - 1)
    fields["immediate_server_version"] = choose.one_of((80400, 90704))
    fields["transaction_length"] = group_length
    # The length counts its own event, whose size depends on the width of the length.
    while True:
        wire.update(fields)
        body = layout_of(EventType.GTID_TAGGED, 0).write(wire, post_header_length=0)
        length = group_length + stream.length_of(PlannedEvent(EventType.GTID_TAGGED, body, {}))
        if length == fields["transaction_length"]:
            break
        fields["transaction_length"] = length
    fields["gtid"] = f"{uuid_text(uuid)}:{tag}:{gno}"
    marks = ("FORMAT-GTID-TAGGED", *(("WL7592-GTID-CHECKSUM",) if stream.checksummed else ()))
    return plan(stream, EventType.GTID_TAGGED, wire, fields, marks=marks)


#: The forms of a Gtid body, shortest first; each server writes the forms up to its own.
GTID_FORMS: Final = ("5.6", "5.7", "8.0")


def gtid(
    stream: StreamBuilder,
    *,
    anonymous: bool,
    form: str,
    group_length: int = 0,
    flags: int = 0,
    tail: bytes = b"",
) -> PlannedEvent:
    """Return a Gtid or Anonymous_gtid event, with a GTID unused in the stream and the next sequence number.

    Args:
        stream: The stream it is for.
        anonymous: Whether it is an Anonymous_gtid event.
        form: One of `GTID_FORMS`: how much the body holds; or ``commit-field``, the form of a development
            release: the fixed part, one byte of value 1 and one 8-byte number.
        group_length: Length in bytes of the transaction after this event.
        flags: The flags word.
        tail: Bytes after the last field.
    """
    choose = stream.choose
    uuid = bytes(16) if anonymous else choose.one_of(UUIDS)
    gno = 0 if anonymous else _unused_gno(stream, uuid, "")
    wire: dict[str, Any] = {"gtid_flags": choose.integer(0, 1), "source_uuid": uuid, "gno": gno}
    fields: dict[str, Any] = {
        "gtid": "ANONYMOUS" if anonymous else f"{uuid_text(uuid)}:{gno}",
        "gtid_flags": wire["gtid_flags"],
    }
    if form == "commit-field":
        tail = b"\x01" + choose.octets(8, 8)
    elif form != "5.6":
        wire["logical_timestamp_typecode"] = LOGICAL_TIMESTAMP_TYPECODE
        _add_logical_timestamps(stream, wire, fields)
    if form == "8.0":
        _add_commit(stream, wire, fields, group_length + len(tail))
    if tail:
        wire[TAIL] = tail
        # A reader may take the first of these bytes for the next optional field.
        for name in _COMMIT_FIELDS:
            fields.pop(name, None)
    marks = _gtid_marks(stream, anonymous=anonymous, form=form, flags=flags, whole=not tail)
    return plan(
        stream,
        EventType.ANONYMOUS_GTID if anonymous else EventType.GTID,
        wire,
        fields,
        flags=flags,
        marks=marks,
    )


def newer_tail(stream: StreamBuilder, form: str) -> bytes:
    """Return what newer servers write after a Gtid body of this form; for the newest form, what no server writes."""
    choose = stream.choose
    commit = choose.integer(1, 2**55 - 1).to_bytes(7, "little") + b"\xfc\x2c\x01" + (80043).to_bytes(4, "little")
    if form == "5.6":
        timestamps = bytes([LOGICAL_TIMESTAMP_TYPECODE]) + choose.octets(16, 16)
        return timestamps + commit if choose.yes() else timestamps
    return commit if form == "5.7" else choose.octets(8, 40)


_COMMIT_FIELDS: Final = (
    "immediate_commit_timestamp",
    "original_commit_timestamp",
    "transaction_length",
    "immediate_server_version",
    "original_server_version",
)


def _gtid_marks(stream: StreamBuilder, *, anonymous: bool, form: str, flags: int, whole: bool) -> tuple[str, ...]:
    marks = ["WL7592-TYPE-CODES-DISTINCT", "WL7592-BODY-SHARED-LAYOUT", "WL7592-LOG-POS-CHAIN"]
    marks.append("WL7592-ANON-NO-IDENTIFIER" if anonymous else "WL7592-GTID-IDENTIFIER-READ")
    if form == "5.6":
        marks += ["WL7592-BODY-NO-TIMESTAMPS"] if whole else []
    elif form != "commit-field":
        marks.append("WL7592-ANON-TIMESTAMPS-ALIKE" if anonymous else "WL7592-BODY-LOGICAL-TIMESTAMPS")
    if anonymous:
        marks.append("WL7592-ANON-FLAG-EITHER-WAY")
        if flags & _IGNORABLE:
            marks += ["WL4033-READ-KNOWN-FLAGGED", "WL7592-ANON-SKIPPED-BY-FLAG"]
    if stream.checksummed:
        marks.append("WL7592-GTID-CHECKSUM")
    if form == "8.0" and whole:
        marks.append("FORMAT-GTID-COMMIT-FIELDS")
    return tuple(marks)


def _unused_gno(stream: StreamBuilder, uuid: bytes, tag: str) -> int:
    """Return a number that gives the source a GTID unused in the stream, and record its use."""
    gno = stream.choose.integer(1, GNO_END - 1)
    while not stream.executed.add(uuid, tag, gno):
        gno = gno % (GNO_END - 1) + 1
    return gno


def _add_logical_timestamps(stream: StreamBuilder, wire: dict[str, Any], fields: dict[str, Any]) -> None:
    stream.sequence_number += 1
    timestamps = {
        "last_committed": stream.choose.integer(0, stream.sequence_number - 1),
        "sequence_number": stream.sequence_number,
    }
    fields.update(timestamps)
    wire.update(timestamps)


def _add_commit(stream: StreamBuilder, wire: dict[str, Any], fields: dict[str, Any], group_length: int) -> None:
    choose = stream.choose
    immediate = choose.integer(1, 2**55 - 1)
    commit: dict[str, Any] = {"immediate_commit_timestamp": immediate}
    if choose.yes():
        commit["original_commit_timestamp"] = choose.integer(1, 2**55 - 1)
    commit["immediate_server_version"] = choose.one_of((80043, 80000, 90704, 0x7FFFFFFF))
    if choose.yes(3):
        commit["original_server_version"] = choose.one_of((80034, 50744))
    wire.update(commit)
    if choose.yes(4):
        wire["commit_group_ticket"] = choose.integer(0, 2**64 - 1)
    commit["transaction_length"] = _transaction_length(stream, wire, group_length)
    wire.update(commit)
    fields.update(commit)


#: Width in bytes of a packed integer -> the first value that no longer fits.
_PACKED_WIDTHS: Final = ((1, 251), (3, 1 << 16), (4, 1 << 24), (9, 1 << 64))


def _transaction_length(stream: StreamBuilder, wire: dict[str, Any], group_length: int) -> int:
    # The length counts its own event, whose size depends on the width of the length.
    body = layout_of(EventType.GTID, 42).write(wire, post_header_length=42)
    others = stream.length_of(PlannedEvent(EventType.GTID, body, {})) + group_length
    return next(others + width for width, limit in _PACKED_WIDTHS if others + width < limit)
