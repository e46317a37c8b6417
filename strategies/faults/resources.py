"""Streams of some kilobytes at which a careless reader takes gigabytes, or minutes.

A reader may refuse the last event of such a stream or read it: only what it takes for that is judged. So that no
stream is asked twice, there is little to choose in them.
"""

import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple

from conformance.binlog.codecs import Packed
from conformance.binlog.event_types import COMPRESSED_ROWS_V1, EventType
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.servers import (
    WITH_COMPRESSED_EVENTS,
    WITH_GROUP_REPLICATION,
    WITH_GTIDS,
    WITH_JSON,
    WITH_PAYLOADS,
    WITH_XA_PREPARE,
)
from conformance.binlog.transaction_payload import Compression
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import bombs, mysql_events
from conformance.strategies.events.plain_compression import mariadb_part_of, zlib_stream, zstd_frame
from conformance.strategies.grammar.dimension import Dimension, Impossible, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: The lower of two claims: so much shows in the size of a process, and no limit on memory is likely to refuse it.
LARGE: Final = 3 << 28
#: The same as a number of things, of 16 bytes or so.
_MANY: Final = 1 << 26
_TABLE_ID: Final = 7
_UUID: Final = bytes(range(16))
#: The first byte of a packed integer of 8 bytes.
_PACKED_8: Final = b"\xfe"
_SHORT_STATEMENT: Final = b"INSERT INTO t1 VALUES (1)"


class Claim(NamedTuple):
    """A number in an event that claims more than the event holds.

    Attributes:
        events: Makes the events from the number; the last one has it.
        numbers: The numbers.
        profiles: The profiles under which servers write such events.
    """

    events: Callable[[StreamBuilder, int], Sequence[PlannedEvent]]
    numbers: tuple[int, ...]
    profiles: Profiles = EVERY_PROFILE


def _one(type_code: int, head: str, *, before: bytes = b"", after: bytes = b"") -> Callable[..., list[PlannedEvent]]:
    """Return what makes an event whose body has the number, packed as `head`, between other bytes."""
    return lambda stream, number: [PlannedEvent(type_code, before + struct.pack(head, number) + after, {})]


def _rows(type_code: int, metadata: bytes, row: Callable[[int], bytes]) -> Callable[..., list[PlannedEvent]]:
    """Return what makes a Table_map event of one column, and a rows event with a row that holds the number."""

    def events(stream: StreamBuilder, number: int) -> list[PlannedEvent]:
        return [_table_map(stream, type_code, metadata), _write_rows(stream, b"\x01\xff\x00" + row(number))]

    return events


def _table_map(stream: StreamBuilder, type_code: int, metadata: bytes) -> PlannedEvent:
    fields = {"table_id": _TABLE_ID, "database": "test", "table": "t1", "column_count": 1}
    wire = {
        **fields,
        "table_flags": mysql_events.table_flags(stream),
        "database": b"test",
        "table": b"t1",
        "column_types": bytes([type_code]),
        "column_metadata": metadata,
        "null_bits": b"\x01",
        "optional_metadata": b"",
    }
    return mysql_events.plan(stream, EventType.TABLE_MAP, wire, fields)


def _write_rows(stream: StreamBuilder, row_data: bytes) -> PlannedEvent:
    wire = {"table_id": _TABLE_ID, "rows_flags": 1, "row_data": row_data}
    return mysql_events.plan(stream, stream.server.rows_events[0], wire, {})


def _width(stream: StreamBuilder, number: int) -> list[PlannedEvent]:
    wire = {"table_id": _TABLE_ID, "rows_flags": 1, "row_data": Packed().write(number, {}) + b"\xff\0\1\0\0\0"}
    table = _table_map(stream, ColumnType.LONG, b"")
    return [table, mysql_events.plan(stream, stream.server.rows_events[0], wire, {})]


_TABLE_HEAD: Final = _TABLE_ID.to_bytes(6, "little") + b"\x01\x00\x04test\x00\x02t1\x00"
_GTIDS_OF_ONE: Final = (1).to_bytes(8, "little") + _UUID
_GTIDS_REST: Final = struct.pack("<16sQQQ", _UUID, 1, 1, 9)
_CLAIMS_OF_8: Final = (_MANY, 2**62)
_CLAIMS_OF_4: Final = (LARGE, 2**31 - 1, 2**32 - 1)
_COUNTS_OF_4: Final = (_MANY, 2**32 - 1)
_SIZES_OF_8: Final = (LARGE, 2**63)

