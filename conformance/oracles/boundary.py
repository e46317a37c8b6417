"""The oracles of the role `boundary`, and those that judge markers as a decoder reports them (WL#4162)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.transition_table import CELLS, StepOutcome
from conformance.models.boundary.type_table import TYPE_ROWS
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.checks.boundary_answers import (
    FIELDS,
    Answer,
    Look,
    check_answers,
    check_everything,
    check_warning,
    compare_fields,
    is_no_word,
    is_not_ignored,
)
from conformance.oracles.checks.boundary_comparisons import check_any_format, check_any_gtid_mode, check_same_rules
from conformance.oracles.checks.boundary_freedoms import goes_on, is_of_one_reading
from conformance.oracles.checks.boundary_steps import NAME, wrong_answer
from conformance.oracles.checks.misread_statements import check_words_of_later_logs
from conformance.oracles.checks.remembered_begin import begin_forgotten
from conformance.oracles.coverage.boundary_coverage import BOUNDARY_TABLES
from conformance.oracles.coverage.shipped_boundary_coverage import SHIPPED_BOUNDARY_TABLES
from conformance.oracles.oracle import GOOD, Check, Oracle, both, delivered

#: How many boundary types a warning names.
_NAMED: Final = 2


def _equal_fields(*names: str) -> Look:
    return lambda expected, seen: compare_fields(expected, seen, *names)


def _if_type_agrees(look: Look) -> Look:
    """Return the same look, for those events only whose boundary type the parser got right."""
    return lambda expected, seen: None if compare_fields(expected, seen, "boundary_type") else look(expected, seen)


@_if_type_agrees
def _check_step(expected: Answer, seen: Answer) -> str:
    """Compare the step with that of the table."""
    return check_warning(expected, seen) or ("" if expected["warning"] else compare_fields(expected, seen, "state"))


def _fields_after(*names: str) -> Look:
    """Return the look that compares fields after an event with the right type and warning."""
    return _if_type_agrees(
        lambda expected, seen: None if check_warning(expected, seen) else compare_fields(expected, seen, *names)
    )


def _letter(letter: str) -> Look:
    """Return the look that compares whether one of the eight answers is given."""

    def look(expected: Answer, seen: Answer) -> str:
        true, given = letter in expected["answers"], letter in (seen["answers"] or "")
        return "" if true == given else wrong_answer(letter, expected["answers"])

    return look


def _check_named_types(expected: Answer, seen: Answer) -> str | None:
    """Check that a warning names boundary types by their own names."""
    if not seen["warning"]:
        return None
    named = len(NAME.findall(seen["warning"])) >= _NAMED
    return "" if named else "the warning does not name two boundary types"


def _check_warning_text(expected: Answer, seen: Answer) -> str | None:
    """Compare the text of a warning, if there is one."""
    return compare_fields(expected, seen, "warning") if seen["warning"] else None


def _check_guess(expected: Answer, seen: Answer) -> str:
    undefined = seen["boundary_type"] in (None, BoundaryType.NOT_DEFINED.heading)
    return "no boundary type is guessed" if undefined else ""


@_if_type_agrees
def _check_undefined(expected: Answer, seen: Answer) -> str | None:
    """Compare whether the parser is in Not Defined."""
    if check_warning(expected, seen):
        return None
    if seen["state"] is None:
        return compare_fields(expected, seen, "state")
    undefined = [entry["state"] == BoundaryType.NOT_DEFINED.heading for entry in (expected, seen)]
    return "" if undefined[0] == undefined[1] else f"state is {seen['state']}, not {expected['state']}"


@_if_type_agrees
def _check_unchanged(expected: Answer, seen: Answer) -> str:
    return check_warning(expected, seen) or compare_fields(expected, seen, "state")


def _check_never_ignore(expected: Answer, seen: Answer) -> str:
    ignore = BoundaryType.IGNORE_BOUNDARY.heading
    return f"state is {ignore}" if seen.get("state") == ignore else ""


@_if_type_agrees
def _check_reset(expected: Answer, seen: Answer) -> str:
    """Compare the state that the first event after a reset shows: a warning names it first."""
    wrong = check_warning(expected, seen) or compare_fields(expected, seen, "state")
    named = NAME.findall(seen.get("warning") or "")[:1]
    if wrong or not named or named == NAME.findall(expected["warning"])[:1]:
        return wrong
    return f"the warning is about a parser in {named[0]}"


def _check_transactions(expected: Answer, seen: Answer) -> str:
    """Compare whether there is a warning, and whether the stream is within a transaction."""
    return check_warning(expected, seen) or compare_fields(expected, seen, "within_transaction")


@_if_type_agrees
def _check_first_events(expected: Answer, seen: Answer) -> str:
    """Compare the answers about the first events of a stream; the state after a wrong step is another matter."""
    wrong = check_warning(expected, seen)
    return wrong or ("" if expected["warning"] else compare_fields(expected, seen, "state", "within_transaction"))


def _check_tracking(requirement: str) -> Oracle:
    """Return the oracle that checks for one entry about each event, and no others, up to the end of the stream."""
    each = delivered(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        yield from each.examine(alignment, requirement)
        if alignment.count in alignment.marked(requirement):
            yield from _check_malformed(alignment)
        elif alignment.phantoms:
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

    return Oracle(requirement, examine, any_of=frozenset(FIELDS))


def _check_malformed(alignment: Alignment) -> Iterator[Check]:
    """Check that an answer does not end without a word where an event is malformed: with an error, or later."""
    if alignment.fate(alignment.count) is Fate.UNREACHED:
        return
    at = alignment.case.expected.refused_at
    if alignment.observation.error is not None or goes_on(alignment):
        yield GOOD
    else:
        yield Check("ends silently at a malformed event", f"no error and no entry from offset {at} on", at)


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


_EQUAL_WARNING: Final = _if_type_agrees(check_warning)


def _check_marker(expected: Answer, seen: Answer) -> str | None:
    """Compare the marker, and whether the stream is within a transaction after a correct event."""
    return compare_fields(expected, seen, "marker") or _EQUAL_WITHIN(expected, seen)


def _check_words(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check the words of whole events: by their types; without these, by what is made of them in later logs."""
    if "boundary_type" in alignment.role.fields and SHIPPED_VERSIONS[alignment.case.id.profile] is None:
        yield from check_answers(requirement, _EQUAL_TYPE, "boundary_type").examine(alignment, requirement)
    else:
        yield from check_words_of_later_logs(alignment, requirement)


