"""The requirements that each event for a boundary parser exercises: one row for each requirement."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.event_class import EventClass
from conformance.models.boundary.guess import Kind, Standing
from conformance.models.boundary.shipped_parser import ShippedStep
from conformance.models.boundary.shipped_tables import ShippedType
from conformance.strategies.marks.parser_facts import Fact

_ROWS: Final = (
    EventClass.TABLE_MAP,
    EventClass.ROWS,
    EventClass.WRITE_ROWS,
    EventClass.UPDATE_ROWS,
    EventClass.DELETE_ROWS,
)
_WORDS: Final = (Kind.BEGIN, Kind.COMMIT_OR_ROLLBACK)
_ANONYMOUS: Final = int(EventType.ANONYMOUS_GTID)
#: Types that came after WL#4162 and are like one of its classes.
_LATER_TYPES: Final = frozenset(
    {EventType.XA_PREPARE, EventType.PARTIAL_UPDATE_ROWS, EventType.HEARTBEAT_V2, EventType.GTID_TAGGED}
)
#: The should on the words of one warning.
_MIDDLE: Final = "WL4162-WARN-TEXT-MIDDLE"


@dataclass(frozen=True, slots=True)
class Whole:
    """What is true of a whole stream between two resets.

    Attributes:
        clean: No event in it is a wrong step, and none needs a warning.
        unmarked: No event in it has a marker.
    """

    clean: bool
    unmarked: bool


#: Returns whether an event exercises a requirement.
Condition = Callable[[Fact, Whole], bool]


def _marker_decides(fact: Fact, whole: Whole) -> bool:
    return fact.marked and fact.row.boundary_type is not fact.type


def _accepted(boundary_type: BoundaryType) -> Condition:
    return lambda fact, whole: fact.accepted and fact.type is boundary_type


def _statement_alone(fact: Fact, whole: Whole) -> bool:
    return fact.kind is Kind.STATEMENT and fact.standing is not Standing.BEGUN and fact.type is fact.row.boundary_type


def _word(fact: Fact, whole: Whole) -> bool:
    return fact.kind in _WORDS and fact.type is fact.row.boundary_type


def _statement_or_word(fact: Fact, whole: Whole) -> bool:
    # The words of an Execute_load_query have a rule of their own, as an Xid has.
    is_query, is_plain = fact.event_class is EventClass.QUERY, fact.kind is Kind.STATEMENT
    return is_query and (_word(fact, whole) or (is_plain and fact.type is fact.row.boundary_type))


def _change_within(fact: Fact, whole: Whole) -> bool:
    is_change = fact.event_class in _ROWS or fact.kind is Kind.STATEMENT
    return fact.accepted and is_change and fact.standing is Standing.BEGUN


def _reset_decides(fact: Fact, whole: Whole) -> bool:
    """Return whether an event shows a reset: the first of a stream that takes part, or one after a BEGIN forgotten."""
    if fact.remembered.boundary_type is not fact.type:
        return True
    without = fact.without_reset
    return without is not None and (without.state, without.warning) != (fact.step.state, fact.step.warning)


def _shows_undefined(fact: Fact, whole: Whole) -> bool:
    """Return whether an event shows the type after a reset: one to be ignored, or one that must not come first."""
    return fact.stream > 0 and fact.first and (fact.step.cell is None or fact.error)


def _repetition(fact: Fact, whole: Whole) -> bool:
    """Return whether a repeated part of the grammar is absent: within a transaction, or at the start of a stream."""
    empty = (
        fact.accepted and fact.type is BoundaryType.END_TRANSACTION and fact.before is BoundaryType.START_TRANSACTION
    )
    return empty or (whole.clean and fact.opening)


def _begins_within(fact: Fact) -> bool:
    """Return whether a wrong step has the text that the worklog gives for streams that begin within a transaction."""
    return fact.before is BoundaryType.NOT_DEFINED and fact.type is BoundaryType.INSIDE_TRANSACTION


def _known_and_flagged(fact: Fact, whole: Whole) -> bool:
    """Return whether an event of a known type has the ignorable flag, which changes nothing."""
    is_known = fact.event_class not in (EventClass.IGNORABLE, EventClass.UNKNOWN)
    return not fact.marked and fact.fed.ignorable and is_known


def _of_later_type(fact: Fact, whole: Whole) -> bool:
    return not fact.marked and fact.fed.type in _LATER_TYPES


#: Requirement -> which events exercise it. The cells and the rows of the two tables are not among these.
_CONDITIONS: Final[tuple[tuple[str, Condition], ...]] = (
    ("WL4162-MARKER-HEADER-ALONE", _marker_decides),
    ("WL4162-ANSWER-FEATURE-ENABLED", lambda fact, whole: fact.marked),
    ("WL4162-ANSWER-NO-INFORMATION", lambda fact, whole: not fact.marked),
    ("WL4162-ANSWER-SELF-CONTAINED", lambda fact, whole: fact.marked),
    ("WL4162-ANSWER-STARTING", lambda fact, whole: fact.marked),
    ("WL4162-ANSWER-INSIDE", lambda fact, whole: fact.marked),
    ("WL4162-ANSWER-ENDING", lambda fact, whole: fact.marked),
    ("WL4162-ANSWER-MIDDLE", lambda fact, whole: fact.marked),
    ("WL4162-ANSWER-IGNORED", lambda fact, whole: fact.marked),
    ("WL4162-BOUNDARY-NOT-DEFINED", lambda fact, whole: not fact.marked),
    ("WL4162-BOUNDARY-IGNORE", lambda fact, whole: fact.step.marker is BoundaryType.IGNORE_BOUNDARY),
    ("WL4162-BOUNDARY-SELF-CONTAINED", _accepted(BoundaryType.SELF_CONTAINED)),
    ("WL4162-BOUNDARY-START", _accepted(BoundaryType.START_TRANSACTION)),
    ("WL4162-BOUNDARY-INSIDE", _accepted(BoundaryType.INSIDE_TRANSACTION)),
    ("WL4162-BOUNDARY-END", _accepted(BoundaryType.END_TRANSACTION)),
    ("WL4162-SELF-QUERY-CONDITIONS", _statement_alone),
    ("WL4162-STREAM-TRACKED", lambda fact, whole: True),
    ("WL4162-STREAM-GRAMMAR", lambda fact, whole: whole.clean),
    ("WL4162-STREAM-GRAMMAR-REPETITION", _repetition),
    ("WL4162-STREAM-MIDDLE-KNOWN", lambda fact, whole: whole.clean),
    ("WL4162-STREAM-OWN-PARSER", lambda fact, whole: fact.first and fact.stream == 0),
    ("WL4162-STREAM-WHOLE-EVENT-FED", _word),
    ("WL4162-ANY-BINLOG-FORMAT", _change_within),
    (
        "WL4162-ANY-GTID-MODE",
        lambda fact, whole: (
            fact.accepted and fact.type in (BoundaryType.START_TRANSACTION, BoundaryType.END_TRANSACTION)
        ),
    ),
    ("WL4162-TT-INITIAL", lambda fact, whole: fact.accepted or (fact.first and fact.step.cell is None)),
    ("WL4162-TT-NEVER-IGNORE", lambda fact, whole: fact.type is BoundaryType.IGNORE_BOUNDARY),
    ("WL4162-TT-GUESS-UNMARKED", lambda fact, whole: not fact.marked),
    ("WL4162-TT-IGNORE-KEEPS-STATE", lambda fact, whole: fact.type is BoundaryType.IGNORE_BOUNDARY),
    (
        "WL4162-OLD-METHOD-WITHOUT-MARKERS",
        lambda fact, whole: whole.unmarked and fact.accepted and fact.type is not BoundaryType.INSIDE_TRANSACTION,
    ),
    ("WL4162-RESET-NEW-STREAM", _reset_decides),
    ("WL4162-RESET-TO-UNDEFINED", _shows_undefined),
    ("WL4162-RESET-AFTER-ERROR", lambda fact, whole: fact.error),
    ("WL4162-WARN-WRONG-TRANSITION", lambda fact, whole: fact.error),
    ("WL4162-WARN-TEXT-RECEIVER", lambda fact, whole: fact.error and not _begins_within(fact)),
    (_MIDDLE, lambda fact, whole: fact.error and _begins_within(fact)),
    ("WL4162-BOUNDARY-NAMES", lambda fact, whole: fact.error),
    ("WL4162-WARN-EACH-EVENT", lambda fact, whole: fact.error and fact.after_error),
    ("WL4162-REPOSITION-AT-START", lambda fact, whole: whole.clean and fact.first and fact.within),
    ("WL4162-TYPE-EXECUTE-LOAD-QUERY", lambda fact, whole: fact.event_class is EventClass.EXECUTE_LOAD_QUERY),
    ("WL4162-TYPE-LOG-EVENT", _of_later_type),
    ("WL4162-TYPE-IGNORABLE", _known_and_flagged),
    ("WL4162-QUERY-WORDS", _statement_or_word),
    ("WL40-GUESS-EXTENDED-QUERY", lambda fact, whole: fact.extended and not fact.marked and _word(fact, whole)),
)


def _anonymous_marks(fact: Fact) -> Iterator[str]:
    """Yield the requirements of WL#7592 that an event exercises where all parsers agree on its context."""
    if fact.event_class is EventClass.PREVIOUS_GTIDS and not fact.error:
        yield "WL7592-PREVIOUS-GTIDS-OUTSIDE"
    if fact.opened_by != _ANONYMOUS or not fact.accepted or (fact.entry["within_transaction"] == "yes") != fact.within:
        return
    if fact.type is BoundaryType.START_TRANSACTION and not fact.uncertain:
        yield "WL7592-GROUP-STARTS-AT-ANON"
    if fact.type is BoundaryType.END_TRANSACTION and fact.certain_within:
        yield "WL7592-GROUP-ENDS-AT-COMMIT"
        if fact.kind is Kind.STATEMENT and not fact.uncertain:
            yield "WL7592-DDL-ENDS-ANON-GROUP"


