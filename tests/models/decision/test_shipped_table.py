"""The decision table of shipped servers, compared with that of the worklog."""

import itertools

import pytest

from conformance.models.decision import worklog_table
from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY
from conformance.models.decision.decision import MODES, SAFETIES
from conformance.models.decision.engines import shipped_capability, table_of
from conformance.models.decision.locked_table import LockedTable
from conformance.models.decision.shipped_table import (
    DECISION_TABLE,
    SELF_LOGGING_MIX,
    UNREPLICATED_MIX,
    decide,
    row_for,
)

ALL = (NEITHER, STATEMENT_ONLY, ROW_ONLY, BOTH)
EVERY = list(itertools.product(SAFETIES, MODES, ALL))


@pytest.mark.parametrize(("safety", "mode", "capability"), EVERY)
def test_each_condition_has_one_row(safety, mode, capability):
    rows = [
        row
        for row in DECISION_TABLE
        if row.capability == capability and row.safety in (None, safety) and row.mode in (None, mode)
    ]
    assert rows == [row_for(safety, mode, capability)]


def test_the_table_has_28_rows():
    assert [row.number for row in DECISION_TABLE] == list(range(1, 29))


@pytest.mark.parametrize(("safety", "mode", "capability"), [each for each in EVERY if each[0] != "row-injection"])
def test_it_agrees_with_the_worklog_wherever_that_has_a_row(safety, mode, capability):
    ours = row_for(safety, mode, capability)
    theirs = worklog_table.row_for(safety, mode, capability)
    assert ours.format == theirs.format
    assert (ours.message and ours.message.kind) == (theirs.message and theirs.message.kind)


@pytest.mark.parametrize(("mode", "capability"), list(itertools.product(MODES, ALL)))
def test_a_row_injection_is_logged_as_rows_or_not_at_all(mode, capability):
    row = row_for("row-injection", mode, capability)
    assert row.format in (None, "row")
    assert (row.format == "row") is (mode != "statement" and capability.row)


def test_the_numbers_are_those_of_the_servers():
    codes = [row.message.code if row.message else None for row in DECISION_TABLE]
    assert {code: codes.count(code) for code in (1661, 1662, 1663, 1664, 1665, 1666, 1592, None)} == {
        1661: 1,
        1662: 2,
        1663: 1,
        1664: 3,
        1665: 2,
        1666: 2,
        1592: 2,
        None: 15,
    }
    assert (SELF_LOGGING_MIX.code, UNREPLICATED_MIX.code) == (1667, 1844)


def test_only_written_tables_count():
    tables = [LockedTable("myisam", BOTH), LockedTable("ndb", ROW_ONLY, written=False)]
    assert decide(safety="safe", mode="statement", tables=tables).format == "statement"
    assert worklog_table.decide(safety="safe", mode="statement", tables=tables).format is None


def test_a_self_logging_engine_must_be_written_alone():
    ndb, innodb = (table_of(name, capability_of=shipped_capability, given={}) for name in ("ndb", "innodb"))
    assert decide(safety="safe", mode="row", tables=[ndb, innodb]).message == SELF_LOGGING_MIX
    assert decide(safety="safe", mode="row", tables=[ndb, ndb]).format == "row"
    read = table_of("innodb", capability_of=shipped_capability, given={}, written=False)
    assert decide(safety="safe", mode="row", tables=[ndb, read]).format == "row"
    assert decide(safety="safe", mode="row", tables=[ndb, innodb], logging=False).executed


def test_a_statement_that_writes_an_unreplicated_table_is_not_logged_as_a_statement():
    unreplicated = table_of("performance_schema", capability_of=shipped_capability, given={})
    for capability, mode, safety in itertools.product(ALL, MODES, SAFETIES):
        row = row_for(safety, mode, capability)
        decision = decide(safety=safety, mode=mode, tables=[LockedTable("some", capability), unreplicated])
        refused = mode == "statement" and row.format == "statement"
        assert decision.message == (UNREPLICATED_MIX if refused else row.message)
        assert decision.format == (None if refused else row.format)
        tables = [LockedTable("some", capability), unreplicated]
        before = decide(safety=safety, mode=mode, tables=tables, profile="mysql-5.5.9")
        assert (before.message, before.format) == (row.message, row.format)
    alone = decide(safety="unsafe", mode="statement", tables=[unreplicated])
    assert (alone.executed, alone.format, alone.message) == (True, None, None)


@pytest.mark.parametrize(("safety", "mode", "capability"), EVERY)
def test_there_is_no_message_while_logging_is_off(safety, mode, capability):
    decision = decide(safety=safety, mode=mode, tables=[LockedTable("some", capability)], logging=False)
    assert (decision.message, decision.format, decision.executed) == (None, None, True)


def test_an_unknown_safety_or_mode_is_refused():
    with pytest.raises(ValueError, match="'perhaps'"):
        decide(safety="perhaps", mode="row", tables=[], logging=False)
    with pytest.raises(ValueError, match="'minimal'"):
        decide(safety="safe", mode="minimal", tables=[])
