"""The oracles of the role `send`: which events a source sends, those of its logs and those that it makes."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType, type_name
from conformance.binlog.header import TYPE_AT
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.sender.sender import REFUSED
from conformance.models.sender.sender_settings import FIRST
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import DIFFERS, NOT_MADE
from conformance.oracles.checks.ended_answers import ended, missing
from conformance.oracles.checks.passed_on_events import wrong
from conformance.oracles.checks.send_freedoms import equal_heartbeats
from conformance.oracles.checks.sent_events import OF_LOGS, Sent, announced, expected_events, first_log, sent_event
from conformance.oracles.checks.unsent_events import (
    groups_of,
    is_left_out_for_flag,
    refused_position,
    start_of_log,
    unsent,
)
from conformance.oracles.oracle import GOOD, Check, Oracle
from conformance.protocol.observation import Refusal
from conformance.protocol.roles.relay import body_of

_wrong: Final = partial(wrong, "send")
#: Compares the expected event with the observed one.
_Compare = Callable[[Sent, Sent], Check]
#: Returns whether an expected event, given its index, breaks a requirement where it is missing.
_Lost = Callable[[Alignment, int], bool]


def _nothing(alignment: Alignment, wanted: Sent) -> bool:
    return False


def _never(alignment: Alignment, index: int) -> bool:
    return False


def _if_left_out(alignment: Alignment, index: int) -> bool:
    """Return whether a source goes on without an event; one that ends with an error owes what comes after it."""
    return alignment.fate(index) is Fate.DROPPED


def _for_itself(alignment: Alignment, index: int) -> bool:
    """Return whether an event is missing by itself: neither with all of its group, nor for its size."""
    return unsent(alignment).cause(index) is None


def _for_flag(alignment: Alignment, index: int) -> bool:
    """Return whether an event is missing for its ignorable flag, as far as the answer shows it."""
    return _for_itself(alignment, index) and is_left_out_for_flag(alignment, index)


def _is_annotation(alignment: Alignment, index: int) -> bool:
    return expected_events(alignment)[index].header.type == EventType.MARIADB_ANNOTATE_ROWS


def _as_of_replica(alignment: Alignment, index: int) -> bool:
    """Return whether an event is missing as one of a transaction that the replica has."""
    lost = unsent(alignment)
    return index in lost.begun or index in lost.after_waits


def _each(
    requirement: str,
    compare: _Compare,
    *,
    lost: _Lost = _for_itself,
    passes_over: Callable[[Alignment, Sent], bool] = _nothing,
) -> Oracle:
    """Return the oracle that compares each marked event with the observed one.

    Args:
        requirement: The requirement's id.
        compare: Compares them.
        lost: Returns whether an event that is missing breaks the requirement.
        passes_over: Returns whether an expected event is not judged in an answer.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        # Where the first log is another one, so is what comes with it and after it.
        for index in () if first_log(alignment) else alignment.marked(requirement):
            wanted = expected_events(alignment)[index]
            if passes_over(alignment, wanted):
                continue
            place = f"the {type_name(wanted.header.type)} event, number {index + 1} of those sent"
            entry = alignment.observed(index)
            if entry is None:
                if alignment.fate(index) is not Fate.UNREACHED and lost(alignment, index):
                    own = _wrong(wanted.kind, NOT_MADE["send"], f"{place} is missing")
                    cause = unsent(alignment).cause(index) or own.cause
                    yield missing(alignment, index, own.signature, own.message, cause)
                continue
            observed = sent_event(entry)
            if observed is None:
                yield Check("data is not an event", f"{place}: {entry['data'][:80]!r} is not an event")
                continue
            check = compare(wanted, observed)
            yield replace(check, message=f"{place}: {check.message}") if check.signature else GOOD

    return _shown(requirement, examine)


def _shown(requirement: str, examine: Callable[[Alignment, str], Iterator[Check]]) -> Oracle:
    return Oracle(requirement, examine, any_of=frozenset({"data"}))


def _equal_marker(wanted: Sent, observed: Sent) -> Check:
    expected, seen = (MARKER_BITS.stored(each.header.flags) for each in (wanted, observed))
    if expected == seen:
        return GOOD
    heading = BoundaryType(expected).heading
    message = f"the flags have the marker {seen}, expected {expected}, {heading}"
    return _wrong(wanted.kind, DIFFERS, message, field="marker")


