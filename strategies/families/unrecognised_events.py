"""Events that a replica does not know, or knows although they are flagged (WL#4033, WL#7592): receiver and applier."""

from typing import Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_IGNORABLE_FLAG, server_of
from conformance.specs.versions import Profiles
from conformance.strategies.events.unassigned_types import (
    UNASSIGNED,
    UNASSIGNED_HIGH,
    declare_up_to,
    with_types_of_other_releases,
)
from conformance.strategies.grammar.dimension import Dimension, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups, replica_variants
from conformance.strategies.groups.group_shapes import PREPARED, STATEMENT, TRANSACTION, shaped, shapes
from conformance.strategies.groups.replica_variants import (
    BEFORE,
    BODY,
    CHANGE,
    CODE,
    EXECUTED_BEFORE,
    FLAGS,
    GROUP,
    GROUPS,
    MODE,
    PLACE,
)

_IGNORABLE: Final = int(Flag.IGNORABLE)
_OLD: Final = Profiles("mysql < 5.6")
#: The type codes of an event without the flag, up to the highest.
_REFUSED: Final = with_types_of_other_releases(
    Dimension(
        "type code",
        {
            "0": (int(EventType.UNKNOWN),),
            "any up to 127": UNASSIGNED,
            "28": (int(EventType.IGNORABLE),),
            "44": UNASSIGNED[:1],
            "127": UNASSIGNED[-1:],
            "128": UNASSIGNED_HIGH[:1],
            "198": UNASSIGNED_HIGH[-1:],
        },
        profiles={"28": WITH_IGNORABLE_FLAG},
    )
)
#: What a newer source sends to a replica of 5.1 or 5.5.
_NEWER: Final = Dimension(
    "newer event",
    {
        "Rows_query": EventType.ROWS_QUERY,
        "Ignorable": EventType.IGNORABLE,
        "unassigned type": UNASSIGNED[0],
        "Gtid": EventType.GTID,
        "Gtid with the flag": EventType.GTID,
        "Anonymous_gtid": EventType.ANONYMOUS_GTID,
        "Anonymous_gtid with the flag": EventType.ANONYMOUS_GTID,
        "Previous_gtids": EventType.PREVIOUS_GTIDS,
        "Previous_gtids with the flag": EventType.PREVIOUS_GTIDS,
    },
)
_OF_GTIDS: Final = {*GTID_TYPES, EventType.PREVIOUS_GTIDS}
#: The unknown events side by side.
_SIDE_BY_SIDE: Final = Number("unknown events side by side", few=2, many=(60, 70))
#: Also of what an applier skips it has to know the type: MariaDB is not asked, as for what it skips otherwise.
_SKIPPED: Final = Dimension(
    "skip counter", {"0": 0, "1000": 1000}, profiles={"1000": Profiles("worklog", "mysql")}, when={MODE.name: ("OFF",)}
)
_FLAGGED_GROUP: Final = shapes(TRANSACTION, STATEMENT, PREPARED)
_FLAGGED: Final = choices("flagged events", ("first", "second", "last", "all"))


@family(
    focus=("WL4033-APPLY-UNKNOWN-REFUSED", "WL4033-RELAY-UNKNOWN-NOT-LOST"),
    fault=True,
    dimensions=(_REFUSED, MODE, _SKIPPED, EXECUTED_BEFORE, BEFORE, GROUP, PLACE, BODY, FLAGS),
)
def unknown_events_refused(stream: StreamBuilder) -> None:
    """An event of a type that the replica does not know, without the flag, between, before or inside groups."""
    code = replica_variants.code_of(stream, _REFUSED)
    replica_groups.begin_relay_log(stream, lengths=declare_up_to(stream, code))
    mode = replica_variants.set_mode(stream)
    if mode == "OFF" and (counter := stream.vary(_SKIPPED)):
        stream.settings["skip_counter"] = counter
    replica_variants.add_before(stream, mode)
    event = replica_variants.unknown(stream, code)
    of_gtids = code in _OF_GTIDS and stream.server.profile in _OLD
    marks = ("WL4033-APPLY-UNKNOWN-REFUSED", *(("WL7592-APPLY-NEW-55",) if of_gtids else ()))
    _add_with(stream, mode, event._replace(flags=event.flags & ~_IGNORABLE), marks)


