"""Streams that a source sends to a replica: what goes into the relay log (WL#7592, WL#4033, WL#4162)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import ROWS_TYPES
from conformance.binlog.flags import Flag
from conformance.binlog.servers import (
    WITH_CHECKSUMS,
    WITH_HEARTBEAT,
    WITH_HEARTBEAT_V2,
    WITH_IGNORABLE_FLAG,
    WITH_INCIDENT_TRANSACTIONS,
)
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events, server_events
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.families.boundaries import WITH_PARSER
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import data_changes, last_groups, replica_groups, replica_variants, sound_log
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.replica_variants import BEFORE, CHANGE, GROUP, MODE, SERVER_IDS, TAGS

_IGNORABLE: Final = int(Flag.IGNORABLE)
_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
#: What a server's version ends with that has another option of its build.
_OTHER_BUILD: Final = "-debug"
#: Makes a heartbeat for a stream.
MakeHeartbeat = Callable[[StreamBuilder], PlannedEvent]
_LOGS: Final = Number("logs of the source", many=(20, 24))
#: Receivers that stop, with error 1595, at any other event between the rows events of a statement: MariaDB 11.8.6.
_WITH_ROWS_TOGETHER: Final = Profiles("mariadb")
_END: Final = choices("the last log ends with", ("nothing", "Rotate", "Stop"))
_CAME_BACK: Final = yes_or_no("events of the replica itself")
_IDS: Final = replace(SERVER_IDS, when={_CAME_BACK.name: ("yes",)})
#: What makes a heartbeat; since 8.0.26 a replica can ask for the second version.
_HEARTBEAT: Final = Dimension(
    "heartbeats",
    {"no": None, "version 1": server_events.heartbeat, "version 2": server_events.heartbeat_v2},
    profiles={"version 1": WITH_HEARTBEAT & WITH_IGNORABLE_FLAG, "version 2": WITH_HEARTBEAT_V2},
)
#: How the names of the source's logs begin: a Rotate in the place of an event that is left out has the name.
_NAMES: Final = Dimension(
    "names of the logs",
    {"plain": "binlog", "capitals": "Log-Bin", "a space": "my log", "not in ASCII": "l\u00f6g", "long": "n" * 200},
)
#: A source that crashed has no Rotate in its last log: the one that it makes then names the next log.
_NEXT: Final = choices(
    "the source goes on to its next log",
    ("with the Rotate of the log", "after a crash"),
    when={"logs of the source": ("2", "3", "many")},
)
#: A source that lost events has it in its log; a receiver writes it as any other event.
_INCIDENT: Final = yes_or_no("an Incident")
#: What a program adds to a log may have the id 0, which belongs to no server; the replica did not make it.
_UNKNOWN_OF: Final = Dimension("unknown events are of", {"the source": None, "no server": 0})
#: Each log of the source has checksums if the one before it has none, and the reverse.
_OTHER_CHECKSUM: Final = Dimension(
    "checksums of the next log",
    {"the same": False, "other": True},
    when={"logs of the source": ("2", "3", "many")},
    profiles={"other": WITH_CHECKSUMS},
)


@family(
    focus="WL4033-RELAY-EVENTS-AS-USUAL",
    profiles=WITH_IGNORABLE_FLAG,
    dimensions=(
        *(_LOGS, _NAMES, _NEXT, _OTHER_CHECKSUM, MODE, _CAME_BACK, _IDS, _INCIDENT, _HEARTBEAT, _UNKNOWN_OF, _END),
    ),
)
def relay_logs(stream: StreamBuilder) -> None:
    """All that a source sends: groups, ignorable events, heartbeats, Stop and Rotate, in one log or several."""
    code = stream.choose.one_of(UNASSIGNED)
    lengths = declare_up_to(stream, code)
    mode = replica_variants.set_mode(stream)
    came_back, heartbeats, name = stream.vary(_CAME_BACK), stream.vary(_HEARTBEAT), stream.vary(_NAMES)
    stream.settings["source_log"] = f"{name}.000001"
    if came_back:
        replica_id, source_id = replica_variants.set_server_ids(stream, _IDS)
    others = False
    for number in stream.several_of(_LOGS):
        if number:
            crashed = stream.vary(_NEXT) == "after a crash"
            stream.add(
                replica_groups.rotate(stream, f"{name}.{number + 1:06d}", 4, flags=_ARTIFICIAL if crashed else 0)
            )
            stream.begin_log_of_source()
            others = others or (number == 1 and stream.vary(_OTHER_CHECKSUM))
            stream.checksummed = stream.checksummed != others
        _begin(stream, lengths)
        _add_ignorable(stream, code, server_id=stream.vary(_UNKNOWN_OF))
        _add_group(stream, code, mode, heartbeats=heartbeats)
        if stream.vary(_INCIDENT):
            replica_groups.add(stream, _incident(stream, mode))
        if came_back:
            # A replica that is also a source gets its own events back, and omits them.
            stream.server_id = replica_id
            groups.add_group(stream, groups.ddl(stream))
            stream.server_id = source_id
        _add_group(stream, code, mode, heartbeats=heartbeats)
    end = stream.vary(_END)
    if end != "nothing":
        stream.add(mysql_events.stop(stream) if end == "Stop" else replica_groups.rotate(stream, f"{name}.000099", 4))


def _incident(stream: StreamBuilder, mode: str) -> Sequence[PlannedEvent]:
    """Return an Incident event, a group of its own where servers log it as one."""
    planned = [server_events.incident(stream)]
    alone = stream.server.profile not in WITH_INCIDENT_TRANSACTIONS
    return planned if alone else replica_groups.in_mode(stream, planned, mode)


def _begin(
    stream: StreamBuilder, lengths: bytes | None = None, *, created: int = 0, build: str = "", flags: int = 0
) -> None:
    version = f"{stream.server.version}{build}" if build else None
    stream.describe_format(post_header_lengths=lengths, created=created, version=version, flags=flags)
    if stream.server.gtid_form not in ("absent", "5.6"):
        stream.add(gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=_IGNORABLE))


def _add_group(stream: StreamBuilder, code: int, mode: str, *, heartbeats: MakeHeartbeat | None) -> None:
    """Add a group, with ignorable events in it and heartbeats between its events."""
    choose = stream.choose
    planned = replica_groups.in_mode(stream, groups.group(stream), mode)
    for index, event in enumerate(planned):
        stream.add(event)
        if heartbeats is not None and choose.yes():
            stream.add(heartbeats(stream))
        if not _stay_together(stream, planned[index : index + 2]) and choose.yes(4):
            _add_ignorable(stream, code)
    stream.timestamp += 1


def _stay_together(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> bool:
    """Return whether receivers take nothing else between two events."""
    both_rows = len(planned) > 1 and all(event.type in ROWS_TYPES for event in planned)
    return both_rows and stream.server.profile in _WITH_ROWS_TOGETHER


def _add_ignorable(stream: StreamBuilder, code: int, *, server_id: int | None = None) -> None:
    """Add an ignorable event of a type that no server knows, of the stream's server unless an id is given."""
    server_of_stream = stream.server_id
    stream.server_id = server_of_stream if server_id is None else server_id
    stream.add(mysql_events.ignorable(stream, code, stream.choose.octets(0, 60), flags=0))
    stream.server_id = server_of_stream


