"""Shrinking: from a failing case to the smallest one, through the same grammar."""

import pytest

from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import RecordingChooser
from conformance.strategies.grammar.family import case_of, families
from conformance.strategies.grammar.shrinking import shrink


def seeded(name, *, index=3):
    """Return a case and the choices that made it."""
    case_id = CaseId(name, "mysql-8.0", seed=1, index=index)
    chooser = RecordingChooser(case_id.chooser())
    return families()[name].build(chooser, case_id.profile, case_id), chooser.choices


def long_rows_query(case):
    return any(len(event.get("rows_query", "")) >= 4 for event in case.expected.events)


def test_a_case_is_shrunk_to_the_smallest_that_fails_in_the_same_way():
    case, choices = seeded("rows_query_streams")
    assert long_rows_query(case)
    shrunk = shrink(case, choices, long_rows_query, tries=1000)
    texts = [event["rows_query"] for event in shrunk.expected.events if "rows_query" in event]
    assert texts == ["aaaa"]
    assert len(shrunk.stream) < len(case.stream)
    assert case_of(CaseId.parse(str(shrunk.id))).stream == shrunk.stream


@pytest.mark.parametrize("columns", [1, 8, 9])
def test_columns_that_the_failure_does_not_need_are_removed(columns):
    def wide(case):
        return any(event.get("column_count", 0) >= columns for event in case.expected.events)

    made = (seeded("every_column_type", index=index) for index in range(100))
    case, choices = next((case, choices) for case, choices in made if wide(case))
    shrunk = shrink(case, choices, wide, tries=1000)
    counts = [event["column_count"] for event in shrunk.expected.events if "column_count" in event]
    assert counts == [columns]


def test_shrinking_stops_when_its_tries_are_spent():
    case, choices = seeded("rows_query_streams")
    tried = []
    shrunk = shrink(case, choices, lambda each: tried.append(each) or long_rows_query(each), tries=5)
    assert len(tried) == 5
    assert long_rows_query(shrunk)


def test_shrinking_stops_when_its_work_is_done():
    case, choices = seeded("rows_query_streams")
    streams = []
    for work in (len(choices), 100 * len(choices)):
        shrunk = shrink(case, choices, long_rows_query, tries=1000, work=work)
        assert long_rows_query(shrunk)
        streams.append(len(shrunk.stream))
    assert streams[1] < streams[0]


def test_a_case_that_does_not_fail_again_is_returned_unchanged():
    case, choices = seeded("rows_query_streams")
    tried = []
    assert shrink(case, choices, lambda each: bool(tried.append(each)), tries=1000) is case
    assert len(tried) == 1


def test_shrinking_is_deterministic():
    case, choices = seeded("every_event_type")
    ids = {str(shrink(case, choices, lambda each: len(each.expected.events) > 3, tries=300).id) for _ in range(2)}
    assert len(ids) == 1
