"""Groups of unusual events for an applier: without a change, partly undone, of several tables, in two relay logs."""

from collections.abc import Callable, Mapping
from typing import Final

from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet, Interval, Source
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS, WITH_IGNORABLE_FLAG
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import gtid_events, mysql_events
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups, replica_variants
from conformance.strategies.groups.replica_variants import BEFORE, CHANGE, GROUP, MODE, TAGS, WITH_GROUPS_CUT_OFF

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
_OF_RELAY_LOG: Final = int(Flag.RELAY_LOG | Flag.IGNORABLE)
_OTHER_DATABASE: Final = "other"
_UNKNOWN_CODE: Final = UNASSIGNED[0]
_UNKNOWN_WITHIN: Final = "unknown event before a statement without BEGIN"
_TEMPORARY: Final = "a temporary table within"
_TEMPORARY_LAST: Final = "a temporary table that is dropped last"
_TEMPORARY_UNDONE: Final = "a temporary table in a group that is rolled back"
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


def _without_changes_rolled_back(stream: StreamBuilder) -> _Parts:
    return [_query(stream, "BEGIN", "ROLLBACK")]


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


def _rows_back_to_savepoint(stream: StreamBuilder) -> _Parts:
    """Return a group that goes back to a savepoint with rows before it and after it."""
    return [
        [
            *_query(stream, "BEGIN"),
            *data_changes.row_changes(stream),
            *_query(stream, "SAVEPOINT `s`"),
            *data_changes.row_changes(stream),
            *_insert(stream),
            *_query(stream, "ROLLBACK TO `s`"),
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


def _cut_off_before_definition(stream: StreamBuilder) -> _Parts:
    """Return the beginning of a group, and a definition, which has no BEGIN of its own."""
    return [[*_query(stream, "BEGIN"), *_insert(stream)], replica_groups.create(stream)]


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


def _of_another_database(stream: StreamBuilder) -> _Parts:
    """Return a group that changes two tables of one name, as a statement and as rows; they differ in the database."""
    stream.settings["tables"] = [*replica_groups.TABLES, f"{_OTHER_DATABASE}.t1"]

    def there(text: str) -> PlannedEvent:
        return data_changes.query(stream, text, database=_OTHER_DATABASE)

    return [
        [there(f"CREATE DATABASE `{_OTHER_DATABASE}`")],
        [there("CREATE TABLE `t1` (`a` INT, `b` INT)")],
        [
            *_query(stream, "BEGIN"),
            *_insert(stream),
            there("INSERT INTO `t1` VALUES (1, 2)"),
            *data_changes.row_changes(stream, database=_OTHER_DATABASE),
            mysql_events.xid(stream),
        ],
    ]


def _made_again(stream: StreamBuilder) -> _Parts:
    """Return groups that drop a table with rows and make it again; once more, IF NOT EXISTS, makes nothing."""
    stream.settings["tables"] = [*replica_groups.TABLES, "test.t10"]
    creation = "CREATE TABLE IF NOT EXISTS `t10` (`a` INT, `b` INT)"

    def filled(first: int) -> list[PlannedEvent]:
        return [*_query(stream, "BEGIN", f"INSERT INTO `t10` VALUES ({first}, 0)"), mysql_events.xid(stream)]

    return [
        *(_query(stream, creation), filled(1), _query(stream, "DROP TABLE `t10`")),
        *(_query(stream, creation), filled(2), _query(stream, creation)),
    ]


def _to_first_of_two_savepoints(stream: StreamBuilder) -> _Parts:
    """Return a group that goes back to the first of two savepoints."""
    return [
        [
            *_query(stream, "BEGIN"),
            *_insert(stream),
            *_query(stream, "SAVEPOINT `s`"),
            *_insert(stream),
            *_query(stream, "SAVEPOINT `u`"),
            *_insert(stream),
            *_query(stream, "ROLLBACK TO `s`"),
            mysql_events.xid(stream),
        ]
    ]


def _two_variables(stream: StreamBuilder) -> _Parts:
    """Return a group with a statement of two user variables, of which one is NULL."""
    variables = [data_changes.variable(stream), data_changes.null_variable(stream, "w")]
    statement = _query(stream, "INSERT INTO `t1` VALUES (@`v`, @`w`)")
    return [[*_query(stream, "BEGIN"), *variables, *statement, mysql_events.xid(stream)]]


def _variable_unset(stream: StreamBuilder) -> _Parts:
    """Return a group in which a user variable has a value, and then is NULL."""
    statement = "INSERT INTO `t1` VALUES (@`v`, {})"
    before = [data_changes.variable(stream), *_query(stream, statement.format(1))]
    after = [data_changes.null_variable(stream, "v"), *_query(stream, statement.format(2))]
    return [[*_query(stream, "BEGIN"), *before, *after, mysql_events.xid(stream)]]


def _unknown_before_statement(stream: StreamBuilder) -> _Parts:
    """Return a statement without BEGIN, and an event that no reader knows between it and its variable."""
    variable, statement = data_changes.with_variable(stream)
    return [[variable, mysql_events.ignorable(stream, _UNKNOWN_CODE, b"", flags=0), statement]]


def _unknown_alone(stream: StreamBuilder) -> _Parts:
    """Return a group that has nothing but events that no reader knows: it is executed all the same."""
    unknown = [mysql_events.ignorable(stream, _UNKNOWN_CODE, b"", flags=0) for _ in stream.choose.several(1, 2)]
    end = _query(stream, "COMMIT") if stream.choose.yes() else [mysql_events.xid(stream)]
    return [[*_query(stream, "BEGIN"), *unknown, *end]]


def _rows_alone(stream: StreamBuilder) -> _Parts:
    """Return groups of rows without BEGIN and end, of one rows event and of two: each ends with its statement.

    The flag for that is alone, or beside those of a session without checks.
    """
    return [
        data_changes.row_changes(stream),
        data_changes.row_changes(stream, flags=data_changes.NO_CHECKS),
        data_changes.row_changes(stream, rows_events=2),
    ]


def _file_alone(stream: StreamBuilder) -> _Parts:
    """Return LOAD DATA without BEGIN and end: it ends with its statement."""
    return [data_changes.loaded_file(stream)]


def _two_phases(stream: StreamBuilder) -> _Parts:
    """Return an XA transaction that is prepared, and the group that commits it later."""
    del stream.settings["tables"]
    return [
        replica_groups.prepared(stream),
        replica_groups.create(stream),
        _query(stream, replica_groups.end_of_prepared(stream)),
    ]


def _with_temporary(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the beginning of a group that makes and drops a temporary table between its changes."""
    return [
        *_query(stream, "BEGIN"),
        *_insert(stream),
        *_query(stream, "CREATE TEMPORARY TABLE `s9` (`a` INT)"),
        *_insert(stream),
        *_query(stream, "DROP TEMPORARY TABLE `s9`"),
    ]


def _temporary_within(stream: StreamBuilder) -> _Parts:
    """Return a group that makes and drops a temporary table between its changes, which commits nothing."""
    return [[*_with_temporary(stream), *_insert(stream), mysql_events.xid(stream)]]


def _temporary_last(stream: StreamBuilder) -> _Parts:
    """Return a group whose last statement is about a temporary table: its changes are logged all the same."""
    return [[*_with_temporary(stream), mysql_events.xid(stream)]]


def _temporary_undone(stream: StreamBuilder) -> _Parts:
    """Return a group of whose changes nothing is left, neither of those before the temporary table is dropped."""
    return [[*_with_temporary(stream), *_insert(stream), *_query(stream, "ROLLBACK")]]


def _atomic_creation_of_engine(stream: StreamBuilder) -> _Parts:
    return _atomic_creation(stream, " ENGINE=InnoDB")


def _atomic_creation(stream: StreamBuilder, engine: str = "") -> _Parts:
    """Return a CREATE TABLE ... SELECT of servers since 8.0.21: the creation stays inside its transaction.

    Servers write an engine that the statement names after the words that make it one transaction.
    """
    del stream.settings["tables"]
    creation = f"CREATE TABLE `t9` (`a` int DEFAULT NULL, `b` int DEFAULT NULL) START TRANSACTION{engine}"
    rows = data_changes.row_changes(stream, table="t9")
    return [[*_query(stream, "BEGIN", creation), *rows, mysql_events.xid(stream)]]


_FILE_ALONE: Final = "a loaded file without BEGIN"
#: Servers of today write BEGIN before changes of data; those of 5.1 wrote none before such of MyISAM.
_ALONE: Final[Mapping[str, Callable[[StreamBuilder], _Parts]]] = {
    "rows without BEGIN": _rows_alone,
    _FILE_ALONE: _file_alone,
}
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
        "cut off before a definition": _cut_off_before_definition,
        _UNKNOWN_WITHIN: _unknown_before_statement,
        "rolled back to the first of two savepoints": _to_first_of_two_savepoints,
        "two user variables": _two_variables,
        "a table of another database": _of_another_database,
        "a table that is made again": _made_again,
        "table ids that were another table's": _ids_of_other_tables,
        "XA transaction in two phases": _two_phases,
        "CREATE TABLE with START TRANSACTION": _atomic_creation,
        "CREATE TABLE with START TRANSACTION and an engine": _atomic_creation_of_engine,
        _TEMPORARY: _temporary_within,
        _TEMPORARY_LAST: _temporary_last,
        _TEMPORARY_UNDONE: _temporary_undone,
        **_ALONE,
        "of unknown events alone": _unknown_alone,
        "without changes, rolled back": _without_changes_rolled_back,
        "a user variable that becomes NULL": _variable_unset,
        "rows that are rolled back to a savepoint": _rows_back_to_savepoint,
    },
    profiles={
        "of unknown events alone": WITH_IGNORABLE_FLAG,
        # 9.7.4 may crash there.
        _FILE_ALONE: Profiles("worklog", "mysql < 9.0", "mariadb"),
        # Without the event before the next group nothing shows that the rest never came.
        **dict.fromkeys(("cut off", "cut off before a definition"), WITH_GROUPS_CUT_OFF),
        _UNKNOWN_WITHIN: WITH_ANONYMOUS_GTIDS,
        "XA transaction in two phases": Profiles("mysql >= 5.7"),
        "CREATE TABLE with START TRANSACTION": Profiles("mysql >= 8.4"),
        "CREATE TABLE with START TRANSACTION and an engine": Profiles("mysql >= 8.4"),
    },
)
#: A relay log ends between two groups, too.
_ALL_IN_NEXT: Final = "in the second of two"
_TWO_CONNECTIONS: Final = "of two connections"
_NAMES_RECEIVED: Final = "in two, the second with the GTIDs received"


def _own_rotate(stream: StreamBuilder) -> PlannedEvent:
    return replica_groups.rotate(stream, "relay.000002", 4)


#: After FLUSH RELAY LOGS the rest of a group is in the next relay log, of which a server makes one stream here.
#: The first one ends with a Rotate then, which names the next relay log and is not one of the source's; with a Stop
#: where the replica was shut down.
_LAST_OF_RELAY_LOG: Final[Mapping[str, Callable[[StreamBuilder], PlannedEvent] | None]] = {
    "in one relay log": None,
    "in two": _own_rotate,
    "in two, after a restart": mysql_events.stop,
    _ALL_IN_NEXT: _own_rotate,
    # A replica that asks by position asks for the rest; the source then names its log again.
    _TWO_CONNECTIONS: lambda stream: replica_groups.rotate(
        stream, replica_groups.SOURCE_LOG, stream.offset, flags=_ARTIFICIAL
    ),
    _NAMES_RECEIVED: _own_rotate,
}
_RELAY_LOGS: Final = Dimension(
    "its events are",
    dict(_LAST_OF_RELAY_LOG),
    profiles={_NAMES_RECEIVED: Profiles("worklog", "mysql >= 5.7")},
)
_AFTER: Final = Number("groups after", few=2)
_NO_SUCH_GROUP: Final = (
    Impossible(
        {"odd group": (_UNKNOWN_WITHIN,), "gtid_mode": ("ON", "OFF_PERMISSIVE", "ON_PERMISSIVE")},
        "servers with GTIDs write BEGIN before a change of rows",
    ),
    Impossible(
        {
            "odd group": (_TEMPORARY, _TEMPORARY_LAST, _TEMPORARY_UNDONE),
            "gtid_mode": ("ON", "OFF_PERMISSIVE", "ON_PERMISSIVE"),
        },
        "GTID consistency forbids temporary tables inside transactions",
    ),
    Impossible(
        {
            "odd group": tuple(_ALONE),
            _RELAY_LOGS.name: ("in two", "in two, after a restart", _TWO_CONNECTIONS, _NAMES_RECEIVED),
        },
        "a statement without BEGIN whose events are in two relay logs is left to servers",
    ),
    Impossible(
        {"odd group": tuple(_ALONE), "gtid_mode": ("OFF_PERMISSIVE", "ON_PERMISSIVE")},
        "9.7.4 crashes there",
    ),
)


@family(
    focus="FORMAT-APPLY-GROUP",
    profiles=EVERY_PROFILE,
    dimensions=(_ODD, _RELAY_LOGS, MODE, BEFORE, _AFTER, TAGS),
    impossible=_NO_SUCH_GROUP,
)
def odd_groups_applied(stream: StreamBuilder) -> None:
    """Groups without a change, partly undone, of two tables, in two phases: each is executed, none left open."""
    replica_groups.begin_relay_log(stream, lengths=declare_up_to(stream, _UNKNOWN_CODE))
    mode = replica_variants.set_mode(stream)
    if stream.server.is_mariadb:
        # Its servers log no such groups; without a Gtid event one would have the GTID of the group before it.
        mode = replica_groups.WITHOUT_GTIDS
    replica_variants.add_before(stream, mode)
    last = stream.vary(_RELAY_LOGS)
    parts = stream.vary(_ODD)(stream)
    tagged = mode == "ON" and stream.vary(TAGS)
    # The part that goes on in the next relay log: the first one, or the longest, anywhere in it.
    first = stream.choose.yes()
    all_in_next = stream.choose.met[_RELAY_LOGS.name] == _ALL_IN_NEXT
    goes_on = 0 if first or all_in_next else max(range(len(parts)), key=lambda number: len(parts[number]))
    for number, part in enumerate(parts):
        planned = replica_groups.in_mode(stream, part, mode, tagged=tagged)
        cut = 0
        if last is not None and number == goes_on and not all_in_next:
            cut = len(planned) - 1 if first else stream.choose.integer(1, len(planned) - 1)
        replica_groups.add(stream, planned[:cut])
        if last is not None and (cut or (all_in_next and number == goes_on)):
            _flush(stream, last)
        replica_groups.add(stream, planned[cut:])
    for _ in stream.several_of(_AFTER):
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))


def _flush(stream: StreamBuilder, last: Callable[[StreamBuilder], PlannedEvent]) -> None:
    """End the relay log or the connection, and go on after the source's format description, which comes once more."""
    how = stream.choose.met[_RELAY_LOGS.name]
    if how == _TWO_CONNECTIONS:
        stream.add(last(stream))
        stream.set_log_pos(0)
    else:
        stream.server_id = replica_groups.REPLICA_ID
        stream.add(last(stream))
        if how == _NAMES_RECEIVED:
            # Each relay log names the GTIDs received before it, also one that begins within a group.
            stream.add(gtid_events.previous_gtids(stream, stream.executed.gtids(), flags=_OF_RELAY_LOG))
        stream.server_id = replica_groups.SOURCE_ID
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
