"""Logs as servers of each profile write them break nothing; facts that break no requirement are notes."""

from dataclasses import replace

import pytest
from judged_log import judge, places
from written_log import WrittenLog, gtid_set

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER
from conformance.specs.profiles import PROFILES, newest

IN_USE = int(Flag.BINLOG_IN_USE)
RELAY = int(Flag.RELAY_LOG)
IGNORABLE = int(Flag.IGNORABLE)
ARTIFICIAL = int(Flag.ARTIFICIAL)

WITH_MARKERS = [
    each for each in PROFILES if each not in ("mysql-5.1", "mysql-5.5", "mysql-5.6") and "maria" not in each
]
OLD = ["mysql-5.1", "mysql-5.5", "mysql-5.6"]


@pytest.mark.parametrize("profile", WITH_MARKERS)
@pytest.mark.parametrize("checksums", [True, False])
def test_transactions_and_statements_with_gtids(profile, checksums):
    log = WrittenLog(profile, checksums=checksums).begin(gtid_set((1, 9)))
    log.gtid(10).insert().gtid(11).query("CREATE TABLE t (a INT)").gtid(12).query("DROP TABLE `t`")
    if profile != "worklog":
        log.anonymous().insert().anonymous().query("OPTIMIZE TABLE t")
    checked, violations, notes = judge(log.rotate("bin.000002").data, profile=profile)
    assert (violations, notes) == ([], [])
    assert checked.healthy
    assert checked.verdicts.judged["FORMAT-LOG-TABLE-MAP"] >= 1


@pytest.mark.parametrize("profile", OLD)
def test_logs_of_servers_without_gtids_need_none(profile):
    log = WrittenLog(profile).begin().insert().query("CREATE TABLE t (a INT)").table_map().rows().stop()
    _, violations, notes = judge(log.data)
    assert (violations, notes) == ([], [])


def test_a_statement_with_its_rows_query():
    log = WrittenLog().begin().anonymous().insert(rows_query=True)
    assert judge(log.data)[1] == []


def test_one_rows_query_for_a_statement_on_two_tables():
    log = WrittenLog().begin().anonymous().query("BEGIN").rows_query().table_map(7).table_map(8)
    log.rows(7, last=False).rows(8).rows_query().table_map(7).rows(7).xid()
    assert judge(log.data)[1] == []


def test_context_events_may_come_between_a_gtid_event_and_its_statement():
    log = WrittenLog().begin().anonymous().event(EventType.INTVAR, intvar_type=2, intvar_value=1)
    assert judge(log.query("CREATE TABLE t (a INT)").data)[1] == []


def test_an_ignorable_event_may_come_between_a_gtid_event_and_its_transaction():
    # Aurora pads its logs like this, with a type of its own.
    log = WrittenLog("mysql-5.7", server_version="5.7.12-log")
    lengths = log.format.post_header_lengths
    log.format = replace(log.format, post_header_lengths=lengths.ljust(100, b"\0"))
    log.describe().previous_gtids().anonymous().bytes(100, b"padding", flags=IGNORABLE).insert()
    assert judge(log.data)[1] == []


def test_an_atomic_create_select_of_8_0_is_inside_a_transaction():
    log = WrittenLog().begin().anonymous().query("BEGIN").query("CREATE TABLE `t` (\n  `a` int\n) START TRANSACTION")
    log.table_map().rows().xid()
    checked, violations, _ = judge(log.data)
    assert violations == []
    assert checked.verdicts.judged["WL7592-LOG-CREATE-SELECT-ROW"] == 1


def test_a_split_create_select_of_5_7():
    log = WrittenLog("mysql-5.7").begin().anonymous().query("CREATE TABLE `t` (`a` int)").anonymous().insert()
    checked, violations, _ = judge(log.data)
    assert violations == []
    assert checked.verdicts.judged["WL7592-LOG-CREATE-NOT-INSIDE"] == 1


def test_xa_transactions():
    log = WrittenLog().begin().gtid(1).query("XA START X'78',X'',1").table_map().rows().query("XA END X'78',X'',1")
    log.event(EventType.XA_PREPARE, one_phase=0, xa_format_id=1, xa_gtrid_length=1, xa_bqual_length=0, xa_data=b"x")
    log.gtid(2).query("XA COMMIT X'78',X'',1").gtid(3).query("XA ROLLBACK X'79',X'',1")
    assert judge(log.data)[1] == []


