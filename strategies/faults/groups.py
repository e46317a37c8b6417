"""Faults of groups (WL#7592, WL#4033): Gtid events, statements that are not split, texts after their rows.

Each stream is a log that is sound except for the fault: the checker of recorded logs reports nothing else.
"""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups, replica_variants
from conformance.strategies.groups.replica_groups import with_gtid
from conformance.strategies.groups.replica_variants import BEFORE
from conformance.strategies.groups.sound_log import add_group, add_groups, begin_log

#: The mode of the replica, and of the source that made the log.
_MODE: Final = choices("gtid_mode", ("ON", "OFF"))
#: Groups before the fault; after one with a GTID, servers do not check for another at BEGIN and COMMIT.
_EARLIER: Final = Dimension(
    "groups before", {"0": 0, "1": 1, "2": 2}, profiles={each: Profiles("worklog") for each in ("1", "2")}
)
#: Transactions without a change -> the words of their statements.
_EMPTY: Final = {"BEGIN and COMMIT": ("BEGIN", "COMMIT"), "BEGIN and ROLLBACK": ("BEGIN", "ROLLBACK")}
_WITHOUT: Final = choices("group without a Gtid event", ("transaction", "statement that is one", *_EMPTY))
_CHECKED_LATER: Final = Impossible(
    {"group without a Gtid event": tuple(_EMPTY), "gtid_mode": ("ON",), "groups before": ("1", "2", "many")},
    "servers let an empty transaction pass after a group with a GTID; ends_alone has it for the worklog",
)
#: The words of statements without a group; an Xid event is none.
_END: Final = Dimension("events alone", {"COMMIT": ("COMMIT",), "ROLLBACK": ("ROLLBACK",), "Xid": (), **_EMPTY})
#: A group that is one statement, instead of a transaction.
_STATEMENT_ALONE: Final = yes_or_no("statement that is one")
_DROPS: Final = Number("drops", fewest=2, many=(7, 8))
#: Where the CREATE is refused for the GTID of its group, nothing of what comes before it is left.
_CHANGED: Final = yes_or_no("a change before the CREATE")
_ROWS_EVENTS: Final = Dimension("rows events", {"1": 1, "2": 2, "3": 3})
_TEXT_AT: Final = choices("text", ("after its Table_map", "before the last rows", "after all rows"))


def _begin(stream: StreamBuilder) -> bool:
    """Begin a log of one mode, and return whether its groups are anonymous."""
    mode = stream.vary(_MODE)
    stream.settings["gtid_mode"] = mode
    begin_log(stream)
    return mode == "OFF"


def _add_before(stream: StreamBuilder, *, anonymous: bool) -> None:
    for _ in stream.several_of(BEFORE):
        add_group(stream, replica_groups.group(stream), anonymous=anonymous)


def _queries(stream: StreamBuilder, words: Sequence[str]) -> list[PlannedEvent]:
    return [data_changes.query(stream, word) for word in words]


@family(
    focus="WL7592-APPLY-ON-GTID-MISSING",
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_WITHOUT, _MODE, BEFORE),
    impossible=(_CHECKED_LATER,),
)
def gtid_missing(stream: StreamBuilder) -> None:
    """A group without a Gtid or Anonymous_gtid event among groups that have one."""
    kind = stream.vary(_WITHOUT)
    anonymous = _begin(stream)
    _add_before(stream, anonymous=anonymous)
    if kind in _EMPTY:
        # The check covers them too.
        broken = _queries(stream, _EMPTY[kind])
    else:
        broken = replica_groups.transaction(stream) if kind == "transaction" else replica_groups.create(stream)
    replica_groups.add(stream, broken)
    add_groups(stream, 1, 1, anonymous=anonymous)


@family(
    focus="WL7592-APPLY-ON-GTID-MISSING-BEGIN",
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_EARLIER, replica_variants.CHANGE_OF_ANY),
)
def gtid_after_begin(stream: StreamBuilder) -> None:
    """A Gtid event that comes after the BEGIN of its transaction, where gtid_mode is ON."""
    _begin_on(stream)
    begin, end = data_changes.query(stream, "BEGIN"), mysql_events.xid(stream)
    planned = [begin, *stream.vary(replica_variants.CHANGE_OF_ANY)(stream), end]
    gtid, *_ = with_gtid(stream, planned, anonymous=False)
    replica_groups.add(stream, [begin, gtid, *planned[1:]])


@family(
    focus="WL7592-APPLY-ON-GTID-MISSING-BEGIN",
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_EARLIER, _END),
)
def ends_alone(stream: StreamBuilder) -> None:
    """An end without a group, or an empty transaction, without a Gtid event where gtid_mode is ON."""
    _begin_on(stream)
    words = stream.vary(_END)
    replica_groups.add(stream, _queries(stream, words) or [mysql_events.xid(stream)])
    add_groups(stream, 1, 1, anonymous=False)


