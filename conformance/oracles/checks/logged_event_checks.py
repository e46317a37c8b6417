"""The kinds of check that the oracles of the role `log` are made of."""

import io
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, EventType, type_name
from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN, judge_chain
from conformance.log_check.log_checker import CheckedLog, LogChecker
from conformance.log_check.verdicts import Note, Verdicts, Violation
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import MISSING, Cause
from conformance.oracles.checks.log_freedoms import has_free_rows, other_division
from conformance.oracles.checks.logged_causes import UNEXPECTED, logged_cause, place_of_missing
from conformance.oracles.checks.logged_event_comparisons import (
    IGNORABLE,
    Compare,
    Entry,
    check_at,
    equal,
    equal_gtid_kinds,
    name_of,
    place_of,
)
from conformance.oracles.checks.logged_structure import cause_of_structure
from conformance.oracles.checks.unlogged_statements import Unlogged, is_of_any
from conformance.oracles.oracle import GOOD, Check, Oracle
from conformance.protocol.roles.log import kind_of


def logged(
    requirement: str,
    *compares: Compare,
    types: frozenset[int] = frozenset(),
    required: bool = True,
    adjacent: bool = True,
    before: bool = False,
    after: bool = False,
    about: frozenset[int] = frozenset(),
    cause: Cause | None = None,
) -> Oracle:
    """Return the oracle that checks that the marked events are logged, successive ones without others between them.

    Args:
        requirement: The requirement's id.
        *compares: The comparisons of each event.
        types: Check events of these types only.
        required: Whether an event that is missing breaks the requirement.
        adjacent: Whether an unexpected event between two of them breaks the requirement.
        before: Whether the event before each of them must be of the expected kind.
        after: Whether the event after each of them must be of the expected kind.
        about: Only events of these types break the requirement by being missing, or between two others.
        cause: The cause of a difference that the comparisons find, if it is known.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        expected, events = alignment.case.expected.events, alignment.observation.events
        places = {id(entry): place for place, entry in enumerate(events)}
        last: tuple[int, int] | None = None
        for index in alignment.marked(requirement):
            wanted, seen = expected[index], alignment.observed(index)
            if types and wanted["type"] not in types:
                continue
            block = other_division(alignment, index, any_ends=True)
            if block is not None:
                is_end = index + 1 == len(expected) or "rows" not in expected[index + 1]
                follows = events[block.stop : block.stop + 1]
                # Rows that come after the end of their statement are for the requirement on their Table_map.
                is_cut_off = any(each["type"] in ROWS_TYPES for each in follows)
                last = (index, block[-1]) if is_end and not is_cut_off else None
                yield GOOD
                continue
            if seen is None:
                last = None
                if about and wanted["type"] not in about:
                    continue
                if _surplus(alignment)[kind_of(wanted)] >= 0:
                    continue  # Its place is wrong: that is for what is next to it.
                if _is_of_missing_log(alignment, index):
                    continue  # The log did not begin: that is for the owner of all events.
                message = f"{place_of(wanted)} is not in the logs"
                name = name_of(wanted)
                at = place_of_missing(alignment, index)
                missing = Check(f"{name} missing", message, at, logged_cause(name, MISSING), log=wanted["log"])
                yield missing if required else GOOD
                continue
            place = places[id(seen)]
            if required and adjacent and last is not None and last[0] == index - 1 and last[1] != place - 1:
                between = events[place - 1]
                if (about and between["type"] not in about) or _has_checkpoints_before(alignment, last[1], place):
                    last = (index, place)
                    continue
                message = f"{place_of(between)} is before {name_of(wanted)}"
                signature = f"{name_of(between)} before {name_of(wanted)}"
                yield check_at(between, signature, message, logged_cause(name_of(between), UNEXPECTED))
            last = (index, place)
            for side in (-1,) * before + (1,) * after:
                yield _neighbours(alignment, index, place, side)
            if has_free_rows(alignment, index):
                seen = {**seen, "rows": wanted["rows"]}
            wrong = next(filter(None, (compare(wanted, seen) for compare in compares)), "")
            if wrong:
                message = f"{place_of(seen)}: {wrong}"
                yield check_at(seen, f"{name_of(wanted)} differs", message, cause)
            else:
                yield GOOD

    return Oracle(requirement, examine)


def _has_checkpoints_before(alignment: Alignment, last: int, place: int) -> bool:
    """Return whether nothing but checkpoints of MariaDB is between an event and the Gtid event at a later place."""
    events = alignment.observation.events
    is_first = events[place]["type"] == EventType.MARIADB_GTID
    return is_first and all(each["type"] == EventType.MARIADB_BINLOG_CHECKPOINT for each in events[last + 1 : place])


def _is_of_missing_log(alignment: Alignment, index: int) -> bool:
    """Return whether an expected Previous_gtids event is of a log that is not there at all, though others are."""
    first, own = alignment.case.expected.events[max(index - 1, 0)], alignment.case.expected.events[index]
    is_described = first["type"] == EventType.FORMAT_DESCRIPTION and first["log"] == own["log"]
    if own["type"] != EventType.PREVIOUS_GTIDS or not is_described or not alignment.observation.events:
        return False
    return alignment.observed(index - 1) is None


def _surplus(alignment: Alignment) -> Counter[Hashable]:
    """Return by how many events of each kind the answer has more than are expected, or fewer: the others have moved."""
    surplus: Counter[Hashable] = Counter(map(kind_of, alignment.observation.events))
    surplus.subtract(map(kind_of, alignment.case.expected.events))
    return surplus


def _neighbours(alignment: Alignment, index: int, place: int, side: int) -> Check:
    """Compare the kind of the event before another (`side` -1) or after it (1)."""
    expected, events = alignment.case.expected.events, alignment.observation.events
    if not (0 <= index + side < len(expected) and 0 <= place + side < len(events)):
        return GOOD
    wanted, seen = expected[index + side], events[place + side]
    if kind_of(wanted) == kind_of(seen):
        return GOOD
    where = "before" if side < 0 else "after"
    own = name_of(expected[index])
    message = f"{place_of(seen)} is {where} {own}, expected {name_of(wanted)}"
    return check_at(seen, f"{name_of(seen)} {where} {own}", message, cause_of_structure(alignment))


def gtid_before(requirement: str, *, named: bool = False) -> Oracle:
    """Return the oracle that checks for the marked Gtid events, each directly before its transaction.

    Args:
        requirement: The requirement's id.
        named: Whether they must also have the expected GTIDs.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        events = alignment.observation.events
        places = {id(entry): place for place, entry in enumerate(events)}
        expected = alignment.case.expected.events
        for index in alignment.marked(requirement):
            wanted, after = expected[index], alignment.observed(index + 1)
            if wanted["type"] not in GTID_TYPES or after is None:
                continue  # Another requirement is about missing transactions.
            place = places[id(after)]
            before = events[place - 1] if place else None
            if before is None or before["type"] not in GTID_TYPES:
                message = f"{place_of(after)} has no Gtid event before it"
                name = type_name(wanted["type"])
                yield check_at(after, f"no {name} before {name_of(after)}", message, logged_cause(name, MISSING))
            else:
                # The number of a GTID that is not given has a requirement of its own.
                compares = named and index not in alignment.marked("FORMAT-LOG-GTID-NUMBER")
                wrong = equal_gtid_kinds(wanted, before) or (equal("gtid")(wanted, before) if compares else "")
                is_own = named and not compares and before.get("gtid") and not wrong
                if is_own and before["gtid"].partition(":")[0] != wanted["gtid"].partition(":")[0]:
                    wrong = equal("gtid")(wanted, before)
                differs = check_at(before, f"{name_of(wanted)} differs", f"{place_of(before)}: {wrong}")
                yield differs if wrong else GOOD

    return Oracle(requirement, examine)