_FLUSHES: Final = Number("relay logs flushed", many=(20, 24))
_FLUSHED_AT: Final = choices(
    "flushed",
    ("after a group", "after its first event", "after its second event", "within a group", "before every group"),
)
#: How far apart the numbers of the GTIDs are, which then have one source: those in a row are one interval of a set. A
#: source whose transactions are committed in another order sends those between later, which join intervals to one.
_NUMBERS: Final = Dimension(
    "numbers of GTIDs",
    {
        "any": (0, False),
        "in a row": (1, False),
        "every other one": (2, False),
        "every other one, then those between from the last on": (2, True),
    },
    when={"gtid_mode": ("ON",)},
)
#: The groups of a set that has half as many intervals before they are joined.
_OF_INTERVALS: Final = 16
#: The source sends it from the beginning of its log; a relay log that goes on with the same format has it without.
_CREATED: Final = yes_or_no("the source's log has the time of a start")
#: A last group that ends with another event than an Xid or a statement, and is in the set after it; or one with what
#: only looks like an end, which is not in the set after that.
_LAST_GROUP: Final = last_groups.dimension("last group", last_groups.RECEIVED, when={"gtid_mode": ("ON",)})
#: Its Previous_gtids event is the second that is received.
_FLUSHED_BEFORE: Final = "and a flush before its format description"
#: The relay log then goes on with the format description of that log: of a server of another build. Of a newer one
#: 5.7.22 to 9.7.4 would leave out the types that they do not know.
_FLUSHED_AFTER: Final = "and a flush within it"
_NEXT_FOLLOWS: Final = Dimension(
    "the source's next log follows",
    {each: each for each in ("no", "yes", _FLUSHED_BEFORE, _FLUSHED_AFTER)},
    profiles={_FLUSHED_BEFORE: Profiles("mysql >= 5.7")},
)


