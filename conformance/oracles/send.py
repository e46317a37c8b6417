"""The oracles of the role `send`: which events a source sends, those of its logs and those that it makes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm, checksum
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType, type_name
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.sender.sender_settings import FIRST
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import DIFFERS, NOT_MADE, passed_on_name
from conformance.oracles.checks.ended_answers import ended, missing
from conformance.oracles.checks.passed_on_events import wrong
from conformance.oracles.checks.send_freedoms import equal_heartbeats
from conformance.oracles.oracle import GOOD, Check, Oracle
from conformance.protocol.roles.relay import body_of, event_data

#: Events that are about a log, not about a transaction.
_OF_LOGS: Final = HEARTBEAT_TYPES | {
    EventType.FORMAT_DESCRIPTION,
    EventType.PREVIOUS_GTIDS,
    EventType.ROTATE,
    EventType.STOP,
}


@dataclass(frozen=True, slots=True)
class _Sent:
    """An event that is sent: its header, and what follows it."""

    header: Header
    rest: bytes
    data: bytes

    @property
    def kind(self) -> str:
        """The name for signatures."""
        return passed_on_name(self.header.type)

    @property
    def flags(self) -> int:
        """The flags word without the marker."""
        return self.header.flags & ~MARKER_BITS.mask

    @property
    def has_room_for_checksum(self) -> bool:
        """Whether it is a format description with a checksum, which is there also in a log without checksums."""
        return self.header.type == EventType.FORMAT_DESCRIPTION and _announced(self) is not None

    @property
    def is_checksummed(self) -> bool:
        """Whether it ends with a right checksum."""
        kept = self.data[:-CHECKSUM_BYTES]
        wanted = int.from_bytes(self.data[-CHECKSUM_BYTES:], "little")
        return len(kept) >= HEADER_BYTES and checksum(kept) == wanted


def _announced(event: _Sent) -> int | None:
    """Return the checksum algorithm that a format description announces, None if it has none or cannot be read."""
    try:
        return FormatDescription.from_event(event.data).checksum_algorithm
    except MalformedBody:
        return None


def _sent(entry: Mapping[str, Any]) -> _Sent | None:
    """Return the event of an entry, None if its data is not an event."""
    data = event_data(entry)
    if data is None:
        return None
    return _Sent(Header(*HEADER.unpack(data[:HEADER_BYTES])), data[HEADER_BYTES:], data)


#: Bytes of a Rotate event's body before the name of the log.
_POSITION_BYTES: Final = 8


def _begun(entries: Iterable[Mapping[str, Any]]) -> tuple[bytes, ...]:
    """Return the names of the logs that a sender begins, each of which it announces by a Rotate event of its own."""
    events = filter(None, map(_sent, entries))
    rotates = (each for each in events if each.header.type == EventType.ROTATE and each.flags & Flag.ARTIFICIAL)
    return tuple(body_of(each.data)[_POSITION_BYTES:] for each in rotates)


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _first_log(alignment: Alignment) -> int:
    """Return how many logs too late a sender begins that is asked by GTIDs; less than 0 if it begins too early."""
    if alignment.case.settings["gtid_set"] is None:
        return 0
    wanted, seen = _begun(alignment.case.expected.events), _begun(alignment.observation.events)
    later = len(wanted) - len(seen)
    same = min(len(wanted), len(seen))
    return later if same and wanted[-same:] == seen[-same:] else 0


_wrong: Final = partial(wrong, "send")
#: Compares the expected event with the observed one.
_Compare = Callable[[_Sent, _Sent], Check]


def _nothing(alignment: Alignment, wanted: _Sent) -> bool:
    return False


def _each(
    requirement: str,
    compare: _Compare,
    *,
    required: bool = True,
    passes_over: Callable[[Alignment, _Sent], bool] = _nothing,
) -> Oracle:
    """Return the oracle that compares each marked event with the observed one.

    Args:
        requirement: The requirement's id.
        compare: Compares them.
        required: Whether an event that is missing breaks the requirement.
        passes_over: Returns whether an expected event is not judged in an answer.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        # Where the first log is another one, so is what comes with it and after it.
        for index in () if _first_log(alignment) else alignment.marked(requirement):
            wanted = _sent(alignment.case.expected.events[index])
            assert wanted is not None, "the model sends events"
            if passes_over(alignment, wanted):
                continue
            place = f"the {type_name(wanted.header.type)} event, number {index + 1} of those sent"
            entry = alignment.observed(index)
            if entry is None:
                if required and alignment.fate(index) is not Fate.UNREACHED:
                    lost = _wrong(wanted.kind, NOT_MADE["send"], f"{place} is missing")
                    yield missing(alignment, index, lost.signature, lost.message, lost.cause)
                continue
            observed = _sent(entry)
            if observed is None:
                yield Check("data is not an event", f"{place}: {entry['data'][:80]!r} is not an event")
                continue
            check = compare(wanted, observed)
            yield replace(check, message=f"{place}: {check.message}") if check.signature else GOOD

    return _shown(requirement, examine)


