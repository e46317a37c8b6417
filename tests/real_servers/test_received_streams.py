"""Generated streams sent to a real replica: its relay logs are the model's, event by event, and so are its warnings."""

import time
from collections.abc import Iterator
from itertools import count, islice

import pytest

from conformance.binlog.checksum import ChecksumAlgorithm, checksum
from conformance.binlog.event import Event
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, TYPE_AT
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.reader import framed_events, read_events
from conformance.models.replica.relay import Receiver, RelayEvent, RelaySettings
from conformance.models.replica.relay_rules import RELAY_RULES
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.protocol.reported_event import report
from conformance.protocol.roles.relay import body_of
from conformance.reference.relay import boundary_feed
from conformance.servers.real_server import RealServer
from conformance.servers.receiving import receive
from conformance.servers.relay_feed import OPTIONS
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from conformance.strategies.groups.replica_groups import REPLICA_ID, SOURCE_ID, SOURCE_LOG
from conformance.strategies.groups.transactions import ALONE
from tests.witnesses import witnessed_in_case

#: Those that log the warnings of a boundary parser.
SERVERS = Profiles("mysql >= 5.7")
SEED = 3
#: Seconds in which a replica has read what a source has sent.
READING = 0.7
CASES = 12
#: The cases with a group that never ends.
UNFINISHED = 6
FAMILIES = (
    "relay_logs",
    "previous_gtids_missing",
    "previous_gtids_doubled",
    "previous_gtids_misplaced",
    "broken_groups_received",
    "gtid_doubled",
    "gtid_streams",
    "anonymous_gtid_streams",
    "ignorable_events",
    "rows_query_streams",
    "cross_version_streams",
    "streams_without_gtids",
    "ignored_servers",
    "groups_of_crashed_sources",
    "every_event_type",
    "large_transactions",
    "partial_json_updates",
)
DAMAGED = "wrong_checksums_received"
#: The parser of a receiver reads the length of a database's name as a signed byte, and takes the statement from
#: another place or from none: 5.7.22, 8.0.15 and 9.7.4 alike. Its warnings from there on are not compared.
LONGEST_NAME = 127
#: A replica uses the log name and position in a heartbeat, which are invented in generated ones.


def families_of(profile: str) -> list[str]:
    return [name for name in FAMILIES if profile in families()[name].profiles_of("relay")]


@pytest.fixture(scope="module")
def replica(product, server_folder, template_of) -> Iterator[RealServer]:
    options = [
        *OPTIONS[product.profile.name],
        "--gtid-mode=ON_PERMISSIVE",
        "--enforce-gtid-consistency=ON",
        "--log-error-verbosity=3",
    ]
    server = RealServer(
        product, server_folder / f"{product.name}-receiver", options=options, template=template_of(product)
    )
    server.start()
    yield server
    server.kill()


def has_checksums(case: Case) -> bool:
    return next(read_events(case.stream)).format.checksum_algorithm == ChecksumAlgorithm.CRC32


def sent(case: Case) -> list[tuple[ReplicaEvent, bytes]]:
    """Return what a source sends for a case's stream: the Rotate that names the log, then the events."""
    events = [event for event in read_events(case.stream) if event.header.type not in HEARTBEAT_TYPES]
    received_events = [(ReplicaEvent.of_entry(report(event)), event.data) for event in events]
    return [announced(checksummed=has_checksums(case)), *received_events]


def announced(*, checksummed: bool) -> tuple[ReplicaEvent, bytes]:
    """Return the Rotate that names the source's log."""
    body = layout_of(EventType.ROTATE, 8).write(
        {"next_position": 4, "next_file": SOURCE_LOG.encode()}, post_header_length=8
    )
    length = HEADER_BYTES + len(body) + (4 if checksummed else 0)
    data = HEADER.pack(0, EventType.ROTATE, SOURCE_ID, length, 0, Flag.ARTIFICIAL) + body
    if checksummed:
        data += checksum(data).to_bytes(4, "little")
    rotate = ReplicaEvent(
        offset=0,
        type=int(EventType.ROTATE),
        length=length,
        server_id=SOURCE_ID,
        flags=int(Flag.ARTIFICIAL),
        next_file=SOURCE_LOG,
        next_position=4,
    )
    return rotate, data


