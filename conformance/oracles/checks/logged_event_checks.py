"""The kinds of check that the oracles of the role `log` are made of."""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from conformance.binlog.event_types import type_name
from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN, judge_chain
from conformance.log_check.log_checker import CheckedLog, LogChecker
from conformance.log_check.verdicts import Note, Verdicts, Violation
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.logged_event_comparisons import Compare, Entry, name_of, place_of, same_gtid_kind
from conformance.oracles.oracle import GOOD, Check, Oracle
from conformance.protocol.roles.log import GTID_TYPES, kind_of


def stands(
    requirement: str,
    *compares: Compare,
    types: frozenset[int] = frozenset(),
    owed: bool = True,
    close: bool = True,
    before: bool = False,
    behind: bool = False,
) -> Oracle:
    """Return the oracle that asks for the marked events, those that follow one another without any between them.

    Args:
        requirement: The requirement's id.
        *compares: What is compared of each event.
        types: Look at events of these types only.
        owed: Whether an event that is missing breaks the requirement.
        close: Whether what stands between two of them does, where nothing is expected there.
        before: Whether what stands before each of them must be of the kind that is expected there.
        behind: Whether what stands behind each of them must be.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        expected, events = alignment.case.expected.events, alignment.observation.events
        places = {id(entry): place for place, entry in enumerate(events)}
        last: tuple[int, int] | None = None
        for index in alignment.marked(name):
            wanted, found = expected[index], alignment.observed(index)
            if types and wanted["type"] not in types:
                continue
            if found is None:
                last = None
                yield Check(f"{name_of(wanted)} missing", f"{place_of(wanted)} is not in the logs") if owed else GOOD
                continue
            place = places[id(found)]
            if owed and close and last is not None and last[0] == index - 1 and last[1] != place - 1:
                between = events[place - 1]
                message = f"{place_of(between)} stands before {name_of(wanted)}"
                yield Check(f"{name_of(between)} before {name_of(wanted)}", message, between["offset"])
            last = (index, place)
            for side in (-1,) * before + (1,) * behind:
                yield _neighbours(expected, index, events, place, side)
            wrong = next((told for compare in compares if (told := compare(wanted, found))), "")
            yield Check(f"{name_of(wanted)} differs", f"{place_of(found)}: {wrong}", found["offset"]) if wrong else GOOD

    return Oracle(requirement, examine)


def _neighbours(expected: Sequence[Entry], index: int, events: Sequence[Entry], place: int, side: int) -> Check:
    """Compare what stands before an event (`side` -1) or behind it (1), by kind."""
    if not (0 <= index + side < len(expected) and 0 <= place + side < len(events)):
        return GOOD
    wanted, found = expected[index + side], events[place + side]
    if kind_of(wanted) == kind_of(found):
        return GOOD
    where = "before" if side < 0 else "behind"
    own = name_of(expected[index])
    message = f"{place_of(found)} stands {where} {own}, expected {name_of(wanted)}"
    return Check(f"{name_of(found)} {where} {own}", message, found["offset"])


def marker_before(requirement: str) -> Oracle:
    """Return the oracle that asks for the marked Gtid events, each directly before its transaction."""

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        events = alignment.observation.events
        places = {id(entry): place for place, entry in enumerate(events)}
        expected = alignment.case.expected.events
        for index in alignment.marked(name):
            wanted, behind = expected[index], alignment.observed(index + 1)
            if behind is None:
                continue  # The transaction itself is not there: another requirement's.
            place = places[id(behind)]
            before = events[place - 1] if place else None
            if before is None or before["type"] not in GTID_TYPES:
                message = f"{place_of(behind)} has no Gtid event before it"
                yield Check(f"no {type_name(wanted['type'])} before {name_of(behind)}", message, behind["offset"])
            else:
                wrong = same_gtid_kind(wanted, before)
                yield (
                    Check(f"{name_of(wanted)} differs", f"{place_of(before)}: {wrong}", before["offset"])
                    if wrong
                    else GOOD
                )

    return Oracle(requirement, examine)


def none_of(requirement: str, unwanted: Callable[[Entry], bool], what: str) -> Oracle:
    """Return the oracle that asks that nothing of a kind is in the logs beyond what is expected.

    Args:
        requirement: The requirement's id.
        unwanted: Tells such an event.
        what: What it is called.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        events = alignment.observation.events
        found = [events[place] for place in alignment.phantoms if unwanted(events[place])]
        if found:
            yield Check(f"{what} logged", f"{place_of(found[0])} should not be there", found[0]["offset"])
        else:
            yield GOOD

    return Oracle(requirement, examine)


def every_event(requirement: str, wrong: Callable[[Entry], str], *, types: frozenset[int] = frozenset()) -> Oracle:
    """Return the oracle that looks at each event that there is.

    Args:
        requirement: The requirement's id.
        wrong: Tells what is wrong with an event, empty where nothing is.
        types: Look at events of these types only.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        for entry in alignment.observation.events:
            if types and entry["type"] not in types:
                continue
            told = wrong(entry)
            yield Check(f"{name_of(entry)} {told}", f"{place_of(entry)} {told}", entry["offset"]) if told else GOOD

    return Oracle(requirement, examine)


def by_log_check(requirement: str, *, asks_more: bool = False) -> Oracle:
    """Return the oracle that has the rules for recorded logs judge the logs.

    Args:
        requirement: The requirement's id.
        asks_more: It looks at more than expected entries tell.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        for violation in _violations(alignment.case.id.profile, alignment.observation.streams):
            if violation.requirement == name:
                message = f"{violation.found}, expected {violation.expected}"
                yield Check(_without_numbers(violation.found), message, violation.offset)
        yield GOOD

    return Oracle(requirement, examine, asks_more=asks_more)


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "N", text)[:80]


#: One entry: the same answer is examined for one requirement after the other.
@lru_cache(maxsize=1)
def _violations(profile: str, streams: tuple[bytes, ...]) -> tuple[Violation, ...]:
    """Return what the rules for recorded logs find in the logs, one by one and from each to the next."""
    found: list[Violation] = []

    def tell(each: Violation | Note) -> None:
        if isinstance(each, Violation):
            found.append(each)

    before: CheckedLog | None = None
    for number, stream in enumerate(streams, 1):
        checked = LogChecker(f"bin.{number:06d}", profile=profile, tell=tell).check(io.BytesIO(stream))
        if before is not None and checked.unreadable is None:
            of_chain = Verdicts(JUDGED_IN_A_CHAIN, tell)
            judge_chain(before, checked, of_before=of_chain, of_behind=of_chain)
        before = None if checked.unreadable else checked
    return tuple(found)