def _equal_event(wanted: Sent, observed: Sent) -> Check:
    """Compare all but the marker and the checksum, which have requirements of their own."""
    for name in ("type", "timestamp", "server_id", "log_pos"):
        expected, seen = getattr(wanted.header, name), getattr(observed.header, name)
        if expected != seen:
            message = f"{name} is {seen}, expected {expected}"
            # Those of a source's own events are made by it; the others are copied, whatever the type.
            own = wanted.kind if name == "type" or wanted.header.type in OF_LOGS else ""
            return _wrong(own, DIFFERS, message, field=name)
    if wanted.flags != observed.flags:
        message = f"the flags are {observed.flags:#06x}, expected {wanted.flags:#06x}"
        return _wrong(wanted.kind, "differ", message, field="flags")
    body = wanted.rest[:-CHECKSUM_BYTES] if wanted.has_room_for_checksum else body_of(wanted.data)
    if body in (observed.rest, observed.rest[:-CHECKSUM_BYTES]):
        return GOOD
    if wanted.header.type == EventType.HEARTBEAT_V2 and equal_heartbeats(body, body_of(observed.data)):
        return GOOD
    if wanted.header.type == EventType.FORMAT_DESCRIPTION and _differ_in_creation(body, observed.rest):
        times = (int.from_bytes(each[_CREATED], "little") for each in (observed.rest, body))
        message = "the time of creation is {}, expected {}".format(*times)
        return _wrong(wanted.kind, DIFFERS, message, field="created")
    message = f"the {len(observed.rest)} bytes of the body are not those expected"
    return _wrong(wanted.kind, DIFFERS, message, field="body")


#: The bytes of the body of a format description with the time of its creation.
_CREATED: Final = slice(52, 56)


def _differ_in_creation(body: bytes, rest: bytes) -> bool:
    """Return whether two format descriptions, the second with its checksum, differ in their time of creation alone."""
    same = rest[: _CREATED.start] + body[_CREATED] + rest[_CREATED.stop :]
    return body in (same, same[:-CHECKSUM_BYTES])


def _equal_checksum(wanted: Sent, observed: Sent) -> Check:
    if wanted.is_checksummed == observed.is_checksummed:
        return GOOD
    if wanted.has_room_for_checksum and announced(wanted) == ChecksumAlgorithm.NONE:
        return GOOD  # In a log without checksums it is left open.
    if wanted.is_checksummed:
        return _wrong(wanted.kind, "without a right checksum", "it does not end with the checksum of its bytes")
    return _wrong(wanted.kind, "with a checksum", "it ends with a checksum, which is not expected")


def _nowhere(alignment: Alignment) -> Collection[int]:
    return ()


def _and_no_other(
    each: Oracle,
    is_of_kind: Callable[[Sent], bool],
    what: str,
    *,
    by_themselves: bool = False,
    but: Callable[[Alignment], Collection[int]] = _nowhere,
) -> Oracle:
    """Return an oracle that also finds events of a kind that are not expected.

    Args:
        each: The oracle of the expected events.
        is_of_kind: Returns whether an event is of the kind.
        what: The signature for one that is not expected.
        by_themselves: Look for them only where no event of another kind is unexpected, and no transaction is missing:
            they follow from such events.
        but: Returns the places in an answer of events that another requirement accounts for.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        yield from each.examine(alignment, requirement)
        if alignment.case.expected.refused_at is not None and alignment.observation.error is None:
            return  # What comes after an event that must not be sent is for the requirement on that.
        unexpected = list(_unexpected(alignment))
        if by_themselves and (unsent(alignment).begun or not all(is_of_kind(event) for _, event in unexpected)):
            return
        others = but(alignment)
        for place, event in unexpected:
            if is_of_kind(event) and place not in others:
                yield Check(what, f"the {type_name(event.header.type)} event, number {place + 1} sent, is not expected")

    return _shown(each.requirement, examine)


def _unexpected(alignment: Alignment) -> Iterator[tuple[int, Sent]]:
    """Yield the events that are not expected, each with its place in the answer."""
    for place in alignment.phantoms:
        event = sent_event(alignment.observation.events[place])
        if event is not None:
            yield place, event


def _is_after_other_logs(alignment: Alignment, wanted: Sent) -> bool:
    """Return whether an artificial Rotate may come after a log that is not expected.

    It has a checksum if the events of the log sent before it have.
    """
    return wanted.header.type == EventType.ROTATE and any(
        event.header.type == EventType.FORMAT_DESCRIPTION for _, event in _unexpected(alignment)
    )


def _is_beside_others(alignment: Alignment, wanted: Sent) -> bool:
    """Return whether a sender that is asked by GTIDs sends transactions that are not expected, or lacks some.

    Then it takes the replica's set for another one, and so have the heartbeats after transactions that are left out
    other positions, and the format description another time of creation.
    """
    if alignment.case.settings["gtid_set"] is None:
        return False
    others = (event for _, event in _unexpected(alignment))
    return bool(unsent(alignment).begun) or any(map(_is_of_transaction, others))


def _present(wanted: Sent, observed: Sent) -> Check:
    return GOOD


def _is_of_transaction(event: Sent) -> bool:
    return event.is_of_transaction


def _is_of(*types: int) -> Callable[[Sent], bool]:
    return lambda event: event.header.type in types


def _begins_at_position(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that the first event of the log that is sent is the one at the position asked for.

    Where that is the end of the log, or has another requirement, it is marked with the Rotate that names the position.
    """
    if (refused := refused_position(alignment)) is not None:
        message = f"the position {alignment.case.settings['log_pos']}, which the log has, is refused"
        yield Check(refused.kind, f"{message}: {refused.reason}", cause=refused)
        return
    for index in alignment.marked(requirement):
        seen = alignment.observed(index)
        if seen is None:
            if index and _is_missing_at_position(alignment, index):
                words = f"{alignment.describe(index)} is missing"
                yield missing(alignment, index, "event at the position not sent", words)
            continue
        begins = _place_of_first(alignment, index)
        following = _bytes_from_position(alignment)
        earlier = [
            at
            for at, event in _unexpected(alignment)
            if at < begins and _is_of_transaction(event) and event.data not in following
        ]
        if earlier:
            yield Check("events before the position sent", f"{len(earlier)} events come before the one asked for")
        else:
            yield GOOD


