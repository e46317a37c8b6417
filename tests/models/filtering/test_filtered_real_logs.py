"""Real logs through the filter: unchanged if no rule concerns them, and without the tables that are dropped."""

from io import BytesIO

import pytest
from real_files import HEALTHY
from test_filtered_log import filtered, ignoring, tables_of

from conformance.binlog.reader import ReaderRules, read_events
from conformance.log_check.log_checker import LogChecker
from conformance.log_check.verdicts import Violation
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.filtered_log import LogFilter
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName
from tests.extras import require

require("sql")

pytestmark = pytest.mark.ground_truth
RULES = ReaderRules(beyond_format_description=True)


def left_of(data, rules):
    chosen = LogFilter(TableFilter(rules))
    return b"".join(chosen.filtered(read_events(data, RULES))), chosen.counts


@pytest.mark.parametrize("name", HEALTHY)
def test_rules_for_other_tables_change_nothing(ground_truth, name):
    data = (ground_truth / name).read_bytes()
    left, counts = left_of(data, FilterRules(ignore_tables=frozenset({TableName("no such", "table")})))
    assert (counts.dropped, left == data) == (0, True)


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_of_a_table_is_left(ground_truth, name):
    data = (ground_truth / name).read_bytes()
    named = sorted({table for each in tables_of(data, RULES) for table in each if table.name})
    for table in named[:2]:
        left, counts = filtered(data, ignoring([table]), reading=RULES)
        assert counts.dropped
        assert table not in {each for tables in tables_of(left, RULES) for each in tables}


def broken(data):
    """Return the requirements that a log breaks."""
    findings = []
    LogChecker("bin.000001", report=findings.append).check(BytesIO(data))
    return {each.requirement for each in findings if isinstance(each, Violation)}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_filtered_log_breaks_no_other_requirement(ground_truth, name):
    data = (ground_truth / name).read_bytes()
    named = sorted({table for each in tables_of(data, RULES) for table in each if table.name})
    for table in named[:1]:
        assert broken(filtered(data, ignoring([table]), reading=RULES)[0]) <= broken(data)
