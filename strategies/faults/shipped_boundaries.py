"""Steps of the boundary parser that servers ship: from each of its states, an event of each type."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Final

from conformance.binlog.event_types import MARIADB_TYPES, PRE_GA_ROWS, ROWS_V1, EventType
from conformance.binlog.servers import (
    READER_RULES,
    WITH_HEARTBEAT_V2,
    WITH_LARGE_TRANSACTIONS,
    WITH_PAYLOADS,
    WITH_TAGGED_GTIDS,
)
from conformance.binlog.total_table import total
from conformance.models.boundary.shipped_tables import (
    EMPTY_QUERY_IS_ERROR,
    EMPTY_QUERY_IS_IGNORED,
    VERSION_3,
    WITH_SHIPPED_PARSER,
    ShippedState,
    ShippedType,
)
from conformance.specs.versions import Profiles
from conformance.strategies.events import (
    mysql_events,
    payloads,
    row_events,
    server_events,
    statement_events,
)
from conformance.strategies.events.columns import column_kinds
from conformance.strategies.grammar.dimension import Dimension, bits, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_carriers as carriers
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import boundary_words
from conformance.strategies.groups import transactions as groups

_Make = Callable[[StreamBuilder], PlannedEvent]
#: The names of XA transactions, as written in a log, where the two parts have up to 64 bytes each, and as a client may
#: write one: the parser looks at the words before it alone.
_XIDS: Final = Dimension(
    "name of the XA transaction",
    {
        "short": "X'61',X'',1",
        "of 64 and 64 bytes": f"X'{'61' * 64}',X'{'62' * 64}',2147483647",
        "as a text": "'a'",
    },
)


def _query(*texts: str) -> _Make:
    """Return the maker of a Query with one of some texts, in which ``{}`` is the name of an XA transaction."""

    def make(stream: StreamBuilder) -> PlannedEvent:
        text = stream.choose.one_of(texts)
        return mysql_events.query(stream, text.format(stream.vary(_XIDS)) if "{}" in text else text)

    return make


#: Any beginning of BEGIN and COMMIT counts as the word, in upper case; ROLLBACK counts in any case.
_BEGINNINGS: Final = choices("beginning of a transaction", ("BEGIN", "B", "BEGI", "XA START {}"))


#: XA START in upper case and XA ROLLBACK in any are more than a statement, these are not.
_XA_STATEMENTS: Final = choices(
    "statement about an XA transaction",
    ("XA COMMIT {}", "XA END {}", "xa start {}"),
    when={"event of a statement": ("Query about an XA transaction",)},
)


def _begin(stream: StreamBuilder) -> PlannedEvent:
    return _query(stream.vary(_BEGINNINGS))(stream)


def _xa_statement(stream: StreamBuilder) -> PlannedEvent:
    return _query(stream.vary(_XA_STATEMENTS))(stream)


def _changed_rows(stream: StreamBuilder) -> PlannedEvent:
    rows = row_events.table_of(stream, column_kinds(stream)[:1])
    return row_events.rows_event(stream, rows, stream.choose.one_of(row_events.OPERATIONS))


def _of_code(code: EventType) -> _Make:
    return lambda stream: carriers.of_code(stream, code, 0, flags=0)


def _one_of(codes: Sequence[EventType]) -> _Make:
    return lambda stream: carriers.of_code(stream, stream.choose.one_of(codes), 0, flags=0)


#: The events before a group, by their types.
_GTID_EVENTS: Final = Dimension[_Make](
    "GTID event",
    {
        "Gtid": lambda stream: groups.group_gtid(stream, (), anonymous=False),
        "Anonymous_gtid": lambda stream: groups.group_gtid(stream, (), anonymous=True),
        "Gtid_tagged": _of_code(EventType.GTID_TAGGED),
    },
    profiles={"Gtid_tagged": WITH_TAGGED_GTIDS},
)
#: The events that end a transaction, by their types.
_END_EVENTS: Final = Dimension[_Make](
    "event that ends a transaction",
    {
        "Xid": mysql_events.xid,
        "Xa_prepare": _of_code(EventType.XA_PREPARE),
        "Query with a word": _query("COMMIT", "C", "COMMI", "ROLLBACK", "rollback", "ROLLBACKS", "Rollback /* a */"),
        "Query with an odd word": _query(*boundary_words.ODD_RETURNS),
    },
)
#: The events before the statement that they belong to, by their types.
_EVENTS_BEFORE: Final = Dimension[_Make](
    "event before a statement",
    {"Intvar": mysql_events.intvar, "Rand": mysql_events.rand, "User_var": statement_events.user_var},
)
#: The events that are a statement or a part of one, by their types.
_STATEMENT_EVENTS: Final = Dimension[_Make](
    "event of a statement",
    {
        "Query": _query("INSERT INTO t1 VALUES (1)", "CREATE TABLE t2 (a INT)"),
        "Query about an XA transaction": _xa_statement,
        "Query with a word in it": boundary_words.statement,
        "Query with another spelling of a word": _query(
            "begin", "commit", " BEGIN", "COMMIT ", "BEGIN WORK", "COMMIT WORK", "START TRANSACTION"
        ),
        "Table_map": lambda stream: mysql_events.table_map(stream, table_id=1, table="t1", columns=1),
        "rows": _changed_rows,
        "Rows_query": lambda stream: mysql_events.rows_query(stream, "UPDATE t1"),
        "block of a file": lambda stream: statement_events.load_block(stream, 1, first=stream.choose.yes()),
        "Execute_load_query": lambda stream: statement_events.execute_load_query(stream, 1),
        "View_change": _of_code(EventType.VIEW_CHANGE),
        "rows of version 1": _one_of(ROWS_V1),
        "Partial_update_rows": _of_code(EventType.PARTIAL_UPDATE_ROWS),
        "rows of betas, once known": _one_of(PRE_GA_ROWS),
    },
    profiles={
        "rows of version 1": Profiles("mysql < 8.3"),
        "Partial_update_rows": Profiles("mysql >= 8.0"),
        "rows of betas, once known": Profiles("mysql < 8.0"),
    },
)
#: What no release writes, and what is in logs only as the base class of others.
_OF_NO_RELEASE: Final = frozenset({EventType.UNKNOWN, EventType.IGNORABLE, *ROWS_V1})
#: The events that a parser passes over, whatever their flags are.
_IGNORED_EVENTS: Final = Dimension[_Make](
    "event that is passed over",
    {
        "Stop": mysql_events.stop,
        "Rotate": mysql_events.rotate,
        "Heartbeat": server_events.heartbeat,
        "Delete_file": boundaries.delete_file,
        "Transaction_context": _of_code(EventType.TRANSACTION_CONTEXT),
        "Slave": boundaries.slave,
        "Previous_gtids": boundaries.previous_gtids,
        "ignorable, artificial or a format description": boundaries.ignored,
        "Query without text": _query(boundary_words.EMPTY),
        "of logs of version 3": _one_of(VERSION_3),
        "Heartbeat_v2": _of_code(EventType.HEARTBEAT_V2),
        "Large_transaction_header": lambda stream: server_events.large_transaction_header(stream, terminating_offset=0),
    },
    profiles={
        "Query without text": EMPTY_QUERY_IS_IGNORED,
        "of logs of version 3": Profiles("mysql < 8.0"),
        "Heartbeat_v2": WITH_HEARTBEAT_V2,
        "Large_transaction_header": WITH_LARGE_TRANSACTIONS,
    },
)


def _of_later_release(stream: StreamBuilder) -> PlannedEvent:
    known = READER_RULES[stream.server.profile].known
    code = stream.choose.one_of([each for each in EventType if each not in known | MARIADB_TYPES | _OF_NO_RELEASE])
    return PlannedEvent(code, stream.choose.octets(0, 12), {})


#: The events that are an error to a parser, as it does not know them, unless they have the ignorable flag.
_UNKNOWN_EVENTS: Final = Dimension[_Make](
    "event that is not known",
    {
        "of no server": boundaries.unknown,
        "rows of betas": _one_of(PRE_GA_ROWS),
        "rows of version 1": _one_of(ROWS_V1),
        "Gtid_tagged": _of_code(EventType.GTID_TAGGED),
        "of a later release": _of_later_release,
        "Query without text": _query(boundary_words.EMPTY),
        "base class of ignorable events": _of_code(EventType.IGNORABLE),
    },
    profiles={
        "Query without text": EMPTY_QUERY_IS_ERROR,
        "rows of betas": Profiles("mysql >= 8.0"),
        "rows of version 1": Profiles("mysql >= 8.3"),
        "Gtid_tagged": Profiles("mysql < 8.3"),
        "of a later release": Profiles("mysql < 9.0"),
    },
)


def _varied(dimension: Dimension[_Make]) -> _Make:
    return lambda stream: stream.vary(dimension)(stream)


def _payload(stream: StreamBuilder) -> PlannedEvent:
    inner = [mysql_events.query(stream, "BEGIN"), *groups.row_changes(stream), mysql_events.xid(stream)]
    return payloads.transaction_payload(stream, inner)


#: Type -> the events that are of it, in every version that knows the type.
_OF_TYPE: Final[Mapping[ShippedType, tuple[_Make, ...]]] = total(
    f"{__name__}._OF_TYPE",
    ShippedType,
    {
        ShippedType.GTID: (_varied(_GTID_EVENTS),),
        ShippedType.BEGIN: (_begin,),
        ShippedType.END: (_varied(_END_EVENTS),),
        ShippedType.END_XA: (_query("XA ROLLBACK {}", "xa rollback {}"),),
        ShippedType.STMT: (_varied(_STATEMENT_EVENTS),),
        ShippedType.PRE_STMT: (_varied(_EVENTS_BEFORE),),
        ShippedType.INCIDENT: (server_events.incident,),
        ShippedType.IGNORE: (_varied(_IGNORED_EVENTS),),
        ShippedType.PAYLOAD: (_payload,),
        ShippedType.ERROR: (_varied(_UNKNOWN_EVENTS),),
    },
    entry="what makes events of it",
)
#: State -> the type that leads there from NONE.
_LEADS_TO: Final[Mapping[ShippedState, ShippedType]] = total(
    f"{__name__}._LEADS_TO",
    ShippedState,
    {
        ShippedState.NONE: ShippedType.IGNORE,
        ShippedState.GTID: ShippedType.GTID,
        ShippedState.DDL: ShippedType.PRE_STMT,
        ShippedState.DML: ShippedType.BEGIN,
        ShippedState.ERROR: ShippedType.ERROR,
    },
    entry="the type that leads there from NONE",
)


def _known(profile: str) -> tuple[ShippedType, ...]:
    """Return the types of events that a profile's servers have: payloads are newer than the others."""
    return tuple(each for each in ShippedType if profile in WITH_PAYLOADS or each is not ShippedType.PAYLOAD)


