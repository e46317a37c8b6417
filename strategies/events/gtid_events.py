"""Gtid, Anonymous_gtid and Previous_gtids events, in every form that servers write."""

from typing import Any, Final
from uuid import UUID

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GNO_END, GtidSet, Interval, Source, uuid_text
from conformance.binlog.layout import TAIL
from conformance.binlog.layouts.by_type import LOGICAL_TIMESTAMP_TYPECODE, layout_of
from conformance.binlog.servers import WITH_COMMIT_TICKETS
from conformance.strategies.events.mysql_events import growth, plan
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.magnitude import whole_number
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

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
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: The source of a transaction, and its number among those of the source: the fewest and the most.
SOURCE: Final = Dimension("source", dict(zip(("ordinary", "lowest", "highest", "another"), UUIDS, strict=True)))
NUMBER: Final = Dimension(
    "number of the GTID",
    {
        "any": (1, GNO_END - 1),
        "1": (1, 1),
        "up to 127": (2, 127),
        "2^31 - 1": (2**31 - 1, 2**31 - 1),
        "from 2^31": (2**31, 2**32 - 1),
        "2^32": (2**32, 2**32),
        "2^53 + 1": (2**53 + 1, 2**53 + 1),
        "the largest": (GNO_END - 1, GNO_END - 1),
    },
)
GTID_DIMENSIONS: Final = (SOURCE, NUMBER)


def previous_gtids(stream: StreamBuilder, gtids: GtidSet, *, flags: int) -> PlannedEvent:
    """Return a Previous_gtids event; no later Gtid event of the stream has a GTID of its set."""
    stream.executed.add_set(gtids)
    marks = ["WL7592-PREVIOUS-GTIDS-SET-READ" if gtids.sources else "WL7592-PREVIOUS-GTIDS-EMPTY-READ"]
    marks.append("WL7592-PREVIOUS-GTIDS-FLAG-EITHER-WAY")
    if flags & _IGNORABLE:
        marks.append("WL4033-READ-KNOWN-FLAGGED")
    wire = {"previous_gtids": gtids}
    return plan(stream, EventType.PREVIOUS_GTIDS, wire, {"previous_gtids": str(gtids)}, flags=flags, marks=tuple(marks))


def gtid_set(stream: StreamBuilder, *, fewest: int = 0) -> GtidSet:
    """Return a GTID set of up to four sources, `fewest` at least, ascending; since 8.3 also one with tags."""
    choose = stream.choose
    sources = []
    tagged = stream.server.gtid_form == "8.3" and choose.yes(3)
    for uuid in sorted(UUIDS[: choose.integer(fewest, len(UUIDS))]):
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
    # A set without tags has the untagged form.
    return GtidSet(tuple(sources), tagged and bool(sources))


#: Tags of GTIDs (8.3 and later): up to 32 letters, digits and underscores.
TAGS: Final = ("a", "tag", "_under_score_9", "x" * 32)
TAG: Final = Dimension(
    "tag", dict(zip(("one letter", "a word", "underscores and digits", "the longest"), TAGS, strict=True))
)


def gtid_tagged(stream: StreamBuilder, *, group_length: int, gtid_flags: int | None = None) -> PlannedEvent:
    """Return a tagged Gtid event.

    Args:
        stream: The stream it is for.
        group_length: The length of its transaction in bytes.
        gtid_flags: Its own flags byte; any that servers write when None.
    """
    choose = stream.choose
    uuid, tag = UUIDS[0] if stream.gtid_step else stream.vary(SOURCE), stream.vary(TAG)
    gno = _unused_gno(stream, uuid, tag)
    fields: dict[str, Any] = {"gtid_flags": choose.integer(0, 1) if gtid_flags is None else gtid_flags}
    wire: dict[str, Any] = {"source_uuid": uuid, "gno": gno, "tag": tag.encode()}
    _add_logical_timestamps(stream, wire, fields)
    fields |= _commit(stream)
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


