"""The oracles of the role `relay`: which events the relay logs hold, with which bytes, and the warnings."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import GTID_TYPES, EventType, type_name
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, TYPE_AT, Header
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.reader import framed_events
from conformance.binlog.servers import server_of
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.models.replica.relay_rules import RELAY_RULES
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import NOT_MADE, Cause, passed_on_name
from conformance.oracles.checks.ended_answers import ended, missing
from conformance.oracles.checks.received_warnings import RESET, cause_of_warnings, is_fed_otherwise, keeps_parser
from conformance.oracles.checks.relay_bounds import check_bounds, check_own_gtids
from conformance.oracles.checks.relay_freedoms import (
    announces_own_checksums,
    is_format_again,
    is_silent_failure,
    is_stamped,
    own_sets,
    repeats_format,
    stops_at_unknown,
)
from conformance.oracles.checks.written_events import MARKER, Written, copied, written, wrongly
from conformance.oracles.differences import Difference
from conformance.oracles.oracle import GOOD, Check, Oracle
from conformance.specs.catalogue import ENTRY

_RELAY_LOG: Final = int(Flag.RELAY_LOG)
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: What describes a log, and what has a rule of its own.
_DESCRIBING: Final = (EventType.FORMAT_DESCRIPTION, EventType.ROTATE)
_NOT_OF_IGNORED: Final = (*_DESCRIBING, EventType.PREVIOUS_GTIDS)
#: The rule on events without a marker.
_UNMARKED: Final = "WL4162-TT-GUESS-LEAVES-BYTES"
#: Where a Gtid event has the source's UUID and the number, in bytes of its body.
_GTID_SOURCE: Final = slice(1, 17)
_GTID_NUMBER: Final = slice(17, 25)
#: The events that name a GTID.
_NAMING: Final = (EventType.GTID, EventType.GTID_TAGGED)


#: Compares the expected event with the observed one.
_Compare = Callable[[Written, Written], Check]


def _each(requirement: str, compare: _Compare, *, required: bool = True, may_stop: bool = False) -> Oracle:
    """Return the oracle that compares each marked event with the observed one.

    Args:
        requirement: The requirement's id.
        compare: Compares them.
        required: Whether an event that is missing breaks the requirement.
        may_stop: Whether the receiver may stop at it with an error instead.
    """
    free = {Fate.UNREACHED, Fate.REFUSED} if may_stop else {Fate.UNREACHED}

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            wanted = written(alignment.case.expected.events[index])
            assert wanted is not None, "the model writes events"
            entry = alignment.observed(index)
            if entry is None:
                if required and alignment.fate(index) not in free and not _describes_ignored(alignment, wanted):
                    lost = _left_out(alignment, index, wanted)
                    yield missing(alignment, index, lost.signature, lost.message, lost.cause)
                continue
            observed = written(entry)
            if observed is None:
                yield Check(
                    "data is not an event", f"{_place(alignment, index)}: {entry['data'][:80]!r} is not an event"
                )
                continue
            if is_stamped(alignment, wanted.header):
                observed = observed.at(wanted.header.timestamp)
            if announces_own_checksums(alignment, index):
                observed = wanted
            check = compare(wanted, observed)
            if compare is copied and _is_marker_alone(alignment, index, check):
                check = GOOD
            where = f"{_place(alignment, index)}: {check.message}"
            yield replace(check, message=where) if check.signature else GOOD

    return Oracle(requirement, examine, any_of=frozenset({"data"}))


def _left_out(alignment: Alignment, index: int, wanted: Written) -> Check:
    """Return the failed check on an expected event that is in no relay log."""
    name = passed_on_name(wanted.header.type, server_of(alignment.case.id.profile).rules.known)
    return wrongly(name, NOT_MADE["relay"], f"{_place(alignment, index)} is missing")


def _is_marker_alone(alignment: Alignment, index: int, check: Check) -> bool:
    """Return whether an unmarked event is written with a marker, for which there is a rule of its own."""
    is_marker = check.cause is not None and check.cause.field == MARKER
    return is_marker and index in alignment.marked(_UNMARKED)


def _place(alignment: Alignment, index: int) -> str:
    entry = alignment.case.expected.events[index]
    wanted = written(entry)
    name = "event" if wanted is None else f"{wanted.name} event"
    return f"the {name}, number {index + 1} of the relay logs"


def _equal_markers(wanted: Written, observed: Written) -> Check:
    marker = MARKER_BITS.read(observed.header.flags)
    if marker == MARKER_BITS.read(wanted.header.flags):
        return GOOD
    return wrongly("", "changed", f"the flags have the marker {marker}, which was not received", field=MARKER)


def _each_copied(requirement: str, *, what: str = "event", or_stops: bool = False) -> Oracle:
    """Return the oracle that checks that each marked event is there once, exactly as received.

    Args:
        requirement: The requirement's id.
        what: The kind of event, for signatures.
        or_stops: Whether the receiver may stop at it with an error instead.
    """
    each = _each(requirement, copied, may_stop=or_stops)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        yield from each.examine(alignment, requirement)
        places = {
            entry["data"].lower(): index
            for index in alignment.marked(requirement)
            if (entry := alignment.observed(index))
        }
        for place in alignment.phantoms:
            if repeats_format(alignment, place):
                continue
            again = places.get(alignment.observation.events[place]["data"].lower())
            if again is not None and not _came_back(alignment, again):
                yield Check(f"{what} written twice", f"{_place(alignment, again)} is there again")

    return Oracle(requirement, examine, any_of=each.any_of)


def _came_back(alignment: Alignment, index: int) -> bool:
    """Return whether an event has the replica's own server id, so that writing it is free."""
    event = written(alignment.case.expected.events[index])
    return event is not None and bool(event.header.server_id == alignment.case.settings["server_id"])


