"""The oracles of the role `boundary`, and those that judge markers as a decoder reports them (WL#4162)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.transition_table import CELLS, Outcome
from conformance.models.boundary.type_table import TYPE_ROWS
from conformance.oracles.alignment import Alignment
from conformance.oracles.coverage.boundary_coverage import BOUNDARY_TABLES
from conformance.oracles.coverage.shipped_boundary_coverage import SHIPPED_BOUNDARY_TABLES
from conformance.oracles.oracle import GOOD, Check, Oracle, delivered

#: What was expected of an event, or what was answered: the fields that are asked for and declared, None for one that
#: is missing in spite of that.
Answer = Mapping[str, Any]
#: Tells what is wrong with the answer about an event, in words that do not vary; the empty text for nothing, and None
#: where the answer does not show it. It is given the expected entry and the one seen.
Look = Callable[[Answer, Answer], str | None]

_NAME: Final = re.compile("|".join(each.heading for each in BoundaryType))
#: How many boundary types a warning names.
_NAMED: Final = 2
_FIELDS: Final = ("boundary_type", "state", "within_transaction", "warning")


def _in_step(alignment: Alignment, index: int) -> bool:
    """Tell whether the parser stood where it should before an event: a difference is charged once, where it arises."""
    expected = alignment.case.expected.events
    if index == 0 or expected[index]["offset"] in alignment.case.settings["resets"]:
        return True
    before, seen = expected[index - 1], alignment.observed(index - 1)
    if seen is None:
        return False
    shown = "state" if "state" in alignment.role.fields and "state" in before else "within_transaction"
    return shown not in alignment.role.fields or seen.get(shown) == before[shown]


def _told(requirement: str, look: Look, *names: str, anywhere: bool = False) -> Oracle:
    """Return the oracle that looks at the answers about the marked events.

    Args:
        requirement: The requirement's id.
        look: Tells what is wrong with one.
        *names: The fields that show what is wrong; one of them has to be declared.
        anywhere: Look also at events before which the parser did not stand where it should.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        for index in alignment.marked(name):
            seen = alignment.observed(index)
            if seen is None or not (anywhere or _in_step(alignment, index)):
                continue
            expected = alignment.case.expected.events[index]
            wrong = look(expected, _answered(alignment, expected, seen))
            if wrong is not None:
                message = f"{alignment.describe(index)}: {wrong}"
                yield Check(wrong, message, expected["offset"]) if wrong else GOOD

    return Oracle(requirement, examine, any_of=frozenset(names or _FIELDS))


def _answered(alignment: Alignment, expected: Answer, seen: Answer) -> Answer:
    """Return what is asked for and declared, from what was answered of an event."""
    return {name: seen.get(name) for name in expected if name in alignment.role.fields}


def _differs(expected: Answer, seen: Answer, *names: str) -> str:
    """Return the first of some fields that is asked for and not as expected, in words."""
    for name in names:
        if name in seen and seen[name] != expected[name]:
            return f"{name} is {'missing' if seen[name] is None else seen[name]}, not {expected[name]}"
    return ""


def _same(*names: str) -> Look:
    return lambda expected, seen: _differs(expected, seen, *names)


def _warned(expected: Answer, seen: Answer) -> str:
    """Tell whether there is a warning where none must be, or none where one must be; its text is not looked at."""
    if "warning" not in seen or bool(seen["warning"]) == bool(expected["warning"]):
        return ""
    return "no warning" if expected["warning"] else "a warning, though the step is right"


def _where_taken(look: Look) -> Look:
    """Return the same look, at those events only that the parser took for what they are."""
    return lambda expected, seen: None if _differs(expected, seen, "boundary_type") else look(expected, seen)


@_where_taken
def _moved(expected: Answer, seen: Answer) -> str:
    """Compare the step that the table gives."""
    return _warned(expected, seen) or ("" if expected["warning"] else _differs(expected, seen, "state"))


def _ends_up(*names: str) -> Look:
    """Return the look at where the parser stands after an event that it took and judged rightly."""
    return _where_taken(lambda expected, seen: None if _warned(expected, seen) else _differs(expected, seen, *names))


