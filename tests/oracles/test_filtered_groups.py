"""The groups of a log, as the oracles of the role `filter` find them."""

import sys

import pytest

from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.models.filtering import sql_statement
from conformance.models.filtering.event_part import EventParts
from conformance.oracles.checks.filtered_groups import groups_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.first_case import first_case


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
