"""The numbers and sets of GTIDs in a server's logs, compared with what the server itself logged before.

One wrong number has others after it, and sets that hold it: they follow from it, and nobody else is blamed for them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.gtid_set import GtidSet
from conformance.models.server.statements import SetGtidPurged
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import DIFFERS, Cause
from conformance.oracles.checks.logged_event_checks import logged
from conformance.oracles.checks.logged_event_comparisons import check_at, place_of
from conformance.oracles.oracle import GOOD, Check, Oracle, same_gtid_set, shown

Entry = Mapping[str, Any]

_NUMBERED: Final = GTID_TYPES - {EventType.ANONYMOUS_GTID}


def next_number(requirement: str) -> Oracle:
    """Return the oracle that checks that each automatic GTID has the next number of the server's own source.

    It is right if it is the expected one, or the next after those that the server logged before: a transaction that is
    missing or too many is another matter, and so is a number that was logged before.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        events = alignment.observation.events
        places = {id(entry): place for place, entry in enumerate(events)}
        # One that was given for another transaction is for the requirement on that.
        given = {each.get("value") for each in alignment.case.settings["scenario"]["statements"]}
        for index in alignment.marked(requirement):
            wanted, seen = alignment.case.expected.events[index], alignment.observed(index)
            if wanted["type"] == EventType.PREVIOUS_GTIDS:
                yield _of_purged(alignment, seen)
                continue
            if seen is None or seen["type"] not in _NUMBERED or seen.get("gtid") == wanted["gtid"]:
                yield GOOD
                continue
            before = _logged_before(alignment, places[id(seen)])
            following = _next_gtid(wanted["gtid"], before)
            is_known = any(each in before or each in given for each in _gtids([seen]))
            if seen.get("gtid") == following or is_known:
                yield GOOD
                continue
            yield _other_number(seen, f"gtid is {shown(seen.get('gtid'))}, expected {shown(following)}")

    return Oracle(requirement, examine)


def _other_number(seen: Entry, difference: str) -> Check:
    cause = Cause(DIFFERS, "GTID", "gtid", role="log")
    return check_at(seen, "number of GTID differs", f"{place_of(seen)}: {difference}", cause)


def _of_purged(alignment: Alignment, seen: Entry | None) -> Check:
    """Check the numbers that logs had which were purged, by the set with which the oldest log begins."""
    if seen is None or not _has_other_numbers(alignment):
        return GOOD
    return _other_number(seen, f"previous_gtids is {shown(seen['previous_gtids'])}, with other numbers than expected")


