"""Events as a replica sees them, each made in one line; offsets and positions are consecutive."""

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.replica.replica_event import ReplicaEvent

#: The GTIDs of these tests have this UUID.
UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
#: Bytes of each event.
LENGTH = 50
SOURCE_ID = 1
REPLICA_ID = 100


def event(code, **fields):
    return {"type": int(code), **fields}


def query(text):
    return event(EventType.QUERY, query=text)


def gtid(number):
    return event(EventType.GTID, gtid=f"{UUID}:{number}")


def format_description():
    return event(EventType.FORMAT_DESCRIPTION)


def rotate(name, position=4, **fields):
    return event(EventType.ROTATE, next_file=name, next_position=position, **fields)


ANONYMOUS = event(EventType.ANONYMOUS_GTID, gtid="ANONYMOUS")
BEGIN = query("BEGIN")
COMMIT = query("COMMIT")
INSERT = query("INSERT INTO t1 VALUES (1)")
CREATE = query("CREATE TABLE t2 (a INT)")
XID = event(EventType.XID)
INTVAR = event(EventType.INTVAR)
TABLE_MAP = event(EventType.TABLE_MAP)
ROWS = event(EventType.WRITE_ROWS)
LAST_ROWS = event(EventType.WRITE_ROWS, ends_statement=True)
UNKNOWN = event(99, recognised=False, flags=int(Flag.IGNORABLE))
NAMES_LOG = rotate("binlog.000001", flags=int(Flag.ARTIFICIAL), log_pos=0)


def stream(*made):
    """Return the events one after another, from offset 4."""
    placed = []
    at = 4
    for fields in made:
        placed.append(ReplicaEvent(**{"offset": at, "length": LENGTH, "log_pos": at + LENGTH, **fields}))
        at += LENGTH
    return placed
