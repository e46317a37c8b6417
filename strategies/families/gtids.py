"""Gtid, Anonymous_gtid and Previous_gtids events (WL#7592)."""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS, WITH_GTIDS, WITH_TAGGED_GTIDS
from conformance.strategies.events import gtid_events
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_IGNORABLE: Final = int(Flag.IGNORABLE)


@family(
    focus=(
        "WL7592-GTID-IDENTIFIER-READ",
        "WL7592-PREVIOUS-GTIDS-OUTSIDE",
        "WL7592-RENDER-NO-COMMIT-WORD",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
    ),
    profiles=WITH_GTIDS,
)
def gtid_streams(stream: StreamBuilder) -> None:
    """Transactions with Gtid events of several sizes, and sometimes an Anonymous_gtid event.

    The sizes are those of older and of newer servers, and the numbers are arbitrary: no server's log has them all.
    """
    groups.begin_log(stream, previous=True)
    groups.number_from_anywhere(stream)
    _add_groups(stream, anonymous_one_in=6)


@family(
    focus=(
        "WL7592-BODY-SIZES-DIFFER",
        "WL7592-GROUP-STARTS-AT-ANON",
        "WL7592-RENDER-ANONYMOUS-WORD",
        "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED",
    ),
    profiles=WITH_ANONYMOUS_GTIDS,
)
def anonymous_gtid_streams(stream: StreamBuilder) -> None:
    """Transactions with Anonymous_gtid events of several sizes, flagged or not, and sometimes a Gtid event.

    The sizes are those of older and of newer servers, and the numbers are arbitrary: no server's log has them all.
    """
    groups.begin_log(stream, previous=True)
    groups.number_from_anywhere(stream)
    _add_groups(stream, anonymous_one_in=1)


def _add_groups(stream: StreamBuilder, *, anonymous_one_in: int) -> None:
    choose = stream.choose
    anonymous_possible = stream.server.profile in WITH_ANONYMOUS_GTIDS
    forms = gtid_events.GTID_FORMS[: gtid_events.GTID_FORMS.index(groups.native_form(stream)) + 1]
    sizes = set()
    for _ in choose.several(1, 4):
        planned = groups.group(stream)
        anonymous = anonymous_possible and (anonymous_one_in == 1) != choose.yes(6)
        form = choose.one_of(forms[::-1])
        kind = choose.integer(0, 5)
        if stream.server.profile == "worklog" and kind == 5:
            gtid = gtid_events.gtid(stream, anonymous=anonymous, form="commit-field")
            gtid = gtid.marked("WL7592-BODY-COMMIT-FIELD")
            if stream.checksummed:
                gtid = gtid.marked("WL7592-BODY-57-BYTES")
        else:
            longest = form == groups.native_form(stream)
            tail = gtid_events.newer_tail(stream, form) if kind == 4 and longest else b""
            flags = _IGNORABLE if anonymous and choose.yes() else 0
            gtid = groups.group_gtid(stream, planned, anonymous=anonymous, form=form, flags=flags, tail=tail)
            if tail:
                gtid = gtid.marked("WL7592-BODY-UNKNOWN-TAIL", "WL7592-COMPAT-ON-56-57")
        sizes.add(len(gtid.body))
        stream.add(gtid.marked("WL7592-BODY-SIZES-DIFFER") if len(sizes) > 1 else gtid)
        for event in planned:
            stream.add(event)


@family(focus="FORMAT-GTID-TAGGED", profiles=WITH_TAGGED_GTIDS)
def tagged_gtid_streams(stream: StreamBuilder) -> None:
    """Transactions with tagged Gtid events, and untagged ones between them."""
    groups.begin_log(stream)
    groups.number_from_anywhere(stream)
    for _ in stream.choose.several(1, 4):
        planned = groups.group(stream)
        if stream.choose.yes(4):
            groups.add_group(stream, planned)
            continue
        stream.add(gtid_events.gtid_tagged(stream, group_length=sum(map(stream.length_of, planned))))
        for event in planned:
            stream.add(event)


@family(focus="WL7592-PREVIOUS-GTIDS-SET-READ", profiles=WITH_GTIDS)
def previous_gtids_streams(stream: StreamBuilder) -> None:
    """Logs that begin with a Previous_gtids event, empty or not, with any of its flags."""
    stream.describe_format()
    flags = int(stream.choose.one_of((Flag(0), Flag.IGNORABLE, Flag.IGNORABLE | Flag.RELAY_LOG)))
    stream.add(gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=flags))
    groups.add_groups(stream, 0, 2)
    groups.end_log(stream)
