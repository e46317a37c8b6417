"""Faults of framing: truncations, wrong lengths, bad checksums, a missing format description, a bad magic number."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import (
    COMPRESSED_ROWS,
    COMPRESSED_ROWS_V1,
    PLAIN_GTID_TYPES,
    ROWS_V1,
    ROWS_V2,
    EventType,
)
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER_BYTES, LENGTH_AT, MAGIC, TYPE_AT
from conformance.binlog.servers import (
    WITH_CHECKSUMS,
    WITH_COMPRESSED_EVENTS,
    WITH_GROUP_REPLICATION,
    WITH_GTIDS,
    WITH_IGNORABLE_FLAG,
    WITH_PAYLOADS,
    WITH_ROWS_QUERIES,
    WITH_TAGGED_GTIDS,
    WITH_XA_PREPARE,
)
from conformance.specs.catalogue import catalogue
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.families import event_types
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_MARIADB: Final = Profiles("mariadb")
_LOADED: Final = (
    EventType.BEGIN_LOAD_QUERY,
    EventType.APPEND_BLOCK,
    EventType.DELETE_FILE,
    EventType.EXECUTE_LOAD_QUERY,
)


@dataclass(frozen=True, slots=True)
class _Victim:
    """The event with the fault.

    Attributes:
        types: Its types; none means any but a format description.
        added: The addition to the log that has such events; None if every log has one.
    """

    types: frozenset[int] = frozenset()
    added: Callable[[StreamBuilder], None] | None = None


def _of(*types: int, added: Callable[[StreamBuilder], None] | None = None) -> _Victim:
    return _Victim(frozenset(types), added)


#: Class -> the victim, and the profiles whose logs have such an event.
_VICTIMS: Final[Mapping[str, tuple[_Victim, Profiles]]] = {
    "any": (_Victim(), EVERY_PROFILE),
    "Query": (_of(EventType.QUERY), EVERY_PROFILE),
    "format description": (_of(EventType.FORMAT_DESCRIPTION), EVERY_PROFILE),
    "Previous_gtids": (_of(EventType.PREVIOUS_GTIDS), WITH_GTIDS),
    "Gtid": (_of(*PLAIN_GTID_TYPES), WITH_GTIDS),
    "Rows_query": (_of(EventType.ROWS_QUERY), WITH_ROWS_QUERIES),
    "Table_map": (_of(EventType.TABLE_MAP), EVERY_PROFILE),
    "rows": (_of(*ROWS_V1, *ROWS_V2), EVERY_PROFILE),
    "Xid": (_of(EventType.XID), EVERY_PROFILE),
    "Intvar": (_of(EventType.INTVAR), EVERY_PROFILE),
    "Rand": (_of(EventType.RAND), EVERY_PROFILE),
    "User_var": (_of(EventType.USER_VAR), EVERY_PROFILE),
    "ignorable event of an unknown type": (_of(UNASSIGNED[-1]), WITH_IGNORABLE_FLAG),
    "the last": (_of(EventType.ROTATE), EVERY_PROFILE),
    "the last, a Stop": (_of(EventType.STOP), EVERY_PROFILE),
    "artificial Rotate": (_of(EventType.ROTATE, added=event_types.add_artificial_rotate), EVERY_PROFILE),
    "of LOAD DATA": (_of(*_LOADED, added=event_types.add_load_data), EVERY_PROFILE),
    "Incident": (_of(EventType.INCIDENT, added=event_types.add_incident), EVERY_PROFILE),
    "Gtid with a tag": (_of(EventType.GTID_TAGGED, added=event_types.add_tagged_group), WITH_TAGGED_GTIDS),
    "of group replication": (
        _of(EventType.TRANSACTION_CONTEXT, EventType.VIEW_CHANGE, added=event_types.add_group_replication),
        WITH_GROUP_REPLICATION,
    ),
    "XA_prepare": (_of(EventType.XA_PREPARE, added=event_types.add_xa_transaction), WITH_XA_PREPARE),
    "payload": (_of(EventType.TRANSACTION_PAYLOAD, added=event_types.add_payload), WITH_PAYLOADS),
    "MariaDB's Gtid": (_of(EventType.MARIADB_GTID), _MARIADB),
    "Gtid_list": (_of(EventType.MARIADB_GTID_LIST), _MARIADB),
    "Binlog_checkpoint": (_of(EventType.MARIADB_BINLOG_CHECKPOINT), _MARIADB),
    "Annotate_rows": (_of(EventType.MARIADB_ANNOTATE_ROWS, added=event_types.add_annotated_rows), _MARIADB),
    "compressed rows": (
        _of(*COMPRESSED_ROWS, *COMPRESSED_ROWS_V1, added=event_types.add_compressed_rows),
        WITH_COMPRESSED_EVENTS,
    ),
    "compressed statement": (
        _of(EventType.MARIADB_QUERY_COMPRESSED, added=event_types.add_compressed_statement),
        WITH_COMPRESSED_EVENTS,
    ),
}
_VICTIM: Final = Dimension[_Victim](
    "event with the fault",
    {name: victim for name, (victim, _) in _VICTIMS.items()},
    profiles={name: profiles for name, (_, profiles) in _VICTIMS.items() if profiles is not EVERY_PROFILE},
)
#: The checksum of a format description is that without the flag of a log in use, and has to be right all the same.
_IN_USE: Final = yes_or_no("the log is in use", when={_VICTIM.name: ("format description",)})
_LOG: Final = choices("log with the fault", ("the first", "the second"))
#: What an earlier format description has of checksums means nothing for the log after it.
FIRST_CHECKSUMS: Final = Dimension(
    "checksums of the first log", {"those of the second": True, "none": False}, when={_LOG.name: ("the second",)}
)


def is_in_second_log(stream: StreamBuilder, *, others_first: bool) -> bool:
    """Choose the log with the fault, and whether the first has checksums if that is the second.

    Args:
        stream: The stream, in which nothing has been added.
        others_first: Whether the family has `FIRST_CHECKSUMS`.
    """
    is_second = bool(stream.vary(_LOG) == "the second")
    if is_second and others_first:
        stream.checksummed = stream.vary(FIRST_CHECKSUMS) and stream.checksummed
    return is_second


def _valid_log(
    stream: StreamBuilder, victim: _Victim = _Victim(), *, others_first: bool = False, flags: int = 0
) -> int:
    """Add one log or two with events of most kinds, and return the index of the first event of the last log.

    Args:
        stream: The stream.
        victim: The event with the fault, which is in the last log.
        others_first: Whether the first of two logs may have no checksums if the second has some.
        flags: The flags of the format description of the last log.
    """
    checksums = stream.checksummed
    is_second = is_in_second_log(stream, others_first=others_first)
    lengths = declare_up_to(stream, UNASSIGNED[-1]) if stream.server.rules.ignorable else None
    previous = True if stream.server.profile in WITH_GTIDS else None
    groups.begin_log(stream, previous=previous, lengths=lengths, flags=0 if is_second else flags)
    first = 0
    if is_second:
        groups.add_groups(stream, 0, 1)
        stream.add(mysql_events.rotate(stream))
        first = len(stream.placed) + 1
        groups.begin_next_log(stream, lengths=lengths, checksums=checksums, flags=flags)
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
    if victim.added is not None:
        victim.added(stream)
    ends = victim.types == {EventType.STOP}
    stream.add(mysql_events.stop(stream) if ends else mysql_events.rotate(stream))
    return first


def _log_and_victim(
    stream: StreamBuilder, *, others_first: bool = False, may_be_in_use: bool = False
) -> tuple[int, int]:
    """Add one log or two; return where the event with the fault begins and ends (exclusive), one of the last log.

    Args:
        stream: The stream.
        others_first: Whether the family has `FIRST_CHECKSUMS`.
        may_be_in_use: Whether it has `_IN_USE`.
    """
    victim = stream.vary(_VICTIM)
    flags = int(Flag.BINLOG_IN_USE) if may_be_in_use and stream.vary(_IN_USE) else 0
    first = _valid_log(stream, victim, others_first=others_first, flags=flags)
    offsets = [*stream.offsets, stream.offset]
    of_log = list(enumerate(stream.placed))[first:]
    wanted = [
        index
        for index, (event, _, _) in of_log
        if (event.type in victim.types if victim.types else event.type != EventType.FORMAT_DESCRIPTION)
    ]
    index = stream.choose.one_of(wanted)
    return offsets[index], offsets[index + 1]


#: Zeros are what file systems leave at the end of a file when the machine fails.
_ZEROS: Final = "before zeros, fewer than a header has"
_CUT: Final = choices(
    "place of the cut", ("within the body", "after the header", "within the header", "after one byte", _ZEROS)
)


@family(focus="FORMAT-TRUNCATED-BODY", fault=True, dimensions=(_VICTIM, _LOG, _CUT))
def truncated_streams(stream: StreamBuilder) -> None:
    """A stream that ends inside a header or inside a body."""
    choose = stream.choose
    start, end = _log_and_victim(stream)
    place = stream.vary(_CUT)
    if place == _ZEROS:
        stream.damage(stream.bytes[:end] + bytes(choose.integer(1, HEADER_BYTES - 1)))
        stream.expect_refusal(at=end, kind="truncated", marks=("FORMAT-TRUNCATED-HEADER",))
        return
    body = start + HEADER_BYTES
    cut = {
        "within the body": choose.integer(min(body + 1, end - 1), end - 1),
        "after the header": body,
        "within the header": choose.integer(start + 2, body - 1),
        "after one byte": start + 1,
    }[place]
    # Of a log of old servers without a whole event nothing is asked; and some events are a header alone.
    is_open = start == len(MAGIC) and stream.server.profile not in catalogue()["FORMAT-TRUNCATED-HEADER"].holds
    cut = min(body if is_open else cut, end - 1)
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
    dimensions=(_VICTIM, _LOG, FIRST_CHECKSUMS, PLACE_OF_BIT, _BIT, _IN_USE),
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
    start, end = _log_and_victim(stream, others_first=True, may_be_in_use=True)
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


#: A file may have nothing of it, or a part.
_MAGIC_BYTE: Final = Dimension[int | None](
    "wrong byte of the magic number", {**{str(at): at for at in range(len(MAGIC))}, "not there": None}
)
_LEFT: Final = choices("bytes of the file", range(len(MAGIC)), when={"wrong byte of the magic number": ("not there",)})


@family(focus="FORMAT-BAD-MAGIC", fault=True, dimensions=(_MAGIC_BYTE, _LEFT, _LOG))
def bad_magic(stream: StreamBuilder) -> None:
    """A file that does not begin with a binary log's magic number."""
    _valid_log(stream)
    wrong = stream.vary(_MAGIC_BYTE)
    damaged = stream.bytes
    if wrong is None:
        damaged = damaged[: stream.vary(_LEFT)]
    else:
        damaged[wrong] ^= 1 << stream.choose.integer(0, 7)
    if bytes(damaged[:4]) == b"\xfdbin":
        damaged[0] = 0
    stream.damage(damaged)
    stream.expect_refusal(at=0, kind="not-a-binlog", marks=("FORMAT-BAD-MAGIC",))
