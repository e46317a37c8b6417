"""SHOW BINLOG EVENTS of a real server on generated logs: row by row, it is the kit's.

A closed log of the server is overwritten with each stream, and listed under its name.
"""

from collections.abc import Iterator

import pymysql
import pytest

from conformance.binlog.reader import ReaderRules, read_events
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.models.rendering.show_binlog_events import show_binlog_events
from conformance.servers.real_server import RealServer, running
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

CASES = 6
LOG = "bin.000001"
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


def listed(server: RealServer, stream: bytes) -> list[tuple[object, ...]]:
    (server.data / LOG).write_bytes(stream)
    with server.connect(use_unicode=False) as session, session.cursor(pymysql.cursors.Cursor) as cursor:
        cursor.execute(f"SHOW BINLOG EVENTS IN '{LOG}'")
        return [(row[1], row[2].decode(), row[3], row[4], row[5]) for row in cursor.fetchall()]


def test_every_row_is_that_of_the_server(server, family):
    profile = server.product.profile.name
    version = PRINTER_VERSIONS[profile]
    rules = ReaderRules(verify_checksums=False, highest_type=127)
    for index in range(CASES):
        stream = case_of(CaseId(family, profile, seed=9, index=index, role=FAMILIES[family])).stream
        ours = [
            (
                row.pos,
                row.event_type,
                row.server_id,
                row.end_log_pos,
                (row.info or "").encode("utf-8", "surrogateescape"),
            )
            for row in show_binlog_events(LOG, read_events(stream, rules), version)
        ]
        assert ours == listed(server, stream)
