"""Answers of filters with one fault, for the mutants of the role `filter`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import GroupFilter
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName, as_text
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.filter import ChangePart, answer, answer_with, table_filter

#: Returns the tables by which a statement is judged, None for all of them.
ChooseTables = Callable[[tuple[TableName, ...], FilteredStatement], tuple[TableName, ...] | None]
Answer = Callable[[Request], Observation | Trouble]


def judging(choose: ChooseTables) -> ChangePart:
    """Return the change that judges statements by other tables."""

    def change(event: Event, part: LogPart) -> LogPart:
        statement = part.statement
        if part.part is not Part.STATEMENT or statement is None:
            return part
        tables = choose(part.tables, statement)
        return part if tables is None else replace(part, tables=tables)

    return change


def with_part(change: ChangePart, *, statements: bool = True) -> Answer:
    """Return the answer of a filter that takes some events for other parts of the log."""
    return lambda request: answer_with(request, part=change, statements=statements)


def with_rules(rules: Callable[[FilterRules], FilterRules]) -> Answer:
    """Return the answer of a filter with other rules."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        plain = table_filter(settings)
        return TableFilter(rules(plain.rules), tables=settings["tables"], renames=settings["renames"])

    return lambda request: answer_with(request, tables=tables)


def with_mode(name: str, wanted: str, taken: str) -> Answer:
    """Return the answer of a filter that takes one mode where another is wanted."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        return table_filter({**settings, name: taken} if settings[name] == wanted else settings)

    return lambda request: answer_with(request, tables=tables)


def with_groups(groups: type[GroupFilter]) -> Answer:
    """Return the answer of a filter that decides about groups otherwise."""
    return lambda request: answer_with(request, groups=groups)


def only_if(name: str, wanted: str | bool, faulty: Answer) -> Answer:
    """Return the answer of a filter that has its fault only where a setting has a value, or rules are there or not."""

    def answered(request: Request) -> Observation | Trouble:
        value = request.settings[name]
        return faulty(request) if wanted == (value if isinstance(wanted, str) else bool(value)) else answer(request)

    return answered


def in_its_mode(kind: type[TableFilter]) -> Answer:
    """Return the answer of another kind of filter, with the modes of the question."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        return kind(table_filter(settings).rules, tables=settings["tables"], renames=settings["renames"])

    return lambda request: answer_with(request, tables=tables)


def unread(pattern: str) -> Answer:
    """Return the answer of a filter that does not understand the definitions whose text a pattern matches."""

    def change(event: Event, part: LogPart) -> LogPart:
        if part.part is not Part.STATEMENT or event.header.type != EventType.QUERY:
            return part
        unread = re.search(pattern, as_text(event.fields()["query"]), re.DOTALL)
        return replace(part, statement=None) if unread else part

    return with_part(change, statements=False)


def with_tables(kind: type[TableFilter]) -> Answer:
    """Return the answer of another kind of filter, for questions about names and literal rules."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        plain = table_filter(settings)
        if settings["renames"] != "name" or settings["tables"] != "literal":
            return plain
        return kind(plain.rules)

    return lambda request: answer_with(request, tables=tables, statements=True)


def without_entry(leaves_out: Callable[[Sequence[Mapping[str, Any]], int], bool]) -> Answer:
    """Return the answer of a filter without the entries for which a function of all of them and an index is true."""

    def change(request: Request) -> Observation | Trouble:
        seen = answer(request)
        if isinstance(seen, Trouble):
            return seen
        kept = (each for index, each in enumerate(seen.events) if not leaves_out(seen.events, index))
        return replace(seen, events=tuple(kept))

    return change


def with_fate(fate: str, *types: int) -> Answer:
    """Return the answer of a filter in which all events of some types have one fate."""

    def change(request: Request) -> Observation | Trouble:
        seen = answer(request)
        if isinstance(seen, Trouble):
            return seen
        return replace(
            seen, events=tuple({**each, "fate": fate} if each["type"] in types else each for each in seen.events)
        )

    return change