#: All bits of the flags word: those of the marker mean nothing to a shipped parser.
_FLAGS: Final = bits("flags", (1 << bit for bit in range(16)))


@family(
    focus="FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD",
    profiles=WITH_SHIPPED_PARSER,
    fault=True,
    dimensions=(
        _FLAGS,
        _GTID_EVENTS,
        _BEGINNINGS,
        _END_EVENTS,
        _EVENTS_BEFORE,
        _STATEMENT_EVENTS,
        _XA_STATEMENTS,
        _IGNORED_EVENTS,
        _UNKNOWN_EVENTS,
        _XIDS,
    ),
)
def shipped_boundary_steps(stream: StreamBuilder) -> None:
    """An event of each type in each state of the parser that servers ship, each in a stream of its own that goes on.

    What an event changes shows in some states alone: a variant of an event or of its flags is met in all of them.
    """
    choose = stream.choose
    boundaries.describe_unknown(stream)
    flags = stream.vary(_FLAGS)
    known = _known(stream.server.profile)
    resets = []
    for state, kind in product(ShippedState, known):
        resets.append(stream.offset)
        after = [choose.one_of(known) for _ in choose.several(0, 2)]
        for place, each in enumerate((_LEADS_TO[state], kind, *after)):
            event = choose.one_of(_OF_TYPE[each])(stream)
            stream.add(event._replace(flags=int(event.flags) | flags) if place == 1 else event)
    stream.settings["resets"] = resets