def _place_of_first(alignment: Alignment, index: int) -> int:
    """Return the place in the answer of the first expected event of a log, from an index on; its end for none."""
    events = expected_events(alignment)
    logged = (at for at in range(index, alignment.count) if events[at].is_logged)
    first = next((seen for at in logged if (seen := alignment.observed(at)) is not None), None)
    answered = alignment.observation.events
    return next((place for place, entry in enumerate(answered) if entry == first), len(answered))


def _bytes_from_position(alignment: Alignment) -> bytes:
    """Return what the logs of a source hold from the position asked for on."""
    settings = alignment.case.settings
    return alignment.case.stream[start_of_log(settings) + settings["log_pos"] :]


def _is_missing_at_position(alignment: Alignment, index: int) -> bool:
    """Return whether the event at a position is not sent for its place alone."""
    is_reached = alignment.fate(index) is Fate.DROPPED
    return is_reached and not unsent(alignment).are_large and not _lacks_others(alignment, index)


def _lacks_others(alignment: Alignment, index: int) -> bool:
    """Return whether other events of the type of an expected one are not sent either, wherever they are."""
    types = [each.header.type for each in expected_events(alignment)]
    return any(
        types[other] == types[index] and alignment.observed(other) is None
        for other in range(alignment.count)
        if other != index
    )


def _in_earlier_logs(alignment: Alignment) -> Collection[int]:
    """Return the places of the groups without a GTID that a source sends too, which begins with too early a log."""
    if first_log(alignment) >= 0:
        return ()
    events = [each for each in map(sent_event, alignment.observation.events) if each is not None]
    if len(events) < len(alignment.observation.events):
        return ()
    anonymous = (group for group in groups_of(events) if events[group[0]].header.type == EventType.ANONYMOUS_GTID)
    return {place for group in anonymous for place in group}


