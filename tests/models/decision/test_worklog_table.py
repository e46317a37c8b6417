"""The decision table of the worklog: every row, and every condition by a second formulation."""

import itertools
import re

import pytest

from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY, Capability
from conformance.models.decision.decision import MODES
from conformance.models.decision.engines import WORKLOG_ENGINES, table_of, worklog_capability
from conformance.models.decision.locked_table import LockedTable
from conformance.models.decision.worklog_table import DECISION_TABLE, decide, row_for
from conformance.specs.catalogue import catalogue

#: Every set of up to three tables of the nine engines.
ENGINE_SETS = [
    each
    for size in range(4)
    for each in itertools.combinations_with_replacement([engine.names[0] for engine in WORKLOG_ENGINES], size)
]


def tables_of(names):
    return [table_of(each, capability_of=worklog_capability, given={}) for each in names]


def outcome(decision):
    return decision.message and decision.message.kind, decision.executed, decision.format


def by_formats(safety, mode, formats):
    """Decide by a second formulation: the first of the mode's formats that all tables can log."""
    wanted = {
        ("safe", "mixed"): ("statement", "row"),
        ("unsafe", "mixed"): ("row",),
    }.get((safety, mode), (mode,))
    chosen = next((each for each in wanted if each in formats), None)
    if chosen is None:
        return "error", False, None
    return ("warning" if safety == "unsafe" and chosen == "statement" else None), True, chosen


def test_each_row_is_a_requirement_and_each_condition_has_one_row():
    assert [row.number for row in DECISION_TABLE] == list(range(1, 25))
    assert {row.requirement for row in DECISION_TABLE} == {name for name in catalogue() if "-DT-" in name}
    conditions = {(row.safety, row.mode, row.capability) for row in DECISION_TABLE}
    assert conditions == set(itertools.product(("safe", "unsafe"), MODES, (NEITHER, STATEMENT_ONLY, ROW_ONLY, BOTH)))


@pytest.mark.parametrize("row", DECISION_TABLE, ids=lambda row: row.requirement)
def test_a_row_agrees_with_the_text_of_its_requirement(row):
    text = catalogue()[row.requirement].text
    words = {"statement": "logged as a statement", "row": "logged as rows", None: "nothing is logged"}
    assert words[row.format] in text
    assert ("is refused with the error" in text) is (row.message is not None and row.message.kind == "error")
    assert ("with the warning" in " ".join(text.split())) is (row.message is not None and row.message.kind == "warning")


@pytest.mark.parametrize("row", DECISION_TABLE, ids=lambda row: row.requirement)
def test_a_row_decides_its_condition(row):
    decision = decide(safety=row.safety, mode=row.mode, tables=[LockedTable("some", row.capability)])
    assert (decision.row, decision.rule, decision.message, decision.format) == (
        row.number,
        row.rule,
        row.message,
        row.format,
    )
    assert decision.executed is (row.format is not None)


def test_eleven_rows_are_errors_and_two_are_warnings():
    kinds = [row.message.kind for row in DECISION_TABLE if row.message]
    assert (kinds.count("error"), kinds.count("warning")) == (11, 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("safety", ["safe", "unsafe"])
def test_every_set_of_up_to_three_engines_is_decided_by_what_all_can_log(safety, mode):
    seen = 0
    for names in ENGINE_SETS:
        able = [worklog_capability(name) for name in names]
        formats = {
            *(["row"] if all(each.row for each in able) else []),
            *(["statement"] if all(each.statement for each in able) else []),
        }
        tables = tables_of(names)
        assert outcome(decide(safety=safety, mode=mode, tables=tables)) == by_formats(safety, mode, formats), names
        off = decide(safety=safety, mode=mode, tables=tables, logging=False)
        assert (outcome(off), off.row) == ((None, True, None), None), names
        seen += 1
    assert seen == 1 + 9 + 45 + 165


def test_the_order_and_the_number_of_the_tables_change_nothing():
    for names in ENGINE_SETS:
        for mode in MODES:
            decision = decide(safety="unsafe", mode=mode, tables=tables_of(names))
            assert decision == decide(safety="unsafe", mode=mode, tables=tables_of([*reversed(names), *names]))


def test_a_condition_that_the_worklog_does_not_know_is_refused():
    with pytest.raises(ValueError, match="'row-injection'"):
        row_for("row-injection", "row", BOTH)
    with pytest.raises(ValueError, match="'MIXED'"):
        row_for("safe", "MIXED", BOTH)
    with pytest.raises(ValueError, match="'perhaps'"):
        decide(safety="perhaps", mode="row", tables=[], logging=False)


@pytest.fixture
def worklog(ground_truth):
    return (ground_truth / "worklogs/WL3303-engine-controlled-logging-format.txt").read_text(encoding="utf-8")


@pytest.mark.ground_truth
def test_the_rows_are_those_of_the_text(worklog):
    text = worklog.partition(".. table:: Decision table")[2].partition("Regarding warnings")[0]
    cells = re.findall(
        r"(Safe|Unsafe) (STATEMENT|MIXED|ROW) ([NY]) ([NY]) (?:(Error|Warning): (not loggable|unsafe) ?)?(STMT|ROW)?"
        r"(?= (?:Safe|Unsafe|=)|$)",
        text,
    )
    formats = {"": None, "STMT": "statement", "ROW": "row"}
    rows = [
        (
            safety.lower(),
            mode.lower(),
            Capability(row=row == "Y", statement=statement == "Y"),
            (kind.lower(), label) if kind else None,
            formats[logged],
        )
        for safety, mode, row, statement, kind, label, logged in cells
    ]
    assert rows == [
        (row.safety, row.mode, row.capability, row.message and (row.message.kind, row.message.label), row.format)
        for row in DECISION_TABLE
    ]


@pytest.mark.ground_truth
def test_the_engines_are_those_of_the_text(worklog):
    text = worklog.partition("SETTINGS FOR CURRENT ENGINES")[2].partition("Mats notes")[0]
    settings = re.findall(r"(ha_\w+)((?: HA_BINLOG_(?:ROW|STMT)_CAPABLE)+)", text)
    assert [
        (handler, Capability(row="_ROW_" in flags, statement="_STMT_" in flags)) for handler, flags in settings
    ] == [(engine.handler, engine.capability) for engine in WORKLOG_ENGINES]
