"""The differences of an answer from the expected one: each with its place, its field and what is wrong.

Each value of an expected answer is owned by a requirement, or is free: see `conformance.oracles.freedoms`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.servers import server_of
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import MISSING, NOT_MADE, Cause, passed_on_name
from conformance.oracles.checks.announced_checksums import UNANNOUNCED, is_unannounced
from conformance.oracles.checks.boundary_steps import OF_STEP, own_steps, step_cause
from conformance.oracles.checks.boundary_steps import field_cause as boundary_field_cause
from conformance.oracles.checks.client_checksums import TEXT_FOR_CHECKSUM, takes_text_for_checksum
from conformance.oracles.checks.client_heartbeats import HEARTBEAT_DELIVERED, is_heartbeat
from conformance.oracles.checks.decided_statements import field_cause as decision_cause
from conformance.oracles.checks.filtered_groups import FATE, cause_of_fate
from conformance.oracles.checks.kept_values import KEPT_VALUE, kept_values
from conformance.oracles.checks.logged_causes import UNEXPECTED, logged_cause, place_of_missing
from conformance.oracles.checks.logged_event_comparisons import check_at, name_of, place_of
from conformance.oracles.checks.printed_facts import ROWS_FORM
from conformance.oracles.checks.received_warnings import cause_of_warnings
from conformance.oracles.checks.row_values import cause_of_rows
from conformance.oracles.checks.unsent_events import unsent
from conformance.oracles.checks.written_events import compared, unmarked, written
from conformance.oracles.oracle import Check, equal_values, field_cause, shown
from conformance.protocol.roles.decode import HEADER_FIELDS
from conformance.specs.catalogue import ENTRY, ERROR, EVERY_FIELD

Entry = Mapping[str, Any]

_NAMED: Final = frozenset(int(each) for each in EventType)
#: The field of a difference in the number of an error; entries have no field of this name.
ERROR_CODE: Final = "error.code"
#: Role in which a wrong entry follows from the one before it -> the field of an entry that decides about the others.
DECISIVE: Final = {"apply": "outcome", "filter": "fate"}
#: Roles in which each entry is judged by itself: it does not follow from those before it, or is compared with what
#: follows from them as they were answered.
_SEPARATE: Final = frozenset({"boundary", "decode"})
#: What a client delivers of the event itself.
_OF_EVENT: Final = frozenset({"timestamp", "server_id", "flags", "query"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One value of an answer that is not the expected one.

    Attributes:
        index: Index of the expected entry; the number of expected entries for the end of the answer.
        field: The field; `ENTRY` for an entry that is missing or not expected, `ERROR` for the end of the answer,
            `ERROR_CODE` for the number of its error.
        check: What is wrong.
        place: For an entry that is not expected: its index in the answer, or its offset where entries are aligned by
            offset.
    """

    index: int
    field: str
    check: Check
    place: int | None = None

    @property
    def owned_as(self) -> str:
        """The field under which the catalogue names its owner."""
        return ERROR if self.field == ERROR_CODE else self.field


