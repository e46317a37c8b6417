"""GTID sets: the content of a Previous_gtids event, as text and as bytes."""

import re
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from uuid import UUID

from conformance.binlog.errors import MalformedBody
from conformance.binlog.limits import check_values

#: The largest value that the exclusive end of an interval may have.
GNO_END: Final = 2**63 - 1

#: A tag, in lower case.
_TAG: Final = re.compile(r"[a-z_][a-z0-9_]{0,31}")
#: In the tagged form the count word is (1 << 56) | (count << 8) | 1.
_TAGGED: Final = 1


@lru_cache(maxsize=4096)
def uuid_text(uuid: bytes) -> str:
    """Return a UUID of 16 bytes as text. Cached, as a log repeats the same few sources."""
    return str(UUID(bytes=uuid))


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """Transaction numbers from `start` to `end`, exclusive."""

    start: int
    end: int

    def __str__(self) -> str:
        return str(self.start) if self.end == self.start + 1 else f"{self.start}-{self.end - 1}"


@dataclass(frozen=True, slots=True)
class Source:
    """The transactions of one source: UUID (16 bytes), tag (8.3 and later; else empty), intervals."""

    uuid: bytes
    intervals: tuple[Interval, ...]
    tag: str = ""

    def __str__(self) -> str:
        name = uuid_text(self.uuid) + (f":{self.tag}" if self.tag else "")
        return ":".join([name, *map(str, self.intervals)])


@dataclass(frozen=True, slots=True)
class GtidSet:
    """A set of GTIDs, source by source, in the order of the bytes.

    Attributes:
        sources: One entry for each (UUID, tag).
        tagged: Written in the form of 8.3 and later, which has room for tags.
    """

    sources: tuple[Source, ...] = ()
    tagged: bool = False

    def __str__(self) -> str:
        """Return the set as servers print it, without line breaks; the empty set is the empty string."""
        parts: list[str] = []
        for index, source in enumerate(self.sources):
            follows = index > 0 and self.sources[index - 1].uuid == source.uuid and bool(source.tag)
            text = str(source)
            parts.append(":" + text.split(":", 1)[1] if follows else ("," if parts else "") + text)
        return "".join(parts)

    @classmethod
    def from_bytes(cls, data: bytes) -> "GtidSet":
        """Read the body of a Previous_gtids event.

        Raises:
            MalformedBody: The bytes end early, continue after the set, or an interval does not ascend.
            LimitExceeded: It has more sources and intervals than may be held.
        """
        return _SetReader(data).read()

    @classmethod
    def from_text(cls, text: str) -> "GtidSet":
        """Read a set as servers print it.

        Raises:
            ValueError: The text is not a GTID set.
        """
        sources: dict[tuple[bytes, str], list[Interval]] = {}
        for each in "".join(text.split()).split(",") if text.strip() else ():
            name, *parts = each.split(":")
            uuid, tag = UUID(name).bytes, ""
            if not any(part[:1].isdigit() for part in parts):
                raise ValueError(f"{each!r} has no transaction number")
            for part in parts:
                if part[:1].isdigit():
                    first, _, last = part.partition("-")
                    sources.setdefault((uuid, tag), []).append(Interval(int(first), int(last or first) + 1))
                elif _TAG.fullmatch(part.lower()):
                    tag = part.lower()
                else:
                    raise ValueError(f"{part!r} in {each!r} is neither a number nor a tag")
        tagged = any(tag for _, tag in sources)
        return cls(tuple(Source(uuid, tuple(each), tag) for (uuid, tag), each in sources.items()), tagged)

    def to_bytes(self) -> bytes:
        """Return the body of a Previous_gtids event that holds this set."""
        count = len(self.sources)
        head = (_TAGGED << 56) | (count << 8) | _TAGGED if self.tagged else count
        parts = [struct.pack("<Q", head)]
        for source in self.sources:
            parts.append(source.uuid)
            if self.tagged:
                tag = source.tag.encode()
                parts.append(bytes([len(tag) << 1]) + tag)
            parts.append(struct.pack("<Q", len(source.intervals)))
            parts.extend(struct.pack("<qq", each.start, each.end) for each in source.intervals)
        return b"".join(parts)


class _SetReader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._entries = 0

    def read(self) -> GtidSet:
        (head,) = self._unpack("<Q")
        tagged = head >> 56 == _TAGGED
        count = (head >> 8) & 0xFFFFFFFFFFFF if tagged else head
        sources = tuple(self._source(tagged=tagged) for _ in range(self._check_count(count, 24)))
        if self._at != len(self._data):
            raise MalformedBody(f"{len(self._data) - self._at} bytes follow the GTID set")
        return GtidSet(sources, tagged)

    def _source(self, *, tagged: bool) -> Source:
        uuid = self._take(16)
        tag = ""
        if tagged:
            size = self._take(1)[0]
            if size & 1:
                raise MalformedBody(f"{size:#04x} is not a valid tag length byte: a tag has at most 32 characters")
            tag = self._take(size >> 1).decode("ascii", "replace")
        (count,) = self._unpack("<Q")
        intervals: list[Interval] = []
        last = 0
        for _ in range(self._check_count(count, 16)):
            start, end = self._unpack("<qq")
            if not last < start < end:
                raise MalformedBody(f"the interval {start} to {end} (exclusive) does not ascend from {last}")
            intervals.append(Interval(start, end))
            last = end
        return Source(uuid, tuple(intervals), tag)

    def _check_count(self, count: int, size: int) -> int:
        left = len(self._data) - self._at
        if count * size > left:
            raise MalformedBody(f"{count} entries of at least {size} bytes do not fit in {left} bytes")
        self._entries += count
        check_values(self._entries, "entries in a GTID set")
        return count

    def _take(self, size: int) -> bytes:
        if self._at + size > len(self._data):
            raise MalformedBody(f"the GTID set ends after {len(self._data)} bytes, inside an entry")
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken

    def _unpack(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self._take(struct.calcsize(form)))
