"""The receiver: the events written to relay logs, and real relay logs byte for byte."""

from pathlib import Path

import pytest

from conformance.binlog.checksum import checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet, Interval, Source
from conformance.binlog.header import HEADER
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.reader import read_events
from conformance.models.replica.relay import Receiver, Reception, RelaySettings
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.protocol.reported_event import report
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

NEW = ("worklog", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x")
SOURCE_ID = 11
REPLICA_ID = 22


def artificial_rotate(name):
    """Return the Rotate with which a source names the log that it begins to send."""
    body = layout_of(EventType.ROTATE, 8).write({"next_position": 4, "next_file": name.encode()}, post_header_length=8)
    framed = HEADER.pack(0, EventType.ROTATE, SOURCE_ID, 19 + len(body) + 4, 0, Flag.ARTIFICIAL) + body
    return framed + checksum(framed).to_bytes(4, "little")


def sent(path):
    """Yield the events that a source sends from a log, each with its bytes."""
    rotate = artificial_rotate(path.name)
    artificial = int(Flag.ARTIFICIAL)
    yield (
        ReplicaEvent(
            offset=0,
            type=int(EventType.ROTATE),
            length=len(rotate),
            server_id=SOURCE_ID,
            flags=artificial,
            next_file=path.name,
            next_position=4,
        ),
        rotate,
    )
    for event in read_events(path.read_bytes()):
        entry, data = report(event), bytearray(event.data)
        if event.header.flags & Flag.BINLOG_IN_USE:
            # A source clears the bit when it sends the format description; the checksum counts it as cleared.
            entry["flags"] &= ~Flag.BINLOG_IN_USE
            data[17] &= ~Flag.BINLOG_IN_USE
        yield ReplicaEvent.of_entry(entry), bytes(data)


@pytest.mark.ground_truth
def test_the_relay_logs_of_a_real_replica_byte_for_byte(ground_truth: Path):
    folder = ground_truth / "real-servers/k_replica_relay/pos"
    # The server's clock was at 1795202842, and at ...845 when FLUSH RELAY LOGS was run.
    settings = RelaySettings(
        profile="mysql-9.x", server_id=REPLICA_ID, version="9.7.4-2", timestamp=1795202842, source_log="bin.000001"
    )
    receiver = Receiver(settings)
    receiver.receive_all(sent(folder / "bin.000001"))
    second = list(sent(folder / "bin.000002"))
    cut = next(index for index, (event, _) in enumerate(second) if event.log_pos > 445)
    receiver.receive_all(second[:cut])
    receiver.rotate(timestamp=1795202845)
    receiver.receive_all(second[cut:])
    real = [(folder / f"relay.{number:06d}").read_bytes() for number in range(1, 6)]
    assert list(receiver.logs) == real


def received(profile, family="relay_logs", *, index=0, **settings):
    """Return a receiver that has received a generated stream, the stream's events, and their receptions."""
    case = case_of(CaseId(family, profile, seed=5, index=index, role="relay"))
    receiver = Receiver(RelaySettings.of_json(profile, {**case.settings, **settings}))
    events = [(ReplicaEvent.of_entry(report(event)), event.data) for event in read_events(case.stream)]
    return receiver, events, [receiver.receive(event, data) for event, data in events]


@pytest.mark.parametrize("index", range(20))
@pytest.mark.parametrize("profile", NEW)
def test_written_events_are_unchanged(profile, index):
    receiver, events, receptions = received(profile, index=index)
    written = [data for (_, data), each in zip(events, receptions, strict=True) if each is Reception.WRITTEN]
    assert [event.data for event in receiver.events if event.written] == written


@pytest.mark.parametrize("index", range(20))
@pytest.mark.parametrize("profile", NEW)
def test_relay_logs_can_be_read_and_begin_with_the_replicas_own_events(profile, index):
    receiver, _, _ = received(profile, index=index)
    for log in receiver.logs:
        first, second, *_ = [event.header for event in read_events(log)]
        assert (first.type, first.flags) == (EventType.FORMAT_DESCRIPTION, Flag.RELAY_LOG)
        assert (second.type, second.flags) == (EventType.PREVIOUS_GTIDS, Flag.RELAY_LOG | Flag.IGNORABLE)
        assert first.server_id == second.server_id == (0 if profile == "worklog" else receiver.settings.server_id)


def test_the_events_that_are_not_written():
    seen = {}
    for index in range(60):
        receiver, events, receptions = received("mysql-9.x", index=index)
        for (event, _), reception in zip(events, receptions, strict=True):
            if event.server_id == receiver.settings.server_id:
                assert reception is Reception.LEFT_OUT, "the replica's own"
            else:
                seen.setdefault(EventType(event.type) if event.recognised else "unknown", set()).add(reception)
    left_out = {EventType.STOP, EventType.HEARTBEAT, EventType.HEARTBEAT_V2}
    assert all(seen[each] == {Reception.LEFT_OUT} for each in left_out)
    assert seen[EventType.PREVIOUS_GTIDS] == {Reception.REPLACED}
    assert seen["unknown"] == {Reception.WRITTEN}
    others = set(seen) - left_out - {EventType.PREVIOUS_GTIDS}
    assert all(seen[each] == {Reception.WRITTEN} for each in others)


def test_the_rotate_that_replaces_a_skipped_event_has_the_sources_position():
    receiver, events, receptions = received("mysql-9.x", "previous_gtids_misplaced", source_log="source.000007")
    skipped = next(event for (event, _), each in zip(events, receptions, strict=True) if each is Reception.REPLACED)
    made = next(event for event in receiver.events if event.source == skipped)
    assert (made.type, made.server_id, made.log_pos, made.flags) == (EventType.ROTATE, 0, 0, 0)
    rotate = next(event for log in receiver.logs for event in read_events(log) if event.data == made.data).fields()
    assert (rotate["next_file"], rotate["next_position"]) == (b"source.000007", skipped.log_pos)


def test_of_ignored_servers_only_format_descriptions_and_rotates_are_written():
    receiver = Receiver(RelaySettings(profile="mysql-9.x", ignored_ids=frozenset({1})))
    case = case_of(CaseId("rotations", "mysql-9.x", seed=1, index=0))
    for event in read_events(case.stream):
        receiver.receive(ReplicaEvent.of_entry(report(event)), event.data)
    written = {event.type for event in receiver.events if event.written}
    assert written == {EventType.FORMAT_DESCRIPTION, EventType.ROTATE}


def test_the_previous_gtids_of_a_source_that_is_to_be_ignored_is_replaced_as_ever():
    receiver = Receiver(RelaySettings(profile="mysql-9.x", ignored_ids=frozenset({1})))
    sets = ReplicaEvent(offset=4, type=int(EventType.PREVIOUS_GTIDS), length=31, log_pos=35, server_id=1)
    assert receiver.receive(sets, bytes(31)) is Reception.REPLACED


def test_5_6_writes_its_own_previous_gtids_event_only_in_mode_on():
    for mode, expected in (("OFF", 1), ("ON", 2)):
        assert len(Receiver(RelaySettings(profile="mysql-5.6", gtid_mode=mode)).events) == expected


#: Whether the end of a transaction has come, and the number in the set of the next relay log after those before it. The
#: source's next log begins then: 5.6.24 counts the transaction all the same, 5.7.22, 8.0.15 and 9.7.4 do not.
COUNTED = {
    ("mysql-9.7.4", True): 4,
    ("mysql-9.7.4", False): 3,
    ("mysql-8.0.15", False): 3,
    ("mysql-5.7.22", False): 3,
    ("mysql-5.6.24", False): 4,
}


@pytest.mark.parametrize(("release", "ends"), COUNTED)
def test_the_own_previous_gtids_event_of_a_later_relay_log_holds_the_received_gtids(release, ends):
    uuid = bytes(15) + b"\x01"
    retrieved = GtidSet((Source(uuid, (Interval(1, 3),)),))
    receiver = Receiver(RelaySettings(profile=release, retrieved=retrieved, gtid_mode="ON"))
    gtid = ReplicaEvent(offset=0, type=int(EventType.GTID), length=65, gtid=f"{'0' * 8}-0000-0000-0000-{'0' * 11}1:3")
    receiver.receive(gtid, bytes(65))
    if ends:
        receiver.receive(ReplicaEvent(offset=65, type=int(EventType.XID), length=31), bytes(31))
    rotate = ReplicaEvent(offset=0, type=int(EventType.ROTATE), length=40, next_file="binlog.000002", next_position=4)
    receiver.receive(rotate, bytes(40))
    own = [event.data for event in receiver.events if event.type == EventType.PREVIOUS_GTIDS]
    assert own[1][19:-4] == GtidSet((Source(uuid, (Interval(1, COUNTED[release, ends]),)),)).to_bytes()


def test_a_rotate_replaces_the_last_event_left_out_when_the_connection_ends():
    receiver = Receiver(RelaySettings(profile="mysql-9.x", server_id=REPLICA_ID))
    own = ReplicaEvent(offset=4, type=int(EventType.XID), length=31, log_pos=555, server_id=REPLICA_ID)
    heartbeat = ReplicaEvent(offset=35, type=int(EventType.HEARTBEAT), length=40, log_pos=555)
    receiver.receive(own, bytes(31))
    receiver.receive(heartbeat, bytes(40))
    receiver.close()
    receiver.close()
    assert [(event.type, event.server_id) for event in receiver.events[2:]] == [(EventType.ROTATE, 0)]


#: Release -> the flags of its own format description, and whether the end of a Rotate in the place of the source's
#: Previous_gtids counts; None where that event is copied, or left out: as servers of the release wrote it.
SEEN_ON_SERVERS = {
    "mysql-5.5.9": (0, None),
    "mysql-5.6.24": (0x40, True),
    "mysql-5.7.22": (0x40, True),
    "mysql-8.0.15": (0x40, False),
    "mysql-9.7.4": (0x40, False),
    "mariadb-10.1.23": (0, None),
    "mariadb-10.2.11": (0, None),
    "mariadb-10.11.18": (0x40, None),
    "mariadb-11.4.5": (0x40, None),
    "mariadb-11.8.6": (0x40, None),
}


@pytest.mark.parametrize("release", SEEN_ON_SERVERS)
def test_a_release_writes_its_own_events_as_servers_of_it_do(release):
    flags, counts = SEEN_ON_SERVERS[release]
    receiver = Receiver(RelaySettings(profile=release, server_id=9))
    previous = ReplicaEvent(offset=150, type=35, length=31, server_id=1, log_pos=181, flags=0x80)
    receiver.receive(previous, b"source's")
    first, *others = receiver.events
    assert (first.type, first.flags, first.server_id) == (15, flags, 9)
    last = others[-1] if others else first
    assert (last.type == 4) == (counts is not None)
    assert (last.data == b"source's") == release.startswith("mysql-5.5")
    if counts is not None:
        assert (last.server_id, last.log_pos) == (0, len(receiver.logs[0]) if counts else 0)


@pytest.mark.parametrize(
    ("release", "stamped"),
    [
        ("mysql-5.5.9", 1),
        ("mysql-5.6.24", 1),
        ("mysql-5.7.22", 1),
        ("mysql-8.0.15", 0),
        ("mariadb-10.11.18", 1),
        ("mariadb-11.4.5", 0),
    ],
)
def test_the_rotate_between_two_logs_gets_the_replicas_time_up_to_5_7(release, stamped):
    receiver = Receiver(RelaySettings(profile=release, server_id=REPLICA_ID, timestamp=77))
    for name in ("binlog.000001", "binlog.000002"):
        data = artificial_rotate(name)
        event = ReplicaEvent(
            offset=0, type=4, length=len(data), server_id=SOURCE_ID, flags=int(Flag.ARTIFICIAL), next_file=name,
            next_position=4,
        )  # fmt: skip
        receiver.receive(event, data)
    first, second = (each.data for each in receiver.events if each.written)
    assert int.from_bytes(first[:4], "little") == 0
    assert int.from_bytes(second[:4], "little") == 77 * stamped
    if stamped and not release.startswith("mysql-5.5"):
        assert checksum(second[:-4]).to_bytes(4, "little") == second[-4:]


def test_mariadb_writes_a_rotate_where_the_connection_ends_after_events_that_it_left_out():
    receiver = Receiver(RelaySettings(profile="mariadb-10.11.18", server_id=9, source_log="bin.000001"))
    flagged = ReplicaEvent(offset=4, type=2, length=30, server_id=1, log_pos=34, flags=0x80)
    receiver.receive(flagged, b"source's")
    assert [each.type for each in receiver.events] == [15]
    receiver.close()
    last = receiver.events[-1]
    assert (last.type, last.server_id, last.log_pos) == (4, 0, len(receiver.logs[0]))


@pytest.mark.parametrize(("release", "written"), [("mariadb-10.2.11", False), ("mariadb-10.11.18", True)])
def test_xa_prepare_is_left_out_by_older_mariadb(release, written):
    receiver = Receiver(RelaySettings(profile=release, server_id=9))
    receiver.receive(ReplicaEvent(offset=4, type=38, length=30, server_id=1, log_pos=34), b"source's")
    assert [each.type for each in receiver.events] == ([15, 38] if written else [15])