#: A relay log that goes on with the same format description has it with these flags, too.
_FORMAT_FLAGS: Final = Dimension(
    "flags of the source's format description",
    {
        "none": 0,
        "the marker Ignore Boundary": MARKER_BITS.write(0, BoundaryType.IGNORE_BOUNDARY),
        "a bit without a meaning": 0x4000,
    },
    profiles={"the marker Ignore Boundary": Profiles("worklog")},
)


@family(
    focus="WL7592-RELAY-PREVIOUS-GTIDS-OWN",
    profiles=Profiles("worklog", "mysql >= 5.7"),
    dimensions=(
        *(_FLUSHES, _FLUSHED_AT, _CREATED, _NEXT_FOLLOWS, MODE, TAGS, _NUMBERS, GROUP, CHANGE, _LAST_GROUP),
        _FORMAT_FLAGS,
    ),
)
def flushed_relay_logs(stream: StreamBuilder) -> None:
    """Groups for a replica that begins another relay log between them, within them or before them."""
    _begin(stream, created=stream.timestamp if stream.vary(_CREATED) else 0, flags=stream.vary(_FORMAT_FLAGS))
    mode, at = replica_variants.set_mode(stream), stream.vary(_FLUSHED_AT)
    tagged = mode == "ON" and stream.vary(TAGS)
    stream.gtid_step, those_between = stream.vary(_NUMBERS) if mode == "ON" else (0, False)
    flushes: list[int] = []
    count = max(len(list(stream.several_of(_FLUSHES))), _OF_INTERVALS if those_between else 0)
    for number in range(count):
        if those_between and number >= count // 2:
            stream.first_gno = 2 * (count - number)
        planned = replica_variants.group(stream, mode, again=number > 0)
        # The first has none: a set has both then.
        if tagged and number:
            planned = replica_groups.with_gtid(stream, planned[1:], anonymous=False, tagged=True)
        places = {
            "before every group": 0,
            "after its first event": 1,
            # In groups with a Gtid event that is after the BEGIN: before a Rows_query, a Table_map, a statement.
            "after its second event": min(2, len(planned) - 1),
            "within a group": len(planned) - 1,
        }
        place = places.get(at, len(planned))
        replica_groups.add(stream, planned[:place])
        flushes.append(stream.offset)
        replica_groups.add(stream, planned[place:])
    last = stream.vary(_LAST_GROUP) if mode == "ON" else last_groups.ANY
    if last != last_groups.ANY:
        planned = replica_groups.in_mode(stream, last_groups.RECEIVED[last](stream), mode)
        place = len(planned) - (last == last_groups.SAVEPOINT)
        replica_groups.add(stream, planned[:place])
        flushes.append(stream.offset)
        replica_groups.add(stream, planned[place:])
    if (follows := stream.vary(_NEXT_FOLLOWS)) != "no":
        stream.add(replica_groups.rotate(stream, replica_groups.NEXT_LOG, 4))
        stream.begin_log_of_source()
        if follows == _FLUSHED_BEFORE:
            flushes.append(stream.offset)
        _begin(stream, build=_OTHER_BUILD if follows == _FLUSHED_AFTER else "")
    if follows == _FLUSHED_AFTER:
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.create(stream), mode))
        flushes.append(stream.offset)
    replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.create(stream), mode))
    stream.settings["flushes"] = flushes