def _shown(requirement: str, examine: Callable[[Alignment, str], Iterator[Check]]) -> Oracle:
    return Oracle(requirement, examine, any_of=frozenset({"data"}))


def _equal_marker(wanted: _Sent, observed: _Sent) -> Check:
    expected, seen = (MARKER_BITS.stored(each.header.flags) for each in (wanted, observed))
    if expected == seen:
        return GOOD
    heading = BoundaryType(expected).heading
    message = f"the flags have the marker {seen}, expected {expected}, {heading}"
    return _wrong(wanted.kind, DIFFERS, message, field="marker")


def _equal_event(wanted: _Sent, observed: _Sent) -> Check:
    """Compare all but the marker and the checksum, which have requirements of their own."""
    for name in ("type", "timestamp", "server_id", "log_pos"):
        expected, seen = getattr(wanted.header, name), getattr(observed.header, name)
        if expected != seen:
            message = f"{name} is {seen}, expected {expected}"
            # Those of a source's own events are made by it; the others are copied, whatever the type.
            own = wanted.kind if name == "type" or wanted.header.type in _OF_LOGS else ""
            return _wrong(own, DIFFERS, message, field=name)
    if wanted.flags != observed.flags:
        message = f"the flags are {observed.flags:#06x}, expected {wanted.flags:#06x}"
        return _wrong(wanted.kind, "differ", message, field="flags")
    body = wanted.rest[:-CHECKSUM_BYTES] if wanted.has_room_for_checksum else body_of(wanted.data)
    if body in (observed.rest, observed.rest[:-CHECKSUM_BYTES]):
        return GOOD
    if wanted.header.type == EventType.HEARTBEAT_V2 and equal_heartbeats(body, body_of(observed.data)):
        return GOOD
    message = f"the {len(observed.rest)} bytes of the body are not those expected"
    return _wrong(wanted.kind, DIFFERS, message, field="body")


def _equal_checksum(wanted: _Sent, observed: _Sent) -> Check:
    if wanted.is_checksummed == observed.is_checksummed:
        return GOOD
    if wanted.has_room_for_checksum and _announced(wanted) == ChecksumAlgorithm.NONE:
        return GOOD  # In a log without checksums it is left open.
    if wanted.is_checksummed:
        return _wrong(wanted.kind, "without a right checksum", "it does not end with the checksum of its bytes")
    return _wrong(wanted.kind, "with a checksum", "it ends with a checksum, which is not expected")


def _and_no_other(
    each: Oracle, is_of_kind: Callable[[_Sent], bool], what: str, *, by_themselves: bool = False
) -> Oracle:
    """Return an oracle that also finds events of a kind that are not expected.

    Args:
        each: The oracle of the expected events.
        is_of_kind: Returns whether an event is of the kind.
        what: The signature for one that is not expected.
        by_themselves: Look for them only where no event of another kind is unexpected: they follow from such events.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        yield from each.examine(alignment, requirement)
        if alignment.case.expected.refused_at is not None and alignment.observation.error is None:
            return  # What comes after an event that must not be sent is for the requirement on that.
        unexpected = list(_unexpected(alignment))
        if by_themselves and not all(is_of_kind(event) for _, event in unexpected):
            return
        for place, event in unexpected:
            if is_of_kind(event):
                yield Check(what, f"the {type_name(event.header.type)} event, number {place + 1} sent, is not expected")

    return _shown(each.requirement, examine)


def _unexpected(alignment: Alignment) -> Iterator[tuple[int, _Sent]]:
    """Yield the events that are not expected, each with its place in the answer."""
    for place in alignment.phantoms:
        event = _sent(alignment.observation.events[place])
        if event is not None:
            yield place, event


def _is_after_other_logs(alignment: Alignment, wanted: _Sent) -> bool:
    """Return whether an artificial Rotate may come after a log that is not expected.

    It has a checksum if the events of the log sent before it have.
    """
    return wanted.header.type == EventType.ROTATE and any(
        event.header.type == EventType.FORMAT_DESCRIPTION for _, event in _unexpected(alignment)
    )


def _is_beside_others(alignment: Alignment, wanted: _Sent) -> bool:
    """Return whether a sender that is asked by GTIDs sends transactions that are not expected.

    Then it takes the replica's set for another one, and so have the heartbeats after transactions that are left out
    other positions, and the format description another time of creation.
    """
    others = (event for _, event in _unexpected(alignment))
    return alignment.case.settings["gtid_set"] is not None and any(map(_is_of_transaction, others))


def _present(wanted: _Sent, observed: _Sent) -> Check:
    return GOOD


def _is_of_transaction(event: _Sent) -> bool:
    return event.header.type not in _OF_LOGS


def _is_of(*types: int) -> Callable[[_Sent], bool]:
    return lambda event: event.header.type in types


def _begins_at_position(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that the first event of the log that is sent is the one at the position asked for."""
    for index in alignment.marked(requirement):
        seen = alignment.observed(index)
        if seen is None:
            if alignment.fate(index) is not Fate.UNREACHED and not _lacks_others(alignment, index):
                words = f"{alignment.describe(index)} is missing"
                yield missing(alignment, index, "event at the position not sent", words)
            continue
        place = next(place for place, entry in enumerate(alignment.observation.events) if entry == seen)
        earlier = [at for at, event in _unexpected(alignment) if at < place and _is_of_transaction(event)]
        if earlier:
            yield Check("events before the position sent", f"{len(earlier)} events come before the one asked for")
        else:
            yield GOOD


