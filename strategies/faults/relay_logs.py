"""Faults of what a replica reads: events that are damaged in a relay log, or on their way from the source."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.servers import (
    WITH_CHECKSUMS,
    WITH_HEARTBEAT,
    WITH_IGNORABLE_FLAG,
    WITH_ROWS_QUERIES,
)
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import mysql_events, server_events
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.faults.bodies import KINDS, OF_LENGTHS, WRONG, Kind, malformed
from conformance.strategies.faults.framing import (
    FIRST_CHECKSUMS,
    PLACE_OF_BIT,
    byte_of_bit,
    is_in_second_log,
    is_too_small,
    set_length,
)
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import CHECKSUM, StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups, replica_variants
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.replica_variants import EXECUTED_BEFORE, GROUP, MODE, WITH_IGNORED_SERVERS

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
#: The place of an event in its group -> its index.
_PLACES: Final = {"first of its group": 0, "second of its group": 1, "last of its group": -1}
_ROWS, _UNKNOWN, _ROTATE = "rows", "ignorable event of an unknown type", "Rotate"
#: The event with the fault.
_VICTIM: Final = Dimension(
    "event with the fault",
    {each: each for each in (*_PLACES, _ROWS, _UNKNOWN, _ROTATE)},
    profiles={_UNKNOWN: WITH_IGNORABLE_FLAG},
)
_DESCRIPTION: Final = "format description"
#: Of what a receiver gets, that with which a log begins too: it is covered by the checksum that it announces itself.
_RECEIVED: Final = Dimension(_VICTIM.name, {**_VICTIM.classes, _DESCRIPTION: _DESCRIPTION}, profiles=_VICTIM.profiles)
_HEARTBEAT, _STOP, _MADE_ROTATE = "heartbeat", "Stop", "Rotate that the source makes"
#: On the way there is damage to what is not written, too, and to what no log of the source has.
_ARRIVED: Final = Dimension(
    _VICTIM.name,
    {**_RECEIVED.classes, **{each: each for each in (_HEARTBEAT, _STOP, _MADE_ROTATE)}},
    profiles={**_RECEIVED.profiles, _HEARTBEAT: WITH_HEARTBEAT},
)
#: Whether the replica is to ignore the server whose events these are: it finds damage before it looks at the id.
_OF_IGNORED: Final = Dimension(
    "the source is ignored", {"no": False, "yes": True}, profiles={"yes": WITH_IGNORED_SERVERS}
)
#: What comes back to the replica in a ring is skipped, but read like everything else.
_MADE_BY: Final = Dimension(
    "server of the group",
    {"the source": replica_groups.SOURCE_ID, "the replica": replica_groups.REPLICA_ID},
    when={_VICTIM.name: (*_PLACES, _ROWS)},
)
#: The log of the source that has the event.
_LOG: Final = choices("log with the fault", ("the first", "the second"))
_OF_FIRST: Final = Impossible(
    {_VICTIM.name: (_DESCRIPTION,), _LOG.name: ("the first",)}, "the relay log does not begin with one that it can read"
)
_AFTER: Final = choices("after the fault", ("another group", "nothing"))
_NO_BODY: Final = Impossible({_VICTIM.name: (_STOP,), PLACE_OF_BIT.name: ("body",)}, "a Stop has no body")
_WITHOUT_ROWS: Final = Impossible(
    {"event with the fault": (_ROWS,), GROUP.name: ("statement that is one",)}, "a statement has no rows"
)
_BEFORE: Final = Number("groups before", fewest=0, few=2)
_LENGTHS: Final = {
    "18": 18,
    "0": 0,
    "1": 1,
    "19": 19,
    "22": 22,
    "1 more than is left": -1,
    "1000 more than are left": -1000,
    "2^31 - 1": 2**31 - 1,
    "2^32 - 1": 2**32 - 1,
}
#: Wrong lengths: a length, or how many bytes more than the stream has left.
_LENGTH: Final = Dimension("length", _LENGTHS, profiles=dict.fromkeys(("19", "22"), WITH_CHECKSUMS))
_NO_ROOM: Final = Impossible(
    {"length": ("19", "22"), CHECKSUM.name: ("none",)}, "without checksums an event may be as short"
)
#: Servers up to 5.7 take less than a header for the end of the relay log; a receiver gets whole packets alone.
_CUT: Final = choices("place of the cut", ("within the body", "after the header"))
_CUT_ON_THE_WAY: Final = choices("place of the cut", ("within the body", "after the header", "within the header"))
#: The ways in which a body can be malformed.
_BODY: Final = Dimension(
    "what is wrong",
    {
        each: WRONG.classes[each]
        for each in ("no byte", "half", "a byte too few", "a length 1 too large", "the largest length")
    },
)


def _events(**profiles: Profiles) -> tuple[Dimension[Kind], Impossible]:
    """Return the dimension of some kinds of malformed events, and what cannot be wrong with some of them.

    Args:
        **profiles: The names of the kinds, each with the servers under which it is asked.
    """
    kinds = {each: KINDS[each] for each in profiles}
    lengths = tuple(each for each, (what, _) in _BODY.classes.items() if what in OF_LENGTHS)
    without = tuple(each for each, kind in kinds.items() if not kind.numbers)
    impossible = Impossible({"event": without, _BODY.name: lengths}, "the body has no length or count")
    return Dimension("event", kinds, profiles=profiles), impossible


_MYSQL: Final = Profiles("worklog", "mysql")
#: Receivers read the bodies of other types: what describes a log, GTIDs and statements; MariaDB's read rows too.
_UNREAD, _UNREAD_LENGTHS = _events(
    Xid=EVERY_PROFILE,
    Table_map=EVERY_PROFILE,
    rows=_MYSQL,
    Intvar=EVERY_PROFILE,
    Rand=EVERY_PROFILE,
    User_var=EVERY_PROFILE,
    Begin_load_query=EVERY_PROFILE,
    Append_block=EVERY_PROFILE,
    Rows_query=WITH_ROWS_QUERIES,
)
#: Whether the event is among those that an applier skips. With gtid_mode=ON some servers refuse to.
#: Not asked of MariaDB: 11.4.5 and 11.8.9 may crash there at rows, as docs/servers.md has it.
_SKIPPED: Final = Dimension(
    "skip counter", {"0": 0, "1000": 1000}, profiles={"1000": _MYSQL}, when={MODE.name: ("OFF",)}
)
_MARIADB: Final = Profiles("mariadb")
#: MySQL 5.7 reads the others beyond their end.
_STRICT: Final = Profiles("worklog", "mysql >= 8.0")
#: Each kind with the appliers that were seen to stop at it; MySQL 9.7.4 crashes at a DECIMAL in User_var that is cut.
_READ, _READ_LENGTHS = _events(
    Query=EVERY_PROFILE,
    rows=EVERY_PROFILE,
    User_var=EVERY_PROFILE,
    Begin_load_query=EVERY_PROFILE,
    Append_block=EVERY_PROFILE,
    Delete_file=EVERY_PROFILE,
    Execute_load_query=EVERY_PROFILE,
    Table_map=_STRICT,
    Rows_query=WITH_ROWS_QUERIES,
    Rotate=_STRICT | _MARIADB,
    Gtid=_STRICT,
    Anonymous_gtid=_STRICT,
    Xid=_STRICT,
    Intvar=_STRICT,
    Rand=_STRICT,
    # 5.7.22 takes such an Incident for a sound one, at which it stops all the same, with the number of those.
    Incident=_STRICT | _MARIADB,
    XA_prepare=_STRICT,
)


def _add_groups(
    stream: StreamBuilder,
    mode: str,
    next_log: Callable[[int], None],
    after: str,
    victims: Dimension[str] = _VICTIM,
    *,
    is_second: bool,
    again: bool = False,
    made_by: Dimension[int] | None = None,
) -> tuple[int, int]:
    """Add groups, and return where the event that is to have a fault begins and ends (exclusive).

    Args:
        stream: The stream.
        mode: The source's gtid_mode.
        next_log: Ends the source's log with a Rotate with some flags, and begins its next one.
        after: What comes after the event and its group, of `_AFTER`.
        victims: The events that may have the fault.
        is_second: Whether the fault is in the source's second log.
        again: Whether the group comes twice if `EXECUTED_BEFORE` has it so; the family declares it then.
        made_by: The server ids that the group may have; that of the source alone when None.
    """
    victim = stream.vary(victims)
    description = 0
    replica_variants.add_before(stream, mode, _BEFORE)
    if is_second:
        next_log(0)
        types = [event.type for event, _, _ in stream.placed]
        description = len(types) - 1 - types[::-1].index(EventType.FORMAT_DESCRIPTION)
    planned = replica_variants.plain_group(stream, by_change=False)
    if victim == _ROWS:
        planned = [planned[0], *data_changes.row_changes(stream), planned[-1]]
    planned = replica_groups.in_mode(stream, planned, mode)
    if again and replica_variants.is_executed_before(stream, mode):
        replica_groups.add(stream, planned)
    first = len(stream.placed)
    if made_by is not None and victim in (*_PLACES, _ROWS):
        stream.server_id = stream.vary(made_by)
    replica_groups.add(stream, planned)
    stream.server_id = replica_groups.SOURCE_ID
    last = len(stream.placed) - 1
    index = last + 1
    if victim in (_ROTATE, _MADE_ROTATE):
        next_log(_ARTIFICIAL if victim == _MADE_ROTATE else 0)
    elif victim == _HEARTBEAT:
        stream.add(server_events.heartbeat(stream))
    elif victim == _STOP:
        stream.add(mysql_events.stop(stream))
        next_log(_ARTIFICIAL)
    elif victim == _UNKNOWN:
        # Without a body it could not be cut after its header.
        stream.add(mysql_events.ignorable(stream, UNASSIGNED[-1], stream.choose.octets(1, 40), flags=0))
    elif victim in (_ROWS, _DESCRIPTION):
        index = last - 1 if victim == _ROWS else description
    else:
        place = _PLACES[victim]
        index = last if place < 0 else min(first + place, last)
    if after == "another group":
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))
    offsets = [*stream.offsets, stream.offset]
    return offsets[index], offsets[index + 1]


def _relay_log(
    stream: StreamBuilder,
    *,
    after: str = "another group",
    victims: Dimension[str] = _VICTIM,
    made_by: Dimension[int] | None = None,
    others_first: bool = False,
) -> tuple[int, int]:
    """Add a sound relay log, and return where the event that is to have a fault begins and ends (exclusive)."""
    checksums = stream.checksummed
    is_second = is_in_second_log(stream, others_first=others_first)
    lengths = declare_up_to(stream, UNASSIGNED[-1]) if stream.server.rules.ignorable else None
    replica_groups.begin_relay_log(stream, lengths=lengths)
    mode = replica_variants.set_mode(stream)

    def next_log(flags: int) -> None:
        replica_groups.begin_next_log(stream, lengths=lengths, checksums=checksums)

    return _add_groups(stream, mode, next_log, after, victims, is_second=is_second, again=True, made_by=made_by)


def _source_log(
    stream: StreamBuilder,
    *,
    after: str = "another group",
    victims: Dimension[str] = _VICTIM,
    others_first: bool = False,
) -> tuple[int, int]:
    """Add what a source sends, and return where the event that is to have a fault begins and ends (exclusive)."""
    checksums = stream.checksummed
    is_second = is_in_second_log(stream, others_first=others_first)
    lengths = declare_up_to(stream, UNASSIGNED[-1]) if stream.server.rules.ignorable else None

    def next_log(flags: int) -> None:
        stream.add(replica_groups.rotate(stream, replica_groups.NEXT_LOG, 4, flags=flags))
        stream.begin_log_of_source()
        stream.checksummed = checksums
        groups.begin_plain_log(stream, lengths=lengths)

    groups.begin_plain_log(stream, lengths=lengths)
    if stream.vary(_OF_IGNORED):
        stream.settings["ignored_ids"] = [replica_groups.SOURCE_ID]
    return _add_groups(stream, replica_variants.set_mode(stream), next_log, after, victims, is_second=is_second)


def _cut(stream: StreamBuilder, event: tuple[int, int], place: str, mark: str) -> None:
    """End the stream within an event."""
    start, end = event
    body = start + HEADER_BYTES
    cut = {
        "within the body": stream.choose.integer(min(body + 1, end - 1), end - 1),
        "after the header": body,
        "within the header": stream.choose.integer(start + 1, body - 1),
    }[place]
    stream.damage(stream.bytes[:cut])
    stream.expect_refusal(at=start, kind="truncated", marks=(mark,))


def _spoil(stream: StreamBuilder, event: tuple[int, int], mark: str) -> None:
    """Change one bit of an event with a checksum."""
    start, end = event
    damaged = stream.bytes
    damaged[byte_of_bit(stream, start, end)] ^= 1 << stream.choose.integer(0, 7)
    stream.damage(damaged)
    stream.expect_refusal(at=start, kind="checksum", marks=(mark,))


@family(
    focus="FORMAT-APPLY-LENGTH-WRONG",
    fault=True,
    dimensions=(_LENGTH, _VICTIM, _LOG, _AFTER, MODE, EXECUTED_BEFORE, _BEFORE, GROUP),
    impossible=(_NO_ROOM, _WITHOUT_ROWS),
)
def wrong_lengths_in_relay_logs(stream: StreamBuilder) -> None:
    """A relay log with an event whose length is less than a header and its checksum, or beyond the end."""
    length = stream.vary(_LENGTH)
    start, _ = _relay_log(stream, after=stream.vary(_AFTER))
    length = set_length(stream, start, length)
    small = is_too_small(stream, start, length)
    stream.expect_refusal(
        at=start, kind="invalid-length" if small else "truncated", marks=("FORMAT-APPLY-LENGTH-WRONG",)
    )


@family(
    focus="FORMAT-APPLY-TRUNCATED",
    fault=True,
    dimensions=(_CUT, _VICTIM, _LOG, MODE, EXECUTED_BEFORE, _BEFORE, GROUP),
    impossible=(_WITHOUT_ROWS,),
)
def truncated_relay_logs(stream: StreamBuilder) -> None:
    """A relay log that ends within an event."""
    place = stream.vary(_CUT)
    _cut(stream, _relay_log(stream), place, "FORMAT-APPLY-TRUNCATED")


@family(
    focus="FORMAT-APPLY-CHECKSUM-WRONG",
    profiles=WITH_CHECKSUMS,
    fault=True,
    checksums=True,
    dimensions=(
        PLACE_OF_BIT,
        _RECEIVED,
        _LOG,
        FIRST_CHECKSUMS,
        _AFTER,
        MODE,
        EXECUTED_BEFORE,
        _BEFORE,
        GROUP,
        _MADE_BY,
    ),
    impossible=(_WITHOUT_ROWS, _OF_FIRST),
)
def wrong_checksums_in_relay_logs(stream: StreamBuilder) -> None:
    """A relay log with an event of which one bit is wrong."""
    after = stream.vary(_AFTER)
    event = _relay_log(stream, after=after, victims=_RECEIVED, made_by=_MADE_BY, others_first=True)
    _spoil(stream, event, "FORMAT-APPLY-CHECKSUM-WRONG")


@family(
    focus="FORMAT-RELAY-CHECKSUM-WRONG",
    profiles=WITH_CHECKSUMS,
    fault=True,
    checksums=True,
    dimensions=(PLACE_OF_BIT, _ARRIVED, _LOG, FIRST_CHECKSUMS, _AFTER, MODE, _BEFORE, GROUP, _OF_IGNORED),
    impossible=(_WITHOUT_ROWS, _NO_BODY),
)
def wrong_checksums_received(stream: StreamBuilder) -> None:
    """Groups that a source sends, with an event of which one bit is wrong when it arrives."""
    event = _source_log(stream, after=stream.vary(_AFTER), victims=_ARRIVED, others_first=True)
    _spoil(stream, event, "FORMAT-RELAY-CHECKSUM-WRONG")


@family(
    focus="FORMAT-RELAY-WHOLE-EVENTS",
    fault=True,
    dimensions=(_CUT_ON_THE_WAY, _VICTIM, _LOG, MODE, _BEFORE, GROUP, _OF_IGNORED),
    impossible=(_WITHOUT_ROWS,),
)
def events_received_in_part(stream: StreamBuilder) -> None:
    """Groups that a source sends until the connection is lost within an event."""
    place = stream.vary(_CUT_ON_THE_WAY)
    _cut(stream, _source_log(stream), place, "FORMAT-RELAY-WHOLE-EVENTS")


@family(
    focus="FORMAT-APPLY-BODY-MALFORMED",
    profiles=Profiles("worklog", "mysql >= 5.7", "mariadb >= 10.11"),
    fault=True,
    dimensions=(_READ, _BODY, MODE, _SKIPPED, _BEFORE),
    impossible=(_READ_LENGTHS,),
)
def malformed_bodies_in_relay_logs(stream: StreamBuilder) -> None:
    """A relay log with a transaction of which one event has a malformed body."""
    kind, wrong = stream.vary(_READ), stream.vary(_BODY)
    replica_groups.begin_relay_log(stream)
    mode = replica_variants.set_mode(stream)
    if mode == "OFF" and (counter := stream.vary(_SKIPPED)):
        stream.settings["skip_counter"] = counter
    _add_malformed(stream, mode, kind, wrong, "FORMAT-APPLY-BODY-MALFORMED")


@family(
    focus="FORMAT-RELAY-BODIES-UNREAD",
    dimensions=(_UNREAD, _BODY, MODE, _BEFORE),
    impossible=(_UNREAD_LENGTHS,),
)
def malformed_bodies_received(stream: StreamBuilder) -> None:
    """Groups that a source sends, one with an event whose body is malformed, of a type that receivers only copy."""
    kind, wrong = stream.vary(_UNREAD), stream.vary(_BODY)
    groups.begin_plain_log(stream)
    mode = replica_variants.set_mode(stream)
    _add_malformed(stream, mode, kind, wrong, "FORMAT-RELAY-BODIES-UNREAD")


def _add_malformed(stream: StreamBuilder, mode: str, kind: Kind, wrong: tuple[str, int], mark: str) -> None:
    """Add groups, one of them with a malformed event before its end."""
    replica_variants.add_before(stream, mode, _BEFORE)
    planned = replica_groups.in_mode(stream, replica_groups.transaction(stream), mode)
    replica_groups.add(stream, planned[:-1])
    stream.refuse(malformed(stream, kind, *wrong), kind="malformed", marks=(mark,))
    replica_groups.add(stream, planned[-1:])
    replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))