def _letter(letter: str) -> Look:
    """Return the look whether one of the eight answers is given where, and only where, it is true."""

    def look(expected: Answer, seen: Answer) -> str:
        true, told = letter in expected["answers"], letter in (seen["answers"] or "")
        return "" if true == told else f"answer {letter}) is {'not given' if true else 'given, though it is not true'}"

    return look


def _names(expected: Answer, seen: Answer) -> str | None:
    """Tell whether a warning calls boundary types by other names than their own."""
    if not seen["warning"]:
        return None
    named = len(_NAME.findall(seen["warning"])) >= _NAMED
    return "" if named else "the warning does not name two boundary types"


def _text(expected: Answer, seen: Answer) -> str | None:
    """Compare the text of a warning where there is one."""
    return _differs(expected, seen, "warning") if seen["warning"] else None


def _guessed(expected: Answer, seen: Answer) -> str:
    undefined = seen["boundary_type"] in (None, BoundaryType.NOT_DEFINED.heading)
    return "no boundary type is guessed" if undefined else ""


@_where_taken
def _undefined(expected: Answer, seen: Answer) -> str | None:
    """Tell whether a parser is in Not Defined where it must not be, or is not where it must be."""
    if _warned(expected, seen):
        return None
    if seen["state"] is None:
        return _differs(expected, seen, "state")
    undefined = [entry["state"] == BoundaryType.NOT_DEFINED.heading for entry in (expected, seen)]
    return "" if undefined[0] == undefined[1] else f"state is {seen['state']}, not {expected['state']}"


@_where_taken
def _unchanged(expected: Answer, seen: Answer) -> str:
    return _warned(expected, seen) or _differs(expected, seen, "state")


def _never_ignore(expected: Answer, seen: Answer) -> str:
    ignore = BoundaryType.IGNORE_BOUNDARY.heading
    return f"state is {ignore}" if seen.get("state") == ignore else ""


@_where_taken
def _reset_to(expected: Answer, seen: Answer) -> str:
    """Compare what the first event behind a reset shows of the type that it led to: a warning names it first."""
    wrong = _warned(expected, seen) or _differs(expected, seen, "state")
    named = _NAME.findall(seen.get("warning") or "")[:1]
    if wrong or not named or named == _NAME.findall(expected["warning"])[:1]:
        return wrong
    return f"the warning is about a parser in {named[0]}"


def _everything(expected: Answer, seen: Answer) -> str:
    return _differs(expected, seen, "boundary_type", "state", "within_transaction") or _warned(expected, seen)


@_where_taken
def _fresh(expected: Answer, seen: Answer) -> str:
    """Compare what a parser makes of the first events of a stream."""
    return _warned(expected, seen) or _differs(expected, seen, "state", "within_transaction")


def _tracked(requirement: str) -> Oracle:
    """Return the oracle that the parser tells of each event, and of nothing else, up to the end of the stream."""
    each = delivered(requirement)

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        yield from each.examine(alignment, name)
        if alignment.phantoms:
            at = alignment.phantoms[0]
            yield Check("event where none starts", f"an event is told of at offset {at}, where none starts", at)
        if alignment.disordered is not None:
            at = alignment.disordered
            yield Check("event twice or out of order", f"the event at offset {at} comes twice or out of order", at)
        last, error = alignment.count - 1, alignment.observation.error
        whole = alignment.case.expected.refused_at is None
        if whole and error is not None and last in alignment.marked(name) and alignment.observed(last) is not None:
            yield Check("error at the end", f"there is an entry for every event, and still an error: {error.message}")

    return Oracle(requirement, examine, any_of=frozenset(_FIELDS))


