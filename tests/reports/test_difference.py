"""The differences between two answers."""

from conformance.reports.difference import TextDifference, differences, summary, text_difference
from conformance.specs.run_record import Answer


def answer(*events: dict) -> Answer:
    return Answer(events, None)


def states(expected: Answer, observed: Answer, **options: object) -> list:
    return [(each.offset, each.state) for each in differences(expected, observed, **options)]


def test_equal_answers_agree():
    one = answer({"offset": 4, "type": 15}, {"offset": 120, "type": 29})
    assert states(one, one) == [(4, "same"), (120, "same")]


def test_a_field_that_differs_is_named_with_both_values():
    (event,) = differences(answer({"offset": 4, "xid": 7}), answer({"offset": 4, "xid": 8}))
    (field,) = (field for field in event.fields if field.state == "different")
    assert (field.name, field.expected, field.observed) == ("xid", 7, 8)
    assert event.names("same") == ("offset",)


def test_true_is_not_one():
    assert states(answer({"offset": 4, "xid": 1}), answer({"offset": 4, "xid": True})) == [(4, "different")]


def test_events_are_aligned_by_offset_so_that_one_lost_event_shifts_none():
    expected = answer({"offset": 4}, {"offset": 50}, {"offset": 90})
    assert states(expected, answer({"offset": 4}, {"offset": 90})) == [(4, "same"), (50, "missing"), (90, "same")]


def test_an_event_that_is_reported_twice_is_not_expected_the_second_time():
    one, twice = answer({"offset": 4}), answer({"offset": 4}, {"offset": 4})
    assert states(one, twice) == [(4, "same"), (4, "unexpected")]


def test_an_event_without_a_usable_offset_comes_last():
    events = answer({"type": 2}, {"offset": "4"}, {"offset": True}, {"offset": 4})
    assert states(answer({"offset": 4}), events) == [(4, "same"), *[(None, "unexpected")] * 3]


def test_a_field_that_is_expected_to_be_absent_agrees_if_it_is():
    expected = answer({"type": 2, "tables_info": None})
    assert states(expected, answer({"type": 2})) == [(None, "same")]
    assert states(expected, answer({"type": 2, "tables_info": ""})) == [(None, "different")]


def test_an_undeclared_field_is_not_a_difference():
    expected, observed = answer({"offset": 4, "gtid": "x", "xid": 1}), answer({"offset": 4})
    (event,) = differences(expected, observed, declared=["xid"])
    assert event.names("undeclared") == ("gtid",)
    assert event.names("missing") == ("xid",)
    assert event.state == "different"


def test_texts_are_split_where_they_differ():
    assert text_difference("values(1,2)", "values(") == TextDifference("values(", "1,2)", "", "")
    assert text_difference("abcXdef", "abcYYdef") == TextDifference("abc", "X", "YY", "def")
    assert text_difference("aa", "aaa") == TextDifference("aa", "", "a", "")
    assert text_difference("", "") == TextDifference("", "", "", "")


def test_the_summary_counts():
    expected = answer({"offset": 4}, {"offset": 50, "xid": 1}, {"offset": 90})
    events = differences(expected, answer({"offset": 4}, {"offset": 50, "xid": 2}))
    assert summary(events) == "1 differs, 1 is missing, 1 agrees"
    assert summary([]) == "no events"


def test_answers_without_offsets_are_aligned_by_their_types_in_order():
    expected = answer({"type": 33}, {"type": 2, "query": "BEGIN"}, {"type": 16})
    observed = answer({"offset": 4, "type": 33}, {"offset": 90, "type": 16}, {"offset": 120, "type": 4})
    aligned = [(each.type, each.state) for each in differences(expected, observed)]
    assert aligned == [(33, "same"), (2, "missing"), (16, "same"), (4, "unexpected")]
