"""Every event type that servers write, in otherwise ordinary streams."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from conformance.binlog.event_types import (
    COMPRESSED_ROWS,
    COMPRESSED_ROWS_V1,
    HEARTBEAT_TYPES,
    PRE_GA_ROWS,
    ROWS_V1,
    ROWS_V2,
    EventType,
)
from conformance.binlog.flags import Flag
from conformance.binlog.servers import (
    WITH_COMPRESSED_EVENTS,
    WITH_GROUP_REPLICATION,
    WITH_HEARTBEAT,
    WITH_HEARTBEAT_V2,
    WITH_INCIDENT_TRANSACTIONS,
    WITH_LARGE_TRANSACTIONS,
    WITH_PAYLOADS,
    WITH_XA_PREPARE,
)
from conformance.binlog.total_table import total
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import (
    mariadb_events,
    mysql_events,
    payloads,
    row_events,
    server_events,
    statement_events,
)
from conformance.strategies.events.columns import column_kinds
from conformance.strategies.families.ignorable_events import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Number, choices, sizes, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_MARIADB: Final = Profiles("mariadb")
_IGNORABLE: Final = int(Flag.IGNORABLE)

_VIEW: Final = yes_or_no("change of the group")
#: Adds whole groups, or single events between groups, to a stream.
_Addition = Callable[[StreamBuilder], None]


_TIMES: Final = Number("times")
_COMPRESSED: Final = ("compressed statement", *(f"compressed {operation}" for operation in row_events.OPERATIONS))
_CHANGES: Final = Dimension(
    "changes of a group",
    {each: each for each in ("DDL", "compressed statement", "rows", *_COMPRESSED[1:])},
    profiles=dict.fromkeys(_COMPRESSED, WITH_COMPRESSED_EVENTS),
)
_COMPRESSED_ROWS: Final = row_events.numbers_of_rows(when={_CHANGES.name: _COMPRESSED[1:]})


def _of_times(addition: _Addition) -> _Addition:
    """Return the addition of as many as the row of the covering array has."""

    def add(stream: StreamBuilder) -> None:
        for _ in stream.several_of(_TIMES):
            addition(stream)

    return add


@family(focus="FORMAT-USER-VAR", dimensions=(_TIMES, statement_events.VARIABLE, statement_events.TEXT_SIZE))
def user_variables(stream: StreamBuilder) -> None:
    """Statements preceded by the user variables that they use: of every type, NULL, signed and unsigned."""
    _log_of(stream, _of_times(add_user_variables))


@family(
    focus="FORMAT-LOAD-BLOCK",
    dimensions=(_TIMES, statement_events.BLOCKS, statement_events.BLOCK_SIZE, statement_events.FATE),
)
def loaded_files(stream: StreamBuilder) -> None:
    """LOAD DATA: the file in blocks, then the statement, or a Delete_file event if the statement failed."""
    _log_of(stream, _of_times(add_load_data))


@family(focus="FORMAT-INCIDENT", dimensions=(_TIMES, server_events.MESSAGE_SIZE))
def incidents(stream: StreamBuilder) -> None:
    """Incident events between transactions."""
    _log_of(stream, _of_times(add_incident))


#: A log_pos has 32 bits: from half of them on it is negative with a sign, and beyond them it starts at 0 again.
_FROM: Final = Dimension(
    "position in the source's log", {"the beginning": None, "2^31": 1 << 31, "shortly before 2^32": (1 << 32) - 256}
)


@family(focus="FORMAT-HEARTBEAT", profiles=WITH_HEARTBEAT, dimensions=(_TIMES, _FROM))
def heartbeats(stream: StreamBuilder) -> None:
    """Heartbeats between transactions, as a source sends them to a replica, from any position of its log."""
    add = _of_times(_add_heartbeat)

    def add_from(stream: StreamBuilder) -> None:
        position = stream.vary(_FROM)
        if position is not None:
            stream.begin_log_of_source(position)
        add(stream)

    _log_of(stream, add_from)


@family(focus="FORMAT-TRANSACTION-CONTEXT", profiles=WITH_GROUP_REPLICATION, dimensions=(_TIMES, _VIEW))
def group_replication_streams(stream: StreamBuilder) -> None:
    """Transaction_context events before transactions, and View_change events in transactions of their own."""
    _log_of(stream, _of_times(add_group_replication))


#: A transaction that is prepared ends with a statement, which is a group of its own.
_FINISHED: Final = choices(
    "statement that ends it", ("none", "XA COMMIT", "XA ROLLBACK"), when={server_events.ONE_PHASE.name: ("two",)}
)


_XA_NAMED: Final = Dimension("GTID of the transaction", {"no": False, "yes": True}, profiles={"yes": Profiles("mysql")})


@family(
    focus="FORMAT-XA-PREPARE",
    profiles=WITH_XA_PREPARE,
    dimensions=(_TIMES, *server_events.XA_DIMENSIONS, _FINISHED, _XA_NAMED),
)
def xa_transactions(stream: StreamBuilder) -> None:
    """XA transactions that are prepared, and perhaps ended later, or committed in one phase."""

    def add(stream: StreamBuilder) -> None:
        events = server_events.xa_transaction(stream, groups.statement(stream))
        groups.add_group(stream, events, anonymous=not stream.vary(_XA_NAMED))
        if (words := stream.vary(_FINISHED)) != "none":
            name = events[0].fields["query"].removeprefix("XA START ")
            groups.add_group(stream, [mysql_events.query(stream, f"{words} {name}")], anonymous=False)

    _log_of(stream, _of_times(add))


@family(focus="FORMAT-TRANSACTION-PAYLOAD", profiles=WITH_PAYLOADS, dimensions=(_TIMES, payloads.COMPRESSION))
def transaction_payloads(stream: StreamBuilder) -> None:
    """Transactions inside Transaction_payload events, with and without zstd."""
    _log_of(stream, _of_times(add_payload))


#: The numbers in the head of a payload take one byte up to 250, three above, and four from 2^16 on.
_PAYLOAD: Final = sizes("bytes", 251, 65_536, most=70_000, fewest=200)
_ATTEMPTS: Final = 3
_COUNTED: Final = choices("what has so many bytes", ("the events", "the payload"))


@family(
    focus="FORMAT-TRANSACTION-PAYLOAD", profiles=WITH_PAYLOADS, dimensions=(_PAYLOAD, payloads.COMPRESSION, _COUNTED)
)
def payload_sizes(stream: StreamBuilder) -> None:
    """A transaction in a Transaction_payload event whose sizes are at the borders of how their numbers are written."""
    size, counted, compression = stream.vary(_PAYLOAD), stream.vary(_COUNTED), stream.vary(payloads.COMPRESSION)
    groups.begin_plain_log(stream)
    begin, end = mysql_events.query(stream, "BEGIN", status_variables=b""), mysql_events.xid(stream)
    inner = [begin, mysql_events.query(stream, _inserted(size), status_variables=b""), end]
    before, length = inner[1].body.removesuffix(_inserted(size).encode()), size
    # The length of the statement is in the bytes that are packed, too.
    for _ in range(_ATTEMPTS):
        length += size - payloads.sizes_of(stream, inner, compression)[counted == "the payload"]
        text = _inserted(length)
        inner[1] = inner[1]._replace(body=before + text.encode(), fields={**inner[1].fields, "query": text})
    _add(stream, [payloads.transaction_payload(stream, inner, compression=compression)])
    groups.end_log(stream)


def _inserted(size: int) -> str:
    """Return a statement of so many bytes, of which none is the same as the one before it."""
    return ("INSERT INTO t1 VALUES (1) -- " + "0123456789" * (size // 10))[:size]


_BODY: Final = sizes("body of the ignorable event", 251, 256, most=300)


@family(
    focus="FORMAT-TRANSACTION-PAYLOAD-UNKNOWN",
    profiles=WITH_PAYLOADS,
    dimensions=(_TIMES, payloads.COMPRESSION, _BODY),
)
def ignorable_events_in_payloads(stream: StreamBuilder) -> None:
    """Transaction_payload events that hold flagged events of unassigned types, which a reader skips there too."""
    choose = stream.choose
    code = choose.one_of(UNASSIGNED)
    groups.begin_plain_log(stream, lengths=declare_up_to(stream, code))
    for _ in stream.several_of(_TIMES):
        size = stream.vary(_BODY)
        ignorable = mysql_events.ignorable(stream, code, choose.octets(size, size), flags=0)
        payload = payloads.transaction_payload(stream, payloads.put_in(stream, groups.transaction(stream), ignorable))
        _add(stream, [payload.only_for("FORMAT-TRANSACTION-PAYLOAD-UNKNOWN")])
    groups.end_log(stream)


@family(
    focus=("FORMAT-LARGE-TRANSACTION-HEADER", "FORMAT-SEND-EVENT", "FORMAT-RELAY-EVENT"),
    profiles=WITH_LARGE_TRANSACTIONS,
    dimensions=(_TIMES,),
)
def large_transactions(stream: StreamBuilder) -> None:
    """Transactions after a header that gives their end, for which the format description declares one more type."""
    groups.begin_plain_log(stream, lengths=stream.server.post_header_lengths + b"\0")
    _add_some(stream, (_of_times(_add_large_transaction), add_ordinary))


@family(
    focus="FORMAT-MARIADB-GTID",
    profiles=_MARIADB,
    dimensions=(_CHANGES, _TIMES, _COMPRESSED_ROWS, mariadb_events.COMPRESSED_BYTES, mariadb_events.LISTED),
)
def mariadb_streams(stream: StreamBuilder) -> None:
    """MariaDB's logs, with its Gtid, Annotate_rows and compressed events."""
    groups.begin_log(stream)
    _of_times(_add_mariadb_group)(stream)
    groups.end_log(stream)