#: Where a body has a count or a length, by name.
CLAIMS: Final[dict[str, Claim]] = {
    "length of a variable's name": Claim(_one(EventType.USER_VAR, "<I", after=b"a"), _CLAIMS_OF_4),
    "length of a variable": Claim(
        _one(EventType.USER_VAR, "<I", before=struct.pack("<I1sBBI", 1, b"a", 0, 0, 33), after=b"a"), _CLAIMS_OF_4
    ),
    "number of columns of a table": Claim(
        _one(EventType.TABLE_MAP, "<Q", before=_TABLE_HEAD + _PACKED_8, after=b"\x03\x00\x01"), (*_SIZES_OF_8, 65_535)
    ),
    "length of a table's metadata": Claim(
        _one(EventType.TABLE_MAP, "<Q", before=_TABLE_HEAD + b"\x01\x03" + _PACKED_8, after=b"\x01"), _SIZES_OF_8
    ),
    "width of a rows event": Claim(_width, _SIZES_OF_8),
    "length of a value": Claim(
        _rows(ColumnType.BLOB, b"\x04", lambda number: number.to_bytes(4, "little") + b"a"), _CLAIMS_OF_4
    ),
    "number of sources in Previous_gtids": Claim(
        _one(EventType.PREVIOUS_GTIDS, "<Q", after=_GTIDS_REST), _CLAIMS_OF_8, WITH_GTIDS
    ),
    "number of intervals in Previous_gtids": Claim(
        _one(EventType.PREVIOUS_GTIDS, "<Q", before=_GTIDS_OF_ONE, after=struct.pack("<QQ", 1, 9)),
        _CLAIMS_OF_8,
        WITH_GTIDS,
    ),
    "length of an XID": Claim(
        _one(EventType.XA_PREPARE, "<I", before=bytes(5), after=struct.pack("<I1s", 0, b"a")),
        _CLAIMS_OF_4,
        WITH_XA_PREPARE,
    ),
    "number of items in a write set": Claim(
        _one(EventType.TRANSACTION_CONTEXT, "<I", before=struct.pack("<BIBI", 1, 1, 0, 0), after=bytes(4) + b"a"),
        _COUNTS_OF_4,
        WITH_GROUP_REPLICATION,
    ),
    "number of items in a view": Claim(
        _one(EventType.VIEW_CHANGE, "<I", before=b"1:1".ljust(40, b"\0") + bytes(8)),
        _COUNTS_OF_4,
        WITH_GROUP_REPLICATION,
    ),
    "number of GTIDs in Gtid_list": Claim(
        _one(EventType.MARIADB_GTID_LIST, "<I", after=struct.pack("<IIQ", 0, 1, 1)),
        (_MANY, 2**28 - 1),
        Profiles("mariadb"),
    ),
    "length of a log's name": Claim(
        _one(EventType.MARIADB_BINLOG_CHECKPOINT, "<I", after=b"binlog.000001"), _CLAIMS_OF_4, Profiles("mariadb")
    ),
}


_CLAIM: Final = Dimension(
    "claim",
    {f"{name}: {number:,}": (name, number) for name, each in CLAIMS.items() for number in each.numbers},
    profiles={f"{name}: {number:,}": each.profiles for name, each in CLAIMS.items() for number in each.numbers},
)


@family(focus="FORMAT-COUNT-LIMITS", fault=True, checksums=False, few=True, dimensions=(_CLAIM,))
def claimed_counts(stream: StreamBuilder) -> None:
    """An event with a count or a length of something in it, as of gigabytes, that the event does not hold."""
    name, number = stream.vary(_CLAIM)
    events = CLAIMS[name].events(stream, number)
    _end_with(stream, events, "FORMAT-COUNT-LIMITS", f"{name} claimed")


def _end_with(stream: StreamBuilder, events: Sequence[PlannedEvent], requirement: str, burden: str) -> None:
    """Describe the format and add events, the last of which a reader may refuse or read, within its limits."""
    stream.describe_format()
    for event in events[:-1]:
        stream.add(event)
    stream.strain(events[-1], burden=burden, requirement=requirement)


