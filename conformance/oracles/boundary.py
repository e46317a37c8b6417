"""The oracles of the role `boundary`, and those that judge markers as a decoder reports them (WL#4162)."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.transition_table import CELLS, StepOutcome
from conformance.models.boundary.type_table import TYPE_ROWS
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.boundary_freedoms import is_of_one_reading
from conformance.oracles.checks.boundary_steps import NAME, field_cause, is_in_step, own_steps, step_cause
from conformance.oracles.checks.remembered_begin import begin_forgotten
from conformance.oracles.coverage.boundary_coverage import BOUNDARY_TABLES
from conformance.oracles.coverage.shipped_boundary_coverage import SHIPPED_BOUNDARY_TABLES
from conformance.oracles.oracle import GOOD, Check, Oracle, both, delivered

#: What is expected of an event, or what was answered: the fields that are expected and declared, None for a
#: missing one.
Answer = Mapping[str, Any]
#: Returns a stable description of what is wrong with the answer about an event, "" if nothing is, None if the answer
#: does not show it. Its arguments are the expected entry and the observed one.
Look = Callable[[Answer, Answer], str | None]

#: How many boundary types a warning names.
_NAMED: Final = 2
#: The types of events that hold statements.
_OF_STATEMENTS: Final = frozenset({EventType.QUERY, EventType.EXECUTE_LOAD_QUERY})
_FIELDS: Final = ("boundary_type", "state", "within_transaction", "warning")


def _check_answers(
    requirement: str,
    look: Look,
    *names: str,
    anywhere: bool = False,
    begins: bool = False,
    resets: bool = False,
    guessed: bool = False,
) -> Oracle:
    """Return the oracle that checks the answers about the marked events.

    Args:
        requirement: The requirement's id.
        look: Returns what is wrong with one.
        *names: The fields that show what is wrong; one of them must be declared.
        anywhere: Also check events at which another step follows from what the parser showed before.
        begins: Also check events that show that the parser began in a wrong state.
        resets: Check these alone: a wrong step from the right state does not show a wrong reset.
        guessed: Pass over the answers of a parser with another reading, where the worklog leaves one open.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            if seen is None:
                continue
            began = index in own_steps(alignment).begun_elsewhere
            if not (anywhere or (began and (begins or resets)) or is_in_step(alignment, index)):
                continue
            expected = alignment.case.expected.events[index]
            wrong = look(expected, _judged_fields(alignment, expected, seen))
            if wrong and guessed and is_of_one_reading(alignment, index):
                continue
            if wrong is not None and (began or not (wrong and resets)):
                yield _check(alignment, index, wrong)

    return Oracle(requirement, examine, any_of=frozenset(names or _FIELDS))


def _check(alignment: Alignment, index: int, wrong: str) -> Check:
    """Return the check of the answer about an event, given what is wrong with it."""
    if not wrong:
        return GOOD
    at = alignment.case.expected.events[index]["offset"]
    return Check(wrong, f"{alignment.describe(index)}: {wrong}", at, _cause(alignment, index, wrong))


