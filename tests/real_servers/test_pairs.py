"""Real pairs of a source and a replica: handshake, sent events, relay logs, errors and data agree with the models.

The matrix of WL#4033 and WL#7592: versions, gtid modes, checksums, versions of rows events, statements' texts, by file
and by GTIDs. Each model gets what the server before it in the chain really wrote.
"""

import shutil
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
from pair_link import Recorded
from pair_plans import REPLICA_ID, SOURCE_ID, PairPlan, plans
from pair_runs import PairRun, run_pair
from pair_witnesses import check_logs, witness_pair

from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, HEARTBEAT_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, TYPE_AT
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.models.handshake.announcement import ANNOUNCEMENTS, Announcement
from conformance.models.handshake.replacement import for_replica
from conformance.models.replica.applier import Applier
from conformance.models.replica.relay import Receiver, RelaySettings
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.models.sender.sender_settings import LogFile, SenderSettings
from conformance.protocol.observation import Request
from conformance.protocol.reported_event import report
from conformance.reference import apply, send
from conformance.reference.relay import boundary_feed
from conformance.servers.dump import ANNOTATE_ROWS, HEARTBEAT_V2
from conformance.servers.products import SERVERS, chosen_names, products
from conformance.specs.versions import Profiles

FIRST_LOG = "bin.000001"
#: The sources whose senders have a model.
WITH_SENDER = Profiles("mysql >= 5.6", "mariadb")
#: The rule that relay logs break where the replica's own parser meets an event that it does not know.
OF_PARSER = "WL4162-REPOSITION-AT-START"
#: Where the flags of the dump commands begin.
FLAGS_AT = {0x12: 5, 0x1E: 1}
#: Where the name of the log ends in a Rotate event.
_ROTATE_END = HEADER_BYTES + 8 + len(FIRST_LOG)
_READS_ALL = ReaderRules(known=frozenset(range(256)), beyond_format_description=True)
PLANS = plans(chosen_names())


@pytest.fixture
def pair(plan: PairPlan, server_folder: Path, template_of) -> Iterator[PairRun]:
    """Run a pair, and return what it did."""
    for name in (plan.source, plan.replica):
        if name not in products():
            pytest.skip(f"the server {name} is not unpacked")
    folder = server_folder / "pair"
    try:
        yield run_pair(plan, folder, template_of)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_a_pair_agrees_with_the_models(plan, pair):
    refused = plan.refused
    if refused is not None:
        assert (pair.receiver[0], refused.words in pair.receiver[1]) == (refused.number, True), pair.receiver
        # A source that refuses has sent which log it would begin with.
        types = [each[TYPE_AT] for each in pair.connection.events]
        assert types in ([], [EventType.ROTATE]) or (refused.is_sent_events and EventType.XID in types)
        # A replica keeps that at most, and nothing where it cannot read it.
        kept = [event.header.type for _, event in relay_events(pair) if event.header.server_id == SOURCE_ID]
        assert plan.same_id or set(kept) <= (set() if refused.is_sent_events else {EventType.ROTATE})
        assert pair.applier[0] == 0
        return
    assert pair.receiver == (0, "")
    assert announced(pair.connection, SERVERS[plan.replica]) == ANNOUNCEMENTS[SERVERS[plan.replica]]
    if SERVERS[plan.source] in WITH_SENDER and not (plan.position == "gtid" and products()[plan.source].is_mariadb):
        assert first_difference(sent_by(pair), expected_of_sender(plan, pair)) == ""
    assert first_difference(*relayed(plan, pair)) == ""
    assert_applied(plan, pair)
    assert check_logs(tuple(data for _, data in pair.source_logs)) == []
    lost = where_parsers_are_lost(pair.relay_logs, SERVERS[plan.replica])
    violations = check_logs(pair.relay_logs)
    assert [
        each for each in violations if each[1].requirement != OF_PARSER or (each[0], each[1].offset) not in lost
    ] == []
    witness_pair(plan, pair)


def where_parsers_are_lost(logs: tuple[bytes, ...], profile: str) -> set[tuple[int, int]]:
    """Return the numbers of relay logs with the offsets in them where a replica's own parser has lost the transaction.

    That is from an event that it does not know, and must not skip, to the next Gtid event.
    """
    known = server_of(profile).rules.known
    places: set[tuple[int, int]] = set()
    for number, log in enumerate(logs, 1):
        is_lost = False
        for event in read_events(log, _READS_ALL):
            code, flags = event.header.type, event.header.flags
            is_lost = (is_lost and code not in GTID_TYPES) or (code not in known and not flags & Flag.IGNORABLE)
            if is_lost:
                places.add((number, event.offset))
    return places


def announced(connection: Recorded, profile: str) -> Announcement:
    """Return what a replica of a profile announced over a connection."""
    statements = " ".join(connection.statements)
    (flags,) = connection.dump[FLAGS_AT[connection.dump[0]] :][:1]
    capability = [each.rpartition("=")[2] for each in connection.statements if "mariadb_slave_capability" in each]
    mariadb = profile in Profiles("mariadb")
    return Announcement(
        checksums="binlog_checksum" in statements,
        gtid_mode="GTID_MODE" in statements,
        capability=int(capability[0]) if capability else 0,
        annotate_rows=mariadb and bool(flags & ANNOTATE_ROWS),
        heartbeat_v2=not mariadb and bool(flags & HEARTBEAT_V2),
    )


