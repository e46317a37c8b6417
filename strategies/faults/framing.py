"""Faults of framing: truncations, wrong lengths, bad checksums, a missing format description, a bad magic number."""

from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import PLAIN_GTID_TYPES, ROWS_V1, ROWS_V2, EventType
from conformance.binlog.header import HEADER_BYTES, LENGTH_AT, MAGIC, TYPE_AT
from conformance.binlog.servers import WITH_CHECKSUMS, WITH_GTIDS, WITH_IGNORABLE_FLAG, WITH_ROWS_QUERIES
from conformance.strategies.events import mysql_events
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_STOP: Final = frozenset({EventType.STOP})
#: The event with the fault, by its types; none means any but a format description.
_VICTIM: Final = Dimension[frozenset[int]](
    "event with the fault",
    {
        "any": frozenset(),
        "Query": frozenset({EventType.QUERY}),
        "format description": frozenset({EventType.FORMAT_DESCRIPTION}),
        "Previous_gtids": frozenset({EventType.PREVIOUS_GTIDS}),
        "Gtid": frozenset(PLAIN_GTID_TYPES),
        "Rows_query": frozenset({EventType.ROWS_QUERY}),
        "Table_map": frozenset({EventType.TABLE_MAP}),
        "rows": frozenset((*ROWS_V1, *ROWS_V2)),
        "Xid": frozenset({EventType.XID}),
        "Intvar": frozenset({EventType.INTVAR}),
        "Rand": frozenset({EventType.RAND}),
        "User_var": frozenset({EventType.USER_VAR}),
        "ignorable event of an unknown type": frozenset({UNASSIGNED[-1]}),
        "the last": frozenset({EventType.ROTATE}),
        "the last, a Stop": _STOP,
    },
    profiles={
        "Previous_gtids": WITH_GTIDS,
        "Gtid": WITH_GTIDS,
        "Rows_query": WITH_ROWS_QUERIES,
        "ignorable event of an unknown type": WITH_IGNORABLE_FLAG,
    },
)
_LOG: Final = choices("log with the fault", ("the first", "the second"))


def _valid_log(stream: StreamBuilder, *, ends: bool = False) -> int:
    """Add one log or two with events of every kind, and return the index of the first event of the last log.

    Args:
        stream: The stream.
        ends: Whether the last log ends with a Stop, not with a Rotate.
    """
    lengths = declare_up_to(stream, UNASSIGNED[-1]) if stream.server.rules.ignorable else None
    groups.begin_log(stream, previous=True if stream.server.profile in WITH_GTIDS else None, lengths=lengths)
    first = 0
    if stream.vary(_LOG) == "the second":
        groups.add_groups(stream, 0, 1)
        stream.add(mysql_events.rotate(stream))
        first = len(stream.placed) + 1
        groups.begin_next_log(stream, lengths=lengths)
    groups.add_groups(stream, 0, 1)
    planned = [mysql_events.query(stream, "BEGIN")]
    if stream.server.profile in WITH_ROWS_QUERIES:
        planned.append(mysql_events.rows_query(stream, mysql_events.text(stream, 1, 80)))
    planned += groups.row_changes(stream)
    if stream.server.rules.ignorable:
        unknown = mysql_events.ignorable(stream, UNASSIGNED[-1], stream.choose.octets(0, 40), flags=0)
        planned.append(unknown.marked("WL4033-READ-UNKNOWN-SKIPPED"))
    groups.add_group(stream, [*planned, mysql_events.xid(stream)])
    context = [make(stream) for make in (mysql_events.intvar, mysql_events.rand)]
    groups.add_group(stream, [*context, *groups.statement_of_variable(stream)])
    stream.add(mysql_events.stop(stream) if ends else mysql_events.rotate(stream))
    return first


def _log_and_victim(stream: StreamBuilder) -> tuple[int, int]:
    """Add one log or two; return where the event with the fault begins and ends (exclusive), one of the last log."""
    types = stream.vary(_VICTIM)
    first = _valid_log(stream, ends=types == _STOP)
    offsets = [*stream.offsets, stream.offset]
    of_log = list(enumerate(stream.placed))[first:]
    wanted = [
        index
        for index, (event, _, _) in of_log
        if (event.type in types if types else event.type != EventType.FORMAT_DESCRIPTION)
    ]
    index = stream.choose.one_of(wanted)
    return offsets[index], offsets[index + 1]


