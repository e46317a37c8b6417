"""What GTID_NEXT refuses, skips and uses up, as MySQL 5.6.24, 5.7.22, 8.0.15 and 9.7.4 were seen to do it."""

import pytest
from model_logs import run, statement, words

GTID_ON = {"gtid_mode": "ON", "enforce_gtid_consistency": True}
GIVEN = "00000000-0000-0000-0000-000000000001:5"
NUMBERED = ("mysql-5.6.24", "mysql-5.7.22", "mysql-8.0.15", "mysql-9.7.4")
SINCE_5_7 = NUMBERED[1:]
#: Events of creating and filling a table with GTIDs: Gtid, CREATE, Gtid, BEGIN, Table_map, rows, Xid.
FILLED = 7


def gtid_next(value):
    return statement("set_session", variable="gtid_next", value=value)


def temporary(**more):
    return statement("create_table", table="d.temp", temporary=True, **more)


TABLE = statement("create_table", table="d.t")
INSERT = statement("insert", table="d.t", values=[1])
SELECT = statement("create_table_select", table="d.u", sources=["d.t"], engine="myisam")
BEGIN, COMMIT, ROLLBACK = (statement(each) for each in ("begin", "commit", "rollback"))


def given(*statements, gtid=GIVEN, **settings):
    """Return the errors of statements under a given GTID and of the SET after them, and the words of their events."""
    before = (TABLE, INSERT)
    logged = run(*before, gtid_next(gtid), *statements, gtid_next("AUTOMATIC"), **{**GTID_ON, **settings})
    errors = [each.error for each in logged.outcomes[-len(statements) - 1 :]]
    return errors, words(logged)[FILLED:]


EMPTY = ["GTID", "BEGIN", "COMMIT"]


@pytest.mark.parametrize("profile", NUMBERED)
class TestStatementsThatLogNothing:
    def test_a_definition_uses_its_gtid_up_by_an_empty_group(self, profile):
        assert given(temporary(), profile=profile) == ([None, None], EMPTY)

    def test_flush_does_too(self, profile):
        errors, logged = given(statement("flush_logs"), profile=profile)
        assert errors == [None, None]
        assert logged[-3:] == EMPTY

    def test_a_change_of_no_row_keeps_it(self, profile):
        nothing = statement("update", table="d.temp")
        logged = run(temporary(), gtid_next(GIVEN), nothing, gtid_next("AUTOMATIC"), profile=profile, **GTID_ON)
        assert logged.outcomes[-1].error == 1790

    def test_a_checksum_releases_it_and_logs_nothing(self, profile):
        checksum = statement("maintain", action="checksum", table="d.t")
        assert given(checksum, INSERT, profile=profile) == ([None, 1837, None], [])

    def test_a_checksum_commits_no_transaction(self, profile):
        checksum = statement("maintain", action="checksum", table="d.t")
        assert given(BEGIN, INSERT, checksum, ROLLBACK, profile=profile) == ([None] * 5, [])

    def test_a_commit_outside_transactions_logs_an_empty_group(self, profile):
        assert given(COMMIT, profile=profile) == ([None, None], EMPTY)

    def test_a_rollback_outside_transactions_releases_it(self, profile):
        assert given(ROLLBACK, INSERT, profile=profile) == ([None, 1837, None], [])


@pytest.mark.parametrize("profile", NUMBERED)
class TestRefusedStatements:
    def test_one_that_is_refused_for_consistency_keeps_its_gtid(self, profile):
        assert given(SELECT, profile=profile) == ([1786, 1790], [])

    def test_any_other_releases_it(self, profile):
        assert given(statement("insert", table="d.missing", values=[1]), profile=profile) == ([1146, None], [])

    def test_so_does_one_that_sets_a_variable(self, profile):
        wrong = statement("set_session", variable="binlog_rows_query_log_events", value="2")
        assert given(wrong, INSERT, profile=profile) == ([1231, 1837, None], [])
        assert given(gtid_next("AUTOMATIC"), INSERT, profile=profile) == ([1790, 1837, None], [])

    def test_inside_a_transaction_it_keeps_its_gtid(self, profile):
        wrong = statement("set_session", variable="binlog_rows_query_log_events", value="2")
        assert given(BEGIN, wrong, INSERT, COMMIT, profile=profile)[0] == [None, 1231, None, None, None]

    def test_an_implicit_commit_is_refused(self, profile):
        assert given(BEGIN, INSERT, statement("create_table", table="d.u"), profile=profile)[0][-2] == 1778


