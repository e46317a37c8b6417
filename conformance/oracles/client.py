"""The oracles of the role `client`: what a replication client delivers, and where it would resume."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from operator import itemgetter
from typing import Any, Final

from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.gtid_set import GtidSet
from conformance.models.handshake.refusal import NO_EVENT_THERE, NO_SUCH_LOG, UNAWARE
from conformance.models.sender.sender import NO_SUCH_POSITION, PURGED
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.client_checksums import (
    TEXT_FOR_CHECKSUM,
    cause_of_name,
    cause_of_statement,
    differs_beyond_checksum,
    takes_text_for_checksum,
)
from conformance.oracles.checks.client_freedoms import has_own_error, is_of_log, lacks_end_alone, sent_again
from conformance.oracles.checks.client_gtids import (
    HAS_MORE,
    LACKS,
    NO_SET,
    cause_of_gtids,
    cause_of_numbers,
    wrong_gtids,
)
from conformance.oracles.checks.client_heartbeats import is_heartbeat, no_heartbeat
from conformance.oracles.checks.client_losses import has_lost_connection, loses_table
from conformance.oracles.checks.common_refusals import TAGS_REFUSED
from conformance.oracles.checks.flagged_events import FOR_FLAG, leaves_out_flagged, passed_over_for_flag
from conformance.oracles.checks.source_logs import names_of_logs
from conformance.oracles.counted import counted
from conformance.oracles.oracle import GOOD, Check, Oracle, fields, same_gtid_set
from conformance.oracles.reasons import normalised
from conformance.protocol.roles.client import is_end, kind_of, may_be_kept_back

_IGNORABLE: Final = "WL4033-CLIENT-IGNORABLE"
_POSITION: Final = "FORMAT-CLIENT-POSITION"
#: What a source answers to a client that asks for a wrong place.
_WRONG_PLACE: Final = (NO_SUCH_LOG, NO_SUCH_POSITION, NO_EVENT_THERE, PURGED)
#: A client that has the name of a log wrong is wrong after each event there, and once its connection is lost.
_WRONG_LOG: Final = "it would resume in a wrong log"
#: Events that it passes over for their flag are the cause of what it lacks then.
_PASSED_OVER: Final = replace(FOR_FLAG, role="client")
_TOO_EARLY, _TOO_LATE = "it would resume too early", "it would resume too late"


def _place(alignment: Alignment, index: int) -> str:
    entry = alignment.case.expected.events[index]
    if entry["type"] is None:
        return "at the end"
    return f"after the {type_name(entry['type'])} event that ends at {entry['log_pos']}"


def _checks_position(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check where the client would resume after the marked events, and the log that it asks for."""
    yield from (check for check in _stops(alignment) if check.signature == _WRONG_LOG)
    for index in alignment.marked(requirement):
        seen = alignment.observed(index)
        wanted = alignment.case.expected.events[index]
        if seen is None or "resume_pos" not in wanted:
            continue
        if wanted["type"] is None and any(alignment.observed(at) is None for at in _required(alignment, 0, index)):
            continue  # Where it is at the end follows from what is missing.
        expected, place = _position(wanted), _position(seen)
        if place == expected or _is_before_ignorable(alignment, index):
            yield GOOD
        else:
            message = f"{_place(alignment, index)} it would resume at {place}, expected {expected}"
            cause = cause_of_name(alignment, seen.get("resume_log")) or cause_of_statement(alignment, index)
            yield Check(_wrong_position(seen, wanted), message, cause=cause)


def _cause_of_position(alignment: Alignment, *wrong: str) -> Cause | None:
    """Return the cause of what follows from where the client would resume, if that is wrong in one of some ways."""
    for index in alignment.marked(_POSITION):
        seen, wanted = alignment.observed(index), alignment.case.expected.events[index]
        if seen is None or wanted["type"] is None or _position(seen) == _position(wanted):
            continue
        words = _wrong_position(seen, wanted)
        if words in wrong:
            return cause_of_name(alignment, seen.get("resume_log")) or Cause(words, role="client")
    return None


