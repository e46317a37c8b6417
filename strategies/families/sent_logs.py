"""Logs that a source sends to a replica (WL#4162, WL#4033, WL#7592): one, or several that follow each other."""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.event_types import MARIADB_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import (
    WITH_CHECKSUMS,
    WITH_HEARTBEAT_V2,
    WITH_PAYLOADS,
    WITH_ROWS_QUERIES,
    WITHOUT_POSITIONS_INSIDE,
    with_tables_info,
)
from conformance.models.sender.sender_settings import FIRST
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mariadb_events, mysql_events
from conformance.strategies.events.extended_query import EXTENDED, as_described
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import last_groups, log_sequence, replica_groups, replica_variants
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.log_sequence import FLAGGED, GROUPS, flagged
from conformance.strategies.groups.replica_variants import CODE
from conformance.strategies.questions.send import BEYOND, HEARTBEAT, LAST_WAIT, PLACES

_IN_USE: Final = int(Flag.BINLOG_IN_USE)
_IGNORABLE: Final = int(Flag.IGNORABLE)

#: Where a replica asks to begin.
_ASKED_LOG: Final = Dimension("log asked for", {"the first": "first", "the last": "last"}, log_sequence.SEVERAL)
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
    profiles={"none": WITHOUT_POSITIONS_INSIDE},
    when={_IGNORABLE_PLACE.name: ("between groups", "last of the log")},
)
_STATEMENT_AFTER: Final = "in each group, with a statement after the rows"
_TEXTS: Final = Dimension(
    "texts before rows",
    {each: each for each in ("none", "in each group", _STATEMENT_AFTER)},
    profiles={"in each group": WITH_ROWS_QUERIES, _STATEMENT_AFTER: WITH_ROWS_QUERIES},
)
#: A server that has just begun another log (FLUSH LOGS) waits in it for the first group.
_LAST_NEW: Final = yes_or_no(
    "the last log is new", when={**log_sequence.SEVERAL, _IGNORABLE_PLACE.name: ("between groups", "in a group")}
)
_GTID_MODE: Final = choices("Gtid events", ("anonymous", "gtid"))
#: An older server's log, which the server had before it was upgraded, has neither Previous_gtids nor Gtid events.
#: 5.7.22 and 9.7.4 send it in every mode to a replica that asks by position.
_FIRST_OLD: Final = Dimension(
    "the first log is from before WL#7592",
    {"no": False, "yes": True},
    log_sequence.SEVERAL,
    profiles={"yes": Profiles("worklog", "mysql >= 5.7")},
)
#: A whole transaction in one event, which also ends where its last event does.
_LAST_PACKED: Final = Dimension("payload last in a log", {"no": False, "yes": True}, profiles={"yes": WITH_PAYLOADS})
#: A position that a log does not have.
_NOWHERE: Final = choices("position asked for", (*range(FIRST), *BEYOND))
_BY_POSITION: Final = (_ASKED_LOG, _ASKED_PLACE)


@family(
    focus=("WL4033-SEND-IGNORABLE", "WL4033-CLIENT-IGNORABLE"),
    profiles=WITH_CHECKSUMS,
    dimensions=(
        *log_sequence.OF_LOGS,
        *_BY_POSITION,
        GROUPS,
        _IGNORABLE_PLACE,
        _ANNOTATED,
        _TEXTS,
        _POSITIONS,
        _FIRST_OLD,
        _LAST_PACKED,
        _LAST_NEW,
        FLAGGED,
        CODE,
        _IN_A_ROW,
        _BODY,
        EXTENDED,
    ),
)
def sent_logs(stream: StreamBuilder) -> None:
    """One to three logs that follow each other, with ignorable events of unknown types, asked for by position."""
    code = replica_variants.code_of(stream)
    lengths = declare_up_to(stream, code)
    lengths = with_tables_info(lengths) if stream.vary(EXTENDED) else lengths
    for number, count in log_sequence.several_logs(stream):
        old = _is_old(stream, number, count)
        log_sequence.begin(stream, number, count, lengths=lengths, old=old)
        place = stream.vary(_IGNORABLE_PLACE)
        if number and number == count - 1 and stream.vary(_LAST_NEW):
            break
        for _ in stream.several_of(GROUPS):
            if place == "between groups":
                _add_unknown(stream, code)
            _add_group(stream, code if place == "in a group" else None, old=old)
        if stream.vary(_LAST_PACKED) and not old:
            groups.add_group(stream, last_groups.SENT[last_groups.IN_PAYLOAD](stream))
        if place == "last of the log":
            _add_unknown(stream, code)
        log_sequence.end(stream, number, count)
    _ask_by_position(stream)
    stream.settings["annotate_rows"] = stream.vary(_ANNOTATED)


def _is_old(stream: StreamBuilder, number: int, count: int) -> bool:
    """Return whether a log, by its number and how many there are, is from before WL#7592."""
    return count > 1 and not number and stream.vary(_FIRST_OLD)


def _add_group(stream: StreamBuilder, code: int | None, *, old: bool = False) -> None:
    """Add a group, with the texts of its rows, and with an ignorable event in it if `code` is given."""
    planned = as_described(stream, flagged(stream, _group_with_text(stream)))
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
    else:
        groups.add_group(stream, planned, positions=has_positions)