def test_rollback_to_a_savepoint_ends_nothing():
    log = WrittenLog().begin().anonymous().query("BEGIN").query("SAVEPOINT `s`").query("ROLLBACK TO `s`").xid()
    assert judge(log.data)[1] == []


def test_an_incident_closes_an_open_transaction():
    log = WrittenLog().begin().anonymous().query("BEGIN")
    log.event(EventType.INCIDENT, incident=1, message=b"lost").rotate("bin.000002")
    assert judge(log.data)[1] == []


def relay_log():
    """Write a relay log: the replica's own first events, then those of the source, with the source's positions."""
    log = WrittenLog().describe(flags=RELAY).previous_gtids(flags=RELAY | IGNORABLE)
    log.rotate("bin.000001", flags=ARTIFICIAL, at=0).describe(at=4)
    return log.rotate("bin.000001", position=158, at=7000)


def test_positions_in_a_relay_log_are_the_sources():
    log = relay_log().anonymous().query("CREATE TABLE t", at=235).rotate("relay.000002", flags=RELAY)
    checked, violations, _ = judge(log.data)
    assert violations == []
    assert checked.log.relay


def test_a_relay_log_that_begins_inside_a_transaction():
    log = WrittenLog().describe(flags=RELAY).previous_gtids(flags=RELAY | IGNORABLE)
    log.describe(flags=ARTIFICIAL).rows().xid().anonymous().insert()
    assert judge(log.data)[1] == []


def test_a_relay_log_that_begins_between_a_gtid_event_and_its_begin():
    log = WrittenLog().describe(flags=RELAY).previous_gtids(flags=RELAY | IGNORABLE)
    assert judge(log.describe(flags=ARTIFICIAL).insert().anonymous().insert().data)[1] == []
    assert judge(log.insert().data)[1] != []


@pytest.mark.parametrize(
    ("profile", "is_relay"),
    [
        ("mysql-5.5", True),
        ("mariadb-10.1.23", True),
        ("mariadb-10.2.11", True),
        ("mariadb-10.x", False),
        ("mysql-5.7", False),
    ],
)
def test_a_relay_log_that_received_nothing_is_known_by_its_end_where_no_replica_flags_its_beginning(profile, is_relay):
    log = WrittenLog(profile).describe().rotate("relay.000002", flags=RELAY)
    checked, violations, _ = judge(log.data)
    assert checked.log.relay is is_relay
    assert ("FORMAT-LOG-FLAGS" in [each.requirement for each in violations]) is not is_relay


def test_a_relay_log_from_before_the_relay_flag():
    log = WrittenLog("mysql-5.1").describe().rotate("bin.000001", flags=ARTIFICIAL).describe(at=4)
    checked, violations, _ = judge(log.query("CREATE TABLE t", at=4711).data)
    assert violations == []
    assert checked.log.relay


def test_a_relay_log_of_5_0_whose_first_rotate_has_no_flag_and_no_position():
    # The beginning of a relay log of 5.0.58: Rotate without the artificial flag, then the source's format description.
    log = WrittenLog("mysql-5.1", server_version="5.0.58-log").describe()
    name = "bin.000001"
    log.rotate(name, at=-len(name) - 27).describe(at=4)
    log.query("BEGIN", at=98).query("INSERT INTO t VALUES (1)", at=166).xid().rotate("relay.000002")
    checked, violations, notes = judge(log.data)
    assert (violations, notes) == ([], [])
    assert checked.log.relay
    assert HEADER.unpack_from(log.data, log.offsets[1])[4] == 0


def test_a_relay_log_from_before_the_relay_flag_that_begins_with_the_end_of_its_sources_log():
    # A relay log of 5.5.9: the source's log ended, and the replica begins another for the next one.
    log = WrittenLog("mysql-5.5", server_version="5.5.9-log").describe()
    log.rotate("bin.000002", at=2300)
    server_id_at = log.last + 5
    log.data[server_id_at : server_id_at + 4] = (7).to_bytes(4, "little")
    log.rotate("relay.000004", flags=RELAY)
    checked, violations, notes = judge(log.data)
    assert (violations, notes) == ([], [])
    assert checked.log.relay


