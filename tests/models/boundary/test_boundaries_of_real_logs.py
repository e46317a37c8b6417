"""Real logs through both parsers: servers follow the parser that they ship, and the worklog's in all that it knows."""

from contextlib import suppress
from pathlib import Path

import pytest
from real_files import ALL, LISTED

from conformance.binlog.errors import BinlogError
from conformance.binlog.event import Event
from conformance.binlog.event_types import type_name
from conformance.binlog.format_description import version_tuple
from conformance.binlog.reader import read_file
from conformance.models.boundary.fed_event import FedEvent, fed_events
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import ShippedVersion
from conformance.models.boundary.worklog_parser import ParserStep, WorklogParser
from conformance.protocol.observation import Request
from conformance.reference.boundary import answer

pytestmark = pytest.mark.ground_truth

_LONE_ROWS = "rows of a table without transactions, which servers before 5.5 log without BEGIN"
_LONE_LOAD = "LOAD DATA of such a table: Begin_load_query is not in a transaction"
_XA = "XA START is an ordinary statement in the worklog, so it ends what the Gtid event began"
_PAYLOAD = "a compressed transaction, which the worklog does not know: a Transaction_payload is self-contained"
_MARIADB = "MariaDB's Gtid event, which also means BEGIN, is an unknown event in the worklog"
_CUT = "events were removed from the log: a transaction has no end"

#: File -> the first event that the worklog's parser warns about: offset, type, cell, and why.
WARNED = {
    "real-binlogs/5.1.23_ver_5_1_23.001": (425, "TABLE_MAP", "SELF-INSIDE", _LONE_ROWS),
    "real-binlogs/5.2.2_ver_5_1-wl2325_r.001": (428, "TABLE_MAP", "SELF-INSIDE", _LONE_ROWS),
    "real-binlogs/5.2.2_ver_5_1-wl2325_s.001": (874, "BEGIN_LOAD_QUERY", "END-INSIDE", _LONE_LOAD),
    "real-binlogs/8.0.30_duplicate_xid_xa_prepare.000001": (326, "TABLE_MAP", "END-INSIDE", _XA),
    "real-binlogs/8.0.30_duplicate_xid_xa_rollback.000001": (599, "TABLE_MAP", "END-INSIDE", _XA),
    "real-binlogs/8.0.30_malformed_xid_xa_commit.000001": (599, "TABLE_MAP", "END-INSIDE", _XA),
    "real-binlogs/8.0.30_orphan_begin_start.000001": (487, "GTID", "INSIDE-START", _CUT),
    "real-binlogs/8.0.30_orphan_xa_rollback.000001": (599, "TABLE_MAP", "END-INSIDE", _XA),
    "real-binlogs/8.0.32_transaction_compression.000001": (274, "TRANSACTION_PAYLOAD", "START-SELF", _PAYLOAD),
    "real-servers/f_compression/bin.000001": (820, "TRANSACTION_PAYLOAD", "START-SELF", _PAYLOAD),
    "real-servers/g_tagged_gtid/bin.000001": (2783, "TRANSACTION_PAYLOAD", "START-SELF", _PAYLOAD),
    "real-servers/k_replica_relay/pos/bin.000001": (2895, "TRANSACTION_PAYLOAD", "START-SELF", _PAYLOAD),
    "real-servers/k_replica_relay/pos/relay.000002": (3100, "TRANSACTION_PAYLOAD", "START-SELF", _PAYLOAD),
    "real-servers/l_mariadb1011/bin.000001": (938, "TABLE_MAP", "SELF-INSIDE", _MARIADB),
    "real-servers/l_mariadb1011/bin.000002": (457, "TABLE_MAP", "SELF-INSIDE", _MARIADB),
}

_END = "QUERY(COMMIT or ROLLBACK) or XID_LOG_EVENT is not expected in an event stream after a GTID_LOG_EVENT."
_GTID = "GTID_LOG_EVENT or ANONYMOUS_GTID_LOG_EVENT is not expected in an event stream in the middle of a DML."
#: Logs from which the server's tests removed events -> the warnings of the server's parser.
EDITED = {
    "real-binlogs/8.0.30_orphan_begin_start.000001": [(487, _GTID)],
    "real-binlogs/8.0.30_orphan_commit.000001": [(431, _END)],
    "real-binlogs/8.0.30_orphan_rollback.000001": [(589, _END)],
    "real-binlogs/8.0.30_orphan_xa_prepare.000001": [(236, _END)],
    "real-binlogs/8.0.30_orphan_xa_rollback.000001": [(775, _GTID)],
}


def readable(path: Path) -> list[Event]:
    """Return all events of a log before the first that cannot be read."""
    events: list[Event] = []
    with path.open("rb") as file, suppress(BinlogError):
        events.extend(read_file(file))
    return events


def worklog_steps(events: list[Event]) -> list[ParserStep]:
    parser = WorklogParser()
    return [parser.feed(event) for event in fed_events(events)]


def shipped_version(event: Event) -> ShippedVersion | None:
    """Return the version of the writing server's parser; servers before 5.7 have none and get that of 5.7."""
    version = event.format.server_version
    if "MariaDB" in version:
        return None
    for limit, name in (((8, 0, 0), "5.7"), ((8, 0, 16), "8.0.15"), ((8, 3, 0), "8.0.43"), ((9, 0, 0), "8.4")):
        if version_tuple(version) < limit:
            return name
    return "9.7"


@pytest.mark.parametrize("name", ALL)
def test_the_worklogs_parser(ground_truth, name):
    events = readable(ground_truth / name)
    steps = zip(events, worklog_steps(events), strict=True)
    first = next(((event, step) for event, step in steps if step.warning), None)
    if first is None:
        assert name not in WARNED
        return
    event, step = first
    code = event.format.type_code(event.header.type)
    first_warning = (event.offset, type_name(code), step.cell.requirement.removeprefix("WL4162-TT-"))
    assert first_warning == WARNED[name][:3]


@pytest.mark.parametrize("name", ALL)
def test_the_parser_of_the_server(ground_truth, name):
    parsers: dict[str, ShippedParser] = {}
    warnings = []
    for event in readable(ground_truth / name):
        version = shipped_version(event)
        if version is not None:
            step = parsers.setdefault(version, ShippedParser(version)).feed(FedEvent.of(event))
            warnings += [(event.offset, step.warning.text)] if step.error else []
    assert warnings == EDITED.get(name, [])


@pytest.mark.parametrize("name", [each for each in ALL if each not in WARNED and each not in EDITED])
def test_both_parsers_see_the_same_transactions(ground_truth, name):
    events = readable(ground_truth / name)
    parser = WorklogParser()
    shipped = ShippedParser(shipped_version(events[0]) if events else "9.7")
    for event in fed_events(events):
        parser.feed(event)
        shipped.feed(event)
        assert parser.within_transaction == shipped.within_transaction


@pytest.mark.parametrize("name", [each for each in LISTED if "mariadb" not in each])
def test_the_reference_answers_about_logs_of_our_own_servers(ground_truth, name):
    stream = (ground_truth / name).read_bytes()
    observation = answer(Request("boundary", "mysql-9.x", stream, {"resets": [], "uses": ["receiver"]}))
    assert observation.error is None
    assert len(observation.events) == len(readable(ground_truth / name))
    assert {entry["warning"] for entry in observation.events} == {""}


def test_no_server_ever_wrote_a_marker(ground_truth):
    marked = {name for name in ALL for event in readable(ground_truth / name) if event.header.flags & 0x1C00}
    assert marked == set()
