"""What is left to servers that log: the order and division of rows events, and the order of DROP TABLE statements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, QUERY_TYPES, ROWS_TYPES, EventType
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.oracles.checks.logged_event_comparisons import is_of_temporary_tables, tables_of
from conformance.protocol.observation import Observation
from conformance.protocol.roles.log import words_of
from conformance.strategies.grammar.case import Case

Entry = Mapping[str, Any]

#: The word in a statement as which the end of a session is expected to be logged.
_OF_END: Final = "/*!40005 TEMPORARY */"


def in_expected_order(case: Case, answer: Observation) -> Observation:
    """Return the answer of a server with its events in the expected order and division, where these are left to it."""
    if case.role != "log":
        return answer
    events = list(answer.events)
    _order_changes(case.expected.events, events)
    for drops in _drops_together(case):
        _order_drops(drops, events)
    return replace(answer, events=tuple(events))


def _order_changes(expected: Sequence[Entry], events: list[Entry]) -> None:
    """Give the Table_map and rows events of each statement whose rows are as expected the expected order and division.

    What is put in their place has the same rows of the same tables, so nothing that is wrong is put right.
    """
    of_expected, of_answer = (list(_statements(each)) for each in (expected, events))
    wanted_contents, seen_contents = ([*map(_content, statements)] for statements in (of_expected, of_answer))
    blocks = SequenceMatcher(None, wanted_contents, seen_contents, autojunk=False).get_matching_blocks()
    for block in reversed(blocks):
        for step in reversed(range(block.size)):
            wanted, seen = of_expected[block.a + step], of_answer[block.b + step]
            if _is_readable(seen.events):
                events[seen.places.start : seen.places.stop] = _as_expected(wanted.events, seen.events)


@dataclass(frozen=True, slots=True)
class _Statement:
    """The Table_map and rows events of one statement, and their places in a log."""

    places: range
    events: Sequence[Entry]


def _statements(events: Sequence[Entry]) -> Iterator[_Statement]:
    start = 0
    for place, entry in enumerate(events):
        is_rows = entry["type"] in ROWS_TYPES
        if not is_rows and not _is_map(entry):
            start = place + 1
        elif is_rows and _is_end(entry):
            yield _Statement(range(start, place + 1), events[start : place + 1])
            start = place + 1


def _content(statement: _Statement) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the tables and the rows of a statement, in whatever order and events they are."""
    tables = sorted(_table(each) for each in statement.events if _is_map(each))
    rows = ((each, row) for each in statement.events for row in each.get("rows") or ())
    return tuple(tables), tuple(sorted(f"{each['type']} {_table(each)} {row!r}" for each, row in rows))


def _as_expected(wanted: Sequence[Entry], seen: Sequence[Entry]) -> list[Entry]:
    """Return the events of a statement in the order and the division of the expected ones with the same contents.

    If the rows of a table are expected in several places, those that it has are joined, in the order of the tables.
    """
    order = [_table(each) for each in wanted if _is_map(each)]
    maps = sorted((each for each in seen if _is_map(each)), key=lambda each: order.index(_table(each)))
    of_wanted = [each for each in wanted if not _is_map(each)]
    places = {_kind(each): place for place, each in reversed(list(enumerate(of_wanted)))}
    of_seen = [each for each in seen if not _is_map(each)]
    ends = of_seen[-1].get("rows_flags", 0) if of_seen else 0
    # An event without rows may be of a kind that is not expected.
    of_tables = sorted(_joined(of_seen), key=lambda each: places.get(_kind(each), len(places)))
    divisions = _divisions(of_tables, of_wanted)
    made = of_tables
    if divisions is not None:
        pairs = zip(of_tables, divisions, strict=True)
        made = [each for whole, parts in pairs for each in _divided(whole, parts)]
    return [*maps, *(_unended(each) for each in made[:-1]), *({**each, "rows_flags": ends} for each in made[-1:])]


def _kind(entry: Entry) -> tuple[str, tuple[str, str]]:
    """Return what changes rows of which table."""
    return str(entry["type"]), _table(entry)


def _unended(entry: Entry) -> Entry:
    """Return a rows event without the end of the statement."""
    return {**entry, "rows_flags": (entry.get("rows_flags") or 0) & ~STATEMENT_END}