def _present(wanted: Written, observed: Written) -> Check:
    return GOOD


def _id_zero(wanted: Written, observed: Written) -> Check:
    server_id = observed.header.server_id
    return (
        GOOD
        if server_id == 0
        else Check(f"server id of {wanted.kind} is not 0", f"its server id is {server_id}, not 0")
    )


def _check_warnings(requirement: str, *, text: bool = False, wanted: bool | None = None, stops: bool = False) -> Oracle:
    """Return the oracle that checks the warnings of the marked events.

    Args:
        requirement: The requirement's id.
        text: Whether to compare the text; otherwise only whether there is a warning is compared.
        wanted: Check only events for which a warning is expected.
        stops: Whether an error breaks the requirement too.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        # What is written although it is to be ignored is fed to the parser too, and warnings follow from that.
        marked = () if requirement == RESET and _takes_ignored(alignment) else alignment.marked(requirement)
        if (requirement != RESET and _is_of_resets(alignment)) or is_fed_otherwise(alignment):
            marked = ()
        for index in marked:
            entry = alignment.observed(index)
            expected = alignment.case.expected.events[index]["warning"]
            if entry is None or (wanted is not None and wanted != bool(expected)):
                continue
            seen = entry.get("warning", "")
            if seen == expected or (not text and bool(seen) == bool(expected)) or is_silent_failure(alignment, index):
                yield GOOD
            elif not expected:
                message = f"{_place(alignment, index)}: the warning is {seen!r}, expected none"
                yield Check("warning without cause", message, cause=cause_of_warnings(alignment))
            else:
                message = f"{_place(alignment, index)}: the warning is {seen!r}, expected {expected!r}"
                yield Check("wrong warning" if seen else "no warning", message, cause=cause_of_warnings(alignment))
        error = alignment.observation.error
        if stops and error is not None and _is_at_warning(alignment, requirement) and not stops_at_unknown(alignment):
            yield Check("error", f"the receiver stops with an error: {error.message}", cause=ended(alignment))

    return Oracle(requirement, examine, any_of=frozenset({"warning"}))


def _is_at_warning(alignment: Alignment, requirement: str) -> bool:
    """Return whether the receiver stops with an error at one of the marked events, or right after it."""
    stop = alignment.stop
    return stop is not None and not {stop - 1, stop}.isdisjoint(alignment.marked(requirement))


def _is_of_resets(alignment: Alignment) -> bool:
    """Return whether warnings differ where a new connection decides about them: other rules are not broken there."""
    if not keeps_parser(alignment):
        return False
    events = alignment.case.expected.events
    pairs = ((alignment.observed(index), events[index]) for index in alignment.marked(RESET))
    return any(seen is not None and bool(seen.get("warning")) != bool(wanted["warning"]) for seen, wanted in pairs)


def _logs(alignment: Alignment) -> dict[int, list[Written]]:
    """Return the events of each relay log of the answer."""
    logs: dict[int, list[Written]] = {}
    for entry in alignment.observation.events:
        event = written(entry)
        if event is not None:
            logs.setdefault(entry["log"], []).append(event)
    return logs


def _begins(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that each relay log begins with a format description and a Previous_gtids event of the replica.

    The set in it has nothing but what was received. A log that is expected has the expected set; one that the replica
    begins of its own accord lacks at most the last GTID, and those of transactions that never ended.
    """
    logs, unfinished = _logs(alignment), _unfinished(alignment)
    if not logs:
        yield Check("no relay log", "the answer has no event of a relay log")
    own = (0, alignment.case.settings["server_id"])
    received, before_last = ExecutedGtids(), ExecutedGtids()
    last: Written | None = None
    for number, log in logs.items():
        types = [event.header.type for event in log[:2]]
        if types != [EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS]:
            names = " and ".join(map(type_name, types)) or "nothing"
            yield Check("relay log begins with wrong events", f"relay log {number + 1} begins with {names}")
        elif any(event.header.server_id not in own for event in log[:2]):
            yield Check("relay log begins with events of the source", f"relay log {number + 1} begins with them")
        else:
            yield _check_first_set(f"relay log {number + 1}", log[1], received, before_last)
        for event in log:
            if event.header.type in _NAMING:
                # A transaction that was cut off comes again, with the same event before it.
                if last is not None and last.body not in (event.body, *unfinished):
                    _add_gtid(before_last, last)
                _add_gtid(received, event)
                last = event
    yield from _check_sets(alignment, received)


