"""Packets: where a payload is cut, and how packets are numbered."""

import pytest

from conformance.wire.packets import HEAD_BYTES, PACKET_LIMIT, counted, packed, packet_head


@pytest.mark.parametrize(
    ("size", "pieces"),
    [
        (0, [0]),
        (1, [1]),
        (PACKET_LIMIT - 1, [PACKET_LIMIT - 1]),
        (PACKET_LIMIT, [PACKET_LIMIT, 0]),
        (PACKET_LIMIT + 1, [PACKET_LIMIT, 1]),
        (2 * PACKET_LIMIT, [PACKET_LIMIT, PACKET_LIMIT, 0]),
    ],
)
def test_a_payload_of_16_mib_is_cut_and_a_full_last_packet_is_followed_by_an_empty_one(size, pieces):
    packets = list(packed(bytes(size), 7))
    assert [packet_head(each[:HEAD_BYTES]) for each in packets] == [(piece, 7 + at) for at, piece in enumerate(pieces)]
    assert [len(each) - HEAD_BYTES for each in packets] == pieces


def test_numbers_begin_again_after_255():
    assert [packet_head(each[:4])[1] for each in packed(bytes(PACKET_LIMIT), 255)] == [255, 0]


@pytest.mark.parametrize(("size", "head"), [(250, "fa"), (251, "fcfb00"), (65535, "fcffff"), (65536, "fd000001")])
def test_a_text_has_its_length_before_it(size, head):
    assert counted(bytes(size))[: len(head) // 2].hex() == head
