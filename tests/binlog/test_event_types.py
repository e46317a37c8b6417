"""The facts of each event type."""

import pickle
from pathlib import Path

import pytest

from conformance.binlog import event_types
from conformance.binlog.event_types import (
    COMPRESSED_ROWS,
    COMPRESSED_ROWS_V1,
    GTID_TYPES,
    KNOWN_TYPES,
    MARIADB_TYPES,
    PRE_GA_ROWS,
    ROWS_TYPES,
    ROWS_V1,
    ROWS_V2,
    UNLISTED_TYPES,
    EventType,
    Purpose,
    type_name,
    types_of,
)
from conformance.binlog.rows.images import READABLE_ROWS_TYPES, ROWS_KINDS, rows_kind


def test_a_type_is_its_code():
    assert EventType(2) is EventType.QUERY
    assert (EventType.QUERY, f"{EventType.QUERY}", EventType.QUERY.value) == (2, "2", 2)
    assert pickle.loads(pickle.dumps(EventType.QUERY)) is EventType.QUERY


@pytest.mark.parametrize(
    "facts", ["99", "99, Purpose.NOTE", "99, Purpose.NOTE, None", "99, None, Purpose.NOTE, Layout()"]
)
def test_a_type_without_its_facts_is_refused_by_name(facts):
    source = Path(event_types.__file__).read_text(encoding="utf-8")
    source = source.replace("    MARIADB_ANNOTATE_ROWS =", f"    SCRATCH = {facts}\n    MARIADB_ANNOTATE_ROWS =")
    with pytest.raises(TypeError, match=r"EventType\.SCRATCH .* SCRATCH = 99, Purpose\.NOTE, None, Layout\(\)"):
        exec(source, {"__name__": "scratch"})


def test_every_purpose_has_a_type():
    assert [purpose for purpose in Purpose if not types_of(purpose)] == []


def test_what_is_called_rows_is_a_rows_event():
    called = {each for each in EventType if "_ROWS" in each.name} - {EventType.MARIADB_ANNOTATE_ROWS}
    assert called == ROWS_TYPES
    assert {code for code in range(256) if rows_kind(code)} == READABLE_ROWS_TYPES == ROWS_TYPES - set(PRE_GA_ROWS)


@pytest.mark.parametrize("types", [PRE_GA_ROWS, ROWS_V1, ROWS_V2, COMPRESSED_ROWS_V1, COMPRESSED_ROWS])
def test_the_rows_events_of_one_kind_write_update_and_delete_in_this_order(types):
    assert [kind.upper() in type_name(code) for kind, code in zip(ROWS_KINDS, types, strict=True)] == [True] * 3


def test_the_types_of_mariadb_are_named_so():
    assert {each for each in EventType if each.name.startswith("MARIADB_")} == MARIADB_TYPES


def test_sets_of_types():
    assert {each for each in EventType if "GTID" in each.name and each not in MARIADB_TYPES} == (
        GTID_TYPES | {EventType.PREVIOUS_GTIDS}
    )
    assert {EventType.UNKNOWN, EventType.LARGE_TRANSACTION_HEADER} <= UNLISTED_TYPES
    assert set(EventType) - KNOWN_TYPES == {EventType.UNKNOWN, EventType.IGNORABLE}


def test_a_code_without_a_type_has_a_name_all_the_same():
    assert (type_name(2), type_name(200)) == ("QUERY", "TYPE_200")
