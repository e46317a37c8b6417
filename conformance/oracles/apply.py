"""The oracles of the role `apply`: the outcome of each event, the applier's position, and why it stopped."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.binlog.reader import framed_event
from conformance.models.replica.failed_drop import CANNOT_LOG_PARTIAL_DROP, failure_message
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.checks.apply_freedoms import is_of_ended_group
from conformance.oracles.checks.last_before_fault import COMMITTED, OF_COMMIT, commits, is_lost, last_before_fault
from conformance.oracles.oracle import GOOD, Check, Oracle, both, delivered, fields, same_field, same_gtid_set

#: Examines the entry of the event at which the applier stops, given by its index; None if the answer has no such
#: entry.
_AtStop = Callable[[Alignment, int], Check | None]
#: Returns whether a field of an entry, given by its index, shows nothing of a requirement.
_Unless = Callable[[Alignment, int, str], bool]

#: The fields that count: each entry has what the one before has, and what its own event adds.
_CARRIED: Final = frozenset({"in_group", "gtid", "executed_gtids", "transactions"})
#: The outcomes that do not depend on an event's type.
_BESIDE: Final = frozenset({"skipped", "until"})


def _entries(requirement: str, *names: str, unless: _Unless | None = None) -> Oracle:
    """Return the oracle that checks that the marked entries are there and that some fields are equal."""
    return both(fields(requirement, *names, unless=unless or _at_fault), delivered(requirement, unless=_lost_at_fault))


def _is_wrong(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether a field of an entry is there and not as expected."""
    expected, seen = alignment.case.expected.events[index], alignment.observed(index)
    return seen is not None and field in seen and not same_field(field, expected.get(field), seen[field])


