"""Bytes of binary logs, read and written from the pages of the documentation alone: nothing of the kit is imported."""

import base64
import json
import struct
import sys
import uuid
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

MYSQL = ["mysql-5.1", "mysql-5.5", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x"]
PROFILES = ["worklog", *MYSQL, "mariadb-10.x", "mariadb-11.x"]
MAGIC = b"\xfebin"
HEADER = struct.Struct("<IBIIIH")
CRC = 4

QUERY, STOP, ROTATE, FORMAT, XID, HEARTBEAT, HEARTBEAT_V2 = 2, 3, 4, 15, 16, 27, 41
GTID, ANONYMOUS, PREVIOUS_GTIDS, GTID_TAGGED = 33, 34, 35, 42
IN_USE, ARTIFICIAL, RELAY_LOG, IGNORABLE = 0x1, 0x20, 0x40, 0x80
SELF_CONTAINED, IGNORE_BOUNDARY = 2 << 10, 1 << 10


class Event(NamedTuple):
    """One event: where it is in its stream, the fields of its header, and all its bytes."""

    at: int
    timestamp: int
    type: int
    server_id: int
    length: int
    log_pos: int
    flags: int
    raw: bytes


def event_at(stream: bytes, at: int) -> Event:
    """Return the event at an offset; it may be cut off by the end of the stream."""
    timestamp, code, server_id, length, log_pos, flags = HEADER.unpack_from(stream, at)
    return Event(at, timestamp, code, server_id, length, log_pos, flags, stream[at : at + length])


def events(stream: bytes, start: int, end: int) -> Iterator[Event]:
    """Yield the whole events between two offsets."""
    at = start
    while at + HEADER.size <= end:
        event = event_at(stream, at)
        if event.length < HEADER.size or at + event.length > end:
            return
        yield event
        at += event.length


def sealed(raw: bytes) -> bytes:
    """Return the bytes of an event with the CRC32 of what comes before it in its last four bytes."""
    return raw[:-CRC] + struct.pack("<I", zlib.crc32(raw[:-CRC]))


def made(header: tuple[int, int, int, int, int], body: bytes, *, checksum: bool) -> bytes:
    """Return a new event of a header (timestamp, type, server id, position, flags) and a body."""
    timestamp, code, server_id, log_pos, flags = header
    length = HEADER.size + len(body) + CRC * checksum
    raw = HEADER.pack(timestamp, code, server_id, length, log_pos, flags) + body
    return sealed(raw + bytes(CRC)) if checksum else raw


class Format:
    """What a format description declares of the events after it."""

    def __init__(self, event: Event) -> None:
        body = event.raw[HEADER.size :]
        self.version = body[2:52].split(b"\0")[0].decode()
        self.is_mariadb = "mariadb" in self.version.lower()
        numbers = [int("".join(filter(str.isdigit, part)) or 0) for part in self.version.split("-")[0].split(".")[:3]]
        self.has_algorithm = tuple(numbers) >= ((5, 3) if self.is_mariadb else (5, 6, 1))
        self.checksummed = self.has_algorithm and body[-5] == 1
        self.lengths = body[57 : len(body) - 5 if self.has_algorithm else len(body)]

    def post_header(self, code: int) -> int | None:
        """Return the declared length of a type's post-header, None for a type that is not declared."""
        return self.lengths[code - 1] if 0 < code <= len(self.lengths) else None

    def body(self, event: Event) -> bytes:
        """Return an event's bytes between its header and its checksum."""
        return event.raw[HEADER.size : len(event.raw) - CRC * self.checksummed]


class Bytes:
    """A cursor over the bytes of a body."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        """Return the next bytes; raise ValueError where there are fewer."""
        if count < 0 or self.at + count > len(self.data):
            raise ValueError("the body is too short")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, count: int) -> int:
        """Return the next unsigned integer of so many bytes."""
        return int.from_bytes(self.take(count), "little")

    def varlen(self) -> int:
        """Return the next integer of Gtid_tagged: trailing one-bits of its first byte count the further bytes."""
        first = self.number(1)
        more = 0
        while more < 8 and first >> more & 1:
            more += 1
        rest = self.number(more)
        return rest if more == 8 else (first >> (more + 1)) | rest << (7 - more)

    def packed(self) -> int:
        """Return the next length-encoded integer."""
        first = self.number(1)
        return self.number({252: 2, 253: 3, 254: 8}[first]) if first > 250 else first


Source = tuple[bytes, str]
GtidSet = dict[Source, list[tuple[int, int]]]


def set_of_text(text: str) -> GtidSet:
    """Return the set that a text has: of each source and tag the intervals, both ends included."""
    intervals_of: GtidSet = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, *rest = part.split(":")
        source, tag = uuid.UUID(name).bytes, ""
        for each in rest:
            if not each[0].isdigit():
                tag = each.lower()
                continue
            first, _, last = each.partition("-")
            intervals_of.setdefault((source, tag), []).append((int(first), int(last or first)))
    return {key: _joined(intervals) for key, intervals in intervals_of.items()}


def set_of_body(body: bytes) -> GtidSet:
    """Return the set that the body of a Previous_gtids event has, in either form."""
    data = Bytes(body)
    count = data.number(8)
    tagged = count >> 56 == 1
    intervals_of: GtidSet = {}
    for _ in range(count >> 8 & (1 << 48) - 1 if tagged else count):
        source = data.take(16)
        tag = data.take(data.varlen()).decode() if tagged else ""
        intervals_of[source, tag] = [(data.number(8), data.number(8) - 1) for _ in range(data.number(8))]
    return {key: _joined(intervals) for key, intervals in intervals_of.items() if intervals}


def body_of_set(gtids: GtidSet, *, tagged: bool) -> bytes:
    """Return the body of a Previous_gtids event with a set."""
    written = [struct.pack("<Q", 1 << 56 | len(gtids) << 8 | 1 if tagged else len(gtids))]
    for source, tag in sorted(gtids):
        intervals = gtids[source, tag]
        written.append(source + (bytes([len(tag) << 1]) + tag.encode() if tagged else b""))
        written.append(struct.pack("<Q", len(intervals)))
        written.extend(struct.pack("<QQ", first, last + 1) for first, last in intervals)
    return b"".join(written)


def text_of_set(gtids: GtidSet) -> str:
    """Return a set as a text, with the name of its source before each tag."""
    parts = []
    for source, tag in sorted(gtids):
        ends = [f"{first}-{last}" if last > first else f"{first}" for first, last in gtids[source, tag]]
        parts.append(":".join([str(uuid.UUID(bytes=source)), *([tag] if tag else []), *ends]))
    return ",".join(parts)


def add(gtids: GtidSet, source: Source, number: int) -> None:
    """Add one GTID to a set."""
    gtids[source] = _joined([*gtids.get(source, []), (number, number)])


def contains(gtids: GtidSet, source: Source, first: int, last: int | None = None) -> bool:
    """Return whether a set has all GTIDs from one number to another."""
    return any(low <= first and (first if last is None else last) <= high for low, high in gtids.get(source, []))


def _joined(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for first, last in sorted(intervals):
        if out and first <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(last, out[-1][1]))
        else:
            out.append((first, last))
    return out


def gtid_of(event: Event, form: Format) -> tuple[Source, int]:
    """Return source, tag and number of a Gtid or Gtid_tagged event."""
    data = Bytes(form.body(event))
    if event.type == GTID:
        data.take(1)
        source = data.take(16)
        return (source, ""), data.number(8)
    data.varlen(), data.varlen(), data.varlen()
    source, tag, number = b"", "", 0
    while data.at < len(data.data):
        field = data.varlen()
        if field == 1:
            source = bytes(data.varlen() for _ in range(16))
        elif field == 2:
            coded = data.varlen()
            number = coded >> 1
        elif field == 3:
            tag = data.take(data.varlen()).decode()
        else:
            data.varlen()
    return (source, tag), number


def united(target: GtidSet, more: GtidSet) -> GtidSet:
    """Add a set to another one."""
    for source, intervals in more.items():
        for first, last in intervals:
            for number in range(first, last + 1):
                add(target, source, number)
    return target


def is_subset(small: GtidSet, large: GtidSet) -> bool:
    """Return whether all GTIDs of a set are in another one."""
    return all(contains(large, source, *ends) for source, intervals in small.items() for ends in intervals)


def serve(
    role: str,
    fields: list[str],
    abilities: list[str],
    answer: Callable[[dict[str, Any]], dict[str, Any]],
    profiles: Sequence[str] = PROFILES,
) -> None:
    """Answer the requests on standard input until there are no more."""
    declared = {"fields": fields, "abilities": abilities, "profiles": list(profiles)}
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "stop":
            return
        if request["cmd"] == "start":
            who = {"name": f"independent {role}", "version": "1", "language": "Python"}
            out: dict[str, Any] = {"protocol": 1, "implementation": who, "roles": {role: declared}}
        else:
            request["stream"] = base64.b64decode(request.get("stream", ""))
            out = {"seq": request["seq"], **answer(request)}
        print(json.dumps(out), flush=True)