def _wrong_position(seen: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return what is wrong with a position, whatever the event is after which it is."""
    if seen.get("resume_log") != wanted["resume_log"]:
        return _WRONG_LOG
    position = seen.get("resume_pos")
    if position is None:
        return "it has no position"
    return _TOO_EARLY if position < wanted["resume_pos"] else _TOO_LATE


def _is_before_ignorable(alignment: Alignment, index: int) -> bool:
    """Return whether the client is, at the end, before ignorable events that it has not counted, and right before."""
    events, seen = alignment.case.expected.events, alignment.observed(index)
    if events[index]["type"] is not None or index not in alignment.marked(_IGNORABLE) or seen is None:
        return False
    earlier = [at for at in alignment.marked(_POSITION) if at < index and alignment.observed(at) is not None]
    if any(_position(alignment.observed(at)) != _position(events[at]) for at in earlier):
        return False
    ignorable = set(alignment.marked(_IGNORABLE))
    first = next(at for at in range(index - 1, -2, -1) if at not in ignorable)
    places = {events[at]["log_pos"] for at in range(max(first, 0), index - 1)}
    first_place = {alignment.case.settings["log_pos"]} if first < 0 else set()
    return seen.get("resume_log") == events[index]["resume_log"] and seen.get("resume_pos") in places | first_place


def _position(entry: Any) -> str:
    return f"{entry.get('resume_log')}:{entry.get('resume_pos')}"


def _goes_on(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that an unknown ignorable event does not end the answer, and that it is counted."""
    for index in alignment.marked(requirement):
        entry = alignment.case.expected.events[index]
        if entry["type"] is None:
            if _is_before_ignorable(alignment, index):
                message = (
                    f"at the end it would resume at {_position(alignment.observed(index))}, before ignorable events"
                )
                yield Check("ignorable event not counted", message)
            continue
        if _stops_at_ignorable(alignment, index):
            place = f"an ignorable event of type {entry['type']}{_or_after(alignment, index)}"
            yield Check("stops at an unknown ignorable event", f"it stops at {place}: {_error(alignment)}")
        else:
            yield GOOD
    doubled = [place for place in _twice(alignment) if may_be_kept_back(alignment.observation.events[place])]
    if doubled and len(doubled) == len(_twice(alignment)):
        message = "an ignorable event is delivered again after a lost connection"
        yield Check("ignorable event not counted", message, cause=_cause_of_position(alignment, _TOO_EARLY))


def _delivers_flagged(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that known events are delivered in spite of the ignorable flag."""
    for index in alignment.marked(requirement):
        if alignment.observed(index) is not None:
            yield GOOD
        elif not may_be_kept_back(alignment.case.expected.events[index]) and leaves_out_flagged(alignment):
            message = f"{alignment.describe(index)} has the ignorable flag and is missing"
            yield Check(FOR_FLAG.kind, message, cause=_PASSED_OVER)


#: Types of events that a client may keep back, and at whose GTIDs with tags it may stop as well.
_WITH_SETS: Final = frozenset({int(EventType.PREVIOUS_GTIDS), int(EventType.GTID_TAGGED)})


def _stops_at_ignorable(alignment: Alignment, index: int) -> bool:
    """Return whether the client stops at an unknown ignorable event, or has kept it back and stops after it.

    Where a connection was lost after it, nothing but its words shows that it does not stop for that.
    """
    stop, last, events = alignment.stop, _last(alignment), alignment.case.expected.events
    if (
        events[index]["type"] is None
        or not _stops_by_itself(alignment)
        or _asks_for_wrong_place(alignment)
        or _never_asks(alignment)
        or stop is None
        or stop > index
        or alignment.keeps_back(index)
        or _required(alignment, stop, index)
        or any(events[at]["type"] in _WITH_SETS for at in range(stop, index))
    ):
        return False
    before = [cut["index"] for cut in _cuts(alignment) if cut["index"] < index]
    if any(at >= last for at in before) and (alignment.observation.deliveries or 0) <= len(before):
        return False  # It has not come so far.
    is_lost_after = any(cut["index"] >= index for cut in _cuts(alignment))
    return not (is_lost_after and has_lost_connection(alignment))


def _or_after(alignment: Alignment, index: int) -> str:
    """Return the words for the event after an ignorable one at which a client that keeps that back may stop as well.

    A client that never delivers unknown events shows in no answer that it has passed one.
    """
    delivers = any(alignment.observed(at) is not None for at in alignment.marked(_IGNORABLE) if at < index)
    after = [at for at in _required(alignment, index + 1, alignment.count) if at < alignment.count - 1]
    if delivers or not after:
        return ""
    following = alignment.case.expected.events[after[0]]
    return f", or at the {type_name(following['type'])} event after it that ends at {following['log_pos']}"


def _last(alignment: Alignment) -> int:
    """Return the index of the last expected entry that was observed, -1 if none was."""
    return max((index for index in range(alignment.count) if alignment.observed(index) is not None), default=-1)


def _required(alignment: Alignment, first: int, end: int) -> list[int]:
    """Return the indices, from the first to before the end, of the events that a client must deliver."""
    events = alignment.case.expected.events
    return [
        index for index in range(first, end) if events[index]["type"] is None or not may_be_kept_back(events[index])
    ]


def _cuts(alignment: Alignment) -> Sequence[Mapping[str, Any]]:
    cuts: Sequence[Mapping[str, Any]] = alignment.case.settings["source"]["cuts"]
    return cuts


def _error(alignment: Alignment) -> str:
    return "" if alignment.observation.error is None else alignment.observation.error.message


def _asks_for_wrong_place(alignment: Alignment) -> bool:
    """Return whether the answer ends because the source does not have what the client asks for."""
    return any(words in _error(alignment) for words in _WRONG_PLACE)


def _never_asks(alignment: Alignment) -> bool:
    """Return whether the answer ends with an error, and the source had no event to send."""
    return _stops_by_itself(alignment) and alignment.observation.deliveries == 0


def _begins(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that the client asks for the log and the position in which it is to begin, or by its GTIDs."""
    first = next(iter(_required(alignment, 0, alignment.count)), alignment.count)
    is_first = _last(alignment) < 0 and (
        _never_asks(alignment) or not any(cut["index"] < first for cut in _cuts(alignment))
    )
    if is_first and _asks_for_wrong_place(alignment):
        settings = alignment.case.settings
        by_gtids = settings["gtid_set"] is not None
        place = "its GTIDs" if by_gtids else f"{settings['log_name']}:{settings['log_pos']}"
        yield Check("it begins at a wrong place", f"it does not begin at {place}: {_error(alignment)}")
    elif _last(alignment) < 0 and _never_asks(alignment):
        yield _asks_for_nothing(alignment)
    elif (unasked := _unasked(alignment)) and not _is_after_cut(alignment, unasked[0]):
        yield _asks_for_more(unasked)
    elif _last(alignment) >= 0:
        yield GOOD


def _asks_for_nothing(alignment: Alignment) -> Check:
    """Return the check of a client that ends before it asks: it has a reason of its own, as what it is to ask for."""
    words, asks = _error(alignment), alignment.case.settings["gtid_set"]
    cause = Cause("asks for no events", reason=normalised(words), role="client")
    if asks and ":" in asks and GtidSet.from_text(asks).tagged:
        cause = replace(TAGS_REFUSED, role="client")
    return Check("it asks for no events", f"it ends before it asks for any event: {words}", cause=cause)


def _unasked(alignment: Alignment) -> list[int]:
    """Return the places of the events that the client had at first, from before any connection was lost on."""
    if any(alignment.observed(index) is None for index in _required(alignment, 0, alignment.count)):
        return []
    known = {kind_of(entry) for entry in alignment.case.expected.events}
    events = alignment.observation.events
    more = [place for place in alignment.phantoms if kind_of(events[place]) not in known and not is_end(events[place])]
    return [place for place in more if not is_heartbeat(events[place]) and not is_of_log(events[place])]


def _is_after_cut(alignment: Alignment, place: int) -> bool:
    """Return whether what is there in some place has been sent after a connection was lost."""
    return any(place > cut["index"] for cut in _cuts(alignment))


def _asks_for_more(unasked: Sequence[int]) -> Check:
    more = f"{counted(len(unasked), 'event')} there besides all that it lacks"
    message = f"{more}, the first as number {unasked[0] + 1}"
    return Check("it asks for events that it has", message)


def _has_gtids(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check the GTIDs that the client has after each transaction."""
    sets = (entry.get("executed_gtids") for entry in reversed(alignment.case.expected.events))
    every = next((each for each in sets if each is not None), "")
    for index in alignment.marked(requirement):
        seen = alignment.observed(index)
        if seen is None:
            continue
        expected, has = alignment.case.expected.events[index]["executed_gtids"], seen.get("executed_gtids")
        if same_gtid_set(expected, has) or (_is_between(has, expected, every) and _doubled(alignment)):
            # At an event that comes a second time it has what came after the first.
            yield GOOD
        else:
            message = f"{_place(alignment, index)} it has the GTIDs {has!r}, expected {expected!r}"
            words = wrong_gtids(has, expected)
            cause = cause_of_numbers(has, expected) or cause_of_statement(alignment, index)
            if words == LACKS and leaves_out_flagged(alignment):
                cause = cause or _PASSED_OVER
            yield Check(words, message, cause=cause)


def _is_between(has: str | None, expected: str, every: str) -> bool:
    """Return whether a set of GTIDs, not the expected one, has all of that and nothing that the source never sends."""
    return wrong_gtids(has, expected) == HAS_MORE and wrong_gtids(every, has or "") == HAS_MORE


def _resumes(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that nothing is missing after a lost connection, and nothing there twice."""
    # A log that it asks for by a wrong name is a matter of its position.
    wrong = [check for check in _stops(alignment) if check.signature != _WRONG_LOG]
    wrong += _lost(alignment)
    if (unasked := _unasked(alignment)) and _is_after_cut(alignment, unasked[0]):
        wrong.append(_asks_for_more(unasked))
    if doubled := _doubled(alignment):
        message = f"{counted(len(doubled), 'event')} there twice, the first as number {doubled[0] + 1}"
        cause = cause_of_gtids(alignment, LACKS) or _cause_of_position(alignment, _TOO_EARLY, _WRONG_LOG)
        wrong.append(Check("events delivered twice", message, cause=cause))
    yield from wrong or [GOOD]


def _doubled(alignment: Alignment) -> list[int]:
    """Return the places of the events of groups that are delivered twice after a lost connection.

    A client that takes the error of its source for one is blamed for that.
    """
    events = alignment.observation.events
    if alignment.case.expected.refused_at is not None and alignment.observation.error is None:
        return []
    return [place for place in _twice(alignment) if not may_be_kept_back(events[place])] if _cuts(alignment) else []


def _stops(alignment: Alignment) -> Iterator[Check]:
    """Yield a check if the answer ends with an error where a connection was lost."""
    last = _last(alignment)
    cuts = sorted(_cuts(alignment), key=itemgetter("index")) if _stops_by_itself(alignment) else []
    for number, cut in enumerate(cuts, 1):
        if (alignment.observation.deliveries or 0) > number:
            # It was sent events again: it stops at one of them.
            continue
        if any(_stops_at_ignorable(alignment, index) for index in alignment.marked(_IGNORABLE)):
            continue
        if last <= cut["index"] and not _required(alignment, last + 1, cut["index"] + 1) and last >= 0:
            name = _log_at_end(alignment)
            words = _WRONG_LOG if name not in {*names_of_logs(alignment), ""} else "stops after a lost connection"
            message = f"it does not resume: {_error(alignment)}"
            # A source refuses to read a set that is none.
            cause = cause_of_name(alignment, name) or cause_of_gtids(alignment, NO_SET)
            if _asks_for_wrong_place(alignment):
                cause = cause or _cause_of_position(alignment, _TOO_EARLY, _TOO_LATE)
            yield Check(words, message, cause=cause)
            return


def _log_at_end(alignment: Alignment) -> Any:
    """Return the log in which the client is after all that it delivered, as it names it; empty if it names none.

    The last may be an event that need not be reported: the Rotate event with which a source names its next log.
    """
    names = (event.get("resume_log") for event in reversed(alignment.observation.events))
    return next((name for name in names if name is not None), "")


def _lost(alignment: Alignment) -> Iterator[Check]:
    """Yield a check for each lost connection at which events are missing.

    A single type that the client delivers nowhere is another matter, unless it has counted the transaction too early,
    or lost the table of rows; so are events that it passes over for their flag.
    """
    if has_own_error(alignment) or leaves_out_flagged(alignment):
        return
    events = alignment.case.expected.events
    delivered = {entry["type"] for entry in alignment.observed_entries()}
    end = alignment.count - (alignment.begun if lacks_end_alone(alignment) else 0)
    runs = [
        list(takewhile(lambda index: alignment.observed(index) is None, _required(alignment, cut["index"] + 1, end)))
        for cut in _cuts(alignment)
    ]
    missing = {index for index in _required(alignment, 0, end) if alignment.observed(index) is None}
    if missing - {index for run in runs for index in run}:
        return  # It lacks events that it had no reason to lose.
    for cut, run in zip(_cuts(alignment), runs, strict=True):
        types = {events[index]["type"] for index in run}
        is_explained = _counts_early(alignment, cut["index"]) or loses_table(alignment, cut["index"], run)
        if run and (len(types) > 1 or types & delivered or is_explained):
            first = f"the {type_name(events[run[0]]['type'] or 0)} event"
            what = f"{first} is missing" if len(run) == 1 else f"{len(run)} events are missing, the first one {first}"
            place = f"after the connection that was lost at {cut['log_name']}:{cut['log_pos']}"
            cause = _cause_of_position(alignment, _TOO_LATE)
            yield Check("events lost with the connection", f"{what}, {place}", cause=cause)


def _counts_early(alignment: Alignment, index: int) -> bool:
    """Return whether the client has the GTID of a transaction before the end of it, at an event or before."""
    events = alignment.case.expected.events
    last = next((at for at in range(index, -1, -1) if alignment.observed(at) is not None), None)
    has = None if last is None else (alignment.observed(last) or {}).get("executed_gtids")
    if last is None or has is None:
        return False
    before = alignment.case.settings["gtid_set"] or ""
    received = next((each for at in range(last, -1, -1) if (each := events[at].get("executed_gtids"))), before)
    return wrong_gtids(has, received) == HAS_MORE


def _twice(alignment: Alignment) -> list[int]:
    """Return the places of the events that are there once more than a client may deliver them."""
    known = {kind_of(entry) for entry in alignment.case.expected.events}
    free = sent_again(alignment)
    events = alignment.observation.events
    return [
        place
        for place in alignment.phantoms
        if place not in free and kind_of(events[place]) in known and not is_of_log(events[place])
    ]


def _stops_by_itself(alignment: Alignment) -> bool:
    """Return whether the answer ends with an error that is its own.

    One about checksums is a matter of their own, and so is that of a source which fails there.
    """
    return has_own_error(alignment) and UNAWARE not in _error(alignment)


def _joins_packets(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that an event of several packets is delivered, and what comes after it."""
    for index in alignment.marked(requirement):
        if alignment.observed(index) is not None:
            yield GOOD
            continue
        last = _last(alignment)
        before = any(at < index for at in alignment.marked(requirement))
        if last >= index - 1 or (before and last >= min(alignment.marked(requirement))):
            words = "what follows an event of several packets is missing" if before else "an event of 16 MiB is missing"
            yield Check(words, f"{alignment.describe(index)} is missing: {_error(alignment) or 'no error'}")
            return


def _stops_at_failure(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that an answer ends with the error of the source, by its number."""
    error, wanted = alignment.observation.error, alignment.case.expected.refused_code
    if error is None:
        last = _last(alignment)
        place = "before any event" if last < 0 else _place(alignment, last)
        yield Check(
            "the source's error is not reported",
            f"no error, although the source ends the dump with error {wanted} {place}",
        )
    elif not alignment.stops_at_fault:
        return  # It stops before.
    elif "error_code" in alignment.role.abilities and error.code != wanted:
        message = f"the error has the number {error.code}, that of the source {wanted}: {error.message}"
        yield Check("the source's error has another number", message)
    else:
        yield GOOD


def _is_wrong_otherwise(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether a statement is wrong in a way that has nothing to do with checksums.

    One that passes over an event for its flag has no statement of it; and what a checksum is taken for is the end.
    """
    seen = alignment.observed(index)
    return index in passed_over_for_flag(alignment) or (
        seen is not None and differs_beyond_checksum(alignment.case.expected.events[index][field], seen.get(field))
    )


def _takes_checksums(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check the statements, and that the source does not end the connection because of checksums."""
    error = alignment.observation.error
    if error is not None and UNAWARE in error.message:
        yield Check("checksums not announced", f"the source ends the connection: {error.message}")
        return
    if _last(alignment) >= 0 and not any("query" in entry for entry in alignment.case.expected.events):
        yield GOOD
    cause = TEXT_FOR_CHECKSUM if takes_text_for_checksum(alignment) else None
    statements = fields(requirement, "query", unless=_is_wrong_otherwise)
    for check in statements.examine(alignment, requirement):
        yield replace(check, cause=cause or check.cause) if check.signature else check


_PLACE: Final = frozenset({"resume_log", "resume_pos"})
ORACLES: Final = (
    Oracle("FORMAT-CLIENT-BEGIN", _begins, any_of=frozenset({"type"})),
    Oracle(_POSITION, _checks_position, any_of=_PLACE, needs=_PLACE),
    Oracle("FORMAT-CLIENT-GTIDS", _has_gtids, any_of=frozenset({"executed_gtids"})),
    Oracle("FORMAT-CLIENT-RESUMED", _resumes, any_of=frozenset({"type"})),
    Oracle("FORMAT-CLIENT-ERROR", _stops_at_failure, any_of=frozenset({"type"})),
    Oracle("FORMAT-CLIENT-PACKETS", _joins_packets, any_of=frozenset({"type"})),
    Oracle("FORMAT-CLIENT-CHECKSUM", _takes_checksums, any_of=frozenset({"query"})),
    Oracle("FORMAT-CLIENT-HEARTBEAT", no_heartbeat, any_of=frozenset({"type"})),
    Oracle(_IGNORABLE, _goes_on, any_of=frozenset({"type"})),
    Oracle("WL4033-CLIENT-KNOWN-FLAGGED", _delivers_flagged, any_of=frozenset({"type"})),
)
