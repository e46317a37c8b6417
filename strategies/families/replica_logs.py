"""Relay logs for an applier: what it skips, where it stops, and statements that are split or fail (WL#7592)."""

from collections.abc import Callable, Mapping
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS, WITH_INCIDENT_TRANSACTIONS, WITH_TAGGED_GTIDS
from conformance.models.replica.failed_drop import drop_statements
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events, server_events
from conformance.strategies.events.server_events import MESSAGE_SIZE
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups, replica_variants
from conformance.strategies.groups.replica_variants import BEFORE, CHANGE, GROUP, MODE

#: The profiles whose DROP DATABASE and CREATE TABLE ... SELECT are the worklog's.
_NOT_ATOMIC: Final = Profiles("worklog", "mysql >= 5.7, < 8.0")
#: A position after every event of these streams.
_FAR: Final = 1_000_000
_ASKED_FOR: Final = choices("what is set", ("skip counter", "stop position"))
_OF_BOTH: Final = Number("groups", fewest=2, many=(100, 120))
_ROWS_FOLLOW: Final = yes_or_no("the group with the rows")
_SECOND_LOG: Final = yes_or_no("in the source's second log")
#: As an applier finds the relay log that the receiver is writing: the checksum takes no account of the flag.
_IN_USE: Final = yes_or_no("the relay log is in use")
_OTHER_CHECKSUMS: Final = yes_or_no("only one of the replica and the source has checksums")


@family(
    focus="WL7592-APPLY-SKIP-NOT-MID-GROUP",
    profiles=WITH_ANONYMOUS_GTIDS,
    dimensions=(_ASKED_FOR, _OF_BOTH, _IN_USE, _OTHER_CHECKSUMS),
)
def skip_and_until(stream: StreamBuilder) -> None:
    """Anonymous groups for an applier with a skip counter, or with a position to stop at."""
    choose = stream.choose
    flags = int(Flag.BINLOG_IN_USE) if stream.vary(_IN_USE) else 0
    replica_groups.begin_relay_log(stream, flags=flags, other_checksums=stream.vary(_OTHER_CHECKSUMS))
    groups = []
    for _ in stream.several_of(_OF_BOTH):
        groups.append(replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=True))
    stream.settings["gtid_mode"] = "OFF"
    if stream.vary(_ASKED_FOR) == "stop position":
        _stop_at(stream, groups)
        return
    stream.settings["skip_counter"] = choose.integer(1, sum(map(len, groups[:-1])))
    for planned in groups:
        replica_groups.add(stream, planned)


def _stop_at(stream: StreamBuilder, groups: list[list[PlannedEvent]]) -> None:
    """Add groups, between two of them a Rotate with a position in another log, and a position to stop at after it."""
    choose = stream.choose
    border = choose.integer(1, len(groups) - 1)
    stop = choose.integer(border, len(groups) - 1)
    for index, planned in enumerate(groups):
        if index == border:
            # The replica makes a Rotate with id 0 in place of what it did not write; its position must not count. The
            # same event of another server does.
            stream.server_id = choose.one_of((0, replica_groups.SOURCE_ID + 1))
            stream.add(replica_groups.rotate(stream, replica_groups.SOURCE_LOG, stream.offset))
            stream.set_log_pos(_FAR)
            stream.server_id = replica_groups.SOURCE_ID
        replica_groups.add(stream, planned)
        if index == stop:
            # This may be inside the last event of a group: the applier stops after the group.
            log_pos = choose.integer(stream.offsets[-1] + 1, stream.offset)
            stream.settings["until"] = {"log_name": replica_groups.SOURCE_LOG, "log_pos": log_pos}
    replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.create(stream), anonymous=True))


def _begin_in_mode(stream: StreamBuilder, mode: str) -> None:
    """Begin a relay log for a replica with a gtid_mode, with groups that it applies, and perhaps the next log."""
    replica_groups.begin_relay_log(stream)
    stream.settings["gtid_mode"] = mode
    replica_variants.add_before(stream, mode)
    if stream.vary(_SECOND_LOG):
        replica_groups.begin_next_log(stream)


def _next_log(stream: StreamBuilder, lengths: bytes) -> None:
    replica_groups.begin_next_log(stream, lengths=lengths)


def _replica_rotate(stream: StreamBuilder, lengths: bytes) -> None:
    """Add the Rotate that a replica makes in place of what it did not write."""
    stream.server_id = 0
    stream.add(replica_groups.rotate(stream, replica_groups.SOURCE_LOG, stream.offset))
    stream.set_log_pos(0)
    stream.server_id = replica_groups.SOURCE_ID