def sets_as_logged(requirement: str) -> Oracle:
    """Return the oracle that checks that the marked Previous_gtids events have what the server logged before them."""
    present = logged(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        yield from present.examine(alignment, requirement)
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            if seen is not None and _repeats_a_gtid(alignment, seen):
                continue  # Which of the two is counted is not the matter: that a GTID is logged twice is.
            if seen is None or same_gtid_set(wanted := _as_logged(alignment, index, seen), seen.get("previous_gtids")):
                continue
            value = shown(seen.get("previous_gtids"))
            message = f"{place_of(seen)}: previous_gtids is {value}, expected {shown(wanted)}"
            yield check_at(seen, "PREVIOUS_GTIDS differs", message)

    return Oracle(requirement, examine)


def only_follows(alignment: Alignment, index: int) -> bool:
    """Return whether the GTID, or the set, of a logged event differs from the expected one only for others before it.

    Args:
        alignment: The server's logs beside the expected ones.
        index: The index of the expected event.
    """
    wanted, seen = alignment.case.expected.events[index], alignment.observed(index)
    if seen is None or seen["type"] != wanted["type"]:
        return False
    if wanted["type"] == EventType.PREVIOUS_GTIDS:
        differs = not same_gtid_set(wanted["previous_gtids"], seen.get("previous_gtids"))
        return differs and same_gtid_set(_as_logged(alignment, index, seen), seen.get("previous_gtids"))
    if wanted["type"] not in _NUMBERED or seen.get("gtid") == wanted["gtid"]:
        return False
    place = next(place for place, each in enumerate(alignment.observation.events) if each is seen)
    return seen.get("gtid") == _next_gtid(wanted["gtid"], _logged_before(alignment, place))


def where_numbers_are_right(oracle: Oracle) -> Oracle:
    """Return an oracle that judges only where all GTIDs are those that are expected: it is about sets of them."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if not _are_others(alignment):
            yield from oracle.examine(alignment, requirement)

    return Oracle(oracle.requirement, examine)


def _are_others(alignment: Alignment) -> bool:
    """Return whether a server logged other GTIDs than those that are expected."""
    wanted, seen = alignment.case.expected.events, alignment.observation.events
    return list(_gtids(wanted)) != list(_gtids(seen)) or _has_other_numbers(alignment)


def _has_other_numbers(alignment: Alignment) -> bool:
    """Return whether the oldest log names as many GTIDs of each source as are expected, and others: none is lost."""
    wanted, seen = (_first_set(each) for each in (alignment.case.expected.events, alignment.observation.events))
    differ = ExecutedGtids(wanted).gtids() != ExecutedGtids(seen).gtids()
    return differ and _sizes(wanted) == _sizes(seen)


def _sizes(gtids: GtidSet) -> dict[tuple[bytes, str], int]:
    return {(each.uuid, each.tag): sum(part.end - part.start for part in each.intervals) for each in gtids.sources}


def _repeats_a_gtid(alignment: Alignment, seen: Entry) -> bool:
    """Return whether a server logged a GTID twice before an event."""
    events = alignment.observation.events
    place = next(place for place, each in enumerate(events) if each is seen)
    gtids = list(_gtids(events[:place]))
    return len(set(gtids)) < len(gtids)


def _as_logged(alignment: Alignment, index: int, seen: Entry) -> str:
    """Return the set that an expected Previous_gtids event has by what the server itself logged."""
    expected, events = alignment.case.expected.events, alignment.observation.events
    wanted: str = expected[index]["previous_gtids"]
    if not _are_others(alignment):
        return wanted
    place = next(place for place, each in enumerate(events) if each is seen)
    of_model, of_server = ExecutedGtids(), ExecutedGtids()
    _add(of_model, _gtids(expected[:index]))
    _add(of_server, _gtids(events[:place]))
    whole = ExecutedGtids(GtidSet.from_text(wanted))
    lost = ExecutedGtids(of_model.missing_in(whole.gtids()))
    pairs = ((each.get("gtid"), alignment.observed(at)) for at, each in enumerate(expected[:index]))
    forgotten = ExecutedGtids()
    _add(forgotten, _gtids([entry for gtid, entry in pairs if entry and gtid and ":" in gtid and gtid in lost]))
    made = ExecutedGtids(of_server.missing_in(forgotten.gtids()))
    # What no log shows that is still there: of logs that were purged the server knows better.
    is_purged = bool(whole.missing_in(of_model.gtids()).sources)
    made.add_set(_first_set(events) if is_purged else GtidSet())
    return str(made.gtids())


def _first_set(events: Sequence[Entry]) -> GtidSet:
    """Return the set with which the oldest log begins."""
    sets = (each["previous_gtids"] for each in events if each["log"] == 0 and each.get("previous_gtids"))
    try:
        return GtidSet.from_text(next(sets, ""))
    except ValueError:
        return GtidSet()  # That it is not a set is for the requirement on it.


def _logged_before(alignment: Alignment, place: int) -> ExecutedGtids:
    """Return the GTIDs that a server has before the logged event at a place."""
    before = ExecutedGtids(_at_start(alignment))
    _add(before, _gtids(alignment.observation.events[:place]))
    return before


def _next_gtid(wanted: str, before: ExecutedGtids) -> str:
    """Return the next GTID of the source of an expected one."""
    source, _, _ = wanted.partition(":")
    return f"{source}:{before.next_of(gtid_parts(wanted)[0])}"


def _at_start(alignment: Alignment) -> GtidSet:
    """Return the GTIDs that the server has before its oldest log: those of purged logs, and those declared."""
    executed = ExecutedGtids(_first_set(alignment.observation.events))
    for each in alignment.case.settings["scenario"]["statements"]:
        if each["kind"] == SetGtidPurged.kind:
            executed.add_set(GtidSet.from_text(each["gtids"]))
    return executed.gtids()


def _gtids(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the GTIDs of entries, without texts that are none: these are for the requirements on Gtid events."""
    for each in entries:
        if each["type"] in _NUMBERED and each.get("gtid"):
            with suppress(ValueError):
                gtid_parts(each["gtid"])
                yield each["gtid"]


def _add(executed: ExecutedGtids, gtids: Iterable[str]) -> None:
    for each in gtids:
        executed.add(*gtid_parts(each))