_CUT: Final = choices(
    "place of the cut", ("within the body", "after the header", "within the header", "after one byte")
)


@family(focus="FORMAT-TRUNCATED-BODY", fault=True, dimensions=(_VICTIM, _LOG, _CUT))
def truncated_streams(stream: StreamBuilder) -> None:
    """A stream that ends inside a header or inside a body."""
    choose = stream.choose
    start, end = _log_and_victim(stream)
    body = start + HEADER_BYTES
    cut = {
        "within the body": choose.integer(min(body + 1, end - 1), end - 1),
        "after the header": body,
        "within the header": choose.integer(start + 2, body - 1),
        "after one byte": start + 1,
    }[stream.vary(_CUT)]
    # Some events are a header alone.
    cut = min(cut, end - 1)
    mark = "FORMAT-TRUNCATED-HEADER" if cut < body else "FORMAT-TRUNCATED-BODY"
    stream.damage(stream.bytes[:cut])
    stream.expect_refusal(at=start, kind="truncated", marks=(mark,))


#: The least of the lengths at which memory shows; the usual limit on memory does not refuse so much.
_LARGE: Final = 3 << 28
#: Wrong lengths: a length, or how many bytes more than the stream has left.
_LENGTH: Final = Dimension(
    "length",
    {
        "18": 18,
        "0": 0,
        "1": 1,
        "4": 4,
        "19": 19,
        "20": 20,
        "22": 22,
        "1 more than is left": -1,
        "1000 more than are left": -1000,
        "768 MiB": _LARGE,
        "2^31 - 1": 2**31 - 1,
        "2^31": 2**31,
        "2^32 - 1": 2**32 - 1,
    },
    profiles=dict.fromkeys(("19", "20", "22"), WITH_CHECKSUMS),
)
_WITHOUT_ROOM: Final = ("19", "20", "22")


@family(
    focus="FORMAT-LENGTH-TOO-SMALL",
    fault=True,
    dimensions=(_LENGTH, _VICTIM, _LOG),
    impossible=(
        Impossible({"length": _WITHOUT_ROOM, "checksum": ("none",)}, "without checksums an event may be as short"),
        Impossible(
            {"length": _WITHOUT_ROOM, "event with the fault": ("format description",)},
            "what is missing in a format description is more than its checksum",
        ),
    ),
)
def wrong_event_lengths(stream: StreamBuilder) -> None:
    """An event whose length is less than a header, or than a header and a checksum, or more than the stream holds."""
    length = stream.vary(_LENGTH)
    start, _ = _log_and_victim(stream)
    length = set_length(stream, start, length)
    small = is_too_small(stream, start, length)
    marks = ["FORMAT-LENGTH-TOO-SMALL" if small else "FORMAT-LENGTH-TOO-LARGE"]
    if small and length >= HEADER_BYTES:
        marks = ["FORMAT-LENGTH-NO-CHECKSUM"]
    if length >= _LARGE:
        marks.append("FORMAT-LENGTH-MEMORY")
    stream.expect_refusal(at=start, kind="invalid-length" if small else "truncated", marks=tuple(marks))


def is_too_small(stream: StreamBuilder, start: int, length: int) -> bool:
    """Return whether the length of an event has no room for a header and a checksum, and is not too large as well.

    An event without a body and a checksum is so short that with a byte more it has no room for a checksum either.

    Args:
        stream: The stream.
        start: The offset of the event.
        length: The length in bytes.
    """
    return length < HEADER_BYTES + CHECKSUM_BYTES and length <= stream.offset - start


def set_length(stream: StreamBuilder, start: int, length: int) -> int:
    """Give an event another length, and return it.

    Args:
        stream: The stream.
        start: The offset of the event.
        length: The length in bytes; if negative, by how many bytes it is more than the stream has left.
    """
    if length < 0:
        length = stream.offset - start - length
    damaged = stream.bytes
    damaged[start + LENGTH_AT : start + LENGTH_AT + 4] = length.to_bytes(4, "little")
    stream.damage(damaged)
    return length