def differences(alignment: Alignment) -> Iterator[Difference]:
    """Yield each difference from the expected answer, whether it is free or not.

    A field that the expected entry does not have is not asked for, but may not be that of an earlier one. Events after
    a refused one are not reached, and in a written log that cannot be read on neither is the event there: it is the log
    that is wrong.
    """
    for index, entry in enumerate(alignment.case.expected.events):
        fate = alignment.fate(index)
        seen = alignment.observed(index)
        if seen is not None:
            if index in alignment.untyped:
                yield Difference(index, "type", _untyped(alignment, index))
            yield from _of_entry(alignment, index, entry, seen)
            if index == alignment.lost:
                kind, message = _kind(alignment, entry), f"nothing is delivered after {alignment.describe(index)}"
                yield Difference(index, ENTRY, Check(f"stream ends silently after {kind}", message, entry["offset"]))
        elif fate is not Fate.UNREACHED and not (fate is Fate.REFUSED and alignment.about.answers_streams):
            words = alignment.refusal(index)
            becomes = f"{alignment.describe(index)} is {fate.value}"
            if alignment.case.role == "filter":
                becomes = f"{alignment.describe(index)} has no entry"  # What is dropped there has one.
            if fate is Fate.REFUSED and alignment.case.settings.get("form") == ROWS_FORM:
                becomes = f"the list ends before {alignment.describe(index)}"
            message = f"{becomes}{f': {words}' if words else ''}"
            cause = logged_cause(name_of(entry), MISSING) if alignment.about.answers_streams else None
            if fate is Fate.DROPPED:
                cause = cause or _loss_of_made(alignment, index, entry)
            at = place_of_missing(alignment, index) if alignment.about.answers_streams else entry.get("offset")
            signature = f"{_kind(alignment, entry)} {fate.value}"
            yield Difference(index, ENTRY, Check(signature, message, at, cause, log=entry.get("log", 0)))
    if alignment.case.role == "decode":
        yield from _of_kept_values(alignment)
    yield from _of_further_entries(alignment)
    yield from _of_the_end(alignment)


def _of_kept_values(alignment: Alignment) -> Iterator[Difference]:
    for index, name, value in kept_values(alignment):
        what = f"{alignment.describe(index)} has no {name}, and {shown(value)}, that of an earlier event, is reported"
        at = alignment.case.expected.events[index]["offset"]
        yield Difference(index, name, Check(f"{name} of an earlier event", what, at, KEPT_VALUE))


def _untyped(alignment: Alignment, index: int) -> Check:
    kind = _kind(alignment, alignment.case.expected.events[index])
    message = f"{alignment.describe(index)} is delivered without its type"
    # One class for all types that a client does not know is one cause, whatever the events are.
    cause = Cause("without its type", "event", role=alignment.case.role)
    return Check(f"{kind} without its type", message, cause=cause)


def _loss_of_made(alignment: Alignment, index: int, entry: Entry) -> Cause | None:
    """Return the cause where an event that is sent or written is missing, as requirements on such events name it."""
    role, code = alignment.case.role, alignment.about.type_of(entry)
    if role not in NOT_MADE or code is None:
        return None
    if role == "send" and (common := unsent(alignment).cause(index)) is not None:
        return common
    return Cause(NOT_MADE[role], passed_on_name(code, server_of(alignment.case.id.profile).rules.known), role=role)


def _kind(alignment: Alignment, entry: Entry) -> str:
    """Return the kind of an entry as in a signature: all types without a name share one."""
    return alignment.about.kind(entry) if entry.get("type", 0) in _NAMED else "unassigned type"


def _of_entry(alignment: Alignment, index: int, entry: Entry, seen: Entry) -> Iterator[Difference]:
    # The kit reads answered streams itself, with every field.
    every = alignment.about.answers_streams
    is_boundary = alignment.case.role == "boundary"
    if not is_boundary and not every and not alignment.differing(index):
        return
    for name, wanted in (own_steps(alignment).entries[index] if is_boundary else entry).items():
        if not (every or name in alignment.declared):
            continue
        value = seen.get(name)
        if equal_values(wanted, value):
            continue
        message = f"{alignment.describe(index)}: {name} is {shown(value)}, expected {shown(wanted)}"
        kind = _kind(alignment, entry)
        signature = f"{kind} not known" if (name, value) == ("handled", "ignored") else f"{name} of {kind} differs"
        cause = _cause_of_field(alignment, index, name, value)
        # An expected entry of a written log has no offset of its own.
        at = seen.get("offset") if every else entry.get("offset")
        check = (
            _of_written(alignment, index, entry, seen) if name == "data" and alignment.case.role == "relay" else None
        )
        log = seen.get("log", 0) if every else 0
        yield Difference(index, name, check or Check(signature, message, at, cause, log=log))


def _cause_of_field(alignment: Alignment, index: int, name: str, value: Any) -> Cause:
    role = alignment.case.role
    if role == "boundary":
        return _boundary_cause(alignment, index, name)
    own = _CAUSES.get((role, EVERY_FIELD)) or _CAUSES.get((role, name))
    of_own = None if own is None else own(alignment, index)
    return of_own or field_cause(alignment, index, name, value)


