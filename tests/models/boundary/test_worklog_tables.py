"""The tables in the code equal those in the worklog's text."""

import re
from pathlib import Path

import pytest

from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.transition_table import CELLS, COLUMNS
from conformance.models.boundary.type_table import TYPE_ROWS, Situation
from conformance.specs.catalogue import catalogue

#: Type -> the word of the type table.
WORDS = {
    BoundaryType.IGNORE_BOUNDARY: "IGNORE",
    BoundaryType.SELF_CONTAINED: "SELF",
    BoundaryType.START_TRANSACTION: "START",
    BoundaryType.INSIDE_TRANSACTION: "INSIDE",
    BoundaryType.END_TRANSACTION: "END",
}
#: The class in the text, the setter after the type -> the situation; an empty setter means every other one.
SITUATIONS = {
    ("BEGIN", "Query_log_event constructor"): Situation.BEGIN,
    ("BEGIN", "binlog write_event *2"): Situation.BEGIN_IN_GROUP,
    ("COMMIT/ROLLBACK", ""): Situation.COMMIT_OR_ROLLBACK,
    ("not immediate logging", ""): Situation.NOT_IMMEDIATE,
    ("immediate logging", ""): Situation.IMMEDIATE_IN_GROUP,
    ("", "binlog write_event *4"): Situation.FIRST_CONTEXT,
    ("", "Log_event constructor *5"): Situation.ARTIFICIAL,
}


@pytest.fixture(scope="module")
def worklog(ground_truth: Path) -> str:
    return (ground_truth / "worklogs/WL4162-transaction-boundary-markers.txt").read_text(encoding="utf-8")


def class_name(text: str) -> str:
    return text if text == "Log_event" else re.sub(r"_log_event(?=_v3$|$)", "", text)


@pytest.mark.ground_truth
def test_every_cell_of_the_transition_table(worklog):
    table = worklog.partition("Transition Table\n")[2]
    rows = re.findall(r"^\|(\d)\) [A-Z][\w ]+?\|(.*)\|$", table, re.MULTILINE)
    cells = {
        (before, BoundaryType(int(number))): word.strip()
        for number, words in rows
        if int(number) >= 2
        for before, word in zip(COLUMNS, words.split("|"), strict=True)
    }
    assert {key: cell.outcome.value for key, cell in CELLS.items()} == cells
    heads = re.search(r"From boundary type ->((?:\| \d )+)\|", table)
    assert [int(head) for head in re.findall(r"\d", heads[1])] == list(COLUMNS)


@pytest.mark.ground_truth
def test_every_row_of_the_type_table(worklog):
    table = worklog.partition("Log_event type |State | Set by\n")[2].partition("=====")[0]
    current, rows = "", []
    for line in table.splitlines()[1:]:
        name, word, setter = (part.strip() for part in line.split("|"))
        if name.endswith(("_log_event", "_log_event_v3", "Log_event")):
            current, name = class_name(name), ""
        if not word:
            assert current == "Execute_load_query"
            continue
        situation = SITUATIONS.get((name, setter)) or SITUATIONS.get((name, ""), Situation.MADE)
        rows.append((current, situation, word))
    assert [(row.event_class.value, row.situation, WORDS[row.boundary_type]) for row in TYPE_ROWS] == rows


@pytest.mark.ground_truth
def test_the_warning_is_the_format_string_of_the_worklog(worklog):
    form = re.search(r'warning message stating: "(Unable to change\s+boundary parser from %s to %s\.)"', worklog)[1]
    form = re.sub(r"\s+", " ", form)
    for cell in CELLS.values():
        if cell.warning is not None:
            assert cell.warning == form % (cell.before.heading, cell.fed.heading)


@pytest.mark.ground_truth
def test_the_names_are_the_headings_of_the_worklog(worklog):
    headings = re.findall(r"^D2\.(\d)\) ([\w ]+):$", worklog, re.MULTILINE)
    assert {int(number): name for number, name in headings} == {int(each): each.heading for each in BoundaryType}


def test_cells_and_rows_are_requirements_each_once():
    ids = [each.requirement for each in (*CELLS.values(), *TYPE_ROWS)]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= set(catalogue())
    cells_of_the_catalogue = {
        each for each in catalogue() if re.fullmatch(r"WL4162-TT-(UNDEFINED|SELF|START|INSIDE|END)-[A-Z]+", each)
    }
    assert {each.requirement for each in CELLS.values()} == cells_of_the_catalogue


def test_every_row_of_the_catalogue_is_in_the_table():
    rows = {each for each in catalogue() if each.startswith("WL4162-TYPE-")} - {"WL4162-TYPE-EXECUTE-LOAD-QUERY"}
    assert {each.requirement for each in TYPE_ROWS} == rows
