"""The causes of the failed checks on one answer, and of an answer that never came."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import TYPE_AT
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import (
    ACCEPTED,
    EXTRA_DATA_MISREAD,
    LENGTHS_IGNORED,
    MISSING,
    NOT_KNOWN,
    NOT_MADE,
    REFUSED,
    Cause,
    event_group,
    exact_name,
    group_of_entry,
    group_of_refusal,
    known_as,
    without_codes,
)
from conformance.oracles.checks.common_refusals import common_cause, crashed_at
from conformance.oracles.checks.ended_answers import ended, ends_list
from conformance.oracles.checks.events_held_back import HELD_BACK
from conformance.oracles.checks.flagged_events import FOR_FLAG, leaves_out_flagged, passed_over_for_flag
from conformance.oracles.checks.governing_formats import KEPT, misgoverned
from conformance.oracles.checks.kept_formats import KEPT_FORMAT, of_kept_formats
from conformance.oracles.checks.kept_lengths import KEPT_LENGTHS, of_kept_lengths
from conformance.oracles.checks.kept_tables import KEPT_TABLE, of_kept_tables
from conformance.oracles.checks.last_before_fault import is_lost, last_before_fault, lost
from conformance.oracles.checks.logged_structure import with_its_structure
from conformance.oracles.checks.miscounted_events import miscounted
from conformance.oracles.checks.misread_bodies import misread_bodies
from conformance.oracles.checks.misread_statements import OTHER_CHECKSUMS, misread_for_checksums
from conformance.oracles.checks.missing_tails import ENDS_SILENTLY, cause_of_gap
from conformance.oracles.checks.post_headers import EXTRA_DATA, LONGER, can_misread, finds_value
from conformance.oracles.checks.received_warnings import WARNED_LEFT_OUT, leaves_out_warned
from conformance.oracles.checks.remembered_begin import REMEMBERED, first_remembered
from conformance.oracles.checks.taken_ends import cause_of_taken_end
from conformance.oracles.differences import DECISIVE
from conformance.oracles.oracle import Check, wrong_end
from conformance.oracles.reasons import OF_CHECKSUM, OF_MEMORY, OF_RESOURCES, crash_reason, normalised, without_bounds
from conformance.protocol.observation import Trouble
from conformance.protocol.role import entry_type_name
from conformance.specs.run_record import TROUBLE
from conformance.strategies.grammar.case import Case

#: The requirement that an event with bytes to be passed over is made for -> what is wrong where they are not.
_UNKNOWN_BYTES: Final[Mapping[str, Cause]] = {LONGER: LENGTHS_IGNORED, EXTRA_DATA: EXTRA_DATA_MISREAD}
#: Roles in which a wrong answer follows from the one before it: the first failed check is the cause of all.
_CHAINED: Final = frozenset(DECISIVE)
#: The fields of an entry of these roles from which the others follow.
_LEADING: Final = (*DECISIVE.values(), "in_group", "skip_counter")
#: Roles in which an entry is missing where another one is asked about: what is at an error has the error's reason.
_ENDING: Final = _CHAINED | {"boundary"}
#: Roles whose entries are events that an implementation makes or copies: they have no place in the stream.
_OF_EVENTS_MADE: Final = frozenset({"relay", "send"})
#: The kind of a fault, and the requirement on it -> another requirement on the same: it is the event that is not whole,
#: whether the log ends too soon or the length is too large.
_SAME_FAULT: Final[Mapping[tuple[str, str], str]] = {
    ("truncated", "FORMAT-APPLY-LENGTH-WRONG"): "FORMAT-APPLY-TRUNCATED",
    ("truncated", "FORMAT-LENGTH-TOO-LARGE"): "FORMAT-TRUNCATED-BODY",
}
#: The kind of error that has no name of its own: nothing is wrong with the stream.
_OF_NO_KIND: Final = "other"
#: Role -> what such an error is in it, with the type of the event at which it comes.
_STOPS: Final[Mapping[str, str]] = {"apply": "stop at {}", "client": "error of the source", "send": "error"}
#: The same where it is the question that must be refused, before the first event.
_OF_QUESTION: Final[Mapping[str, str]] = {"apply": "refusal of the settings"}
#: How such an error is missing, in the words for faults -> in its own.
_OF_STOPS: Final[Mapping[str, str]] = {
    ACCEPTED: MISSING,
    f"{_OF_NO_KIND} not reported": "not reported",
    f"{_OF_NO_KIND} reported at the wrong offset": "at another place",
}
#: A requirement on resources -> the one on the same events that a crash for another reason breaks.
_NOT_OF_RESOURCES: Final[Mapping[str, str]] = {"FORMAT-COUNT-LIMITS": "FORMAT-BODY-MALFORMED"}
_SEVERAL: Final = "events of several types"
#: How the signature of a check ends on an event that an answer lacks.
_DROPPED: Final = f" {Fate.DROPPED.value}"
_OUT_OF_MEMORY: Final = "out of memory"
#: How a process ends that gives the reason on standard error; the kit's own limits need no further words.
_UNEXPLAINED_END: Final = re.compile("exit-status-|signal-|closed-its-output")


def causes(alignment: Alignment, checks: Sequence[Check]) -> list[Cause]:
    """Return the cause of each failed check on an answer."""
    if alignment.case.role in _OF_EVENTS_MADE:
        return _joined([_of_warned(alignment, _cause(alignment, check)) for check in checks])
    if alignment.case.role == "log":
        return [with_its_structure(alignment, _cause(alignment, check)) for check in checks]
    if alignment.case.role not in _CHAINED or not checks:
        return [_cause(alignment, check) for check in checks]
    return [_cause(alignment, min(checks, key=_leads))] * len(checks)


def _joined(every: Sequence[Cause]) -> list[Cause]:
    """Return causes, with one for all that differ in the type of the event alone: it does not depend on the type."""
    subjects: dict[Cause, set[str]] = defaultdict(set)
    for cause in every:
        subjects[replace(cause, subject="")].add(cause.subject)
    several = {cause for cause, types in subjects.items() if len(types - {""}) > 1}
    return [replace(each, subject=_SEVERAL) if replace(each, subject="") in several else each for each in every]


def _of_warned(alignment: Alignment, cause: Cause) -> Cause:
    """Return the cause of events that are not written, which is that they cause a warning if all of these are."""
    return WARNED_LEFT_OUT if cause.kind == NOT_MADE["relay"] and leaves_out_warned(alignment) else cause


def _leads(check: Check) -> tuple[float, int]:
    """Return the sort key of a check among those of a chain: its place, and how much follows from its field."""
    field = "" if check.cause is None else check.cause.field
    rank = _LEADING.index(field) if field in _LEADING else len(_LEADING)
    return float("inf") if check.at is None else check.at, rank


def obstacle(alignment: Alignment, indices: Sequence[int]) -> Cause | None:
    """Return why none of some expected events could be judged: a refusal before them, or a type that is not known.

    Args:
        alignment: The answer beside the expected one.
        indices: The indices of the events.
    """
    if alignment.astray is not None and any(index > alignment.astray for index in indices):
        return wrong_end(alignment)
    stop = alignment.stop
    if stop is not None and stop < alignment.count and any(index >= stop for index in indices):
        # Where a refusal is as good as the delivery, nothing is wrong that could be in the way.
        return None if stop in alignment.case.expected.tolerated else _refusal(alignment)
    for index in indices:
        if index < 0 or index >= alignment.count:
            continue
        if (single := _single_refusal(alignment, index)) is not None:
            return single
        if index in passed_over_for_flag(alignment):
            return FOR_FLAG
        if alignment.observed(index) is not None and alignment.is_unknown(index):
            return Cause(NOT_KNOWN, known_as(alignment.case.expected.events[index]))
    return None


def cause_of_trouble(case: Case, trouble: Trouble, charged: str) -> Cause:
    """Return the cause of an answer that never came.

    Args:
        case: The case.
        trouble: What came instead.
        charged: The requirement on the fault in the stream. It distinguishes crashes where the implementation gives no
            reason, or none but that memory or time is used up, for which the bytes are the reason.
    """
    if (place := crashed_at(case, trouble)) is not None:
        return Cause(f"{trouble.status} at a {place}")
    end, has_reason = _end_of(trouble)
    is_used_up = OF_RESOURCES.search(end) is not None
    is_at_fault = case.expected.refused_at is not None and charged != TROUBLE
    fault = charged if is_at_fault and (is_used_up or not has_reason) else ""
    if is_used_up and trouble.status == "crash":
        # How it ends depends on how much is asked for.
        end = _OUT_OF_MEMORY
    return Cause(f"{trouble.status} at {fault}" if fault else trouble.status, reason=without_bounds(end))


def _end_of(trouble: Trouble) -> tuple[str, bool]:
    """Return how the process ended, and whether that has a reason, which may be on its standard error alone."""
    named = _UNEXPLAINED_END.match(trouble.signature) is None
    reason = "" if named else crash_reason(trouble.detail)
    end = f"{trouble.signature}: {reason}" if reason else normalised(trouble.signature)
    return end, named or bool(reason)


def broken_by_crash(trouble: Trouble, charged: str) -> str:
    """Return the requirement that a crash at a fault breaks: another one where it uses up neither memory nor time.

    Args:
        trouble: The crash, or other trouble.
        charged: The requirement on the fault.
    """
    end, has_reason = _end_of(trouble)
    is_other = trouble.status == "crash" and has_reason and not OF_RESOURCES.search(end)
    return _NOT_OF_RESOURCES.get(charged, charged) if is_other else charged


def _cause(alignment: Alignment, check: Check) -> Cause:
    if check.cause == HELD_BACK:
        return HELD_BACK
    if check.at is not None and check.at in of_kept_formats(alignment):
        return KEPT_FORMAT
    if check.at is not None and check.at in of_kept_tables(alignment):
        return KEPT_TABLE
    if check.at is not None and check.at in misgoverned(alignment):
        return KEPT
    if check.at is not None and check.at in of_kept_lengths(alignment):
        return KEPT_LENGTHS
    if first_remembered(alignment) is not None:
        return REMEMBERED
    if check.at is not None and (of_end := cause_of_taken_end(alignment, check)) is not None:
        return of_end
    index = alignment.index_at(check.at)
    if index is not None and index in misread_for_checksums(alignment):
        return OTHER_CHECKSUMS
    if is_lost(alignment) and _is_at_last(alignment, check):
        return lost(alignment)
    if check.at is not None and (common := _common_refusal(alignment, check.at)) is not None:
        return common
    if ends_list(alignment, check):
        return ended(alignment)
    if (gap := _gap(alignment, check)) is not None:
        return gap
    if check.at is not None and (of_unknown := _of_unknown_bytes(alignment, check.at)) is not None:
        code = alignment.case.stream[check.at + TYPE_AT]
        if can_misread(code, check.cause) and not _is_at_its_place(alignment, check):
            return of_unknown
    elif check.at is not None and (of_body := misread_bodies(alignment).get(check.at)) is not None:
        return of_body
    if alignment.case.role == "apply" and (of_counting := miscounted(alignment, check.at)) is not None:
        return of_counting
    if _is_at_refusal(alignment, check):
        return _refusal(alignment)
    if check.cause is None and check.at is not None:
        index = alignment.index_at(check.at)
        if index is not None and index in passed_over_for_flag(alignment):
            return FOR_FLAG
        if index is not None and (single := _single_refusal(alignment, index)) is not None:
            return single
    expected = alignment.case.expected
    if expected.refused_at is not None and check.at == expected.refused_at and check.cause is None:
        return _of_fault(alignment, check)
    if check.cause is not None:
        return check.cause
    return _of_signature(alignment, check)


def _gap(alignment: Alignment, check: Check) -> Cause | None:
    """Return the cause of an event that is missing at the end of an answer without an error; None for another check."""
    index = alignment.index_at(check.at)
    if index is None or check.cause is not None or alignment.observation.error is not None:
        return None
    is_missing = alignment.observed(index) is None or check.signature.startswith(ENDS_SILENTLY)
    return cause_of_gap(alignment, index) if is_missing else None


def _is_at_last(alignment: Alignment, check: Check) -> bool:
    """Return whether a check is about the last expected entry, or has no place, as those of events that are made."""
    last = last_before_fault(alignment)
    return check.at is None or (last is not None and check.at == alignment.case.expected.events[last].get("offset"))


def _of_unknown_bytes(alignment: Alignment, at: int) -> Cause | None:
    """Return the cause of what is wrong at an event with bytes that a reader passes over; None for another event.

    A reader that takes their length for granted gets everything after them wrong, in ways that depend on the bytes. It
    does not leave out the event and go on.
    """
    expected, index = alignment.case.expected, alignment.index_at(at)
    if index is not None and alignment.fate(index) is Fate.DROPPED and alignment.read_on(index):
        return None
    causes = (
        _UNKNOWN_BYTES.get(requirement)
        for index, requirement in expected.made_for.items()
        if index < len(expected.events) and expected.events[index].get("offset") == at
    )
    return next(causes, None)


def _is_at_its_place(alignment: Alignment, check: Check) -> bool:
    """Return whether a check is about a value that is read at its place, wrongly, or about an event of such values."""
    index = alignment.index_at(check.at)
    if check.cause is None or index is None:
        return False
    differing = alignment.differing(index) if index < alignment.count else ()
    return finds_value(alignment, index, check.cause.field, alone=True) or (
        bool(differing) and all(finds_value(alignment, index, name) for name in differing)
    )


def _is_at_refusal(alignment: Alignment, check: Check) -> bool:
    """Return whether a check failed because the answer ends with an error that is not expected there."""
    error, stop, expected = alignment.observation.error, alignment.stop, alignment.case.expected
    if error is None or stop is None:
        return False
    if expected.refused_at is not None and error.at == expected.refused_at:
        return False
    if stop < alignment.count:
        place = expected.events[stop].get("offset")
        missing = alignment.observed(stop) is None and check.at is not None and check.at == place
        return missing or (alignment.case.role in _ENDING and check.at in (None, error.at))
    return expected.refused_at is None and check.cause is None and check.at in (None, error.at)


def _refusal(alignment: Alignment) -> Cause:
    """Return the cause of an error that is not expected: the event at which it is, and the reason that is given."""
    case, error, stop = alignment.case, alignment.observation.error, alignment.stop
    assert error is not None, "an answer without an error refuses nothing"
    assert stop is not None, "an error stops the reading somewhere"
    if case.role in _OF_EVENTS_MADE:
        return ended(alignment)
    at = error.at
    if at is None and stop < alignment.count:
        at = case.expected.events[stop].get("offset")
    return _refused(alignment, at, error.message or error.kind)


def _common_refusal(alignment: Alignment, at: int) -> Cause | None:
    """Return the cause that the refusal of the event at an offset has in common with others; None if it has none."""
    index = alignment.index_at(at)
    words = "" if index is None else alignment.refusal(index)
    return common_cause(alignment, at, normalised(words, alignment.case.stream)) if words else None


def _single_refusal(alignment: Alignment, index: int) -> Cause | None:
    """Return the cause of an expected event that is refused before the reading goes on; None for another one."""
    words = alignment.refusal(index)
    return _refused(alignment, alignment.case.expected.events[index].get("offset"), words) if words else None


def _refused(alignment: Alignment, at: int | None, words: str) -> Cause:
    case = alignment.case
    reason = normalised(words, case.stream)
    if at is not None and (common := common_cause(alignment, at, reason)) is not None:
        return common
    if at is None or not 0 < at < len(case.stream) - TYPE_AT:
        return Cause(REFUSED, "end of the stream", reason=reason)
    code = case.stream[at + TYPE_AT]
    if OF_CHECKSUM.search(reason) and code != EventType.FORMAT_DESCRIPTION:
        # Whether there is one is a matter of the log; that of a format description alone covers other bytes.
        return Cause(REFUSED, "event", reason=reason)
    group = next((group_of_entry(each) for each in case.expected.events if _is_typed(each, at)), event_group(code))
    subject, words = group_of_refusal(code, group, reason)
    return Cause(REFUSED, subject, reason=words)


def _is_typed(entry: Mapping[str, Any], at: int) -> bool:
    """Return whether an expected entry is that of the event at an offset, with its type."""
    return entry.get("offset") == at and entry.get("type") is not None


def _of_fault(alignment: Alignment, check: Check) -> Cause:
    case = alignment.case
    if (of_last := _of_last_event(alignment)) is not None:
        return of_last
    requirements, kind = governing(case), case.expected.refused_kind
    words = ACCEPTED if _is_accepted(alignment) else without_codes(check.signature)
    broken = f" ({_SAME_FAULT.get((kind, requirements[0]), requirements[0])})" if requirements else ""
    if kind == _OF_NO_KIND and (stop := _STOPS.get(case.id.role)):
        named = stop.format(_type_at_fault(case)) if case.expected.refused_at else _OF_QUESTION.get(case.id.role, stop)
        return Cause(_OF_STOPS.get(words, words), named + broken, role=case.id.role)
    return Cause(words, kind + broken)


def _type_at_fault(case: Case) -> str:
    """Return the name of the type of the event that must be refused; empty where there is no stream."""
    at = (case.expected.refused_at or 0) + TYPE_AT
    return exact_name(case.stream[at]) if at < len(case.stream) else ""


def _of_last_event(alignment: Alignment) -> Cause | None:
    """Return the cause of an error without a place about the last event before the fault; None for another."""
    error, events = alignment.observation.error, alignment.case.expected.events
    if error is None or error.at is not None or not events or alignment.observed(len(events) - 1) is None:
        return None
    words = normalised(error.message or error.kind, alignment.case.stream)
    return common_cause(alignment, events[-1]["offset"], words) if OF_MEMORY.search(words) else None


def _is_accepted(alignment: Alignment) -> bool:
    """Return whether the answer passes over the fault: it has events from there on, a later error, or none at all."""
    error, at = alignment.observation.error, alignment.case.expected.refused_at
    if error is None or at is None:
        return error is None
    # In the roles whose entries are events that are made, these are places in the answer.
    offsets = alignment.phantoms if alignment.about.aligned == "offset" else ()
    return (error.at is not None and error.at > at) or any(each >= at for each in offsets)


def governing(case: Case) -> list[str]:
    """Return the requirements on the event that must be refused, the one that the case is made for first."""
    refused = len(case.expected.events)
    marked = [requirement for requirement, indices in case.marks.items() if refused in indices]
    return sorted(marked, key=lambda requirement: requirement != case.focus)


def _of_signature(alignment: Alignment, check: Check) -> Cause:
    role = alignment.case.role
    if role == "client" and check.signature.endswith(_DROPPED) and leaves_out_flagged(alignment):
        return replace(FOR_FLAG, role=role)
    if role == "client":
        # It has no places: an event is known by its name alone.
        names = {entry_type_name(each): group_of_entry(each) for each in alignment.case.expected.events if each["type"]}
        name, _, how = check.signature.partition(" ")
        return Cause(without_codes(f"{names.get(name, name)} {how}".rstrip()), role=role)
    if role != "decode":
        return Cause(without_codes(check.signature), role=role)
    index = alignment.index_at(check.at)
    words = without_codes(check.signature)
    if index is None:
        return Cause(words)
    entry = alignment.case.expected.events[index]
    return Cause(words.replace(entry_type_name(entry), group_of_entry(entry)))
