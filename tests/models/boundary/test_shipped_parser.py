"""The parser that servers ship: every cell, the event types and statements of each version, and the texts."""

import pytest
from boundary_events import BEGIN, COMMIT, CREATE, FORMAT, GTID, INCIDENT, INTVAR, ROWS, TABLE_MAP, XID, plain, query

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser, shipped_type
from conformance.models.boundary.shipped_tables import CELLS, CODES, VERSIONS, ShippedState, ShippedType

XA_ROLLBACK, XA_START = query("XA ROLLBACK X'61'"), query("XA START X'61'")
UNKNOWN, STOP = plain(0), plain(EventType.STOP)
PAYLOAD = plain(EventType.TRANSACTION_PAYLOAD)
#: An event of each type, for the versions that know payloads.
EVENTS = {
    ShippedType.GTID: GTID,
    ShippedType.BEGIN: BEGIN,
    ShippedType.END: XID,
    ShippedType.END_XA: XA_ROLLBACK,
    ShippedType.STMT: ROWS,
    ShippedType.PRE_STMT: INTVAR,
    ShippedType.INCIDENT: INCIDENT,
    ShippedType.IGNORE: STOP,
    ShippedType.PAYLOAD: PAYLOAD,
    ShippedType.ERROR: UNKNOWN,
}
#: Event that leads a fresh parser into a state.
PATHS = {
    ShippedState.NONE: FORMAT,
    ShippedState.GTID: GTID,
    ShippedState.DDL: INTVAR,
    ShippedState.DML: BEGIN,
    ShippedState.ERROR: UNKNOWN,
}


@pytest.mark.parametrize("kind", ShippedType)
@pytest.mark.parametrize("state", ShippedState)
@pytest.mark.parametrize("version", ["8.0.43", "9.7"])
def test_every_cell(version, state, kind):
    parser = ShippedParser(version)
    parser.feed(PATHS[state])
    assert parser.state is state
    step = parser.feed(EVENTS[kind])
    assert (step.shipped_type, step.state, step.error) == (kind, CELLS[state, kind].state, CELLS[state, kind].error)
    assert parser.state is step.state
    assert step.error or step.warning is None


def test_the_errors_of_the_table():
    # Counted by hand in the table of states.
    assert {
        state: sum(cell.error for (before, _), cell in CELLS.items() if before is state) for state in ShippedState
    } == {
        ShippedState.NONE: 4,
        ShippedState.GTID: 3,
        ShippedState.DDL: 6,
        ShippedState.DML: 4,
        ShippedState.ERROR: 8,
    }


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("state", [ShippedState.GTID, ShippedState.DDL, ShippedState.DML])
def test_the_applier_accepts_a_second_gtid_in_versions_where_the_context_matters(version, state):
    parser = ShippedParser(version, context="applier")
    parser.feed(PATHS[state])
    assert parser.feed(GTID).error is (version in ("5.7", "8.0.15"))
    assert parser.state is ShippedState.GTID


#: Statement -> its type in 5.7 and in 8.0.
STATEMENTS = {
    b"BEGIN": ("BEGIN", "BEGIN"),
    b"B": ("BEGIN", "BEGIN"),
    b"BEGIN WORK": ("STMT", "STMT"),
    b"begin": ("STMT", "STMT"),
    b"COMMIT": ("END", "END"),
    b"COMM": ("END", "END"),
    b"commit": ("STMT", "STMT"),
    b"ROLLBACK": ("END", "END"),
    b"rollback": ("END", "END"),
    b"Rollback /* all */": ("END", "END"),
    b"ROLLBACK TO a": ("STMT", "STMT"),
    b"rollback to a": ("STMT", "STMT"),
    b"ROLLBACK TO": ("END", "END"),
    b"SAVEPOINT a": ("STMT", "STMT"),
    b"XA START 'x'": ("BEGIN", "BEGIN"),
    b"xa start 'x'": ("STMT", "STMT"),
    b"XA END 'x'": ("STMT", "STMT"),
    b"XA COMMIT 'x'": ("STMT", "STMT"),
    b"XA ROLLBACK 'x'": ("END_XA", "END_XA"),
    b"xa rollback 'x'": ("END_XA", "END_XA"),
    b"CREATE TABLE t (a INT)": ("STMT", "STMT"),
    b"": ("ERROR", "IGNORE"),
}


@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize(("version", "column"), [("5.7", 0), ("8.0.43", 1)])
def test_the_rules_for_statements(text, version, column):
    assert shipped_type(FedEvent(EventType.QUERY, 0, text), version).name == STATEMENTS[text][column]


#: Event type code -> its type, if versions differ: in 5.7, 8.0.15, 8.0.43, 9.7.
DIFFERENCES = {
    1: "IGNORE ERROR ERROR ERROR ERROR",
    6: "IGNORE ERROR ERROR ERROR ERROR",
    8: "IGNORE ERROR ERROR ERROR ERROR",
    10: "IGNORE ERROR ERROR ERROR ERROR",
    12: "IGNORE ERROR ERROR ERROR ERROR",
    20: "STMT ERROR ERROR ERROR ERROR",
    21: "STMT ERROR ERROR ERROR ERROR",
    22: "STMT ERROR ERROR ERROR ERROR",
    23: "STMT STMT STMT ERROR ERROR",
    24: "STMT STMT STMT ERROR ERROR",
    25: "STMT STMT STMT ERROR ERROR",
    39: "ERROR STMT STMT STMT STMT",
    40: "ERROR ERROR PAYLOAD PAYLOAD PAYLOAD",
    41: "ERROR ERROR IGNORE IGNORE IGNORE",
    42: "ERROR ERROR ERROR GTID GTID",
    43: "ERROR ERROR ERROR ERROR IGNORE",
}