def _same_rules(requirement: str) -> Oracle:
    """Return the oracle that a stream gives the same answers when it is read again for another use.

    It compares answers with each other, and not with what is expected.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        settings, expected = alignment.case.settings, alignment.case.expected.events
        places = {entry["offset"]: index for index, entry in enumerate(expected)}
        starts = [0, *(places[offset] for offset in settings["resets"])]
        for index in alignment.marked(name):
            number = bisect_right(starts, index) - 1
            before, seen = alignment.observed(index - starts[number] + starts[number - 1]), alignment.observed(index)
            if before is None or seen is None:
                continue
            first = next((field for field in _FIELDS if before.get(field) != seen.get(field)), None)
            if first is None:
                yield GOOD
                continue
            uses = f"to a {settings['uses'][number - 1]} and to a {settings['uses'][number]}"
            message = f"{alignment.describe(index)}: {first} differs {uses}: {before.get(first)}, {seen.get(first)}"
            yield Check(f"{first} depends on the use", message, expected[index]["offset"])

    return Oracle(requirement, examine, any_of=frozenset(_FIELDS))


def _marker_in_flags(requirement: str, look: Callable[[int, int], bool]) -> Oracle:
    """Return the oracle that looks at the flags word as a decoder reports it.

    Args:
        requirement: The requirement's id.
        look: Tells from the expected word and the one seen whether all is well.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        for index in alignment.marked(name):
            seen = alignment.observed(index)
            if seen is None or "flags" not in alignment.role.fields:
                continue
            expected = alignment.case.expected.events[index]
            flags = seen.get("flags")
            if isinstance(flags, int) and look(expected["flags"], flags):
                yield GOOD
                continue
            shown = "missing" if flags is None else f"{flags:#06x}" if isinstance(flags, int) else repr(flags)
            message = f"{alignment.describe(index)}: the flags word is {shown}, expected {expected['flags']:#06x}"
            yield Check("marker differs" if flags is not None else "no flags word", message, expected["offset"])

    return Oracle(requirement, examine, any_of=frozenset({"flags"}))


def _same_marker(expected: int, seen: int) -> bool:
    return MARKER_BITS.stored(expected) == MARKER_BITS.stored(seen)


def _has_type(expected: int, seen: int) -> bool:
    return 0 <= seen <= 0xFFFF and MARKER_BITS.stored(seen) <= max(BoundaryType)


#: What shows where a parser stands, however it got there.
_PROGRESS: Final = ("state", "within_transaction", "warning")
#: What shows whether a parser takes a step as its cell says; where it stands after a wrong one is not the cell's.
_SHOWN_BY: Final[Mapping[Outcome, tuple[str, ...]]] = {Outcome.OK: ("state", "warning"), Outcome.ERR: ("warning",)}

_TYPE: Final = _same("boundary_type")
_WITHIN: Final = _ends_up("within_transaction")


_WARNED: Final = _where_taken(_warned)


def _taken(expected: Answer, seen: Answer) -> str | None:
    """Compare the marker, and whether the stream stands within a transaction after an event that is right."""
    return _differs(expected, seen, "marker") or _WITHIN(expected, seen)