def _check_first_set(log: str, event: Written, received: ExecutedGtids, before_last: ExecutedGtids) -> Check:
    """Check the set in the Previous_gtids event of a relay log.

    Args:
        log: What the relay log is called in a message.
        event: The event.
        received: All that the set may have.
        before_last: What it must have.
    """
    try:
        previous = GtidSet.from_bytes(event.body)
        more = ExecutedGtids(previous).missing_in(received.gtids())
    except (ValueError, MalformedBody) as error:
        return Check("Previous_gtids cannot be read", f"{log} has a Previous_gtids event that cannot be read: {error}")
    if more.sources:
        message = f"{log} has GTIDs in its Previous_gtids event that were not received"
        return Check("GTIDs not received in Previous_gtids", message)
    if before_last.missing_in(previous).sources:
        message = f"{log} lacks GTIDs in its Previous_gtids event that were received before it"
        return Check("GTIDs missing in Previous_gtids", message)
    return GOOD


def _check_sets(alignment: Alignment, received: ExecutedGtids) -> Iterator[Check]:
    """Check the sets of the relay logs that are expected: an event that is missing or not expected counts for none."""
    sent = ExecutedGtids()
    for event in filter(None, map(written, alignment.case.expected.events)):
        if event.header.type in _NAMING:
            _add_gtid(sent, event)
    for index, wanted, seen in own_sets(alignment):
        if _common(ExecutedGtids(wanted).missing_in(seen), received):
            message = f"{_place(alignment, index)} lacks GTIDs that were received before it"
            yield Check("GTIDs missing in Previous_gtids", message)
        elif _common(ExecutedGtids(seen).missing_in(wanted), sent):
            message = f"{_place(alignment, index)} has GTIDs of transactions that are not complete"
            yield Check("GTIDs not complete in Previous_gtids", message)


def _unfinished(alignment: Alignment) -> frozenset[bytes]:
    """Return the bodies of the Gtid events whose transactions never end.

    The next one begins with a warning; where a new connection begins with it, the expected sets lack them.
    """
    unfinished = set()
    last: Written | None = None
    before_last: list[Written] = []
    for entry in alignment.case.expected.events:
        event = written(entry)
        if event is None:
            continue
        if event.header.type in GTID_TYPES:
            if last is not None:
                before_last.append(last)
                if entry["warning"]:
                    unfinished.add(last.body)
            last = event if event.header.type in _NAMING else None
        elif event.header.type == EventType.PREVIOUS_GTIDS and event.header.flags & _RELAY_LOG:
            unfinished |= {each.body for each in before_last if not _has_gtid_of(each, event)}
    return frozenset(unfinished)


def _has_gtid_of(named: Written, previous: Written) -> bool:
    """Return whether the GTID of a Gtid event is in the set of a Previous_gtids event."""
    gtid = ExecutedGtids()
    _add_gtid(gtid, named)
    return not gtid.missing_in(GtidSet.from_bytes(previous.body)).sources


def _common(gtids: GtidSet, others: ExecutedGtids) -> bool:
    """Return whether two sets have a GTID in common."""
    of_both = ExecutedGtids(gtids)
    return bool(of_both.missing_in(of_both.missing_in(others.gtids())).sources)


