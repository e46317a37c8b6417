"""The set of used GTIDs against Python's own sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_log import UUID, gtid_set

from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.gtid_set import GtidSet, Interval, Source

NAME = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
NUMBERS = st.lists(st.integers(1, 40), max_size=60)


def numbers_of(gtids: GtidSet) -> set[int]:
    return {number for source in gtids.sources for each in source.intervals for number in range(each.start, each.end)}


def as_set(numbers: set[int]) -> GtidSet:
    intervals = tuple(Interval(number, number + 1) for number in sorted(numbers))
    return GtidSet((Source(UUID, intervals),)) if intervals else GtidSet()


@given(NUMBERS, NUMBERS)
def test_it_holds_what_was_added_and_nothing_else(added, known):
    executed = ExecutedGtids()
    seen = set()
    for number in added:
        assert executed.add(UUID, "", number) == (number not in seen)
        seen.add(number)
    assert numbers_of(executed.missing_in(GtidSet())) == seen
    assert numbers_of(executed.missing_in(as_set(set(known)))) == seen - set(known)


@given(NUMBERS)
def test_the_next_number_of_a_source_is_the_lowest_free_one(added):
    executed = ExecutedGtids(as_set(set(added)))
    executed.add(UUID, "tag", 1)
    assert executed.next_of(UUID) == min(set(range(1, 42)) - set(added))


def test_numbers_in_a_row_take_the_place_of_one_interval():
    executed = ExecutedGtids()
    for number in [*range(1, 1000, 2), *range(2, 1000, 2)]:
        executed.add(UUID, "", number)
    (source,) = executed.missing_in(GtidSet()).sources
    assert source.intervals == (Interval(1, 1000),)


def test_tags_are_sources_of_their_own():
    executed = ExecutedGtids()
    executed.add_set(gtid_set((1, 3)))
    assert executed.add(UUID, "tag", 1)
    assert not executed.add(UUID, "", 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{NAME}:1",
        f"{NAME}:1-4:6-9,00000000-0000-0000-0000-000000000001:7",
        f"{NAME}:1-4:my_tag:5:9:tag:1-4",
    ],
)
def test_a_set_is_read_from_the_text_that_servers_print(text):
    assert str(GtidSet.from_text(text)) == text
    assert str(GtidSet.from_text(text.upper().replace(",", ",\n"))) == text


@pytest.mark.parametrize("part", ["-2", "1:-2", "tag:-2", "1a", "9tag:1", "ta-g:1", f"{'x' * 33}:1", ""])
def test_a_part_that_is_neither_a_number_nor_a_tag_is_refused(part):
    with pytest.raises(ValueError, match=r"number|invalid literal"):
        GtidSet.from_text(f"3e11fa47-71ca-11e1-9e33-c80aa9429562:{part}")
