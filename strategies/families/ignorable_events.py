"""Ignorable events (WL#4033): flagged events of types that no reader knows."""

from typing import Final

from conformance.binlog.event_types import MARIADB_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER
from conformance.binlog.servers import WITH_IGNORABLE_FLAG, WITH_ROWS_QUERIES, WITH_SERVER_ID_ZERO
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.unassigned_types import (
    UNASSIGNED,
    UNASSIGNED_HIGH,
    UNDECLARABLE,
    WITH_HIGH_TYPES,
    codes_dimension,
    declare_up_to,
)
from conformance.strategies.grammar.dimension import Dimension, Number, choices, sizes
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

__all__ = ["UNASSIGNED", "declare_up_to"]

#: Flags that are free on a server with boundary markers, which use some of the bits.
_BESIDE_MARKERS: Final = tuple(each for each in mysql_events.FREE_FLAGS if not MARKER_BITS.stored(int(each)))
_SKIPPED: Final = ("WL4033-READ-UNKNOWN-SKIPPED", "WL4033-READ-UNKNOWN-AS-IGNORABLE", "WL4033-CROSS-NEW-TO-NEW")

_CODE: Final = codes_dimension()
_AFTER_TEXT, _BEFORE_TEXT = "after a Rows_query", "before a Rows_query"
_IN_GROUPS: Final = ("between groups", "first of a group", "within a group", "last of a group")
#: What comes right after them, if anything.
_AT_ENDS: Final = ("before a Stop", "before a Rotate", "last of the log")
_PLACE: Final = Dimension(
    "place",
    {each: each for each in (*_IN_GROUPS, _AFTER_TEXT, _BEFORE_TEXT, *_AT_ENDS)},
    profiles=dict.fromkeys((_AFTER_TEXT, _BEFORE_TEXT), WITH_ROWS_QUERIES),
)
_NEIGHBOURS: Final = Number("ignorable events in a row", many=(100, 120))
_OF_OTHERS: Final = Dimension(
    "types of those in a row",
    {"the same": False, "others": True},
    when={"ignorable events in a row": ("2", "3", "many")},
)
_GROUPS: Final = Number("groups", many=(60, 70))


@family(
    focus=(
        "WL4033-READ-UNKNOWN-SKIPPED",
        "WL4033-SEND-IGNORABLE",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "WL4033-APPLY-UNKNOWN-IGNORED",
    ),
    profiles=WITH_IGNORABLE_FLAG,
    dimensions=(_CODE, _PLACE, _NEIGHBOURS, _OF_OTHERS, _GROUPS),
)
def ignorable_events(stream: StreamBuilder) -> None:
    """Valid streams with flagged events of unassigned types between, before and inside transactions."""
    choose = stream.choose
    codes = stream.vary(_CODE)
    code = choose.one_of(codes)
    groups.begin_plain_log(stream, lengths=declare_up_to(stream, max(code, UNASSIGNED[-1])))
    stream.mark("WL4033-READ-FUTURE-FORMAT")
    place = stream.vary(_PLACE)
    row = stream.several_of(_NEIGHBOURS)
    events = [_ignorable(stream, _next_code(stream, code) if number else code) for number in row]
    for number in stream.several_of(_GROUPS):
        with_text = place in (_AFTER_TEXT, _BEFORE_TEXT) and not number
        planned = groups.change_with_text(stream) if with_text else groups.group(stream)
        if number == 0 and place not in _AT_ENDS:
            _add_group(stream, planned, events, place)
        else:
            _add_group(stream, planned, [_ignorable(stream, code)] if choose.yes() else [], "within a group")
    if place in _AT_ENDS:
        _end_with(stream, events, place)
    else:
        groups.end_log(stream)


def _end_with(stream: StreamBuilder, events: list[PlannedEvent], place: str) -> None:
    """Add events at the end of a log, and what follows them."""
    for event in events:
        stream.add(event)
    if place == "before a Stop":
        stream.add(mysql_events.stop(stream))
    elif place == "before a Rotate":
        stream.add(mysql_events.rotate(stream))


def _next_code(stream: StreamBuilder, code: int) -> int:
    """Return the type of the next of several ignorable events in a row."""
    if not stream.vary(_OF_OTHERS):
        return code
    return stream.choose.one_of([each for each in UNASSIGNED if each != code])