#: The last microsecond since 1970 of which an event can have the number.
_LATEST: Final = 2**55 - 1
#: Versions of servers from which a transaction may come; the last one is written for a server that gave none.
_SOURCES: Final = (80034, 80015, 80406, 999_999)
#: The forms of a Gtid body, shortest first; each server writes the forms up to its own.
GTID_FORMS: Final = ("5.6", "5.7", "8.0")
#: A body in which what follows the number has another type code than that of logical timestamps.
OTHER_TYPECODE: Final = "other-typecode"


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
            release: the fixed part, one byte of value 1 and one 8-byte number; or ``one-number``, the same without
            that byte; or `OTHER_TYPECODE`.
        group_length: Length in bytes of the transaction after this event.
        flags: The flags word.
        tail: Bytes after the last field.
    """
    choose = stream.choose
    uuid = bytes(16) if anonymous else UUIDS[0] if stream.gtid_step else stream.vary(SOURCE)
    gno = 0 if anonymous else _unused_gno(stream, uuid, "")
    # In 5.6 it is set where the transaction commits.
    flags_of_gtid = 1 if stream.server.gtid_form == "5.6" else choose.integer(0, 1)
    wire: dict[str, Any] = {"gtid_flags": flags_of_gtid, "source_uuid": uuid, "gno": gno}
    fields: dict[str, Any] = {
        "gtid": "ANONYMOUS" if anonymous else f"{uuid_text(uuid)}:{gno}",
        "gtid_flags": wire["gtid_flags"],
    }
    if form == "commit-field":
        tail = b"\x01" + choose.octets(8, 8)
    elif form == "one-number":
        # Its first byte would be read as the type code of two numbers.
        number = choose.octets(8, 8)
        tail = number if number[0] != LOGICAL_TIMESTAMP_TYPECODE else b"\0" + number[1:]
    elif form == OTHER_TYPECODE:
        tail = bytes([choose.one_of((1, 3, 0, 255))]) + choose.octets(16, 40)
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
    elif form not in ("commit-field", "one-number", OTHER_TYPECODE):
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
    step = stream.gtid_step
    gno = stream.first_gno if step else stream.choose.integer(*stream.vary(NUMBER))
    while not stream.executed.add(uuid, tag, gno):
        gno = (gno + max(step, 1) - 1) % (GNO_END - 1) + 1
    return gno


def _add_logical_timestamps(stream: StreamBuilder, wire: dict[str, Any], fields: dict[str, Any]) -> None:
    stream.sequence_number += 1
    timestamps = {
        "last_committed": min(whole_number(stream.choose, 63), stream.sequence_number - 1)
        if stream.choose.yes()
        else stream.sequence_number - 1,
        "sequence_number": stream.sequence_number,
    }
    fields.update(timestamps)
    wire.update(timestamps)


def _add_commit(stream: StreamBuilder, wire: dict[str, Any], fields: dict[str, Any], group_length: int) -> None:
    choose = stream.choose
    commit = _commit(stream)
    wire.update(commit)
    if stream.server.profile in WITH_COMMIT_TICKETS and choose.yes(4):
        wire["commit_group_ticket"] = whole_number(choose, 64, low=1)
    commit["transaction_length"] = _transaction_length(stream, wire, group_length)
    wire.update(commit)
    fields.update(commit)


def _commit(stream: StreamBuilder) -> dict[str, Any]:
    """Return when and by which servers a transaction was committed: servers write the first one only if it differs."""
    choose = stream.choose
    immediate = whole_number(choose, 55, low=1)
    commit = {"immediate_commit_timestamp": immediate, "immediate_server_version": stream.server.version_number}
    if choose.yes():
        original = min(whole_number(choose, 55, low=1), _LATEST - 1)
        commit["original_commit_timestamp"] = original + (original >= immediate)
    if choose.yes(3):
        others = [version for version in _SOURCES if version != stream.server.version_number]
        commit["original_server_version"] = choose.one_of(others)
    return commit


#: Width in bytes of a packed integer -> the first value that no longer fits.
_PACKED_WIDTHS: Final = ((1, 251), (3, 1 << 16), (4, 1 << 24), (9, 1 << 64))


def _transaction_length(stream: StreamBuilder, wire: dict[str, Any], group_length: int) -> int:
    # The length counts its own event, whose size depends on the width of the length.
    body = layout_of(EventType.GTID, 42).write(wire, post_header_length=42)
    others = stream.length_of(PlannedEvent(EventType.GTID, body, {})) + growth(stream, EventType.GTID) + group_length
    return next(others + width for width, limit in _PACKED_WIDTHS if others + width < limit)
