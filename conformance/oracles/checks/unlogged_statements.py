"""The statements of a scenario of which nothing is logged, and the events that a server logs for them all the same."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.event_types import QUERY_TYPES, EventType
from conformance.binlog.rows.images import rows_kind
from conformance.models.server.execution import log_of
from conformance.models.server.scenario import Scenario
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import (
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    Delete,
    Insert,
    InsertSelect,
    Statement,
    Update,
    UpdateTables,
)
from conformance.models.server.tables import TableName
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.logged_event_comparisons import tables_of
from conformance.protocol.roles.log import words_of
from conformance.strategies.marks.logged_statements import refusal_rule

Entry = Mapping[str, Any]
#: Returns the statements of a case's scenario of which nothing may be logged.
Unlogged = Callable[[Alignment], Sequence[Statement]]

_CREATIONS: Final = (CreateTable, CreateTableLike, CreateTableSelect)
_COMMENT: Final = re.compile(r"/\*.*?\*/|(?:-- |#)[^\n]*\n", re.DOTALL)
_IF_ABSENT: Final = re.compile(r"\bif\s+not\s+exists\b", re.IGNORECASE)
#: Kind of statement -> what it does to rows.
_ROWS: Final[Mapping[type[Statement], str]] = {
    Insert: "write",
    InsertSelect: "write",
    Update: "update",
    UpdateTables: "update",
    Delete: "delete",
}


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _refused(alignment: Alignment) -> tuple[tuple[str, Statement], ...]:
    """Return the statements that are refused, each with the requirement that nothing of it is logged."""
    scenario = _scenario(alignment)
    pairs = zip(scenario.statements, log_of(scenario).outcomes, strict=True)
    return tuple(
        (refusal_rule(scenario.settings, outcome.error), statement)
        for statement, outcome in pairs
        if outcome.error is not None
    )


def refused_statements(alignment: Alignment) -> Sequence[Statement]:
    """Return the statements that are refused."""
    return [statement for _, statement in _refused(alignment)]


def refused_by(requirement: str) -> Unlogged:
    """Return what finds the refused statements of which a requirement has nothing logged."""
    return lambda alignment: [statement for rule, statement in _refused(alignment) if rule == requirement]


def temporary_creations(alignment: Alignment) -> Sequence[Statement]:
    """Return the statements that create temporary tables, which are not logged in row format."""
    return [each for each in _scenario(alignment).statements if isinstance(each, _CREATIONS) and each.temporary]


def _scenario(alignment: Alignment) -> Scenario:
    return Scenario.from_json(alignment.case.settings["scenario"])


def is_of_any(statements: Sequence[Statement], events: Sequence[Entry], place: int) -> bool:
    """Return whether a logged event is what a server would log for one of some statements.

    Args:
        statements: The statements.
        events: The logged events.
        place: Index of the event.
    """
    entry = events[place]
    if entry["type"] in QUERY_TYPES:
        return any(_is_query_of(each, entry) for each in statements)
    return any(_has_rows_of(each, events, place) for each in statements)


def _is_query_of(statement: Statement, entry: Entry) -> bool:
    issued, logged = sql_of(statement) or "", str(entry.get("query", ""))
    if words_of(issued) != words_of(logged):
        return False
    if words_of(issued) in ("CREATE TABLE", "DROP TABLE"):
        # A server may log these in words of its own, but a creation with its condition, if it has one.
        is_condition_kept = words_of(issued) == "DROP TABLE" or _is_conditional(issued) == _is_conditional(logged)
        return is_condition_kept and not tables_of({"query": issued}).isdisjoint(tables_of(entry))
    return _plain(issued) == _plain(logged)


def _is_conditional(text: str) -> bool:
    return _IF_ABSENT.search(text) is not None


def _plain(text: str) -> str:
    return " ".join(_COMMENT.sub(" ", text).casefold().split())


def _has_rows_of(statement: Statement, events: Sequence[Entry], place: int) -> bool:
    entry = events[place]
    table = _table_of(events, place)
    if _ROWS.get(type(statement)) != rows_kind(entry["type"]) or table is None or table not in _changed(statement):
        return False
    if not isinstance(statement, Insert) or statement.computed:
        return True
    images = (each["after"] or {} for each in entry.get("rows") or ())
    return all(not set(statement.values).isdisjoint(image.values()) for image in images)


def _changed(statement: Statement) -> frozenset[tuple[object, object]]:
    """Return the databases and names of the tables whose rows a statement changes."""
    names: tuple[TableName, ...] = ()
    if isinstance(statement, UpdateTables):
        names = (statement.first, statement.second)
    elif isinstance(statement, Insert | InsertSelect | Update | Delete):
        names = (statement.table,)
    return frozenset((each.database, each.table) for each in names)


def _table_of(events: Sequence[Entry], place: int) -> tuple[object, object] | None:
    """Return the table of a rows event: that of the last Table_map before it with its number."""
    number = events[place].get("table_id")
    maps = (each for each in reversed(events[:place]) if each["type"] == EventType.TABLE_MAP)
    table_map = next((each for each in maps if each.get("table_id") == number), None)
    return None if table_map is None else (table_map.get("database"), table_map.get("table"))
