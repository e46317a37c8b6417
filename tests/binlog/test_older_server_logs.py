"""Logs of older servers are read to the ends that the servers list, and written again byte for byte."""

import pytest
from older_servers import SERVERS, logs_of, version_of_server

from conformance.binlog.reader import read_events
from conformance.binlog.rows.open_tables import row_changes
from conformance.binlog.writer import rewrite

pytestmark = pytest.mark.ground_truth


@pytest.mark.parametrize("server", SERVERS)
def test_a_log_is_read_to_its_end_and_rewritten_byte_for_byte(ground_truth, server):
    logs = logs_of(ground_truth, server)
    assert len(logs) == SERVERS[server]
    for log in logs:
        data = log.path.read_bytes()
        events = list(read_events(data))
        assert data[:4] + b"".join(map(rewrite, events)) == data, log.name
        assert events[0].format.server_version == version_of_server(ground_truth, server)
        # Rows can be read with the tables before them.
        assert all(change.rows is not None for change in row_changes(events)), log.name


@pytest.mark.parametrize("server", SERVERS)
def test_an_event_begins_and_ends_where_the_server_lists_it(ground_truth, server):
    for log in logs_of(ground_truth, server):
        if not log.listing.exists():
            continue
        events = list(read_events(log.path.read_bytes()))
        rows = [row.split(b"\t") for row in log.listing.read_bytes().split(b"\n") if row.startswith(b"bin.")]
        for row, event in zip(rows, events, strict=False):
            # MariaDB 11.4 gives an event inside a transaction no end.
            assert (int(row[1]), int(row[4])) in ((event.offset, event.end), (event.offset, 0)), log.name
