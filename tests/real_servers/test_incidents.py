"""How servers log that events were lost: as a transaction or alone."""

import pymysql
import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.binlog.servers import WITH_GTIDS, WITH_INCIDENT_TRANSACTIONS, server_of
from conformance.servers.real_server import running
from tests.extras import require

require("servers")

#: A statement that cannot be undone and does not fit into these is lost.
CACHES = [f"--{name}=4096" for name in ("binlog_stmt_cache_size", "max_binlog_stmt_cache_size")]
GTIDS = ["--gtid-mode=ON", "--enforce-gtid-consistency", "--log-slave-updates"]
MARKERS = {EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED, EventType.MARIADB_GTID}


@pytest.mark.parametrize("gtids", [False, True], ids=["plain", "gtids"])
def test_an_incident_has_a_gtid_event_where_servers_log_it_as_a_transaction(product, template_of, tmp_path, gtids):
    if gtids and product.profile.name not in WITH_GTIDS:
        pytest.skip("has no gtid_mode")
    options = [*CACHES, "--binlog_format=ROW", *(GTIDS if gtids else [])]
    with running(product, tmp_path / "data", options=options, template=template_of(product)) as server:
        server.run("CREATE DATABASE d1", "CREATE TABLE d1.m (a LONGTEXT) ENGINE=MyISAM")
        with pytest.raises(pymysql.err.MySQLError, match="1705"):
            server.run("INSERT INTO d1.m VALUES (REPEAT('x', 100000))")
        logged = [
            event.header.type
            for path in server.logs()
            for event in read_events(path.read_bytes(), server_of(product.profile.name).rules)
        ]
    before = logged[logged.index(EventType.INCIDENT) - 1]
    assert (before in MARKERS) == (product.profile.name in WITH_INCIDENT_TRANSACTIONS)