_RECONNECTS: Final = Number("reconnects", many=(20, 24))
_ENDS: Final = choices("a connection ends", ("after a group", "after its first event", "within a group"))
_LOST_GROUP: Final = "with its next log, without the group"
#: A source that crashes before its log is on the disk does not have the group any more: it goes on with another.
_RESUMES: Final = Dimension(
    "the source resumes",
    {each: each for each in ("after the last event", "with the whole group", _LOST_GROUP)},
    when={"a connection ends": ("after its first event", "within a group")},
    profiles={_LOST_GROUP: Profiles("mysql >= 5.7")},
)
#: The set of the next relay log has what was received over the connections before. Whether a group counts that came
#: over two of them is left open.
_FLUSHED: Final = Dimension(
    "relay logs flushed after them",
    {"no": False, "yes": True},
    when={"a connection ends": ("after a group",)},
    profiles={"yes": Profiles("worklog", "mysql >= 5.7")},
)
#: A group that was cut off and comes again does not count before its end, however often its Gtid event has come.
_FLUSHED_WITHIN: Final = Dimension(
    "relay log flushed within the group that comes again",
    {"no": False, "yes": True},
    when={
        "a connection ends": ("after its first event", "within a group"),
        "the source resumes": ("with the whole group",),
    },
    profiles={"yes": Profiles("mysql >= 5.7")},
)
#: A source that has been started again, as another build, has gone on to its next log.
_NEXT_LOG: Final = Dimension(
    "a connection begins with the source's next log",
    {"no": False, "yes": True},
    when={"a connection ends": ("after a group",)},
)
#: A boundary parser begins again with each connection (WL#4162), also where the one before ended between groups.
_CUT_OFF: Final = Dimension(
    "the first group of a connection lacks its beginning",
    {"no": False, "yes": True},
    when={"a connection ends": ("after a group",), _FLUSHED.name: ("no",)},
    profiles={"yes": Profiles("worklog")},
)


@family(
    focus="WL4033-RELAY-EVENTS-AS-USUAL",
    dimensions=(_RECONNECTS, _ENDS, _RESUMES, _FLUSHED, _FLUSHED_WITHIN, _NEXT_LOG, _CUT_OFF, GROUP, CHANGE),
)
def reconnected_streams(stream: StreamBuilder) -> None:
    """Groups that a source sends over several connections, which end between groups or within them."""
    _begin(stream)
    ends = stream.vary(_ENDS)
    resumes = "after the last event" if ends == "after a group" else stream.vary(_RESUMES)
    comes_again, lost = resumes == "with the whole group", resumes == _LOST_GROUP
    flushed = lost or (ends == "after a group" and stream.vary(_FLUSHED))
    flushed_within = comes_again and stream.vary(_FLUSHED_WITHIN)
    # Only groups with GTIDs are in the set of the next relay log.
    mode = "ON" if flushed or flushed_within else "OFF"
    after = "OFF" if lost else mode
    stream.settings["gtid_mode"] = "ON_PERMISSIVE" if lost else mode
    next_log = lost or (ends == "after a group" and stream.vary(_NEXT_LOG))
    connections, flushes = [], []
    for number in stream.several_of(_RECONNECTS):
        planned = replica_variants.group(stream, mode, again=number > 0)
        places = {"after its first event": 1, "within a group": len(planned) - 1}
        place = places.get(ends, len(planned))
        replica_groups.add(stream, planned[:place])
        connections.append(stream.offset)
        _resume(stream, f"binlog.{number + 2:06d}" if next_log else None)
        following = planned if comes_again and place < len(planned) else planned[place:]
        if lost:
            following = replica_groups.in_mode(stream, replica_groups.group(stream), after)
        if ends == "after a group" and not flushed and stream.vary(_CUT_OFF):
            following = replica_groups.in_mode(stream, replica_groups.transaction(stream), mode)[2:]
        if flushed_within:
            replica_groups.add(stream, following[:-1])
            flushes.append(stream.offset)
            following = following[-1:]
        replica_groups.add(stream, following)
    if flushed:
        flushes.append(stream.offset)
    if flushes:
        stream.settings["flushes"] = flushes
    replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.create(stream), after))
    stream.settings["connections"] = connections


def _resume(stream: StreamBuilder, next_log: str | None) -> None:
    """Add what a source begins another connection with, in the log that was sent or in its next one."""
    if next_log is not None:
        stream.add(replica_groups.rotate(stream, next_log, 4, flags=_ARTIFICIAL))
        stream.begin_log_of_source()
        _begin(stream, build=_OTHER_BUILD)
        return
    stream.add(replica_groups.rotate(stream, replica_groups.SOURCE_LOG, stream.offset, flags=_ARTIFICIAL))
    stream.describe_format()
    stream.set_log_pos(0)


