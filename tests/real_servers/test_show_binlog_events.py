"""SHOW BINLOG EVENTS of a real server on generated logs: row by row, it is the kit's.

A closed log of the server is overwritten with each stream, and listed under its name.
"""

from collections.abc import Iterator
from dataclasses import replace

import pymysql
import pytest

from conformance.binlog.errors import BinlogError
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.models.rendering.show_binlog_events import show_binlog_events
from conformance.servers.real_server import RealServer, running
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

CASES = 40
LOG = "bin.000001"
#: One row: the position, the type's name, the server's id, the end, and the Info.
Row = tuple[int, str, int, int, bytes]
#: ER_ERROR_WHEN_EXECUTING_COMMAND: "Found invalid event in binary log".
INVALID_EVENT = 1220
#: The servers that refuse to list a log whose Table_map events have a name of more than 64 bytes.
REFUSING_LONG_NAMES = Profiles("mysql >= 8.0.15, < 8.0.16")
LONGEST_NAME = 64
#: The servers that read the length of a statement's database through a signed byte: 5.5.9 ends when it lists a
#: log, its own too, with a name of more than 127 bytes, and 5.6.24 never ends the list.
READING_SIGNED = Profiles("mysql < 5.7")
LONGEST_SIGNED = 127
STATEMENTS = (EventType.QUERY, EventType.EXECUTE_LOAD_QUERY)
READS_ALL = ReaderRules(verify_checksums=False, known=frozenset(range(256)), beyond_format_description=True)
NOT_UTF_8 = "surrogateescape"
#: The bytes of an Info that are of the log. A Table_map's is cut by servers, and 9.7.4 lists what follows in memory; a
#: view id that fills its 40 bytes has no end, so that 8.0.15 and 9.7.4 list what follows it too.
KEPT = {"Table_map": 255, "View_change": len("view_id=") + 40}
#: Families whose streams the server reads as the kit does -> the role of the cases.
FAMILIES = {
    **dict.fromkeys(
        (
            "transactions", "checksum_streams", "gtid_streams", "anonymous_gtid_streams", "tagged_gtid_streams",
            "previous_gtids_streams", "rotations", "ignorable_events", "flagged_known_events", "user_variables",
            "loaded_files", "incidents", "xa_transactions", "group_replication_streams", "transaction_payloads",
            "ignorable_events_in_payloads", "large_transactions", "every_column_type", "partial_json_updates",
        ),
        "decode",
    ),
    "show_binlog_events": "render",
}  # fmt: skip


def families_of(profile: str) -> list[str]:
    return [name for name in FAMILIES if profile in families()[name].profiles_of(FAMILIES[name])]


@pytest.fixture(scope="module")
def server(product, server_folder, template_of) -> Iterator[RealServer]:
    with running(product, server_folder / f"{product.name}-show", template=template_of(product)) as started:
        started.run("FLUSH BINARY LOGS")
        yield started


def ours(profile: str, stream: bytes) -> list[Row] | None:
    """Return the rows of a log as the kit lists them; None if a server of the profile refuses to list it."""
    server = server_of(profile)
    rules = replace(server.rules, verify_checksums=False)
    try:
        events = list(read_events(stream, rules))
    except BinlogError:
        return None
    if profile in REFUSING_LONG_NAMES and any(map(has_long_name, events)):
        return None
    return [
        compared(row.pos, row.event_type, row.server_id, row.end_log_pos, (row.info or "").encode(errors=NOT_UTF_8))
        for row in show_binlog_events(LOG, events, PRINTER_VERSIONS[profile])
    ]


def has_long_name(event: Event) -> bool:
    """Return whether an event names a table whose name, or that of its database, is too long for 8.0.15."""
    if event.header.type != EventType.TABLE_MAP:
        return False
    fields = event.fields()
    return any(len(fields[name]) > LONGEST_NAME for name in ("database", "table"))


def is_read_to_the_end(profile: str, stream: bytes) -> bool:
    """Return whether a server of a profile ends its list of a log."""
    if profile not in READING_SIGNED:
        return True
    statements = (event for event in read_events(stream, READS_ALL) if event.header.type in STATEMENTS)
    return all(len(event.fields()["database"]) <= LONGEST_SIGNED for event in statements)


def compared(pos: int, event_type: str, server_id: int, end_log_pos: int, info: bytes) -> Row:
    return pos, event_type, server_id, end_log_pos, info[: KEPT.get(event_type)]


def listed(server: RealServer, stream: bytes) -> list[Row] | None:
    """Return the rows of a log as a server lists them; None if it refuses to."""
    (server.data / LOG).write_bytes(stream)
    with server.connect(use_unicode=False) as session, session.cursor(pymysql.cursors.Cursor) as cursor:
        try:
            cursor.execute(f"SHOW BINLOG EVENTS IN '{LOG}'")
        except pymysql.err.OperationalError as error:
            if error.args[0] != INVALID_EVENT:
                raise
            return None
        return [compared(row[1], row[2].decode(), row[3], row[4], row[5]) for row in cursor.fetchall()]


def test_every_row_is_that_of_the_server(server, family):
    profile = server.product.profile.name
    for index in range(CASES):
        case = case_of(CaseId(family, profile, seed=9, index=index, role=FAMILIES[family]))
        if is_read_to_the_end(profile, case.stream):
            assert ours(profile, case.stream) == listed(server, case.stream), case.id