class Payload(NamedTuple):
    """What a Transaction_payload event holds, and the sizes that it claims, in bytes."""

    payload: bytes
    uncompressed_size: int
    payload_size: int | None = None
    compression: Compression = Compression.ZSTD


def _event(type_code: int, body: bytes) -> bytes:
    return HEADER.pack(0, type_code, 1, HEADER_BYTES + len(body), 0, 0) + body


#: An ordinary transaction, as in a payload.
_INNER: Final = _event(EventType.XID, (1).to_bytes(8, "little"))
#: Payloads within each other.
_DEPTH: Final = 400


def _payload_body(payload: Payload) -> bytes:
    """Return the body of a Transaction_payload event; `mysql_events` would write its sizes as they are."""
    size = len(payload.payload) if payload.payload_size is None else payload.payload_size
    numbers = (Packed().write(each, {}) for each in (size, int(payload.compression), payload.uncompressed_size))
    fields = (bytes([key, len(number)]) + number for key, number in enumerate(numbers, 1))
    return b"".join(fields) + b"\0" + payload.payload


@cache
def _nested() -> Payload:
    inner = _INNER
    for _ in range(_DEPTH):
        inner = _event(
            EventType.TRANSACTION_PAYLOAD, _payload_body(Payload(inner, len(inner), compression=Compression.NONE))
        )
    return Payload(inner, len(inner), compression=Compression.NONE)


def _payload_in_payload() -> Payload:
    frame = bombs.zstd_zeros()
    inner = _event(EventType.TRANSACTION_PAYLOAD, _payload_body(Payload(frame, bombs.HELD)))
    return Payload(zstd_frame(inner), len(inner))


#: What is wrong with a payload, by name.
PAYLOADS: Final[dict[str, Callable[[], Payload]]] = {
    "payload that claims more than it holds": lambda: Payload(zstd_frame(_INNER), LARGE),
    "payload that claims 2^62 bytes": lambda: Payload(zstd_frame(_INNER), 2**62),
    "payload whose frame claims more than it holds": lambda: Payload(bombs.zstd_claiming(_INNER, LARGE), len(_INNER)),
    "payload whose frame claims 2^62 bytes": lambda: Payload(bombs.zstd_claiming(_INNER, 2**62), len(_INNER)),
    "payload whose packed size is claimed": lambda: Payload(zstd_frame(_INNER), len(_INNER), LARGE),
    "payload that holds more than it claims": lambda: Payload(bombs.zstd_zeros(), 1 << 20),
    "payload that holds 320 MiB, as it claims": lambda: Payload(bombs.zstd_zeros(), bombs.HELD),
    "payload of 250,000 events": lambda: Payload(*bombs.zstd_tiny_events()),
    "payload in a payload": _payload_in_payload,
    "payloads nested 400 deep": _nested,
}


_PAYLOAD: Final = choices("payload", PAYLOADS)


@family(
    focus="FORMAT-TRANSACTION-PAYLOAD-LIMITS",
    profiles=WITH_PAYLOADS,
    fault=True,
    checksums=False,
    few=True,
    dimensions=(_PAYLOAD,),
)
def payload_bombs(stream: StreamBuilder) -> None:
    """A Transaction_payload event that claims or holds far more than it should, or holds very many events."""
    name = stream.vary(_PAYLOAD)
    event = PlannedEvent(EventType.TRANSACTION_PAYLOAD, _payload_body(PAYLOADS[name]()), {})
    _end_with(stream, [event], "FORMAT-TRANSACTION-PAYLOAD-LIMITS", name)


#: What is wrong with compressed data of MariaDB, by name: the compressed part.
PARTS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "that claims more than it holds": lambda data: mariadb_part_of(zlib_stream(data), LARGE),
    "that claims 4 GiB": lambda data: mariadb_part_of(zlib_stream(data), 2**32 - 1),
    "that holds more than it claims": lambda data: mariadb_part_of(bombs.zlib_zeros(), len(data)),
    "that holds 320 MiB, as it claims": lambda data: mariadb_part_of(bombs.zlib_zeros(), bombs.ZLIB_HELD),
}