#: Every oracle on boundaries, in the order of the catalogue.
ORACLES: Final[tuple[Oracle, ...]] = (
    _marker_in_flags("WL4162-MARKER-THREE-FLAG-BITS", _same_marker),
    _marker_in_flags("WL4162-MARKER-READ-BACK", _same_marker),
    _marker_in_flags("WL4162-MARKER-UNMARKED-STAYS-UNDEFINED", _same_marker),
    _marker_in_flags("WL4162-EVENT-HAS-TYPE", _has_type),
    _told("WL4162-MARKER-HEADER-ALONE", _TYPE, "boundary_type"),
    _told("WL4162-ANSWER-FEATURE-ENABLED", _letter("a"), "answers", anywhere=True),
    _told("WL4162-ANSWER-NO-INFORMATION", _letter("b"), "answers", anywhere=True),
    _told("WL4162-ANSWER-SELF-CONTAINED", _letter("c"), "answers", anywhere=True),
    _told("WL4162-ANSWER-STARTING", _letter("d"), "answers", anywhere=True),
    _told("WL4162-ANSWER-INSIDE", _letter("e"), "answers", anywhere=True),
    _told("WL4162-ANSWER-ENDING", _letter("f"), "answers", anywhere=True),
    _told("WL4162-ANSWER-MIDDLE", _letter("g"), "answers", anywhere=True),
    _told("WL4162-ANSWER-IGNORED", _letter("h"), "answers", anywhere=True),
    _told("WL4162-BOUNDARY-NOT-DEFINED", _same("marker"), "marker", anywhere=True),
    _told("WL4162-BOUNDARY-IGNORE", _same("marker"), "marker", anywhere=True),
    *(
        _told(f"WL4162-BOUNDARY-{name}", _taken, "marker", "within_transaction")
        for name in ("SELF-CONTAINED", "START", "INSIDE", "END")
    ),
    _told("WL4162-SELF-QUERY-CONDITIONS", _TYPE, "boundary_type"),
    _tracked("WL4162-STREAM-TRACKED"),
    _told("WL4162-STREAM-GRAMMAR", _WARNED, "warning"),
    _told("WL4162-STREAM-GRAMMAR-REPETITION", _WARNED, "warning"),
    _told("WL4162-STREAM-MIDDLE-KNOWN", _WITHIN, "within_transaction"),
    _same_rules("WL4162-STREAM-SAME-RULES"),
    _told("WL4162-STREAM-OWN-PARSER", _fresh, *_PROGRESS),
    _told("WL4162-STREAM-WHOLE-EVENT-FED", _TYPE, "boundary_type"),
    _told("WL4162-ANY-BINLOG-FORMAT", _everything),
    _told("WL4162-ANY-GTID-MODE", _same("within_transaction"), "within_transaction"),
    _told("WL4162-TT-INITIAL", _undefined, "state"),
    _told("WL4162-TT-NEVER-IGNORE", _never_ignore, "state"),
    *(_told(cell.requirement, _moved, *_SHOWN_BY[cell.outcome]) for cell in CELLS.values()),
    _told("WL4162-TT-GUESS-UNMARKED", _guessed, "boundary_type"),
    _told("WL4162-TT-GUESS-OLD-SOURCE", _WARNED, "warning"),
    _told("WL4162-TT-IGNORE-KEEPS-STATE", _unchanged, "state", "warning"),
    _told("WL4162-OLD-METHOD-WITHOUT-MARKERS", _same("within_transaction"), "within_transaction"),
    _told("WL4162-RESET-NEW-STREAM", _fresh, *_PROGRESS),
    _told("WL4162-RESET-TO-UNDEFINED", _reset_to, "state", "warning"),
    _told("WL4162-RESET-AFTER-ERROR", _ends_up("state"), "state"),
    _told("WL4162-WARN-WRONG-TRANSITION", _WARNED, "warning"),
    _told("WL4162-WARN-TEXT-RECEIVER", _text, "warning"),
    _told("WL4162-WARN-TEXT-MIDDLE", _text, "warning"),
    _told("WL4162-BOUNDARY-NAMES", _names, "warning", anywhere=True),
    _told("WL4162-WARN-EACH-EVENT", _WARNED, "warning"),
    _told("WL4162-REPOSITION-AT-START", _WARNED, "warning"),
    *(_told(row.requirement, _TYPE, "boundary_type") for row in TYPE_ROWS),
    _told("WL4162-TYPE-EXECUTE-LOAD-QUERY", _TYPE, "boundary_type"),
    _told("WL4162-QUERY-WORDS", _TYPE, "boundary_type"),
    _told("WL40-GUESS-EXTENDED-QUERY", _TYPE, "boundary_type"),
    _told("FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD", _warned, "warning"),
    _told("FORMAT-SHIPPED-BOUNDARY-GOES-ON", _same("within_transaction"), "within_transaction"),
    _told("FORMAT-SHIPPED-BOUNDARY-WARNING-TEXT", _text, "warning"),
    _told("FORMAT-SHIPPED-BOUNDARY-IGNORED-WITHIN", _everything, "within_transaction", "warning"),
    _told("FORMAT-SHIPPED-BOUNDARY-INCIDENT", _everything, "within_transaction", "warning"),
    *(
        _told(f"WL7592-{name}", _same("within_transaction"), "within_transaction", anywhere=True)
        for name in (
            "GROUP-STARTS-AT-ANON",
            "GROUP-ENDS-AT-COMMIT",
            "DDL-ENDS-ANON-GROUP",
            "CREATE-SELECT-BOUNDARIES",
            "PREVIOUS-GTIDS-OUTSIDE",
        )
    ),
)

#: What a corpus, or a night of fuzzing, reached.
COVERAGE_TABLES: Final = (*BOUNDARY_TABLES, *SHIPPED_BOUNDARY_TABLES)
