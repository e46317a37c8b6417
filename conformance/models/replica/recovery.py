"""Recovery: the GTIDs that a server finds in its own logs when it starts (WL#7592, Plan 10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.gtid_set import GtidSet


@dataclass(frozen=True, slots=True, kw_only=True)
class LogGtids:
    """The GTIDs in one log, for recovery.

    Attributes:
        name: Name of the log.
        previous: The set of its Previous_gtids event, None if it has none.
        gtids: The GTIDs of its Gtid events, in order; Anonymous_gtid events have none.
    """

    name: str
    previous: GtidSet | None = None
    gtids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """The result of a recovery.

    Attributes:
        executed: The GTIDs executed.
        read: Names of the logs that were read, in the order of reading: the newest first.
    """

    executed: GtidSet
    read: tuple[str, ...]


#: (has a Previous_gtids event, has Gtid events, simplified) -> whether the search ends at a log.
_ENDS: Final[dict[tuple[bool, bool, bool], bool]] = {
    (False, False, False): False,
    (False, True, False): False,
    (True, False, False): False,
    (True, True, False): True,
    # The worklog's simplified recovery ends at a log without a Previous_gtids event, and, because servers always
    # write one, also at a log that has one and no Gtid event.
    (False, False, True): True,
    (False, True, True): True,
    (True, False, True): True,
    (True, True, True): True,
}


def recover(logs: Sequence[LogGtids], *, simplified: bool) -> Recovered:
    """Return the GTIDs that a server finds in a series of logs.

    Args:
        logs: The series, the oldest first.
        simplified: Whether simplified recovery is on.
    """
    executed = ExecutedGtids()
    read = []
    for log in reversed(logs):
        read.append(log.name)
        executed.add_set(log.previous or GtidSet())
        for gtid in log.gtids:
            executed.add(*gtid_parts(gtid))
        if _ENDS[log.previous is not None, bool(log.gtids), simplified]:
            break
    return Recovered(executed=executed.gtids(), read=tuple(read))