def _description(stream: StreamBuilder, lengths: bytes) -> None:
    """Add a format description, as after FLUSH RELAY LOGS."""
    stream.add(stream.described(flags=int(Flag.ARTIFICIAL)))
    stream.set_log_pos(0)


def _unknown(stream: StreamBuilder, lengths: bytes) -> None:
    stream.add(mysql_events.ignorable(stream, UNASSIGNED[0], b"", flags=0))


#: What comes right before the group: an event of no group does not stand for a Gtid event.
_LED_BY: Final[Dimension[Callable[[StreamBuilder, bytes], None] | None]] = Dimension(
    "before the group",
    {
        "another group": None,
        "the source's next log": _next_log,
        "a Rotate of the replica": _replica_rotate,
        "a format description": _description,
        "an unknown event": _unknown,
    },
)
_EVENT_BEFORE: Final = choices("its first event", ("Anonymous_gtid", "none"))
#: 9.7.4 takes what comes before a statement, its text or variable or table, for a group of its own, and stops at the
#: statement or the rows; 5.7.22 and 8.0.15 stop at the end of a file.
_WITHOUT_BEGIN: Final[Mapping[str, Callable[[StreamBuilder], list[PlannedEvent]]]] = {
    "rows without BEGIN": data_changes.row_changes,
    "rows with their text, without BEGIN": data_changes.row_with_text,
    "a variable and a statement": data_changes.with_variable,
    "a loaded file without BEGIN": data_changes.loaded_file,
}
#: Groups that begin with something else than BEGIN or a statement.
_BEGUN_OTHERWISE: Final[Mapping[str, Callable[[StreamBuilder], list[PlannedEvent]]]] = {
    "XA transaction": replica_groups.prepared,
    **_WITHOUT_BEGIN,
}
_UNNAMED: Final = Dimension(
    GROUP.name,
    {**GROUP.classes, **{each: each for each in _BEGUN_OTHERWISE}},
    profiles={
        "XA transaction": Profiles("mysql >= 5.7"),
        **dict.fromkeys(_WITHOUT_BEGIN, Profiles("worklog")),
    },
)


@family(
    focus="WL7592-APPLY-ON-GTID-MISSING",
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_EVENT_BEFORE, BEFORE, _UNNAMED, CHANGE, _LED_BY),
    impossible=(
        Impossible(
            {
                _UNNAMED.name: ("XA transaction",),
                _EVENT_BEFORE.name: ("none",),
                BEFORE.name: ("1", "2", "many"),
            },
            "XA START is checked as BEGIN is: not after a group with a GTID",
        ),
    ),
)
def anonymous_with_gtid_mode_on(stream: StreamBuilder) -> None:
    """A group without a GTID among groups with GTIDs, for the applier of a replica whose gtid_mode is ON."""
    lengths = declare_up_to(stream, UNASSIGNED[0])
    replica_groups.begin_relay_log(stream, lengths=lengths)
    stream.settings["gtid_mode"] = "ON"
    replica_variants.add_before(stream, "ON")
    if (add := stream.vary(_LED_BY)) is not None:
        add(stream, lengths)
    kind = stream.vary(_UNNAMED)
    other = _BEGUN_OTHERWISE.get(kind)
    planned = other(stream) if other is not None else replica_variants.group_of(stream, kind)
    if stream.vary(_EVENT_BEFORE) == "Anonymous_gtid":
        planned = replica_groups.with_gtid(stream, planned, anonymous=True)
    replica_groups.add(stream, planned)
    replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=False))


#: GTIDs with tags are of a type of their own.
_TAGGED: Final = Dimension(
    "GTID of the group", {"without a tag": False, "with a tag": True}, profiles={"with a tag": WITH_TAGGED_GTIDS}
)


@family(
    focus="FORMAT-APPLY-OUTCOME",
    profiles=Profiles("mysql >= 5.7"),
    fault=True,
    dimensions=(BEFORE, GROUP, _TAGGED, _SECOND_LOG),
)
def gtids_with_gtid_mode_off(stream: StreamBuilder) -> None:
    """A group with a GTID among anonymous groups, for the applier of a replica whose gtid_mode is OFF."""
    _begin_in_mode(stream, "OFF")
    planned = replica_variants.plain_group(stream, by_change=False)
    tagged = stream.vary(_TAGGED)
    named = replica_groups.with_gtid(stream, planned, anonymous=False, tagged=tagged)
    named[0] = named[0].marked("FORMAT-APPLY-OUTCOME")
    replica_groups.add(stream, named)
    replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=True))


