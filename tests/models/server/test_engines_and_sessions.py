"""Statements on tables of both engines, and two sessions on one table, as real servers log them."""

import pytest
from model_logs import events_of, run, statement, words

KEPT, PLAIN = "d.kept", "d.plain"
BOTH = statement("update_tables", first=KEPT, second=PLAIN)
BEGIN, COMMIT, ROLLBACK = (statement(each) for each in ("begin", "commit", "rollback"))
MYSQL = {"profile": "mysql-9.x"}


def insert(table, *values, session=1):
    return statement("insert", table=table, values=list(values), session=session)


def in_session(number, each):
    return {**each, "session": number}


#: A transactional table and another one, with a row each.
TABLES = (
    statement("create_table", table=KEPT),
    statement("create_table", table=PLAIN, engine="myisam"),
    insert(KEPT, 1),
    insert(PLAIN, 2),
)


def logged_for(*statements, **settings):
    """Return the words of what is logged after the tables and their rows."""
    return words(run(*TABLES, *statements, **settings), skip=len(words(run(*TABLES, **settings), skip=0)))


def test_rows_of_both_engines_are_two_transactions():
    rows = ["TABLE_MAP", "UPDATE_ROWS"]
    begun = ["ANONYMOUS_GTID", "BEGIN"]
    assert logged_for(BOTH, **MYSQL) == [*begun, *rows, "COMMIT", *begun, *rows, "XID"]


def test_mariadb_logs_them_as_one_outside_a_transaction():
    rows = ["TABLE_MAP", "UPDATE_ROWS_V1"]
    assert logged_for(BOTH, profile="mariadb-11.x") == ["MARIADB_GTID", "MARIADB_ANNOTATE_ROWS", *rows, *rows, "XID"]
    inside = logged_for(BEGIN, BOTH, COMMIT, profile="mariadb-11.x")
    plain, kept = ["MARIADB_GTID", "MARIADB_ANNOTATE_ROWS", *rows, "COMMIT"], ["MARIADB_GTID", *rows, "XID"]
    assert inside == [*plain, *kept]


@pytest.mark.parametrize("binlog_format", ["ROW", "STATEMENT", "MIXED"])
def test_gtid_consistency_refuses_it(binlog_format):
    settings = {**MYSQL, "gtid_mode": "ON", "enforce_gtid_consistency": True, "binlog_format": binlog_format}
    assert run(*TABLES, BOTH, **settings).outcomes[-1].error == 1785
    assert logged_for(BOTH, **settings) == []


def test_a_statement_on_both_engines_cannot_be_rolled_back():
    logged = logged_for(BEGIN, BOTH, ROLLBACK, **MYSQL, binlog_format="STATEMENT")
    assert logged[:2] == ["ANONYMOUS_GTID", "BEGIN"]
    assert logged[2].startswith("update")
    assert logged[3:] == ["ROLLBACK"]


def test_reading_a_non_transactional_table_inside_a_transaction_is_unsafe():
    copy = statement("insert_select", table=KEPT, source=PLAIN)
    assert "WRITE_ROWS" in logged_for(BEGIN, copy, COMMIT, **MYSQL, binlog_format="MIXED")
    assert "WRITE_ROWS" not in logged_for(copy, **MYSQL, binlog_format="MIXED")


@pytest.mark.parametrize(("profile", "as_rows"), [("mysql-5.1", False), ("mysql-5.5.9", False), ("mysql-5.5", True)])
def test_rows_of_a_select_are_unsafe_to_number_since_5_5_22(profile, as_rows):
    numbered = statement("create_table", table="d.n", auto_increment=True)
    copy = statement("insert_select", table="d.n", source=KEPT)
    logged = logged_for(numbered, copy, profile=profile, binlog_format="MIXED", binlog_checksum="NONE")
    assert ("WRITE_ROWS_V1" in logged) is as_rows


def test_a_rollback_undoes_only_the_rows_of_its_session():
    logged = run(
        *TABLES,
        BEGIN,
        in_session(2, BEGIN),
        insert(KEPT, 5),
        insert(KEPT, 6, session=2),
        insert(KEPT, 7),
        in_session(2, COMMIT),
        ROLLBACK,
        statement("update", table=KEPT),
        **MYSQL,
    )
    (updated,) = [event for event in logged.logs[-1].events if event.type.name == "UPDATE_ROWS"]
    assert [after[0] for _, after in updated.rows] == [2, 7]


def test_a_rollback_keeps_no_rows_of_another_session_that_rolled_back():
    logged = run(
        *TABLES,
        in_session(2, BEGIN),
        insert(KEPT, 6, session=2),
        BEGIN,
        insert(KEPT, 5),
        in_session(2, ROLLBACK),
        ROLLBACK,
        statement("update", table=KEPT),
        **MYSQL,
    )
    (updated,) = [event for event in logged.logs[-1].events if event.type.name == "UPDATE_ROWS"]
    assert [after[0] for _, after in updated.rows] == [2]


@pytest.mark.parametrize(
    ("engine", "next_ids"),
    [("innodb", [1, 2, 4, 4, 8, 8, 8, 8, 16]), ("myisam", [1, 2, 3, 4, 5, 6, 7, 8, 9])],
)
def test_rows_of_a_select_use_up_the_numbers_that_their_engine_reserves(engine, next_ids):
    numbered = statement("create_table", table="d.n", engine=engine, auto_increment=True)
    copy = statement("insert_select", table="d.n", source="d.s")
    for rows, next_id in enumerate(next_ids):
        source = [statement("create_table", table="d.s"), *(insert("d.s", value) for value in range(rows))]
        logged = run(numbered, *source, copy, insert("d.n", 9), **MYSQL, binlog_format="STATEMENT")
        assert [each["intvar_value"] for each in events_of(logged) if "intvar_value" in each][-1] == next_id
