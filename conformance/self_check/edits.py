"""How a wrong answer differs from the right one, as edits, so that some of them can be made without the others."""

import zlib
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import GTID_TYPES
from conformance.binlog.header import HEADER_BYTES, LENGTH_AT, MAGIC, TYPE_AT
from conformance.binlog.servers import server_of
from conformance.oracles.checks.logged_groups import length_after
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.roles.registry import role_of
from conformance.self_check.gtid_places import PlacedGtid, placed_gtids

#: Where a header has the offset of the event's end.
_LOG_POS: Final = slice(13, 17)


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference of an answer: entries of the right answer, and what is in their place.

    Attributes:
        start: Index of the first entry of the right answer that is replaced.
        end: Index after the last one; the index after the last entry is that of the answer's end.
        first: Index of the first entry of the wrong answer in their place.
        last: Index after the last one.
    """

    start: int
    end: int
    first: int
    last: int


class Difference:
    """The difference of two answers to one question.

    Args:
        request: The question.
        right: The right answer.
        wrong: The wrong answer.

    Attributes:
        edits: The edits that make the wrong answer of the right one.
    """

    def __init__(self, request: Request, right: Observation, wrong: Observation) -> None:
        self._request = request
        self._right, self._wrong = right, wrong
        self._is_log = role_of(request.role).answers_streams
        parts = [_logged(each.streams, each.error) if self._is_log else _entries(each) for each in (right, wrong)]
        self._parts = parts
        self.edits = tuple(_edits(*parts))

    def with_edits(self, edits: Collection[Edit]) -> Observation:
        """Return the right answer with some of the edits."""
        right, wrong = self._parts
        made: list[_Part] = []
        at = 0
        for edit in edits:
            made += right[at : edit.start]
            made += wrong[edit.first : edit.last]
            at = edit.end
        made += right[at:]
        if self._is_log:
            return self._streams(made)
        ending = made[-1].content if made and made[-1].key == _END else None
        events = tuple(part.content for part in made if part.key != _END)
        return replace(self._right, events=events, error=ending)

    def _streams(self, parts: Sequence["_Part"]) -> Observation:
        """Return logs of some events, with the offsets and checksums that follow from their places."""
        count = max((part.log for part in parts), default=-1) + 1
        streams = [bytearray(MAGIC) for _ in range(count)]
        numbers = [0] * count
        for place, part in enumerate(parts):
            if part.key == _END:
                continue
            if part.code in GTID_TYPES:
                numbers[part.log] += 1
            data = part.data
            if part.gtid is not None:
                of_log = [each for each in parts[place + 1 :] if each.key != _END and each.log == part.log]
                after = length_after([each.code for each in of_log], [len(each.data) for each in of_log])
                data = part.gtid.at(numbers[part.log], after)
            streams[part.log] += _placed(part, data, len(streams[part.log]))
        return observed_streams([bytes(each) for each in streams], server_of(self._request.profile).rules)


#: The key of an answer's end.
_END: Final = ("end",)


@dataclass(frozen=True, slots=True)
class _Part:
    """An entry of an answer, or its end.

    Attributes:
        key: What it is about: equal parts of two answers have equal keys.
        content: The entry, the error with which the answer ends, or what an event is besides its place.
        log: The number of the log, where the answer is logs.
        data: The event's bytes.
        off: By how many bytes the event's end differs from the one that it records.
        has_checksum: Whether the event ends with its checksum.
        gtid: What follows from the place of a Gtid event; None for another event.
    """

    key: Hashable
    content: Any
    log: int = 0
    data: bytes = b""
    off: int = 0
    has_checksum: bool = False
    gtid: PlacedGtid | None = None

    @property
    def code(self) -> int:
        """The type code of the event."""
        return self.data[TYPE_AT] if len(self.data) >= HEADER_BYTES else 0


def _entries(answer: Observation) -> list[_Part]:
    parts = []
    for index, entry in enumerate(answer.events):
        place = entry.get("offset", entry.get("pos"))
        key: Hashable = index if place is None else ("at", place)
        if "data" in entry:
            key = ("data", entry.get("log", 0), entry["data"][8:10], entry["data"][2 * HEADER_BYTES :][:64])
        parts.append(_Part(key, entry))
    return [*parts, _Part(_END, answer.error)]


# The right answer to a question is compared with one wrong answer after another.
@lru_cache(maxsize=2)
def _logged(streams: tuple[bytes, ...], error: Refusal | None) -> list[_Part]:
    parts = []
    for log, stream in enumerate(streams):
        events = [*_split(stream)]
        at = len(MAGIC)
        for data, gtid in zip(events, placed_gtids(events), strict=True):
            at += len(data)
            body = data[HEADER_BYTES:]
            has_checksum = zlib.crc32(data[:-CHECKSUM_BYTES]) == int.from_bytes(data[-CHECKSUM_BYTES:], "little")
            off = int.from_bytes(data[_LOG_POS], "little") - at
            # Where the event is, and so its end and its checksum, follows from the events before it.
            own = bytes(body[:-CHECKSUM_BYTES] if has_checksum else body)
            if gtid is not None:
                own = gtid.without_place()
            content = (data[:4], own, off, has_checksum)
            key = (log, data[4:9], data[17:HEADER_BYTES], own)
            parts.append(_Part(key, content, log, data, off, has_checksum, gtid))
    return [*parts, _Part(_END, error)]


def _split(stream: bytes) -> Iterator[bytes]:
    """Yield the events of a log."""
    at = len(MAGIC)
    while at < len(stream):
        length = max(int.from_bytes(stream[at + LENGTH_AT : at + LENGTH_AT + 4], "little"), HEADER_BYTES)
        yield stream[at : at + length]
        at += length


def _placed(part: _Part, event: bytes, at: int) -> bytes:
    """Return an event's bytes at an offset, with the end and the checksum that belong to it there."""
    data = bytearray(event)
    if len(data) < HEADER_BYTES:
        return bytes(data)
    data[_LOG_POS] = ((at + len(data) + part.off) & 0xFFFFFFFF).to_bytes(4, "little")
    if part.has_checksum:
        data[-CHECKSUM_BYTES:] = zlib.crc32(data[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
    return bytes(data)


def _edits(right: list[_Part], wrong: list[_Part]) -> Iterator[Edit]:
    """Yield the edits; what is missing or added before the answer's end, and the entry that reports a stop, as one."""
    edits = list(_with_swaps(right, wrong, _single_edits(right, wrong)))
    last = len(right)
    while len(edits) > 1 and edits[-1].end == last and _adjoin(edits) and _is_shorter(edits[-2]):
        _join(edits)
    stops = wrong[-1].content is not None and bool(edits) and edits[-1].end == last and _is_shorter(edits[-1])
    if stops and len(edits) > 1 and _adjoin(edits):
        _join(edits)  # Nothing follows an entry that reports a stop because of that stop.
    yield from edits


def _with_swaps(right: list[_Part], wrong: list[_Part], edits: Iterator[Edit]) -> Iterator[Edit]:
    """Yield edits, two as one if they swap two entries: each without the other would double one and lose one."""
    last: list[Edit] = []
    for edit in edits:
        last.append(edit)
        if len(last) < 2:
            continue
        of_both = (right[last[0].start : edit.end], wrong[last[0].first : edit.last])
        one, other = ([part.key for part in each] for each in of_both)
        if _adjoin(last) and len(one) == 2 and one == other[::-1]:
            _join(last)
        else:
            yield last.pop(0)
    yield from last


def _adjoin(edits: list[Edit]) -> bool:
    """Return whether nothing is between the last two edits."""
    return edits[-2].end == edits[-1].start


def _join(edits: list[Edit]) -> None:
    """Make one of the last two edits."""
    edits[-2:] = [Edit(edits[-2].start, edits[-1].end, edits[-2].first, edits[-1].last)]


def _is_shorter(edit: Edit) -> bool:
    return edit.end - edit.start != edit.last - edit.first


def _single_edits(right: list[_Part], wrong: list[_Part]) -> Iterator[Edit]:
    keys = [part.key for part in right], [part.key for part in wrong]
    if keys[0] == keys[1] or len(right) == len(wrong):
        yield from _of_equal_length(right, wrong, 0, 0, len(right))
        return
    for tag, start, end, first, last in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag == "equal" or end - start == last - first:
            yield from _of_equal_length(right, wrong, start, first, end - start)
        else:
            yield Edit(start, end, first, last)


def _of_equal_length(right: list[_Part], wrong: list[_Part], start: int, first: int, count: int) -> Iterator[Edit]:
    for number in range(count):
        one, other = right[start + number], wrong[first + number]
        if (one.key, one.content) != (other.key, other.content):
            yield Edit(start + number, start + number + 1, first + number, first + number + 1)