def gtid_next_kept(requirement: str) -> Oracle:
    """Return the oracle that checks by the marked Anonymous_gtid events whether GTID_NEXT was ANONYMOUS.

    Servers set their ignorable flag only then; in WL#7592 all have it.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if alignment.case.id.profile == "worklog":
            return
        for index in alignment.marked(requirement):
            wanted, seen = alignment.case.expected.events[index], alignment.observed(index)
            if seen is None or {wanted["type"], seen["type"]} != {int(EventType.ANONYMOUS_GTID)}:
                continue
            if (wanted["flags"] ^ seen["flags"]) & IGNORABLE:
                flag = "has" if seen["flags"] & IGNORABLE else "lacks"
                message = f"{place_of(seen)} {flag} the flag that shows GTID_NEXT=ANONYMOUS"
                yield check_at(seen, "GTID_NEXT differs", message)
            else:
                yield GOOD

    return Oracle(requirement, examine, any_of=frozenset({"flags"}))


def none_of(
    requirement: str, unwanted: Callable[[Entry], bool], what: str, *, unlogged: Unlogged | None = None
) -> Oracle:
    """Return the oracle that checks that the logs hold no unexpected events of a kind.

    Args:
        requirement: The requirement's id.
        unwanted: Returns whether an event is of this kind.
        what: The name of the kind.
        unlogged: Returns the statements of which nothing is logged; None for whatever statement.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        events = alignment.observation.events
        extra = [place for place in alignment.phantoms if unwanted(events[place])]
        surplus = _surplus(alignment) if extra else Counter()
        extra = [place for place in extra if surplus[kind_of(events[place])] > 0]
        if extra and unlogged is not None:
            statements = unlogged(alignment)
            extra = [place for place in extra if is_of_any(statements, events, place)]
        if extra:
            first = events[extra[0]]
            message, cause = f"{place_of(first)} should not be there", logged_cause(name_of(first), UNEXPECTED)
            yield check_at(first, f"{what} logged", message, cause)
        else:
            yield GOOD

    return Oracle(requirement, examine)