def _add_group(stream: StreamBuilder, planned: list[PlannedEvent], others: list[PlannedEvent], place: str) -> None:
    """Add a group, and other events at a place in it or before it."""
    if place == "between groups":
        for event in others:
            stream.add(event)
        others = []
    # In MariaDB a Gtid event stands for BEGIN, so nothing comes before it.
    first = int(stream.server.is_mariadb)
    last = max(len(planned) - 1, first)
    at = {"first of a group": first, "last of a group": last, _AFTER_TEXT: 2, _BEFORE_TEXT: 1}.get(
        place, stream.choose.integer(first, last)
    )
    groups.add_group(stream, [*planned[:at], *others, *planned[at:]], anonymous=True)


def _ignorable(stream: StreamBuilder, code: int) -> PlannedEvent:
    choose = stream.choose
    flags = int(choose.one_of(_BESIDE_MARKERS if stream.server.profile == "worklog" else mysql_events.FREE_FLAGS))
    return _marked(mysql_events.ignorable(stream, code, _body(stream), flags=flags))


def _marked(event: PlannedEvent) -> PlannedEvent:
    event = event.marked(*_SKIPPED, "WL4033-READ-UNKNOWN-ANY-BODY", "WL4033-READ-UNKNOWN-ANY-CODE")
    if event.type == EventType.IGNORABLE:
        event = event.marked("WL4033-READ-IGNORABLE-TYPE-CODE", "WL4033-READ-IGNORABLE-POST-HEADER")
    return event if event.flags == mysql_events.IGNORABLE else event.marked("WL4033-READ-FLAG-BIT")


def _body(stream: StreamBuilder) -> bytes:
    """Return a body: empty, odd, large, or one that looks like an event."""
    choose = stream.choose
    kind = choose.integer(0, 3)
    if kind == 1:
        return choose.octets(1, 40)
    if kind == 2:
        return _like_an_event(stream)
    if kind == 3:
        return bytes(choose.integer(250, 2000))
    return b""


def _like_an_event(stream: StreamBuilder) -> bytes:
    return HEADER.pack(stream.timestamp, EventType.QUERY, 1, 40, 4, 0) + bytes(21)


#: Which of the logs of a stream have ignorable events.
_LOG: Final = choices("logs with ignorable events", ("the only one", "the first of two", "the second", "both"))
_SIZE: Final = sizes("size of the body", 251, 256, 65_536, most=300_000)
_CONTENT: Final = choices("content of the body", ("zeros", "ones", "like events", "anything"))
_FEW_CODES: Final = codes_dimension("any up to 127", "28", "127", "any from 128")


@family(
    focus="WL4033-READ-UNKNOWN-ANY-BODY",
    profiles=WITH_IGNORABLE_FLAG,
    dimensions=(_FEW_CODES, _SIZE, _CONTENT, _LOG),
)
def ignorable_bodies(stream: StreamBuilder) -> None:
    """Ignorable events of every size and content, each after one that differs from it in its body alone."""
    codes, size = stream.vary(_FEW_CODES), stream.vary(_SIZE)
    body = _filled(stream, stream.vary(_CONTENT), size)
    _in_logs(stream, stream.choose.one_of(codes), (body, 0))