class TestOrderOfChecks:
    @pytest.mark.parametrize(("profile", "error"), [("mysql-5.6.24", 1778), ("mysql-5.7.22", 1837)])
    def test_an_implicit_commit_after_the_gtid_was_used_up(self, profile, error):
        plain = (statement("create_table", table="d.p", engine="myisam"), gtid_next(GIVEN), BEGIN)
        work = (statement("insert", table="d.p", values=[1]), statement("create_table", table="d.u"))
        assert run(*plain, *work, profile=profile, **GTID_ON).outcomes[-1].error == error

    @pytest.mark.parametrize("profile", NUMBERED)
    def test_begin_is_allowed_after_its_gtid_was_used_up_and_a_savepoint_is_not(self, profile):
        errors, _ = given(INSERT, BEGIN, statement("savepoint", name="s"), COMMIT, profile=profile)
        assert errors[1:3] == [None, 1837]

    @pytest.mark.parametrize(("profile", "error"), [("mysql-5.6.24", 1837), ("mysql-5.7.22", None)])
    def test_use_is_allowed_from_5_7_on(self, profile, error):
        assert given(INSERT, statement("use", database="d"), profile=profile)[0][1] == error


@pytest.mark.parametrize("profile", NUMBERED)
class TestSkippedStatements:
    def used(self, *statements, profile):
        before = (TABLE, gtid_next(GIVEN), INSERT, gtid_next("AUTOMATIC"), gtid_next(GIVEN))
        logged = run(*before, *statements, profile=profile, **GTID_ON)
        return [each.error for each in logged.outcomes[-len(statements) :]], words(logged)

    def test_in_a_transaction_each_statement_is_skipped_and_commit_logs_nothing(self, profile):
        back = statement("rollback_to", name="missing")
        errors, logged = self.used(BEGIN, INSERT, back, COMMIT, INSERT, profile=profile)
        assert errors == [None, None, None, None, 1837]
        assert logged == self.used(BEGIN, COMMIT, profile=profile)[1]

    def test_a_skipped_definition_uses_gtid_next_up(self, profile):
        errors, _ = self.used(statement("drop_table", tables=["d.t"]), statement("flush_logs"), profile=profile)
        assert errors == [None, 1837]


class TestAnonymous:
    @pytest.mark.parametrize("profile", SINCE_5_7)
    def test_the_right_to_be_anonymous_is_used_up_like_a_gtid(self, profile):
        off = {"gtid_mode": "OFF", "enforce_gtid_consistency": False, "profile": profile}
        assert given(statement("use", database="d"), gtid="ANONYMOUS", **off)[0] == [None, 1790]
        assert given(INSERT, gtid="ANONYMOUS", **off)[0] == [None, None]
        assert given(INSERT, statement("delete", table="d.temp"), gtid="ANONYMOUS", **off)[0] == [None, 1146, None]

    def test_in_5_6_it_is_not(self):
        off = {"gtid_mode": "OFF", "enforce_gtid_consistency": False, "profile": "mysql-5.6.24"}
        assert given(statement("use", database="d"), gtid="ANONYMOUS", **off)[0] == [None, None]


@pytest.mark.parametrize(
    ("profile", "error"), [("mysql-5.7.22", 1017), ("mysql-8.0.15", 1146), ("mariadb-11.8.6", 1146)]
)
def test_the_error_for_the_rename_of_a_missing_table(profile, error):
    renamed = statement("rename_table", pairs=[["d.missing", "d.new"]])
    assert run(renamed, profile=profile).outcomes[-1].error == error


@pytest.mark.parametrize("profile", [*NUMBERED, "mariadb-10.1.23", "mariadb-11.8.6"])
def test_create_temporary_table_if_not_exists_is_logged_again(profile):
    logged = words(run(temporary(), temporary(if_not_exists=True), profile=profile, binlog_format="STATEMENT"), skip=0)
    assert "create temporary table if not exists `d`.`temp` (`a` int) engine=innodb" in logged