def every_event(
    requirement: str,
    wrong: Callable[[Entry], str],
    *,
    types: frozenset[int] = frozenset(),
    cause: Cause | None = None,
) -> Oracle:
    """Return the oracle that checks every event of the logs.

    Args:
        requirement: The requirement's id.
        wrong: Returns what is wrong with an event, "" if nothing is.
        types: Check events of these types only.
        cause: Why it fails, if that is one cause for all events.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for entry in alignment.observation.events:
            if types and entry["type"] not in types:
                continue
            fault = wrong(entry)
            message = f"{place_of(entry)} {fault}"
            yield check_at(entry, f"{name_of(entry)} {fault}", message, cause) if fault else GOOD

    return Oracle(requirement, examine)


def _anywhere(alignment: Alignment, log: int, offset: int) -> bool:
    return True


def by_log_check(
    requirement: str,
    *,
    rule: str = "",
    at: Callable[[Alignment, int, int], bool] = _anywhere,
    asks_more: bool = False,
    is_before: bool = False,
    of_structure: bool = False,
) -> Oracle:
    """Return the oracle that judges the logs by the rules for recorded logs.

    Args:
        requirement: The requirement's id.
        rule: The id under which these rules have it, if that is another one.
        at: Returns whether the requirement is about the event of a log, given by its number from 0, at an offset.
        asks_more: It checks more than the expected entries hold.
        is_before: Whether the event before the one that breaks the rule is at its place.
        of_structure: Whether the rule is about which events there are, so that one which is missing can break it.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for log, violation in _violations(
            alignment.case.id.profile, alignment.observation.streams, _first_number(alignment)
        ):
            if violation.requirement == (rule or requirement) and at(alignment, log, violation.offset):
                message = f"{violation.actual}, expected {violation.expected}"
                place = _offset_before(alignment, log, violation.offset) if is_before else violation.offset
                cause = cause_of_structure(alignment) if of_structure else None
                yield Check(_without_numbers(violation.actual), message, place, cause, log=log)
        yield GOOD

    return Oracle(requirement, examine, asks_more=asks_more, of_torn_logs=True)


def _offset_before(alignment: Alignment, log: int, offset: int) -> int:
    """Return the offset of the event before one of a log."""
    of_log = (each["offset"] for each in alignment.observation.events if each["log"] == log)
    return max((each for each in of_log if each < offset), default=offset)


def _first_number(alignment: Alignment) -> int:
    """Return the number in the name of the first log, which is above 1 where logs were purged."""
    for entry in alignment.case.expected.events:
        if entry["type"] == EventType.ROTATE:
            return int(entry["next_file"].rpartition(".")[2]) - 1 - int(entry["log"])
    return 1


#: A text in quotes, as messages have it.
_QUOTED: Final = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")


def _without_numbers(text: str) -> str:
    """Return a text without its numbers and without what it quotes, which may be bytes read at a wrong place."""
    return re.sub(r"0x[0-9a-f]+|\d+", "N", _QUOTED.sub("...", text))[:80]


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _violations(profile: str, streams: tuple[bytes, ...], first: int) -> tuple[tuple[int, Violation], ...]:
    """Return the violations of the rules for recorded logs, in each log and from each to the next, with its number."""
    violations: list[tuple[int, Violation]] = []

    def collect_of(log: int) -> Callable[[Violation | Note], None]:
        return lambda each: violations.append((log, each)) if isinstance(each, Violation) else None

    before: CheckedLog | None = None
    for log, stream in enumerate(streams):
        collect = collect_of(log)
        checked = LogChecker(f"bin.{first + log:06d}", profile=profile, report=collect).check(io.BytesIO(stream))
        if before is not None and checked.unreadable is None:
            of_before = Verdicts(JUDGED_IN_A_CHAIN, collect_of(log - 1))
            judge_chain(before, checked, of_before=of_before, of_after=Verdicts(JUDGED_IN_A_CHAIN, collect))
        before = None if checked.unreadable else checked
    return tuple(violations)