def _divisions(of_tables: Sequence[Entry], expected: Sequence[Entry]) -> list[list[Entry]] | None:
    """Return the expected rows events that have the rows of each table; None if one has its rows in several places."""
    divisions = [list(parts) for _, parts in groupby(expected, _kind)]
    rows = [[row for part in parts for row in part["rows"]] for parts in divisions]
    if [_rows_of(each, each.get("rows") or ()) for each in of_tables] != [
        _rows_of(parts[0], each) for parts, each in zip(divisions, rows, strict=True)
    ]:
        return None
    return divisions


def _rows_of(entry: Entry, rows: Iterable[object]) -> tuple[tuple[str, str], list[str]]:
    return _table(entry), sorted(map(repr, rows))


def _divided(whole: Entry, parts: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the rows events of a table with the rows of some parts."""
    yield from ({**whole, "rows": part["rows"]} for part in parts)


def _joined(events: Iterable[Entry]) -> list[Entry]:
    """Return rows events in which all rows of a table that are changed in one way are in one event."""
    joined: dict[object, Entry] = {}
    for entry in events:
        before = joined.get(_kind(entry))
        rows = [*(before.get("rows") or ()), *(entry.get("rows") or ())] if before else entry.get("rows")
        joined[_kind(entry)] = {**(before or entry), "rows": rows}
    return list(joined.values())


def _is_readable(events: Sequence[Entry]) -> bool:
    """Return whether the tables have ids of their own, their rows are after them, and the last rows alone end it."""
    mapped, rows = set(), [each for each in events if not _is_map(each)]
    for entry in events:
        number = entry.get("table_id")
        if _is_map(entry) is (number in mapped):
            return False
        mapped.add(number)
    return not any(map(_is_end, rows[:-1]))


def _is_end(entry: Entry) -> bool:
    return bool((entry.get("rows_flags") or 0) & STATEMENT_END)


def _is_map(entry: Entry) -> bool:
    return bool(entry["type"] == EventType.TABLE_MAP)


def _table(entry: Entry) -> tuple[str, str]:
    return str(entry.get("database")), str(entry.get("table"))


def _drops_together(case: Case) -> Iterator[list[Entry]]:
    """Yield the expected statements as which one DROP TABLE, DROP DATABASE, or end of a session is logged."""
    events = case.expected.events
    runs = [[events[place] for place in places] for places in _runs_of_drops(events) if len(places) > 1]
    yield from ([each for each in run if _OF_END in each["query"]] for run in runs)
    for statement in case.settings["scenario"]["statements"]:
        if statement["kind"] in ("drop_table", "drop_database"):
            yield from ([each for each in run if _is_of(each, statement)] for run in runs)


def _is_of(drop: Entry, statement: Mapping[str, Any]) -> bool:
    """Return whether all tables of a DROP TABLE are among those that a statement of the scenario drops."""
    if statement["kind"] == "drop_table":
        return tables_of(drop) <= frozenset(statement["tables"])
    return all(each.partition(".")[0] == statement["database"] for each in tables_of(drop))


def _order_drops(marked: Sequence[Entry], events: list[Entry]) -> None:
    """Put the statements that drop the same tables as the marked ones in their order; temporary tables stay first."""
    wanted = [_dropped(each) for each in marked if _is_drop(each)]
    if not wanted:
        return
    for run in _runs_of_drops(events):
        # A statement of the session may come right before those at its end.
        windows = (run[start : start + len(wanted)] for start in range(len(run) - len(wanted) + 1))
        for places in windows:
            seen = [_dropped(events[place]) for place in places]
            if sorted(seen) == sorted(wanted) and [each[0] for each in seen] == [each[0] for each in wanted]:
                in_order = sorted((events[place] for place in places), key=lambda each: wanted.index(_dropped(each)))
                for place, entry in zip(places, in_order, strict=True):
                    events[place] = entry
                break


def _runs_of_drops(events: Sequence[Entry]) -> Iterator[list[int]]:
    """Yield the places of the DROP TABLE statements that follow each other, with no more than Gtid events between."""
    run: list[int] = []
    for place, entry in enumerate(events):
        if _is_drop(entry):
            run.append(place)
        elif entry["type"] not in GTID_TYPES:
            yield run
            run = []
    yield run


def _is_drop(entry: Entry) -> bool:
    return entry["type"] in QUERY_TYPES and words_of(str(entry.get("query", ""))) == "DROP TABLE"


def _dropped(entry: Entry) -> tuple[bool, list[str]]:
    """Return whether a statement drops temporary tables alone, and its tables."""
    return is_of_temporary_tables(entry), sorted(tables_of(entry))
