"""Integers of variable length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.binlog.errors import MalformedBody
from conformance.binlog.varlen import Varlen, VarlenUuid, varlen_width


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "00"),
        (1, "02"),
        (127, "fe"),
        (128, "0102"),
        (0x3FFF, "fdff"),
        (0x4000, "030002"),
        (2**56 - 1, "7fffffffffffffff"),
        (2**56, "ff0000000000000001"),
        (2**64 - 1, "ffffffffffffffffff"),
    ],
)
def test_the_number_of_ones_at_the_low_end_is_that_of_the_bytes_that_follow(value, written):
    assert Varlen().write(value, {}).hex() == written
    assert Varlen().read(bytes.fromhex(written), 0, 9, {}) == (value, len(written) // 2)
    assert varlen_width(value) == len(written) // 2


@pytest.mark.parametrize(("value", "written"), [(0, "00"), (-1, "02"), (1, "04"), (-64, "fe"), (64, "0102")])
def test_the_sign_is_in_the_lowest_bit(value, written):
    assert Varlen(signed=True).write(value, {}).hex() == written


@given(st.integers(-(2**63), 2**63 - 1))
def test_signed_integers_round_trip(value):
    written = Varlen(signed=True).write(value, {})
    assert Varlen(signed=True).read(written, 0, len(written), {}) == (value, len(written))


def test_a_uuid_is_sixteen_integers():
    # The UUID of a real tagged Gtid event, 00511e63-e518-11f1-aa9c-02fc00000001.
    written = bytes.fromhex("00 a2 3c c695 03 30 22 c503 a902 7102 04 f103 00 00 00 02".replace(" ", ""))
    value, after = VarlenUuid().read(written, 0, len(written), {})
    assert (value.hex(), after) == ("00511e63e51811f1aa9c02fc00000001", len(written))
    assert VarlenUuid().write(value, {})[:3] == bytes.fromhex("00a23c")


def test_a_uuid_byte_beyond_255_is_refused():
    with pytest.raises(MalformedBody):
        VarlenUuid().read(Varlen().write(256, {}) * 16, 0, 64, {})


def test_a_truncated_integer_is_refused():
    with pytest.raises(MalformedBody):
        Varlen().read(b"\x01", 0, 1, {})


@pytest.mark.parametrize("value", [-1, 2**64])
def test_more_than_64_bits_are_refused(value):
    with pytest.raises(ValueError, match="64 bits"):
        Varlen().write(value, {})