def received(server: RealServer, case: Case, events: list[tuple[ReplicaEvent, bytes]]) -> tuple[list, list[str], str]:
    """Return the events of the relay logs that a replica wrote, its warnings, and the receiver's error."""
    done = receive(
        server,
        [data for _, data in events],
        source_id=SOURCE_ID,
        source_log=SOURCE_LOG,
        gtid_mode="ON_PERMISSIVE",
        checksums=has_checksums(case),
        ignored_ids=case.settings.get("ignored_ids", ()),
    )
    logs = [(number, event) for number, log in enumerate(done.relay_logs) for event in read_events(log)]
    return logs, list(done.warnings), done.error


def modelled(case: Case, events: list[tuple[ReplicaEvent, bytes]], version: str) -> list[RelayEvent]:
    settings = RelaySettings(
        profile=case.id.profile,
        server_id=REPLICA_ID,
        source_log=SOURCE_LOG,
        version=version,
        source_checksums=has_checksums(case),
        ignored_ids=frozenset(case.settings.get("ignored_ids", ())),
    )
    receiver = Receiver(settings, lambda: boundary_feed(case.id.profile))
    receiver.receive_all(events)
    receiver.close()
    return receiver.events


def is_misread(case: Case) -> bool:
    """Return whether a statement of a stream has a database whose name is too long for a receiver's parser."""
    entries = (report(event) for event in read_events(case.stream))
    names = (each.get("database", "") for each in entries if each["type"] == EventType.QUERY)
    return any(len(each.encode()) > LONGEST_NAME for each in names)


def compared(events: list[RelayEvent]) -> list[tuple]:
    """Return the compared values: the headers without the time, and what `held` has."""
    return [
        (each.log, each.type, each.server_id, each.log_pos, each.flags, held(each.data, written=each.written))
        for each in events
    ]


def held(data: bytes, *, written: bool) -> bytes:
    """Return the compared bytes of an event: all of a received one, and the set of the replica's own."""
    if written:
        return data
    return body_of(data) if data[TYPE_AT] == EventType.PREVIOUS_GTIDS else b""


def test_the_relay_logs_of_a_real_replica_are_the_models(replica, family):
    version = replica.value("SELECT @@GLOBAL.version")
    different = []
    for index in range(CASES):
        case = case_of(CaseId(family, replica.product.profile.name, seed=SEED, index=index, role="relay"))
        events = sent(case)
        model = modelled(case, events, version)
        real, warnings, error = received(replica, case, events)
        written = [each.written for each in model]
        seen = []
        for place, (log, event) in enumerate(real):
            header = event.header
            data = held(event.data, written=place < len(written) and written[place])
            seen.append((log, header.type, header.server_id, header.log_pos, header.flags, data))
        expected = [each.warning for each in model if each.warning]
        warned = warnings == expected or is_misread(case)
        if error or seen != compared(model) or not warned:
            different.append((str(case.id), error, compared(model), seen, expected, warnings))
        else:
            witnessed_in_case(replica.product.profile.name, case)
    assert different == []


def is_description(case: Case) -> bool:
    """Return whether the event with the wrong checksum is a format description."""
    return case.stream[case.expected.refused_at + TYPE_AT] == EventType.FORMAT_DESCRIPTION


def test_a_real_replica_refuses_a_format_description_whose_checksum_is_wrong(replica):
    profile = replica.product.profile.name
    cases = (case_of(CaseId(DAMAGED, profile, seed=SEED, index=index, role="relay")) for index in range(60))
    damaged = [case for case in cases if is_description(case)][:4]
    assert damaged
    for case in damaged:
        stop = case.expected.refused_at
        whole = framed_events(bytes(case.stream[len(MAGIC) :]))
        done = receive(
            replica,
            [announced(checksummed=True)[1], *whole],
            source_id=SOURCE_ID,
            source_log=SOURCE_LOG,
            gtid_mode="ON_PERMISSIVE",
            checksums=True,
        )
        assert done.error, str(case.id)
        written = b"".join(done.relay_logs)
        assert bytes(case.stream[stop:][:HEADER_BYTES]) not in written, str(case.id)