@family(
    focus=("WL4033-APPLY-CROSS-NEW-TO-OLD", "WL4033-RELAY-UNKNOWN-NOT-LOST"),
    profiles=_OLD,
    fault=True,
    dimensions=(_NEWER, BEFORE, GROUP, PLACE),
)
def newer_streams_to_old_replicas(stream: StreamBuilder) -> None:
    """Events that came with WL#4033, WL#7592 or later, for a replica of 5.1 or 5.5, which cannot skip them."""
    code = int(stream.vary(_NEWER))
    lengths = server_of("mysql-5.7").post_header_lengths
    replica_groups.begin_relay_log(stream, lengths=lengths + bytes(max(code - len(lengths), 0)))
    replica_variants.add_before(stream, "OFF")
    of_gtids = code in _OF_GTIDS
    is_flagged = not of_gtids or stream.choose.met[_NEWER.name].endswith("flag")
    mark = "WL7592-APPLY-NEW-55" if of_gtids else "WL4033-APPLY-CROSS-NEW-TO-OLD"
    body = stream.choose.octets(0, 42)
    _add_with(stream, "OFF", PlannedEvent(code, body, {}, _IGNORABLE if is_flagged else 0), (mark,))


def _add_with(stream: StreamBuilder, mode: str, unknown: PlannedEvent, marks: tuple[str, ...]) -> None:
    """Add a group with an event in it, before it or after it that is refused, and another group."""
    planned = replica_variants.group(stream, mode, by_change=False)
    if replica_variants.is_executed_before(stream, mode):
        replica_groups.add(stream, planned)
    place = replica_variants.index_of(stream.vary(PLACE), len(planned))
    replica_groups.add(stream, planned[:place])
    stream.refuse(unknown, kind="unknown-event", marks=marks)
    replica_groups.add(stream, planned[place:])
    replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))


@family(
    focus=("WL4033-APPLY-UNKNOWN-IGNORED", "WL4033-RELAY-IGNORABLE-COPIED"),
    profiles=WITH_IGNORABLE_FLAG,
    dimensions=(CODE, MODE, BEFORE, GROUP, PLACE, _SIDE_BY_SIDE, BODY, FLAGS),
)
def unknown_events_applied(stream: StreamBuilder) -> None:
    """Ignorable events of unassigned types between, before and inside the groups of a relay log."""
    code = replica_variants.code_of(stream)
    replica_groups.begin_relay_log(stream, lengths=declare_up_to(stream, code))
    mode = replica_variants.set_mode(stream)
    replica_variants.add_before(stream, mode)
    planned = replica_variants.group(stream, mode, by_change=False)
    place = replica_variants.index_of(stream.vary(PLACE), len(planned))
    planned[place:place] = [replica_variants.unknown(stream, code) for _ in stream.several_of(_SIDE_BY_SIDE)]
    replica_groups.add(stream, planned)
    replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))


@family(
    focus=("WL4033-APPLY-KNOWN-HANDLED", "WL4033-RELAY-IGNORABLE-COPIED"),
    profiles=Profiles("worklog", "mysql >= 5.6"),
    dimensions=(MODE, BEFORE, _FLAGGED_GROUP, CHANGE, _FLAGGED),
)
def flagged_groups(stream: StreamBuilder) -> None:
    """Groups of ordinary events of which some, or all, carry the ignorable flag."""
    replica_groups.begin_relay_log(stream)
    mode = replica_variants.set_mode(stream)
    replica_variants.add_before(stream, mode)
    planned = replica_groups.in_mode(stream, shaped(stream, _FLAGGED_GROUP), mode)
    last = len(planned) - 1
    places = {"first": (0,), "second": (min(1, last),), "last": (last,), "all": range(last + 1)}[stream.vary(_FLAGGED)]
    for place in places:
        planned[place] = planned[place]._replace(flags=planned[place].flags | _IGNORABLE)
    replica_groups.add(stream, planned)
    if stream.choose.met[_FLAGGED_GROUP.name] == PREPARED:
        # Its rows are seen by nobody before its end, and what of them is kept then is not modelled.
        del stream.settings["tables"]
        end = data_changes.query(stream, replica_groups.end_of_prepared(stream))
        replica_groups.add(stream, replica_groups.in_mode(stream, [end], mode))


@family(
    focus="FORMAT-APPLY-PERMISSIVE",
    profiles=Profiles("worklog", "mysql >= 5.7"),
    dimensions=(
        replica_variants.PERMISSIVE,
        replica_variants.KINDS_OF_GROUPS,
        GROUPS,
    ),
)
def groups_in_permissive_modes(stream: StreamBuilder) -> None:
    """Groups with GTIDs, anonymous ones and ones without either, for a replica whose gtid_mode is permissive."""
    replica_groups.begin_relay_log(stream)
    stream.settings["gtid_mode"] = stream.vary(replica_variants.PERMISSIVE)
    kinds = stream.vary(replica_variants.KINDS_OF_GROUPS)
    for number in stream.several_of(GROUPS):
        planned = replica_groups.group(stream)
        kind = kinds[number % len(kinds)]
        if kind != "none":
            planned = replica_groups.with_gtid(stream, planned, anonymous=kind == "Anonymous_gtid")
        replica_groups.add(stream, planned)