_IGNORED: Final = Dimension(
    "ignored ids",
    {"1": (7,), "2": (7, 9), "3": (7, 9, 4_294_967_295), "the source's too": (7, replica_groups.SOURCE_ID)},
)
#: The server whose groups a source sends that is to be ignored itself.
_BEFORE_SOURCE: Final = 3
_PLACE_OF_IGNORED: Final = choices("events of ignored servers", ("first", "in the middle", "last", "all"))
#: A server that is not ignored, with an id that is not far from those that are.
_OTHER_SERVER: Final = Dimension(
    "another server",
    {
        "none": None,
        "between those ignored": 8,
        "the low byte of one ignored": 7 + (1 << 8),
        "the low 31 bits of one ignored": 7 + (1 << 31),
    },
)
#: Ignorable events of unknown types, of ignored servers too.
_UNKNOWN: Final = Dimension(
    "unknown event",
    {each: each for each in ("none", "in each group", "between groups")},
    profiles={each: WITH_IGNORABLE_FLAG for each in ("in each group", "between groups")},
)


#: The replica has not forgotten afterwards whom it is to ignore.
_LOST: Final = yes_or_no("the connection is lost before the last groups")
#: The Previous_gtids event of the next relay log does not have the GTIDs of what was ignored.
_FLUSHED_LATE: Final = Dimension(
    "FLUSH RELAY LOGS before the last groups",
    {"no": False, "yes": True},
    when={_LOST.name: ("no",)},
    profiles={"yes": Profiles("worklog", "mysql >= 5.6")},
)


@family(
    focus="FORMAT-RELAY-IGNORED",
    profiles=replica_variants.WITH_IGNORED_SERVERS,
    dimensions=(_IGNORED, _PLACE_OF_IGNORED, _UNKNOWN, _OTHER_SERVER, _LOST, _FLUSHED_LATE, MODE, BEFORE),
)
def ignored_servers(stream: StreamBuilder) -> None:
    """Groups of several servers for a replica that is to ignore some of them, perhaps the source itself."""
    code = stream.choose.one_of(UNASSIGNED)
    lengths = declare_up_to(stream, code)
    _begin(stream, lengths)
    mode = replica_variants.set_mode(stream)
    ignored, place, unknown = stream.vary(_IGNORED), stream.vary(_PLACE_OF_IGNORED), stream.vary(_UNKNOWN)
    stream.settings["ignored_ids"] = list(ignored)
    source = replica_groups.SOURCE_ID
    kept = _BEFORE_SOURCE if source in ignored else source

    def add(server_id: int) -> None:
        stream.server_id = server_id
        _add_with_unknown(stream, mode, code, unknown)
        stream.server_id = source

    def add_ignored() -> None:
        """Add a group of each server that is to be ignored, and what describes the source's next log."""
        for server_id in ignored:
            add(server_id)
        stream.add(replica_groups.rotate(stream, replica_groups.NEXT_LOG, 4, flags=_ARTIFICIAL))
        stream.begin_log_of_source()
        _begin(stream, lengths)

    if place in ("first", "all"):
        add_ignored()
    stream.server_id = kept
    replica_variants.add_before(stream, mode)
    stream.server_id = source
    if place in ("in the middle", "all"):
        add_ignored()
    other = stream.vary(_OTHER_SERVER)
    if other is not None:
        add(other)
    if stream.vary(_LOST):
        stream.settings["connections"] = [stream.offset]
        current = replica_groups.SOURCE_LOG if place == "last" else replica_groups.NEXT_LOG
        stream.add(replica_groups.rotate(stream, current, stream.position, flags=_ARTIFICIAL))
        stream.describe_format(post_header_lengths=lengths)
        stream.set_log_pos(0)
    elif stream.vary(_FLUSHED_LATE):
        stream.settings["flushes"] = [stream.offset]
    add(kept)
    if place in ("last", "all"):
        add_ignored()


