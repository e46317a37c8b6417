"""Logs that a source sends to a replica (WL#4162, WL#4033, WL#7592): one, or several that follow each other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import MARIADB_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet, Interval
from conformance.binlog.servers import (
    WITH_CHECKSUMS,
    WITH_PAYLOADS,
    WITH_ROWS_QUERIES,
    WITH_SERVER_ID_ZERO,
    WITH_TAGGED_GTIDS,
)
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.sender.sender import WITH_MODE_CHECK
from conformance.models.sender.sender_settings import FIRST
from conformance.specs.versions import Profiles
from conformance.strategies.events import (
    gtid_events,
    mariadb_events,
    mysql_events,
)
from conformance.strategies.families.ignorable_events import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import EPOCH, StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import last_groups, replica_groups, replica_variants
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.replica_variants import CODE
from conformance.strategies.questions.send import BEYOND, HOLDINGS, PLACES

#: The profiles whose senders skip what a replica has by its GTIDs.
WITH_AUTO_POSITION: Final = Profiles("worklog", "mysql >= 5.7")
_IN_USE: Final = int(Flag.BINLOG_IN_USE)
_IGNORABLE: Final = int(Flag.IGNORABLE)

_LOGS: Final = choices("logs", (1, 2, 3))
_SEVERAL: Final = {"logs": ("2", "3")}
#: How the names of logs begin, and the number of the first: at 999999 they get longer, and paths have their limits.
_NAMES: Final = Dimension(
    "names of the logs",
    {
        "plain": ("binlog", 1),
        "with a dot": ("log.name", 9),
        "capitals": ("Log-Bin", 1),
        "a space": ("my log", 1),
        "not in ASCII": ("l\u00f6g", 1),
        "beyond 999999": ("b", 999_999),
        "long": ("n" * 200, 1),
    },
)
_END: Final = Dimension("end of a log", {"Rotate": "rotate", "Stop": "stop"}, _SEVERAL)
_CHECKSUMS: Final = Dimension("checksums of the next log", {"the same": False, "others": True}, _SEVERAL)
_LAST_IN_USE: Final = yes_or_no("the last log is in use")
#: A log in which the server crashed has the flag for ever, and no event at its end.
_CRASHED: Final = yes_or_no("the first log is one of a crash", when=_SEVERAL)
_CREATED: Final = yes_or_no("the first log has the time of a start")
#: The id of the server that logged the events, which a source keeps.
_LOGGED_BY: Final = Dimension(
    "server id in the logs",
    {"1": 1, "the largest": (1 << 32) - 1, "0": 0},
    profiles={"0": WITH_SERVER_ID_ZERO},
)
#: The time of the first event, in seconds since 1970, which has 32 bits without a sign.
_TIME: Final = Dimension(
    "time of the events", {"usual": EPOCH, "from 2^31": 1 << 31, "almost 2^32": (1 << 32) - (1 << 16)}
)
#: Where a replica asks to begin.
_ASKED_LOG: Final = Dimension("log asked for", {"the first": "first", "the last": "last"}, _SEVERAL)
_ASKED_PLACE: Final = choices("position asked for", PLACES)
_ANNOTATED: Final = Dimension(
    "Annotate_rows asked for", {"no": False, "yes": True}, profiles={"yes": Profiles("mariadb")}
)
_IN_A_ROW: Final = Number("ignorable events in a row")
_SMALL: Final = (0, 60)
_BODY: Final[Dimension[tuple[int, int]]] = Dimension(
    "size of the body", {"up to 60": _SMALL, "0": (0, 0), "256": (256, 256), "70000": (70_000, 70_000)}
)
_IGNORABLE_PLACE: Final = choices("place of ignorable events", ("between groups", "in a group", "last of the log"))
#: What 11.4.5 and later log of a transaction between its Gtid event and its end has no position of its own. An event of
#: an unknown type that has one would be a place to resume between a table and its rows.
_POSITIONS: Final = Dimension(
    "positions within transactions",
    {"in each event": True, "none": False},
    profiles={"none": Profiles("mariadb >= 11.4")},
    when={_IGNORABLE_PLACE.name: ("between groups", "last of the log")},
)
_STATEMENT_AFTER: Final = "in each group, with a statement after the rows"
_TEXTS: Final = Dimension(
    "texts before rows",
    {each: each for each in ("none", "in each group", _STATEMENT_AFTER)},
    profiles={"in each group": WITH_ROWS_QUERIES, _STATEMENT_AFTER: WITH_ROWS_QUERIES},
)
#: What is of a known type is handled by what it is, whatever the flag means for types that are unknown.
_FLAGGED: Final = yes_or_no("known events of the groups with the ignorable flag")
_GROUPS: Final = Number("groups of a log")
#: A server that has just begun another log (FLUSH LOGS) waits in it for the first group.
_LAST_NEW: Final = yes_or_no(
    "the last log is new", when={**_SEVERAL, _IGNORABLE_PLACE.name: ("between groups", "in a group")}
)
_GTID_MODE: Final = choices("Gtid events", ("anonymous", "gtid"))
#: Which GTIDs the replica has, and whether of other sources too.
_HAS: Final = choices("GTIDs that the replica has", HOLDINGS)
_FOREIGN: Final = yes_or_no("the replica has foreign GTIDs")
_TAGS: Final = Dimension("tags of GTIDs", {"none": False, "some": True}, profiles={"some": WITH_TAGGED_GTIDS})
_BEFORE: Final = yes_or_no("GTIDs before the first log")
#: A server whose first log has no transaction begins the second one with the same set, which may be empty. A fresh
#: server has this log alone.
_FIRST_EMPTY: Final = yes_or_no("the first log has no transactions")
#: An older server's log, which the server had before it was upgraded, has neither Previous_gtids nor Gtid events.
#: 5.7.22 and 9.7.4 send it in every mode to a replica that asks by position.
_FIRST_OLD: Final = Dimension(
    "the first log is from before WL#7592",
    {"no": False, "yes": True},
    _SEVERAL,
    profiles={"yes": Profiles("worklog", "mysql >= 5.7")},
)
#: Numbers in a row are in one interval of a set, at the end of which and in the midst of which others are missing.
_NUMBERS: Final = Dimension("numbers of the GTIDs", {"of any size": False, "in a row": True})
#: How large they are matters in pairs with tags, by which a GTID has another form, with a number of another encoding.
_NUMBER: Final = replace(gtid_events.NUMBER, when={_NUMBERS.name: ("of any size",)})
#: The last group of each log, which has an end of its own kind, or no BEGIN.
_LAST_GROUP: Final = last_groups.dimension("last group of a log", last_groups.SENT)
#: A whole transaction in one event, which also ends where its last event does.
_LAST_PACKED: Final = Dimension("payload last in a log", {"no": False, "yes": True}, profiles={"yes": WITH_PAYLOADS})
_AFTER_END: Final = "after its end"
#: Where in each group an ignorable event of an unknown type is; one after its end is left out with it, too.
_UNKNOWN: Final = choices("unknown event of a group", ("none", "second", "in the middle", "last but one", _AFTER_END))
_MARKED: Final = Dimension("markers", {"none": False, "all": True}, profiles={"all": Profiles("worklog")})
_REFUSING_MODE: Final = choices("gtid_mode", ("ON", "OFF"))
#: A position that a log does not have.
_NOWHERE: Final = choices("position asked for", (*range(FIRST), *BEYOND))
#: What the replica lacks of the transactions that the logs no longer have.
_LACKING: Final = choices(
    "GTIDs before the first log that the replica lacks", ("all", "those of the last source", "the first", "the last")
)
_GROUPS_BEFORE: Final = Number("groups before the one that is refused", fewest=0)
#: What a source does not send, it does not hold to its gtid_mode.
_FORBIDDEN: Final = choices("groups of the other mode", ("sent", "before the position", "before it, and sent"))

#: A group that was given GTID_NEXT=ANONYMOUS has the flag; what else has no GTID is without it.
_GIVEN: Final = yes_or_no("groups without a GTID were given so", when={_REFUSING_MODE.name: ("ON",)})
#: A source under ON may still have groups without a GTID, which it refuses to a replica that asks by GTIDs, too.
_ASKED: Final = choices(
    "the replica asks",
    ("by position", "by GTIDs"),
    when={_REFUSING_MODE.name: ("ON",), _FORBIDDEN.name: ("sent",)},
)
#: The source's logs are each held to its gtid_mode, not only the first that it sends.
_IN_NEXT: Final = yes_or_no("in the next log", when={_FORBIDDEN.name: ("sent", "before it, and sent")})
_BY_POSITION: Final = (_ASKED_LOG, _ASKED_PLACE)
_OF_LOGS: Final = (_LOGS, _NAMES, _CRASHED, _END, _CHECKSUMS, _LAST_IN_USE, _CREATED, _LOGGED_BY, _TIME)

#: Changes the events that are added: those of one group, or one event outside groups.
Change = Callable[[Sequence[PlannedEvent]], Sequence[PlannedEvent]]


@family(
    focus=("WL4033-SEND-IGNORABLE", "WL4033-CLIENT-IGNORABLE"),
    profiles=WITH_CHECKSUMS,
    dimensions=(
        *_OF_LOGS,
        *_BY_POSITION,
        _GROUPS,
        _IGNORABLE_PLACE,
        _ANNOTATED,
        _TEXTS,
        _POSITIONS,
        _FIRST_OLD,
        _LAST_PACKED,
        _LAST_NEW,
        _FLAGGED,
        CODE,
        _IN_A_ROW,
        _BODY,
    ),
)
def sent_logs(stream: StreamBuilder) -> None:
    """One to three logs that follow each other, with ignorable events of unknown types, asked for by position."""
    code = replica_variants.code_of(stream)
    lengths = declare_up_to(stream, code)
    for number, count in _several_logs(stream):
        old = _is_old(stream, number, count)
        _begin(stream, number, count, lengths=lengths, old=old)
        place = stream.vary(_IGNORABLE_PLACE)
        if number and number == count - 1 and stream.vary(_LAST_NEW):
            break
        for _ in stream.several_of(_GROUPS):
            if place == "between groups":
                _add_unknown(stream, code)
            _add_group(stream, code if place == "in a group" else None, old=old)
        if stream.vary(_LAST_PACKED) and not old:
            groups.add_group(stream, last_groups.SENT[last_groups.IN_PAYLOAD](stream))
        if place == "last of the log":
            _add_unknown(stream, code)
        _end(stream, number, count)
    _ask_by_position(stream)
    stream.settings["annotate_rows"] = stream.vary(_ANNOTATED)


def _is_old(stream: StreamBuilder, number: int, count: int) -> bool:
    """Return whether a log, by its number and how many there are, is from before WL#7592."""
    return count > 1 and not number and stream.vary(_FIRST_OLD)