def _log_of(stream: StreamBuilder, addition: _Addition) -> None:
    groups.begin_plain_log(stream)
    _add_some(stream, (addition, add_ordinary))


def _add_some(stream: StreamBuilder, additions: tuple[_Addition, ...]) -> None:
    """Add the first of the additions, then any of them."""
    additions[0](stream)
    for _ in stream.choose.several(0, 3):
        stream.choose.one_of(additions)(stream)
    groups.end_log(stream)


def _add(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    """Add a group; more readers accept an Anonymous_gtid event before it than a Gtid event."""
    groups.add_group(stream, planned, anonymous=True)


def add_ordinary(stream: StreamBuilder) -> None:
    """Add a transaction or a statement that is one."""
    _add(stream, groups.group(stream))


def add_tagged_group(stream: StreamBuilder) -> None:
    """Add a transaction or a statement that is one, after a Gtid event with a tag."""
    for event in groups.with_tagged_gtid(stream, groups.group(stream)):
        stream.add(event)


def add_user_variables(stream: StreamBuilder) -> None:
    """Add a transaction with user variables."""
    planned = [mysql_events.query(stream, "BEGIN")]
    planned += [statement_events.user_var(stream) for _ in stream.choose.several(1, 4)]
    planned += [mysql_events.query(stream, "INSERT INTO t1 VALUES (@a)"), mysql_events.xid(stream)]
    _add(stream, planned)


def add_load_data(stream: StreamBuilder) -> None:
    """Add a transaction with LOAD DATA."""
    _add(stream, statement_events.load_data(stream))


def add_artificial_rotate(stream: StreamBuilder) -> None:
    """Add a Rotate that a source makes: relay logs and what replicas receive have it."""
    stream.add(mysql_events.rotate(stream, flags=int(Flag.ARTIFICIAL)))


def add_incident(stream: StreamBuilder) -> None:
    """Add an Incident event, as a transaction where servers log it as one."""
    incident = server_events.incident(stream)
    if stream.server.profile in WITH_INCIDENT_TRANSACTIONS:
        _add(stream, [incident])
    else:
        stream.add(incident)


def _add_heartbeat(stream: StreamBuilder) -> None:
    with_version_2 = stream.server.profile in WITH_HEARTBEAT_V2 and stream.choose.yes()
    stream.add(server_events.heartbeat_v2(stream) if with_version_2 else server_events.heartbeat(stream))


def add_group_replication(stream: StreamBuilder) -> None:
    """Add what group replication logs: a change of the group, or a transaction with its context."""
    if stream.vary(_VIEW):
        view = [
            mysql_events.query(stream, "BEGIN"),
            server_events.view_change(stream),
            mysql_events.query(stream, "COMMIT"),
        ]
        _add(stream, view)
    else:
        stream.add(server_events.transaction_context(stream))
        add_ordinary(stream)


def add_xa_transaction(stream: StreamBuilder) -> None:
    """Add an XA transaction."""
    _add(stream, server_events.xa_transaction(stream, groups.statement(stream)))


def add_payload(stream: StreamBuilder) -> None:
    """Add a transaction in a Transaction_payload event."""
    _add(stream, [payloads.transaction_payload(stream, groups.transaction(stream))])


def _add_large_transaction(stream: StreamBuilder) -> None:
    planned = groups.transaction(stream)
    offset = sum(map(stream.length_of, planned[:-1]))
    stream.add(server_events.large_transaction_header(stream, terminating_offset=stream.offset + offset))
    # No release writes it: a reader that does not know the type passes over it by its flag.
    stream.leave_open("handled")
    _add(stream, planned)


def add_row_changes(stream: StreamBuilder) -> None:
    """Add a transaction with write, update and delete rows events of one table."""
    planned = [mysql_events.query(stream, "BEGIN")]
    kind = stream.choose.one_of(column_kinds(stream))
    count = stream.choose.one_of((251, 256)) if stream.choose.yes(30) else 1
    rows = row_events.table_of(stream, [kind] * count)
    planned.append(row_events.table_map(stream, rows))
    for operation in row_events.OPERATIONS:
        planned.append(row_events.rows_event(stream, rows, operation, last=operation == "delete"))
    _add(stream, [*planned, mysql_events.xid(stream)])


def _add_mariadb_group(stream: StreamBuilder) -> None:
    _add_mariadb_group_of(stream, stream.vary(_CHANGES))


def add_compressed_rows(stream: StreamBuilder) -> None:
    """Add a transaction of MariaDB with compressed rows, after an Annotate_rows event."""
    _add_mariadb_group_of(stream, f"compressed {stream.choose.one_of(row_events.OPERATIONS)}")


def add_annotated_rows(stream: StreamBuilder) -> None:
    """Add a transaction of MariaDB with rows, after an Annotate_rows event."""
    _add_mariadb_group_of(stream, "rows")


def add_compressed_statement(stream: StreamBuilder) -> None:
    """Add a transaction of MariaDB with a compressed statement."""
    _add_mariadb_group_of(stream, "compressed statement")


def _add_mariadb_group_of(stream: StreamBuilder, changes: str) -> None:
    if changes == "DDL":
        planned = [mariadb_events.gtid(stream, standalone=True), *groups.ddl(stream)]
    else:
        gtid = mariadb_events.gtid(stream, standalone=False)
        planned = [gtid, *_mariadb_changes(stream, changes), mysql_events.xid(stream)]
    groups.add_whole_group(stream, planned)


def _mariadb_changes(stream: StreamBuilder, kind: str) -> list[PlannedEvent]:
    choose = stream.choose
    if kind == "compressed statement":
        return [mariadb_events.query_compressed(stream)]
    changes = [mariadb_events.annotate_rows(stream)]
    if kind == "rows":
        return [*changes, *groups.row_changes(stream)]
    rows = row_events.table_of(stream, (choose.one_of(column_kinds(stream)) for _ in choose.several(1, 3)))
    operation = next(each for each in row_events.OPERATIONS if kind == f"compressed {each}")
    several = stream.several_of(_COMPRESSED_ROWS)
    compressed = row_events.compressed_rows_event(stream, rows, operation, several=several)
    return [*changes, row_events.table_map(stream, rows), compressed]


#: What can be added to a stream, by name, and under which profiles.
ADDITIONS: Final[Mapping[str, tuple[_Addition, Profiles]]] = {
    "ordinary": (add_ordinary, EVERY_PROFILE),
    "rows": (add_row_changes, EVERY_PROFILE),
    "user variables": (add_user_variables, EVERY_PROFILE),
    "loaded file": (add_load_data, EVERY_PROFILE),
    "incident": (add_incident, EVERY_PROFILE),
    "group replication": (add_group_replication, WITH_GROUP_REPLICATION),
    "XA": (add_xa_transaction, WITH_XA_PREPARE),
    "payload": (add_payload, WITH_PAYLOADS),
    "MariaDB's group": (_add_mariadb_group, _MARIADB),
}


def additions(name: str, kinds: Iterable[str] = ADDITIONS) -> Dimension[_Addition]:
    """Return the dimension of what can be added to a stream, of all of it or of some kinds."""
    made = {each: ADDITIONS[each] for each in kinds}
    return Dimension(
        name,
        {each: addition for each, (addition, _) in made.items()},
        profiles={each: profiles for each, (_, profiles) in made.items()},
    )


#: Neighbours, in both orders.
_FIRST, _SECOND = (additions(name) for name in ("group", "group after it"))


#: One with a sign in 32 bits, which a reader may forget in the events of one type.
_SERVER_ID: Final = Dimension("server id", {"1": 1, "from 2^31": (1 << 31) + 1})


@family(
    focus=("FORMAT-EVENT-DELIVERED", "FORMAT-SEND-EVENT", "FORMAT-RELAY-EVENT"),
    dimensions=(_FIRST, _SECOND, _SERVER_ID),
)
def every_event_type(stream: StreamBuilder) -> None:
    """Streams with every event type that the profile's server logs, each after each other."""
    stream.server_id = stream.vary(_SERVER_ID)
    groups.begin_log(stream)
    groups.number_from_anywhere(stream)
    stream.vary(_FIRST)(stream)
    stream.vary(_SECOND)(stream)
    for _ in stream.choose.several(0, 4):
        stream.vary(_FIRST)(stream)
    groups.end_log(stream)


#: Event type -> a family whose streams have events of it; None for types that no server of a profile writes.
FAMILY_OF_TYPE: Final[Mapping[EventType, str | None]] = total(
    f"{__name__}.FAMILY_OF_TYPE",
    EventType,
    {
        EventType.IGNORABLE: "ignorable_events",
        EventType.ROWS_QUERY: "rows_query_streams",
        EventType.PARTIAL_UPDATE_ROWS: "partial_json_updates",
        EventType.GTID_TAGGED: "tagged_gtid_streams",
        EventType.LARGE_TRANSACTION_HEADER: "large_transactions",
        EventType.MARIADB_BINLOG_CHECKPOINT: "mariadb_streams",
        EventType.MARIADB_GTID_LIST: "mariadb_streams",
        EventType.MARIADB_START_ENCRYPTION: "encrypted_events",
    },
    entry="the name of a family whose streams have it, such as every_event_type",
    rest={
        (
            EventType.QUERY,
            EventType.STOP,
            EventType.ROTATE,
            EventType.INTVAR,
            EventType.APPEND_BLOCK,
            EventType.DELETE_FILE,
            EventType.RAND,
            EventType.USER_VAR,
            EventType.FORMAT_DESCRIPTION,
            EventType.XID,
            EventType.BEGIN_LOAD_QUERY,
            EventType.EXECUTE_LOAD_QUERY,
            EventType.TABLE_MAP,
            *ROWS_V1,
            EventType.INCIDENT,
            *ROWS_V2,
            EventType.GTID,
            EventType.ANONYMOUS_GTID,
            EventType.PREVIOUS_GTIDS,
            EventType.TRANSACTION_CONTEXT,
            EventType.VIEW_CHANGE,
            EventType.XA_PREPARE,
            EventType.TRANSACTION_PAYLOAD,
        ): "every_event_type",
        (
            EventType.MARIADB_ANNOTATE_ROWS,
            EventType.MARIADB_GTID,
            EventType.MARIADB_QUERY_COMPRESSED,
            *COMPRESSED_ROWS_V1,
        ): "mariadb_streams",
        HEARTBEAT_TYPES: "heartbeats",
        PRE_GA_ROWS: "rows_of_betas",
        # Before 5.0: a boundary parser has classes for them.
        (EventType.START_V3, EventType.SLAVE, EventType.LOAD, EventType.CREATE_FILE, EventType.EXEC_LOAD): (
            "unmarked_streams"
        ),
        (EventType.UNKNOWN, EventType.NEW_LOAD, *COMPRESSED_ROWS, EventType.MARIADB_PARTIAL_ROW_DATA): None,
    },
)
