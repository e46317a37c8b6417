"""Why the warnings of a receiver are wrong: they follow from its boundary parser, so one answer has one cause.

A receiver that feeds the parser more than it queues warns as that parser does. One that keeps the parser of a
connection in the next warns as that parser does from the state in which it was left: the state is known from the
connection before, and may be any at the first one.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final, NamedTuple

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.binlog.servers import server_of
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.step_entry import WITHOUT_TEXT
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import NOT_MADE, Cause
from conformance.oracles.checks.boundary_steps import Entry, State, StepTable, fed_by_offset
from conformance.protocol.roles.relay import event_data, is_repeated_format

RESET: Final = "WL4162-RESET-RECEIVER-LOOP"
_NOT_RESET: Final = Cause("kept at a new connection", "boundary parser", role="relay")
#: The cause of events that are not written, whatever their types are, if the others are.
WARNED_LEFT_OUT: Final = Cause(NOT_MADE["relay"], "event that causes a warning", role="relay")
_FED_MORE: Final = Cause("fed events that are not queued", "boundary parser", role="relay")
_NONE: Final = Cause("no warning", role="relay")
_OTHER_WORDS: Final = Cause("wrong warning", role="relay")
_ELSEWHERE: Final = Cause("warnings at other events", role="relay")


class Received(NamedTuple):
    """An event of the source, other than the Rotate events that it makes.

    Attributes:
        entry: Index of its expected entry; None if it is not queued for the relay log, so that no parser is fed it.
        event: What is fed of it.
        server_id: The server in its header.
        connection: The number of the connection over which it comes, from 0.
    """

    entry: int | None
    event: FedEvent
    server_id: int
    connection: int


def received(alignment: Alignment) -> Iterator[Received]:
    """Yield what a receiver receives, in its order."""
    case = alignment.case
    written = [entry["data"] for entry in case.expected.events]
    at = connection = 0
    for offset, fed in fed_by_offset(case.stream).items():
        connection += offset in case.settings.get("connections", ())
        header = Header(*HEADER.unpack_from(case.stream, offset))
        index = None
        with suppress(ValueError):
            index = written.index(case.stream[offset : offset + header.length].hex(), at)
            at = index + 1
        if not (fed.type == EventType.ROTATE and fed.flags & Flag.ARTIFICIAL):
            yield Received(index, fed, header.server_id, connection)


def fed_entries(alignment: Alignment) -> Iterator[tuple[int, FedEvent, int]]:
    """Yield what is fed to the boundary parser: the index of its entry, the event, and the number of the connection."""
    for each in received(alignment):
        if each.entry is not None:
            yield each.entry, each.event, each.connection


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def cause_of_warnings(alignment: Alignment) -> Cause | None:
    """Return the cause of all warnings of an answer that differ; None if none does."""
    expected = alignment.case.expected.events
    pairs = [
        (entry["warning"], seen.get("warning", ""))
        for index, entry in enumerate(expected)
        if (seen := alignment.observed(index)) is not None
    ]
    if all(wanted == shown for wanted, shown in pairs):
        return None
    is_silent = not any(shown for _, shown in pairs)
    if not is_silent and _is_of_more_events(alignment):
        return _FED_MORE
    if _is_of_kept_parser(alignment):
        return _NOT_RESET
    if is_silent:
        return _NONE
    return _OTHER_WORDS if all(bool(wanted) == bool(shown) for wanted, shown in pairs) else _ELSEWHERE


def leaves_out_warned(alignment: Alignment) -> bool:
    """Return whether an answer lacks the events that cause a warning, and no others.

    An event of an unknown type causes one too, and may be left out for its type.
    """
    known = server_of(alignment.case.id.profile).rules.known
    warned = {index for index, entry in enumerate(alignment.case.expected.events) if entry["warning"]}
    lost = {index for index in range(alignment.count) if alignment.observed(index) is None}
    types = {alignment.about.type_of(alignment.case.expected.events[index]) for index in lost}
    return bool(lost) and lost == warned and not types.isdisjoint(known)


def is_fed_otherwise(alignment: Alignment) -> bool:
    """Return whether an event that is not queued, or that is queued beside the others, comes before a wrong warning.

    What the parser then warns of follows from that.
    """
    events = alignment.case.expected.events
    pairs = ((index, alignment.observed(index)) for index in range(alignment.count))
    wrong = (index for index, seen in pairs if seen and seen.get("warning", "") != events[index]["warning"])
    first = next(wrong, None)
    if first is None:
        return False
    lost = any(alignment.observed(index) is None for index, _, _ in fed_entries(alignment) if index < first)
    return lost or any(_is_of_source(alignment.observation.events[place]) for place in alignment.phantoms)


def _is_of_source(entry: Entry) -> bool:
    """Return whether an entry is an event that no replica makes itself."""
    data = event_data(entry)
    if data is None:
        return False
    flags = Header(*HEADER.unpack(data[:HEADER_BYTES])).flags
    return not flags & Flag.RELAY_LOG and not is_repeated_format(data)


def keeps_parser(alignment: Alignment) -> bool:
    """Return whether what is wrong with the warnings of an answer is that the parser is kept."""
    return cause_of_warnings(alignment) == _NOT_RESET


def _table(alignment: Alignment) -> StepTable | None:
    """Return the parser of a profile; None if its replicas have none."""
    profile = alignment.case.id.profile
    has_parser = profile == "worklog" or SHIPPED_VERSIONS[profile] is not None
    return StepTable(profile) if has_parser else None


def _is_of_more_events(alignment: Alignment) -> bool:
    """Return whether the warnings of an answer are those of a parser that is fed events which are not queued.

    These are all that are received, or those of servers that are to be ignored.
    """
    table, ignored = _table(alignment), alignment.case.settings.get("ignored_ids", ())
    every = list(received(alignment))
    of_ignored = [each for each in every if each.entry is not None or each.server_id in ignored]
    return table is not None and any(
        _are_of(alignment, table, fed) for fed in (every, of_ignored) if any(each.entry is None for each in fed)
    )


def _are_of(alignment: Alignment, table: StepTable, fed: Sequence[Received]) -> bool:
    """Return whether the warnings of an answer are those of a parser that is fed some events."""
    state, connection = table.start, 0
    for each in fed:
        if each.connection != connection:
            state, connection = table.start, each.connection
        entry, state = table.step(state, each.event)
        seen = None if each.entry is None else alignment.observed(each.entry)
        if each.entry is not None and (seen is None or not _agrees(entry, seen)):
            return False
    return True


def _is_of_kept_parser(alignment: Alignment) -> bool:
    """Return whether the warnings of an answer are those of a parser that was not reset before a connection."""
    table, connection, is_kept = _table(alignment), -1, False
    if table is None:
        return False
    states: Sequence[State] = table.every
    new: Sequence[State] = (table.start,)
    for index, event, of_connection in fed_entries(alignment):
        seen = alignment.observed(index)
        if seen is None:
            return False
        if of_connection != connection:
            connection, new = of_connection, (table.start,)
            states = tuple({*states, table.start}) if connection else table.every
        states, new = (_after(table, each, event, seen) for each in (states, new))
        is_kept = is_kept or not new
        if not states:
            return False
    return is_kept


def _after(table: StepTable, states: Sequence[State], event: FedEvent, seen: Entry) -> tuple[State, ...]:
    """Return the states after an event in which its warning can have been given."""
    steps = (table.step(state, event) for state in states)
    return tuple(dict.fromkeys(after for entry, after in steps if _agrees(entry, seen)))


def _agrees(entry: Entry, seen: Entry) -> bool:
    return entry["warning"] in (seen.get("warning", ""), WITHOUT_TEXT)