def _add_group(stream: StreamBuilder, code: int | None, *, old: bool = False) -> None:
    """Add a group, with the texts of its rows, and with an ignorable event in it if `code` is given."""
    planned = _flagged(stream, _group_with_text(stream))
    place = next((at for at, event in enumerate(planned) if event.type == EventType.TABLE_MAP), 0)
    if place and stream.server.is_mariadb:
        planned.insert(place, mariadb_events.annotate_rows(stream))
    if code is not None:
        # In MariaDB's logs a Gtid event takes the place of BEGIN.
        first = min(1, len(planned) - 1) if stream.server.is_mariadb else 0
        at = stream.choose.integer(first, len(planned) - 1)
        planned[at:at] = _unknown(stream, code)
    has_positions = code is not None or stream.vary(_POSITIONS)
    if old:
        replica_groups.add(stream, planned)
    elif has_positions:
        groups.add_group(stream, planned)
    else:
        _add_without_positions(stream, groups.with_gtid(stream, planned))


def _group_with_text(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a group, of rows with their text where the stream has it so."""
    texts = stream.vary(_TEXTS)
    if texts == "none":
        return groups.group(stream)
    return groups.change_with_text(stream, statement_after=texts == _STATEMENT_AFTER)


def _flagged(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> list[PlannedEvent]:
    """Return the events of a group, with the ignorable flag where the stream has it so."""
    flags = _IGNORABLE if stream.vary(_FLAGGED) else 0
    return [each._replace(flags=each.flags | flags) for each in planned]


def _add_without_positions(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    """Add a group whose events have a position at its ends alone."""
    for index, event in enumerate(planned):
        stream.add(event)
        if 0 < index < len(planned) - 1:
            stream.set_log_pos(0)
    stream.timestamp += 1


def _ignorable(stream: StreamBuilder, code: int) -> PlannedEvent:
    return mysql_events.ignorable(stream, code, stream.choose.octets(*_SMALL), flags=0)


def _unknown(stream: StreamBuilder, code: int) -> list[PlannedEvent]:
    """Return ignorable events in a row, the first with a body of the stream's size."""
    sizes = [_SMALL if number else stream.vary(_BODY) for number in stream.several_of(_IN_A_ROW)]
    return [mysql_events.ignorable(stream, code, stream.choose.octets(*size), flags=0) for size in sizes]


def _add_unknown(stream: StreamBuilder, code: int) -> None:
    for event in _unknown(stream, code):
        stream.add(event)


#: Codes that have a meaning in MariaDB's logs alone; MySQL's servers never assigned them.
_OF_MARIADB: Final = Dimension[Sequence[int]](
    "type of the ignorable events",
    {
        "Annotate_rows of MariaDB": (int(EventType.MARIADB_ANNOTATE_ROWS),),
        "Gtid of MariaDB": (int(EventType.MARIADB_GTID),),
        "any of MariaDB": tuple(sorted(map(int, MARIADB_TYPES))),
    },
)


@family(
    focus="WL4033-SEND-IGNORABLE",
    profiles=Profiles("mysql >= 5.6"),
    dimensions=(*_OF_LOGS, *_BY_POSITION, _GROUPS, _IGNORABLE_PLACE, _OF_MARIADB),
)
def sent_types_of_mariadb(stream: StreamBuilder) -> None:
    """One to three logs of MySQL with ignorable events of types that only MariaDB has given a meaning."""
    code = stream.choose.one_of(stream.vary(_OF_MARIADB))
    lengths = declare_up_to(stream, code)
    place = stream.vary(_IGNORABLE_PLACE)
    for number, count in _several_logs(stream):
        _begin(stream, number, count, lengths=lengths)
        for _ in stream.several_of(_GROUPS):
            planned = groups.group(stream)
            if place == "between groups":
                stream.add(_ignorable(stream, code))
            elif place == "in a group":
                planned.insert(stream.choose.integer(0, len(planned) - 1), _ignorable(stream, code))
            groups.add_group(stream, planned)
        if place == "last of the log":
            stream.add(_ignorable(stream, code))
        _end(stream, number, count)
    _ask_by_position(stream)


#: Which groups the replica has of those that have a GTID; the others have none that it could have.
_HAS_BESIDE: Final = choices("GTIDs that the replica has", ("all", "all but the last", "none"))


@family(
    focus="WL7592-SEND-ANONYMOUS-GTIDS",
    profiles=Profiles("worklog"),
    dimensions=(*_OF_LOGS, _GROUPS, _HAS_BESIDE, _FLAGGED),
)
def sent_without_gtids(stream: StreamBuilder) -> None:
    """Logs of groups with a GTID and without one in turn, asked for by the GTIDs that the replica has.

    Shipped servers refuse a replica that asks so, or stop at the first group without a GTID.
    """
    for number, count in _several_logs(stream):
        _begin(stream, number, count)
        for _ in stream.several_of(_GROUPS):
            for anonymous in (False, True):
                planned = groups.with_gtid(stream, groups.group(stream), anonymous=anonymous)
                replica_groups.add(stream, _flagged(stream, planned))
        _end(stream, number, count)
    stream.settings.update(holding=stream.vary(_HAS_BESIDE), foreign=False, gtid_mode="ON_PERMISSIVE")


@family(
    focus="WL4162-SEND-ROTATE-IGNORE",
    profiles=Profiles("worklog"),
    dimensions=(*_OF_LOGS, *_BY_POSITION, _GROUPS, _GTID_MODE),
)
def sent_marked_logs(stream: StreamBuilder) -> None:
    """One to three logs with a marker on every event, asked for by position."""
    for number, count in _several_logs(stream):
        _begin(stream, number, count, change=boundaries.marked)
        mode = stream.vary(_GTID_MODE)
        for _ in stream.several_of(_GROUPS):
            planned = groups.with_gtid(stream, groups.group(stream), anonymous=mode == "anonymous")
            replica_groups.add(stream, boundaries.marked(planned))
        _end(stream, number, count, change=boundaries.marked)
    _ask_by_position(stream)


@family(
    focus=("FORMAT-SEND-GTIDS-SKIPPED", "FORMAT-CLIENT-GTIDS"),
    profiles=WITH_AUTO_POSITION,
    dimensions=(
        *_OF_LOGS,
        _GROUPS,
        _UNKNOWN,
        _TAGS,
        _HAS,
        _FOREIGN,
        _BEFORE,
        _FIRST_EMPTY,
        _NUMBERS,
        _NUMBER,
        _MARKED,
        _LAST_GROUP,
        _FLAGGED,
    ),
    impossible=(
        Impossible(
            {_NUMBERS.name: ("of any size",), _HAS.name: ("all but the second",)},
            "that one is missing in the midst of an interval needs numbers in a row",
        ),
        Impossible(
            {_LOGS.name: ("1",), _FIRST_EMPTY.name: ("yes",), _NUMBERS.name: ("of any size",)},
            "where there are no transactions there are no numbers",
        ),
        Impossible(
            {_LOGS.name: ("1",), _FIRST_EMPTY.name: ("yes",), _CREATED.name: ("no",)},
            "a server that has logged nothing has started with this log",
        ),
    ),
)
def sent_gtids(stream: StreamBuilder) -> None:
    """One to three logs with a GTID before each group, asked for by the GTIDs that the replica has."""
    before = gtid_events.gtid_set(stream) if stream.vary(_BEFORE) else GtidSet()
    change: Change = boundaries.marked if stream.vary(_MARKED) else list
    tagged, unknown = stream.vary(_TAGS), stream.vary(_UNKNOWN)
    holding = stream.vary(_HAS)
    stream.gtid_step = int(stream.vary(_NUMBERS))
    code = stream.choose.one_of(UNASSIGNED)
    lengths = declare_up_to(stream, code)
    for number, count in _several_logs(stream):
        _begin(stream, number, count, lengths=lengths, change=change, before=before)
        made = [groups.group(stream) for _ in stream.several_of(_GROUPS)]
        last_group = stream.vary(_LAST_GROUP)
        if last_group != last_groups.ANY:
            made.append(last_groups.SENT[last_group](stream))
        is_empty = not number and stream.vary(_FIRST_EMPTY)
        for planned in () if is_empty else made:
            if unknown not in ("none", _AFTER_END):
                last = len(planned) - 1
                place = {"second": 0, "in the middle": len(planned) // 2}.get(unknown, last)
                planned.insert(place, _ignorable(stream, code))
            replica_groups.add(stream, change(_flagged(stream, _with_gtid(stream, planned, tagged=tagged))))
            if unknown == _AFTER_END:
                replica_groups.add(stream, change([_ignorable(stream, code)]))
        _end(stream, number, count, change=change)
    stream.vary(_FLAGGED)  # There may be no group.
    stream.settings.update(
        holding=holding,
        foreign=stream.vary(_FOREIGN),
        gtid_mode="ON",
    )


@family(
    focus="FORMAT-SEND-NO-POSITION",
    profiles=WITH_CHECKSUMS,
    dimensions=(_LOGS, _NAMES, _CRASHED, _END, _LAST_IN_USE, _CREATED, _GROUPS, _ASKED_LOG, _NOWHERE),
)
def sent_from_nowhere(stream: StreamBuilder) -> None:
    """One to three logs, asked for from a position before the first event of a log, or beyond its end."""
    for number, count in _several_logs(stream):
        _begin(stream, number, count)
        for _ in stream.several_of(_GROUPS):
            groups.add_group(stream, groups.group(stream))
        _end(stream, number, count)
    several = stream.settings["logs"] > 1
    stream.settings.update(log=stream.vary(_ASKED_LOG) if several else "first", place=stream.vary(_NOWHERE))


@family(
    focus="FORMAT-SEND-PURGED",
    profiles=WITH_AUTO_POSITION,
    dimensions=(_LOGS, _NAMES, _CRASHED, _END, _LAST_IN_USE, _CREATED, _GROUPS, _TAGS, _HAS_BESIDE, _FOREIGN, _LACKING),
)
def sent_after_purging(stream: StreamBuilder) -> None:
    """One to three logs, asked for by the GTIDs of a replica that lacks some of what came before the first of them."""
    before, tagged = gtid_events.gtid_set(stream, fewest=1), stream.vary(_TAGS)
    for number, count in _several_logs(stream):
        _begin(stream, number, count, before=before)
        for _ in stream.several_of(_GROUPS):
            replica_groups.add(stream, _with_gtid(stream, groups.group(stream), tagged=tagged))
        _end(stream, number, count)
    stream.settings.update(
        holding=stream.vary(_HAS_BESIDE),
        foreign=stream.vary(_FOREIGN),
        lacking=_part(before, stream.vary(_LACKING)),
        gtid_mode="ON",
    )


def _part(gtids: GtidSet, which: str) -> GtidSet:
    """Return some of a set of GTIDs."""
    source = gtids.sources[0] if which == "the first" else gtids.sources[-1]
    interval = source.intervals[0] if which == "the first" else source.intervals[-1]
    parts = {
        "all": gtids.sources,
        "those of the last source": (source,),
        "the first": (replace(source, intervals=(Interval(interval.start, interval.start + 1),)),),
        "the last": (replace(source, intervals=(Interval(interval.end - 1, interval.end),)),),
    }
    return replace(gtids, sources=parts[which])


@family(
    focus="FORMAT-SEND-MODE",
    profiles=WITH_MODE_CHECK,
    dimensions=(_REFUSING_MODE, _FORBIDDEN, _GIVEN, _ASKED, _GROUPS_BEFORE, _IN_NEXT),
)
def sent_in_another_mode(stream: StreamBuilder) -> None:
    """Logs from another gtid_mode than the source has: they have GTIDs under OFF, or groups without them under ON."""
    mode, forbidden = stream.vary(_REFUSING_MODE), stream.vary(_FORBIDDEN)
    stream.settings.update(gtid_mode=mode, log="first", place=PLACES[0])
    if by_gtids := mode == "ON" and forbidden == "sent" and stream.vary(_ASKED) == "by GTIDs":
        stream.settings.update(holding=stream.choose.one_of(("none", "all but the last")), foreign=False)
    groups.begin_log(stream, previous=not by_gtids)
    if by_gtids:
        stream.add(gtid_events.previous_gtids(stream, GtidSet(()), flags=_IGNORABLE))
    if forbidden != "sent":
        _add_forbidden(stream, mode)
        stream.settings["place"] = stream.offset
    for _ in stream.several_of(_GROUPS_BEFORE):
        groups.add_group(stream, groups.group(stream), anonymous=mode == "OFF")
    if forbidden != "before the position":
        if stream.vary(_IN_NEXT):
            stream.settings["logs"] = 2
            stream.add(replica_groups.rotate(stream, "binlog.000002", 4))
            stream.describe_format(flags=0, created=0)
            stream.add(gtid_events.previous_gtids(stream, stream.executed.gtids(), flags=_IGNORABLE))
        _add_forbidden(stream, mode)


def _add_forbidden(stream: StreamBuilder, mode: str) -> None:
    """Add groups that a source under a gtid_mode may not send."""
    if mode == "OFF" and stream.server.profile in WITH_TAGGED_GTIDS and stream.choose.yes():
        replica_groups.add(stream, _with_gtid(stream, groups.group(stream), tagged=True))
    flags = _IGNORABLE if mode == "ON" and stream.vary(_GIVEN) else 0
    for _ in stream.choose.several(1, 2):
        planned = groups.group(stream)
        gtid = groups.group_gtid(stream, planned, anonymous=mode == "ON", flags=flags)
        replica_groups.add(stream, [gtid, *planned])


def _with_gtid(stream: StreamBuilder, planned: Sequence[PlannedEvent], *, tagged: bool) -> list[PlannedEvent]:
    """Return a group with its Gtid event, one with a tag if `tagged` is true."""
    return groups.with_tagged_gtid(stream, planned) if tagged else groups.with_gtid(stream, planned, anonymous=False)


def _several_logs(stream: StreamBuilder) -> Iterator[tuple[int, int]]:
    """Choose the names of the logs; yield the number of each, from 0, and how many there are."""
    base, first = stream.vary(_NAMES)
    stream.server_id, stream.timestamp = stream.vary(_LOGGED_BY), stream.vary(_TIME)
    stream.settings.update(log_base=base, log_number=first)
    count = stream.vary(_LOGS)
    for number in range(count):
        yield number, count


def _ask_by_position(stream: StreamBuilder) -> None:
    """Choose where the replica asks to begin, once the logs are there."""
    several = stream.settings["logs"] > 1
    stream.settings.update(
        log=stream.vary(_ASKED_LOG) if several else "first",
        place=stream.vary(_ASKED_PLACE),
    )


def _begin(
    stream: StreamBuilder,
    number: int,
    count: int,
    *,
    lengths: bytes | None = None,
    change: Change = list,
    before: GtidSet | None = None,
    old: bool = False,
) -> None:
    """Begin a log; the last may still be in use, each may have checksums or not, and an old one no Previous_gtids."""
    stream.settings["logs"] = count
    if number and stream.vary(_CHECKSUMS):
        stream.checksummed = not stream.checksummed
    is_last = number == count - 1
    in_use = stream.vary(_LAST_IN_USE) if is_last else not number and stream.vary(_CRASHED)
    flags = _IN_USE if in_use else 0
    if change is boundaries.marked:
        flags = MARKER_BITS.write(flags, BoundaryType.IGNORE_BOUNDARY)
    # A server that was stopped has started again, and so has one whose log just ends.
    started = stream.vary(_END) == "stop" if number else stream.vary(_CREATED)
    created = stream.timestamp if started else 0
    stream.describe_format(flags=flags, created=created, post_header_lengths=lengths)
    if stream.server.is_mariadb:
        groups.add_gtid_list(stream)
    elif stream.server.gtid_form != "5.6" and not old:
        known = before if before is not None and not number else stream.executed.gtids()
        for event in change([gtid_events.previous_gtids(stream, known, flags=_IGNORABLE)]):
            stream.add(event)


def _end(stream: StreamBuilder, number: int, count: int, *, change: Change = list) -> None:
    """End a log that another one follows: with a Rotate event, or with a Stop event where the server was restarted."""
    formats = [event for event, _, _ in stream.placed if event.type == EventType.FORMAT_DESCRIPTION]
    if number == count - 1 or formats[-1].flags & _IN_USE:
        return
    following = f"{stream.settings['log_base']}.{stream.settings['log_number'] + number + 1:06d}"
    end = mysql_events.stop(stream)
    if stream.vary(_END) == "rotate":
        end = replica_groups.rotate(stream, following, 4)
    for event in change([end]):
        stream.add(event)
