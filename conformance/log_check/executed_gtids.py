"""Which GTIDs were used: intervals for each source, so that a log of any length takes little memory."""

from bisect import bisect_right

from conformance.binlog.gtid_set import GtidSet, Interval, Source


class ExecutedGtids:
    """A set of GTIDs that grows."""

    def __init__(self) -> None:
        # (uuid, tag) -> ascending intervals, ends exclusive, none touching the next.
        self._intervals: dict[tuple[bytes, str], list[Interval]] = {}

    def add(self, uuid: bytes, tag: str, number: int) -> bool:
        """Add one GTID; False where it is in the set already."""
        intervals = self._intervals.setdefault((uuid, tag), [])
        index = bisect_right(intervals, number, key=lambda each: each.start)
        if index and number < intervals[index - 1].end:
            return False
        start, end = number, number + 1
        if index < len(intervals) and intervals[index].start == end:
            end = intervals.pop(index).end
        if index and intervals[index - 1].end == start:
            index -= 1
            start = intervals.pop(index).start
        intervals.insert(index, Interval(start, end))
        return True

    def add_set(self, gtids: GtidSet) -> None:
        """Add a whole set to an empty one, or to sources that it does not name yet."""
        for source in gtids.sources:
            self._intervals.setdefault((source.uuid, source.tag), []).extend(source.intervals)

    def missing_in(self, gtids: GtidSet) -> GtidSet:
        """Return the GTIDs of this set that `gtids` lacks."""
        there = {(source.uuid, source.tag): source.intervals for source in gtids.sources}
        missing = []
        for (uuid, tag), intervals in sorted(self._intervals.items()):
            left = tuple(part for each in intervals for part in _without(each, there.get((uuid, tag), ())))
            if left:
                missing.append(Source(uuid, left, tag))
        return GtidSet(tuple(missing))


def _without(interval: Interval, others: tuple[Interval, ...]) -> list[Interval]:
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