def _of_text(alignment: Alignment, index: int) -> Cause | None:
    return TEXT_FOR_CHECKSUM if takes_text_for_checksum(alignment) else None


def _of_warning(alignment: Alignment, index: int) -> Cause | None:
    return cause_of_warnings(alignment)


#: The role, and the field that is wrong -> what returns the cause, if it is not that of a wrong field in any role.
_CAUSES: Final[Mapping[tuple[str, str], Callable[[Alignment, int], Cause | None]]] = {
    ("decide", EVERY_FIELD): decision_cause,
    ("filter", FATE): cause_of_fate,
    ("decode", "rows"): cause_of_rows,
    ("client", "query"): _of_text,
    ("relay", "warning"): _of_warning,
}


def _of_written(alignment: Alignment, index: int, entry: Entry, seen: Entry) -> Check | None:
    """Return what is wrong with an event of a relay log; None if one of the two is not an event."""
    wanted, observed = written(entry), written(seen)
    if wanted is None or observed is None:
        return None
    # A wrong checksum counts as part of the body.
    is_same = observed.body.startswith(wanted.body) and is_unannounced(alignment, index)
    case = alignment.case
    own = {"profile": case.id.profile, "server_id": case.settings["server_id"]}
    check = UNANNOUNCED if is_same else compared(wanted, observed, **own)
    return replace(check, message=f"{alignment.describe(index)}: {check.message}") if check.cause else None


def _boundary_cause(alignment: Alignment, index: int, name: str) -> Cause:
    of_step = step_cause(alignment, index) if name in OF_STEP else None
    return of_step or boundary_field_cause(alignment, index, name)


def _of_further_entries(alignment: Alignment) -> Iterator[Difference]:
    by_offset = alignment.about.aligned == "offset"
    for place in alignment.phantoms:
        if alignment.about.answers_streams:
            entry = alignment.observation.events[place]
            name, message = name_of(entry), f"{place_of(entry)} should not be there"
            logged = check_at(entry, f"{name} not expected", message, logged_cause(name, UNEXPECTED))
            yield Difference(alignment.count, ENTRY, logged, place)
            continue
        where = f"at offset {place}" if by_offset else f"as number {place + 1}"
        check = _unmarked_of_relay(alignment, place, where) or Check(
            f"{alignment.about.noun} not expected", f"an entry {where} is not expected", place if by_offset else None
        )
        yield Difference(alignment.count, ENTRY, check, place)
    if alignment.disordered is not None:
        message = f"the event at offset {alignment.disordered} is there twice, or comes after a later one"
        yield Difference(alignment.count, ENTRY, Check("events out of order", message, alignment.disordered))


def _unmarked_of_relay(alignment: Alignment, place: int, where: str) -> Check | None:
    """Return what is wrong with an event that a replica began a relay log with of its own accord, unmarked."""
    if alignment.case.role != "relay":
        return None
    check = unmarked(alignment.observation.events[place], server_id=alignment.case.settings["server_id"])
    return None if check is None else replace(check, message=f"the entry {where}: {check.message}")


def _of_the_end(alignment: Alignment) -> Iterator[Difference]:
    expected, error, end = alignment.case.expected, alignment.observation.error, alignment.count
    at = expected.refused_at
    if alignment.refuses_fault:
        return  # What the reader makes of the bytes after the fault is not judged.
    if error is None:
        if at is not None:
            message = f"no error at offset {at} ({expected.refused_kind})"
            yield Difference(end, ERROR, Check("no error", message, at))
        return
    if at is None and not _is_at_missing_entry(alignment):
        message = f"an error is not expected: {error.message}"
        yield Difference(end, ERROR, Check("error not expected", message, error.at))
    elif at is not None and _has_place(alignment) and error.at != at:
        message = f"the error is reported at offset {error.at}, expected {at}"
        yield Difference(end, ERROR, Check("error at the wrong offset", message, at))
    if at is not None and _is_the_expected(alignment) and error.code != expected.refused_code:
        message = f"the error has the number {error.code}, expected {expected.refused_code}"
        yield Difference(end, ERROR_CODE, Check("error number differs", message, at))