def _lacks_others(alignment: Alignment, index: int) -> bool:
    """Return whether other events of the type of an expected one are not sent either, wherever they are."""
    types = [None if (each := _sent(entry)) is None else each.header.type for entry in alignment.case.expected.events]
    return any(
        types[other] == types[index] and alignment.observed(other) is None
        for other in range(alignment.count)
        if other != index
    )


def _begins_with_last_log(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that no log is sent of which the replica has every transaction, and of the next one's begin, too."""
    logs = -_first_log(alignment)
    yield Check("earlier log sent", f"{logs} logs are sent that are not expected") if logs > 0 else GOOD


def _sends_transactions(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that each transaction is sent that the replica lacks, and no other one."""
    if (logs := _first_log(alignment)) > 0:
        yield Check("log not sent", f"{logs} logs are missing that have transactions which the replica lacks")
    else:
        yield from _TRANSACTIONS.examine(alignment, requirement)


def _refuses(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that the connection ends with an error at the event that is not allowed, and at none that is not sent."""
    error, at = alignment.observation.error, alignment.case.expected.refused_at
    if at is None and error is None:
        yield GOOD
    elif at is None and error is not None:
        message = f"an error ({error.message}), expected none"
        yield Check("error at an event that is not sent", message, error.at, ended(alignment))
    elif error is None or any(_is_of_transaction(event) for _, event in _unexpected(alignment)):
        yield Check("no error", f"no error at offset {at}, where the gtid_mode forbids the event", at)
    elif "error_at" in alignment.role.abilities and error.at != at:
        yield Check("error at another event", f"the error is at offset {error.at}, expected {at}", at)
    else:
        yield GOOD


def _sends_nothing(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that an answer from a position which the log does not have is an error alone."""
    error, sent = alignment.observation.error, len(alignment.observation.events)
    position = alignment.case.settings["log_pos"]
    place = "before the first event" if position < FIRST else "beyond the end"
    if sent:
        message = f"{sent} events are sent from the position {position}, {place}"
        yield Check(f"events sent from a position {place}", message)
    elif error is None:
        yield Check("no error at a position that the log does not have", f"no error at {position}, {place}")
    else:
        yield GOOD


_GTIDS_SKIPPED: Final = "FORMAT-SEND-GTIDS-SKIPPED"
_TRANSACTIONS: Final = _and_no_other(
    _each(_GTIDS_SKIPPED, _present), _is_of_transaction, "transaction sent that the replica has"
)
ORACLES: Final = (
    _each("WL4162-SEND-ROTATE-IGNORE", _equal_marker, required=False),
    _each("WL4162-SEND-HEARTBEAT-SELF", _equal_marker, required=False),
    _each("WL4162-SEND-LOGGED-KEPT", _equal_marker, required=False),
    _each("WL4033-SEND-IGNORABLE", _equal_event),
    _each("WL7592-SEND-PREVIOUS-GTIDS", _equal_event),
    _each("WL7592-SEND-ANONYMOUS-GTIDS", _equal_event),
    _each("FORMAT-SEND-ROTATE", _equal_event),
    _each("FORMAT-SEND-FORMAT", _equal_event, passes_over=_is_beside_others),
    _shown("FORMAT-SEND-POSITION", _begins_at_position),
    _and_no_other(
        _each("FORMAT-SEND-HEARTBEAT", _equal_event, passes_over=_is_beside_others),
        _is_of(*HEARTBEAT_TYPES),
        "heartbeat sent without waiting",
        by_themselves=True,
    ),
    _each("FORMAT-SEND-CHECKSUM", _equal_checksum, required=False, passes_over=_is_after_other_logs),
    _shown(_GTIDS_SKIPPED, _sends_transactions),
    _shown("FORMAT-SEND-FIRST-LOG", _begins_with_last_log),
    _shown("FORMAT-SEND-MODE", _refuses),
    _shown("FORMAT-SEND-NO-POSITION", _sends_nothing),
    _and_no_other(
        _each("FORMAT-SEND-ANNOTATE-ROWS", _present),
        _is_of(EventType.MARIADB_ANNOTATE_ROWS),
        "Annotate_rows sent unasked",
    ),
)
