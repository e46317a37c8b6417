"""Gtid, Anonymous_gtid and Previous_gtids events (WL#7592)."""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GNO_END, GtidSet, Interval, Source
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS, WITH_GTIDS, WITH_TAGGED_GTIDS
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events
from conformance.strategies.families.flagged_events import FLAGGED, flag_following
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_IGNORABLE: Final = int(Flag.IGNORABLE)


_NOT_5_6: Final = Profiles("worklog", "mysql >= 5.7")
_WORKLOG: Final = Profiles("worklog")
#: The fields of a body: a form, which is the server's own if None, and what follows its last field.
_BODY: Final = Dimension[tuple[str | None, str]](
    "fields of the body",
    {
        "the server's": (None, ""),
        "the server's and those of a newer one": (None, "newer"),
        "the server's and one byte": (None, "byte"),
        "5.6's": ("5.6", ""),
        "5.7's": ("5.7", ""),
        "the commit field": ("commit-field", ""),
        "one number without commit field": ("one-number", ""),
        "of another type code": (gtid_events.OTHER_TYPECODE, ""),
    },
    profiles={
        "5.6's": _NOT_5_6,
        "5.7's": Profiles("mysql >= 8.0"),
        "the commit field": _WORKLOG,
        "one number without commit field": _WORKLOG,
    },
)
#: By how much the transaction is longer than the one in the stream, as a large one is of which a part was cut out.
_LONGER: Final = Dimension(
    "length of the transaction",
    {"its own": 0, "beyond 2^31": 1 << 31, "beyond 2^32": 1 << 32},
    when={"fields of the body": ("the server's",)},
    profiles={each: Profiles("mysql >= 8.0") for each in ("beyond 2^31", "beyond 2^32")},
)
_FLAG: Final = yes_or_no("ignorable flag")
_GROUPS: Final = Number("groups", many=(60, 64))


@family(
    focus=(
        "WL7592-GTID-IDENTIFIER-READ",
        "WL7592-PREVIOUS-GTIDS-OUTSIDE",
        "WL7592-RENDER-NO-COMMIT-WORD",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
    ),
    profiles=WITH_GTIDS,
    dimensions=(_BODY, _GROUPS, _LONGER, *gtid_events.GTID_DIMENSIONS, FLAGGED),
)
def gtid_streams(stream: StreamBuilder) -> None:
    """Transactions with Gtid events of several sizes, and sometimes an Anonymous_gtid event.

    The sizes are those of older and of newer servers, and the numbers are arbitrary: no server's log has them all.
    """
    groups.begin_log(stream, previous=True)
    flag_following(stream)
    groups.number_from_anywhere(stream)
    _add_groups(stream, anonymous=False)


@family(
    focus=(
        "WL7592-BODY-SIZES-DIFFER",
        "WL7592-GROUP-STARTS-AT-ANON",
        "WL7592-RENDER-ANONYMOUS-WORD",
        "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED",
    ),
    profiles=WITH_ANONYMOUS_GTIDS,
    dimensions=(_BODY, _GROUPS, _LONGER, _FLAG, groups.SEQUENCE),
)
def anonymous_gtid_streams(stream: StreamBuilder) -> None:
    """Transactions with Anonymous_gtid events of several sizes, flagged or not, and sometimes a Gtid event.

    The sizes are those of older and of newer servers, and the numbers are arbitrary: no server's log has them all.
    """
    groups.begin_log(stream, previous=True)
    groups.number_from_anywhere(stream)
    _add_groups(stream, anonymous=True)


def _add_groups(stream: StreamBuilder, *, anonymous: bool) -> None:
    """Add groups, the first with an event of one type, some of the others with one of the other type."""
    choose = stream.choose
    anonymous_possible = stream.server.profile in WITH_ANONYMOUS_GTIDS
    sizes = set()
    for number in stream.several_of(_GROUPS):
        planned = groups.group(stream)
        other = bool(number) and choose.yes(5)
        event = _gtid(stream, planned, anonymous=anonymous_possible and anonymous != other)
        sizes.add(len(event.body))
        stream.add(event.marked("WL7592-BODY-SIZES-DIFFER") if len(sizes) > 1 else event)
        for each in planned:
            stream.add(each)


def _gtid(stream: StreamBuilder, planned: list[PlannedEvent], *, anonymous: bool) -> PlannedEvent:
    """Return the Gtid or Anonymous_gtid event of a group."""
    form, rest = stream.vary(_BODY)
    is_own = form is None and not rest
    flagged = stream.vary(_FLAG) if anonymous else False
    if form == gtid_events.OTHER_TYPECODE:
        return gtid_events.gtid(stream, anonymous=anonymous, form=form)
    if form in ("commit-field", "one-number"):
        event = gtid_events.gtid(stream, anonymous=anonymous, form=form).marked("WL7592-BODY-COMMIT-FIELD")
        is_57_bytes = form == "commit-field" and stream.checksummed
        return event.marked("WL7592-BODY-57-BYTES") if is_57_bytes else event
    form = form or groups.native_form(stream)
    tail = b""
    if rest:
        tail = gtid_events.newer_tail(stream, form) if rest == "newer" else stream.choose.octets(1, 1)
    flags = _IGNORABLE if flagged else 0
    longer = stream.vary(_LONGER) if is_own else 0
    event = groups.group_gtid(stream, planned, anonymous=anonymous, form=form, flags=flags, tail=tail, longer=longer)
    return event.marked("WL7592-BODY-UNKNOWN-TAIL", "WL7592-COMPAT-ON-56-57") if tail else event


