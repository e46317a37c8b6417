"""The differences that are left to servers that write logs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from conformance.binlog.event_types import QUERY_TYPES, ROWS_TYPES, EventType
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.logged_event_comparisons import (
    differing_flags,
    equal_lists,
    equal_statements,
    equal_texts,
    lacks_condition,
    tables_of,
)
from conformance.oracles.differences import Difference
from conformance.protocol.roles.log import END, kind_of, words_of
from conformance.specs.catalogue import ENTRY
from conformance.specs.versions import Profiles

Entry = Mapping[str, Any]

#: Marks the statements that a DROP DATABASE which fails half way leaves, where they are several.
_SPLIT_DROP: Final = "WL7592-LOG-DROPDB-SPLIT"
#: The servers that write checkpoints.
_WITH_CHECKPOINTS: Final = Profiles("mariadb")
#: The events of their logs that are not within a group: its first one, and those about the log.
_BETWEEN_GROUPS: Final = frozenset(
    {
        EventType.MARIADB_GTID,
        EventType.MARIADB_BINLOG_CHECKPOINT,
        EventType.MARIADB_GTID_LIST,
        EventType.MARIADB_START_ENCRYPTION,
        EventType.FORMAT_DESCRIPTION,
        EventType.ROTATE,
        EventType.STOP,
    }
)
#: The fields in which an Xid event and a Query event that ends a transaction differ.
_OF_END: Final = ("type", "query", "database", "error_code", "tables_info", "length")


def _pair(alignment: Alignment, index: int) -> tuple[Entry, Entry] | None:
    """Return the expected entry and the observed one, None where there are not both."""
    if index >= alignment.count:
        return None
    seen = alignment.observed(index)
    return None if seen is None else (alignment.case.expected.events[index], seen)


def is_own_wording(alignment: Alignment, difference: Difference) -> bool:
    """Return whether two statements mean the same: the creation of what a DROP without IF EXISTS names was logged."""
    pair = _pair(alignment, difference.index)
    if pair is None or difference.field != "query" or pair[1]["type"] not in QUERY_TYPES:
        return False
    if equal_statements(*pair):
        return False
    if not lacks_condition(*pair):
        return True
    drops = words_of(pair[0]["query"]) == "DROP TABLE"
    return drops and tables_of(pair[0]) <= _created(alignment, difference.index)


def _created(alignment: Alignment, index: int) -> frozenset[str]:
    """Return the tables whose creation is logged before an event."""
    before = (each for each in alignment.case.expected.events[:index] if "query" in each)
    return frozenset().union(*(tables_of(each) for each in before if each["query"].lower().startswith("create ")))


def is_bare_text(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the text of a Rows_query event under the worklog lacks "# " and nothing else."""
    pair = _pair(alignment, difference.index)
    if pair is None or difference.field != "rows_query" or alignment.case.id.profile != "worklog":
        return False
    return not equal_texts(*pair)


def is_end_by_engine(alignment: Alignment, difference: Difference) -> bool:
    """Return whether one is an Xid event and the other a COMMIT."""
    pair = _pair(alignment, difference.index)
    if pair is None or difference.field not in _OF_END or pair[0]["type"] == pair[1]["type"]:
        return False
    return all(kind_of(each) == END for each in pair)


def is_same_list(alignment: Alignment, difference: Difference) -> bool:
    """Return whether two lists name the same tables."""
    pair = _pair(alignment, difference.index)
    if pair is None or difference.field != "tables_info" or pair[0]["tables_info"] is None:
        return False
    return not equal_lists(*pair)


def has_free_flags(alignment: Alignment, difference: Difference) -> bool:
    """Return whether two flags words differ in flags on which the worklogs are silent."""
    pair = _pair(alignment, difference.index)
    if pair is None or difference.field != "flags":
        return False
    return not differing_flags(*pair)