_LOST_ALONE: Final = "alone"
_LOST_WITHIN: Final = ("in a group", "before the end of a group")
#: Where the Incident is. Servers log it as a group, older ones alone; what has lost events may do so anywhere.
_LOST_AT: Final = Dimension(
    "the Incident is",
    {each: each for each in ("a group", _LOST_ALONE, "after the first event of a group", *_LOST_WITHIN)},
    # 9.7.4 neither stops at it nor goes on: it waits for the end of the group, of which its workers have a part.
    profiles={each: Profiles("mysql >= 5.7, < 8.0.27") for each in _LOST_WITHIN},
)
#: Other events of the replica itself are skipped.
_LOST_BY: Final = Dimension(
    "the Incident is of",
    {"the source": replica_groups.SOURCE_ID, "the replica itself": replica_groups.REPLICA_ID},
)

#: The flag is of types that the replica does not know (WL#4033).
_LOST_FLAGS: Final = Dimension("flags of the Incident", {"none": 0, "the ignorable flag": int(Flag.IGNORABLE)})


@family(
    focus="FORMAT-APPLY-OUTCOME",
    profiles=WITH_INCIDENT_TRANSACTIONS,
    fault=True,
    dimensions=(MODE, _LOST_AT, _LOST_BY, BEFORE, MESSAGE_SIZE, _SECOND_LOG, _LOST_FLAGS),
    impossible=(
        Impossible(
            {
                _LOST_AT.name: (_LOST_ALONE,),
                MODE.name: ("OFF_PERMISSIVE", "ON_PERMISSIVE"),
                BEFORE.name: ("1", "2", "many"),
            },
            "after a group with a GTID servers refuse one without a Gtid event for that reason (1837)",
        ),
    ),
)
def lost_events(stream: StreamBuilder) -> None:
    """An Incident among groups or in one: the source has lost events, and the applier stops until somebody decides."""
    mode = stream.vary(MODE)
    _begin_in_mode(stream, mode)
    incident = server_events.incident(stream).marked("FORMAT-APPLY-OUTCOME")
    lost = [incident._replace(flags=incident.flags | stream.vary(_LOST_FLAGS))]
    at = stream.vary(_LOST_AT)
    if at == "a group":
        lost = replica_groups.in_mode(stream, lost, mode)
    elif at != _LOST_ALONE:
        planned = replica_groups.in_mode(stream, replica_groups.transaction(stream), mode)
        places = {"after the first event of a group": 1, "in a group": len(planned) // 2}
        place = places.get(at, len(planned) - 1)
        lost = [*planned[:place], *lost, *planned[place:]]
    lost_by = stream.vary(_LOST_BY)
    stream.timestamp += 1
    for event in lost:
        stream.server_id = lost_by if event.type == EventType.INCIDENT else replica_groups.SOURCE_ID
        stream.add(event)
    stream.server_id = replica_groups.SOURCE_ID
    replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))


@family(focus="WL7592-APPLY-CREATE-SELECT-COMMITS", profiles=_NOT_ATOMIC, dimensions=(BEFORE, _ROWS_FOLLOW))
def split_create_selects(stream: StreamBuilder) -> None:
    """CREATE TABLE ... SELECT in row format: the CREATE and the rows in two anonymous groups, or only the first."""
    replica_groups.begin_relay_log(stream)
    stream.settings["gtid_mode"] = "OFF"
    replica_variants.add_before(stream, "OFF")
    created = [data_changes.query(stream, "CREATE TABLE `t9` (`a` INT, `b` INT)")]
    first = replica_groups.with_gtid(stream, created, anonymous=True)
    first[-1] = first[-1].marked("WL7592-APPLY-CREATE-SELECT-COMMITS")
    replica_groups.add(stream, first)
    stream.settings["tables"] = [*replica_groups.TABLES, "test.t9"]
    if stream.vary(_ROWS_FOLLOW):
        rows = [data_changes.query(stream, "BEGIN"), *data_changes.row_changes(stream, table="t9")]
        rows.append(data_changes.query(stream, "COMMIT"))
        replica_groups.add(stream, replica_groups.with_gtid(stream, rows, anonymous=True))


