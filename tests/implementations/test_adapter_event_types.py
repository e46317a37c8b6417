"""The event types of adapters that stand alone: they cannot import the kit's, so their own are held against them."""

import ast
from pathlib import Path

import pytest

from conformance.binlog.event_types import MARIADB_TYPES, ROWS_TYPES, EventType
from conformance.implementations.adapters import command_line_reader

ADAPTERS = Path(command_line_reader.__file__).parent


def constants(adapter: str) -> dict[str, object]:
    """Return the constants of an adapter that are written as literals: its library may not be installed."""
    tree = ast.parse((ADAPTERS / f"{adapter}.py").read_text(encoding="utf-8"))
    assigned = (each for each in tree.body if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name))
    literals = {}
    for each in assigned:
        try:
            literals[each.targets[0].id] = ast.literal_eval(each.value)
        except ValueError:
            continue
    return literals


@pytest.mark.parametrize(
    "types", [command_line_reader.FILTERED, constants("mysql_replication")["FILTERED"]], ids=["programs", "library"]
)
def test_rules_for_tables_are_for_table_maps_and_all_rows_events_of_mysql(types):
    assert set(types) == ROWS_TYPES - MARIADB_TYPES | {EventType.TABLE_MAP}


@pytest.mark.parametrize("adapter", ["command_line_reader", "mysql_replication"])
def test_a_constant_that_is_named_like_an_event_type_is_its_code(adapter):
    names = constants(adapter).keys() & EventType.__members__.keys()
    assert {name: constants(adapter)[name] for name in names} == {name: EventType[name] for name in names}


def test_the_programs_print_every_rows_event_of_mysql_alike():
    readers = command_line_reader.READERS
    assert {code for code, read in readers.items() if read is command_line_reader.ROWS} == ROWS_TYPES - MARIADB_TYPES