#: The byte with the wrong bit. Neither the type nor the length: other families have those faults.
PLACE_OF_BIT: Final = choices("place of the wrong bit", ("body", "checksum", "timestamp", "server id", "log_pos"))
_BIT: Final = choices("wrong bit", (0, 7, 3))


@family(
    focus="FORMAT-CHECKSUM-WRONG",
    profiles=WITH_CHECKSUMS,
    fault=True,
    checksums=True,
    dimensions=(_VICTIM, _LOG, PLACE_OF_BIT, _BIT),
    impossible=(
        Impossible(
            {"event with the fault": ("format description",), "place of the wrong bit": ("body",)},
            "a wrong bit in a format description may change how all is read",
        ),
        Impossible(
            {"event with the fault": ("the last, a Stop",), "place of the wrong bit": ("body",)}, "a Stop has no body"
        ),
    ),
)
def bad_checksum(stream: StreamBuilder) -> None:
    """An event with one bit flipped, in its body, its checksum, or a header field that framing does not need."""
    start, end = _log_and_victim(stream)
    damaged = stream.bytes
    damaged[byte_of_bit(stream, start, end)] ^= 1 << stream.vary(_BIT)
    type_code = damaged[start + TYPE_AT]
    stream.damage(damaged)
    marks = ("FORMAT-CHECKSUM-WRONG", *(("WL7592-GTID-CHECKSUM-WRONG",) if type_code in PLAIN_GTID_TYPES else ()))
    stream.expect_refusal(at=start, kind="checksum", marks=marks)


#: The place of the time of creation in the body of a format description.
_CREATED_AT: Final = 52


def byte_of_bit(stream: StreamBuilder, start: int, end: int) -> int:
    """Choose the byte with the wrong bit, at the place that the stream's variant names, and return its offset.

    Args:
        stream: The stream.
        start: The offset of the event, which has a checksum.
        end: The offset after the event.
    """
    border = end - CHECKSUM_BYTES
    body = (start + HEADER_BYTES, border - 1) if border > start + HEADER_BYTES else (border, end - 1)
    if stream.bytes[start + TYPE_AT] == EventType.FORMAT_DESCRIPTION:
        # Its other bytes decide how it is read, and whether it has a checksum.
        body = (start + HEADER_BYTES + _CREATED_AT, start + HEADER_BYTES + _CREATED_AT + 3)
    first, last = {
        "body": body,
        "checksum": (border, end - 1),
        "timestamp": (start, start + TYPE_AT - 1),
        "server id": (start + TYPE_AT + 1, start + LENGTH_AT - 1),
        "log_pos": (start + LENGTH_AT + 4, start + LENGTH_AT + 7),
    }[stream.vary(PLACE_OF_BIT)]
    return stream.choose.integer(first, last)


_WITHOUT_DESCRIPTION: Final = Number("groups")


@family(focus="FORMAT-NO-FORMAT-DESCRIPTION", fault=True, dimensions=(_WITHOUT_DESCRIPTION,))
def missing_format_description(stream: StreamBuilder) -> None:
    """A stream that begins with an event other than a format description."""
    for _ in stream.several_of(_WITHOUT_DESCRIPTION):
        groups.add_group(stream, groups.group(stream))
    stream.expect_refusal(at=len(MAGIC), kind="no-format-description", marks=("FORMAT-NO-FORMAT-DESCRIPTION",))


_MAGIC_BYTE: Final = choices("wrong byte of the magic number", range(len(MAGIC)))


@family(focus="FORMAT-BAD-MAGIC", fault=True, dimensions=(_MAGIC_BYTE, _LOG))
def bad_magic(stream: StreamBuilder) -> None:
    """A file that does not begin with a binary log's magic number."""
    _valid_log(stream)
    damaged = stream.bytes
    damaged[stream.vary(_MAGIC_BYTE)] ^= 1 << stream.choose.integer(0, 7)
    if bytes(damaged[:4]) == b"\xfdbin":
        damaged[0] = 0
    stream.damage(damaged)
    stream.expect_refusal(at=0, kind="not-a-binlog", marks=("FORMAT-BAD-MAGIC",))
