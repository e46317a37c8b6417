"""Where the group begins that is open: a client that resumes at whole groups goes back there."""

import pytest

from conformance.binlog.event_types import EventType
from conformance.models.replica.open_group import OpenGroup

GTID, QUERY, XID, ROWS = EventType.GTID, EventType.QUERY, EventType.XID, EventType.WRITE_ROWS
TABLE_MAP, INTVAR, ROTATE = EventType.TABLE_MAP, EventType.INTVAR, EventType.ROTATE
MARIADB_GTID = EventType.MARIADB_GTID


def query(text):
    return {"type": QUERY, "query": text}


STREAMS = {
    "a transaction": ([{"type": GTID}, query("BEGIN"), {"type": TABLE_MAP}, {"type": ROWS}, {"type": XID}], "0000-"),
    "a definition": ([{"type": GTID}, query("CREATE TABLE t (a INT)"), {"type": ROTATE}], "0--"),
    "an old transaction": ([query("BEGIN"), query("INSERT INTO t VALUES (1)"), query("COMMIT")], "00-"),
    "a value and its statement": ([{"type": INTVAR}, query("INSERT INTO t VALUES (NULL)")], "0-"),
    "an XA transaction": (
        [{"type": GTID}, query("XA START 'a'"), query("XA END 'a'"), {"type": EventType.XA_PREPARE}],
        "000-",
    ),
    "MariaDB's transaction": ([{"type": MARIADB_GTID, "mariadb_gtid_flags": 0}, query("INSERT"), {"type": XID}], "00-"),
    "MariaDB's statement": ([{"type": MARIADB_GTID, "mariadb_gtid_flags": 1}, query("INSERT"), query("INSERT")], "0--"),
    "an event of an unknown type before it": (
        [{"type": 99, "handled": "ignored"}, {"type": GTID}, query("BEGIN"), {"type": XID}],
        "0,01,01,-",
    ),
    "a group within another": (
        [{"type": GTID}, query("BEGIN"), {"type": GTID}, query("BEGIN"), {"type": XID}],
        "0,0,02,02,-",
    ),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_group_is_open_to_its_last_event(name):
    events, wanted = STREAMS[name]
    group = OpenGroup()
    seen = [group.after({**event, "offset": number}) for number, event in enumerate(events)]
    expected = wanted.split(",") if "," in wanted else list(wanted)
    assert seen == [tuple(map(int, each.replace("-", ""))) for each in expected]