def _filled(stream: StreamBuilder, content: str, size: int) -> bytes:
    if content == "anything":
        return stream.choose.octets(size, size)
    piece = {"zeros": b"\0", "ones": b"\xff"}.get(content) or _like_an_event(stream)
    return (piece * (size // len(piece) + 1))[:size]


_FLAGS: Final = mysql_events.other_flags("other flags")
_SERVER_ID: Final = Dimension("server id", {"1": 1, "0": 0}, profiles={"0": WITH_SERVER_ID_ZERO})


@family(focus="WL4033-READ-FLAG-BIT", profiles=WITH_IGNORABLE_FLAG, dimensions=(_FLAGS, _FEW_CODES, _LOG, _SERVER_ID))
def ignorable_flags(stream: StreamBuilder) -> None:
    """Ignorable events with every other flag, each after one that differs from it in its flags alone."""
    codes, flags = stream.vary(_FEW_CODES), stream.vary(_FLAGS)
    stream.server_id = stream.vary(_SERVER_ID)
    _in_logs(stream, stream.choose.one_of(codes), (_PLAIN_BODY, flags))


_PLAIN_BODY: Final = b"ignored"


def _in_logs(stream: StreamBuilder, code: int, subject: tuple[bytes, int]) -> None:
    """Add one log or two with an ignorable event of a code, a body and flags, after a plain one and one of that code.

    So a reader that does not skip it shows why. Only logs with ignorable events declare their types.
    """
    where = stream.vary(_LOG)
    numbers = {"the only one": (0,), "the first of two": (0,), "the second": (1,), "both": (0, 1)}[where]
    other = UNASSIGNED[0] if code != UNASSIGNED[0] else UNASSIGNED[1]
    for number in range(1 if where == "the only one" else 2):
        has_some = number in numbers
        lengths = declare_up_to(stream, max(code, other) if has_some else 0)
        if number:
            stream.add(mysql_events.rotate(stream))
            groups.begin_next_log(stream, lengths=lengths)
        else:
            groups.begin_plain_log(stream, lengths=lengths)
        plain = (_PLAIN_BODY, 0)
        for type_code, (body, flags) in ((other, plain), (code, plain), (code, subject)) if has_some else ():
            event = _marked(mysql_events.ignorable(stream, type_code, body, flags=flags))
            # Servers clear this bit in format descriptions alone: elsewhere it counts as any other.
            counts_in_use = bool(flags & Flag.BINLOG_IN_USE) and stream.checksummed
            stream.add(event.marked("FORMAT-IN-USE-CHECKSUM") if counts_in_use else event)
            groups.add_group(stream, groups.ddl(stream), anonymous=True)
    if where == "the first of two":
        groups.add_group(stream, groups.ddl(stream), anonymous=True)
    groups.end_log(stream)


_ORDER: Final = choices("order of the codes", ("ascending", "descending"))
_PLACE_OF_ALL: Final = choices("place of all", ("between groups", "within a group"))


@family(focus="WL4033-READ-UNKNOWN-ANY-CODE", profiles=WITH_IGNORABLE_FLAG, dimensions=(_ORDER, _PLACE_OF_ALL))
def ignorable_codes(stream: StreamBuilder) -> None:
    """Ignorable events of every unassigned type that the profile's readers skip, one after the other."""
    codes = [int(EventType.IGNORABLE), *UNASSIGNED]
    if stream.server.profile in WITH_HIGH_TYPES:
        codes += UNASSIGNED_HIGH
    groups.begin_plain_log(stream, lengths=declare_up_to(stream, codes[-1]))
    in_order = codes if stream.vary(_ORDER) == "ascending" else codes[::-1]
    events = [_marked(mysql_events.ignorable(stream, code, b"ignored", flags=0)) for code in in_order]
    place = "within a group" if stream.vary(_PLACE_OF_ALL) == "within a group" else "between groups"
    _add_group(stream, groups.transaction(stream), events, place)
    groups.end_log(stream)


_NOT_MARIADB: Final = Profiles("worklog", "mysql")
#: Codes that no format description of a profile declares here.
_UNDECLARED: Final = Dimension[tuple[int, ...]](
    "type code beyond the format description",
    {
        "199": UNDECLARABLE[:1],
        "0": (0,),
        "44": UNASSIGNED[:1],
        "any up to 127": UNASSIGNED,
        "127": UNASSIGNED[-1:],
        "128": UNASSIGNED_HIGH[:1],
        "173": (max(MARIADB_TYPES) + 1,),
        "any from 199": UNDECLARABLE,
        "255": UNDECLARABLE[-1:],
    },
    profiles=dict.fromkeys(("44", "any up to 127", "127", "128"), _NOT_MARIADB),
)
_BEFORE: Final = Number("groups before", fewest=0, few=2)


@family(focus="WL4033-READ-UNKNOWN-ANY-CODE", profiles=WITH_IGNORABLE_FLAG, dimensions=(_UNDECLARED, _BEFORE))
def uncovered_ignorable_events(stream: StreamBuilder) -> None:
    """Flagged events of types that the format description does not declare, or above 127."""
    choose = stream.choose
    groups.begin_plain_log(stream)
    for _ in stream.several_of(_BEFORE):
        groups.add_group(stream, groups.group(stream))
    codes = stream.vary(_UNDECLARED)
    event = mysql_events.ignorable(stream, choose.one_of(codes), choose.octets(0, 20), flags=0)
    stream.add(event.marked("WL4033-READ-UNKNOWN-ANY-CODE")._replace(tolerated=True))
    groups.add_groups(stream, 1, 2)