_NO_EVENT: Final = "no event before it"
#: Whether the statement has a GTID, and the replica's gtid_mode; in a permissive one groups may have one or none.
_GIVEN: Final = Dimension(
    "GTID and gtid_mode",
    {
        f"{given}, {mode}": (given, mode)
        for given, mode in (
            ("given", "ON"),
            ("none", "OFF"),
            ("given", "ON_PERMISSIVE"),
            ("none", "ON_PERMISSIVE"),
            ("given", "OFF_PERMISSIVE"),
            ("none", "OFF_PERMISSIVE"),
            (_NO_EVENT, "OFF"),
        )
    },
)
#: Bytes of the names of the dropped tables: few of the longest fit into one statement.
_NAMES: Final = Dimension(
    "names of the tables",
    {
        "of 64 characters": (64, "t"),
        "of 60": (60, "t"),
        "of 33": (33, "t"),
        # With 167 of them a statement would be one byte too long.
        "of 3": (3, "t"),
        "of 40, not in ASCII": (40, "\u00e4"),
    },
)
#: How the statement is written, with the name of the database.
_DROP: Final = choices(
    "statement", ("DROP DATABASE `{}`", "DROP DATABASE IF EXISTS `{}`", "DROP SCHEMA `{}`", "drop database {}")
)
#: How many tables were dropped: as many as one statement can name, one more, or three statements full. Where there are
#: none, 5.7.22 refuses a given GTID all the same; the worklog is silent.
_DROPPED: Final = Dimension(
    "dropped tables",
    {each: each for each in ("one more than fit", "as many as fit", "many", "1", "0")},
    profiles={"0": Profiles("mysql")},
)
_DATABASE: Final = choices("name of the database", ("d1", "x" * 64))
#: Nothing remains in the directory of that one.
_OTHER_BEFORE: Final = yes_or_no("a database whose name is the beginning of its name is dropped before")

#: Another database of which something would remain; nothing drops it.
_LEFT_BESIDE: Final = choices("another database whose directory would remain", ("none", "before it", "after it"))


@family(
    focus="WL7592-APPLY-DROPDB-OFF-ANON-EACH",
    profiles=_NOT_ATOMIC,
    fault=True,
    dimensions=(_GIVEN, _DROPPED, _NAMES, _DATABASE, _DROP, BEFORE, _OTHER_BEFORE, _LEFT_BESIDE),
)
def failed_drop_databases(stream: StreamBuilder) -> None:
    """DROP DATABASE on a replica where a file remains in the directory, with a given GTID or without one."""
    given, mode = stream.vary(_GIVEN)
    _add_failed_drop(stream, mode, _DROPPED, given)


#: Of these one statement cannot name all.
_DROPPED_IN_SEVERAL: Final = choices("dropped tables", ("one more than fit", "many"))
_WITH_GTIDS: Final = choices("gtid_mode", ("ON", "ON_PERMISSIVE", "OFF_PERMISSIVE"))


@family(
    focus="WL7592-APPLY-DROPDB-ERROR-TEXT",
    profiles=Profiles("worklog"),
    fault=True,
    dimensions=(_WITH_GTIDS, _DROPPED_IN_SEVERAL, _NAMES, _DATABASE, _DROP, BEFORE, _OTHER_BEFORE, _LEFT_BESIDE),
)
def unlogged_drop_databases(stream: StreamBuilder) -> None:
    """DROP DATABASE with a GTID that fails on a replica, and would be logged as several statements: as none."""
    _add_failed_drop(stream, stream.vary(_WITH_GTIDS), _DROPPED_IN_SEVERAL, "given")


def _add_failed_drop(stream: StreamBuilder, mode: str, counts: Dimension[str], given: str) -> None:
    """Add groups, and among them the DROP DATABASE of a database whose directory remains.

    Args:
        stream: The stream.
        mode: The replica's gtid_mode.
        counts: How many tables it has dropped.
        given: Whether it has a GTID, or no event before it, as an older source logs it.
    """
    replica_groups.begin_relay_log(stream)
    stream.settings["gtid_mode"] = mode
    replica_variants.add_before(stream, mode)
    (length, filler), database = stream.vary(_NAMES), stream.vary(_DATABASE)
    fit = next(count for count in range(1, 999) if len(list(drop_statements(_names(count + 1, length, filler)))) > 1)
    count = {"0": 0, "1": 1, "as many as fit": fit, "one more than fit": fit + 1, "many": 3 * fit}[stream.vary(counts)]
    leftovers = {database: _names(count, length, filler)}
    beside = stream.vary(_LEFT_BESIDE)
    if beside != "none":
        remaining = {f"{database[:60]}_left": ["t1"]}
        leftovers = remaining | leftovers if beside == "before it" else leftovers | remaining
    stream.settings["leftovers"] = leftovers
    other = database[:-1]
    before = [data_changes.query(stream, f"DROP DATABASE IF EXISTS `{other}`", database=other)]
    dropped = [data_changes.query(stream, stream.vary(_DROP).format(database), database=database)]
    groups = [before] if stream.vary(_OTHER_BEFORE) else []
    for planned in (*groups, dropped, replica_groups.group(stream)):
        named = planned if given == _NO_EVENT else replica_groups.with_gtid(stream, planned, anonymous=given == "none")
        replica_groups.add(stream, named)


def _names(count: int, length: int, filler: str) -> list[str]:
    return [f"{number:03d}".rjust(length, filler) for number in range(count)]
