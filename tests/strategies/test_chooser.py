"""Choosers: the questions of one grammar, answered in several ways."""

import pytest

from conformance.strategies.grammar.chooser import (
    BytesChooser,
    FittingChooser,
    RecordingChooser,
    ReplayingChooser,
    SeededChooser,
    TooManyQuestions,
)
from conformance.strategies.grammar.dimension import Dimension


def ask_questions(chooser):
    """Ask the questions that a production might ask."""
    return (
        chooser.integer(3, 9),
        chooser.yes(),
        [(number, chooser.octets(1, 2)) for number in chooser.several(1, 4)],
        chooser.one_of("abc"),
    )


def test_recorded_answers_can_be_repeated():
    recording = RecordingChooser(SeededChooser("key"))
    answers = ask_questions(recording)
    assert ask_questions(ReplayingChooser(recording.choices)) == answers
    assert ask_questions(FittingChooser(recording.choices)) == answers


def test_an_iteration_can_be_removed_with_its_question():
    recording = RecordingChooser(ReplayingChooser([5, 1, b"a", 1, b"bc", 0, 2]))
    assert ask_questions(recording) == (5, True, [(0, b"a"), (1, b"bc")], "c")
    assert recording.iterations == [(2, 4, 5, False), (3, 5, 5, False)]
    assert ask_questions(ReplayingChooser([5, 1, b"bc", 0, 2])) == (5, True, [(0, b"bc")], "c")
    assert ask_questions(ReplayingChooser([5, 1, b"a", 0, 2])) == (5, True, [(0, b"a")], "c")


def test_removing_an_iteration_of_a_full_loop_adds_a_question():
    recording = RecordingChooser(ReplayingChooser([5, 1, b"a", 1, b"b", 1, b"c", 1, b"d", 2]))
    assert ask_questions(recording) == (5, True, [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"d")], "c")
    assert recording.iterations == [(2, 4, 9, True), (4, 6, 9, True), (6, 8, 9, True), (7, 9, 9, True)]


def test_required_iterations_are_not_recorded():
    recording = RecordingChooser(BytesChooser(b""))
    ask_questions(recording)
    assert recording.iterations == []


@pytest.mark.parametrize(
    ("choices", "answers"),
    [
        ([], (3, False, [(0, b"\0")], "a")),
        ([None, 1], (3, True, [(0, b"\0")], "a")),
        ([10, 1, b"", 1, 7, 0, 2], (3, True, [(0, b"\0"), (1, b"\0")], "c")),
        ([b"x", 0, b"abc"], (3, False, [(0, b"\0")], "a")),
    ],
    ids=["none", "the simplest", "out of range", "of another kind"],
)
def test_answers_that_do_not_fit_are_the_simplest(choices, answers):
    assert ask_questions(FittingChooser(choices)) == answers


def test_no_more_questions_are_answered_than_wanted():
    fitting = FittingChooser([5, 1, b"a", 0, 2], most=4)
    with pytest.raises(TooManyQuestions):
        ask_questions(fitting)
    assert fitting.simplest == [3, 0, b"\0", 0]
    assert ask_questions(FittingChooser([5, 1, b"a", 0, 2], most=5)) == (5, True, [(0, b"a")], "c")


def test_a_class_counts_as_met_only_where_its_dimension_is_asked():
    kind = Dimension("kind", {"plain": 1, "long": 2})
    length = Dimension("length", {"1": 1, "9": 9}, when={"kind": ("long",)})
    chooser = ReplayingChooser([0, 1, 1, 0])
    assert [chooser.vary(each, "mysql-8.0") for each in (kind, kind, length)] == [1, 2, 9]
    assert chooser.met == {"kind": "plain"}  # The first of the loop, which the row has, is not long.


def test_a_loop_ends_once_in_as_many_iterations_as_asked():
    chooser = SeededChooser("loops")
    iterations = [len(list(chooser.several(0, 10_000, end_in=10))) for _ in range(500)]
    assert 8 < sum(iterations) / len(iterations) < 10
    assert list(BytesChooser(b"").several(2, 5)) == [0, 1]
