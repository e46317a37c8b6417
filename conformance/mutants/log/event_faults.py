"""Faults in single events, for the mutants of the role `log`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, VARIABLE_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.layout import TAIL
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.server.events import BEGIN, COMMIT, ROLLBACK
from conformance.models.server.execution import log_of
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.scenario import Scenario
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import (
    CreateTableLike,
    CreateTableSelect,
    Insert,
    SetVariable,
    Statement,
)
from conformance.mutants.log.faults import (
    Answer,
    Condition,
    begins,
    by_kind,
    changed,
    each_event,
    is_delayed,
    set_fields,
    units,
)
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written


def table_map_for_each(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Write the Table_map of an INSERT DELAYED again before each of its rows events after the first."""
    made: list[LoggedEvent] = []
    for event in unit.events:
        if event.type in ROWS_TYPES and made[-1].type in ROWS_TYPES and is_delayed(scenario, unit):
            made.append(next(each for each in reversed(made) if each.type == EventType.TABLE_MAP))
        made.append(event)
    yield replace(unit, events=tuple(made))


def rows_of_other_table(log: PlannedLog, unit: Unit, at: int) -> Iterator[LoggedEvent]:
    """Give the rows of a statement on two tables each other's table id."""
    event = unit.events[at]
    maps: list[int] = []
    for each in unit.events[:at]:
        if each.type == EventType.TABLE_MAP:
            maps.append(each.fields["table_id"])
        elif each.type not in ROWS_TYPES:
            maps.clear()
    others = {each for each in maps if event.rows and each != event.fields["table_id"]}
    yield event if len(others) != 1 else set_fields(table_id=others.pop())(event)


def text_after_table_map(log: PlannedLog, unit: Unit, at: int) -> Iterator[LoggedEvent]:
    """Write the statement's text after its Table_map."""
    event = unit.events[at]
    if event.type == EventType.ROWS_QUERY:
        yield from (unit.events[at + 1], event)
    elif unit.events[at - 1].type != EventType.ROWS_QUERY:
        yield event


def text_with_rows(text: bytes, condition: Condition) -> Answer:
    """Return the answer with an extra Rows_query before some Table_map events."""
    extra = LoggedEvent(EventType.ROWS_QUERY, {"rows_query": text}, int(Flag.IGNORABLE))

    def change(log: PlannedLog, unit: Unit, at: int) -> Iterator[LoggedEvent]:
        event = unit.events[at]
        if condition(log, unit, event) and unit.events[at - 1].type != EventType.ROWS_QUERY:
            yield extra
        yield event

    return each_event(change)


def drops_of(change: Callable[[list[bytes]], Iterable[bytes]], *, several: bool = False) -> Answer:
    """Return the answer with other names in each DROP TABLE of a failed DROP DATABASE."""

    def change_event(log: PlannedLog, unit: Unit, at: int) -> Iterator[LoggedEvent]:
        event = unit.events[at]
        head = b"DROP TABLE IF EXISTS "
        if event.type == EventType.QUERY and event.fields["query"].startswith(head):
            names = event.fields["query"].removeprefix(head).split(b",")
            yield set_fields(query=head + b",".join(change(names)))(event)
        else:
            yield event

    return each_event(change_event)


def listed_for(
    find: Callable[[Scenario], Iterator[int]],
    change: Callable[[Any, tuple[Any, ...]], tuple[Any, ...]],
    *,
    words: tuple[bytes, ...] = (),
    binlog_format: str | None = None,
) -> Answer:
    """Return the answer with other tables info in the Query events of some statements."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        logs = log_of(scenario).logs
        wanted = set(find(scenario)) if binlog_format in (None, scenario.settings.binlog_format) else set()
        for log in logs:
            log.units = [_with_lists(scenario, unit, wanted, change, words) for unit in log.units]
        return written(request, logs)

    return answer


def _with_lists(
    scenario: Scenario,
    unit: Unit,
    wanted: set[int],
    change: Callable[[Any, tuple[Any, ...]], tuple[Any, ...]],
    words: tuple[bytes, ...],
) -> Unit:
    made = []
    for event in unit.events:
        owner = unit.statement if event.statement is None else event.statement
        if owner in wanted and event.type == EventType.QUERY and (not words or event.fields["query"] in words):
            tables = change(scenario.statements[owner], event.fields["tables_info"])
            made.append(set_fields(tables_info=tables)(event))
        else:
            made.append(event)
    return replace(unit, events=tuple(made))


def entry_of(name: Any) -> dict[str, bytes]:
    """Return the entry of a table in tables info."""
    return {"database": name.database.encode(), "table": name.table.encode()}


def is_begin(log: PlannedLog, unit: Unit, event: LoggedEvent) -> bool:
    """Return whether an event is a BEGIN."""
    return event.fields.get("query") == BEGIN


def always(unit: Unit, at: int, right: BoundaryType) -> bool:
    """Return true for every event."""
    return True


def after_gtid(unit: Unit, at: int) -> bool:
    """Return whether an event is directly after a Gtid event."""
    return at == 1 and unit.events[0].type in GTID_TYPES


def query_in_group(unit: Unit, at: int, right: BoundaryType) -> bool:
    """Return whether an event is a statement between BEGIN and the end of its transaction."""
    event = unit.events[at]
    return event.type == EventType.QUERY and begins(unit) and event.fields["query"] not in (BEGIN, COMMIT, ROLLBACK)


def without_timestamps(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a Gtid event without logical timestamps."""
    return {name: value for name, value in fields.items() if name != "logical_timestamp_typecode"}