def _at_fault(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether a field is wrong because the open group is committed at an event that cannot be read."""
    return field in OF_COMMIT and index == last_before_fault(alignment) and commits(alignment)


def _lost_at_fault(alignment: Alignment, index: int) -> bool:
    """Return whether an entry is missing because it is the last before an event that cannot be read."""
    return index == alignment.count - 1 and is_lost(alignment)


def _of_others(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether a field shows nothing of how the applier takes an event of this type.

    What is counted may have been wrong before the event; and it may be skipped, or not be reached, for the sake of the
    skip counter, of an executed GTID or of the position to stop at, which have requirements of their own. So has what
    becomes of an open group at an event that cannot be read. A statement that commits implicitly may end its group.
    """
    if _at_fault(alignment, index, field) or is_of_ended_group(alignment, index, field):
        return True
    seen = alignment.observed(index)
    if field == "outcome":
        return seen is not None and seen.get(field) in _BESIDE
    return (
        field in _CARRIED
        and index > 0
        and (_is_wrong(alignment, index - 1, field) or (seen or {}).get("outcome") in _BESIDE)
    )


def _does_not_stop(alignment: Alignment, index: int) -> bool:
    """Return whether an event is not the one before which the position to stop at is reached."""
    return bool(alignment.case.expected.events[index]["outcome"] != "until")


def _of_no_stop(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether the applier neither stops nor has to stop before an event."""
    return _does_not_stop(alignment, index) and not _not_taken(alignment, index, field)


def _not_taken(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether the applier stops before an event, so that its position is rightly not after it."""
    return (alignment.observed(index) or {}).get("outcome") == "until"


def _not_passed(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether the applier does not get past an event, for a stop position or with an error."""
    return (alignment.observed(index) or {}).get("outcome") in ("until", "failed")


def _not_skipped(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether a field shows nothing of the skip counter, as the applier stops before the event."""
    return _not_taken(alignment, index, field) or _at_fault(alignment, index, field)


def _of_outcome(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether a group is not logged, or logged, because of what becomes of it.

    It is applied where it should be skipped, or ends where it should not, or the reverse.
    """
    return _is_wrong(alignment, index, "outcome") or _is_wrong(alignment, index, "in_group")


def _stopped(alignment: Alignment, index: int) -> Check:
    """Check that the applier stops with an error at an event and applies nothing after it."""
    event = alignment.case.expected.events[index]
    what, at = alignment.describe(index), event["offset"]
    error = alignment.observation.error
    seen = alignment.observed(index)
    if (seen is not None and seen["outcome"] != "failed") or any(each > at for each in alignment.phantoms):
        return Check("applied despite the error", f"{what} is applied, but the applier should stop there", at)
    if error is None:
        return Check("no error", f"the applier ends at {what} without an error", at)
    if "error_at" in alignment.role.abilities and error.at != at:
        return Check("error at the wrong offset", f"the error is reported at offset {error.at}, expected at {what}", at)
    return GOOD


def _unreadable(requirement: str, *abilities: str) -> Oracle:
    """Return the oracle that checks that the applier stops at the event that cannot be read."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        expected, error = alignment.case.expected, alignment.observation.error
        at, what = expected.refused_at, expected.refused_kind
        if at is None or alignment.fate(alignment.count) is Fate.UNREACHED:
            return
        beyond = [
            entry["offset"]
            for entry in alignment.observation.events
            if entry["offset"] > at or (entry["offset"] == at and entry["outcome"] != "failed")
        ]
        if beyond:
            message = f"there is an event at offset {beyond[0]}, but the one at {at} cannot be read ({what})"
            yield Check(f"goes on after {what}", message, at)
        elif error is None:
            yield Check(f"{what} not reported", f"the applier ends at offset {at} without an error ({what})", at)
        elif "error_at" in alignment.role.abilities and error.at != at:
            message = f"the error is reported at offset {error.at}, but the fault is at {at} ({what})"
            yield Check(f"{what} reported at the wrong offset", message, at)
        elif commits(alignment):
            message = f"the group that is open at offset {at} is committed, although the event there cannot be read"
            before = alignment.case.expected.events[alignment.count - 1]["offset"]
            yield Check("group committed at the fault", message, before, COMMITTED)
        else:
            yield GOOD

    return Oracle(requirement, examine, abilities=frozenset(abilities))


def _at_stop(
    requirement: str,
    *further: _AtStop,
    needs: tuple[str, ...] = (),
    abilities: tuple[str, ...] = (),
    asks_more: bool = False,
) -> Oracle:
    """Return the oracle that checks that the applier stops at the marked event, and then makes further checks.

    Args:
        requirement: The requirement's id.
        *further: The further checks.
        needs: The fields that they need.
        abilities: The abilities that they need.
        asks_more: Whether they check more than the expected entries hold.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            if alignment.fate(index) is Fate.UNREACHED:
                continue
            stopped = _stopped(alignment, index)
            if stopped.signature or not further:
                yield stopped
                continue
            yield from (check for examined in further if (check := examined(alignment, index)) is not None)

    return Oracle(requirement, examine, needs=frozenset(needs), abilities=frozenset(abilities), asks_more=asks_more)


def _counter_refused(requirement: str) -> Oracle:
    """Return the oracle that checks that the skip counter is refused, and nothing applied."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for _ in alignment.marked(requirement):
            if alignment.observation.events:
                yield Check("applied despite the error", "events are applied, but the skip counter should be refused")
            elif alignment.observation.error is None:
                yield Check("no error", "the skip counter is taken without an error")
            else:
                yield GOOD

    return Oracle(requirement, examine)


def _stops_or_goes_on(requirement: str) -> Oracle:
    """Return the oracle that checks that the applier stops at those marked events where it should, and no others."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            event, seen = alignment.case.expected.events[index], alignment.observed(index)
            if event["outcome"] == "failed":
                if alignment.fate(index) is not Fate.UNREACHED:
                    yield _stopped(alignment, index)
            elif seen is None or seen["outcome"] != event["outcome"]:
                what = "no entry" if seen is None else f"the outcome {seen['outcome']!r}"
                message = f"{alignment.describe(index)} has {what}, expected {event['outcome']!r}"
                yield Check("not applied", message, event["offset"])
            else:
                yield GOOD

    return Oracle(requirement, examine)


def _field(alignment: Alignment, index: int, name: str) -> Any:
    """Return the answered value of a field, None if there is no entry or no such field in it."""
    seen = alignment.observed(index)
    return None if seen is None else seen.get(name)


def _anonymous_each(alignment: Alignment, index: int) -> Check | None:
    statements = _field(alignment, index, "logged_statements")
    gtids = _field(alignment, index, "logged_anonymous_gtids")
    at = alignment.case.expected.events[index]["offset"]
    if statements is None or gtids is None:
        return None
    if not statements and alignment.case.expected.events[index]["logged_statements"]:
        return Check("nothing logged", "the dropped tables are not in the replica's own log", at)
    message = f"{gtids} Anonymous_gtid events for {statements} DROP statements in the replica's own log"
    return GOOD if gtids == statements else Check("wrong number of Anonymous_gtid events", message, at)


def _nothing_logged(alignment: Alignment, index: int) -> Check:
    statements = _field(alignment, index, "logged_statements")
    message = f"{statements} statements are in the replica's own log, but there is one GTID"
    at = alignment.case.expected.events[index]["offset"]
    return Check("statements logged", message, at) if statements else GOOD


def _gtid_unused(alignment: Alignment, index: int) -> Check | None:
    event = alignment.case.expected.events[index]
    executed = _field(alignment, index, "executed_gtids")
    if executed is None:
        return None
    if same_gtid_set(event["executed_gtids"], executed):
        return GOOD
    message = f"executed GTIDs are {executed!r} after the failure, expected {event['executed_gtids']!r}"
    return Check("GTID consumed", message, event["offset"])


def _drop_code(alignment: Alignment, index: int) -> Check:
    error = alignment.observation.error
    code = None if error is None else error.code
    at = alignment.case.expected.events[index]["offset"]
    message = f"the error has the number {code}, expected {CANNOT_LOG_PARTIAL_DROP}"
    return GOOD if code == CANNOT_LOG_PARTIAL_DROP else Check("wrong error number", message, at)


def _drop_text(alignment: Alignment, index: int) -> Check:
    event = alignment.case.expected.events[index]
    wanted = failure_message(_dropped(alignment, event["offset"]), event["gtid"])
    error = alignment.observation.error
    message = "" if error is None else error.message
    # Servers wrap the message in one of their own, and leave out "on slave".
    if _plain(wanted) in _plain(message):
        return GOOD
    return Check("wrong message", f"the message is {message!r}, expected {wanted!r}", event["offset"])


def _dropped(alignment: Alignment, at: int) -> str:
    """Return the database that the statement of an event drops, of those in whose directories something remains."""
    event = framed_event(alignment.case.stream, at)
    leftovers: Mapping[str, Any] = alignment.case.settings["leftovers"]
    (database,) = (each for each in leftovers if each.encode() in event)
    return database


def _plain(message: str) -> str:
    """Return a message without the differences that are allowed: spaces, "on slave", and a directory's path."""
    message = re.sub(r"\s+", " ", message.replace(" on slave;", ";"))
    return re.sub(r"from the database directory (?:\./)?([^;]*?)/?;", r"from the database directory \1;", message)


def _to_the_end(requirement: str) -> Oracle:
    """Return the oracle that checks that a stream is applied to its end."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        error = alignment.observation.error
        for index in alignment.marked(requirement):
            event = alignment.case.expected.events[index]
            what, at = alignment.describe(index), event["offset"]
            seen = alignment.observed(index)
            if seen is None or seen["outcome"] in ("failed", "until"):
                reason = f": {error.message}" if error is not None else ""
                yield Check(
                    f"stops at {alignment.about.kind(event)}", f"the applier does not get past {what}{reason}", at
                )
                return
        message = "" if error is None else f"every event is applied, but there is an error: {error.message}"
        yield Check("error at the end", message) if error is not None else GOOD

    return Oracle(requirement, examine)


_LOGGED: Final = ("logged_statements", "logged_anonymous_gtids")
_OF_OWN_LOG: Final = ("logged_groups", "logged_gtids")
_STATE: Final = ("outcome", "in_group", "gtid", "executed_gtids", "transactions")

ORACLES: Final = (
    _entries("WL4033-APPLY-UNKNOWN-IGNORED", *_STATE, unless=_of_others),
    fields("WL4033-APPLY-UNKNOWN-POSITION", "relay_log_pos", unless=_not_passed),
    _at_stop("WL4033-APPLY-UNKNOWN-REFUSED"),
    _at_stop("WL4033-APPLY-CROSS-NEW-TO-OLD"),
    _entries("WL4033-APPLY-KNOWN-HANDLED", *_STATE, unless=_of_others),
    _entries("WL4033-APPLY-ROWS-QUERY-INFORMS", *_STATE, unless=_of_others),
    _entries("WL40-APPLY-EXTENDED-QUERY", *_STATE, unless=_of_others),
    _stops_or_goes_on("WL7592-APPLY-CREATE-INSIDE"),
    _entries("WL7592-APPLY-CREATE-SELECT-COMMITS", "in_group", "transactions", "tables"),
    fields("WL7592-APPLY-OWN-LOG-ANONYMOUS", *_OF_OWN_LOG, unless=_of_outcome),
    fields("WL7592-APPLY-OWN-LOG-GTID", *_OF_OWN_LOG, unless=_of_outcome),
    _at_stop("WL7592-APPLY-DROPDB-OFF-ANON-EACH", _anonymous_each, needs=_LOGGED),
    _at_stop("WL7592-APPLY-DROPDB-ON-ERROR", _nothing_logged),
    both(_at_stop("WL7592-APPLY-DROPDB-ONE-WITH-GTID"), fields("WL7592-APPLY-DROPDB-ONE-WITH-GTID", *_LOGGED)),
    _at_stop("WL7592-APPLY-DROPDB-ERROR-CODE", _drop_code, abilities=("error_code",)),
    # Every error has a message, so its text is checked for all; the number is an ability.
    _at_stop("WL7592-APPLY-DROPDB-ERROR-TEXT", _drop_text, asks_more=True),
    _at_stop("WL7592-APPLY-DROPDB-GTID-UNUSED", _gtid_unused, needs=("executed_gtids",)),
    _entries("WL7592-APPLY-UNTIL-SERVER-ID-ZERO", "outcome"),
    both(
        fields("FORMAT-APPLY-UNTIL", "outcome", unless=_of_no_stop),
        delivered("FORMAT-APPLY-UNTIL", unless=_does_not_stop),
    ),
    _entries("WL7592-APPLY-SKIP-NOT-MID-GROUP", "outcome", "skip_counter", unless=_not_skipped),
    _entries("WL7592-APPLY-SKIP-GTID-IN-GROUP", "outcome", "skip_counter", unless=_not_skipped),
    _entries("WL7592-APPLY-OFF-SKIP-ALLOWED", "outcome", unless=_not_skipped),
    _counter_refused("WL7592-APPLY-ON-SKIP-REFUSED"),
    _at_stop("WL7592-APPLY-NEW-55"),
    _at_stop("WL7592-APPLY-ON-GTID-MISSING"),
    _at_stop("WL7592-APPLY-ON-GTID-MISSING-BEGIN"),
    _entries("WL7592-APPLY-OFF-GTID-NOT-MISSED", "outcome", unless=_of_others),
    _unreadable("FORMAT-APPLY-LENGTH-WRONG", "framing"),
    _unreadable("FORMAT-APPLY-TRUNCATED", "framing"),
    _unreadable("FORMAT-APPLY-CHECKSUM-WRONG", "checksums"),
    _unreadable("FORMAT-APPLY-BODY-MALFORMED"),
    _entries("FORMAT-APPLY-EXECUTED", *_STATE, *_OF_OWN_LOG, "tables"),
    _entries("FORMAT-APPLY-PERMISSIVE", *_STATE, unless=_of_others),
    _entries("FORMAT-APPLY-OWN-EVENTS", "outcome", "in_group", "skip_counter", "tables"),
    _to_the_end("WL7592-COMPAT-OLD-NEW"),
    _to_the_end("WL7592-COMPAT-ON-5621"),
    _to_the_end("WL7592-APPLY-ON-56-57"),
    _to_the_end("WL7592-COMPAT-OFF-5622"),
    _at_stop("WL7592-COMPAT-OFF-5621", abilities=("profile_strict",)),
    _at_stop("WL7592-COMPAT-OFF-575", abilities=("profile_strict",)),
)
