"""Events for a boundary parser: whole transactions of every shape, the events between them, and their markers."""

from collections.abc import Callable, Sequence
from typing import Final

from conformance.binlog.event_types import PRE_GA_ROWS, ROWS_V1, ROWS_V2, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.servers import MOST_EVENT_TYPES, with_tables_info
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.marking import boundary_types
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events, row_events, server_events, statement_events
from conformance.strategies.events.columns import column_kinds
from conformance.strategies.grammar.dimension import Dimension, Impossible, choices
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_words
from conformance.strategies.groups import transactions as groups

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
#: Types that no server has; a later one could write them with the ignorable flag.
_LATER_TYPES: Final = range(44, 128)
#: How many types a format description may declare: more than any server has, so that a log can have unknown ones
#: without that flag.
_DECLARED: Final = (60, 127, MOST_EVENT_TYPES)
#: Rows events of version 2 have their extra data here, after its length with these two bytes; older ones have none.
_EXTRA_DATA: Final = slice(8, 10)
#: Rows events of version 2 -> those of version 1, and those of betas.
FIRST_VERSION: Final = dict(zip(ROWS_V2, ROWS_V1, strict=True))
_PRE_GA: Final = dict(zip(ROWS_V2, PRE_GA_ROWS, strict=True))
_CONTEXT: Final = (mysql_events.intvar, mysql_events.rand, statement_events.user_var)

#: Makes the events of one transaction, without the Gtid event before it.
Group = Callable[[StreamBuilder], list[PlannedEvent]]


def fed(planned: PlannedEvent) -> FedEvent:
    """Return what a boundary parser is fed of a planned event."""
    query = planned.fields.get("query")
    return FedEvent(int(planned.type), int(planned.flags), None if query is None else query.encode())


def with_marker(planned: PlannedEvent, value: int) -> PlannedEvent:
    """Return the event with a marker."""
    return planned._replace(flags=MARKER_BITS.write(int(planned.flags), value))


def marked(planned: Sequence[PlannedEvent]) -> list[PlannedEvent]:
    """Return the events with the markers of a server with the feature; they begin outside any transaction."""
    types = boundary_types([fed(event) for event in planned])
    return [with_marker(event, each) for event, each in zip(planned, types, strict=True)]


