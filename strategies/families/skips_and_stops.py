"""Relay logs for an applier with a skip counter, or with a position at which it stops (WL#7592, Plan 10)."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import (
    WITH_ANONYMOUS_GTIDS,
    WITH_TAGGED_GTIDS,
)
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, group_shapes, replica_groups, replica_variants
from conformance.strategies.groups.group_shapes import (
    DROPPED,
    FAILING_DROP,
    IN_PAYLOAD,
    INCIDENT,
    INCIDENT_WITHIN,
    OLD_ROWS_ALONE,
    PREPARED,
    ROWS_ALONE,
    VARIABLE_FIRST,
    shaped,
    shapes,
)
from conformance.strategies.groups.replica_variants import BEFORE, CHANGE, GROUPS, MODE, WITH_GROUPS_CUT_OFF

#: A position after every event of these streams.
_FAR: Final = 1_000_000
_CODE: Final = UNASSIGNED[0]
_SHAPES: Final = (
    *(group_shapes.TRANSACTION, group_shapes.STATEMENT, group_shapes.ROLLED_BACK),
    *(group_shapes.TO_SAVEPOINT, IN_PAYLOAD, VARIABLE_FIRST),
)
#: The group that is stopped at: also one that ends in another way, or has several events without BEGIN.
_GROUP: Final = shapes(*_SHAPES)
#: An Incident stops an applier that does not skip it, and a prepared transaction stays until another group ends it.
_SKIPPED_GROUP: Final = shapes(*_SHAPES, INCIDENT, PREPARED, INCIDENT_WITHIN, ROWS_ALONE, OLD_ROWS_ALONE)
#: A server with gtid_mode=ON writes BEGIN before a change of rows.
_NAMED_GROUP: Final = shapes(*_SHAPES[:-1], INCIDENT, DROPPED, FAILING_DROP, PREPARED, INCIDENT_WITHIN)
#: Where in a group the counter has come down to 1; or that is beyond the relay log, which then ends with a Stop event.
_LAST_COUNT: Final = Dimension(
    "the counter is 1 at",
    {each: each for each in ("first event", "second event", "last event but one", "last event", "no event")},
    # 9.7.4 does not count the replica's own Stop event as read.
    profiles={"no event": Profiles("worklog", "mysql >= 5.7, < 8.0.27")},
)
_BEYOND: Final = 1000
#: In a permissive mode, in which the counter may be set too, a group may have a GTID; the skipped one is not executed.
#: With gtid_mode=ON 8.0.15 refuses it, and 9.7.4 takes it and skips nothing.
_SKIPPING: Final = Dimension(
    MODE.name,
    {each: each for each in MODE.classes if each != "ON"},
    profiles={each: profiles for each, profiles in MODE.profiles.items() if each != "ON"},
)
_EVENT_BEFORE: Final = Dimension(
    "event before groups",
    {each: each for each in ("Anonymous_gtid", "none", "Gtid", "Gtid with a tag")},
    profiles={"Gtid": MODE.profiles["OFF_PERMISSIVE"], "Gtid with a tag": WITH_TAGGED_GTIDS},
)
_GTIDS: Final = ("Gtid", "Gtid with a tag")
_WITHOUT_BEGIN: Final = (VARIABLE_FIRST, ROWS_ALONE, OLD_ROWS_ALONE)
_OFF: Final = Impossible({"gtid_mode": ("OFF",), "event before groups": _GTIDS}, "with gtid_mode=OFF a GTID is refused")
_NO_GTID: Final = Impossible(
    {"group": _WITHOUT_BEGIN, "event before groups": _GTIDS},
    "servers with GTIDs write BEGIN before a change of rows",
)
_AFTER_GTID: Final = "after the event before it"
#: A skipped Gtid event begins no group in servers, which let the counter end at an unknown event after it.
_UNKNOWN: Final = Dimension(
    "an unknown event in the group",
    {each: each for each in ("no", "yes", _AFTER_GTID)},
    profiles={_AFTER_GTID: Profiles("worklog")},
)
_COUNTED_WITHIN: Final = (
    Impossible(
        {"group": _WITHOUT_BEGIN, _UNKNOWN.name: ("yes",)},
        "9.7.4 lets the counter end at an unknown event in a group without BEGIN",
    ),
    Impossible({_EVENT_BEFORE.name: ("none",), _UNKNOWN.name: (_AFTER_GTID,)}, "there is no event before it"),
)
#: 5.7.22, 8.0.15 and 9.7.4 take each statement of an XA transaction for one outside groups.
_PREPARED_WITHIN: Final = Impossible(
    {"group": (PREPARED,), _LAST_COUNT.name: ("first event", "second event", "last event but one")},
    "servers let the counter end within an XA transaction",
)
_COUNTER: Final = Dimension("skip counter", {"1": 1, "2": 2, "1000": 1000})


@family(
    focus="WL7592-APPLY-SKIP-NOT-MID-GROUP",
    profiles=WITH_ANONYMOUS_GTIDS,
    dimensions=(_SKIPPING, _EVENT_BEFORE, _SKIPPED_GROUP, CHANGE, _LAST_COUNT, _UNKNOWN, BEFORE),
    impossible=(_OFF, _NO_GTID, *_COUNTED_WITHIN, _PREPARED_WITHIN),
)
def skipped_groups(stream: StreamBuilder) -> None:
    """Groups for an applier whose skip counter ends at each event of a group, and is not to end within it."""
    replica_groups.begin_relay_log(stream, lengths=declare_up_to(stream, _CODE))
    stream.settings["gtid_mode"] = stream.vary(_SKIPPING)
    event_before = stream.vary(_EVENT_BEFORE)
    skipped = 0
    for _ in stream.several_of(BEFORE):
        skipped += _add(stream, replica_groups.group(stream), event_before)
    planned = shaped(stream, _SKIPPED_GROUP)
    if (place_of_unknown := stream.vary(_UNKNOWN)) != "no":
        event = mysql_events.ignorable(stream, _CODE, b"", flags=0)
        place = "in its middle" if place_of_unknown == "yes" else "before the group"
        planned.insert(replica_variants.index_of(place, len(planned)), event)
    count = _add(stream, planned, event_before)
    place = stream.vary(_LAST_COUNT)
    last = {"first event": 1, "second event": 2, "last event but one": max(count - 1, 1), "last event": count}
    stream.settings["skip_counter"] = _BEYOND if place == "no event" else skipped + min(last[place], count)
    for _ in range(2):
        _add(stream, replica_groups.group(stream), event_before)
    if place == "no event":
        # The replica's own, with which its relay log ends when it is shut down; it is of no group.
        stream.server_id = replica_groups.REPLICA_ID
        stream.add(mysql_events.stop(stream))


def _add(stream: StreamBuilder, planned: list[PlannedEvent], event_before: str = "Anonymous_gtid") -> int:
    """Add a group, with the event before it or without one, and return the number of its events."""
    if event_before != "none":
        anonymous, tagged = event_before == "Anonymous_gtid", event_before == "Gtid with a tag"
        planned = replica_groups.with_gtid(stream, planned, anonymous=anonymous, tagged=tagged)
    replica_groups.add(stream, planned)
    return len(planned)


@family(
    focus="WL7592-APPLY-ON-SKIP-REFUSED",
    profiles=Profiles("worklog", "mysql >= 5.6, < 8.0"),
    fault=True,
    dimensions=(_COUNTER, GROUPS),
)
def skip_counter_refused(stream: StreamBuilder) -> None:
    """Groups with GTIDs for an applier whose skip counter is set although its gtid_mode is ON."""
    replica_groups.begin_relay_log(stream)
    stream.settings.update(gtid_mode="ON", skip_counter=stream.vary(_COUNTER))
    for _ in stream.several_of(GROUPS):
        replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=False))


#: Whether GTIDs have tags: two with the same UUID and number are then different ones.
_TAGGED: Final = Dimension(
    "GTIDs", {"without tags": False, "with tags": True}, profiles={"with tags": WITH_TAGGED_GTIDS}
)
#: The number without a tag is that of another transaction, which comes first.
_SAME_NUMBER: Final = yes_or_no("its number without a tag comes before", when={"GTIDs": ("with tags",)})
_BETWEEN: Final = Number("groups before it comes again", fewest=0, few=2, many=(20, 24))

#: One that its log does not come to: the first event of the next log is beyond it.
_NEVER_COME_TO: Final = "in its log, which ends before"
#: Positions in the group that comes again. Between its Gtid event and BEGIN 5.7.22 and 8.0.15 stop, 9.7.4 does not.
_STOP_WITHIN: Final = choices(
    "stop position", ("none", "end of its second event", "within its last event", _NEVER_COME_TO)
)
#: After FLUSH RELAY LOGS in the midst of it, as in `odd_groups_applied`.
_FLUSHED: Final = choices(
    "it is in the next relay log", ("no", "from its middle on", "all of it"), when={_STOP_WITHIN.name: ("none",)}
)
#: What shows that the Rotate before that relay log is the replica's own: its id then, which may be another now, or the
#: flag of relay logs.
_SHOWN_BY: Final = Dimension(
    "the Rotate of the relay log is known by",
    {
        "its id": (replica_groups.REPLICA_ID, 0),
        "its id and its flag": (replica_groups.REPLICA_ID, int(Flag.RELAY_LOG)),
        "its flag": (replica_groups.SOURCE_ID + 1, int(Flag.RELAY_LOG)),
    },
    when={_FLUSHED.name: ("from its middle on", "all of it")},
)


#: In a permissive mode a group without a GTID may come after it; servers refuse one without a Gtid event there (1837).
_MODE: Final = choices("gtid_mode", ("ON", "OFF_PERMISSIVE", "ON_PERMISSIVE"))
#: It has no GTID that could be executed, and is not a part of the group that is skipped.
_NEXT_HAS: Final = Dimension(
    "event before the next group",
    {each: each for each in ("Anonymous_gtid", "none")},
    when={_MODE.name: ("OFF_PERMISSIVE", "ON_PERMISSIVE")},
    profiles={"none": Profiles("worklog")},
)
#: The Gtid event, BEGIN, a change and the end: a group with fewer events is a statement without BEGIN.
_SHORTEST: Final = 3


#: A group is skipped for its GTID, whatever the transaction was that took it.
_TAKEN_BY: Final = choices("its GTID was taken by", ("the group", "a transaction without changes"))


@family(
    focus="FORMAT-APPLY-EXECUTED",
    profiles=WITH_ANONYMOUS_GTIDS,
    dimensions=(
        _MODE,
        _NAMED_GROUP,
        CHANGE,
        BEFORE,
        _BETWEEN,
        _TAGGED,
        _SAME_NUMBER,
        _STOP_WITHIN,
        _FLUSHED,
        _SHOWN_BY,
        _TAKEN_BY,
        _NEXT_HAS,
    ),
    impossible=(
        Impossible(
            {"group": (PREPARED,), _STOP_WITHIN.name: ("end of its second event", "within its last event")},
            "5.7.22 and 8.0.15 stop within an XA transaction that is skipped",
        ),
        Impossible(
            {"group": (INCIDENT_WITHIN,), _STOP_WITHIN.name: ("end of its second event", "within its last event")},
            "9.7.4 waits for ever within a skipped transaction with an Incident",
        ),
        Impossible(
            {_FLUSHED.name: ("from its middle on",), _SHOWN_BY.name: ("its flag",)},
            "9.7.4 waits for ever at such a Rotate within a group",
        ),
        Impossible(
            {"group": (DROPPED, PREPARED), _TAKEN_BY.name: ("a transaction without changes",)},
            "the groups after it need what the first one has done",
        ),
    ),
)
def groups_sent_again(stream: StreamBuilder) -> None:
    """Groups with GTIDs of which one comes again, as over a new connection."""
    replica_groups.begin_relay_log(stream)
    stream.settings["gtid_mode"] = mode = stream.vary(_MODE)
    tagged = stream.vary(_TAGGED)
    if tagged and stream.vary(_SAME_NUMBER):
        # Numbers in a row are of one source, and begin with 1 for each tag.
        stream.gtid_step = 1
        for _ in range(2):
            _add_named(stream, replica_groups.create(stream), tagged=False)
    for _ in stream.several_of(BEFORE):
        _add_named(stream, replica_groups.group(stream), tagged=tagged)
    group = shaped(stream, _NAMED_GROUP)
    shape = stream.choose.met[_NAMED_GROUP.name]
    is_dropped = shape == DROPPED
    creation = "CREATE TABLE `t10` (`a` INT, `b` INT)"
    if shape == PREPARED:
        del stream.settings["tables"]
    if is_dropped:
        stream.settings["tables"] = [*replica_groups.TABLES, "test.t10"]
        _add_named(stream, [data_changes.query(stream, creation)], tagged=tagged)
    planned = replica_groups.with_gtid(stream, group, anonymous=False, tagged=tagged)
    # The way past what stops an applier, on which servers agree: a transaction without changes that takes its GTID.
    stops = stream.vary(_TAKEN_BY) != "the group" or shape in (INCIDENT, INCIDENT_WITHIN, FAILING_DROP)
    empty = [planned[0], *(data_changes.query(stream, each) for each in ("BEGIN", "COMMIT"))] if stops else []
    replica_groups.add(stream, empty or planned)
    for _ in stream.several_of(_BETWEEN):
        # With tags, some groups without one are among them.
        _add_named(stream, replica_groups.create(stream), tagged=tagged and stream.choose.yes())
    if is_dropped:
        _add_named(stream, [data_changes.query(stream, creation)], tagged=tagged)
    if shape == PREPARED:
        _add_named(stream, [data_changes.query(stream, replica_groups.end_of_prepared(stream))], tagged=tagged)
    place = stream.vary(_STOP_WITHIN)
    again = [each.marked("FORMAT-APPLY-EXECUTED") for each in planned]
    flushed = stream.vary(_FLUSHED) if place == "none" else "no"
    cut = len(again) // 2 if flushed == "from its middle on" else 0
    replica_groups.add(stream, again[:cut])
    if flushed != "no":
        server_id, flags = stream.vary(_SHOWN_BY)
        replica_groups.flush(stream, server_id=server_id, flags=flags)
    replica_groups.add(stream, again[cut:])
    if place == _NEVER_COME_TO:
        stream.add(replica_groups.rotate(stream, replica_groups.NEXT_LOG, 4))
        stream.settings["until"] = {"log_name": replica_groups.SOURCE_LOG, "log_pos": 2 * stream.offset}
        stream.begin_log_of_source()
    elif place != "none":
        *starts, last = stream.offsets[-len(planned) :]
        position = last + 1 if place == "within its last event" else [*starts, last, stream.offset][2]
        stream.settings["until"] = {"log_name": replica_groups.SOURCE_LOG, "log_pos": position}
    elif mode == "ON" and stream.server.profile in WITH_GROUPS_CUT_OFF and len(planned) > _SHORTEST:
        # Once more, and cut off: the next group is not a part of it.
        replica_groups.add(stream, planned[:-1])
    if mode != "ON":
        _add(stream, replica_groups.group(stream), stream.vary(_NEXT_HAS))
    for _ in range(2):
        _add_named(stream, replica_groups.group(stream), tagged=tagged)


def _add_named(stream: StreamBuilder, planned: list[PlannedEvent], *, tagged: bool) -> list[PlannedEvent]:
    """Add a group with its GTID, and return its events."""
    group = replica_groups.with_gtid(stream, planned, anonymous=False, tagged=tagged)
    replica_groups.add(stream, group)
    return group


_POSITIONS_WITHIN: Final = ("within its first event", "end of its first event", "within its last event")
_LOGS: Final = ("the first", "the second", "one before both", "one after both")
_START_OF_ODD: Final = "start of the event before the group"
_POSITIONS: Final = (
    "start of the group",
    *_POSITIONS_WITHIN,
    "end of the group",
    "after the group",
    "the log's first event",
    _START_OF_ODD,
)
#: In a log in which the applier is at no time, a position has nothing to be compared with.
_POSITION: Final = choices("stop position", _POSITIONS, when={"log of the stop position": _LOGS[:2]})
_LOG: Final = choices("log of the stop position", _LOGS)
#: The names of the source's first and second log, of one before both and of one after both.
_NAMES: Final = Dimension(
    "names of logs",
    {
        "of six digits": (replica_groups.SOURCE_LOG, replica_groups.NEXT_LOG, "binlog.000000", "binlog.000009"),
        "of six and seven digits": ("binlog.999999", "binlog.1000000", "binlog.999998", "binlog.1000009"),
        "with dots": ("db.2.000001", "db.2.000002", "db.2.000000", "db.2.000009"),
    },
)
_OF_REPLICA: Final = "unknown event with the replica's id"
#: Events with a position that are of no log, although replicas only make a Rotate with the id 0. They do not stop an
#: applier in WL#7592; 5.7.22 and 8.0.15 take their positions, too, and stop at the event after them.
_WITHOUT_SERVER: Final = ("statement with the id 0", "unknown event with the id 0")
#: The same with the position that they have in this log. 5.7.22, 8.0.15 and 9.7.4 stop before them where they are at
#: the stop position, in WL#7592 an applier does not before the id 0.
_AT_ITS_PLACE: Final = ("statement of the replica at its place", "statement with the id 0 at its place")
#: The event with a position in another log, which may come before the group. In WL#7592 only the id 0 is exempt; 5.7.22
#: exempts the replica's own, and takes its position.
_ODD: Final = Dimension(
    "event with a far position",
    {
        each: each
        for each in ("none", "Rotate", "statement", "unknown event", _OF_REPLICA, *_WITHOUT_SERVER, *_AT_ITS_PLACE)
    },
    profiles={_OF_REPLICA: Profiles("worklog", "mysql >= 8.0"), **dict.fromkeys(_WITHOUT_SERVER, Profiles("worklog"))},
)
_ODD_ID: Final = Dimension(
    "its server id",
    {"0": 0, "another server's": replica_groups.SOURCE_ID + 1},
    when={"event with a far position": ("Rotate",)},
)
_NEXT: Final = yes_or_no("a format description without a position comes next")
#: What an applier has not come to does not stop it. It reads the event before which it stops.
_LAST: Final = choices("the relay log ends", ("with a whole event", "within an event"))

#: How far the source's log is where the replica begins to read it. A position has 32 bits.
_FROM: Final = Dimension("position in the source's log", {"its beginning": 0, "beyond 2 GiB": 1 << 31})
#: What is skipped does not keep an applier from coming to the position.
_SKIPPED: Final = Dimension("skip counter", {"0": 0, "1": 1, "1000": 1000})
#: A server takes the end of each event that the counter skips for the position, of groups too.
_WITHIN: Final = (
    Impossible(
        {_POSITION.name: (*_POSITIONS_WITHIN, _START_OF_ODD), "skip counter": ("1", "1000")},
        "what position a skipped group has is left to servers",
    ),
    Impossible(
        {_POSITION.name: ("after the group",), "skip counter": ("1000",)},
        "that is within the first event of the next group, which is skipped, too",
    ),
    Impossible(
        {
            _ODD.name: tuple(each for each in _ODD.classes if each != "none"),
            "skip counter": ("1", "1000"),
        },
        "so is that of a skipped event that is of no log",
    ),
    Impossible({_POSITION.name: (_START_OF_ODD,), _ODD.name: ("none",)}, "there is no such event"),
    Impossible(
        {"group": (IN_PAYLOAD,), _NEXT.name: ("yes",)},
        "after a payload 9.7.4 stops before it reads the format description",
    ),
)


@family(
    focus="WL7592-APPLY-UNTIL-SERVER-ID-ZERO",
    profiles=WITH_ANONYMOUS_GTIDS,
    dimensions=(_LOG, _POSITION, _NAMES, _ODD, _ODD_ID, _SKIPPED, _NEXT, _LAST, _GROUP, BEFORE, _FROM),
    impossible=_WITHIN,
)
def stop_positions(stream: StreamBuilder) -> None:
    """Groups for an applier that stops at a position, with an event before them whose position must not count."""
    names = stream.vary(_NAMES)
    replica_groups.begin_relay_log(stream, lengths=declare_up_to(stream, _CODE), log_name=names[0])
    stream.settings["gtid_mode"] = "OFF"
    log = stream.vary(_LOG)
    if log == "the second":
        stream.add(replica_groups.rotate(stream, names[1], 4))
    before = stream.vary(_FROM)
    stream.begin_log_of_source(before + stream.offset)
    for _ in stream.several_of(BEFORE):
        _add(stream, replica_groups.group(stream))
    start_of_odd = stream.position
    if (odd := stream.vary(_ODD)) != "none":
        _add_odd(stream, odd, before)
    start = stream.position
    count = _add(stream, shaped(stream, _GROUP, by_change=False))
    starts = [before + each for each in (*stream.offsets[-count:], stream.offset)]
    position = {
        "start of the group": start,
        "within its first event": start + 1,
        "end of its first event": starts[1],
        "within its last event": starts[-2] + 1,
        "end of the group": starts[-1],
        "after the group": starts[-1] + 1,
        "the log's first event": 4,
        _START_OF_ODD: start_of_odd,
    }[stream.vary(_POSITION) if log in _LOGS[:2] else "after the group"]
    stream.settings["until"] = {"log_name": names[_LOGS.index(log)], "log_pos": position}
    if counter := stream.vary(_SKIPPED):
        stream.settings["skip_counter"] = counter
    if stream.vary(_NEXT):
        # As after FLUSH RELAY LOGS: the position that counts is the end of the last group.
        stream.add(stream.described(flags=int(Flag.ARTIFICIAL)))
        stream.set_log_pos(0)
    for _ in range(2):
        _add(stream, replica_groups.create(stream))
    if stream.vary(_LAST) == "within an event":
        stream.damage(stream.bytes[:-5])
        stream.expect_refusal(at=stream.offsets[-1], kind="truncated", marks=("FORMAT-APPLY-TRUNCATED",))


def _add_odd(stream: StreamBuilder, odd: str, before: int) -> None:
    """Add an event that the replica made, or another server, mostly with its position in another log.

    Args:
        stream: The stream to add to.
        odd: The event, of `_ODD`.
        before: Bytes of the source's log that the stream does not have.
    """
    if odd == "Rotate":
        stream.server_id = stream.vary(_ODD_ID)
        # The replica makes it in the place of what it did not write.
        stream.add(replica_groups.rotate(stream, _log_of(stream), before + stream.offset))
    elif "statement" in odd:
        stream.server_id = _odd_id(odd)
        replica_groups.add(stream, replica_groups.create(stream))
    else:
        stream.server_id = _odd_id(odd)
        stream.add(mysql_events.ignorable(stream, _CODE, b"", flags=0))
    if odd not in _AT_ITS_PLACE:
        stream.set_log_pos(before + _FAR)
    stream.server_id = replica_groups.SOURCE_ID
    if odd in (_OF_REPLICA, *_WITHOUT_SERVER, *_AT_ITS_PLACE):
        # Whether the position is now that of the event is left open; from here on it is known again.
        stream.add(replica_groups.rotate(stream, _log_of(stream), before + stream.offset))


def _odd_id(odd: str) -> int:
    if "replica" in odd:
        return replica_groups.REPLICA_ID
    return 0 if "the id 0" in odd else replica_groups.SOURCE_ID + 1


def _log_of(stream: StreamBuilder) -> str:
    """Return the source's log that the stream is in."""
    rotates = [event for event, _, _ in stream.placed if event.type == EventType.ROTATE]
    return str(rotates[-1].fields["next_file"])
