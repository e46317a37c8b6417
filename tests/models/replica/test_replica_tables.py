"""The rows and the own log of a replica: what other sessions see, and which groups are logged."""

import pytest

from conformance.binlog.event_types import EventType
from conformance.models.replica.compatibility import replica_rules
from conformance.models.replica.event_kind import Kind, kind_of
from conformance.models.replica.own_log import OwnLog
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_tables import EXISTING, ReplicaTables


def event(code, **fields):
    return ReplicaEvent(offset=0, type=int(code), length=19, fields=fields)


def statement(text):
    return event(EventType.QUERY, query=text, database="test")


def rows_after(*events):
    tables = ReplicaTables()
    for each in events:
        tables.execute(each)
    tables.commit()
    return tables.visible([EXISTING])[EXISTING]


def added(*values, table_id=7):
    table = event(EventType.TABLE_MAP, table_id=table_id, database="test", table="t1")
    image = {str(index): value for index, value in enumerate(values)}
    return table, event(EventType.WRITE_ROWS, table_id=table_id, rows=[{"before": None, "after": image}])


def test_rows_are_seen_when_they_are_committed_and_not_before():
    tables = ReplicaTables()
    for each in added(1, 2):
        tables.execute(each)
    assert tables.visible([EXISTING]) == {EXISTING: []}
    tables.commit()
    assert tables.visible([EXISTING]) == {EXISTING: [[1, 2]]}
    tables.execute(statement("INSERT INTO `t1` VALUES (3, NULL)"))
    tables.rollback()
    tables.commit()
    assert tables.visible([EXISTING]) == {EXISTING: [[1, 2]]}


def test_the_events_before_a_statement_give_its_values():
    # RAND: the first number of the seeds s and t is ((3s + t) mod 0x3fffffff) / 0x3fffffff.
    assert rows_after(
        event(EventType.INTVAR, intvar_type=1, intvar_value=5),
        statement("INSERT INTO `t1` VALUES (LAST_INSERT_ID(), 0)"),
        event(EventType.USER_VAR, variable_name="v", variable_value=9),
        statement("INSERT INTO `t1` VALUES (@`v`, 0)"),
        event(EventType.RAND, seed1=2**29, seed2=0),
        statement("INSERT INTO `t1` VALUES (FLOOR(RAND() * 100), 0)"),
    ) == [[5, 0], [9, 0], [50, 0]]


def test_a_loaded_file_is_all_its_blocks():
    assert rows_after(
        event(EventType.BEGIN_LOAD_QUERY, file_id=3, block_data="1\t2\n"),
        event(EventType.APPEND_BLOCK, file_id=3, block_data="3\t4\n"),
        event(EventType.EXECUTE_LOAD_QUERY, file_id=3, database="test", query="LOAD DATA INFILE 'a' INTO TABLE `t1`"),
    ) == [[1, 2], [3, 4]]


def test_an_update_and_a_delete_change_the_row_that_they_name():
    update = event(
        EventType.UPDATE_ROWS, table_id=7, rows=[{"before": {"0": 1, "1": None}, "after": {"0": 5, "1": None}}]
    )
    delete = event(EventType.DELETE_ROWS, table_id=7, rows=[{"before": {"0": 2, "1": 2}, "after": None}])
    assert rows_after(*added(1, None), *added(2, 2), update, delete) == [[5, None]]


def test_a_table_that_does_not_exist_has_no_rows():
    tables = ReplicaTables()
    assert tables.visible([EXISTING, "test.t9"]) == {EXISTING: []}
    tables.execute(statement("CREATE TABLE `t9` (`a` INT, `b` INT)"))
    tables.commit()
    assert tables.visible(["test.t9"]) == {"test.t9": []}


@pytest.mark.parametrize(
    ("profile", "version", "gtid", "logged"),
    [
        ("worklog", "", "", "ANONYMOUS"),
        ("mysql-5.7", "", "ANONYMOUS", "ANONYMOUS"),
        ("mysql-5.6", "5.6.22", "ANONYMOUS", ""),
        ("mysql-5.5", "", "", ""),
        ("worklog", "", "uuid:5", "uuid:5"),
    ],
)
def test_fr1_holds_for_the_log_of_a_replica(profile, version, gtid, logged):
    own = OwnLog(replica_rules(profile, version))
    own.begin()
    own.add(statement("BEGIN"), Kind.BEGIN)
    own.add(statement("INSERT INTO t1 VALUES (1, 2)"), Kind.STATEMENT)
    assert [each.gtid for each in own.commit(gtid)] == [logged]


def test_a_group_without_changes_and_one_that_is_split_are_left_open():
    own = OwnLog(replica_rules("worklog"))
    own.add(statement("BEGIN"), Kind.BEGIN)
    assert own.commit("uuid:1") is None
    own.add(statement("INSERT INTO t1 VALUES (1, 2)"), Kind.STATEMENT)
    own.split()
    assert own.commit("") is None


def test_statements_about_temporary_tables_alone_are_left_open():
    own = OwnLog(replica_rules("mysql-8.0.15"))
    dropped = ReplicaEvent(offset=0, type=int(EventType.QUERY), length=19, query="DROP TEMPORARY TABLE IF EXISTS `s2`")
    own.add(dropped, kind_of(dropped))
    assert own.commit("") is None
    own.add(dropped, kind_of(dropped))
    _, changed = added(1, 2)
    own.add(changed, kind_of(changed))
    assert [each.gtid for each in own.commit("")] == ["ANONYMOUS"]