def _check_any_format(requirement: str) -> Oracle:
    """Return the oracle that checks that a change is answered alike in transactions of one format and of several.

    A parser that answers wrongly about it in all of them breaks another rule.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        answers: list[tuple[int, tuple[int, bool], bool, str]] = []
        for index, is_mixed in _changes(alignment, requirement):
            seen = alignment.observed(index)
            if seen is None or not is_in_step(alignment, index):
                continue
            expected = alignment.case.expected.events[index]
            kind = expected["type"], expected["marker"] == BoundaryType.NOT_DEFINED.heading
            wrong = _check_everything(expected, _judged_fields(alignment, expected, seen))
            answers.append((index, kind, is_mixed, wrong))
        right = {(kind, is_mixed) for _, kind, is_mixed, wrong in answers if not wrong}
        for index, kind, is_mixed, wrong in answers:
            if not wrong or (kind, not is_mixed) in right:
                yield _check(alignment, index, wrong)

    return Oracle(requirement, examine, any_of=frozenset(_FIELDS))


def _changes(alignment: Alignment, requirement: str) -> Iterator[tuple[int, bool]]:
    """Yield the marked changes, each with whether its transaction so far has both rows and statements."""
    entries = alignment.case.expected.events
    forms: set[bool] = set()
    before = 0
    for index in alignment.marked(requirement):
        if any(entry["within_transaction"] == "no" for entry in entries[before:index]):
            forms.clear()
        forms.add(entries[index]["type"] in _OF_STATEMENTS)
        before = index
        yield index, len(forms) > 1


def _cause(alignment: Alignment, index: int, wrong: str) -> Cause:
    """Return the cause of what is wrong with an answer: the wrong step, unless it is about the header alone."""
    if wrong.startswith("marker "):
        return field_cause(alignment, index, "marker")
    of_step = None if wrong.startswith("answer ") else step_cause(alignment, index)
    return of_step or Cause(wrong, role=alignment.case.role)


def _judged_fields(alignment: Alignment, expected: Answer, seen: Answer) -> Answer:
    """Return the fields of an answer about an event that are expected and declared."""
    return {name: seen.get(name) for name in expected if name in alignment.role.fields}


def _differs(expected: Answer, seen: Answer, *names: str) -> str:
    """Return the first of some fields whose value is not the expected one, in words."""
    for name in names:
        if name in seen and seen[name] != expected[name]:
            return f"{name} is {'missing' if seen[name] is None else seen[name]}, not {expected[name]}"
    return ""


def _equal_fields(*names: str) -> Look:
    return lambda expected, seen: _differs(expected, seen, *names)


def _check_warning(expected: Answer, seen: Answer) -> str:
    """Compare whether there is a warning; its text is not compared."""
    if "warning" not in seen or bool(seen["warning"]) == bool(expected["warning"]):
        return ""
    return "no warning" if expected["warning"] else "a warning although the step is right"


def _if_type_agrees(look: Look) -> Look:
    """Return the same look, for those events only whose boundary type the parser got right."""
    return lambda expected, seen: None if _differs(expected, seen, "boundary_type") else look(expected, seen)


@_if_type_agrees
def _check_step(expected: Answer, seen: Answer) -> str:
    """Compare the step with that of the table."""
    return _check_warning(expected, seen) or ("" if expected["warning"] else _differs(expected, seen, "state"))


def _fields_after(*names: str) -> Look:
    """Return the look that compares fields after an event with the right type and warning."""
    return _if_type_agrees(
        lambda expected, seen: None if _check_warning(expected, seen) else _differs(expected, seen, *names)
    )


def _letter(letter: str) -> Look:
    """Return the look that compares whether one of the eight answers is given."""

    def look(expected: Answer, seen: Answer) -> str:
        true, given = letter in expected["answers"], letter in (seen["answers"] or "")
        return (
            "" if true == given else f"answer {letter}) is {'not given' if true else 'given although it is not true'}"
        )

    return look


def _check_named_types(expected: Answer, seen: Answer) -> str | None:
    """Check that a warning names boundary types by their own names."""
    if not seen["warning"]:
        return None
    named = len(NAME.findall(seen["warning"])) >= _NAMED
    return "" if named else "the warning does not name two boundary types"


def _check_warning_text(expected: Answer, seen: Answer) -> str | None:
    """Compare the text of a warning, if there is one."""
    return _differs(expected, seen, "warning") if seen["warning"] else None


def _check_guess(expected: Answer, seen: Answer) -> str:
    undefined = seen["boundary_type"] in (None, BoundaryType.NOT_DEFINED.heading)
    return "no boundary type is guessed" if undefined else ""


@_if_type_agrees
def _check_undefined(expected: Answer, seen: Answer) -> str | None:
    """Compare whether the parser is in Not Defined."""
    if _check_warning(expected, seen):
        return None
    if seen["state"] is None:
        return _differs(expected, seen, "state")
    undefined = [entry["state"] == BoundaryType.NOT_DEFINED.heading for entry in (expected, seen)]
    return "" if undefined[0] == undefined[1] else f"state is {seen['state']}, not {expected['state']}"


@_if_type_agrees
def _check_unchanged(expected: Answer, seen: Answer) -> str:
    return _check_warning(expected, seen) or _differs(expected, seen, "state")


def _check_never_ignore(expected: Answer, seen: Answer) -> str:
    ignore = BoundaryType.IGNORE_BOUNDARY.heading
    return f"state is {ignore}" if seen.get("state") == ignore else ""


@_if_type_agrees
def _check_reset(expected: Answer, seen: Answer) -> str:
    """Compare the state that the first event after a reset shows: a warning names it first."""
    wrong = _check_warning(expected, seen) or _differs(expected, seen, "state")
    named = NAME.findall(seen.get("warning") or "")[:1]
    if wrong or not named or named == NAME.findall(expected["warning"])[:1]:
        return wrong
    return f"the warning is about a parser in {named[0]}"


def _check_transactions(expected: Answer, seen: Answer) -> str:
    """Compare whether there is a warning, and whether the stream is within a transaction."""
    return _check_warning(expected, seen) or _differs(expected, seen, "within_transaction")


def _check_everything(expected: Answer, seen: Answer) -> str:
    return _differs(expected, seen, "boundary_type", "state", "within_transaction") or _check_warning(expected, seen)


@_if_type_agrees
def _check_first_events(expected: Answer, seen: Answer) -> str:
    """Compare the answers about the first events of a stream; the state after a wrong step is another matter."""
    wrong = _check_warning(expected, seen)
    return wrong or ("" if expected["warning"] else _differs(expected, seen, "state", "within_transaction"))


def _check_tracking(requirement: str) -> Oracle:
    """Return the oracle that checks for one entry about each event, and no others, up to the end of the stream."""
    each = delivered(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        yield from each.examine(alignment, requirement)
        if alignment.phantoms:
            at = alignment.phantoms[0]
            yield Check("event where none starts", f"there is an entry for offset {at}, where no event starts", at)
        if alignment.disordered is not None:
            at = alignment.disordered
            yield Check("event repeated or out of order", f"the event at offset {at} is repeated or out of order", at)
        last, error = alignment.count - 1, alignment.observation.error
        whole = alignment.case.expected.refused_at is None
        if (
            whole
            and error is not None
            and last in alignment.marked(requirement)
            and alignment.observed(last) is not None
        ):
            yield Check("error at the end", f"there is an entry for every event, but also an error: {error.message}")

    return Oracle(requirement, examine, any_of=frozenset(_FIELDS))


def _check_same_rules(requirement: str) -> Oracle:
    """Return the oracle that checks that a stream gives the same answers when it is read again for another use.

    It compares answers with each other, not with the expected ones.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        settings, expected = alignment.case.settings, alignment.case.expected.events
        places = {entry["offset"]: index for index, entry in enumerate(expected)}
        starts = [0, *(places[offset] for offset in settings["resets"])]
        for index in alignment.marked(requirement):
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
            wrong = f"{first} depends on the use"
            yield Check(wrong, message, expected[index]["offset"], _cause(alignment, index, wrong))

    return Oracle(requirement, examine, any_of=frozenset(_FIELDS))