def sent_by(pair: PairRun) -> list[bytes]:
    """Return the events that the source sent, except the heartbeats while it waits for more."""
    return [each for each in pair.connection.events if each[TYPE_AT] not in HEARTBEAT_TYPES]


def expected_of_sender(plan: PairPlan, pair: PairRun) -> list[bytes]:
    """Return the events that the source sends by the models of the sender and of the handshake."""
    profile, announcement = SERVERS[plan.source], ANNOUNCEMENTS[SERVERS[plan.replica]]
    settings = SenderSettings(
        profile=profile,
        logs=tuple(LogFile(name, len(data)) for name, data in pair.source_logs),
        server_id=SOURCE_ID,
        gtid_mode=plan.source_mode,
        log_name=FIRST_LOG if plan.position == "file" else "",
        gtid_set=None if plan.position == "file" else GtidSet(),
        checksum=plan.checksum if announcement.checksums else "NONE",
        # A replica without capabilities gets something in the place of those that it does not ask for.
        annotate_rows=announcement.annotate_rows or not announcement.capability,
    )
    stream = b"".join(data for _, data in pair.source_logs)
    observed = send.answer(Request("send", profile, stream, settings.as_json()))
    assert observed.error is None
    events = [bytes.fromhex(each["data"]) for each in observed.events]
    checksummed = plan.checksum == "CRC32"
    return [for_replica(each, capability=announcement.capability, checksummed=checksummed) for each in events]


def relayed(plan: PairPlan, pair: PairRun) -> tuple[list[tuple], list[tuple]]:
    """Return the events of the relay logs, and those that the model of the receiver writes, in the compared values."""
    profile = SERVERS[plan.replica]
    settings = RelaySettings(
        profile=profile,
        server_id=REPLICA_ID,
        gtid_mode=plan.replica_mode,
        source_log=FIRST_LOG,
        version=pair.version,
        source_checksums=plan.checksum == "CRC32",
        own_checksums=plan.replica_checksum == "CRC32",
        timestamp=1,
    )
    receiver = Receiver(settings, lambda: boundary_feed(profile))
    for event in read_sent(sent_by(pair)):
        receiver.receive(ReplicaEvent.of_entry(report(event)), event.data)
    written = [each.written for each in receiver.events]
    seen = [
        (number, *_compared(event.data, written=place < len(written) and written[place]))
        for place, (number, event) in enumerate(relay_events(pair))
    ]
    return seen, [(each.log, *_compared(each.data, written=each.written)) for each in receiver.events]


def _compared(data: bytes, *, written: bool) -> tuple:
    """Return the compared values of an event: of one that is the source's all bytes, except a time of the replica's."""
    timestamp, code, server_id, _, log_pos, flags = HEADER.unpack(data[:HEADER_BYTES])
    if code == EventType.ROTATE and flags & Flag.ARTIFICIAL:
        return code, server_id, log_pos, flags, timestamp > 0, data[HEADER_BYTES:_ROTATE_END]
    return code, server_id, log_pos, flags, written and data


def read_sent(events: list[bytes]) -> list[Event]:
    """Return what a source sent, read: before the first format description there is the Rotate that names the log."""
    rotate, described, *rest = events
    made = list(read_events(MAGIC + described + rotate + b"".join(rest), _READS_ALL))
    return [made[1], made[0], *made[2:]]


def relay_events(pair: PairRun) -> Iterator[tuple[int, Event]]:
    """Yield the events of the relay logs with the numbers of their logs."""
    for number, log in enumerate(pair.relay_logs):
        yield from ((number, event) for event in read_events(log, _READS_ALL))


def first_difference(seen: list, wanted: list) -> str:
    """Return the first difference between two lists; empty if there is none."""
    for number, (one, other) in enumerate(zip_longest(seen, wanted)):
        if one != other:
            return f"number {number + 1} is {one!r}, of the model {other!r}"
    return ""


#: The number of an applier's error -> words of its text.
WORDS = {1594: "Relay log read failure", 13121: "Relay log read failure", 1837: "GTID_NEXT", 1782: "ANONYMOUS"}


def assert_applied(plan: PairPlan, pair: PairRun) -> None:
    """Check where the applier stopped, with which error, and that its rows are the source's at that place."""
    profile = SERVERS[plan.replica]
    applier = Applier(ReplicaSettings(profile=profile, server_id=REPLICA_ID, gtid_mode=plan.replica_mode))
    place, executed, number = (FIRST_LOG, 4), "", 0
    for log in pair.relay_logs:
        answer = apply.answer_with(lambda _: applier, Request("apply", profile, log, {"gtid_mode": plan.replica_mode}))
        for each in answer.events:
            place = (each["source_log"] or FIRST_LOG, each["source_log_pos"])
            executed = each["executed_gtids"]
        if answer.error is not None:
            number = answer.error.code
            break
    assert (pair.applier[0], pair.place) == (number, place), pair.applier
    assert WORDS.get(number, "") in pair.applier[1]
    assert pair.rows == pair.rows_at(place)
    if products()[plan.replica].dialect.gtid_modes != "none":
        assert pair.executed == executed
