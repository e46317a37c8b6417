"""Logs with GTIDs that a source sends to a replica (WL#7592): what it has, what is missing, and the modes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet, Interval
from conformance.binlog.servers import WITH_TAGGED_GTIDS, with_tables_info
from conformance.models.sender.sender import WITH_MODE_CHECK
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events
from conformance.strategies.events.extended_query import EXTENDED, as_described
from conformance.strategies.families.ignorable_events import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import last_groups, log_sequence, replica_groups
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.log_sequence import FLAGGED, GROUPS, flagged
from conformance.strategies.questions.send import HOLDINGS, PLACES

#: The profiles whose senders skip what a replica has by its GTIDs.
WITH_AUTO_POSITION: Final = Profiles("worklog", "mysql >= 5.7")
_IGNORABLE: Final = int(Flag.IGNORABLE)

#: Which GTIDs the replica has, and whether of other sources too.
_HAS: Final = choices("GTIDs that the replica has", HOLDINGS)
_FOREIGN: Final = yes_or_no("the replica has foreign GTIDs")
_TAGS: Final = Dimension("tags of GTIDs", {"none": False, "some": True}, profiles={"some": WITH_TAGGED_GTIDS})
#: The number of a GTID without a tag may be that of one with a tag: another transaction, which the replica may lack.
_ALL_BUT_LAST: Final = "all but the last of a log"
_TAGGED: Final = Dimension(
    _TAGS.name,
    {"none": "none", "some": "all", _ALL_BUT_LAST: _ALL_BUT_LAST},
    profiles=dict.fromkeys(("some", _ALL_BUT_LAST), WITH_TAGGED_GTIDS),
)
_BEFORE: Final = yes_or_no("GTIDs before the first log")
#: A server whose first log has no transaction begins the second one with the same set, which may be empty. A fresh
#: server has this log alone.
_FIRST_EMPTY: Final = yes_or_no("the first log has no transactions")
#: Numbers in a row are in one interval of a set, at the end of which and in the midst of which others are missing.
_NUMBERS: Final = Dimension("numbers of the GTIDs", {"of any size": False, "in a row": True})
#: How large they are matters in pairs with tags, by which a GTID has another form, with a number of another encoding.
_NUMBER: Final = replace(gtid_events.NUMBER, when={_NUMBERS.name: ("of any size",)})
#: The last group of each log, which has an end of its own kind, or no BEGIN.
_LAST_GROUP: Final = last_groups.dimension("last group of a log", last_groups.SENT)
_AFTER_END: Final = "after its end"
#: Where in each group an ignorable event of an unknown type is; one after its end is left out with it, too.
_UNKNOWN: Final = choices("unknown event of a group", ("none", "second", "in the middle", "last but one", _AFTER_END))
_MARKED: Final = Dimension("markers", {"none": False, "all": True}, profiles={"all": Profiles("worklog")})
_REFUSING_MODE: Final = choices("gtid_mode", ("ON", "OFF"))
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
#: What is left out has no part in what comes after it.
_HELD: Final = choices(
    "GTIDs that the replica has", ("none", "all but the last", "all"), when={_ASKED.name: ("by GTIDs",)}
)
#: The source's logs are each held to its gtid_mode, not only the first that it sends.
_IN_NEXT: Final = yes_or_no("in the next log", when={_FORBIDDEN.name: ("sent", "before it, and sent")})
#: Which groups the replica has of those that have a GTID; the others have none that it could have.
_HAS_BESIDE: Final = choices("GTIDs that the replica has", ("all", "all but the last", "none"))


@family(
    focus="WL7592-SEND-ANONYMOUS-GTIDS",
    profiles=Profiles("worklog"),
    dimensions=(*log_sequence.OF_LOGS, GROUPS, _HAS_BESIDE, FLAGGED),
)
def sent_without_gtids(stream: StreamBuilder) -> None:
    """Logs of groups with a GTID and without one in turn, asked for by the GTIDs that the replica has.

    Shipped servers refuse a replica that asks so, or stop at the first group without a GTID.
    """
    for number, count in log_sequence.several_logs(stream):
        log_sequence.begin(stream, number, count)
        for _ in stream.several_of(GROUPS):
            for anonymous in (False, True):
                planned = groups.with_gtid(stream, groups.group(stream), anonymous=anonymous)
                replica_groups.add(stream, flagged(stream, planned))
        log_sequence.end(stream, number, count)
    stream.settings.update(holding=stream.vary(_HAS_BESIDE), foreign=False, gtid_mode="ON_PERMISSIVE")


@family(
    focus=("FORMAT-SEND-GTIDS-SKIPPED", "FORMAT-CLIENT-GTIDS"),
    profiles=WITH_AUTO_POSITION,
    dimensions=(
        *log_sequence.OF_LOGS,
        GROUPS,
        _UNKNOWN,
        _TAGGED,
        _HAS,
        _FOREIGN,
        _BEFORE,
        _FIRST_EMPTY,
        _NUMBERS,
        _NUMBER,
        _MARKED,
        _LAST_GROUP,
        FLAGGED,
        EXTENDED,
    ),
    impossible=(
        Impossible(
            {_NUMBERS.name: ("of any size",), _HAS.name: ("all but the second",)},
            "that one is missing in the midst of an interval needs numbers in a row",
        ),
        Impossible(
            {log_sequence.LOGS.name: ("1",), _FIRST_EMPTY.name: ("yes",), _NUMBERS.name: ("of any size",)},
            "where there are no transactions there are no numbers",
        ),
        Impossible(
            {log_sequence.LOGS.name: ("1",), _FIRST_EMPTY.name: ("yes",), log_sequence.CREATED.name: ("no",)},
            "a server that has logged nothing has started with this log",
        ),
    ),
)
def sent_gtids(stream: StreamBuilder) -> None:
    """One to three logs with a GTID before each group, asked for by the GTIDs that the replica has."""
    before = gtid_events.gtid_set(stream) if stream.vary(_BEFORE) else GtidSet()
    change: log_sequence.Change = boundaries.marked if stream.vary(_MARKED) else list
    tagged, unknown = stream.vary(_TAGGED), stream.vary(_UNKNOWN)
    holding = stream.vary(_HAS)
    stream.gtid_step = int(stream.vary(_NUMBERS))
    code = stream.choose.one_of(UNASSIGNED)
    lengths = declare_up_to(stream, code)
    lengths = with_tables_info(lengths) if stream.vary(EXTENDED) else lengths
    for number, count in log_sequence.several_logs(stream):
        log_sequence.begin(stream, number, count, lengths=lengths, change=change, before=before)
        made = [groups.group(stream) for _ in stream.several_of(GROUPS)]
        last_group = stream.vary(_LAST_GROUP)
        if last_group != last_groups.ANY:
            made.append(last_groups.SENT[last_group](stream))
        is_empty = not number and stream.vary(_FIRST_EMPTY)
        for at, planned in enumerate([] if is_empty else [as_described(stream, each) for each in made], 1):
            has_tag = tagged == "all" or (tagged == _ALL_BUT_LAST and at < len(made))
            if unknown not in ("none", _AFTER_END):
                last = len(planned) - 1
                place = {"second": 0, "in the middle": len(planned) // 2}.get(unknown, last)
                planned.insert(place, _unknown(stream, code))
            replica_groups.add(stream, change(flagged(stream, _with_gtid(stream, planned, tagged=has_tag))))
            if unknown == _AFTER_END:
                replica_groups.add(stream, change([_unknown(stream, code)]))
        log_sequence.end(stream, number, count, change=change)
    stream.vary(FLAGGED)  # There may be no group.
    stream.settings.update(
        holding=holding,
        foreign=stream.vary(_FOREIGN),
        gtid_mode="ON",
    )


@family(
    focus="FORMAT-SEND-PURGED",
    profiles=WITH_AUTO_POSITION,
    dimensions=(
        log_sequence.LOGS,
        log_sequence.NAMES,
        log_sequence.CRASHED,
        log_sequence.END,
        log_sequence.LAST_IN_USE,
        log_sequence.CREATED,
        GROUPS,
        _TAGS,
        _HAS_BESIDE,
        _FOREIGN,
        _LACKING,
    ),
)
def sent_after_purging(stream: StreamBuilder) -> None:
    """One to three logs, asked for by the GTIDs of a replica that lacks some of what came before the first of them."""
    before, tagged = gtid_events.gtid_set(stream, fewest=1), stream.vary(_TAGS)
    for number, count in log_sequence.several_logs(stream):
        log_sequence.begin(stream, number, count, before=before)
        for _ in stream.several_of(GROUPS):
            replica_groups.add(stream, _with_gtid(stream, groups.group(stream), tagged=tagged))
        log_sequence.end(stream, number, count)
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
    dimensions=(_REFUSING_MODE, _FORBIDDEN, _GIVEN, _ASKED, _GROUPS_BEFORE, _IN_NEXT, _HELD),
)
def sent_in_another_mode(stream: StreamBuilder) -> None:
    """Logs from another gtid_mode than the source has: they have GTIDs under OFF, or groups without them under ON."""
    mode, forbidden = stream.vary(_REFUSING_MODE), stream.vary(_FORBIDDEN)
    stream.settings.update(gtid_mode=mode, log="first", place=PLACES[0])
    if by_gtids := mode == "ON" and forbidden == "sent" and stream.vary(_ASKED) == "by GTIDs":
        stream.settings.update(holding=stream.vary(_HELD), foreign=False)
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


def _unknown(stream: StreamBuilder, code: int) -> PlannedEvent:
    return mysql_events.ignorable(stream, code, stream.choose.octets(0, 60), flags=0)


def _with_gtid(stream: StreamBuilder, planned: Sequence[PlannedEvent], *, tagged: bool) -> list[PlannedEvent]:
    """Return a group with its Gtid event, one with a tag if `tagged` is true."""
    return groups.with_tagged_gtid(stream, planned) if tagged else groups.with_gtid(stream, planned, anonymous=False)