def _add_with_unknown(stream: StreamBuilder, mode: str, code: int, unknown: str) -> None:
    """Add a group, with an ignorable event of an unknown type in its middle, after it, or not at all."""
    planned = replica_groups.in_mode(stream, replica_groups.group(stream), mode)
    middle = (len(planned) + 1) // 2
    replica_groups.add(stream, planned[:middle])
    if unknown == "in each group" and not _stay_together(stream, planned[middle - 1 : middle + 1]):
        _add_ignorable(stream, code)
    replica_groups.add(stream, planned[middle:])
    if unknown == "between groups":
        _add_ignorable(stream, code)


def _end_alone(stream: StreamBuilder) -> Sequence[PlannedEvent]:
    return [mysql_events.xid(stream)]


def _begun_twice(stream: StreamBuilder) -> Sequence[PlannedEvent]:
    begin = data_changes.query(stream, "BEGIN")
    return [*replica_groups.with_gtid(stream, [begin], anonymous=True), *replica_groups.transaction(stream)]


def _part(stream: StreamBuilder, mode: str = "OFF") -> Sequence[PlannedEvent]:
    """Return the events of a group without the last ones, as a source in a mode logs it."""
    planned = replica_groups.with_gtid(stream, replica_groups.transaction(stream), anonymous=mode == "OFF")
    return planned[: stream.choose.integer(2, len(planned) - 1)]


def _never_ended(stream: StreamBuilder) -> Sequence[PlannedEvent]:
    planned = replica_groups.transaction(stream)
    first, second = (replica_groups.with_gtid(stream, planned, anonymous=True) for _ in range(2))
    return [*first[: stream.choose.integer(2, len(first) - 1)], *second]


_BROKEN: Final[Dimension[Callable[[StreamBuilder], Sequence[PlannedEvent]]]] = Dimension(
    "broken group", {"ends alone": _end_alone, "begins twice": _begun_twice, "does not end": _never_ended}
)


@family(focus="WL4162-WARN-RECEIVER", profiles=WITH_PARSER, fault=True, dimensions=(_BROKEN, BEFORE))
def broken_groups_received(stream: StreamBuilder) -> None:
    """Groups that do not end, end without a beginning, or begin twice: a receiver warns, and writes them."""
    sound_log.begin_log(stream)
    replica_variants.add_before(stream, "OFF")
    for event in stream.vary(_BROKEN)(stream):
        stream.add(event)
    sound_log.add_groups(stream, 0, 1, anonymous=True)


#: The server of which nothing is written: one to be ignored, or the replica, whose own events come back.
_LEFT_OUT: Final = Dimension(
    "the group is of", {"a server to be ignored": 7, "the replica itself": replica_groups.REPLICA_ID}
)


@family(focus="WL4162-RELAY-FEEDS-QUEUED", profiles=Profiles("worklog"), fault=True, dimensions=(BEFORE, _LEFT_OUT))
def broken_groups_ignored(stream: StreamBuilder) -> None:
    """A group without its end, of a server that is left out: it is not fed, so the next group gives no warning.

    Shipped servers feed what they leave out, too.
    """
    sound_log.begin_log(stream)
    left_out = stream.vary(_LEFT_OUT)
    if left_out != replica_groups.REPLICA_ID:
        stream.settings["ignored_ids"] = [left_out]
    replica_variants.add_before(stream, "OFF")
    stream.server_id = left_out
    for event in _part(stream):
        stream.add(event)
    stream.server_id = replica_groups.SOURCE_ID
    sound_log.add_groups(stream, 0, 1, anonymous=True)


#: A transaction that never ends has not been received: its GTID is in no set. WL#7592 is silent on it. The groups
#: after it may have none: an Anonymous_gtid event begins a group as a Gtid event does.
_NUMBERED: Final = Dimension(
    "the groups have GTIDs",
    {"no": ("OFF", "OFF"), "yes": ("ON", "ON"), "the one that does not end": ("ON", "OFF")},
    profiles=dict.fromkeys(("yes", "the one that does not end"), Profiles("mysql >= 5.7")),
)
_WITH_GTID: Final = {"the groups have GTIDs": ("yes", "the one that does not end")}
#: The relay log after the next one has another set, in which the GTID may be as well.
_FLUSHED_LATER: Final = yes_or_no("a relay log is flushed after the next group", when=_WITH_GTID)
#: With its last event right after its first the group has an end, although none that a parser expects.
_ENDS_ALONE: Final = "its first event and its last"
_SENT: Final = choices("sent of the group", ("more", "its first event", _ENDS_ALONE))
#: A program that writes logs may go on in the same log.
_GOES_ON: Final = choices("the source goes on", ("in its next log", "in the same log"))
#: What a source sends besides its transactions, between the part and a flush of the relay log: it ends none of them.
_FLUSHED_THEN: Final = choices(
    "a relay log is flushed before the next group", ("no", "yes", "after a Stop", "after a heartbeat"), when=_WITH_GTID
)