def test_the_checksum_of_a_sources_format_description_in_a_relay_log_may_be_that_of_its_file():
    log = WrittenLog("mariadb-10.x", checksums=False).describe(flags=RELAY)
    log.rotate("bin.000001", flags=ARTIFICIAL, at=0).describe(at=4)
    log.data[-1] ^= 0xFF
    assert judge(log.data)[1] == []
    own = WrittenLog("mariadb-10.x", checksums=False).describe(flags=RELAY)
    own.data[-1] ^= 0xFF
    assert [each.requirement for each in judge(own.data)[1]] == ["FORMAT-LOG-DESCRIPTION-CHECKSUM"]


def test_a_log_that_ends_at_once_is_not_a_relay_log():
    log = WrittenLog("mysql-5.5", server_version="5.5.9-log").describe().rotate("bin.000002")
    checked, violations, _ = judge(log.data)
    assert violations == []
    assert not checked.log.relay


def relay_log_of(replica, source, *, own_gtids=True):
    """Begin a relay log of a replica, up to the format description of a source of another version."""
    log = WrittenLog(replica).describe(flags=RELAY)
    if own_gtids:
        log.previous_gtids(flags=RELAY | IGNORABLE)
    log.rotate("bin.000001", flags=ARTIFICIAL)
    theirs = WrittenLog(source)
    log.server, log.format = theirs.server, theirs.format
    return log.describe(flags=ARTIFICIAL)


def test_a_replica_of_mariadb_leaves_out_what_its_source_must_log():
    log = relay_log_of("mariadb-11.x", "mysql-8.0", own_gtids=False).insert().query("CREATE TABLE t (a INT)")
    checked, violations, _ = judge(log.data)
    assert violations == []
    assert (checked.log.profile, checked.log.source) == ("mariadb-11.8.9", "mysql-8.0.43")
    assert "WL7592-LOG-OFF-ANON-FIRST" not in checked.verdicts.judged


def test_a_replica_of_5_5_writes_its_sources_previous_gtids():
    log = relay_log_of("mysql-5.5", "mysql-8.0", own_gtids=False).previous_gtids().anonymous().insert()
    assert judge(log.data)[1] == []


def test_a_replica_need_not_add_what_its_older_source_does_not_log():
    assert judge(relay_log_of("mysql-8.0", "mysql-5.5").insert().query("CREATE TABLE t (a INT)").data)[1] == []


@pytest.mark.parametrize("source", ["mysql-5.5", "mysql-5.6", "mysql-5.7", "mysql-9.x"])
def test_a_replica_of_8_0_is_held_to_its_own_rules_whatever_its_source(source):
    log = relay_log_of("mysql-8.0", source)
    log.event(EventType.PREVIOUS_GTIDS, flags=IGNORABLE, previous_gtids=gtid_set())
    assert places(judge(log.data)[1]) == [(log.last, "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED")]
    log = relay_log_of("mysql-8.0", source, own_gtids=False)
    assert places(judge(log.data)[1]) == [(log.offsets[1], "WL7592-RELAY-PREVIOUS-GTIDS-OWN")]


def test_what_both_a_source_and_its_replica_are_held_to_is_judged():
    log = relay_log_of("mysql-8.0", "mysql-9.x").anonymous().insert().insert()
    assert [each.requirement for each in judge(log.data)[1]] == ["WL7592-LOG-OFF-ANON-FIRST"]


@pytest.mark.parametrize(
    ("profile", "event", "log_pos", "breaks"),
    [
        ("mariadb-11.x", -2, 0, False),
        ("mariadb-11.x", -2, 1, True),
        ("mariadb-11.x", -3, 0, True),
        ("mariadb-11.x", -1, 0, True),
        ("mariadb-10.x", -2, 0, True),
    ],
)
def test_positions_between_the_ends_of_transactions_of_mariadb_11_may_be_0(profile, event, log_pos, breaks):
    log = WrittenLog(profile, checksums=False).begin()
    log.mariadb_gtid(1, standalone=False).query("INSERT INTO t VALUES (1)").xid()
    at = log.offsets[event]
    log.data[at + 13 : at + 17] = log_pos.to_bytes(4, "little")
    assert ((at, "WL4033-READ-POSITION-CHAIN") in places(judge(log.data)[1])) == breaks


