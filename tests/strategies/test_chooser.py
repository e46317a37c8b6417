"""Choosers: one grammar's questions, answered in several ways."""

import pytest

from conformance.strategies.grammar.chooser import (
    BytesChooser,
    FittingChooser,
    RecordingChooser,
    ReplayingChooser,
    SeededChooser,
)


def asked(chooser):
    """Ask what a production might ask."""
    return (
        chooser.integer(3, 9),
        chooser.yes(),
        [(turn, chooser.octets(1, 2)) for turn in chooser.several(1, 4)],
        chooser.one_of("abc"),
    )


def test_what_was_recorded_can_be_given_again():
    recording = RecordingChooser(SeededChooser("key"))
    answers = asked(recording)
    assert asked(ReplayingChooser(recording.choices)) == answers
    assert asked(FittingChooser(recording.choices)) == answers


def test_a_turn_can_be_taken_out_with_its_question():
    recording = RecordingChooser(ReplayingChooser([5, 1, b"a", 1, b"bc", 0, 2]))
    assert asked(recording) == (5, True, [(0, b"a"), (1, b"bc")], "c")
    assert recording.turns == [(2, 4, 5, False), (3, 5, 5, False)]
    assert asked(ReplayingChooser([5, 1, b"bc", 0, 2])) == (5, True, [(0, b"bc")], "c")
    assert asked(ReplayingChooser([5, 1, b"a", 0, 2])) == (5, True, [(0, b"a")], "c")


def test_where_there_could_be_no_more_turns_a_question_comes_in():
    recording = RecordingChooser(ReplayingChooser([5, 1, b"a", 1, b"b", 1, b"c", 1, b"d", 2]))
    assert asked(recording) == (5, True, [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"d")], "c")
    assert recording.turns == [(2, 4, 9, True), (4, 6, 9, True), (6, 8, 9, True), (7, 9, 9, True)]


def test_turns_that_have_to_be_there_are_not_recorded():
    recording = RecordingChooser(BytesChooser(b""))
    asked(recording)
    assert recording.turns == []


@pytest.mark.parametrize(
    ("choices", "answers"),
    [
        ([], (3, False, [(0, b"\0")], "a")),
        ([None, 1], (3, True, [(0, b"\0")], "a")),
        ([10, 1, b"", 1, 7, 0, 2], (3, True, [(0, b"\0"), (1, b"\0")], "c")),
        ([b"x", 0, b"abc"], (3, False, [(0, b"\0")], "a")),
    ],
    ids=["none at all", "the simplest", "out of range", "of another kind"],
)
def test_answers_that_do_not_fit_are_the_simplest(choices, answers):
    assert asked(FittingChooser(choices)) == answers


def test_a_loop_ends_once_in_so_many_turns():
    chooser = SeededChooser("loops")
    turns = [len(list(chooser.several(0, 10_000, end_in=10))) for _ in range(500)]
    assert 8 < sum(turns) / len(turns) < 10
    assert list(BytesChooser(b"").several(2, 5)) == [0, 1]
