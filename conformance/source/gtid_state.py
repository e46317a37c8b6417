"""The GTIDs of a server: which are executed, and which number is next."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from conformance.binlog.gtid_set import GNO_END, GtidSet, Interval, Source, uuid_text

_GTID: Final = re.compile(
    r"(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::(?P<tag>[a-z_][a-z0-9_]{0,31}))?:(?P<gno>[1-9][0-9]{0,18})"
)


@dataclass(frozen=True, slots=True, order=True)
class Gtid:
    """One GTID: UUID (16 bytes), tag (empty for none), number."""

    uuid: bytes
    tag: str
    gno: int

    def __str__(self) -> str:
        return ":".join([uuid_text(self.uuid), *([self.tag] if self.tag else []), str(self.gno)])

    @classmethod
    def parse(cls, text: str) -> "Gtid":
        """Read ``UUID:NUMBER`` or ``UUID:TAG:NUMBER``.

        Raises:
            ValueError: It is no GTID.
        """
        found = _GTID.fullmatch(text)
        if found is None or int(found["gno"]) >= GNO_END:
            raise ValueError(f"{text!r} is no GTID: it is UUID:NUMBER or UUID:TAG:NUMBER")
        return cls(UUID(found["uuid"]).bytes, found["tag"] or "", int(found["gno"]))


class ExecutedGtids:
    """The set of executed GTIDs, which grows."""

    def __init__(self, gtids: Iterable[Gtid] = ()) -> None:
        self._gtids = set(gtids)

    def __contains__(self, gtid: Gtid) -> bool:
        return gtid in self._gtids

    def __iter__(self) -> Iterator[Gtid]:
        return iter(sorted(self._gtids))

    def add(self, gtid: Gtid) -> None:
        """Add one."""
        self._gtids.add(gtid)

    def next_of(self, uuid: bytes) -> Gtid:
        """Return the lowest GTID of a source, without a tag, that is not in the set."""
        used = {each.gno for each in self._gtids if each.uuid == uuid and not each.tag}
        return Gtid(uuid, "", next(gno for gno in range(1, len(used) + 2) if gno not in used))

    def as_set(self) -> GtidSet:
        """Return the set as Previous_gtids events hold it; in the tagged form as soon as one GTID has a tag."""
        sources: dict[tuple[bytes, str], list[Interval]] = {}
        for gtid in sorted(self._gtids):
            intervals = sources.setdefault((gtid.uuid, gtid.tag), [])
            if intervals and intervals[-1].end == gtid.gno:
                intervals[-1] = Interval(intervals[-1].start, gtid.gno + 1)
            else:
                intervals.append(Interval(gtid.gno, gtid.gno + 1))
        made = tuple(Source(uuid, tuple(intervals), tag) for (uuid, tag), intervals in sources.items())
        return GtidSet(made, tagged=any(each.tag for each in made))

    @classmethod
    def of_set(cls, gtids: GtidSet) -> "ExecutedGtids":
        """Return the set that holds what a Previous_gtids event holds."""
        return cls(
            Gtid(source.uuid, source.tag, gno)
            for source in gtids.sources
            for interval in source.intervals
            for gno in range(interval.start, interval.end)
        )
