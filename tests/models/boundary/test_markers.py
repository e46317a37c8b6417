"""The marker in the flags word, and the eight answers that it gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.binlog.flags import Flag
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES, BoundaryType, MarkerBits
from conformance.models.boundary.header_answers import header_answers

FLAGS = st.integers(0, 0xFFFF)


def test_the_bits_are_free_in_every_server():
    assert MARKER_BITS.mask == 0x1C00
    assert not any(MARKER_BITS.mask & flag for flag in Flag)


@given(FLAGS, st.integers(0, 7), st.integers(0, 13))
def test_a_written_marker_is_read_and_the_other_bits_are_unchanged(flags, value, shift):
    bits = MarkerBits(shift)
    written = bits.write(flags, value)
    assert bits.stored(written) == value
    assert written & ~bits.mask == flags & ~bits.mask
    assert written <= 0xFFFF


@pytest.mark.parametrize("each", BoundaryType)
def test_each_type_is_read_as_it_was_written(each):
    assert MARKER_BITS.read(MARKER_BITS.write(0xE3FF, each)) is each


@pytest.mark.parametrize("value", SPARE_VALUES)
def test_a_spare_value_is_read_as_not_defined(value):
    assert MARKER_BITS.read(MARKER_BITS.write(0, value)) is BoundaryType.NOT_DEFINED


@pytest.mark.parametrize("shift", [-1, 14])
def test_bits_outside_the_word_are_refused(shift):
    with pytest.raises(ValueError, match=str(shift)):
        MarkerBits(shift)


@pytest.mark.parametrize("value", [-1, 8])
def test_values_beyond_three_bits_are_refused(value):
    with pytest.raises(ValueError, match=str(value)):
        MARKER_BITS.write(0, value)


#: Type -> the answers that are yes.
ANSWERS = {
    BoundaryType.NOT_DEFINED: {"no_information"},
    BoundaryType.IGNORE_BOUNDARY: {"feature_enabled", "ignored"},
    BoundaryType.SELF_CONTAINED: {"feature_enabled", "self_contained"},
    BoundaryType.START_TRANSACTION: {"feature_enabled", "starting"},
    BoundaryType.INSIDE_TRANSACTION: {"feature_enabled", "inside", "in_the_middle"},
    BoundaryType.END_TRANSACTION: {"feature_enabled", "ending"},
}


@pytest.mark.parametrize("each", BoundaryType)
def test_the_eight_answers(each):
    answers = header_answers(MARKER_BITS.write(Flag.IGNORABLE, each))
    assert {name for name in answers.__slots__ if getattr(answers, name)} == ANSWERS[each]
    assert len(answers.__slots__) == 8
