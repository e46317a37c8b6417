"""The applier: the outcome of each event, the positions, and the errors that stop it."""

import pytest
from replica_events import (
    ANONYMOUS,
    BEGIN,
    COMMIT,
    CREATE,
    INSERT,
    INTVAR,
    LAST_ROWS,
    LENGTH,
    NAMES_LOG,
    REPLICA_ID,
    ROWS,
    SOURCE_ID,
    TABLE_MAP,
    UNKNOWN,
    UUID,
    XID,
    event,
    format_description,
    gtid,
    query,
    rotate,
    stream,
)

from conformance.binlog.event_types import EventType
from conformance.models.replica.applier import Applier, ApplyOutcome
from conformance.models.replica.replica_settings import ReplicaSettings, Until
from conformance.models.replica.stop_reason import StopReason

NEW = ("worklog", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x")


def applied(*made, profile="mysql-9.x", **settings):
    applier = Applier(ReplicaSettings(profile=profile, **settings))
    done = applier.apply(stream(*made))
    return done, applier


def outcomes(done):
    return [each.outcome.value for each in done]


def stop(*made, **settings):
    _, applier = applied(*made, **settings)
    return applier.stopped and (applier.stopped.reason, applier.stopped.code)


# --- groups


def test_a_group_begins_at_its_anonymous_gtid_event_before_begin():
    done, applier = applied(format_description(), ANONYMOUS, BEGIN, INSERT, XID)
    assert [each.in_group for each in done] == [False, True, True, True, False]
    assert [each.gtid for each in done] == ["", "ANONYMOUS", "ANONYMOUS", "ANONYMOUS", ""]
    assert applier.history == ["ANONYMOUS"]


def test_positions_stay_at_the_last_whole_group():
    done, _ = applied(format_description(), ANONYMOUS, BEGIN, INSERT, XID)
    assert [each.relay_log_pos for each in done] == [54, 104, 154, 204, 254]
    assert [each.group_relay_log_pos for each in done] == [54, 54, 54, 54, 254]


def test_a_gtid_is_executed_when_its_group_is_committed():
    done, applier = applied(gtid(1), BEGIN, INSERT, XID, gtid(2), CREATE, gtid_mode="ON")
    assert [str(each.executed) for each in done] == ["", "", "", f"{UUID}:1", f"{UUID}:1", f"{UUID}:1-2"]
    assert applier.history == [f"{UUID}:1", f"{UUID}:2"]


def test_a_gtid_that_is_executed_already_is_skipped_with_its_group():
    done, applier = applied(gtid(1), CREATE, gtid(1), BEGIN, INSERT, XID, gtid(2), CREATE, gtid_mode="ON")
    assert outcomes(done) == ["applied"] * 2 + ["skipped"] * 4 + ["applied"] * 2
    assert len(applier.history) == 2


def test_a_group_that_never_ended_is_rolled_back_at_the_next_gtid_event():
    done, applier = applied(gtid(1), BEGIN, INSERT, gtid(2), BEGIN, INSERT, XID, gtid_mode="ON")
    assert str(done[-1].executed) == f"{UUID}:2"
    assert applier.stopped is None


def test_create_table_select_commits_between_the_create_and_the_rows():
    done, _ = applied(ANONYMOUS, CREATE, ANONYMOUS, BEGIN, TABLE_MAP, LAST_ROWS, COMMIT, profile="worklog")
    assert (done[1].in_group, done[1].transactions) == (False, 1)
    assert done[-1].transactions == 2


@pytest.mark.parametrize("second", [BEGIN, CREATE])
def test_an_implicit_commit_inside_a_group_with_a_gtid_is_an_error(second):
    assert stop(gtid(1), BEGIN, INSERT, second, gtid_mode="ON") == (StopReason.IMPLICIT_COMMIT, 1778)
    assert stop(ANONYMOUS, BEGIN, INSERT, second, XID) is None


def test_begin_inside_an_anonymous_group_commits_the_open_transaction():
    done, _ = applied(ANONYMOUS, BEGIN, INSERT, BEGIN, INSERT, XID)
    assert [each.transactions for each in done] == [0, 0, 0, 1, 1, 2]


def test_a_create_inside_a_group_of_mariadb_is_not_an_error():
    named = event(EventType.MARIADB_GTID, gtid="0-1-5")
    done, applier = applied(named, CREATE, TABLE_MAP, LAST_ROWS, COMMIT, profile="mariadb-11.x")
    assert applier.stopped is None
    assert applier.history == ["0-1-5"]
    assert [each.in_group for each in done] == [True, True, True, True, False]


def test_the_create_of_an_atomic_create_select_is_not_an_implicit_commit():
    atomic = query("CREATE TABLE `t2` (\n  `a` int\n) START TRANSACTION")
    done, applier = applied(gtid(1), BEGIN, atomic, TABLE_MAP, LAST_ROWS, XID, gtid_mode="ON")
    assert applier.stopped is None
    assert [each.transactions for each in done] == [0, 0, 0, 0, 0, 1]


def test_an_incident_stops_the_applier():
    assert stop(ANONYMOUS, event(EventType.INCIDENT)) == (StopReason.INCIDENT, 13119)
    assert stop(ANONYMOUS, event(EventType.INCIDENT), profile="mysql-5.7") == (StopReason.INCIDENT, 1590)


# --- unknown events (WL#4033)


@pytest.mark.parametrize("place", range(5))
def test_an_unknown_ignorable_event_changes_only_the_position(place):
    made = [ANONYMOUS, BEGIN, INSERT, XID]
    plain, _ = applied(*made)
    done, applier = applied(*made[:place], UNKNOWN, *made[place:])
    assert done[place].outcome is ApplyOutcome.IGNORED
    assert done[place].relay_log_pos == done[place].event.end
    assert [each.transactions for each in done][-1] == plain[-1].transactions
    assert applier.stopped is None


def test_a_replica_without_the_rule_stops_at_an_unknown_event():
    assert stop(UNKNOWN, profile="mysql-5.5") == (StopReason.UNKNOWN_EVENT, 1594)


# --- gtid_mode (WL#7592, stricter checks)


@pytest.mark.parametrize("profile", NEW)
@pytest.mark.parametrize("first", [BEGIN, CREATE, INSERT, COMMIT, XID, TABLE_MAP, INTVAR])
def test_a_transaction_without_a_gtid_event_stops_an_applier_in_mode_on(profile, first):
    assert stop(format_description(), first, profile=profile, gtid_mode="ON") == (StopReason.GTID_MISSING, 1782)


@pytest.mark.parametrize(("profile", "place"), [("worklog", 4), ("mysql-5.7", 5), ("mysql-8.0", 5), ("mysql-9.x", 5)])
def test_after_a_group_with_a_gtid_servers_require_one_at_the_first_statement_and_the_worklog_at_begin(profile, place):
    done, applier = applied(gtid(1), BEGIN, INSERT, XID, BEGIN, INSERT, XID, profile=profile, gtid_mode="ON")
    assert applier.stopped.code == 1837
    assert applier.stopped.event == done[place].event == done[-1].event


def test_an_anonymous_group_stops_an_applier_in_mode_on_at_its_first_event():
    done, applier = applied(ANONYMOUS, BEGIN, INSERT, XID, gtid_mode="ON")
    assert outcomes(done) == ["failed"]
    assert applier.stopped.reason is StopReason.ANONYMOUS


def test_a_gtid_stops_an_applier_in_mode_off():
    assert stop(gtid(1), gtid_mode="OFF") == (StopReason.GTID, 1781)


@pytest.mark.parametrize("mode", ["OFF_PERMISSIVE", "ON_PERMISSIVE"])
def test_the_permissive_modes_accept_groups_of_both_kinds(mode):
    assert stop(gtid(1), CREATE, ANONYMOUS, CREATE, CREATE, gtid_mode=mode) is None


@pytest.mark.parametrize("profile", NEW)
def test_a_new_replica_in_mode_off_accepts_streams_without_gtid_events(profile):
    _, applier = applied(BEGIN, CREATE, TABLE_MAP, ROWS, LAST_ROWS, COMMIT, BEGIN, INSERT, XID, profile=profile)
    assert applier.stopped is None
    assert applier.history == ["ANONYMOUS"] * 2


# --- the skip counter


def counters(*made, skip_counter, **settings):
    done, _ = applied(*made, skip_counter=skip_counter, **settings)
    return [each.skip_counter for each in done]


@pytest.mark.parametrize("profile", NEW)
def test_with_a_counter_of_one_a_whole_group_is_skipped(profile):
    made = (format_description(), ANONYMOUS, BEGIN, INTVAR, INSERT, XID, ANONYMOUS, CREATE)
    done, _ = applied(*made, skip_counter=1, profile=profile)
    assert outcomes(done) == ["applied"] + ["skipped"] * 5 + ["applied"] * 2
    assert [each.skip_counter for each in done] == [1, 1, 1, 1, 1, 0, 0, 0]


def test_the_counter_goes_down_inside_a_group_but_not_to_zero():
    assert counters(ANONYMOUS, BEGIN, TABLE_MAP, ROWS, LAST_ROWS, XID, CREATE, skip_counter=3) == [2, 1, 1, 1, 1, 0, 0]


def test_the_counter_continues_after_the_end_of_a_group():
    assert counters(ANONYMOUS, CREATE, ANONYMOUS, CREATE, ANONYMOUS, skip_counter=3) == [2, 1, 1, 0, 0]


def test_events_that_are_part_of_files_are_not_counted():
    made = (format_description(), NAMES_LOG, event(EventType.PREVIOUS_GTIDS), ANONYMOUS, CREATE)
    assert counters(*made, skip_counter=2) == [2, 2, 2, 1, 0]


def test_without_gtid_events_begin_and_context_events_keep_the_counter_at_one():
    assert counters(BEGIN, INSERT, COMMIT, skip_counter=1) == [1, 1, 0]
    assert counters(INTVAR, INSERT, INSERT, skip_counter=1) == [1, 0, 0]
    assert counters(TABLE_MAP, ROWS, LAST_ROWS, skip_counter=1) == [1, 1, 0]


def test_the_counter_may_be_set_in_mode_off_and_in_5_7_not_in_mode_on():
    assert ReplicaSettings(profile="mysql-5.7", gtid_mode="ON", skip_counter=1).is_counter_refused
    assert not ReplicaSettings(profile="mysql-5.7", gtid_mode="ON").is_counter_refused
    assert not ReplicaSettings(profile="mysql-5.7", gtid_mode="OFF", skip_counter=1).is_counter_refused
    assert not ReplicaSettings(profile="mysql-9.x", gtid_mode="ON", skip_counter=1).is_counter_refused


def test_the_error_for_a_negative_counter_or_an_unknown_mode_has_the_value():
    with pytest.raises(ValueError, match="-1"):
        ReplicaSettings(profile="mysql-9.x", skip_counter=-1)
    with pytest.raises(ValueError, match="MAYBE"):
        ReplicaSettings(profile="mysql-9.x", gtid_mode="MAYBE")


# --- UNTIL


def until(position):
    return Until(log_name="binlog.000001", log_pos=position)


def test_the_applier_stops_before_the_first_event_after_the_position():
    made = (NAMES_LOG, ANONYMOUS, CREATE, ANONYMOUS, CREATE)
    done, applier = applied(*made, until=until(4 + 3 * LENGTH))
    assert outcomes(done) == ["applied"] * 3 + ["until"]
    assert done[-1].relay_log_pos == done[-1].event.offset
    assert applier.stopped is None


def test_with_a_position_inside_a_group_the_group_is_completed():
    done, _ = applied(NAMES_LOG, ANONYMOUS, BEGIN, INSERT, XID, ANONYMOUS, CREATE, until=until(4 + 2 * LENGTH))
    assert outcomes(done) == ["applied"] * 5 + ["until"]


@pytest.mark.parametrize(
    ("profile", "server_id", "stops"),
    [
        ("worklog", 0, False),
        ("mysql-9.x", 0, False),
        ("worklog", 2, True),
        ("mysql-9.x", 2, True),
        ("mysql-9.x", REPLICA_ID, True),
        ("mysql-5.7", REPLICA_ID, False),
    ],
)
def test_the_position_of_an_event_with_server_id_zero_does_not_count(profile, server_id, stops):
    far = rotate("binlog.000001", 154, server_id=server_id, log_pos=1_000_000)
    made = (NAMES_LOG, ANONYMOUS, CREATE, far, ANONYMOUS, CREATE)
    done, _ = applied(*made, profile=profile, until=until(10_000))
    assert outcomes(done)[-1] == ("until" if stops else "applied")
    assert len(done) == (4 if stops else 6)


def test_a_later_log_of_the_source_is_after_every_position_of_an_earlier_one():
    made = (NAMES_LOG, ANONYMOUS, CREATE, rotate("binlog.000002"), ANONYMOUS, CREATE)
    done, _ = applied(*made, until=until(10_000))
    assert outcomes(done) == ["applied"] * 4 + ["until"]


# --- positions in the source's log


def test_a_rotate_of_the_source_names_its_next_log():
    done, _ = applied(NAMES_LOG, ANONYMOUS, CREATE, rotate("binlog.000002"))
    assert [(each.source_log, each.source_log_pos) for each in done] == [
        ("binlog.000001", 4),
        ("binlog.000001", 4),
        ("binlog.000001", 154),
        ("binlog.000002", 4),
    ]


def test_the_replicas_own_rotate_does_not_change_the_source_position():
    own = rotate("relay.000002", server_id=REPLICA_ID, flags=0x40, log_pos=9999)
    done, _ = applied(NAMES_LOG, ANONYMOUS, CREATE, own)
    assert (done[-1].source_log, done[-1].source_log_pos) == ("binlog.000001", 154)


def test_a_rotate_with_id_zero_counts_by_the_position_it_names_not_by_its_end():
    passed = rotate("binlog.000001", 777, server_id=0, log_pos=9999)
    done, _ = applied(NAMES_LOG, passed)
    assert (done[-1].source_log, done[-1].source_log_pos) == ("binlog.000001", 777)
    assert SOURCE_ID != 0


# --- versions (WL#7592, cross-version compatibility)


@pytest.mark.parametrize(
    ("version", "works"),
    [("5.6.10", False), ("5.6.21", False), ("5.6.22", True), ("5.6.51", True), ("5.7.5", False), ("5.7.6", True)],
)
def test_anonymous_groups_at_replicas_of_each_version(version, works):
    settings = {"profile": "mysql-5.6" if version < "5.7" else "mysql-5.7", "version": version}
    expected = None if works else (StopReason.ANONYMOUS_UNKNOWN, 1594)
    assert stop(ANONYMOUS, BEGIN, INSERT, XID, **settings) == expected


@pytest.mark.parametrize("version", ["5.6.21", "5.6.22", "5.7.5", "5.7.6", "8.0.43", "9.7.4"])
def test_groups_with_gtids_work_at_replicas_of_every_version_from_5_6_on(version):
    assert stop(gtid(1), BEGIN, INSERT, XID, profile="mysql-5.6", version=version, gtid_mode="ON") is None


def test_5_5_knows_neither_event():
    for made in (gtid(1), ANONYMOUS):
        assert stop(made, profile="mysql-5.5") == (StopReason.UNKNOWN_EVENT, 1594)


def test_a_text_that_is_not_a_version_is_refused():
    with pytest.raises(ValueError, match="new"):
        Applier(ReplicaSettings(profile="mysql-5.6", version="new"))


# --- DROP DATABASE that fails halfway


TABLES = tuple(f"{number:03d}".rjust(60, "t") for number in range(40))
DROP = query("DROP DATABASE `d1`")


@pytest.mark.parametrize("profile", ["worklog", "mysql-5.7"])
def test_without_a_gtid_each_drop_is_logged_after_an_anonymous_gtid_event(profile):
    done, applier = applied(ANONYMOUS, DROP, profile=profile, leftovers={"d1": TABLES})
    assert applier.stopped.reason is StopReason.DIRECTORY_REMAINS
    assert len(done[-1].logged) > 1
    assert {group.gtid for group in done[-1].logged} == {"ANONYMOUS"}
    entry = done[-1].entry()
    assert entry["logged_anonymous_gtids"] == entry["logged_statements"] == len(done[-1].logged)


@pytest.mark.parametrize("profile", ["worklog", "mysql-5.7"])
def test_with_a_gtid_nothing_is_logged_and_the_gtid_remains_unused(profile):
    done, applier = applied(gtid(7), DROP, profile=profile, gtid_mode="ON", leftovers={"d1": TABLES})
    assert (applier.stopped.reason, applier.stopped.code) == (StopReason.PARTIAL_DROP, 3091)
    assert done[-1].logged == ()
    assert str(done[-1].executed) == ""
    for part in ("database directory d1;", f"SET GTID_NEXT='{UUID}:7'", "DROP DATABASE `d1`."):
        assert part in applier.stopped.message


def test_in_the_worklog_a_single_drop_can_be_logged_with_the_gtid():
    few = {"d1": TABLES[:2]}
    done, applier = applied(gtid(7), DROP, profile="worklog", gtid_mode="ON", leftovers=few)
    assert (applier.stopped.reason, applier.stopped.code) == (StopReason.DIRECTORY_REMAINS_ONE_DROP, 1010)
    assert [group.gtid for group in done[-1].logged] == [f"{UUID}:7"]
    assert str(done[-1].executed) == f"{UUID}:7"
    assert stop(gtid(7), DROP, profile="mysql-5.7", gtid_mode="ON", leftovers=few) == (StopReason.PARTIAL_DROP, 3091)


def test_another_database_is_dropped_without_an_error():
    assert stop(ANONYMOUS, query("DROP DATABASE d2"), profile="worklog", leftovers={"d1": TABLES}) is None
