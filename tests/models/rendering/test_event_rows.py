"""Rows of SHOW BINLOG EVENTS whose Info column is special; the expected ones are those of MySQL 9.7.4."""

import math
import struct

import pytest
from printed import small_log

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.reader import ReaderRules, read_events
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.models.rendering.show_binlog_events import EventRow, show_binlog_events

QUERY = {"thread_id": 9, "exec_time": 0, "error_code": 0, "status_variables": b"", "database": b"te`st"}
VARIABLE = {"variable_name": b"a`b", "variable_charset": 255}


def rows(*events, profile="mysql-9.x"):
    log = small_log(*events, profile=profile)
    return list(show_binlog_events("bin.000001", read_events(log, ReaderRules()), PRINTER_VERSIONS[profile]))[1:]


@pytest.mark.parametrize(
    ("event", "name", "info"),
    [
        ((EventType.INTVAR, {"intvar_type": 1, "intvar_value": 2**64 - 5}), "Intvar", "LAST_INSERT_ID=-5"),
        ((EventType.INCIDENT, {"incident": 1, "message": b"lost"}), "Incident", "#1 (LOST_EVENTS)"),
        ((EventType.QUERY, {**QUERY, "query": b"DO 1"}), "Query", "use `te``st`; DO 1"),
        ((EventType.QUERY, {**QUERY, "query": b"DO 1"}, Flag.SUPPRESS_USE), "Query", "DO 1"),
        (
            (EventType.USER_VAR, {**VARIABLE, "variable_type": 0, "variable_value": b"w"}),
            "User var",
            "@`a``b`=_utf8mb4 0x77 COLLATE utf8mb4_0900_ai_ci",
        ),
        (
            (EventType.USER_VAR, {**VARIABLE, "variable_type": 0, "variable_value": b""}),
            "User var",
            '@`a``b`=_utf8mb4 "" COLLATE utf8mb4_0900_ai_ci',
        ),
        ((EventType.IGNORABLE, {"body": b"x"}, Flag.IGNORABLE), "Ignorable", "# Unrecognized ignorable event"),
        ((EventType.ROWS_QUERY, {"rows_query": b"DO 1\nDO 2"}, Flag.IGNORABLE), "Rows_query", "# DO 1\nDO 2"),
    ],
)
def test_a_row(event, name, info):
    (row,) = rows(event)
    assert (row.event_type, row.info) == (name, info)


@pytest.mark.parametrize(
    ("profile", "number"),
    [("mysql-5.6.24", 2**32 - 1), ("mysql-5.7.22", 2**64 - 1), ("mysql-9.7.4", 2**64 - 1), ("mariadb-11.x", 2**32 - 1)],
)
def test_the_number_of_a_file_is_widened_with_its_sign_since_5_7(profile, number):
    load = {**QUERY, "query": b"LOAD", "file_id": 2**32 - 1, "file_name_start": 4, "file_name_end": 4}
    (row,) = rows((EventType.EXECUTE_LOAD_QUERY, {**load, "duplicate_handling": 0}), profile=profile)
    assert row.info.endswith(f"; LOAD ;file_id={number}")


@pytest.mark.parametrize(
    ("profile", "listed"),
    [("mysql-5.5.9", "DO '\0'"), ("mysql-5.6.24", "DO '"), ("mysql-9.7.4", "DO '"), ("mariadb-11.x", "DO '\0'")],
)
def test_mysql_lists_a_statement_as_far_as_its_first_nul_since_5_6(profile, listed):
    (row,) = rows((EventType.QUERY, {**QUERY, "query": b"DO '\0'"}, Flag.SUPPRESS_USE), profile=profile)
    assert row.info == listed


def test_mariadb_has_another_name_for_type_28():
    (row,) = rows((EventType.IGNORABLE, {"body": b"x"}, Flag.IGNORABLE), profile="mariadb-10.1.23")
    name = "Ignorable log event"
    assert (row.event_type, row.info) == (name, f"# Ignorable event type 28 ({name})")


@pytest.mark.parametrize(("profile", "literal"), [("mariadb-11.8.6", "X''"), ("mariadb-11.8.9", '""')])
def test_an_empty_string_has_no_digits_in_mariadb_11_8_9(profile, literal):
    (row,) = rows(
        (EventType.USER_VAR, {**VARIABLE, "variable_type": 0, "variable_value": b"", "variable_charset": 8}),
        profile=profile,
    )
    assert row.info.endswith(f"=_latin1 {literal} COLLATE latin1_swedish_ci")


def test_in_the_worklog_the_stored_hash_of_a_comment_is_shown_once():
    shown = {
        profile: rows((EventType.ROWS_QUERY, {"rows_query": b"# DO 1"}), profile=profile)[0].info
        for profile in ("worklog", "mysql-9.x")
    }
    assert shown == {"worklog": "# DO 1", "mysql-9.x": "# # DO 1"}


def test_a_line_is_escaped_as_by_the_client():
    row = EventRow("bin.000001", 4, "Query", 1, 99, "a\tb\nc\\d\0")
    assert row.line() == "bin.000001\t4\tQuery\t1\t99\ta\\tb\\nc\\\\d\\0"
    assert EventRow("bin.000001", 4, "Query", 1, 99, None).line().endswith("\t99\t")