def _begins_with_last_log(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that no log is sent of which the replica has every transaction, and of the next one's begin, too."""
    logs = -first_log(alignment)
    yield Check("earlier log sent", f"{logs} logs are sent that are not expected") if logs > 0 else GOOD


def _sends_transactions(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that each transaction is sent that the replica lacks, and no other one."""
    if (logs := first_log(alignment)) > 0:
        yield Check("log not sent", f"{logs} logs are missing that have transactions which the replica lacks")
        return
    yield from _TRANSACTIONS.examine(alignment, requirement)
    if not logs:
        yield from _leaves_out_stops(alignment)


def _leaves_out_stops(alignment: Alignment) -> Iterator[Check]:
    """Yield a failed check for each Stop that is sent after a transaction which is left out, as it has to be."""
    unexpected = list(_unexpected(alignment))
    if any(_is_of_transaction(event) for _, event in unexpected):
        return
    for place, event in unexpected:
        if event.header.type == EventType.STOP and event.data in alignment.case.stream:
            message = f"the STOP event, number {place + 1} sent, is to be left out with what comes before it"
            yield Check("STOP sent after a transaction that the replica has", message)


def _refuses(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that the connection ends with an error at the event that is not allowed, and at none that is not sent."""
    error, at = alignment.observation.error, alignment.case.expected.refused_at
    if at is None and error is None:
        yield GOOD
    elif at is None and error is not None:
        if _is_for_mode(alignment, error.at):
            message = f"an error ({error.message}), expected none"
            yield Check("error at an event that is not sent", message, error.at, ended(alignment))
    elif error is None or _goes_on_at(alignment, at):
        yield Check("no error", f"no error at offset {at}, where the gtid_mode forbids the event", at)
    elif "error_at" in alignment.role.abilities and error.at != at:
        message = f"the error is at offset {error.at}, expected {at}"
        yield Check("error at another event", message, at, ended(alignment) if _is_before(error, at) else None)
    else:
        yield GOOD


def _is_before(error: Refusal, at: int | None) -> bool:
    """Return whether an error ends what is sent before an offset: events between them are not sent either."""
    return error.at is not None and at is not None and error.at < at


def _goes_on_at(alignment: Alignment, at: int | None) -> bool:
    """Return whether a source sends what comes from an offset on, where it has to end with an error."""
    following = alignment.case.stream[at:]
    return any(_is_of_transaction(event) and event.data in following for _, event in _unexpected(alignment))


def _is_for_mode(alignment: Alignment, at: int | None) -> bool:
    """Return whether an error may be for the gtid_mode: with a place, where it is at an event that this forbids."""
    if "error_at" not in alignment.role.abilities or at is None:
        return refused_position(alignment) is None
    case = alignment.case
    code = case.stream[at + TYPE_AT] if 0 <= at < len(case.stream) - TYPE_AT else None
    return code in REFUSED.get(case.settings["gtid_mode"], ())


def _sends_nothing(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that an answer from a position which the log does not have is an error alone."""
    position = alignment.case.settings["log_pos"]
    place = "before the first event" if position < FIRST else "beyond the end"
    yield _error_alone(
        alignment,
        sent=(f"events sent from a position {place}", f"from the position {position}, {place}"),
        silent=("no error at a position that the log does not have", f"no error at {position}, {place}"),
    )


def _refuses_where_purged(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that an answer to a replica that lacks transactions of before the logs is an error alone."""
    lacks = "lacks transactions of before the first log"
    yield _error_alone(
        alignment,
        sent=("events sent although purged transactions are missing", f"to a replica that {lacks}"),
        silent=("no error where purged transactions are missing", f"no error, although the replica {lacks}"),
    )


def _error_alone(alignment: Alignment, *, sent: tuple[str, str], silent: tuple[str, str]) -> Check:
    """Return the check that an answer is an error and no event.

    Args:
        alignment: The answer beside the expected one.
        sent: If events are sent: the signature, and the words of the message after "... events are sent".
        silent: If there is no error: the signature and the message.
    """
    if alignment.observation.events:
        return Check(sent[0], f"{len(alignment.observation.events)} events are sent {sent[1]}")
    return Check(*silent) if alignment.observation.error is None else GOOD


_GTIDS_SKIPPED: Final = "FORMAT-SEND-GTIDS-SKIPPED"
_TRANSACTIONS: Final = _and_no_other(
    _each(_GTIDS_SKIPPED, _present, lost=_as_of_replica),
    _is_of_transaction,
    "transaction sent that the replica has",
    but=_in_earlier_logs,
)
ORACLES: Final = (
    _each("WL4162-SEND-ROTATE-IGNORE", _equal_marker, lost=_never),
    _each("WL4162-SEND-HEARTBEAT-SELF", _equal_marker, lost=_never),
    _each("WL4162-SEND-LOGGED-KEPT", _equal_marker, lost=_never),
    _each("WL4033-SEND-IGNORABLE", _equal_event, lost=_for_flag),
    _each("WL7592-SEND-PREVIOUS-GTIDS", _equal_event),
    _each("WL7592-SEND-ANONYMOUS-GTIDS", _equal_event),
    _each("FORMAT-SEND-ROTATE", _equal_event, lost=_if_left_out),
    _each("FORMAT-SEND-FORMAT", _equal_event, lost=_if_left_out, passes_over=_is_beside_others),
    _shown("FORMAT-SEND-POSITION", _begins_at_position),
    _and_no_other(
        _each("FORMAT-SEND-HEARTBEAT", _equal_event, lost=_if_left_out, passes_over=_is_beside_others),
        _is_of(*HEARTBEAT_TYPES),
        "heartbeat sent without waiting",
        by_themselves=True,
    ),
    _each("FORMAT-SEND-CHECKSUM", _equal_checksum, lost=_never, passes_over=_is_after_other_logs),
    _shown(_GTIDS_SKIPPED, _sends_transactions),
    _shown("FORMAT-SEND-FIRST-LOG", _begins_with_last_log),
    _shown("FORMAT-SEND-MODE", _refuses),
    _shown("FORMAT-SEND-NO-POSITION", _sends_nothing),
    _shown("FORMAT-SEND-PURGED", _refuses_where_purged),
    _and_no_other(
        _each("FORMAT-SEND-ANNOTATE-ROWS", _present, lost=_is_annotation),
        _is_of(EventType.MARIADB_ANNOTATE_ROWS),
        "Annotate_rows sent unasked",
    ),
)
