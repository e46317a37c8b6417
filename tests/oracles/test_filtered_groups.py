"""The groups of a log, as the oracles of the role `filter` find them."""

import sys
from dataclasses import replace

import pytest

from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.models.filtering import sql_statement
from conformance.models.filtering.event_part import EventParts
from conformance.oracles.checks.filtered_groups import BORDERS, groups_of
from conformance.oracles.judge import Judge
from conformance.oracles.verdict import failures_of
from conformance.protocol.observation import Observation
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.first_case import first_case

REFERENCE = ReferenceImplementation()


def parts_of(case):
    """Return the parts of a log, with the tables of its statements."""
    parts = EventParts(statements=False)
    return [parts.part(event) for event in read_events(case.stream, server_of(case.id.profile).rules)]


def needs_the_parser(case):
    """Return whether a statement of a log names its tables in its text alone."""
    sql_statement._cached_read.cache_clear()
    try:
        parts_of(case)
    except ImportError:
        return True
    return False


def test_groups_are_found_where_the_parser_of_statements_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    case = case_of(CaseId.parse(first_case("tables_info_streams", "worklog", needs_the_parser, role="filter")))
    with pytest.raises(ImportError):
        parts_of(case)
    groups = list(groups_of(case))
    assert sum(map(len, groups)) == len(case.expected.events)


def borders_kept(case):
    """Return the entries of a filter that reports the borders of groups alone, and keeps all of them."""
    borders = {index for group in groups_of(case) for index, fate in group if fate.part.part in BORDERS}
    expected = case.expected.events
    return tuple({**expected[index], "fate": "kept"} for index in sorted(borders))


def test_a_filter_without_entries_for_rows_may_keep_the_borders_of_a_group_of_which_nothing_passes():
    role = REFERENCE.declaration.roles["filter"]
    judge = Judge(replace(role, abilities=role.abilities - {"every_event"}))
    kept = 0
    for index in range(40):
        case = case_of(CaseId("rename_filters", "worklog", seed=0, index=index, role="filter"))
        answer = Observation(borders_kept(case), None)
        kept += any(each.get("fate") == "dropped" for each in case.expected.events)
        assert {each.requirement for each in failures_of(judge.judge(case, answer))} == set()
    assert kept > 5
