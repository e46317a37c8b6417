"""Generated relay logs for a real replica: its applier stops where the model's does, with the same positions."""

import itertools
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pymysql
import pytest

from conformance.binlog.checksum import ChecksumAlgorithm, checksum
from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.user_variable import VariableType
from conformance.models.replica.compatibility import replica_rules
from conformance.models.replica.event_kind import Kind, kind_of
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.protocol.observation import Request
from conformance.protocol.reported_event import report
from conformance.reference.apply import answer
from conformance.servers.real_server import RealServer
from conformance.servers.relay_feed import OPTIONS, Fed, feed
from conformance.specs.catalogue import catalogue
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from conformance.strategies.groups.replica_groups import PREPARATION, REPLICA_ID
from tests.witnesses import witnessed, witnessed_in_case

SEED = 1
CASES = 40
FAMILIES = (
    "unknown_events_applied",
    "unknown_events_refused",
    "flagged_groups",
    "gtid_missing",
    "anonymous_with_gtid_mode_on",
    "gtids_with_gtid_mode_off",
    "lost_events",
    "create_select_not_split",
    "split_create_selects",
    "newer_sources_with_gtids",
    "drops_not_split",
    "rows_before_rows_query",
    "skip_and_until",
    "skipped_groups",
    "stop_positions",
    "groups_sent_again",
    "odd_groups_applied",
    "own_events_applied",
    "own_groups_applied",
    "retrieved_groups_applied",
    "older_source_streams",
    "streams_without_gtids",
    "wrong_lengths_in_relay_logs",
    "truncated_relay_logs",
    "wrong_checksums_in_relay_logs",
    "malformed_bodies_in_relay_logs",
)

#: When a server takes a gtid_mode -> the modes that the cases have.
MODES = {"none": ("OFF",), "at the start": ("ON", "OFF"), "running": ("ON", "ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF")}
#: The position of a replica -> the field of the last entry that has it.
POSITIONS = {"relay_log_pos": "group_relay_log_pos", "source_log_pos": "source_log_pos"}

#: A declared type that is only the base class of ignorable events.
IGNORABLE_TYPE = EventType.IGNORABLE
#: Families whose streams 9.7 treats differently -> what it does instead, which is not a mistake in the model.
DEVIATIONS = {
    "gtid_after_begin": "the coordinator waits for the end of the group that BEGIN began, and does not pass it on",
}
DEVIATING = Profiles("mysql >= 9.0")
#: With gtid_mode=OFF a CREATE inside a transaction commits half of it. 9.7.4 then stays at the CREATE's position, and
#: sometimes crashes.
ONLY_ON = {"create_select_not_split"}
SKIP_REFUSED, TEXT_NEEDED = "WL7592-APPLY-ON-SKIP-REFUSED", "WL4033-LOG-ROWS-QUERY-NEEDS-TEXT"
#: What is in statements that change rows.
OWN_ROWS = re.compile(rb"INSERT|LOAD")
ROWS, TEXTS = ROWS_TYPES, frozenset({EventType.ROWS_QUERY})
READS_ALL = ReaderRules(verify_checksums=False, known=frozenset(range(256)), beyond_format_description=True)


def families_of(profile: str) -> list[str]:
    return [name for name in FAMILIES if profile in families()[name].profiles_of("apply")]


@pytest.fixture(scope="module")
def replicas(product, server_folder, template_of) -> Iterator[dict[str, RealServer]]:
    """Yield a replica in each gtid_mode."""
    made = {}
    for mode in MODES[product.dialect.gtid_modes]:
        options = [*OPTIONS[product.profile.name]]
        if product.dialect.gtid_modes != "none":
            options += [f"--gtid-mode={mode}", f"--enforce-gtid-consistency={'ON' if mode == 'ON' else 'OFF'}"]
        folder = server_folder / f"{product.name}-{mode.lower()}"
        made[mode] = RealServer(product, folder, options=options, template=template_of(product))
        made[mode].start()
    yield made
    for server in made.values():
        server.kill()


