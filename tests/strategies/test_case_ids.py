"""Case ids: the same id gives the same bytes everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import RecordingChooser, ReplayingChooser, SeededChooser
from conformance.strategies.grammar.family import case_of, families

CHOICES = st.lists(st.integers(-(2**70), 2**70) | st.binary(max_size=40), max_size=20)


@given(CHOICES)
def test_recorded_choices_survive_the_text_of_an_id(choices):
    case_id = CaseId("transactions", "mysql-8.0", choices=tuple(choices))
    assert CaseId.parse(str(case_id)) == case_id


def test_a_seeded_id_is_readable():
    assert str(CaseId.parse("transactions/mysql-8.0/7/12")) == "transactions/mysql-8.0/7/12"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "transactions",
        "a/b/c",
        "a/b/1/x",
        "a/b/-1/1",
        "a/b/1/-1",
        "a/b/1/01",
        "a/b/1_0/1",
        "a/b/choices-%%%",
        "a/b/choices-_w",
    ],
)
def test_a_text_that_is_not_an_id_is_refused_and_quoted(text):
    with pytest.raises(ValueError, match="is not a case id"):
        CaseId.parse(text)


def test_an_unknown_family_is_refused_by_name():
    with pytest.raises(ValueError, match="no family 'nonsense'"):
        case_of(CaseId("nonsense", "mysql-8.0", seed=1, index=0))


ROLES_AND_FAMILIES = [(role, name) for name, family in sorted(families().items()) for role in family.focus]


@pytest.mark.parametrize(("role", "name"), ROLES_AND_FAMILIES)
def test_a_recorded_case_is_made_again_from_its_choices(role, name):
    family = families()[name]
    for index in range(5):
        seeded = CaseId(name, family.profiles_of(role).names[-1], seed=5, index=index, role=role)
        chooser = RecordingChooser(seeded.chooser())
        case = family.build(chooser, seeded.profile, seeded)
        again = case_of(CaseId(name, seeded.profile, choices=tuple(chooser.choices), role=role))
        assert again.stream == case.stream
        assert again.settings == case.settings
        assert again.expected == case.expected


def test_a_replayed_choice_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="the grammar asks for 0 to 3"):
        ReplayingChooser([9]).integer(0, 3)


def test_too_few_recorded_choices_are_refused():
    with pytest.raises(ValueError, match="more than the 0 recorded choices"):
        ReplayingChooser([]).integer(0, 3)


@given(st.integers(-(2**64), 2**64), st.integers(0, 2**64), st.integers(0, 1000))
def test_a_seeded_answer_is_in_its_range(low, span, key):
    answers = {SeededChooser(f"{key}/{number}").integer(low, low + span) for number in range(3)}
    assert all(low <= answer <= low + span for answer in answers)


def test_a_seeded_chooser_reaches_the_edges_of_a_wide_range():
    chooser = SeededChooser("edges")
    answers = {chooser.integer(0, 2**32) for _ in range(400)}
    assert {0, 1, 2**32 - 1, 2**32} <= answers
