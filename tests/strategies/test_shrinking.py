"""Shrinking: from a failing case to the smallest one, by the same grammar."""

from strategies.case_id import CaseId
from strategies.chooser import RecordingChooser
from strategies.family import case_of, families
from strategies.hypothesis_cases import shrink


def long_rows_query(case):
    return any(len(event.get("rows_query", "")) >= 4 for event in case.expected.events)


def test_a_case_is_shrunk_to_the_smallest_that_fails_alike():
    seeded = CaseId("rows_query_streams", "mysql-8.0", seed=1, index=3)
    chooser = RecordingChooser(seeded.chooser())
    case = families()[seeded.family].build(chooser, seeded.profile, seeded)
    assert long_rows_query(case)
    shrunk = shrink(case, chooser.choices, long_rows_query, tries=1000)
    texts = [event["rows_query"] for event in shrunk.expected.events if "rows_query" in event]
    assert texts == ["aaaa"]
    assert len(shrunk.stream) < len(case.stream)
    assert case_of(CaseId.parse(str(shrunk.id))).stream == shrunk.stream


def test_shrinking_stops_when_its_tries_are_spent():
    seeded = CaseId("rows_query_streams", "mysql-8.0", seed=1, index=3)
    chooser = RecordingChooser(seeded.chooser())
    case = families()[seeded.family].build(chooser, seeded.profile, seeded)
    asked = []
    shrink(case, chooser.choices, lambda each: asked.append(each) or long_rows_query(each), tries=5)
    assert len(asked) == 5
