"""Total tables: what is forgotten fails when the table is made."""

from enum import Enum, auto

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.total_table import IncompleteTable, check_complete, total


class Metal(Enum):
    IRON = auto()
    GOLD = auto()
    LEAD = auto()


def test_a_table_has_its_entries_and_then_those_of_the_rest():
    table = total("metals", Metal, {Metal.GOLD: 19.3}, entry="its density", rest={(Metal.LEAD, Metal.IRON): 0.0})
    assert list(table.items()) == [(Metal.GOLD, 19.3), (Metal.LEAD, 0.0), (Metal.IRON, 0.0)]


def test_a_key_that_is_forgotten_is_named_with_the_table_and_what_to_write():
    with pytest.raises(IncompleteTable) as raised:
        total("metals.DENSITIES", Metal, {Metal.GOLD: 19.3}, entry="its density", rest={(Metal.IRON,): 7.9})
    assert str(raised.value) == (
        "metals.DENSITIES has no entry for Metal.LEAD: write its density, or name it in the table's rest"
    )


def test_a_table_without_a_rest_names_none():
    with pytest.raises(IncompleteTable, match=r"no entry for Metal.IRON, Metal.LEAD: write its density$"):
        total("metals.DENSITIES", Metal, {Metal.GOLD: 19.3}, entry="its density")


def test_an_entry_of_its_own_comes_before_the_rest():
    table = total("metals", Metal, {Metal.GOLD: 19.3}, entry="its density", rest={frozenset(Metal): 1.0})
    assert table == {Metal.IRON: 1.0, Metal.GOLD: 19.3, Metal.LEAD: 1.0}


def test_a_key_in_two_sets_of_the_rest_is_refused():
    rest = {(Metal.IRON, Metal.LEAD): 1.0, (Metal.LEAD, Metal.GOLD): 2.0}
    with pytest.raises(IncompleteTable, match=r"Metal\.LEAD in two sets of its rest"):
        total("metals", Metal, {}, entry="its density", rest=rest)
    assert total("metals", Metal, {Metal.LEAD: 11.3}, entry="its density", rest=rest)[Metal.LEAD] == 11.3


def test_keys_of_two_parts_are_named_by_both():
    with pytest.raises(IncompleteTable, match=r"no entry for \(Metal\.IRON, 1\)"):
        check_complete("metals", [(Metal.IRON, 1), (Metal.GOLD, 1)], {(Metal.GOLD, 1)}, entry="its density")


def test_a_code_without_a_type_is_not_in_any_table():
    unknown = layout_of(255, 0).read(b"ab", 0, 2, post_header_length=0)
    assert unknown == {"body": b"ab"}
    assert 255 not in set(EventType)
