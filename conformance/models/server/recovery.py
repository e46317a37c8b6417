"""The executed GTIDs that a server recovers when it starts again.

Source: WL#7592, plan 10, for the worklog's server, which has only its logs. Shipped servers since 5.7 also keep the set
in a table, so they lose nothing.
"""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.gtid_set import GtidSet
from conformance.models.server.gtid import Gtid
from conformance.models.server.logged_event import PlannedLog
from conformance.models.server.settings import Settings

#: The events that name a GTID.
_WITH_GTID: Final = GTID_TYPES - {EventType.ANONYMOUS_GTID}


def executed_after_restart(logs: Sequence[PlannedLog], executed: ExecutedGtids, settings: Settings) -> ExecutedGtids:
    """Return the executed GTIDs with which a server continues.

    Args:
        logs: Its binary logs, oldest first.
        executed: The GTIDs executed when it stopped.
        settings: The settings with which it starts.
    """
    if settings.profile != "worklog":
        return executed
    recovered = ExecutedGtids()
    for log in reversed(logs):
        gtids = gtids_in(log)
        for gtid in gtids:
            recovered.add(*gtid)
        recovered.add_set(log.previous_gtids or GtidSet())
        # Simplified recovery ends at a log without Previous_gtids, and at one with it and without a Gtid event.
        complete = log.previous_gtids is not None and bool(gtids)
        if complete or settings.binlog_gtid_simple_recovery:
            return recovered
    return recovered


def gtids_in(log: PlannedLog) -> list[Gtid]:
    """Return the GTIDs of a log's transactions."""
    return [
        Gtid(event.fields["source_uuid"], event.fields.get("tag", b"").decode(), event.fields["gno"])
        for event in log.events
        if event.type in _WITH_GTID
    ]
