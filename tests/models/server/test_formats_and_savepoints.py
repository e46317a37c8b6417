"""The format of a session with temporary tables, rollbacks to early savepoints, and statements that change nothing."""

import pytest
from model_logs import events_of, run, statement, words

from conformance.models.server.execution import log_of
from conformance.models.server.scenario import Scenario

KEPT, OTHER, PLAIN, TEMPORARY = "d.kept", "d.other", "d.plain", "d.temporary"
BEGIN, COMMIT, ROLLBACK = (statement(each) for each in ("begin", "commit", "rollback"))
PLACE, BACK = statement("savepoint", name="s"), statement("rollback_to", name="s")
CREATE = statement("create_table", table=TEMPORARY, temporary=True)
DROP = statement("drop_table", tables=[TEMPORARY], temporary=True)
OF_TWO = statement("update_tables", first=KEPT, second=OTHER)
TABLES = (
    statement("create_table", table=KEPT),
    statement("create_table", table=OTHER),
    statement("create_table", table=PLAIN, engine="myisam"),
    statement("insert", table=KEPT, values=[1]),
)


def insert(table, *values, **fields):
    return statement("insert", table=table, values=list(values), **fields)


def logged_for(*statements, **settings):
    """Return the words of what is logged after the tables, without events of GTIDs."""
    before = len(words(run(*TABLES, **settings), skip=0))
    return [each for each in words(run(*TABLES, *statements, **settings), skip=before) if "GTID" not in each]


@pytest.mark.parametrize(
    ("profile", "kept"),
    [("mysql-5.5.9", True), ("mysql-5.7.22", True), ("mysql-8.0.15", False), ("mariadb-11.8.6", True)],
)
def test_a_session_with_temporary_tables_stays_in_row_format(profile, kept):
    unsafe, safe = insert(KEPT, 1, computed="uuid"), insert(KEPT, 2)
    settings = {"profile": profile, "binlog_format": "MIXED"}
    in_rows = sum(each.startswith("WRITE_ROWS") for each in logged_for(CREATE, unsafe, safe, **settings))
    assert in_rows == 1 + kept
    without = logged_for(CREATE, unsafe, DROP, safe, **settings)
    assert sum(each.startswith("WRITE_ROWS") for each in without) == 1


def test_a_rollback_to_a_savepoint_before_anything_was_logged_is_a_rollback():
    later = statement("savepoint", name="t")
    steps = (BEGIN, PLACE, insert(PLAIN, 7), later, insert(PLAIN, 8), BACK, COMMIT)
    settings = {"profile": "mysql-5.5.9"}
    assert logged_for(*steps, **settings, binlog_format="ROW").count("BEGIN") == 2
    kept = "insert into `d`.`plain` (`a`) values (8)"
    logged = logged_for(*steps, **settings, binlog_format="STATEMENT")
    assert logged[-4:] == ["BEGIN", "SAVEPOINT `t`", kept, "ROLLBACK"]


@pytest.mark.parametrize(
    ("profile", "kept"),
    [
        ("mysql-5.5.9", True),
        ("mysql-5.6.24", False),
        ("mysql-9.7.4", False),
        ("mariadb-11.8.6", True),
        ("worklog", False),
    ],
)
def test_what_was_rolled_back_in_the_log_keeps_a_transaction_no_longer(profile, kept):
    """As 5.5.9, 5.6.24, 5.7.22, 8.0.15, 9.7.4 and MariaDB 10.1.23 to 11.8.6 do."""
    later = statement("savepoint", name="t")
    steps = (BEGIN, PLACE, insert(KEPT, 5), later, insert(PLAIN, 6), BACK, insert(KEPT, 7), ROLLBACK)
    logged = logged_for(*steps, profile=profile, binlog_format="STATEMENT")
    assert ("insert into `d`.`kept` (`a`) values (7)" in logged) is kept


@pytest.mark.parametrize("form", ["ROW", "STATEMENT"])
def test_a_drop_of_temporary_tables_alone_drops_no_other_where_it_is_replicated(form):
    drop = statement("drop_table", tables=[TEMPORARY, "d.missing"], temporary=True, if_exists=True)
    logged = logged_for(CREATE, drop, profile="worklog", binlog_format=form)[-1]
    assert logged.startswith("DROP TEMPORARY TABLE IF EXISTS ")
    assert "missing" in logged


def test_a_transaction_begins_in_the_default_database_of_its_first_statement():
    elsewhere = (statement("create_database", database="e"), BEGIN, insert(KEPT, 1), statement("use", database="e"))
    logged = events_of(run(*TABLES, *elsewhere, insert(PLAIN, 3), ROLLBACK, binlog_format="STATEMENT"))
    databases = {each["query"]: each["database"] for each in logged if each.get("query") in ("BEGIN", "ROLLBACK")}
    assert databases == {"BEGIN": "d", "ROLLBACK": "e"}


def test_an_engine_that_had_read_before_a_savepoint_ends_the_transaction_with_an_xid():
    steps = (BEGIN, statement("insert_select", table=PLAIN, source=KEPT), PLACE, insert(KEPT, 5), BACK, COMMIT)
    assert logged_for(*steps, profile="mysql-9.7.4")[-3:] == ["BEGIN", "SAVEPOINT `s`", "XID"]
    unread = (BEGIN, insert(PLAIN, 7), PLACE, insert(KEPT, 5), BACK, COMMIT)
    assert logged_for(*unread, profile="mysql-9.7.4")[-3:] == ["BEGIN", "SAVEPOINT `s`", "COMMIT"]


@pytest.mark.parametrize(("profile", "apart"), [("mysql-5.5.9", True), ("mysql-5.6.24", True), ("mysql-5.7.22", False)])
def test_an_update_of_two_tables_that_changes_nothing_may_come_before_its_transaction(profile, apart):
    logged = logged_for(BEGIN, OF_TWO, insert(KEPT, 5), COMMIT, profile=profile, binlog_format="STATEMENT")
    ends = [each for each in logged if each in ("COMMIT", "XID")]
    assert ends == (["COMMIT", "XID"] if apart else ["XID"])


def test_a_statement_that_changes_nothing_does_not_keep_a_transaction():
    nothing = statement("delete", table=PLAIN)
    settings = {"profile": "mysql-8.0.15", "binlog_format": "STATEMENT"}
    assert logged_for(BEGIN, insert(KEPT, 5), nothing, ROLLBACK, **settings) == []
    assert logged_for(BEGIN, insert(KEPT, 5), insert(PLAIN, 6), nothing, ROLLBACK, **settings)[-1] == "ROLLBACK"


def test_declared_gtids_begin_a_log_of_5_6_and_are_in_no_log_of_5_7():
    gtids = "00000000-0000-0000-0000-000000000001:1-5"
    settings = {"gtid_mode": "ON", "enforce_gtid_consistency": True}
    for profile, named in (("mysql-5.6.24", ["", gtids]), ("mysql-5.7.22", [""])):
        scenario = {
            "settings": {**settings, "profile": profile},
            "statements": [statement("set_gtid_purged", gtids=gtids)],
        }
        logs = log_of(Scenario.from_json(scenario)).logs
        assert [str(log.previous_gtids) for log in logs] == named


def test_every_table_that_a_statement_may_change_is_mapped():
    steps = (insert(OTHER, computed="variable"), OF_TWO)
    assert logged_for(*steps, profile="mysql-5.7.22")[-4:] == ["TABLE_MAP", "TABLE_MAP", "UPDATE_ROWS", "XID"]