@pytest.mark.parametrize(
    ("value", "listed"),
    [
        (1e10, "10000000000"),
        (100.0, "100"),
        (-2.5e-7, "-0.00000025"),
        (0.1, "0.1"),
        (123456789012345.6, "123456789012345.6"),
        (999999999999999.0, "999999999999999"),
        (1e15, "1e15"),
        (1234567890123456.0, "1.234567890123456e15"),
        (-1234567890123456.5, "-1234567890123456.5"),
        (12345678901234567.0, "1.2345678901234568e16"),
        (1.7976931348623157e308, "1.7976931348623157e308"),
        (-3.3333333333333333e-06, "-0.0000033333333333333333"),
        (6.6666666666666664e-15, "0.0000000000000066666666666666664"),
        (6.666666666666666e-16, "6.666666666666666e-16"),
        (5e-324, "5e-324"),
        (0.0, "0"),
        (-0.0, "-0"),
        (math.inf, "0"),
        (math.nan, "0"),
    ],
)
def test_a_double_is_that_of_9_7_4(value, listed):
    (row,) = rows((EventType.USER_VAR, {**VARIABLE, "variable_type": 1, "variable_value": struct.pack("<d", value)}))
    assert row.info == f"@`a``b`={listed}"


@pytest.mark.parametrize(
    ("profile", "listed"),
    [
        ("mariadb-10.1.23", "-0"),
        ("mariadb-10.2.11", "-0"),
        ("mariadb-10.11.18", "0"),
        ("mariadb-11.4.5", "-0"),
        ("mariadb-11.8.9", "0"),
    ],
)
def test_the_double_below_zero_that_is_zero_is_that_of_each_mariadb(profile, listed):
    variable = {**VARIABLE, "variable_type": 1, "variable_value": struct.pack("<d", -0.0)}
    (row,) = rows((EventType.USER_VAR, variable), profile=profile)
    assert row.info.endswith(f"={listed}")


ALL_ROWS_FLAGS = "STMT_END_F NO_FOREIGN_KEY_CHECKS_F RELAXED_UNIQUE_CHECKS_F USE_SQL_FOREIGN_KEY_F COMPLETE_ROWS_F"


@pytest.mark.parametrize(
    ("profile", "flags", "listed"),
    [
        ("mysql-5.5.9", 0x1F, " flags: STMT_END_F"),
        ("mysql-8.0.15", 0x1F, " flags: STMT_END_F"),
        ("mysql-8.0.15", 0x0E, ""),
        ("mariadb-11.8.9", 0x1F, " flags: STMT_END_F"),
        ("mysql-9.7.4", 0x1F, f" flags: {ALL_ROWS_FLAGS}"),
        ("mysql-9.7.4", 0x0E, " flags: NO_FOREIGN_KEY_CHECKS_F RELAXED_UNIQUE_CHECKS_F COMPLETE_ROWS_F"),
    ],
)
def test_the_flags_of_rows_are_all_listed_by_9_7_4_alone(profile, flags, listed):
    fields = {"table_id": 7, "rows_flags": flags, "column_count": 0, "row_data": b""}
    code = EventType.WRITE_ROWS if profile.startswith(("mysql-8", "mysql-9")) else EventType.WRITE_ROWS_V1
    (row,) = rows((code, fields), profile=profile)
    assert row.info == f"table_id: 7{listed}"


ALL_OPTIONS = 0x5D08C000


@pytest.mark.parametrize(
    ("profile", "flags", "settings"),
    [
        ("mysql-9.x", ALL_OPTIONS, ""),
        ("mariadb-10.2.11", ALL_OPTIONS, ""),
        ("mariadb-10.11.18", 1 << 19, ""),
        ("mariadb-10.11.18", 1 << 26, "set foreign_key_checks=0; "),
        (
            "mariadb-10.11.18",
            ALL_OPTIONS,
            "set foreign_key_checks=0, sql_auto_is_null=1, unique_checks=0, check_constraint_checks=0, "
            "@@sql_if_exists=1, @@system_versioning_insert_history=1; ",
        ),
        (
            "mariadb-11.4.5",
            ALL_OPTIONS,
            "set foreign_key_checks=1, sql_auto_is_null, unique_checks=1, check_constraint_checks=1, "
            "@@sql_if_exists=1, @@system_versioning_insert_history=1; ",
        ),
    ],
)
def test_mariadb_lists_the_options_of_the_session(profile, flags, settings):
    fields = {**QUERY, "query": b"DO 1", "status_variables": b"\0" + flags.to_bytes(4, "little")}
    (row,) = rows((EventType.QUERY, fields), profile=profile)
    assert row.info == f"use `te``st`; {settings}DO 1"


@pytest.mark.parametrize(
    ("profile", "listed"), [("mariadb-10.2.11", "[5-1-1,0-1-2,0-3-1]"), ("mariadb-10.11.18", "[0-3-1,0-1-2,5-1-1]")]
)
def test_the_gtids_of_a_list_are_sorted_since_mariadb_10_11(profile, listed):
    gtids = [{"domain_id": each[0], "server_id": each[1], "gno": each[2]} for each in ((5, 1, 1), (0, 1, 2), (0, 3, 1))]
    (row,) = rows((EventType.MARIADB_GTID_LIST, {"gtid_list_flags": 0, "gtid_list": gtids}), profile=profile)
    assert row.info == listed
