"""The mutants of the role `apply`: appliers to relay logs in which an event cannot be read."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER, TYPE_AT
from conformance.binlog.servers import server_of
from conformance.models.replica.applier import Applier
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.apply import answer, answer_with


def _unverified(request: Request) -> Observation:
    rules = replace(server_of(request.profile).rules, verify_checksums=False)
    return answer_with(Applier, request, rules)


def _trusting_itself(request: Request) -> Observation:
    """Answer as an applier that does not verify the checksums of what it made itself."""
    observed = answer(request)
    at = _wrong_checksum(observed)
    is_own = at is not None and HEADER.unpack_from(request.stream, at)[2] == request.settings["server_id"]
    return _unverified(request) if is_own else observed


def _ending_at(*kinds: str) -> Callable[[Request], Observation]:
    """Return the answer of an applier that takes an event with some faults for the end of the relay log."""

    def answer_with_end(request: Request) -> Observation:
        observed = answer(request)
        ends = observed.error is not None and observed.error.kind in kinds
        return replace(observed, error=None) if ends else observed

    return answer_with_end


def _ending_at_malformed(*types: EventType) -> Callable[[Request], Observation]:
    """Return the answer of an applier that takes a malformed event of some types for the end of the relay log."""

    def answer_with_end(request: Request) -> Observation:
        observed = answer(request)
        error = observed.error
        ends = error is not None and error.kind == "malformed" and request.stream[(error.at or 0) + TYPE_AT] in types
        return replace(observed, error=None) if ends else observed

    return answer_with_end


def _skipping_unread(request: Request) -> Observation:
    """Answer as an applier that does not read the events that it skips, so that a malformed one is nothing to it."""
    observed = answer(request)
    skips = request.settings.get("skip_counter") and observed.events and observed.events[-1]["skip_counter"]
    unread = observed.error is not None and observed.error.kind == "malformed" and skips
    return replace(observed, error=None) if unread else observed


def _skipping_executed(request: Request) -> Observation:
    """Answer as an applier that takes an event of a group which it skips as executed for the end, if it is damaged."""
    observed = answer(request)
    last = observed.events[-1] if observed.events else {}
    skips = last.get("outcome") == "skipped" and last["in_group"] and not request.settings.get("skip_counter")
    return replace(observed, error=None) if skips and _cannot_read_on(observed) else observed


def _trusting_descriptions(request: Request) -> Observation:
    """Answer as an applier that takes a format description with a wrong checksum for the end of the relay log."""
    observed = answer(request)
    at = _wrong_checksum(observed)
    is_description = at is not None and request.stream[at + TYPE_AT] == EventType.FORMAT_DESCRIPTION
    return replace(observed, error=None) if is_description else observed


def _reading_ahead(request: Request) -> Observation:
    """Answer as an applier that reads the relay log to its end before it applies anything."""
    observed = answer(request)
    if observed.error is not None:
        return observed
    whole = answer(replace(request, settings={**request.settings, "until": None}))
    return replace(observed, error=whole.error) if _cannot_read_on(whole) else observed


def _applying_torn(request: Request) -> Observation:
    """Answer as an applier that applies what there is of the event within which the relay log ends."""
    observed = answer(request)
    if observed.error is None or observed.error.kind != "truncated" or not observed.events:
        return observed
    end = len(request.stream)
    torn = {**observed.events[-1], "offset": observed.error.at, "outcome": "applied", "relay_log_pos": end}
    return Observation((*observed.events, torn))


def _committing(request: Request) -> Observation:
    """Answer as an applier that commits the open group when it stops at an event that cannot be read."""
    observed = answer(request)
    if not _cannot_read_on(observed) or not observed.events[-1]["in_group"]:
        return observed
    *before, last = observed.events
    committed = {**last, "in_group": False, "transactions": last["transactions"] + 1}
    return replace(observed, events=(*before, committed))


def _losing_the_last(request: Request) -> Observation:
    """Answer as an applier that has not applied the event before one that cannot be read."""
    observed = answer(request)
    return replace(observed, events=observed.events[:-1]) if _cannot_read_on(observed) else observed


def _wrong_checksum(observed: Observation) -> int | None:
    """Return the offset of the event at which an applier stops for its checksum; None if it does not."""
    error = observed.error
    return error.at if error is not None and error.kind == "checksum" else None


def _cannot_read_on(observed: Observation) -> bool:
    """Return whether an applier stops after its last entry, at an event that it cannot read."""
    error = observed.error
    return error is not None and len(observed.events) > 1 and observed.events[-1]["offset"] != error.at


APPLY_DAMAGED_LOGS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-checksums-unverified",
        "FORMAT-APPLY-CHECKSUM-WRONG",
        "applies events whose checksum is wrong",
        answer=_unverified,
    ),
    Mutant(
        "apply-checksum-ends-log",
        "FORMAT-APPLY-CHECKSUM-WRONG",
        "takes an event whose checksum is wrong for the end of the relay log",
        answer=_ending_at("checksum"),
    ),
    Mutant(
        "apply-description-unverified",
        "FORMAT-APPLY-CHECKSUM-WRONG",
        "takes a format description whose checksum is wrong for the end of the relay log",
        answer=_trusting_descriptions,
    ),
    Mutant(
        "apply-own-checksums-unverified",
        "FORMAT-APPLY-CHECKSUM-WRONG",
        "does not verify the checksums of events that come back to the replica",
        answer=_trusting_itself,
    ),
    Mutant(
        "apply-length-ends-log",
        "FORMAT-APPLY-LENGTH-WRONG",
        "takes an event with a length that cannot be for the end of the relay log",
        answer=_ending_at("invalid-length"),
    ),
    Mutant(
        "apply-torn-event-ends-log",
        "FORMAT-APPLY-TRUNCATED",
        "takes an event that is not whole for the end of the relay log",
        answer=_ending_at("truncated"),
        also=("FORMAT-APPLY-LENGTH-WRONG",),
    ),
    Mutant(
        "apply-torn-event-applied",
        "FORMAT-APPLY-TRUNCATED",
        "applies what there is of an event that is not whole",
        answer=_applying_torn,
        also=("FORMAT-APPLY-LENGTH-WRONG",),
    ),
    Mutant(
        "apply-malformed-ends-log",
        "FORMAT-APPLY-BODY-MALFORMED",
        "takes an event with a malformed body for the end of the relay log",
        answer=_ending_at("malformed"),
    ),
    Mutant(
        "apply-malformed-incident-ends-log",
        "FORMAT-APPLY-BODY-MALFORMED",
        "takes an Incident with a malformed body for the end of the relay log",
        answer=_ending_at_malformed(EventType.INCIDENT),
    ),
    Mutant(
        "apply-malformed-prepare-ends-log",
        "FORMAT-APPLY-BODY-MALFORMED",
        "takes an XA_prepare with a malformed body for the end of the relay log",
        answer=_ending_at_malformed(EventType.XA_PREPARE),
    ),
    Mutant(
        "apply-skipped-unread",
        "FORMAT-APPLY-BODY-MALFORMED",
        "does not stop at a malformed event among those that it skips",
        answer=_skipping_unread,
    ),
    Mutant(
        "apply-executed-unread",
        "FORMAT-APPLY-TRUNCATED",
        "does not stop at an event that cannot be read in a group whose GTID is executed",
        answer=_skipping_executed,
        also=("FORMAT-APPLY-LENGTH-WRONG", "FORMAT-APPLY-CHECKSUM-WRONG"),
    ),
    Mutant(
        "apply-reads-ahead",
        "FORMAT-APPLY-EVENT",
        "stops with an error at an event that cannot be read after the position to stop at",
        answer=_reading_ahead,
    ),
    Mutant(
        "apply-group-committed-at-fault",
        "FORMAT-APPLY-TRUNCATED",
        "commits the open group at an event that cannot be read",
        answer=_committing,
        also=("FORMAT-APPLY-LENGTH-WRONG", "FORMAT-APPLY-CHECKSUM-WRONG", "FORMAT-APPLY-BODY-MALFORMED"),
    ),
    Mutant(
        "apply-event-lost-before-fault",
        "FORMAT-APPLY-EVENT",
        "has not applied the event before one that cannot be read",
        answer=_losing_the_last,
    ),
)
