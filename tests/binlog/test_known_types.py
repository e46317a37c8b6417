"""The event types that the servers of each release know."""

import pytest

from conformance.binlog.event_types import KNOWN_TYPES, EventType
from conformance.binlog.servers import READER_RULES, server_of
from conformance.specs.profiles import PROFILES

#: Release, type, whether the release knows it: what servers of that release did with such an event in a relay log.
SEEN = [
    ("mysql-5.5.9", EventType.ROWS_QUERY, False),
    ("mysql-5.5.9", EventType.WRITE_ROWS, False),
    ("mysql-5.5.9", EventType.PREVIOUS_GTIDS, False),
    ("mysql-5.6.24", EventType.PREVIOUS_GTIDS, True),
    ("mysql-5.6.24", EventType.XA_PREPARE, False),
    ("mysql-5.7.22", EventType.XA_PREPARE, True),
    ("mysql-5.7.22", EventType.PARTIAL_UPDATE_ROWS, False),
    ("mysql-8.0.15", EventType.PARTIAL_UPDATE_ROWS, True),
    ("mysql-8.0.15", EventType.WRITE_ROWS_V1, True),
    ("mysql-9.7.4", EventType.WRITE_ROWS_V1, False),
    ("mysql-9.7.4", EventType.MARIADB_GTID_LIST, False),
]


@pytest.mark.parametrize(("release", "code", "knows"), SEEN)
def test_a_release_knows_what_a_server_of_it_read(release, code, knows):
    assert (code in READER_RULES[release].known) == knows


@pytest.mark.parametrize("profile", [each for each in PROFILES if each.startswith("mysql")])
def test_a_server_knows_the_types_for_which_it_declares_a_post_header(profile):
    server = server_of(profile)
    declared = {number for number, length in enumerate(server.post_header_lengths, start=1) if length}
    assert declared & KNOWN_TYPES <= server.rules.known
    # The header of a large transaction is logged with the ignorable flag, and no format description declares it.
    assert max(server.rules.known - {EventType.LARGE_TRANSACTION_HEADER}) <= max(server.event_types, 27)


def test_a_release_of_8_0_has_as_many_types_as_its_logs_declare():
    assert [server_of(f"mysql-{each}").event_types for each in ("5.6.24", "5.7.22", "8.0.15", "9.7.4")] == [
        35,
        38,
        39,
        42,
    ]