def _add_gtid(received: ExecutedGtids, event: Written) -> None:
    if event.header.type == EventType.GTID_TAGGED:
        with suppress(MalformedBody):
            fields = layout_of(EventType.GTID_TAGGED, 0).read(event.body, 0, len(event.body), post_header_length=0)
            received.add(fields["source_uuid"], fields["tag"].decode("utf-8", "replace"), fields["gno"])
    elif len(event.body) >= _GTID_NUMBER.stop:
        received.add(event.body[_GTID_SOURCE], "", int.from_bytes(event.body[_GTID_NUMBER], "little"))


def _without_sources(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that each relay log has no Previous_gtids event except the one at its beginning."""
    for number, log in _logs(alignment).items():
        places = [place for place, event in enumerate(log) if event.header.type == EventType.PREVIOUS_GTIDS]
        foreign = [place for place in places if place != 1]
        if foreign:
            message = f"relay log {number + 1} has a Previous_gtids event in place {foreign[0] + 1}"
            yield Check("Previous_gtids of the source copied", message)
        else:
            yield GOOD


def _own_rotates(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that the end position of each Rotate of the replica is that in the relay log, or 0."""
    own = (0, alignment.case.settings["server_id"])
    for number, log in _logs(alignment).items():
        at = len(MAGIC)
        for event in log:
            at += HEADER_BYTES + len(event.rest)
            header = event.header
            of_replica = header.server_id in own or header.flags & _RELAY_LOG
            if header.type != EventType.ROTATE or not of_replica:
                continue
            if header.log_pos in (0, at):
                yield GOOD
            else:
                message = f"the Rotate of relay log {number + 1} ends at {at}, but its log_pos is {header.log_pos}"
                yield Check("wrong end position of a Rotate", message)


def _is_of_ignored(alignment: Alignment, event: Written) -> bool:
    """Return whether an event is of a server that is to be ignored, and does not describe its log."""
    ignored = alignment.case.settings.get("ignored_ids", ())
    return event.header.server_id in ignored and event.header.type not in _NOT_OF_IGNORED


def _describes_ignored(alignment: Alignment, event: Written) -> bool:
    """Return whether an event of a server that is to be ignored describes its log: it is written all the same."""
    ignored = alignment.case.settings.get("ignored_ids", ())
    return event.header.server_id in ignored and event.header.type in _DESCRIBING


def _takes_ignored(alignment: Alignment) -> bool:
    """Return whether a relay log has an event of a server that is to be ignored."""
    return any(_is_of_ignored(alignment, event) for log in _logs(alignment).values() for event in log)


def _without_ignored(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that no relay log has an event of a server that is to be ignored, but all that describes its logs.

    Bytes of an event that did not arrive whole are another fault.
    """
    if alignment.case.expected.refused_at is not None and _first_of_rest(alignment) is not None:
        return
    for index, wanted in enumerate(map(written, alignment.case.expected.events)):
        if wanted is None or not _describes_ignored(alignment, wanted) or alignment.observed(index) is not None:
            continue
        if alignment.fate(index) is Fate.UNREACHED:
            continue
        lost = _left_out(alignment, index, wanted)
        if not is_format_again(alignment, Difference(index, ENTRY, lost)):
            yield missing(alignment, index, f"{wanted.name} of an ignored server missing", lost.message, lost.cause)
            return
    for number, log in _logs(alignment).items():
        taken = next((event for event in log if _is_of_ignored(alignment, event)), None)
        if taken is not None:
            yield Check("event of an ignored server", f"relay log {number + 1} has one, of the type {taken.name}")
            return
        yield GOOD


def _without_useless(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that no relay log of MariaDB has an event of the source that is ignorable, or about MySQL's GTIDs."""
    rules = RELAY_RULES[alignment.case.id.profile]
    for number, log in _logs(alignment).items():
        for event in log:
            header = event.header
            if header.flags & _RELAY_LOG or _is_of_ignored(alignment, event):
                continue  # The replica's own, or for the rule on servers that are to be ignored.
            is_ignorable = bool(header.flags & _IGNORABLE)
            if header.type in rules.leaves_out or is_ignorable:
                message = f"relay log {number + 1} has {event.name} with the flags {header.flags:#06x}"
                kind = "ignorable event" if is_ignorable else "event about MySQL's GTIDs"
                yield Check(f"{kind} not left out", message, cause=Cause("not left out", kind, role="relay"))
                return
        yield GOOD


def _not_whole(requirement: str, *abilities: str, must_stop: bool = True) -> Oracle:
    """Return the oracle that checks that an event that did not arrive whole is not written, nor what comes after it.

    Args:
        requirement: The requirement's id.
        *abilities: The abilities that it needs.
        must_stop: Whether the receiver has to report an error.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        expected, error = alignment.case.expected, alignment.observation.error
        at, what = expected.refused_at, expected.refused_kind
        assert at is not None, "the event that is not whole is marked"
        taken = _first_of_rest(alignment)
        if taken is not None:
            message = f"entry {taken + 1} is of the event at offset {at} of the stream, or of one after it ({what})"
            yield Check(f"{what} written", message, at)
        elif error is None and must_stop:
            yield Check(f"{what} not reported", f"no error at offset {at}, where the event is not whole ({what})", at)
        elif error is not None and "error_at" in alignment.role.abilities and error.at != at:
            yield Check(f"{what} reported at the wrong offset", f"the error is at offset {error.at}, expected {at}", at)
        else:
            yield GOOD

    return Oracle(requirement, examine, any_of=frozenset({"data"}), abilities=frozenset(abilities))


def _first_of_rest(alignment: Alignment) -> int | None:
    """Return the place of the first entry with bytes of the event that did not arrive whole, None if there is none."""
    return next((place for place in alignment.phantoms if _is_of_rest(alignment, place)), None)


def _is_of_rest(alignment: Alignment, place: int) -> bool:
    """Return whether an entry has bytes of a stream from the event on that did not arrive whole."""
    data, at = alignment.observation.events[place]["data"].lower(), alignment.case.expected.refused_at or 0
    rest = alignment.case.stream[at:].hex()
    # The last bytes may be a checksum that the receiver has made, and part of an event may be filled up.
    if data and (data[: -2 * CHECKSUM_BYTES] in rest or data.startswith(rest)):
        return True
    seen = written(alignment.observation.events[place])
    # Its own events, and the format description that it repeats, may be like those of the source.
    if seen is None or seen.header.flags & _RELAY_LOG or repeats_format(alignment, place):
        return False
    whole = takewhile(_has_its_length, framed_events(alignment.case.stream[at - len(MAGIC) :]))
    return any(_has_body_of(seen, each) for each in whole)


def _has_its_length(event: bytes) -> bool:
    """Return whether an event has as many bytes as its header has for its length."""
    return Header(*HEADER.unpack_from(event)).length == len(event)


def _has_body_of(seen: Written, event: bytes) -> bool:
    """Return whether an event has the type and the body of another, with another header, or without its checksum."""
    body = event[HEADER_BYTES:]
    bodies = (body, body[:-CHECKSUM_BYTES])
    return seen.header.type == event[TYPE_AT] and bool(seen.body) and (seen.body in bodies or seen.rest in bodies)


def _check_logs(requirement: str, examine: Callable[[Alignment, str], Iterator[Check]]) -> Oracle:
    return Oracle(requirement, examine, any_of=frozenset({"data"}))


ORACLES: Final = (
    _each_copied("WL4033-RELAY-IGNORABLE-COPIED", what="ignorable event"),
    _each_copied("WL4033-RELAY-EVENTS-AS-USUAL"),
    _each_copied("WL40-RELAY-EXTENDED-QUERY", what="extended Query event"),
    _each_copied("WL4033-RELAY-UNKNOWN-NOT-LOST", or_stops=True),
    _each(_UNMARKED, _equal_markers, required=False),
    _check_warnings("WL4162-RESET-RECEIVER-LOOP"),
    _check_warnings("WL4162-WARN-RECEIVER", stops=True),
    _check_warnings("WL4162-RELAY-WARN-TEXT", text=True, wanted=True),
    _check_logs("FORMAT-RELAY-IGNORED", _without_ignored),
    _not_whole("FORMAT-RELAY-CHECKSUM-WRONG", "checksums"),
    _not_whole("FORMAT-RELAY-WHOLE-EVENTS", must_stop=False),
    _each("FORMAT-RELAY-BODIES-UNREAD", copied),
    _check_logs("FORMAT-RELAY-LOG-BOUNDS", check_bounds),
    _check_logs("FORMAT-RELAY-OWN-GTIDS", check_own_gtids),
    _check_logs("FORMAT-RELAY-MARIADB-LEFT-OUT", _without_useless),
    _each("WL4162-RELAY-KEEPS-EVENTS", _present),
    _check_warnings("WL4162-RELAY-FEEDS-QUEUED", text=True),
    _check_logs("WL7592-RELAY-PREVIOUS-GTIDS-OWN", _begins),
    _check_logs("WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED", _without_sources),
    _check_logs("WL7592-RELAY-ROTATE-OWN-POSITION", _own_rotates),
    _each("WL7592-RELAY-OWN-EVENTS-SERVER-ID-ZERO", _id_zero, required=False),
)