class FlushedBefore(list):
    """Events of a source, before one of which the replica flushes its relay logs, once it has read those before."""

    def __init__(self, events: list[bytes], place: int, server: RealServer) -> None:
        super().__init__(events)
        self.place, self.server = place, server

    def __iter__(self) -> Iterator[bytes]:
        for number, event in enumerate(super().__iter__()):
            if number == self.place:
                time.sleep(READING)
                self.server.run("FLUSH RELAY LOGS")
            yield event


def test_a_flush_between_a_rotate_and_the_next_format_description_renews_the_old_one_or_not(replica):
    profile = replica.product.profile.name
    for index in count():
        case = case_of(CaseId("flushed_relay_logs", profile, seed=SEED, index=index, role="relay"))
        events = sent(case)
        rotates = [place for place, (event, _) in enumerate(events) if event.type == EventType.ROTATE]
        if has_checksums(case) and len(rotates) > 1:
            break
    done = receive(
        replica,
        FlushedBefore([data for _, data in events], rotates[-1] + 1, replica),
        source_id=SOURCE_ID,
        source_log=SOURCE_LOG,
        gtid_mode="ON_PERMISSIVE",
        checksums=True,
    )
    last = [event.header for event in read_events(done.relay_logs[-1])]
    renewed = [each for each in last if each.type == EventType.FORMAT_DESCRIPTION and each.flags & Flag.ARTIFICIAL]
    assert (bool(renewed), done.error) == (RELAY_RULES[profile].keeps_format, "")


class Interrupted(FlushedBefore):
    """Events of a source, before one of which the connection is lost, and before another the replica flushes."""

    def __init__(self, events: list[bytes], lost: int, place: int, server: RealServer) -> None:
        super().__init__(events, place, server)
        self.lost, self.is_lost = lost, False

    def __iter__(self) -> Iterator[bytes]:
        if not self.is_lost:
            self.is_lost = True
            yield from self[: self.lost]
            time.sleep(READING)
            raise EOFError
        yield from FlushedBefore(self[self.lost :], self.place - self.lost, self.server)


def is_unfinished(case: Case) -> bool:
    """Return whether a group with a GTID does not end, those after it have none, and a relay log is flushed later."""
    types = [event.header.type for event in read_events(case.stream)]
    return {EventType.GTID, EventType.ANONYMOUS_GTID} <= {*types} and len(case.settings.get("flushes", ())) == 1


@pytest.mark.parametrize("family_name", ["groups_of_crashed_sources", "reconnected_streams"])
def test_a_group_that_never_ends_is_in_no_set_though_the_groups_after_it_have_no_gtids(replica, family_name):
    profile = replica.product.profile.name
    cases = (case_of(CaseId(family_name, profile, seed=SEED, index=index, role="relay")) for index in count())
    for case in islice(filter(lambda each: has_checksums(each) and is_unfinished(each), cases), UNFINISHED):
        events, settings = sent(case), case.settings
        flush, connections = settings["flushes"][0], settings.get("connections", ())[:1]
        places = {event.offset: place for place, (event, _) in enumerate(events)}
        if len(settings.get("connections", ())) > 1:
            continue
        datas = [data for _, data in events]
        lost = [places[each] for each in connections]
        done = receive(
            replica,
            Interrupted(datas, *lost, places[flush], replica) if lost else FlushedBefore(datas, places[flush], replica),
            source_id=SOURCE_ID,
            source_log=SOURCE_LOG,
            gtid_mode="ON_PERMISSIVE",
            checksums=True,
        )
        receiver = Receiver(
            RelaySettings(
                profile=profile,
                server_id=REPLICA_ID,
                source_log=SOURCE_LOG,
                flushes=frozenset({flush}),
                connections=frozenset(connections),
            ),
            lambda: boundary_feed(profile),
        )
        receiver.receive_all(events)
        sets = [body_of(each.data) for each in receiver.events if each.type == EventType.PREVIOUS_GTIDS]
        seen = [body_of(event.data) for log in done.relay_logs for event in read_events(log) if is_own_set(event)]
        assert (seen[-1], done.error) == (sets[-1], ""), case.id


