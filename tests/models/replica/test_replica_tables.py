"""The tables of the replica models: kinds, groups, versions, pairings, splits, and the GTID that is shown."""

from itertools import product

import pytest
from replica_events import ANONYMOUS, UUID, query, stream

from conformance.binlog.event_types import EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.servers import server_of
from conformance.models.replica.compatibility import PAIRINGS, replica_rules, replicates
from conformance.models.replica.event_kind import Kind, kind_of
from conformance.models.replica.failed_drop import drop_statements, failure_message
from conformance.models.replica.groups import OUTSIDE_GROUPS, State, step
from conformance.models.replica.replica_settings import ReplicaSettings, Until
from conformance.models.replica.transaction_table import AUTOMATIC, Phase, gtid_shown
from conformance.specs.profiles import PROFILES


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("BEGIN", Kind.BEGIN),
        ("XA START X'61',X'',1", Kind.BEGIN),
        ("COMMIT", Kind.COMMIT),
        ("ROLLBACK", Kind.COMMIT),
        ("ROLLBACK TO SAVEPOINT a", Kind.STATEMENT),
        ("ROLLBACK WORK TO a", Kind.STATEMENT),
        ("SAVEPOINT a", Kind.STATEMENT),
        ("begin_of_something()", Kind.STATEMENT),
        ("CREATE TEMPORARY TABLE t (a INT)", Kind.STATEMENT),
        ("DROP TEMPORARY TABLE t", Kind.STATEMENT),
        ("create table t (a int)", Kind.DDL),
        ("DROP DATABASE d", Kind.DDL),
        ("ALTER TABLE t ADD b INT", Kind.DDL),
        ("XA COMMIT X'61',X'',1", Kind.DDL),
        ("CREATE TABLE `t` (\n  `a` int\n) START TRANSACTION ENGINE=InnoDB", Kind.ATOMIC_CREATE),
        ("INSERT INTO created VALUES (1)", Kind.STATEMENT),
    ],
)
def test_the_kind_of_a_statement(text, kind):
    assert kind_of(stream(query(text))[0]) is kind


def test_an_unrecognised_event_is_unknown_whatever_its_type():
    assert kind_of(stream({**ANONYMOUS, "recognised": False})[0]) is Kind.UNKNOWN


def test_every_event_type_has_a_kind():
    passed = {code for code in EventType if kind_of(stream({"type": int(code)})[0]) is Kind.PASSED}
    assert EventType.QUERY not in passed
    assert passed >= {EventType.HEARTBEAT, EventType.VIEW_CHANGE, EventType.TRANSACTION_CONTEXT}


def test_every_state_has_a_step_for_every_kind():
    for state, kind in product(State, Kind):
        assert step(state, kind).state in State
    for state, kind in product(State, OUTSIDE_GROUPS):
        assert step(state, kind).state is state


def test_the_four_pairings_of_the_worklog():
    assert [(each.new_source, each.new_replica, each.breaks) for each in PAIRINGS] == [
        (True, False, True),
        (False, True, False),
        (True, True, False),
        (False, False, False),
    ]
    assert not replicates(new_source=True, new_replica=False, logs_ignorable=True)
    assert replicates(new_source=True, new_replica=False, logs_ignorable=False), "the workaround"
    for new_source, new_replica in ((False, True), (True, True), (False, False)):
        assert replicates(new_source=new_source, new_replica=new_replica, logs_ignorable=True)


def test_the_pairings_agree_with_the_rules_of_each_profile():
    for profile in PROFILES:
        assert replica_rules(profile).ignorable == server_of(profile).rules.ignorable


def test_the_split_fills_the_buffer_of_1024_bytes():
    tables = [f"{number:03d}".rjust(60, "t") for number in range(60)]
    statements = list(drop_statements(tables))
    assert all(len(statement) <= 1024 for statement in statements)
    assert ",".join(each.removeprefix("DROP TABLE IF EXISTS ") for each in statements) == ",".join(
        f"`{table}`" for table in tables
    )
    # 21 bytes, then 63 for each name and its comma: the sixteenth would need byte 1029.
    assert [each.count("`") // 2 for each in statements] == [15, 15, 15, 15]


def test_one_long_name_gets_a_separate_statement():
    assert list(drop_statements(["a" * 2000, "b"])) == [
        f"DROP TABLE IF EXISTS `{'a' * 2000}`",
        "DROP TABLE IF EXISTS `b`",
    ]


def test_the_message_cuts_each_name_at_192_characters():
    message = failure_message("d" * 300, f"{UUID}:1")
    assert message.count("d" * 192) == 2
    assert "d" * 193 not in message


def test_automatic_is_shown_only_while_a_source_executes():
    for gtid, phase, on_replica in product((f"{UUID}:1", "ANONYMOUS", ""), Phase, (True, False)):
        shown = gtid_shown(gtid, phase=phase, on_replica=on_replica)
        assert (shown == AUTOMATIC) == (phase is Phase.EXECUTING and not on_replica)
        assert shown in (AUTOMATIC, gtid or "ANONYMOUS")


def test_adjacent_executed_gtids_are_merged():
    executed = ExecutedGtids()
    for number in (3, 1, 5, 2, 2):
        executed.add(*gtid_parts(f"{UUID}:{number}"))
    assert str(executed.gtids()) == f"{UUID}:1-3:5"
    assert f"{UUID}:3" in executed
    assert f"{UUID}:4" not in executed
    assert f"{UUID}:tag:3" not in executed
    with pytest.raises(ValueError, match="nonsense"):
        gtid_parts("nonsense")


def test_settings_are_read_from_their_json():
    settings = ReplicaSettings(
        profile="worklog",
        version="5.6.22",
        gtid_mode="ON",
        until=Until(log_name="binlog.000001", log_pos=7),
        leftovers={"d": ("a", "b")},
    )
    assert ReplicaSettings.of_json("worklog", settings.as_json()) == settings
