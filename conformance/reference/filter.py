"""The reference in the role `filter`: the model of `conformance.models.filtering`, fed with a stream's events."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from conformance.binlog.errors import BinlogError, located
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.binlog.transaction_payload import inner_events
from conformance.models.filtering.event_part import EventParts
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import Fate, GroupFilter
from conformance.models.filtering.log_part import LogPart
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName
from conformance.protocol.observation import Observation, Refusal, Request, Trouble

#: Makes the filter of statements and tables from a request's settings.
MakeTables = Callable[[Mapping[str, Any]], TableFilter]
#: Makes the filter of events from that of statements and tables.
MakeGroups = Callable[[TableFilter], GroupFilter]
#: Changes which part of a log an event is.
ChangePart = Callable[[Event, LogPart], LogPart]


def table_filter(settings: Mapping[str, Any]) -> TableFilter:
    """Return the filter of statements and tables for a request's settings."""
    do_tables, ignore_tables = (
        frozenset(TableName(database, name) for database, name in settings[each])
        for each in ("do_tables", "ignore_tables")
    )
    rules = FilterRules(do_tables=do_tables, ignore_tables=ignore_tables)
    return TableFilter(rules, tables=settings["tables"], renames=settings["renames"])


def answer(request: Request) -> Observation | Trouble:
    """Return the fate of each event of a stream."""
    return answer_with(request)


def answer_with(
    request: Request,
    *,
    tables: MakeTables = table_filter,
    groups: MakeGroups = GroupFilter,
    statements: bool = False,
    part: ChangePart = lambda event, part: part,
) -> Observation | Trouble:
    """Return the fate of each event of a stream, decided by another filter than the kit's own.

    Args:
        request: The request.
        tables: Makes the filter of statements and tables.
        groups: Makes the filter of events.
        statements: Whether the statements are read although tables info names their tables.
        part: Changes which part of a log an event is.
    """
    decides = tables(request.settings)
    parts = EventParts(statements=statements or decides.wants_statements)
    judged = groups(decides)
    read: list[Event] = []
    fates: list[Fate] = []
    refusal = None
    try:
        for event in _events(request):
            with located(event.offset):
                seen = part(event, parts.part(event, _inside(event)))
            read.append(event)
            fates += (fate for group in judged.add(seen) for fate in group)
    except BinlogError as error:
        refusal = Refusal(error.at, error.kind, error.message)
    except ImportError as error:
        return Trouble("unsupported", "declined", str(error))
    fates += judged.finish()
    entries = tuple(
        {
            "offset": event.offset,
            "type": event.header.type,
            "fate": "kept" if fate.kept else "dropped",
        }
        for event, fate in zip(read, fates, strict=True)
    )
    return Observation(entries, refusal)


def _events(request: Request) -> Iterator[Event]:
    for event in read_events(request.stream, server_of(request.profile).rules):
        with located(event.offset):
            event.fields()
        yield event


def _inside(event: Event) -> Iterable[Event]:
    payload = event.recognised and event.header.type == EventType.TRANSACTION_PAYLOAD
    return inner_events(event) if payload else ()
