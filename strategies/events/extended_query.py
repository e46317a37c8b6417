"""Extended Query events (WL#40): the statement with the list of its tables."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.binlog.servers import use_flag
from conformance.binlog.status_variables import write_status_variables
from conformance.models.filtering.table_name import TableName, tuples_of
from conformance.models.server.tables import quoted
from conformance.specs.versions import Profiles
from conformance.strategies.events.status_variables import REQUIREMENT, shown_variables, status_fields, status_variables
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.magnitude import whole_number
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: What every extended Query event exercises.
_ALWAYS: Final = (
    "WL40-FORMAT-FROM-FDE",
    "WL40-POST-HEADER-ORDER",
    "WL40-QUERY-LEN",
    "WL40-TABLES-INFO-LEN",
    "WL40-DATA-ORDER",
    "WL40-DB-BY-LENGTH",
    "WL40-DB-NO-ZERO",
    "WL40-GOLDEN-LOG-POS",
    "WL40-APPLY-EXTENDED-QUERY",
)
#: Tables of a list whose statement is of no matter.
_TABLES: Final = (TableName("test", "people"), TableName("test", "orders"), TableName("shop", "items"))
#: The most bytes that the length of a statement can count.
_LONGEST: Final = (1 << 16) - 1
#: Whether the Query events of a log are extended: for what does not depend on it, as a marker in a header.
EXTENDED: Final = Dimension(
    "Query events", {"usual": False, "extended": True}, profiles={"extended": Profiles("worklog")}
)
#: The bit of the flags word that is set in the worklog's example.
UPDATE_TABLE_MAP_VERSION: Final = 0x10


def is_extended(stream: StreamBuilder) -> bool:
    """Return whether Query events are extended under the format description in force."""
    return stream.format.post_header_length(EventType.QUERY) == EXTENDED_QUERY_POST_HEADER


def listed(tuples: Sequence[dict[str, bytes]]) -> str:
    """Return tables info as the protocol reports it."""
    return ",".join(".".join(quoted(name.decode()) for name in (each["database"], each["table"])) for each in tuples)


def extended_query(
    stream: StreamBuilder,
    statement: str,
    tables: Sequence[TableName],
    *,
    database: str = "test",
    marks: tuple[str, ...] = (),
    status: Mapping[str, Any] | None = None,
    named: bool | None = None,
) -> PlannedEvent:
    """Return an extended Query event.

    Args:
        stream: The stream.
        statement: The statement.
        tables: The tables of its list.
        database: Its default database.
        marks: Further requirements that it exercises.
        status: Its status variables, those of real events when None.
        named: Whether tables of the default database are listed with its name; chosen when None.
    """
    choose = stream.choose
    tuples = tuples_of(tables, "\0" if (choose.yes(4) if named is None else named) else database)
    about = {
        "thread_id": choose.integer(0, 0xFFFFFFFF),
        "exec_time": whole_number(choose, 32),
        "error_code": choose.one_of((0, 1062, 65535)),
    }
    wire: dict[str, Any] = {
        **about,
        "status_variables": status_variables(stream) if status is None else write_status_variables(status),
        "database": database.encode(),
        "query": statement.encode(),
        "tables_info": tuples,
    }
    flags = (UPDATE_TABLE_MAP_VERSION if choose.yes(4) else 0) | use_flag(stream.server.profile, statement)
    length = EXTENDED_QUERY_POST_HEADER
    body = layout_of(EventType.QUERY, length).write(wire, post_header_length=length)
    shown_status = status_fields(wire["status_variables"]) | (shown_variables(status) if status else {})
    fields = {**about, **shown_status, "database": database, "query": statement, "tables_info": listed(tuples)}
    shown = _marks(wire, flags)
    return PlannedEvent(EventType.QUERY, body, fields, flags, (*_ALWAYS, *shown, *marks))


def as_described(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> list[PlannedEvent]:
    """Return events with their Query events as the format description in force declares them: extended, or as they are.

    An extended one has the statement of the usual one, as far as its length has room, and its flags; and any tables
    in its list.
    """
    if not is_extended(stream):
        return list(planned)
    return [
        extended_query(stream, _fitting(each.fields["query"]), _some_tables(stream))._replace(flags=each.flags)
        if each.type == EventType.QUERY
        else each
        for each in planned
    ]


def _fitting(statement: str) -> str:
    return statement.encode()[:_LONGEST].decode(errors="ignore")


def _some_tables(stream: StreamBuilder) -> list[TableName]:
    return list(_TABLES[: stream.choose.integer(0, len(_TABLES))])


def _marks(wire: dict[str, Any], flags: int) -> tuple[str, ...]:
    """Return the requirements that this event exercises and others do not."""
    tuples = wire["tables_info"]
    shown = {
        REQUIREMENT: bool(wire["status_variables"]),
        "WL40-STATUS-VARS-UNCHANGED": bool(wire["status_variables"]),
        "WL40-QUERY-STOPS": bool(tuples),
        "WL40-TABLES-INFO-LIST": bool(tuples),
        "WL40-TABLES-INFO-NAME-LENGTHS": any(len(name) > 127 for each in tuples for name in each.values()),
        "WL40-TABLES-INFO-DEFAULT-DB": any(not each["database"] for each in tuples),
        "WL40-GOLDEN-FLAG": bool(flags & UPDATE_TABLE_MAP_VERSION),
    }
    return tuple(requirement for requirement, applies in shown.items() if applies)