def test_the_types_that_differ_between_versions():
    differences = {}
    for code in range(256):
        names = [shipped_type(FedEvent(code, 0, b"CREATE"), version).name for version in VERSIONS]
        if len(set(names)) > 1:
            differences[code] = " ".join(names)
    assert differences == DIFFERENCES


@pytest.mark.parametrize("version", VERSIONS)
def test_a_code_without_an_entry_is_ignored_only_with_the_flag(version):
    without = [code for code in range(256) if code not in CODES[version] and code != EventType.QUERY]
    assert 28 in without
    for code in without:
        assert shipped_type(plain(code), version) is ShippedType.ERROR
        assert shipped_type(plain(code, Flag.IGNORABLE), version) is ShippedType.IGNORE


#: Events -> the text of the last one's warning in 8.0.43, and its number.
WARNINGS = {
    (UNKNOWN,): ("MY-010442", "Unsupported non-ignorable event fed into the event stream."),
    (GTID, GTID): (
        "MY-010443",
        "GTID_LOG_EVENT or ANONYMOUS_GTID_LOG_EVENT is not expected in an event stream after a GTID_LOG_EVENT or an "
        "ANONYMOUS_GTID_LOG_EVENT.",
    ),
    (INTVAR, GTID): (
        "MY-010443",
        "GTID_LOG_EVENT or ANONYMOUS_GTID_LOG_EVENT is not expected in an event stream in the middle of a DDL.",
    ),
    (BEGIN, GTID): (
        "MY-010443",
        "GTID_LOG_EVENT or ANONYMOUS_GTID_LOG_EVENT is not expected in an event stream in the middle of a DML.",
    ),
    (BEGIN, BEGIN): ("MY-010444", "QUERY(BEGIN) is not expected in an event stream in the middle of a DML."),
    (INTVAR, BEGIN): ("MY-010444", "QUERY(BEGIN) is not expected in an event stream in the middle of a DDL."),
    (COMMIT,): (
        "MY-010445",
        "QUERY(COMMIT or ROLLBACK) or XID_LOG_EVENT is not expected in an event stream outside a transaction.",
    ),
    (GTID, XID): (
        "MY-010445",
        "QUERY(COMMIT or ROLLBACK) or XID_LOG_EVENT is not expected in an event stream after a GTID_LOG_EVENT.",
    ),
    (XA_ROLLBACK,): ("MY-010446", "QUERY(XA ROLLBACK) is not expected in an event stream outside a transaction."),
    (INTVAR, XA_ROLLBACK): (
        "MY-010446",
        "QUERY(XA ROLLBACK) is not expected in an event stream in the middle of a DDL.",
    ),
}


@pytest.mark.parametrize("events", WARNINGS)
def test_the_warnings(events):
    new, old = ShippedParser("8.0.43"), ShippedParser("5.7")
    for event in events:
        step, old_step = new.feed(event), old.feed(event)
    assert (step.warning.code, step.warning.text) == WARNINGS[events]
    assert (old_step.warning.code, old_step.warning.text) == (None, WARNINGS[events][1])


def test_the_message_about_gtids_names_the_tagged_one_in_versions_that_know_it():
    parser = ShippedParser("9.7")
    parser.feed(GTID)
    assert parser.feed(GTID).warning.text == (
        "GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT or ANONYMOUS_GTID_LOG_EVENT is not expected in an event stream after a "
        "GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT or an ANONYMOUS_GTID_LOG_EVENT."
    )


def test_an_error_after_an_error_is_silent():
    parser = ShippedParser("8.0.43")
    parser.feed(UNKNOWN)
    step = parser.feed(XID)
    assert (step.error, step.warning, step.state) == (True, None, ShippedState.NONE)


def test_where_it_differs_from_the_worklog():
    parser = ShippedParser("8.0.43")
    for event in (TABLE_MAP, ROWS, BEGIN, STOP, plain(EventType.ROTATE), ROWS, plain(EventType.HEARTBEAT), XID, ROWS):
        assert not parser.feed(event).error
    assert not parser.within_transaction
    parser.feed(BEGIN)
    assert parser.within_transaction
    assert not parser.feed(INCIDENT).error
    assert parser.state is ShippedState.NONE
    parser.feed(BEGIN)
    parser.reset()
    assert parser.state is ShippedState.NONE
    assert parser.feed(CREATE).state is ShippedState.NONE


def test_an_unknown_version_is_refused():
    with pytest.raises(ValueError, match=r"8\.9"):
        ShippedParser("8.9")


@pytest.mark.parametrize(
    ("version", "state", "error"), [("5.7", "ERROR", True), ("8.0.15", "ERROR", True), ("8.0.43", "DML", False)]
)
def test_a_query_without_text_is_an_error_without_a_warning_or_nothing(version, state, error):
    parser = ShippedParser(version)
    parser.feed(BEGIN)
    step = parser.feed(query(""))
    assert (step.state.name, step.error, step.warning) == (state, error, None)


@pytest.mark.parametrize(
    ("text", "ends"),
    [("ROLLBACK TO a", False), ("rollback to  a", False), ("ROLLBACK  TO a", True), ("ROLLBACK TO\ta", True)],
)
def test_a_return_to_a_savepoint_has_one_space_before_and_after_to(text, ends):
    assert (shipped_type(query(text), "9.7") is ShippedType.END) is ends