def test_positions_beyond_four_gib_wrap():
    # A stream of 4 GiB is too long for a test, so the rule judges a single event at that offset.
    from conformance.binlog.event import Event
    from conformance.binlog.header import Header
    from conformance.log_check.framing import POSITION_CHAIN, Positions
    from conformance.log_check.log_event import Log, LogEvent
    from conformance.log_check.verdicts import Verdicts

    findings = []
    verdicts = Verdicts((POSITION_CHAIN,), findings.append)
    verdicts.use_profile("mysql-8.0")
    at = 2**32 - 10
    event = Event(at, Header(1, EventType.STOP, 1, 23, (at + 23) % 2**32, 0), bytes(23), WrittenLog().format)
    Positions().judge(LogEvent(event, EventType.STOP, at, event.header.flags, {}), Log("bin.000001"), verdicts)
    assert findings == []
    assert verdicts.judged[POSITION_CHAIN] == 1


@pytest.mark.parametrize("cut", [1, 18, 19, 40])
def test_a_torn_tail_of_a_log_in_use_is_a_note(cut):
    log = WrittenLog().begin(flags=IN_USE).anonymous().insert().anonymous().query("CREATE TABLE t (a INT)")
    checked, violations, notes = judge(log.data[: log.last + cut])
    assert violations == []
    assert checked.healthy
    assert notes[0].offset == log.last
    assert "still being written" in notes[0].text


def test_zeros_after_a_log_in_use_are_a_torn_tail():
    log = WrittenLog().begin(flags=IN_USE)
    checked, _, notes = judge(log.data + bytes(4096))
    assert checked.healthy
    assert [each.offset for each in notes] == [len(log.data)]


def test_a_log_that_stops_inside_a_transaction_is_a_note():
    log = WrittenLog().begin().anonymous().query("BEGIN").table_map()
    checked, violations, notes = judge(log.data)
    assert (violations, checked.healthy) == ([], True)
    assert [(each.offset, each.text) for each in notes] == [
        (len(log.data), f"the log ends inside the transaction that began at offset {log.offsets[2]}")
    ]


def test_an_undeclared_ignorable_event_is_a_note_once():
    log = WrittenLog().begin().bytes(99, b"", flags=IGNORABLE).bytes(98, b"", flags=IGNORABLE)
    _, violations, notes = judge(log.data)
    assert violations == []
    assert len(notes) == 1


def test_everything_before_the_damage_is_judged():
    log = WrittenLog().begin().anonymous().query("COMMIT").anonymous().insert()
    del log.data[-1:]
    _, violations, _ = judge(log.data)
    assert places(violations) == [
        (log.offsets[3], "FORMAT-LOG-END-NEEDS-BEGIN"),
        (log.last, "FORMAT-TRUNCATED-BODY"),
    ]


@pytest.mark.parametrize(
    ("version", "profile"),
    [
        ("5.0.16-debug-log", "mysql-5.1"),
        ("5.5.62-log", "mysql-5.5.62"),
        ("5.6.51", "mysql-5.6.51"),
        ("5.7.2-m12-debug-log", "mysql-5.6"),
        ("5.7.44-log", "mysql-5.7.44"),
        ("6.0.4-alpha", "mysql-5.5"),
        ("8.0.15", "mysql-8.0.15"),
        ("8.1.0", "mysql-8.0"),
        ("8.4.6", "mysql-8.4.6"),
        ("9.7.4-2", "mysql-9.7.4"),
        ("99.0.0", newest("mysql").name),
        ("5.5.68-MariaDB", "mariadb-10.x"),
        ("10.11.18-MariaDB-log", "mariadb-10.11.18"),
        ("11.8.6-MariaDB", "mariadb-11.8.6"),
        ("no version", None),
    ],
)
def test_the_server_version_gives_the_profile(version, profile):
    from conformance.log_check.server_profile import profile_of

    assert profile_of(version) == profile
