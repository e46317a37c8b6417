"""Groups of unusual events for an applier: without a change, partly undone, of several tables, in two relay logs."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet, Interval, Source
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import gtid_events, mysql_events, server_events
from conformance.strategies.grammar.dimension import Dimension, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups, replica_variants
from conformance.strategies.groups.replica_variants import BEFORE, CHANGE, GROUP, MODE

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
#: One group, or the parts of several, of which each has its own Gtid event.
_Parts = list[list[PlannedEvent]]


def _query(stream: StreamBuilder, *texts: str) -> list[PlannedEvent]:
    return [data_changes.query(stream, each) for each in texts]


def _insert(stream: StreamBuilder) -> list[PlannedEvent]:
    first, second = (stream.choose.integer(0, 99) for _ in range(2))
    return _query(stream, f"INSERT INTO `t1` VALUES ({first}, {second})")


def _without_changes(stream: StreamBuilder) -> _Parts:
    return [_query(stream, "BEGIN", "COMMIT")]


def _without_changes_by_xid(stream: StreamBuilder) -> _Parts:
    return [[*_query(stream, "BEGIN"), mysql_events.xid(stream)]]


def _back_to_savepoint(stream: StreamBuilder) -> _Parts:
    """Return a group that goes back to a savepoint, as servers log it after a change that cannot be undone."""
    return [
        [
            *_query(stream, "BEGIN"),
            *_insert(stream),
            *_query(stream, "SAVEPOINT `s`"),
            *_insert(stream),
            *_query(stream, "ROLLBACK TO `s`"),
            *_insert(stream),
            mysql_events.xid(stream),
        ]
    ]


def _back_to_last_savepoint(stream: StreamBuilder) -> _Parts:
    """Return a group that goes back to the second of two savepoints of one name: the first is gone."""
    place = _query(stream, "SAVEPOINT `s`")
    return [
        [
            *_query(stream, "BEGIN"),
            *place,
            *_insert(stream),
            *place,
            *_insert(stream),
            *_query(stream, "ROLLBACK TO `s`"),
            mysql_events.xid(stream),
        ]
    ]


def _back_twice(stream: StreamBuilder) -> _Parts:
    """Return a group that goes back to one savepoint twice: it stays where it was set."""
    back = [*_insert(stream), *_query(stream, "ROLLBACK TO `s`")]
    return [
        [
            *_query(stream, "BEGIN"),
            *_insert(stream),
            *_query(stream, "SAVEPOINT `s`"),
            *back,
            *back,
            mysql_events.xid(stream),
        ]
    ]


def _cut_off(stream: StreamBuilder) -> _Parts:
    """Return the beginning of a group, as of a connection that was lost, and the next group: the first never was."""
    begun = [*_query(stream, "BEGIN"), *_insert(stream)]
    return [begun, [*_query(stream, "BEGIN"), *_insert(stream), mysql_events.xid(stream)]]


def _savepoints(stream: StreamBuilder) -> _Parts:
    """Return a group with two savepoints of one name, which are left as they are."""
    place = _query(stream, "SAVEPOINT `s`")
    return [
        [*_query(stream, "BEGIN"), *place, *_insert(stream), *place, *_insert(stream), mysql_events.xid(stream)],
    ]


def _ids_of_other_tables(stream: StreamBuilder) -> _Parts:
    """Return a group whose Table_map events give the id of one table to another, as after a restart of the source.

    An id is that of the last Table_map event with it. The other table is made first: no other group has its name.
    """
    stream.settings["tables"] = [*replica_groups.TABLES, "test.t10"]
    first = stream.choose.integer(1, 1000)
    second = first + stream.choose.integer(1, 9)
    statements: tuple[dict[str, int], ...] = (
        {"t1": first},
        {"t10": first},
        {"t1": first, "t10": second},
        {"t1": second, "t10": first},
    )
    rows = [event for ids in statements for event in data_changes.rows_of_tables(stream, ids)]
    return [
        _query(stream, "CREATE TABLE `t10` (`a` INT, `b` INT)"),
        [*_query(stream, "BEGIN"), *rows, mysql_events.xid(stream)],
    ]


def _two_phases(stream: StreamBuilder) -> _Parts:
    """Return an XA transaction that is prepared, and the group that commits it later."""
    name = "X'78',X'',1"
    del stream.settings["tables"]
    return [
        [
            *_query(stream, f"XA START {name}"),
            *_insert(stream),
            *_query(stream, f"XA END {name}"),
            server_events.xa_prepare(stream, b"x", b"", format_id=1, one_phase=0),
        ],
        replica_groups.create(stream),
        _query(stream, f"XA {stream.choose.one_of(('COMMIT', 'ROLLBACK'))} {name}"),
    ]


def _atomic_creation(stream: StreamBuilder) -> _Parts:
    """Return a CREATE TABLE ... SELECT of servers since 8.0.21: the creation stays inside its transaction."""
    del stream.settings["tables"]
    creation = "CREATE TABLE `t9` (`a` int DEFAULT NULL, `b` int DEFAULT NULL) START TRANSACTION"
    rows = data_changes.row_changes(stream, table="t9")
    return [[*_query(stream, "BEGIN", creation), *rows, mysql_events.xid(stream)]]


_ODD: Final[Dimension[Callable[[StreamBuilder], _Parts]]] = Dimension(
    "odd group",
    {
        "without changes": _without_changes,
        "without changes, ended by an Xid event": _without_changes_by_xid,
        "rolled back to a savepoint": _back_to_savepoint,
        "rolled back to a savepoint that was set again": _back_to_last_savepoint,
        "rolled back to a savepoint twice": _back_twice,
        "with savepoints": _savepoints,
        "cut off": _cut_off,
        "table ids that were another table's": _ids_of_other_tables,
        "XA transaction in two phases": _two_phases,
        "CREATE TABLE with START TRANSACTION": _atomic_creation,
    },
    profiles={
        # Without the event before the next group nothing shows that the rest never came. 9.7.4 may crash there.
        "cut off": Profiles("worklog", "mysql >= 5.7, < 8.0.27"),
        "XA transaction in two phases": Profiles("mysql >= 5.7"),
        "CREATE TABLE with START TRANSACTION": Profiles("mysql >= 8.4"),
    },
)
#: After FLUSH RELAY LOGS the rest of a group is in the next relay log, of which a server makes one stream here.
_RELAY_LOGS: Final = choices("its events are", ("in one relay log", "in two"))
_AFTER: Final = Number("groups after", few=2)


@family(focus="FORMAT-APPLY-GROUP", profiles=EVERY_PROFILE, dimensions=(_ODD, _RELAY_LOGS, MODE, BEFORE, _AFTER))
def odd_groups_applied(stream: StreamBuilder) -> None:
    """Groups without a change, partly undone, of two tables, in two phases: each is executed, none left open."""
    replica_groups.begin_relay_log(stream)
    mode = replica_variants.set_mode(stream)
    replica_variants.add_before(stream, mode)
    in_two = stream.vary(_RELAY_LOGS) == "in two"
    for number, part in enumerate(stream.vary(_ODD)(stream)):
        planned = replica_groups.in_mode(stream, part, mode)
        cut = len(planned) - 1 if in_two and number == 0 else 0
        replica_groups.add(stream, planned[:cut])
        if cut:
            _flush(stream)
        replica_groups.add(stream, planned[cut:])
    for _ in stream.several_of(_AFTER):
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))


def _flush(stream: StreamBuilder) -> None:
    """Go on after the source's format description, which the next relay log has once more."""
    stream.add(stream.described(flags=_ARTIFICIAL))
    stream.set_log_pos(0)


#: More groups than any of its streams has.
_MANY: Final = 1000
_NAMED: Final = choices(
    "GTIDs in the relay log's Previous_gtids", ("those of the first group", "those of all and more")
)


@family(
    focus="FORMAT-APPLY-EXECUTED",
    profiles=Profiles("worklog", "mysql >= 5.7"),
    dimensions=(_NAMED, GROUP, CHANGE, _AFTER),
)
def retrieved_groups_applied(stream: StreamBuilder) -> None:
    """Groups whose GTIDs are in the Previous_gtids event of the relay log: they were received before, not executed."""
    stream.settings["gtid_mode"] = "ON"
    stream.gtid_step = 1
    named = 1 if stream.vary(_NAMED) == "those of the first group" else _MANY
    source = Source(gtid_events.UUIDS[0], (Interval(1, named + 1),))
    replica_groups.begin_relay_log(stream, received=GtidSet((source,)))
    # The groups have the GTIDs that it names.
    stream.executed = ExecutedGtids()
    planned = replica_groups.in_mode(stream, replica_variants.plain_group(stream), "ON")
    replica_groups.add(stream, [each.marked("FORMAT-APPLY-EXECUTED") for each in planned])
    for _ in stream.several_of(_AFTER):
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), "ON"))