def data_change(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return one data change: a statement, or rows of one kind in any of the versions of rows events."""
    choose = stream.choose
    if choose.yes(3):
        return groups.statement(stream)
    rows = row_events.table_of(stream, [choose.one_of(column_kinds(stream))])
    planned = [row_events.table_map(stream, rows), _rows_event(stream, rows)]
    return [mysql_events.rows_query(stream, "UPDATE t1"), *planned] if choose.yes(3) else planned


def _rows_event(stream: StreamBuilder, rows: row_events.RowTable) -> PlannedEvent:
    choose = stream.choose
    event = row_events.rows_event(stream, rows, choose.one_of(row_events.OPERATIONS))
    version = choose.integer(0, 3)
    if stream.server.profile != "worklog" or version < 2:
        return event
    return older_rows(event, (FIRST_VERSION if version == 2 else _PRE_GA)[EventType(event.type)])


def older_rows(event: PlannedEvent, code: EventType) -> PlannedEvent:
    """Return a rows event of version 2 as one of an older type."""
    extra = int.from_bytes(event.body[_EXTRA_DATA], "little")
    body = event.body[: _EXTRA_DATA.start] + event.body[_EXTRA_DATA.start + extra :]
    if code not in PRE_GA_ROWS:
        return event._replace(type=code, body=body)
    # Readers of today refuse events of betas.
    return PlannedEvent(code, body, {}, event.flags, tolerated=True)


def transaction(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return BEGIN, changes with their context events, savepoints, and what ends it."""
    choose = stream.choose
    planned = [mysql_events.query(stream, "BEGIN")]
    for _ in choose.several(1, 3):
        if choose.yes(4):
            planned += boundary_words.savepoint(stream)
        if choose.yes(4):
            planned += [*_context(stream), boundary_words.statement(stream)]
        planned += data_change(stream)
    ending = choose.integer(0, 2)
    return [
        *planned,
        mysql_events.xid(stream) if ending == 0 else mysql_events.query(stream, ("COMMIT", "ROLLBACK")[ending - 1]),
    ]


def _context(stream: StreamBuilder) -> list[PlannedEvent]:
    return [stream.choose.one_of(_CONTEXT)(stream) for _ in stream.choose.several(1, 3)]


def context_statement(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a statement that is a transaction of its own, after the context events that it needs."""
    return [*_context(stream), *statement_alone(stream)]


def _after(first: Callable[[StreamBuilder], PlannedEvent]) -> Group:
    """Return the maker of such a statement whose first context event is of a kind."""
    return lambda stream: [first(stream), *(_context(stream) if stream.choose.yes() else []), *statement_alone(stream)]


def statement_alone(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a statement that is a transaction of its own."""
    return groups.ddl(stream) if stream.choose.yes() else [boundary_words.statement(stream)]


def load_within(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return LOAD DATA between BEGIN and its end."""
    return [mysql_events.query(stream, "BEGIN"), *_load(stream), mysql_events.xid(stream)]


def load_alone(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return LOAD DATA without BEGIN, for use after a Gtid event."""
    return _load(stream)


def _load(stream: StreamBuilder) -> list[PlannedEvent]:
    file_id = stream.choose.integer(1, 99)
    blocks = [statement_events.load_block(stream, file_id, first=number == 0) for number in stream.choose.several(1, 3)]
    return [*blocks, statement_events.execute_load_query(stream, file_id)]


def executed_load(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return only the statement of LOAD DATA."""
    return [statement_events.execute_load_query(stream, 1)]


def executed_words(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a transaction whose BEGIN and whose end are the texts of Execute_load_query events."""
    ending = stream.choose.one_of(("COMMIT", "ROLLBACK"))
    begin, end = (statement_events.executed_text(stream, word) for word in ("BEGIN", ending))
    return [begin, boundary_words.statement(stream), end]


def prepared(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a transaction ended by an XA_prepare event, which the worklog does not list and the kit treats as Xid."""
    *begun, end = server_events.xa_transaction(stream, data_change(stream))
    return [mysql_events.query(stream, "BEGIN"), *begun[1:-1], end]


#: Transactions that both the worklog's and shipped parsers accept.
GROUPS: Final[tuple[Group, ...]] = (statement_alone, context_statement, transaction, load_within, executed_load)


def with_gtid(stream: StreamBuilder, planned: list[PlannedEvent], mode: str) -> list[PlannedEvent]:
    """Return a group with the event before it that one of `GTIDS` has, if any."""
    if mode == "none":
        return planned
    flags = int(Flag.IGNORABLE) if mode == "ignorable anonymous" else 0
    return [groups.group_gtid(stream, planned, anonymous=mode != "gtid", flags=flags), *planned]


#: How a server logs transactions: without a Gtid event, with one, or with an Anonymous_gtid event, ignorable or not.
GTIDS: Final = choices("GTIDs", ("none", "gtid", "anonymous", "ignorable anonymous"))
#: What a transaction consists of.
SHAPES: Final = Dimension[Group](
    "transaction",
    {
        "statement": statement_alone,
        "Intvar and statement": _after(mysql_events.intvar),
        "Rand and statement": _after(mysql_events.rand),
        "User_var and statement": _after(statement_events.user_var),
        "BEGIN to its end": transaction,
        "LOAD DATA after BEGIN": load_within,
        "LOAD DATA": load_alone,
        "statement of LOAD DATA": executed_load,
        "XA": prepared,
        "words in Execute_load_query": executed_words,
    },
    # A shipped parser looks at the text of Query events alone.
    profiles=dict.fromkeys(("XA", "words in Execute_load_query"), Profiles("worklog")),
)
NO_LOAD_ALONE: Final = Impossible(
    {"transaction": ("LOAD DATA",), "GTIDs": ("none",)},
    "without BEGIN or a Gtid event the blocks of a file are in no transaction",
)


def group(stream: StreamBuilder, mode: str) -> list[PlannedEvent]:
    """Return a whole transaction in one of the classes of `GTIDS`."""
    # Without a Gtid event the first context event opens the transaction; it can be any of the three.
    makers = [*GROUPS, *[context_statement] * 4] if mode == "none" else [*GROUPS, load_alone]
    if stream.server.profile == "worklog":
        makers.append(prepared)
    return _logged(stream, stream.choose.one_of(makers), mode)


def varied_group(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a whole transaction of one of `SHAPES` in one of `GTIDS`."""
    mode, make = stream.vary(GTIDS), stream.vary(SHAPES)
    return _logged(stream, load_within if make is load_alone and mode == "none" else make, mode)


def _logged(stream: StreamBuilder, make: Group, mode: str) -> list[PlannedEvent]:
    return with_gtid(stream, make(stream), mode)


def add_twice(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    """Add events as a stream of their own twice: the second time they are read for another use."""
    resets = stream.settings.setdefault("resets", [])
    for _ in range(2):
        resets.append(stream.offset)
        for event in planned:
            stream.add(event)
    stream.settings.setdefault("repeated", []).append(len(resets))


def create_select(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return CREATE TABLE ... SELECT in row format as two transactions (WL#7592)."""
    mode = stream.choose.one_of(("gtid", "anonymous", "ignorable anonymous"))
    change = [mysql_events.query(stream, "BEGIN"), *groups.row_changes(stream), mysql_events.xid(stream)]
    planned = [
        *with_gtid(stream, groups.ddl(stream), mode),
        *with_gtid(stream, change, mode),
    ]
    return [event.marked("WL7592-CREATE-SELECT-BOUNDARIES") for event in planned]


def ignored(stream: StreamBuilder) -> PlannedEvent:
    """Return an event that takes no part: a format description, an artificial Rotate, or one of an unknown type."""
    kind = stream.choose.integer(0, 2)
    if kind == 0:
        return mysql_events.rotate(stream, flags=_ARTIFICIAL)
    return later_event(stream, 0) if kind == 1 else stream.described()


def later_event(stream: StreamBuilder, value: int) -> PlannedEvent:
    """Return an ignorable event of an unknown type, with another marker of its server."""
    code = stream.choose.one_of(_LATER_TYPES)
    event = mysql_events.ignorable(stream, code, stream.choose.octets(0, 12), flags=0)
    event = with_marker(event, value).marked("WL4033-READ-UNKNOWN-ANY-CODE")
    if code > stream.format.event_types:
        return event._replace(tolerated=True)
    return event.marked("WL4033-READ-UNKNOWN-SKIPPED")


def describe_unknown(stream: StreamBuilder, *, types: int | None = None, extended: bool = False) -> None:
    """Add a format description that declares the types of `unknown` events too, `types` in all.

    With `extended` its Query events are those of WL#40, with tables info.
    """
    lengths = stream.server.post_header_lengths
    lengths = with_tables_info(lengths) if extended else lengths
    declared = types or stream.choose.one_of(_DECLARED)
    stream.describe_format(post_header_lengths=lengths + bytes(declared - len(lengths)))


def unknown(stream: StreamBuilder) -> PlannedEvent:
    """Return an event of an unknown type that the format description declares and that may not be skipped."""
    codes = [*range(44, min(stream.format.event_types, 159) + 1), *range(173, stream.format.event_types + 1)]
    return PlannedEvent(stream.choose.one_of(codes), stream.choose.octets(0, 12), {})


def slave(stream: StreamBuilder) -> PlannedEvent:
    """Return a Slave event: position, port, host and log of a source, none of which is reported."""
    body = (4).to_bytes(8, "little") + (3306).to_bytes(2, "little") + b"source\0binlog.000001"
    return PlannedEvent(EventType.SLAVE, body, {}, tolerated=True)


def start_v3(stream: StreamBuilder) -> PlannedEvent:
    """Return a Start_v3 event."""
    wire = {"binlog_version": 3, "server_version": b"4.0.30", "created": 0}
    length = stream.format.post_header_length(EventType.START_V3)
    return PlannedEvent(
        EventType.START_V3,
        layout_of(EventType.START_V3, length).write(wire, post_header_length=length),
        {},
        tolerated=True,
    )


#: The separators of LOAD DATA in a Load event: those of fields and lines, and two bytes of flags.
_SEPARATORS: Final = b"\t\0\n\0\\\0\0"
_LONG_SEPARATORS: Final = b"\1\t\0\1\n\0\1\\\0"
_LOAD_NAMES: Final = b"t1\0test\0"
_LOAD_HEAD: Final = bytes(12) + bytes([2, 4]) + bytes(4)


def load(stream: StreamBuilder) -> PlannedEvent:
    """Return a Load event of the oldest logs: thread, time, lines to skip, lengths of the names, then the names."""
    return PlannedEvent(EventType.LOAD, _LOAD_HEAD + _SEPARATORS + _LOAD_NAMES + b"t1.txt", {}, tolerated=True)


def create_file(stream: StreamBuilder) -> PlannedEvent:
    """Return a Create_file event: a Load event with longer separators, the file's number, and its first block."""
    body = _LOAD_HEAD + (1).to_bytes(4, "little") + _LONG_SEPARATORS + _LOAD_NAMES + b"t1.txt\0" + b"1\n"
    return PlannedEvent(EventType.CREATE_FILE, body, {}, tolerated=True)


def new_load(stream: StreamBuilder) -> PlannedEvent:
    """Return a New_load event: a Load event with longer separators."""
    body = _LOAD_HEAD + _LONG_SEPARATORS + _LOAD_NAMES + b"t1.txt"
    return PlannedEvent(EventType.NEW_LOAD, body, {}, tolerated=True)


def exec_load(stream: StreamBuilder) -> PlannedEvent:
    """Return an Exec_load event: the number of the complete file."""
    return PlannedEvent(EventType.EXEC_LOAD, (1).to_bytes(4, "little"), {}, tolerated=True)


def previous_gtids(stream: StreamBuilder) -> PlannedEvent:
    """Return a Previous_gtids event without the ignorable flag."""
    return gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=0)


def delete_file(stream: StreamBuilder) -> PlannedEvent:
    """Return a Delete_file event."""
    return statement_events.delete_file(stream, stream.choose.integer(1, 99))


#: Self Contained events of logs of versions 3 and 4.
OLD_EVENTS: Final = (start_v3, load, create_file, exec_load, new_load)
#: Self Contained events between transactions.
ALONE: Final = (server_events.incident, delete_file, slave)