def apply_case(replicas: dict[str, RealServer], case: Case) -> Fed:
    settings = case.settings
    server = replicas[settings["gtid_mode"]]
    state = feed(
        server,
        case.stream,
        prepare=(*PREPARATION, f"SET GLOBAL server_id = {settings['server_id']}"),
        skip_counter=settings.get("skip_counter", 0),
        until=settings.get("until"),
        reaches=None if case.expected.refused_code else case.expected.events[-1].get("group_relay_log_pos"),
    )
    if state.hangs:
        server.kill()
        server.start()
    return state


def _positions(seen: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(seen.get(name) for name in POSITIONS)


def _group_positions(case: Case) -> list[tuple[int, ...]]:
    """Return the positions after each event, where they are not left open."""
    entries = (each for each in case.expected.events if "group_relay_log_pos" in each)
    return [(each["group_relay_log_pos"], each["source_log_pos"]) for each in entries]


def test_the_state_of_a_real_replica_is_that_of_the_model(replicas, product, family):
    different = []
    for index in range(CASES):
        case = case_of(CaseId(family, product.profile.name, seed=SEED, index=index, role="apply"))
        if replica_rules(product.profile.name, case.settings.get("version", "")) != replica_rules(product.profile.name):
            continue
        deviating = product.profile.name in DEVIATING
        crashing = family in ONLY_ON or (deviating and _creates_in_group(case))
        if crashing and case.settings["gtid_mode"] != "ON":
            continue
        if deviating and _has_cut_decimal(case.stream):
            continue
        last = case.expected.events[-1]
        expected = {
            "error": case.expected.refused_code or 0,
            # After what is skipped for its server id the positions are left open.
            **({name: last[field] for name, field in POSITIONS.items()} if "group_relay_log_pos" in last else {}),
            "skip_counter": last["skip_counter"],
            "executed": last["executed_gtids"],
            "hangs": False,
            # Of each family the data or the own log is modelled.
            **({"rows": last["tables"]["test.t1"]} if "tables" in last else {}),
            **({"logged_gtids": _logged_gtids(case)} if _is_log_certain(case) else {}),
        }
        state = apply_case(replicas, case)
        seen = {name: getattr(state, name) for name in expected}
        skipping = bool(last["skip_counter"])
        before = _positions(seen) in _group_positions(case)
        if before and deviating and seen.get("source_log_pos") == expected.get("source_log_pos"):
            # Between groups 9.7 shows the position after the last one, whatever it has read since.
            seen["relay_log_pos"] = expected["relay_log_pos"]
        if _follows_event_of_no_log(case):
            # Whether the position is that of the event is left open.
            seen["source_log_pos"] = expected["source_log_pos"]
        if state.error and (skipping or before):
            # A server takes the end of each event that it skips for that of a group.
            # Sometimes it stops before the last checkpoint; the executed GTIDs are those of all groups.
            seen |= {name: expected[name] for name in POSITIONS if name in expected}
        if seen != expected:
            unlike = {name: (expected[name], seen[name]) for name in expected if expected[name] != seen[name]}
            different.append((str(case.id), unlike, state.message))
        else:
            witnessed_in_case(product.profile.name, case)
    assert different == []


def _follows_event_of_no_log(case: Case) -> bool:
    """Return whether the applier stops right after a statement of the server id 0 or of the replica itself."""
    *_, before, last = case.expected.events
    server_id = int.from_bytes(case.stream[before["offset"] + 5 : before["offset"] + 9], "little")
    return last["outcome"] == "until" and before["type"] == EventType.QUERY and server_id in (0, REPLICA_ID)


def test_an_applier_held_up_after_it_has_read_everything_is_waited_for(replicas, product):
    profile = product.profile.name
    lasts = ((each, each.expected.events[-1]) for each in _applied_whole(profile))
    case, last = next(((each, last) for each, last in lasts if last.get("tables", {}).get("test.t1")), (None, {}))
    if case is None:
        pytest.skip("no family has a stream for the server of which the data is modelled")
    server = replicas["OFF"]
    with server.connect() as holder:
        release = threading.Timer(1, holder.query, ["UNLOCK TABLES"])

        def prepared() -> Iterator[str]:
            yield from PREPARATION
            holder.query("LOCK TABLES test.t1 READ")
            release.start()

        state = feed(server, case.stream, prepare=prepared(), reaches=last["group_relay_log_pos"])
        release.join()
    assert (state.error, state.relay_log_pos) == (0, last["group_relay_log_pos"])
    assert state.rows == last["tables"]["test.t1"]


def test_a_real_replica_with_gtids_refuses_a_skip_counter(replicas, product):
    profile = product.profile.name
    if profile not in catalogue()[SKIP_REFUSED].holds:
        pytest.skip("the requirement is not for the server")
    case = case_of(CaseId("skip_counter_refused", profile, seed=SEED, index=0, role="apply"))
    with pytest.raises(pymysql.err.Error) as raised:
        apply_case(replicas, case)
    server = replicas[case.settings["gtid_mode"]]
    counter = server.value("SELECT @@GLOBAL.sql_slave_skip_counter")
    assert (raised.value.args[0], counter) == (case.expected.refused_code, 0)
    witnessed(profile, SKIP_REFUSED, kept=True)


def test_a_real_replica_logs_no_text_of_rows_that_came_without_one(replicas, product):
    profile = product.profile.name
    if profile not in catalogue()[TEXT_NEEDED].holds:
        pytest.skip("the requirement is not for the server")
    server = replicas["OFF"]
    server.run("SET GLOBAL binlog_rows_query_log_events = ON")
    try:
        cases = (each for each in _applied_whole(profile) if _has(each.stream, ROWS))
        # A statement that the replica runs itself has a text, also where it is logged as rows.
        case = next(each for each in cases if not _has(each.stream, TEXTS) and not OWN_ROWS.search(each.stream))
        apply_case(replicas, case)
        (path,) = server.logs()
        log = path.read_bytes()
        assert (_has(log, ROWS), _has(log, TEXTS)) == (True, False)
        # A statement of its own has its text there.
        server.run("INSERT INTO test.t1 VALUES (1, 1)")
        assert _has(path.read_bytes(), TEXTS)
        witnessed(profile, TEXT_NEEDED, kept=True)
    finally:
        server.run("SET GLOBAL binlog_rows_query_log_events = OFF")


def _applied_whole(profile: str) -> Iterator[Case]:
    """Yield the cases that an applier without GTIDs applies without an error."""
    for index, family in itertools.product(range(10 * CASES), families_of(profile)):
        case = case_of(CaseId(family, profile, seed=SEED, index=index, role="apply"))
        part = case.settings.keys() & {"skip_counter", "until"}
        if case.settings["gtid_mode"] == "OFF" and case.expected.refused_code is None and not part:
            yield case


def _has(stream: bytes, types: frozenset[int]) -> bool:
    """Return whether a stream has an event of one of these types."""
    return any(event.header.type in types for event in read_events(stream, READS_ALL))


def _creates_in_group(case: Case) -> bool:
    """Return whether a statement such as CREATE TABLE commits a group in the middle."""
    defining = set()
    # Nothing after a damaged event is applied.
    with suppress(BinlogError, MalformedBody):
        for event in read_events(case.stream, READS_ALL):
            if event.header.type == EventType.QUERY and kind_of(ReplicaEvent.of_entry(report(event))) is Kind.DDL:
                defining.add(event.offset)
    return any(entry["in_group"] and entry["offset"] in defining for entry in case.expected.events)


def _has_cut_decimal(stream: bytes) -> bool:
    """Return whether a user variable of type DECIMAL lacks a part of its value, at which 9.7.4 crashes with a SIGSEGV.

    8.0.15 refuses it. reports/findings/mysqlbinlog-short-decimal-variable.md has the server's error log.
    """
    with suppress(BinlogError):
        for event in read_events(stream, READS_ALL):
            body = event.data[event.format.header_length : event.body_end]
            # After the name come whether it is NULL, the type, the collation and the length, then the value.
            facts = body[4 + int.from_bytes(body[:4], "little") :]
            is_decimal = event.header.type == EventType.USER_VAR and facts[:2] == bytes((0, VariableType.DECIMAL))
            if is_decimal and int.from_bytes(facts[6:10], "little") > len(facts) - 10:
                return True
    return False


def _is_log_certain(case: Case) -> bool:
    """Return whether the model has what is logged of each group: MariaDB makes a GTID for one that came without."""
    has_gtids = any(entry["type"] == EventType.MARIADB_GTID for entry in case.expected.events)
    is_known = has_gtids or not case.id.profile.startswith("mariadb")
    return is_known and all("logged_gtids" in entry for entry in case.expected.events)


def _logged_gtids(case: Case) -> list[str]:
    return [gtid for entry in case.expected.events for gtid in entry.get("logged_gtids", "").split(",") if gtid]


def _truncated(data: bytearray, start: int, end: int) -> bytearray:
    return data[: end - 5]


def _length_zero(data: bytearray, start: int, end: int) -> bytearray:
    data[start + 9 : start + 13] = bytes(4)
    return data


def _bit_flipped(data: bytearray, start: int, end: int) -> bytearray:
    data[end - 6] ^= 0x10
    return data


def _of_unknown_type(data: bytearray, start: int, end: int) -> bytearray:
    return _change_byte(data, start, end, 4, IGNORABLE_TYPE)


def _of_undeclared_type(data: bytearray, start: int, end: int) -> bytearray:
    return _change_byte(_change_byte(data, start, end, 4, 127), start, end, 17, Flag.IGNORABLE)


def _change_byte(data: bytearray, start: int, end: int, at: int, value: int) -> bytearray:
    """Change one byte of an event, and its checksum."""
    data[start + at] = value
    data[end - 4 : end] = checksum(bytes(data[start : end - 4])).to_bytes(4, "little")
    return data


@pytest.mark.parametrize(
    "damage",
    [_truncated, _length_zero, _bit_flipped, _of_unknown_type, _of_undeclared_type],
    ids=lambda each: each.__name__,
)
def test_a_real_replica_stops_where_the_reader_stops(replicas, product, damage):
    if product.profile.name not in families()["skip_and_until"].profiles_of("apply"):
        pytest.skip("the family has no streams for the server")
    different = []
    for index in range(10):
        case = case_of(CaseId("skip_and_until", product.profile.name, seed=SEED, index=index, role="apply"))
        events = list(read_events(case.stream))
        if events[0].format.checksum_algorithm != ChecksumAlgorithm.CRC32:
            continue
        victim = events[2 + index % (len(events) - 2)]
        stream = bytes(damage(bytearray(case.stream), victim.offset, victim.end))
        model = answer(Request("apply", product.profile.name, stream, {"gtid_mode": "OFF"}))
        reaches = None if model.error else model.events[-1]["group_relay_log_pos"]
        state = feed(replicas["OFF"], stream, prepare=PREPARATION, reaches=reaches)
        if state.hangs:
            replicas["OFF"].kill()
            replicas["OFF"].start()
        number = model.error.code if model.error else 0
        expected = (number, model.events[-1]["group_relay_log_pos"], model.events[-1]["source_log_pos"])
        seen = (state.error, state.relay_log_pos, state.source_log_pos)
        if seen != expected:
            different.append((str(case.id), victim.header, expected, seen, state.message))
    assert different == []


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_a_deviation_still_exists(replicas, product, deviation):
    if product.profile.name not in DEVIATING:
        pytest.skip("seen with 9.7 only")
    case = case_of(CaseId(deviation, product.profile.name, seed=SEED, index=0, role="apply"))
    state = apply_case(replicas, case)
    assert (case.expected.refused_code, state.error, state.hangs) == (1782, 0, True), DEVIATIONS[deviation]
