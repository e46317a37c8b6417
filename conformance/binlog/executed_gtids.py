"""Which GTIDs were used: intervals for each source, so that a log of any length takes little memory."""

from bisect import bisect_right
from itertools import pairwise
from uuid import UUID

from conformance.binlog.gtid_set import GtidSet, Interval, Source


def gtid_parts(gtid: str) -> tuple[bytes, str, int]:
    """Return source, tag and number of a GTID, ``UUID:NUMBER`` or ``UUID:TAG:NUMBER``.

    Raises:
        ValueError: The text is not a valid GTID.
    """
    parts = gtid.split(":")
    if len(parts) not in (2, 3):
        raise ValueError(f"{gtid!r} is not a valid GTID: write UUID:NUMBER or UUID:TAG:NUMBER")
    return UUID(parts[0]).bytes, parts[1] if len(parts) == 3 else "", int(parts[-1])


class ExecutedGtids:
    """A set of GTIDs that grows.

    Attributes:
        size: The number of its intervals.

    Args:
        gtids: The GTIDs that it begins with.
    """

    def __init__(self, gtids: GtidSet | None = None) -> None:
        # (uuid, tag) -> ascending intervals, ends exclusive, none touching the next.
        self._intervals: dict[tuple[bytes, str], list[Interval]] = {}
        self.size = 0
        self.add_set(gtids or GtidSet())

    def __contains__(self, gtid: str) -> bool:
        uuid, tag, number = gtid_parts(gtid)
        intervals = self._intervals.get((uuid, tag), [])
        index = bisect_right(intervals, number, key=lambda each: each.start)
        return index > 0 and number < intervals[index - 1].end

    def add(self, uuid: bytes, tag: str, number: int) -> bool:
        """Add one GTID; return False if the set already contains it."""
        intervals = self._intervals.setdefault((uuid, tag), [])
        if intervals and intervals[-1].end == number:
            intervals[-1] = Interval(intervals[-1].start, number + 1)
            return True
        index = bisect_right(intervals, number, key=lambda each: each.start)
        if index and number < intervals[index - 1].end:
            return False
        before = len(intervals)
        start, end = number, number + 1
        if index < len(intervals) and intervals[index].start == end:
            end = intervals.pop(index).end
        if index and intervals[index - 1].end == start:
            index -= 1
            start = intervals.pop(index).start
        intervals.insert(index, Interval(start, end))
        self.size += len(intervals) - before
        return True

    def add_set(self, gtids: GtidSet) -> None:
        """Add a whole set."""
        for source in gtids.sources:
            key = (source.uuid, source.tag)
            before = self._intervals.get(key, [])
            merged = self._intervals[key] = _merge([*before, *source.intervals])
            self.size += len(merged) - len(before)

    def is_disjoint(self, other: "ExecutedGtids") -> bool:
        """Return whether no GTID is in both sets."""
        for key, intervals in other._intervals.items():
            ascending = sorted([*intervals, *self._intervals.get(key, ())])
            if any(one.end > next_one.start for one, next_one in pairwise(ascending)):
                return False
        return True

    def next_of(self, uuid: bytes) -> int:
        """Return the lowest number of a source, without a tag, that is not in the set."""
        intervals = self._intervals.get((uuid, ""))
        return intervals[0].end if intervals and intervals[0].start == 1 else 1

    def gtids(self) -> GtidSet:
        """Return the set as it is now, sources ascending."""
        sources = tuple(Source(uuid, tuple(each), tag) for (uuid, tag), each in sorted(self._intervals.items()))
        return GtidSet(sources, tagged=any(source.tag for source in sources))

    def missing_in(self, gtids: GtidSet) -> GtidSet:
        """Return the GTIDs of this set that `gtids` lacks."""
        there = {(source.uuid, source.tag): source.intervals for source in gtids.sources}
        missing = []
        for (uuid, tag), intervals in sorted(self._intervals.items()):
            left = tuple(part for each in intervals for part in _subtract(each, there.get((uuid, tag), ())))
            if left:
                missing.append(Source(uuid, left, tag))
        return GtidSet(tuple(missing), tagged=any(source.tag for source in missing))


def _merge(intervals: list[Interval]) -> list[Interval]:
    merged: list[Interval] = []
    for each in sorted(intervals):
        if merged and each.start <= merged[-1].end:
            merged[-1] = Interval(merged[-1].start, max(merged[-1].end, each.end))
        else:
            merged.append(each)
    return merged


def _subtract(interval: Interval, others: tuple[Interval, ...]) -> list[Interval]:
    """Return the parts of an interval that ascending `others` leave over."""
    parts = []
    start = interval.start
    for other in others:
        if other.end <= start:
            continue
        if other.start >= interval.end:
            break
        if other.start > start:
            parts.append(Interval(start, other.start))
        start = other.end
    if start < interval.end:
        parts.append(Interval(start, interval.end))
    return parts