def _shipped_marks(step: ShippedStep, whole: Whole) -> Iterator[str]:
    """Yield the requirements on shipped parsers that a step of one exercises."""
    within = step.before.within_transaction
    if not whole.clean:
        yield "FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD"
    if step.error:
        yield "FORMAT-SHIPPED-BOUNDARY-GOES-ON"
    if step.warning is not None:
        yield "FORMAT-SHIPPED-BOUNDARY-WARNING-TEXT"
    if step.shipped_type is ShippedType.IGNORE and within:
        yield "FORMAT-SHIPPED-BOUNDARY-IGNORED-WITHIN"
    if step.shipped_type is ShippedType.INCIDENT and within:
        yield "FORMAT-SHIPPED-BOUNDARY-INCIDENT"


#: The requirements that are certain in a transaction whose beginning a parser may have missed.
_CERTAIN: Final = ("WL4162-STREAM-TRACKED", "WL4162-BOUNDARY-NOT-DEFINED", "WL4162-ANSWER-NO-INFORMATION")


def _is_guessed(fact: Fact) -> bool:
    """Return whether the type of an event is guessed by a row of the type table."""
    return not fact.marked and fact.accepted and fact.event_class is not EventClass.EXECUTE_LOAD_QUERY


def _marks_of(fact: Fact, whole: Whole, *, repeats: bool) -> Iterator[str]:
    if repeats:
        yield "WL4162-STREAM-SAME-RULES"
    if fact.shipped is not None:
        yield from _shipped_marks(fact.shipped, whole)
    yield from _anonymous_marks(fact)
    if fact.uncertain:
        yield from _CERTAIN
        # The words of this warning are asked for by a should alone, wherever a parser gives it.
        if fact.error and _begins_within(fact):
            yield _MIDDLE
        # An answer that no reading explains is a wrong guess.
        if _is_guessed(fact):
            yield fact.row.requirement
            if fact.extended and _word(fact, whole):
                yield "WL40-GUESS-EXTENDED-QUERY"
        return
    for requirement, condition in _CONDITIONS:
        if condition(fact, whole):
            yield requirement
    if fact.step.cell is not None:
        yield fact.step.cell.requirement
    if fact.row.boundary_type is fact.type and fact.event_class is not EventClass.EXECUTE_LOAD_QUERY:
        yield fact.row.requirement


def marks_of(facts: Sequence[Fact], repeated: Collection[int]) -> dict[str, list[int]]:
    """Return the requirements that a stream exercises, each with the indices of the events.

    Args:
        facts: The events in order.
        repeated: Numbers of the streams between resets that repeat the one before for another use.
    """
    streams: dict[int, list[Fact]] = defaultdict(list)
    for fact in facts:
        streams[fact.stream].append(fact)
    wholes = {
        number: Whole(
            clean=not any(fact.error or fact.entry["warning"] for fact in of_stream),
            unmarked=not any(fact.marked for fact in of_stream),
        )
        for number, of_stream in streams.items()
    }
    marks: dict[str, list[int]] = defaultdict(list)
    undefined: set[int] = set()
    for index, fact in enumerate(facts):
        # What a parser does with a spare marker is not specified, so nothing is required of it until the next reset. To
        # a shipped parser no bit is a marker.
        if fact.spare and fact.shipped is None:
            undefined.add(fact.stream)
        if fact.stream in undefined:
            continue
        for requirement in _marks_of(fact, wholes[fact.stream], repeats=fact.stream in repeated):
            marks[requirement].append(index)
    return marks