@family(
    focus=("FORMAT-GTID-TAGGED", "FORMAT-RENDER-GTID"),
    profiles=WITH_TAGGED_GTIDS,
    dimensions=(gtid_events.TAG, _GROUPS, groups.SEQUENCE, *gtid_events.GTID_DIMENSIONS, FLAGGED),
)
def tagged_gtid_streams(stream: StreamBuilder) -> None:
    """Transactions with tagged Gtid events, and untagged ones between them."""
    groups.begin_log(stream)
    flag_following(stream)
    groups.number_from_anywhere(stream)
    for number in stream.several_of(_GROUPS):
        planned = groups.group(stream)
        if number and stream.choose.yes(4):
            groups.add_group(stream, planned)
            continue
        for event in groups.with_tagged_gtid(stream, planned):
            stream.add(event)


#: More sources than a byte counts are not unusual: each server has one.
_SOURCES: Final = Number("sources of the set", fewest=0, many=(257, 270))
#: Numbers of the first interval of the first source: how many, from where.
_INTERVAL: Final = Dimension(
    "numbers of an interval",
    {
        "1": (1, 2),
        "several": (1, 1000),
        "one that is not 1": (9, 10),
        "from 2^31": (2**31, 2**32 + 1),
        "beyond a double": (2**53 + 1, 2**53 + 3),
        "all": (1, GNO_END),
        "the largest": (GNO_END - 1, GNO_END),
    },
    when={"sources of the set": ("1", "2", "3", "many")},
)
_INTERVALS: Final = Dimension(
    "intervals of a source", {"1": 1, "2": 2, "3": 3, "many": 300}, when={"sources of the set": ("1", "2", "3", "many")}
)
_TAGS_IN: Final = Dimension(
    "tags in the set",
    {
        "none": (),
        "one": ("tag",),
        "with and without": ("", "a"),
        "the longest": ("x" * 32,),
        # More than a byte counts: each is an entry of its own.
        "many": tuple(f"t{number:03}" for number in range(257)),
    },
    when={"sources of the set": ("1", "2", "3", "many")},
    profiles=dict.fromkeys(("one", "with and without", "the longest", "many"), WITH_TAGGED_GTIDS),
    heavy=("many",),
)
_FLAGS: Final = Dimension(
    "flags of Previous_gtids",
    {
        "none": Flag(0),
        "ignorable": Flag.IGNORABLE,
        "ignorable, relay log": Flag.IGNORABLE | Flag.RELAY_LOG,
        "relay log": Flag.RELAY_LOG,
    },
)
#: The set of the next log has that of the log before, unless they are logs of two servers: a client that goes over to
#: another source reads one after the other.
_LOGS: Final = choices("logs", ("one", "two", "two, the second with another set", "two, the second with an empty set"))
#: The most numbers of an interval among which the next unused one is searched.
_SEARCHED: Final = 1000


@family(
    focus=("WL7592-PREVIOUS-GTIDS-SET-READ", "FORMAT-RENDER-PREVIOUS-GTIDS"),
    profiles=WITH_GTIDS,
    dimensions=(_SOURCES, _INTERVAL, _INTERVALS, _TAGS_IN, _FLAGS, _LOGS),
    impossible=(
        Impossible(
            {
                "numbers of an interval": ("all", "the largest", "beyond a double"),
                "intervals of a source": ("2", "3", "many"),
            },
            "here an interval of so high numbers is the only one",
        ),
        Impossible(
            {"tags in the set": ("many",), "intervals of a source": ("many",)},
            "many sets of many intervals would be larger than any log's",
        ),
    ),
)
def previous_gtids_streams(stream: StreamBuilder) -> None:
    """Logs that begin with a Previous_gtids event, empty or not, with any of its flags; two of them, of any servers."""
    stream.describe_format()
    stream.add(gtid_events.previous_gtids(stream, _set(stream), flags=int(stream.vary(_FLAGS))))
    groups.add_groups(stream, 0, 2)
    logs = stream.vary(_LOGS)
    if logs != "one":
        stream.add(mysql_events.rotate(stream))
        groups.begin_next_log(stream, previous=_set_of_second(stream, logs))
        groups.add_groups(stream, 0, 2)
    groups.end_log(stream)


def _set_of_second(stream: StreamBuilder, logs: str) -> GtidSet | None:
    """Return the set with which the second log begins, None for what was executed before it."""
    if logs == "two":
        return None
    uuid = gtid_events.UUIDS[1]
    start = stream.choose.integer(1, 1000)
    sources = () if "empty" in logs else (Source(uuid, (Interval(start, start + 5),)),)
    return GtidSet(sources)


def _set(stream: StreamBuilder) -> GtidSet:
    sources: list[Source] = []
    for number in stream.several_of(_SOURCES):
        if number == 0:
            start, end = stream.vary(_INTERVAL)
            count = stream.vary(_INTERVALS)
            tags = stream.vary(_TAGS_IN) or ("",)
        else:
            start, end, count, tags = stream.choose.integer(1, 2**32), 2**33, 1, ("",)
        size = end - start
        if start + 2 * size * count > GNO_END:
            count = 1
        intervals = tuple(Interval(start + 2 * size * step, end + 2 * size * step) for step in range(count))
        # Sources of later Gtid events need numbers that are not used, and that are soon found.
        is_of_events = number == 0 and size <= _SEARCHED
        uuid = gtid_events.UUIDS[0] if is_of_events else (number + 9).to_bytes(16, "big")
        sources += [Source(uuid, intervals, tag) for tag in tags]
    sources.sort(key=lambda each: (each.uuid, each.tag))
    return GtidSet(tuple(sources), any(each.tag for each in sources))
