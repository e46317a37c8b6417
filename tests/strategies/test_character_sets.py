"""Text in character sets other than UTF-8: whole characters, and what a reader may report for them."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies.events.character_sets import BY_COLLATION, character_sets
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.family import case_of

SETS = sorted(BY_COLLATION.values())


@pytest.mark.parametrize("character_set", SETS, ids=lambda character_set: character_set.name)
def test_the_characters_of_samples_are_at_most_as_wide_as_the_set_declares(character_set):
    encoded = [character.encode(character_set.codec) for sample in character_set.samples for character in sample]
    assert max(map(len, encoded)) <= character_set.width
    assert not any(sample.endswith(" ") for sample in character_set.samples)
    assert any(data != data.decode(character_set.codec).encode("utf-8") for data in encoded)


@given(st.sampled_from(SETS), st.integers(0, 40), st.integers(0, 500))
def test_a_value_is_whole_characters_within_its_limit(character_set, limit, key):
    value = character_set.value(SeededChooser(str(key)), limit, declared=True)
    assert len(value.wire) <= limit
    text = value.wire.decode(character_set.codec)
    assert value.shown in (text, {"base64": base64.b64encode(value.wire).decode(), "text": text})


def test_text_is_bytes_if_the_log_does_not_declare_its_character_set():
    chooser = SeededChooser("bytes")
    shown = [BY_COLLATION[8].value(chooser, 20, declared=False).shown for _ in range(40)]
    assert {"base64": base64.b64encode("é".encode("cp1252")).decode()} in shown
    assert not any(isinstance(each, dict) and "text" in each for each in shown)


def test_utf16_came_after_5_1():
    names = [{each.name for each in character_sets(profile)} for profile in ("mysql-5.1", "mysql-5.5")]
    assert names[1] - names[0] == {"utf16", "utf32"}


@pytest.mark.parametrize(("profile", "declared"), [("mysql-5.7", False), ("mysql-9.x", True), ("mariadb-11.x", False)])
def test_columns_have_text_where_the_table_map_names_the_collation(profile, declared):
    cells = [
        cell
        for index in range(60)
        for event in case_of(CaseId("every_column_type", profile, seed=2, index=index)).expected.events
        for row in event.get("rows", ())
        for image in row.values()
        for cell in (image or {}).values()
    ]
    assert any(isinstance(cell, dict) and "text" in cell for cell in cells) == declared
