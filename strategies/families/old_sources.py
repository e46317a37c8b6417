"""Logs of sources before WL#4162, in the shapes that recorded logs of 5.0, 5.1, 5.5 and 5.6 have.

What they ask of a boundary parser follows from the shape, which begins and ends a transaction, and not from any parser.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.binlog.servers import server_of
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events, server_events, statement_events
from conformance.strategies.grammar.dimension import Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_PROMISE: Final = "WL4162-TT-GUESS-OLD-SOURCE"


def _words(words: str) -> Callable[[StreamBuilder], list[PlannedEvent]]:
    return lambda stream: [mysql_events.query(stream, words)]


def _load(stream: StreamBuilder) -> list[PlannedEvent]:
    blocks = [statement_events.load_block(stream, 1, first=first) for first in (True, False)]
    return [*blocks, statement_events.execute_load_query(stream, 1)]


#: What the shapes are made of, by the names of events in a listed log.
_PARTS: Final[dict[str, Callable[[StreamBuilder], list[PlannedEvent]]]] = {
    "BEGIN": _words("BEGIN"),
    "COMMIT": _words("COMMIT"),
    "ROLLBACK": _words("ROLLBACK"),
    "SAVEPOINT": _words("SAVEPOINT `sp`"),
    "ROLLBACK-TO": _words("ROLLBACK TO `sp`"),
    "statement": _words("INSERT INTO `t1` VALUES (1)"),
    "CREATE": groups.ddl,
    "rows": groups.row_changes,
    "load": _load,
    "Xid": lambda stream: [mysql_events.xid(stream)],
    "Intvar": lambda stream: [mysql_events.intvar(stream)],
    "Rand": lambda stream: [mysql_events.rand(stream)],
    "User_var": lambda stream: [statement_events.user_var(stream)],
    "Gtid": lambda stream: [groups.group_gtid(stream, [], anonymous=False)],
    "Incident": lambda stream: [server_events.incident(stream)],
}


@dataclass(frozen=True, slots=True)
class RecordedShape:
    """A transaction, or an event outside of any, as it is in recorded logs.

    Attributes:
        server: The profile of the server that wrote it.
        parts: Its parts, the names of which are in `_PARTS`.
    """

    server: str
    parts: str


#: The shapes in recorded logs of servers before the feature. Missing are those that contradict the type table, which
#: are in the interpretation of the requirement.
RECORDED_SHAPES: Final = (
    RecordedShape("mysql-5.1", "CREATE"),
    RecordedShape("mysql-5.1", "statement"),
    RecordedShape("mysql-5.1", "Intvar statement"),
    RecordedShape("mysql-5.1", "Rand statement"),
    RecordedShape("mysql-5.1", "User_var statement"),
    RecordedShape("mysql-5.1", "BEGIN rows Xid"),
    RecordedShape("mysql-5.1", "BEGIN rows COMMIT"),
    RecordedShape("mysql-5.1", "BEGIN statement statement Xid"),
    RecordedShape("mysql-5.1", "BEGIN statement SAVEPOINT statement ROLLBACK-TO statement Xid"),
    RecordedShape("mysql-5.1", "Incident"),
    RecordedShape("mysql-5.5", "BEGIN rows rows Xid"),
    RecordedShape("mysql-5.5", "BEGIN statement ROLLBACK"),
    RecordedShape("mysql-5.6", "BEGIN statement COMMIT"),
    RecordedShape("mysql-5.6", "BEGIN Intvar statement COMMIT"),
    RecordedShape("mysql-5.6", "BEGIN Rand statement COMMIT"),
    RecordedShape("mysql-5.6", "BEGIN User_var statement COMMIT"),
    RecordedShape("mysql-5.6", "BEGIN load Xid"),
    RecordedShape("mysql-5.6", "Gtid BEGIN statement COMMIT"),
    RecordedShape("mysql-5.6", "Gtid BEGIN rows Xid"),
    RecordedShape("mysql-5.6", "Gtid CREATE"),
)
_SERVERS: Final = tuple(dict.fromkeys(each.server for each in RECORDED_SHAPES))


def planned(stream: StreamBuilder, shape: RecordedShape) -> list[PlannedEvent]:
    """Return the events of a shape."""
    return [event for part in shape.parts.split() for event in _PARTS[part](stream)]


#: The shape of the first transaction of a log, which the newest of its servers wrote.
_SHAPES: Final = choices("transaction", RECORDED_SHAPES, text=lambda shape: f"{shape.parts} in {shape.server}")
_TRANSACTIONS: Final = Number("transactions", many=(200, 220))
_PLACES: Final = choices("place", ("first", "last"))


@family(focus=_PROMISE, profiles=Profiles("worklog"), checksums=False, dimensions=(_SHAPES, _TRANSACTIONS, _PLACES))
def old_source_streams(stream: StreamBuilder) -> None:
    """Logs of sources without markers, made of the shapes that recorded logs of those servers have."""
    choose, reader = stream.choose, stream.server
    shape = stream.vary(_SHAPES)
    stream.server = server_of(shape.server)
    stream.describe_format(post_header_lengths=stream.server.post_header_lengths, marks=(_PROMISE,))
    newest = _SERVERS.index(shape.server)
    with_gtids = shape.parts.startswith("Gtid")
    if with_gtids:
        previous = gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=0)
        stream.add(previous.marked(_PROMISE))
    # A newer server still writes what an older one did, with a Gtid event before each transaction or before none.
    shapes = [
        each
        for each in RECORDED_SHAPES
        if _SERVERS.index(each.server) <= newest and each.parts.startswith("Gtid") == with_gtids
    ]
    others = [choose.one_of(shapes) for _ in stream.several_of(_TRANSACTIONS)][1:]
    for each in [shape, *others] if stream.vary(_PLACES) == "first" else [*others, shape]:
        for event in planned(stream, each):
            stream.add(event.marked(_PROMISE))
        stream.timestamp += 1
    for event in groups.ending(stream):
        stream.add(event.marked(_PROMISE))
    stream.server = reader