def before_flush(case: Case) -> tuple[str, ...]:
    """Return the types and statements of the two events before the last flush of a case."""
    entries = [report(event) for event in read_events(case.stream) if event.offset < case.settings["flushes"][-1]]
    return tuple(each.get("query", EventType(each["type"]).name) for each in entries[-2:])


#: The end of a group -> whether two events are one.
GROUPS_THAT_END = {
    "empty": lambda first, last: (first, last) == ("BEGIN", "COMMIT"),
    "a statement alone": lambda first, last: first in ("GTID", "GTID_TAGGED") and last in ALONE,
    "a variable and a statement": lambda first, last: first == "USER_VAR",
    "an Incident": lambda first, last: last == "INCIDENT",
}


@pytest.mark.parametrize("end", GROUPS_THAT_END)
def test_a_group_without_rows_or_changes_counts_as_received_at_its_end(replica, end):
    profile = replica.product.profile.name
    if end == "a variable and a statement" and profile not in Profiles("mysql >= 8.0.21"):
        pytest.skip("servers of this version refuse the statement with a GTID")
    for index in count():
        case = case_of(CaseId("flushed_relay_logs", profile, seed=SEED, index=index, role="relay"))
        if case.settings["gtid_mode"] == "ON" and has_checksums(case) and GROUPS_THAT_END[end](*before_flush(case)):
            break
    events = sent(case)
    flush = case.settings["flushes"][-1]
    places = {event.offset: place for place, (event, _) in enumerate(events)}
    done = receive(
        replica,
        FlushedBefore([data for _, data in events], places[flush], replica),
        source_id=SOURCE_ID,
        source_log=SOURCE_LOG,
        gtid_mode="ON_PERMISSIVE",
        checksums=True,
    )
    settings = RelaySettings(profile=profile, server_id=REPLICA_ID, source_log=SOURCE_LOG, flushes=frozenset({flush}))
    receiver = Receiver(settings, lambda: boundary_feed(profile))
    receiver.receive_all(events)
    sets = [body_of(each.data) for each in receiver.events if each.type == EventType.PREVIOUS_GTIDS]
    seen = [body_of(event.data) for log in done.relay_logs for event in read_events(log) if is_own_set(event)]
    assert (seen[-1], done.error) == (sets[-1], ""), case.id


def is_own_set(event: Event) -> bool:
    return event.header.type == EventType.PREVIOUS_GTIDS and bool(event.header.flags & Flag.RELAY_LOG)


def test_a_flush_within_the_next_log_of_a_source_renews_the_description_of_that_log(replica):
    profile = replica.product.profile.name
    for index in count():
        case = case_of(CaseId("flushed_relay_logs", profile, seed=SEED, index=index, role="relay"))
        events = sent(case)
        offsets = [event.offset for event, _ in events if event.type == EventType.FORMAT_DESCRIPTION]
        places = {event.offset: place for place, (event, _) in enumerate(events)}
        flush = case.settings["flushes"][-1]
        if has_checksums(case) and len(offsets) == 2 and flush > offsets[1]:
            break
    done = receive(
        replica,
        FlushedBefore([data for _, data in events], places[flush], replica),
        source_id=SOURCE_ID,
        source_log=SOURCE_LOG,
        gtid_mode="ON_PERMISSIVE",
        checksums=True,
    )
    last = [event for event in read_events(done.relay_logs[-1]) if event.header.type == EventType.FORMAT_DESCRIPTION]
    renewed = [event.format.server_version for event in last if event.header.flags & Flag.ARTIFICIAL]
    first, second = (each.format.server_version for each in read_events(case.stream) if each.offset in offsets)
    assert first != second
    assert (renewed, done.error) == ([second], "")
