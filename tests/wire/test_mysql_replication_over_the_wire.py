"""The library mysql-replication reads served logs through its own client, as its users run it."""

import pytest
from extras import require
from sources import listening, logged, source_of

from conformance.binlog.event_types import EventType
from conformance.wire.session import Access
from conformance.wire.source import Ending
from tests.first_case import first_case, has_checksums_and_no_purged_gtids, has_gtids_and_checksums

require("mysql-replication")

from pymysqlreplication import BinLogStreamReader  # noqa: E402

BY_POSITION = first_case("transactions", "mysql-8.0", has_gtids_and_checksums)
BY_GTIDS = first_case("sent_gtids", "mysql-5.7", has_checksums_and_no_purged_gtids, role="send")
#: Types that the library has no class for, or takes for its own use.
_UNREPORTED = {EventType.INTVAR, EventType.PREVIOUS_GTIDS, EventType.ANONYMOUS_GTID}


def reading(port, **options):
    reader = BinLogStreamReader(
        connection_settings={"host": "127.0.0.1", "port": port, "user": "kit", "passwd": "secret"},
        server_id=9,
        blocking=False,
        filter_non_implemented_events=False,
        enable_logging=False,
        **options,
    )
    try:
        return [event.packet for event in reader]
    finally:
        reader.close()


def ends(packets):
    """Return where the events end that the log has; the Rotate and the format description at first are the source's."""
    return [packet.log_pos for packet in packets[1:] if packet.event_type not in _UNREPORTED]


def ends_in(source):
    return [int.from_bytes(data[13:17], "little") for data in logged(source) if data[4] not in _UNREPORTED]


@pytest.mark.parametrize("plugin", ["mysql_native_password", "caching_sha2_password"])
def test_it_reads_a_case_by_position(plugin):
    source = source_of(BY_POSITION)
    with listening(source, Access(password="secret", plugin=plugin)) as port:
        packets = reading(port, log_file=source.logs[0].name, log_pos=4, resume_stream=True)
    assert ends(packets) == ends_in(source)


def test_it_reads_a_case_by_gtids():
    source = source_of(BY_GTIDS)
    with listening(source) as port:
        packets = reading(port, auto_position="00000000-0000-0000-0000-000000000001:1")
    assert sum(packet.event_type == EventType.GTID for packet in packets)


def test_it_connects_again_where_the_source_disconnects_it():
    source = source_of(BY_POSITION, endings=(Ending(4), Ending(4)))
    with listening(source) as port:
        packets = reading(port, log_file=source.logs[0].name, log_pos=4, resume_stream=True)
    positions = [each for each in ends(packets) if each]
    assert sorted(set(positions)) == sorted(set(ends_in(source)))
