"""Comments, the spellings of an option, purged logs and recovery, in the model of a logging server."""

import pytest

from conformance.models.server.options import option_of
from conformance.models.server.statement_forms import statement_from_json
from tests.models.server.model_logs import events_of, run, statement

OPTION = "binlog_rows_query_log_events"
TABLE = statement("create_table", table="d.t")
#: As 9.7.4 answers SET GLOBAL with each of them.
ACCEPTED = ("1", "on", "On", "true", "TRUE")


def insert(**fields):
    return statement("insert", table="d.t", **fields)


def values_of(logged):
    """Return the values of `a` in the rows that were inserted."""
    return [after[0] for log in logged.logs for event in log.events for _, after in event.rows]


def test_a_text_is_logged_with_its_comment_where_it_was():
    comments = ({"comment": "/* a\n\u00e9 */"}, {"comment": "-- to the end\n", "comment_first": True})
    logged = run(TABLE, *(insert(values=[1], **each) for each in comments), **{OPTION: True})
    texts = [event["rows_query"] for event in events_of(logged) if "rows_query" in event]
    assert texts == [
        "# insert /* a\n\u00e9 */ into `d`.`t` (`a`) values (1)",
        "# -- to the end\n insert into `d`.`t` (`a`) values (1)",
    ]


@pytest.mark.parametrize("comment", ["/*! 1 */", "/* a */ b */", "-- no end", "text", "/*\0*/"])
def test_what_is_not_a_comment_is_refused(comment):
    with pytest.raises(ValueError, match="is not a comment"):
        statement_from_json(insert(values=[1], comment=comment))


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (("--binlog-rows-query-log-events", ""), (OPTION, "ON")),
        (("--binlog-rows-query-log-events", "0"), (OPTION, "OFF")),
        (("--skip-binlog-rows-query-log-events", ""), (OPTION, "OFF")),
        ((OPTION, "TRUE"), (OPTION, "ON")),
        (("gtid_mode", "ON"), ("gtid_mode", "ON")),
    ],
)
def test_an_option_is_read_as_a_server_reads_its_command_line(option, expected):
    assert option_of(*option) == expected


@pytest.mark.parametrize("spelling", ACCEPTED)
def test_a_global_value_holds_for_the_sessions_that_connect_after_it(spelling):
    change = statement("set_global", variable=OPTION, value="ON", spelling=spelling)
    shown = [insert(computed="session_option", session=number) for number in (1, 2)]
    logged = run(TABLE, change, *shown, insert(computed="global_option"))
    assert values_of(logged) == [0, 1, 1]


@pytest.mark.parametrize("value", ["2", "YES"])
def test_a_value_that_is_refused_changes_nothing(value):
    refused = statement("set_session", variable=OPTION, value=value)
    logged = run(TABLE, refused, insert(computed="session_option"))
    assert logged.outcomes[3].error == 1231
    assert values_of(logged) == [0]


def test_a_read_only_option_is_refused():
    outcome = run(statement("set_global", variable="binlog_with_tables_info", value="ON")).outcomes[-1]
    assert outcome.error == 1238


def test_purged_logs_are_gone_and_their_gtids_are_not():
    own = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
    flush, sets = statement("flush_logs"), ("gtid_executed", "gtid_purged")
    shown = [statement("insert_gtids", table="d.t", variable=name, gtids=f"{own}:1-3") for name in sets]
    purge, restart = statement("purge_logs", to=2), statement("restart")
    settings = {"gtid_mode": "ON", "enforce_gtid_consistency": True}
    logged = run(TABLE, insert(values=[1]), flush, purge, *shown, restart, *shown, flush, **settings)
    assert [log.name for log in logged.logs] == ["bin.000002", "bin.000003", "bin.000004"]
    # Executed is 1-3 and more from the first row on; purged is 1-3 alone.
    assert values_of(logged) == [3, 3, 1, 3]
    assert [str(log.previous_gtids) for log in logged.logs] == [f"{own}:1-{last}" for last in (3, 5, 7)]


def test_a_purge_to_a_log_that_does_not_exist_is_refused():
    assert run(statement("purge_logs", to=7)).outcomes[-1].error == 1373


@pytest.mark.parametrize(("simple", "recovered"), [(True, ""), (False, "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-3")])
def test_only_a_full_recovery_reads_past_a_log_without_previous_gtids(simple, recovered):
    settings = {"gtid_mode": "ON", "enforce_gtid_consistency": True, "before_wl7592": True}
    without = statement("restart", options=[["gtid_mode", "OFF"]])
    after = statement("restart", options=[["before_wl7592", "OFF"]])
    logged = run(TABLE, insert(values=[1]), without, after, binlog_gtid_simple_recovery=simple, **settings)
    assert [log.previous_gtids is None for log in logged.logs] == [False, True, False]
    assert str(logged.logs[-1].previous_gtids) == recovered