def _marker_in_flags(requirement: str, look: Callable[[int, int], bool]) -> Oracle:
    """Return the oracle that checks the flags word as a decoder reports it.

    Args:
        requirement: The requirement's id.
        look: Returns whether the expected word and the one seen agree.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
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


def _equal_markers(expected: int, seen: int) -> bool:
    return MARKER_BITS.stored(expected) == MARKER_BITS.stored(seen)


def _has_type(expected: int, seen: int) -> bool:
    return 0 <= seen <= 0xFFFF and MARKER_BITS.stored(seen) <= max(BoundaryType)


#: The fields that show the state of a parser, whatever led to it.
_PROGRESS: Final = ("state", "within_transaction", "warning")
#: The fields that show whether a parser takes the step of a cell; a cell does not give the state after a wrong step.
_SHOWN_BY: Final[Mapping[StepOutcome, tuple[str, ...]]] = {
    StepOutcome.OK: ("state", "warning"),
    StepOutcome.ERR: ("warning",),
}

_EQUAL_TYPE: Final = _equal_fields("boundary_type")
_EQUAL_WITHIN: Final = _fields_after("within_transaction")


_EQUAL_WARNING: Final = _if_type_agrees(_check_warning)


def _check_marker(expected: Answer, seen: Answer) -> str | None:
    """Compare the marker, and whether the stream is within a transaction after a correct event."""
    return _differs(expected, seen, "marker") or _EQUAL_WITHIN(expected, seen)


#: Every oracle about boundaries, in the order of the catalogue.
ORACLES: Final[tuple[Oracle, ...]] = (
    _marker_in_flags("WL4162-MARKER-THREE-FLAG-BITS", _equal_markers),
    _marker_in_flags("WL4162-MARKER-READ-BACK", _equal_markers),
    _marker_in_flags("WL4162-MARKER-UNMARKED-STAYS-UNDEFINED", _equal_markers),
    _marker_in_flags("WL4162-EVENT-HAS-TYPE", _has_type),
    _check_answers("WL4162-MARKER-HEADER-ALONE", _EQUAL_TYPE, "boundary_type"),
    _check_answers("WL4162-ANSWER-FEATURE-ENABLED", _letter("a"), "answers", anywhere=True),
    _check_answers("WL4162-ANSWER-NO-INFORMATION", _letter("b"), "answers", anywhere=True),
    _check_answers("WL4162-ANSWER-SELF-CONTAINED", _letter("c"), "answers", anywhere=True),
    _check_answers("WL4162-ANSWER-STARTING", _letter("d"), "answers", anywhere=True),
    _check_answers("WL4162-ANSWER-INSIDE", _letter("e"), "answers", anywhere=True),
    _check_answers("WL4162-ANSWER-ENDING", _letter("f"), "answers", anywhere=True),
    _check_answers("WL4162-ANSWER-MIDDLE", _letter("g"), "answers", anywhere=True),
    _check_answers("WL4162-ANSWER-IGNORED", _letter("h"), "answers", anywhere=True),
    _check_answers("WL4162-BOUNDARY-NOT-DEFINED", _equal_fields("marker"), "marker", anywhere=True),
    _check_answers("WL4162-BOUNDARY-IGNORE", _equal_fields("marker"), "marker", anywhere=True),
    *(
        _check_answers(f"WL4162-BOUNDARY-{name}", _check_marker, "marker", "within_transaction")
        for name in ("SELF-CONTAINED", "START", "INSIDE", "END")
    ),
    _check_answers("WL4162-SELF-QUERY-CONDITIONS", _EQUAL_TYPE, "boundary_type"),
    _check_tracking("WL4162-STREAM-TRACKED"),
    _check_answers("WL4162-STREAM-GRAMMAR", _EQUAL_WARNING, "warning"),
    _check_answers("WL4162-STREAM-GRAMMAR-REPETITION", _EQUAL_WARNING, "warning"),
    _check_answers("WL4162-STREAM-MIDDLE-KNOWN", _EQUAL_WITHIN, "within_transaction"),
    _check_same_rules("WL4162-STREAM-SAME-RULES"),
    _check_answers("WL4162-STREAM-OWN-PARSER", _check_first_events, *_PROGRESS, resets=True),
    _check_answers("WL4162-STREAM-WHOLE-EVENT-FED", _EQUAL_TYPE, "boundary_type"),
    _check_any_format("WL4162-ANY-BINLOG-FORMAT"),
    _check_answers("WL4162-ANY-GTID-MODE", _equal_fields("within_transaction"), "within_transaction"),
    _check_answers("WL4162-TT-INITIAL", _check_undefined, "state", begins=True),
    _check_answers("WL4162-TT-NEVER-IGNORE", _check_never_ignore, "state"),
    *(_check_answers(cell.requirement, _check_step, *_SHOWN_BY[cell.outcome]) for cell in CELLS.values()),
    _check_answers("WL4162-TT-GUESS-UNMARKED", _check_guess, "boundary_type"),
    _check_answers("WL4162-TT-GUESS-OLD-SOURCE", _check_transactions, "warning", "within_transaction"),
    _check_answers("WL4162-TT-IGNORE-KEEPS-STATE", _check_unchanged, "state", "warning"),
    _check_answers("WL4162-OLD-METHOD-WITHOUT-MARKERS", _equal_fields("within_transaction"), "within_transaction"),
    both(
        _check_answers("WL4162-RESET-NEW-STREAM", _check_first_events, *_PROGRESS, resets=True),
        Oracle("WL4162-RESET-NEW-STREAM", begin_forgotten, any_of=frozenset(_FIELDS)),
    ),
    _check_answers("WL4162-RESET-TO-UNDEFINED", _check_reset, "state", "warning", resets=True),
    _check_answers("WL4162-RESET-AFTER-ERROR", _fields_after("state"), "state"),
    _check_answers("WL4162-WARN-WRONG-TRANSITION", _EQUAL_WARNING, "warning"),
    _check_answers("WL4162-WARN-TEXT-RECEIVER", _check_warning_text, "warning"),
    _check_answers("WL4162-WARN-TEXT-MIDDLE", _if_type_agrees(_check_warning_text), "warning"),
    _check_answers("WL4162-BOUNDARY-NAMES", _check_named_types, "warning", anywhere=True),
    _check_answers("WL4162-WARN-EACH-EVENT", _EQUAL_WARNING, "warning"),
    _check_answers("WL4162-REPOSITION-AT-START", _EQUAL_WARNING, "warning", begins=True),
    *(_check_answers(row.requirement, _EQUAL_TYPE, "boundary_type", guessed=True) for row in TYPE_ROWS),
    _check_answers("WL4162-TYPE-EXECUTE-LOAD-QUERY", _EQUAL_TYPE, "boundary_type"),
    _check_answers("WL4162-QUERY-WORDS", _EQUAL_TYPE, "boundary_type"),
    _check_answers("WL40-GUESS-EXTENDED-QUERY", _EQUAL_TYPE, "boundary_type"),
    _check_answers("FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD", _check_warning, "warning"),
    _check_answers("FORMAT-SHIPPED-BOUNDARY-GOES-ON", _equal_fields("within_transaction"), "within_transaction"),
    _check_answers("FORMAT-SHIPPED-BOUNDARY-WARNING-TEXT", _check_warning_text, "warning"),
    _check_answers("FORMAT-SHIPPED-BOUNDARY-IGNORED-WITHIN", _check_everything, "within_transaction", "warning"),
    _check_answers("FORMAT-SHIPPED-BOUNDARY-INCIDENT", _check_everything, "within_transaction", "warning"),
    *(
        _check_answers(f"WL7592-{name}", _equal_fields("within_transaction"), "within_transaction")
        for name in (
            "GROUP-STARTS-AT-ANON",
            "GROUP-ENDS-AT-COMMIT",
            "DDL-ENDS-ANON-GROUP",
            "CREATE-SELECT-BOUNDARIES",
            "PREVIOUS-GTIDS-OUTSIDE",
        )
    ),
)

#: What a corpus or a fuzzing run exercised.
COVERAGE_TABLES: Final = (*BOUNDARY_TABLES, *SHIPPED_BOUNDARY_TABLES)