def _begin_on(stream: StreamBuilder) -> None:
    """Begin a log with gtid_mode=ON, and add the groups before the fault."""
    stream.settings["gtid_mode"] = "ON"
    begin_log(stream)
    for _ in range(stream.vary(_EARLIER)):
        add_group(stream, replica_groups.group(stream), anonymous=False)


@family(
    focus=("WL4162-WARN-RECEIVER", "WL4162-WARN-WRONG-TRANSITION"),
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_MODE, BEFORE, _STATEMENT_ALONE),
)
def gtid_doubled(stream: StreamBuilder) -> None:
    """A group after two Gtid events, or two Anonymous_gtid events, each with a number of its own."""
    anonymous = _begin(stream)
    _add_before(stream, anonymous=anonymous)
    add_groups(stream, 1, 1, anonymous=anonymous)
    is_alone = stream.vary(_STATEMENT_ALONE)
    planned = replica_groups.create(stream) if is_alone else replica_groups.transaction(stream)
    first, *_ = with_gtid(stream, planned, anonymous=anonymous)
    replica_groups.add(stream, [first, *with_gtid(stream, planned, anonymous=anonymous)])
    add_groups(stream, 0, 1, anonymous=anonymous)


@family(
    focus="WL7592-APPLY-CREATE-INSIDE",
    profiles=Profiles("mysql >= 5.7"),
    fault=True,
    dimensions=(_MODE, BEFORE, _CHANGED),
)
def create_select_not_split(stream: StreamBuilder) -> None:
    """CREATE TABLE ... SELECT in row format as one transaction, the CREATE between BEGIN and the rows."""
    anonymous = _begin(stream)
    _add_before(stream, anonymous=anonymous)
    create = data_changes.query(stream, "CREATE TABLE `t9` (`a` INT, `b` INT)").marked("WL7592-APPLY-CREATE-INSIDE")
    rows = data_changes.row_changes(stream, table="t9")
    changes = data_changes.row_changes(stream) if stream.vary(_CHANGED) else []
    planned = [data_changes.query(stream, "BEGIN"), *changes, create, *rows, mysql_events.xid(stream)]
    add_group(stream, planned, anonymous=anonymous)
    add_groups(stream, 0, 1, anonymous=anonymous)


@family(
    focus="WL7592-APPLY-ON-GTID-MISSING", profiles=WITH_ANONYMOUS_GTIDS, fault=True, dimensions=(_MODE, BEFORE, _DROPS)
)
def drops_not_split(stream: StreamBuilder) -> None:
    """The DROP TABLE statements into which a DROP TABLE or DROP DATABASE was split, with one Gtid event for all."""
    anonymous = _begin(stream)
    _add_before(stream, anonymous=anonymous)
    first, *others = (
        data_changes.query(stream, f"DROP TABLE IF EXISTS `t{20 + number}` /* generated by server */")
        for number in stream.several_of(_DROPS)
    )
    # The length in the Gtid event covers only the first, so that nothing but the missing events is wrong.
    replica_groups.add(stream, [*with_gtid(stream, [first], anonymous=anonymous), *others])
    add_groups(stream, 0, 1, anonymous=anonymous)


@family(
    focus="WL4033-APPLY-ROWS-QUERY-INFORMS",
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_MODE, BEFORE, _ROWS_EVENTS, _TEXT_AT),
)
def rows_before_rows_query(stream: StreamBuilder) -> None:
    """A Rows_query event after the Table_map event of its statement, or after its rows."""
    anonymous = _begin(stream)
    _add_before(stream, anonymous=anonymous)
    rows = data_changes.row_changes(stream, rows_events=stream.vary(_ROWS_EVENTS))
    text = mysql_events.rows_query(stream, "INSERT INTO `t1` VALUES (1, 2)")
    rows.insert(
        {"after its Table_map": 1, "before the last rows": len(rows) - 1}.get(stream.vary(_TEXT_AT), len(rows)),
        text.marked("WL4033-APPLY-ROWS-QUERY-INFORMS"),
    )
    planned = [data_changes.query(stream, "BEGIN"), *_mark_next(rows), mysql_events.xid(stream)]
    add_group(stream, planned, anonymous=anonymous)
    add_groups(stream, 0, 1, anonymous=anonymous)


def _mark_next(planned: Sequence[PlannedEvent]) -> list[PlannedEvent]:
    """Return events with the one after a Rows_query event marked: it must be applied as if that were missing."""
    marked = list(planned)
    place = next(index for index, event in enumerate(planned) if event.type == EventType.ROWS_QUERY) + 1
    if place < len(marked):
        marked[place] = marked[place].marked("WL4033-APPLY-ROWS-QUERY-INFORMS")
    return marked
