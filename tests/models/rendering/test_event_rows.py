"""Rows of SHOW BINLOG EVENTS whose Info column is special; the expected ones are those of MySQL 9.7.4."""

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


def test_the_number_of_a_file_is_widened_with_its_sign():
    load = {**QUERY, "query": b"LOAD", "file_id": 2**32 - 1, "file_name_start": 4, "file_name_end": 4}
    (row,) = rows((EventType.EXECUTE_LOAD_QUERY, {**load, "duplicate_handling": 0}))
    assert row.info == f"use `te``st`; LOAD ;file_id={2**64 - 1}"


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
