"""Short names for the events of a boundary test."""

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.fed_event import FedEvent

NOT_DEFINED = BoundaryType.NOT_DEFINED
IGNORE = BoundaryType.IGNORE_BOUNDARY
SELF = BoundaryType.SELF_CONTAINED
START = BoundaryType.START_TRANSACTION
INSIDE = BoundaryType.INSIDE_TRANSACTION
END = BoundaryType.END_TRANSACTION


def query(text: str) -> FedEvent:
    return FedEvent(EventType.QUERY, 0, text.encode())


def plain(kind: EventType, flags: int = 0) -> FedEvent:
    return FedEvent(kind, flags)


def marked(value: int, event: FedEvent | None = None) -> FedEvent:
    """Return the event with a marker; by default an Xid, as the type of a marked event has no effect."""
    event = event or FedEvent(EventType.XID)
    return FedEvent(event.type, MARKER_BITS.write(event.flags, value), event.query)


BEGIN, COMMIT, ROLLBACK = query("BEGIN"), query("COMMIT"), query("ROLLBACK")
CREATE, INSERT = query("CREATE TABLE t (a INT)"), query("INSERT INTO t VALUES (1)")
GTID, ANONYMOUS = plain(EventType.GTID), plain(EventType.ANONYMOUS_GTID)
INTVAR, RAND, USER_VAR = plain(EventType.INTVAR), plain(EventType.RAND), plain(EventType.USER_VAR)
TABLE_MAP, ROWS, XID = plain(EventType.TABLE_MAP), plain(EventType.WRITE_ROWS), plain(EventType.XID)
ROTATE, FAKE_ROTATE = plain(EventType.ROTATE), plain(EventType.ROTATE, Flag.ARTIFICIAL)
STOP, HEARTBEAT, INCIDENT = plain(EventType.STOP), plain(EventType.HEARTBEAT), plain(EventType.INCIDENT)
FORMAT, PREVIOUS = plain(EventType.FORMAT_DESCRIPTION), plain(EventType.PREVIOUS_GTIDS)
BEGIN_LOAD, EXECUTE_LOAD = plain(EventType.BEGIN_LOAD_QUERY), FedEvent(EventType.EXECUTE_LOAD_QUERY, 0, b"LOAD DATA")