_COMPRESSED: Final = choices("what is compressed", ("statement", "rows"))
_PART: Final = choices("compressed part", PARTS)
_ENDLESS: Final = Impossible(
    {_COMPRESSED.name: ("rows",), _PART.name: ("that holds 320 MiB, as it claims",)},
    "a right reader would take minutes to report the rows",
)


@family(
    focus="FORMAT-MARIADB-COMPRESSED-LIMITS",
    profiles=WITH_COMPRESSED_EVENTS,
    fault=True,
    checksums=False,
    few=True,
    dimensions=(_COMPRESSED, _PART),
    impossible=(_ENDLESS,),
)
def mariadb_bombs(stream: StreamBuilder) -> None:
    """A compressed statement or compressed rows of MariaDB that claim or hold far more than they should."""
    kind, name = stream.vary(_COMPRESSED), stream.vary(_PART)
    if kind == "rows":
        part = PARTS[name](b"\0\1\0\0\0")
        wire = {"table_id": _TABLE_ID, "rows_flags": 1, "column_count": 1, "columns_present": b"\xff"}
        rows = mysql_events.plan(stream, COMPRESSED_ROWS_V1[0], {**wire, "compressed_rows": part}, {})
        events = [_table_map(stream, ColumnType.LONG, b""), rows]
    else:
        wire = {"thread_id": 1, "exec_time": 0, "error_code": 0, "status_variables": b"", "database": b"test"}
        wire["compressed_query"] = PARTS[name](_SHORT_STATEMENT)
        events = [mysql_events.plan(stream, EventType.MARIADB_QUERY_COMPRESSED, wire, {})]
    burden = {"statement": "compressed statement", "rows": "compressed rows event"}[kind]
    _end_with(stream, events, "FORMAT-MARIADB-COMPRESSED-LIMITS", f"{burden} {name}")


#: The bytes before a document's value, by its type.
_SMALL_ARRAY, _LARGE_ARRAY, _STRING, _LITERAL = 2, 3, 12, 4
#: Arrays whose two elements are both the next array.
#: Eight million elements: more than any answer may hold, and than any reader should keep.
_SHARED_DEPTH: Final = 23
_NESTED_DEPTH: Final = 400
_SMALL_HEAD, _SMALL_ENTRY = 4, 3


def _arrays(depth: int, elements: int) -> bytes:
    """Return a document of arrays within each other, every element of one being the next; the last holds nulls."""
    size = _SMALL_HEAD + _SMALL_ENTRY * elements
    levels = []
    for level in range(depth):
        last = level + 1 == depth
        entry = struct.pack("<BH", _LITERAL, 0) if last else struct.pack("<BH", _SMALL_ARRAY, size)
        levels.append(struct.pack("<HH", elements, size * (depth - level)) + entry * elements)
    return bytes([_SMALL_ARRAY]) + b"".join(levels)


#: What is wrong with a JSON document, by name: its binary form.
DOCUMENTS: Final[dict[str, bytes]] = {
    "array that claims 2^26 elements": struct.pack("<BIIBI", _LARGE_ARRAY, _MANY, 13, _LITERAL, 0),
    "array that claims 2^32-1 elements": struct.pack("<BIIBI", _LARGE_ARRAY, 2**32 - 1, 13, _LITERAL, 0),
    "string that claims 768 MiB": bytes([_STRING]) + b"\x80\x80\x80\x80\x03" + b"a",
    "arrays that share their elements": _arrays(_SHARED_DEPTH, 2),
    "arrays nested 400 deep": _arrays(_NESTED_DEPTH, 1),
}


_DOCUMENT: Final = choices("document", DOCUMENTS)


@family(focus="FORMAT-JSON-LIMITS", profiles=WITH_JSON, fault=True, checksums=False, few=True, dimensions=(_DOCUMENT,))
def json_bombs(stream: StreamBuilder) -> None:
    """A JSON document of some kilobytes that claims or unfolds to millions of elements, or is nested very deeply."""
    name = stream.vary(_DOCUMENT)
    document = DOCUMENTS[name]
    row = b"\x01\xff\x00" + len(document).to_bytes(4, "little") + document
    events = [_table_map(stream, ColumnType.JSON, b"\x04"), _write_rows(stream, row)]
    _end_with(stream, events, "FORMAT-JSON-LIMITS", f"JSON: {name}")