#: Requirement on a row of the type table -> which wrong answers are not about it; most rows leave one reading open.
_NOT_OF_ROW: Final = {"WL4162-TYPE-IGNORABLE": is_not_ignored}

#: Every oracle about boundaries, in the order of the catalogue.
ORACLES: Final[tuple[Oracle, ...]] = (
    _marker_in_flags("WL4162-MARKER-THREE-FLAG-BITS", _equal_markers),
    _marker_in_flags("WL4162-MARKER-READ-BACK", _equal_markers),
    _marker_in_flags("WL4162-MARKER-UNMARKED-STAYS-UNDEFINED", _equal_markers),
    _marker_in_flags("WL4162-EVENT-HAS-TYPE", _has_type),
    check_answers("WL4162-MARKER-HEADER-ALONE", _EQUAL_TYPE, "boundary_type"),
    check_answers("WL4162-ANSWER-FEATURE-ENABLED", _letter("a"), "answers", anywhere=True),
    check_answers("WL4162-ANSWER-NO-INFORMATION", _letter("b"), "answers", anywhere=True),
    check_answers("WL4162-ANSWER-SELF-CONTAINED", _letter("c"), "answers", anywhere=True),
    check_answers("WL4162-ANSWER-STARTING", _letter("d"), "answers", anywhere=True),
    check_answers("WL4162-ANSWER-INSIDE", _letter("e"), "answers", anywhere=True),
    check_answers("WL4162-ANSWER-ENDING", _letter("f"), "answers", anywhere=True),
    check_answers("WL4162-ANSWER-MIDDLE", _letter("g"), "answers", anywhere=True),
    check_answers("WL4162-ANSWER-IGNORED", _letter("h"), "answers", anywhere=True),
    check_answers("WL4162-BOUNDARY-NOT-DEFINED", _equal_fields("marker"), "marker", anywhere=True),
    check_answers("WL4162-BOUNDARY-IGNORE", _equal_fields("marker"), "marker", anywhere=True),
    *(
        check_answers(f"WL4162-BOUNDARY-{name}", _check_marker, "marker", "within_transaction")
        for name in ("SELF-CONTAINED", "START", "INSIDE", "END")
    ),
    check_answers("WL4162-SELF-QUERY-CONDITIONS", _EQUAL_TYPE, "boundary_type"),
    _check_tracking("WL4162-STREAM-TRACKED"),
    check_answers("WL4162-STREAM-GRAMMAR", _EQUAL_WARNING, "warning"),
    check_answers("WL4162-STREAM-GRAMMAR-REPETITION", _EQUAL_WARNING, "warning"),
    check_answers("WL4162-STREAM-MIDDLE-KNOWN", _EQUAL_WITHIN, "within_transaction"),
    check_same_rules("WL4162-STREAM-SAME-RULES"),
    check_answers("WL4162-STREAM-OWN-PARSER", _check_first_events, *_PROGRESS, resets=True),
    Oracle("WL4162-STREAM-WHOLE-EVENT-FED", _check_words, any_of=frozenset({"boundary_type", "within_transaction"})),
    check_any_format("WL4162-ANY-BINLOG-FORMAT"),
    check_any_gtid_mode("WL4162-ANY-GTID-MODE"),
    check_answers("WL4162-TT-INITIAL", _check_undefined, "state", begins=True),
    check_answers("WL4162-TT-NEVER-IGNORE", _check_never_ignore, "state"),
    *(check_answers(cell.requirement, _check_step, *_SHOWN_BY[cell.outcome]) for cell in CELLS.values()),
    check_answers("WL4162-TT-GUESS-UNMARKED", _check_guess, "boundary_type"),
    check_answers("WL4162-TT-GUESS-OLD-SOURCE", _check_transactions, "warning", "within_transaction"),
    check_answers("WL4162-TT-IGNORE-KEEPS-STATE", _check_unchanged, "state", "warning"),
    check_answers("WL4162-OLD-METHOD-WITHOUT-MARKERS", _equal_fields("within_transaction"), "within_transaction"),
    both(
        check_answers("WL4162-RESET-NEW-STREAM", _check_first_events, *_PROGRESS, resets=True),
        Oracle("WL4162-RESET-NEW-STREAM", begin_forgotten, any_of=frozenset(FIELDS)),
    ),
    check_answers("WL4162-RESET-TO-UNDEFINED", _check_reset, "state", "warning", resets=True),
    check_answers("WL4162-RESET-AFTER-ERROR", _fields_after("state"), "state"),
    check_answers("WL4162-WARN-WRONG-TRANSITION", _EQUAL_WARNING, "warning"),
    check_answers("WL4162-WARN-TEXT-RECEIVER", _check_warning_text, "warning"),
    check_answers("WL4162-WARN-TEXT-MIDDLE", _if_type_agrees(_check_warning_text), "warning"),
    check_answers("WL4162-BOUNDARY-NAMES", _check_named_types, "warning", anywhere=True),
    check_answers("WL4162-WARN-EACH-EVENT", _EQUAL_WARNING, "warning"),
    check_answers("WL4162-REPOSITION-AT-START", _EQUAL_WARNING, "warning", begins=True),
    *(
        check_answers(
            row.requirement, _EQUAL_TYPE, "boundary_type", unless=_NOT_OF_ROW.get(row.requirement, is_of_one_reading)
        )
        for row in TYPE_ROWS
    ),
    check_answers("WL4162-TYPE-EXECUTE-LOAD-QUERY", _EQUAL_TYPE, "boundary_type"),
    check_answers("WL4162-QUERY-WORDS", _EQUAL_TYPE, "boundary_type", unless=is_no_word),
    check_answers("WL40-GUESS-EXTENDED-QUERY", _EQUAL_TYPE, "boundary_type", unless=is_of_one_reading),
    check_answers("FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD", check_warning, "warning"),
    check_answers("FORMAT-SHIPPED-BOUNDARY-GOES-ON", _equal_fields("within_transaction"), "within_transaction"),
    check_answers("FORMAT-SHIPPED-BOUNDARY-WARNING-TEXT", _check_warning_text, "warning"),
    check_answers("FORMAT-SHIPPED-BOUNDARY-IGNORED-WITHIN", check_everything, "within_transaction", "warning"),
    check_answers("FORMAT-SHIPPED-BOUNDARY-INCIDENT", check_everything, "within_transaction", "warning"),
    *(
        check_answers(f"WL7592-{name}", _equal_fields("within_transaction"), "within_transaction")
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