@family(
    focus="WL4162-WARN-RECEIVER",
    profiles=WITH_PARSER,
    fault=True,
    dimensions=(_NUMBERED, _FLUSHED_LATER, _SENT, _GOES_ON, GROUP, CHANGE, BEFORE, _FLUSHED_THEN),
)
def groups_of_crashed_sources(stream: StreamBuilder) -> None:
    """A part of a group, sent before the source crashed, and its next log: a receiver warns of the next group.

    The transaction never ends, so its GTID has not been received; one that ends without its beginning has been.
    """
    mode, after = stream.vary(_NUMBERED)
    sound_log.begin_log(stream)
    stream.settings["gtid_mode"] = mode if mode == after else "ON_PERMISSIVE"
    replica_variants.add_before(stream, mode)
    part, sent = _part(stream, mode), stream.vary(_SENT)
    if sent == _ENDS_ALONE:
        part = [part[0], mysql_events.xid(stream)]
    replica_groups.add(stream, part[:1] if sent == "its first event" else part)
    flushes = _flushes_then(stream) if mode == "ON" else []
    if stream.vary(_GOES_ON) == "in its next log":
        stream.add(replica_groups.rotate(stream, replica_groups.NEXT_LOG, 4, flags=_ARTIFICIAL))
        stream.begin_log_of_source()
        _begin(stream)
    replica_groups.add(stream, replica_variants.group(stream, after))
    if mode == "ON" and stream.vary(_FLUSHED_LATER):
        flushes.append(stream.offset)
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.create(stream), after))
    if flushes:
        stream.settings["flushes"] = flushes
    sound_log.add_groups(stream, 0, 1, anonymous=after == "OFF")


def _flushes_then(stream: StreamBuilder) -> list[int]:
    """Add what comes before a flush of the relay log, if there is one, and return the offset of the event after it."""
    then = stream.vary(_FLUSHED_THEN)
    if "Stop" in then:
        stream.add(mysql_events.stop(stream))
    elif "heartbeat" in then:
        stream.add(server_events.heartbeat(stream))
    return [stream.offset] if then != "no" else []


_MARKER: Final = Dimension("marker of the event", {each.heading: each for each in BoundaryType})
_BEFORE_IT: Final = choices(
    "before the event", ("nothing", "a whole group", "the first event of a group", "more of a group", "an error")
)


@family(
    focus="WL4162-RELAY-WARN-TEXT",
    profiles=Profiles("worklog"),
    fault=True,
    dimensions=(_MARKER, _BEFORE_IT, BEFORE),
)
def marked_streams_received(stream: StreamBuilder) -> None:
    """Groups of a source that marks its events, and a statement with any marker in any state of the parser."""
    stream.describe_format(flags=MARKER_BITS.write(0, BoundaryType.IGNORE_BOUNDARY))
    for _ in stream.several_of(BEFORE):
        _add_marked(stream, replica_groups.group(stream))
    before = stream.vary(_BEFORE_IT)
    planned = boundaries.marked(replica_groups.with_gtid(stream, replica_groups.transaction(stream), anonymous=True))
    count = {"nothing": 0, "a whole group": len(planned), "the first event of a group": 1}.get(before, 2)
    replica_groups.add(stream, planned[:count])
    statement = data_changes.query(stream, "INSERT INTO `t1` VALUES (1, 2)")
    if before == "an error":
        stream.add(boundaries.with_marker(statement, BoundaryType.SELF_CONTAINED))
    stream.add(boundaries.with_marker(statement, stream.vary(_MARKER)))
    _add_marked(stream, replica_groups.group(stream))


def _add_marked(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    replica_groups.add(stream, boundaries.marked(replica_groups.with_gtid(stream, planned, anonymous=True)))