def _is_the_expected(alignment: Alignment) -> bool:
    """Return whether the number of the error is asked: that of a client which stops before is not its source's."""
    is_own = alignment.case.role == "client" and not alignment.stops_at_fault
    return "error_code" in alignment.role.abilities and not is_own


def _has_place(alignment: Alignment) -> bool:
    """Return whether the error should have the place of the fault; that of a client is about none of its events."""
    return "error_at" in alignment.role.abilities and alignment.case.role != "client"


def _is_at_missing_entry(alignment: Alignment) -> bool:
    """Return whether the answer stops with an error at an expected entry that it lacks, which is a difference too."""
    stop = alignment.stop
    return (
        not alignment.about.answers_streams
        and stop is not None
        and stop < alignment.count
        and alignment.observed(stop) is None
    )


def first_of_chain(role: str, every: Iterable[Difference]) -> list[Difference]:
    """Return differences without those that follow from the first, in a role in which entries follow from each other.

    They come in the order of their entries, and none after the first entry with one is asked for. What becomes of an
    event decides about the other fields of its entry too.
    """
    at_first = next((list(of_entry) for _, of_entry in groupby(every, key=attrgetter("index"))), [])
    return [each for each in at_first if each.field == DECISIVE[role]] or at_first


def accounted(alignment: Alignment, difference: Difference, failed: list[Check]) -> bool:
    """Return whether a failed check accounts for a difference.

    Where entries follow from each other, one failed check accounts for all: what comes after is its consequence. What
    an applier has wrong before is not, and the check is then a consequence of that. Where each is judged by itself, a
    check accounts for the entry that it is about, and for the end of the answer. A check of the header, which is read
    by itself, accounts for nothing in the body, nor for a boundary parser's step. The warnings of a receiver follow
    from which events it queues, and not from how it writes them.
    """
    if alignment.case.role == "client":
        return _accounted_of_client(alignment, difference, failed)
    if alignment.case.role == "apply" and (at := difference.check.at) is not None:
        return any(check.at is None or check.at <= at for check in failed)
    if (alignment.case.role, difference.field) == ("relay", "warning") and _has_every_entry(alignment):
        return any(check.cause == difference.check.cause for check in failed)
    if alignment.case.role not in _SEPARATE or difference.index == alignment.count:
        return bool(failed)
    offset = alignment.case.expected.events[difference.index]["offset"]
    if alignment.case.role == "boundary":
        by_itself = difference.field in OF_STEP
        return any(check.at == offset and not (by_itself and not _is_about(check, OF_STEP)) for check in failed)
    in_body = difference.field not in (*HEADER_FIELDS, ENTRY)
    return any(check.at == offset and not (in_body and _is_about(check, HEADER_FIELDS)) for check in failed)


def _has_every_entry(alignment: Alignment) -> bool:
    """Return whether an answer has each expected entry, and no other."""
    fates = map(alignment.fate, range(alignment.count))
    return not alignment.phantoms and all(fate is Fate.DELIVERED for fate in fates)


def _accounted_of_client(alignment: Alignment, difference: Difference, failed: list[Check]) -> bool:
    """Return whether a failed check accounts for a difference of what a client delivers.

    The fields of an event do not follow from where the client resumes, nor from other events. That it delivers
    heartbeats, as most clients do, accounts for these alone.
    """
    if difference.field in _OF_EVENT:
        return any(_is_about(check, (difference.field,)) for check in failed)
    if difference.place is not None and is_heartbeat(alignment.observation.events[difference.place]):
        return bool(failed)
    return any(check.signature != HEARTBEAT_DELIVERED for check in failed)


def _is_about(check: Check, fields: Collection[str]) -> bool:
    return check.cause is not None and check.cause.field in fields