def _group_with_text(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a group, of rows with their text where the stream has it so."""
    texts = stream.vary(_TEXTS)
    if texts == "none":
        return groups.group(stream)
    return groups.change_with_text(stream, statement_after=texts == _STATEMENT_AFTER)


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
    dimensions=(*log_sequence.OF_LOGS, *_BY_POSITION, GROUPS, _IGNORABLE_PLACE, _OF_MARIADB),
)
def sent_types_of_mariadb(stream: StreamBuilder) -> None:
    """One to three logs of MySQL with ignorable events of types that only MariaDB has given a meaning."""
    code = stream.choose.one_of(stream.vary(_OF_MARIADB))
    lengths = declare_up_to(stream, code)
    place = stream.vary(_IGNORABLE_PLACE)
    for number, count in log_sequence.several_logs(stream):
        log_sequence.begin(stream, number, count, lengths=lengths)
        for _ in stream.several_of(GROUPS):
            planned = groups.group(stream)
            if place == "between groups":
                stream.add(_ignorable(stream, code))
            elif place == "in a group":
                planned.insert(stream.choose.integer(0, len(planned) - 1), _ignorable(stream, code))
            groups.add_group(stream, planned)
        if place == "last of the log":
            stream.add(_ignorable(stream, code))
        log_sequence.end(stream, number, count)
    _ask_by_position(stream)


@family(
    focus="WL4162-SEND-ROTATE-IGNORE",
    profiles=Profiles("worklog"),
    dimensions=(*log_sequence.OF_LOGS, *_BY_POSITION, GROUPS, _GTID_MODE),
)
def sent_marked_logs(stream: StreamBuilder) -> None:
    """One to three logs with a marker on every event, asked for by position."""
    for number, count in log_sequence.several_logs(stream):
        log_sequence.begin(stream, number, count, change=boundaries.marked)
        mode = stream.vary(_GTID_MODE)
        for _ in stream.several_of(GROUPS):
            planned = groups.with_gtid(stream, groups.group(stream), anonymous=mode == "anonymous")
            replica_groups.add(stream, boundaries.marked(planned))
        log_sequence.end(stream, number, count, change=boundaries.marked)
    _ask_by_position(stream)


@family(
    focus="FORMAT-SEND-NO-POSITION",
    profiles=WITH_CHECKSUMS,
    dimensions=(
        log_sequence.LOGS,
        log_sequence.NAMES,
        log_sequence.CRASHED,
        log_sequence.END,
        log_sequence.LAST_IN_USE,
        log_sequence.CREATED,
        GROUPS,
        _ASKED_LOG,
        _NOWHERE,
    ),
)
def sent_from_nowhere(stream: StreamBuilder) -> None:
    """One to three logs, asked for from a position before the first event of a log, or beyond its end."""
    for number, count in log_sequence.several_logs(stream):
        log_sequence.begin(stream, number, count)
        for _ in stream.several_of(GROUPS):
            groups.add_group(stream, groups.group(stream))
        log_sequence.end(stream, number, count)
    several = stream.settings["logs"] > 1
    stream.settings.update(log=stream.vary(_ASKED_LOG) if several else "first", place=stream.vary(_NOWHERE))


#: Where a number of a heartbeat takes more bytes, and 251, which alone in a byte would stand for NULL.
_BORDERS: Final = (250, 251, 252, (1 << 16) - 1, 1 << 16, (1 << 24) - 1, 1 << 24)
_END_AT: Final = Dimension(
    "position at the end of the log",
    {f"{each:,}": each for each in _BORDERS},
    when={HEARTBEAT.name: ("2",), LAST_WAIT.name: ("1", "2", "3", "many")},
    heavy=tuple(f"{each:,}" for each in _BORDERS[-2:]),
)
_ANYWHERE: Final = 4096


@family(
    focus="FORMAT-SEND-HEARTBEAT",
    profiles=WITH_HEARTBEAT_V2,
    few=True,
    dimensions=(HEARTBEAT, LAST_WAIT, _END_AT),
)
def sent_heartbeats(stream: StreamBuilder) -> None:
    """A log that ends at a position whose number takes another byte, for heartbeats of the second version."""
    code = UNASSIGNED[0]
    stream.describe_format(post_header_lengths=declare_up_to(stream, code))
    stream.add(gtid_events.previous_gtids(stream, stream.executed.gtids(), flags=_IGNORABLE))
    is_second, heartbeats = stream.vary(HEARTBEAT), sum(1 for _ in stream.several_of(LAST_WAIT))
    end = stream.vary(_END_AT) if is_second and heartbeats else _ANYWHERE
    left = end - stream.offset - stream.length_of(mysql_events.ignorable(stream, code, b"", flags=0))
    stream.add(mysql_events.ignorable(stream, code, bytes(left), flags=0))
    stream.settings.update(logs=1, log="first", place=PLACES[0], heartbeat_v2=is_second, heartbeats=heartbeats)


def _ask_by_position(stream: StreamBuilder) -> None:
    """Choose where the replica asks to begin, once the logs are there."""
    several = stream.settings["logs"] > 1
    stream.settings.update(
        log=stream.vary(_ASKED_LOG) if several else "first",
        place=stream.vary(_ASKED_PLACE),
    )