#: Whether a fault is in what a unit holds of a statement that the server writes itself.
UnitCondition = Callable[[Scenario, Unit], bool]


def with_lists(scenario: Scenario, unit: Unit) -> bool:
    """Return whether the server has tables info in its Query events."""
    return scenario.settings.binlog_with_tables_info


def in_two_transactions(scenario: Scenario, unit: Unit) -> bool:
    """Return whether a creation is a transaction of its own, under WL#7592 and without a GTID."""
    alone = len(unit.events) == 2 and unit.events[0].type == EventType.ANONYMOUS_GTID
    return alone and not scenario.settings.before_wl7592


def created_as_given(kind: type[CreateTableLike | CreateTableSelect], *, condition: UnitCondition) -> Answer:
    """Return the answer with CREATE TABLE in the user's words where the server writes its own."""
    is_kind = by_kind(kind)

    def change(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
        if unit.statement is None or not (is_kind(scenario, unit) and condition(scenario, unit)):
            yield unit
            return
        text = (sql_of(scenario.statements[unit.statement]) or "").encode()
        made = (set_fields(query=text)(event) if event.generated else event for event in unit.events)
        yield replace(unit, events=tuple(made))

    return units(change)


def created_wider(condition: UnitCondition) -> Answer:
    """Return the answer with a column more in each CREATE TABLE that the server writes itself for a SELECT."""
    of_select = by_kind(CreateTableSelect)

    def wider(event: LoggedEvent) -> LoggedEvent:
        if not event.generated or b"(`a` int" not in event.fields.get("query", b""):
            return event
        return set_fields(query=event.fields["query"].replace(b"(`a` int", b"(`a` int, `b` int"))(event)

    def change(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
        is_changed = of_select(scenario, unit) and condition(scenario, unit)
        yield replace(unit, events=tuple(map(wider, unit.events))) if is_changed else unit

    return units(change)


def with_single_backticks(words: bytes) -> Answer:
    """Return the answer in which the statements of some first words that a server writes itself double no backtick."""

    def single(event: LoggedEvent) -> LoggedEvent:
        text = event.fields.get("query", b"")
        is_changed = event.generated and text.upper().startswith(words)
        return set_fields(query=text.replace(b"``", b"`"))(event) if is_changed else event

    def change(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
        yield replace(unit, events=tuple(map(single, unit.events)))

    return units(change)


def rewritten(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Log each CREATE TABLE in statement format under another engine, where Query events have tables info."""
    settings = scenario.settings

    def rewrite(event: LoggedEvent) -> LoggedEvent:
        text = event.fields.get("query", b"")
        if event.generated or not text.startswith((b"create table", b"create temporary table")):
            return event
        return set_fields(query=text + b" engine=memory")(event)

    is_changed = settings.binlog_format == "STATEMENT" and settings.binlog_with_tables_info
    yield replace(unit, events=tuple(map(rewrite, unit.events))) if is_changed else unit


def creation_as_statement(request: Request) -> Observation:
    """Log each CREATE TABLE ... SELECT in row format as it was given, without its rows."""
    scenario = scenario_of(request)
    of_select = by_kind(CreateTableSelect)
    logs = log_of(scenario).logs
    for log in logs:
        made: list[Unit] = []
        for unit in log.units:
            creation = next((event for event in unit.events if event.generated), None)
            if unit.statement is None or not (unit.transaction and of_select(scenario, unit)):
                made.append(unit)
            elif creation is not None:
                text = (sql_of(scenario.statements[unit.statement]) or "").encode()
                gtid = unit.events[: unit.events[0].type in GTID_TYPES]
                made.append(replace(unit, events=(*gtid, set_fields(query=text)(creation))))
            elif not any(each.statement == unit.statement for each in made):
                made.append(unit)
        log.units = made
    return written(request, logs)


def texts_for(kind: type[Statement]) -> Answer:
    """Return the answer with a Rows_query for statements of a kind, which have no text."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        wanted = {index for index, each in enumerate(scenario.statements) if isinstance(each, kind)}

        def has_no_text(log: PlannedLog, unit: Unit, event: LoggedEvent) -> bool:
            return event.type == EventType.TABLE_MAP and event.statement in wanted

        return text_with_rows(b"# internal", has_no_text)(request)

    return answer


def text_per_table(log: PlannedLog, unit: Unit, at: int) -> Iterator[LoggedEvent]:
    """Write the text again before the second Table_map of a statement."""
    event = unit.events[at]
    if event.type == EventType.TABLE_MAP and unit.events[at - 1].type == EventType.TABLE_MAP:
        yield from (each for each in unit.events[at - 2 : at] if each.type == EventType.ROWS_QUERY)
    yield event


def first_text_only(log: PlannedLog, unit: Unit, at: int) -> Iterator[LoggedEvent]:
    """Leave out all texts of statements except the first of a transaction."""
    event = unit.events[at]
    if event.type != EventType.ROWS_QUERY or all(each.type != EventType.ROWS_QUERY for each in unit.events[:at]):
        yield event


def first_two_texts_only(log: PlannedLog, unit: Unit, at: int) -> Iterator[LoggedEvent]:
    """Leave out all texts of statements except the first two of a transaction."""
    event = unit.events[at]
    before = sum(each.type == EventType.ROWS_QUERY for each in unit.events[:at])
    if event.type != EventType.ROWS_QUERY or before < 2:
        yield event


def texts_first(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Write the texts of all statements of a transaction before the rows of the first."""
    texts = [each for each in unit.events if each.type == EventType.ROWS_QUERY]
    if len(texts) < 2:
        yield unit
        return
    first = unit.events.index(texts[0])
    rest = [each for each in unit.events[first:] if each.type != EventType.ROWS_QUERY]
    yield replace(unit, events=(*unit.events[:first], *texts, *rest))


def ignorable_before_rows(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Write an empty ignorable event before the rows of a transaction, where the option is off all along."""
    given = any(isinstance(each, SetVariable) for each in scenario.statements)
    is_off = not (given or scenario.settings.binlog_rows_query_log_events)
    made: list[LoggedEvent] = []
    for event in unit.events:
        if is_off and event.type == EventType.TABLE_MAP and made[-1].type != EventType.TABLE_MAP:
            made.append(LoggedEvent(EventType.IGNORABLE, {"body": b""}, int(Flag.IGNORABLE)))
        made.append(event)
    yield replace(unit, events=tuple(made))


def insert_without_begin(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Leave out the BEGIN of each INSERT outside transactions whose text is logged."""
    has_text = any(event.type == EventType.ROWS_QUERY for event in unit.events)
    if has_text and by_kind(Insert)(scenario, unit):
        yield replace(unit, events=tuple(event for event in unit.events if not is_begin(log, unit, event)))
    else:
        yield unit


def longer_xids(request: Request) -> Observation:
    """Write one more byte in each Xid event that has a boundary marker."""
    tail = LoggedEvent(EventType.XID, {"xid": 0, TAIL: b"\0"})
    return changed(
        lambda log, unit, event: log.boundary_markers and event.type == EventType.XID,
        lambda event: replace(tail, statement=event.statement),
    )(request)


def by_type_alone(unit: Unit, at: int, right: BoundaryType) -> int:
    """Return the boundary type that an event has before the context changes it."""
    event = unit.events[at]
    if event.fields.get("query") == BEGIN:
        return BoundaryType.START_TRANSACTION
    if event.type == EventType.QUERY and not begins(unit):
        return BoundaryType.SELF_CONTAINED
    return BoundaryType.INSIDE_TRANSACTION if event.type in VARIABLE_TYPES else right


def context_after_statement(log: PlannedLog, unit: Unit, at: int) -> Iterator[LoggedEvent]:
    """Write each context event after the statement that it belongs to."""
    event = unit.events[at]
    if event.type in VARIABLE_TYPES:
        return
    yield event
    if event.type == EventType.QUERY:
        place = at
        while place and unit.events[place - 1].type in VARIABLE_TYPES:
            place -= 1
        yield from unit.events[place:at]