def is_rows_flag(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the flags of two rows events agree on the end of the statement."""
    pair = _pair(alignment, difference.index)
    if pair is None or difference.field != "rows_flags" or not isinstance(pair[1].get("rows_flags"), int):
        return False
    return not (pair[0]["rows_flags"] ^ pair[1]["rows_flags"]) & STATEMENT_END


def is_rows_order(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the rows are the same in another order."""
    pair = _pair(alignment, difference.index)
    return pair is not None and difference.field == "rows" and _is_rows_order(pair)


def _is_rows_order(pair: tuple[Entry, Entry]) -> bool:
    wanted, seen = (sorted(map(repr, each.get("rows") or ())) for each in pair)
    return wanted == seen


def has_free_rows(alignment: Alignment, index: int) -> bool:
    """Return whether an expected rows event was observed with other rows, but those of its statement in all."""
    pair = _pair(alignment, index)
    if pair is None or "rows" not in pair[0] or pair[0]["rows"] == pair[1].get("rows"):
        return False
    return _is_rows_order(pair) or _is_order_of_tables(alignment, index)


def is_order_of_tables(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the rows events of one statement that changes several tables are the same in another order."""
    if difference.index >= alignment.count or difference.field != "rows":
        return False
    return _is_order_of_tables(alignment, difference.index)


def _is_order_of_tables(alignment: Alignment, index: int) -> bool:
    events = alignment.case.expected.events
    places = _statement(events, index)
    tables = events[max(places.start - 2, 0) : places.start]
    if [each["type"] for each in tables] != [EventType.TABLE_MAP] * 2:
        return False
    return _contents(events[place] for place in places) == _contents(
        alignment.observed(place) or {} for place in places
    )


def is_order_of_dropped(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the statements of one failed DROP DATABASE drop the same tables, each once, in another order."""
    if difference.field != "query" or difference.index not in alignment.marked(_SPLIT_DROP):
        return False
    events = alignment.case.expected.events
    drops = [index for index in alignment.marked(_SPLIT_DROP) if events[index]["type"] in QUERY_TYPES]
    wanted = _dropped(events[index] for index in drops)
    return wanted == _dropped(alignment.observed(index) or {} for index in drops)


def _dropped(statements: Iterable[Entry]) -> list[str]:
    """Return the tables that statements name, a table again for each statement that names it."""
    return sorted(table for each in statements for table in tables_of(each))


def _statement(events: Sequence[Entry], index: int) -> range:
    """Return the indices of the rows events that follow each other around one of them."""
    start, end = index, index + 1
    while start and "rows" in events[start - 1]:
        start -= 1
    while end < len(events) and "rows" in events[end]:
        end += 1
    return range(start, end)


def _contents(events: Iterable[Entry]) -> list[tuple[object, list[str]]]:
    """Return the types and the rows of rows events, both in an order of their own."""
    return sorted((each.get("type", 0), sorted(map(repr, each.get("rows") or ()))) for each in events)


def other_division(alignment: Alignment, index: int, *, any_ends: bool = False) -> range | None:
    """Return the places of the rows events of a statement in the answer, if it divides the rows in another way.

    That is so if the events that follow the statement's one Table_map have the rows of the expected ones, all in all,
    and the last of them alone has the end of the statement.

    Args:
        alignment: The answer beside the expected one.
        index: Index of an expected rows event; other events are never divided.
        any_ends: Whether others may have it too: the rows after them lack a Table_map, which is another fault.
    """
    expected, events = alignment.case.expected.events, alignment.observation.events
    if index >= alignment.count or "rows" not in expected[index]:
        return None
    places = _statement(expected, index)
    maps = [each["type"] == EventType.TABLE_MAP for each in expected[max(places.start - 2, 0) : places.start]]
    seen = [entry for place in places if (entry := alignment.observed(place)) is not None]
    if maps != [False, True] or not seen:
        return None
    block = _statement(events, next(place for place, each in enumerate(events) if each is seen[0]))
    wanted, given = ([expected[place] for place in places], [events[place] for place in block])
    if any_ends and _is_cut_off(alignment, wanted, block):
        return block
    if any("rows" not in each for each in given) or _changes(wanted) != _changes(given):
        return None
    if [each["rows"] for each in wanted] == [each["rows"] for each in given]:
        return None
    ends = [bool((each.get("rows_flags") or 0) & STATEMENT_END) for each in given]
    return block if ends[-1] and (any_ends or not any(ends[:-1])) else None


def _is_cut_off(alignment: Alignment, wanted: Sequence[Entry], block: range) -> bool:
    """Return whether rows events are the first of a statement, which one of them ends too soon.

    The rows after that have no Table_map, so that they cannot be read.
    """
    events = alignment.observation.events
    if block.stop >= len(events) or events[block.stop]["type"] not in ROWS_TYPES:
        return False
    rows = [row for each in wanted for row in each["rows"] or ()]
    readable = [row for place in block for row in events[place].get("rows") or ()]
    return bool(readable) and rows[: len(readable)] == readable


def _changes(events: Iterable[Entry]) -> list[tuple[object, str]]:
    """Return the rows of rows events with their types, in an order of their own."""
    return sorted((str(each["type"]), repr(row)) for each in events for row in each["rows"] or ())


def is_division_of_rows(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is in a statement whose rows are the same, but divided among rows events in another way."""
    if difference.place is None:
        of_division = difference.field in ("rows", "rows_flags", ENTRY)
        return of_division and other_division(alignment, difference.index) is not None
    if difference.field != ENTRY:
        return False
    indices = (index for index, each in enumerate(alignment.case.expected.events) if "rows" in each)
    blocks = (other_division(alignment, index) for index in indices)
    return any(block is not None and difference.place in block for block in blocks)


def is_checkpoint(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is a checkpoint of MariaDB that is not expected, between groups."""
    if difference.field != ENTRY or difference.place is None or alignment.case.id.profile not in _WITH_CHECKPOINTS:
        return False
    this, *after = (entry["type"] for entry in alignment.observation.events[difference.place :])
    return this == EventType.MARIADB_BINLOG_CHECKPOINT and (not after or after[0] in _BETWEEN_GROUPS)
