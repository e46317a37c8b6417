"""The mutants of the boundary parser of WL#4162: each has one fault."""

from bisect import bisect_right
from dataclasses import replace
from functools import partial
from typing import Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.format_description import BEFORE_LENGTHS
from conformance.binlog.header import HEADER_BYTES, MAGIC
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.transition_table import CELLS, StepOutcome, cell
from conformance.models.boundary.type_table import TYPE_ROWS
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.mutants.boundary.altered_answers import (
    Answer,
    altered,
    inside,
    names_of_constants,
    outside,
    parser_for,
    parses,
    swapped_names,
    with_field,
)
from conformance.mutants.boundary.faulty_parsers import (
    OTHER_TYPES,
    ContextStartsAgain,
    EmptyTransaction,
    EndIsUndefined,
    ForgetsContext,
    ForgetsMarkedBegin,
    GtidsIgnored,
    GuessesAlways,
    GuessesArtificial,
    GuessesNothing,
    HeaderOnly,
    IgnoreIsSelf,
    LoadAlone,
    ManyInside,
    MovesOnError,
    NoReset,
    NotMixed,
    OddReturns,
    OtherCell,
    OtherType,
    OtherTypeIf,
    PrefixOfRollback,
    RemembersBegin,
    ResetToSelf,
    ThreeInside,
    WarnsAtStart,
    WarnsOnce,
    WordsByPrefix,
    XaPrepareAlone,
)
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.boundary import Entry, observe
from conformance.reference.boundary import answer as answer_of_reference


def _silent_at_malformed(request: Request) -> Observation | Trouble:
    """Return the answer of a parser that takes an event which it cannot read for the end of the stream."""
    answer = answer_of_reference(request)
    if isinstance(answer, Observation) and answer.error is not None and answer.error.kind == "malformed":
        return replace(answer, error=None)
    return answer


#: The requirements on whether a stream is within a transaction.
_WITHIN: Final = ("WL4162-STREAM-MIDDLE-KNOWN", "WL4162-OLD-METHOD-WITHOUT-MARKERS")
#: The requirements that a warning at a right step breaks.
_RIGHT_STEPS: Final = (
    "WL4162-STREAM-GRAMMAR",
    "WL4162-STREAM-GRAMMAR-REPETITION",
    "WL4162-TT-IGNORE-KEEPS-STATE",
    *(each.requirement for each in CELLS.values() if each.outcome is StepOutcome.OK),
)


def _short(requirement: str, prefix: str) -> str:
    return requirement.removeprefix(f"WL4162-{prefix}-").lower()


#: The highest code that fits in a signed byte.
_HIGH_CODE: Final = 127
_CHANGES: Final = ROWS_TYPES | {EventType.TABLE_MAP, EventType.XID}
_CELL_MUTANTS: Final = tuple(
    Mutant(
        f"cell-{_short(each.requirement, 'TT')}",
        each.requirement,
        f"the step from {each.before.heading} to {each.fed.heading} is "
        f"{'wrong' if each.outcome is StepOutcome.OK else 'right'}",
        answer=parses(partial(OtherCell, each.requirement)),
    )
    for each in CELLS.values()
)
_TYPE_MUTANTS: Final = tuple(
    Mutant(
        f"type-{_short(row.requirement, 'TYPE')}",
        row.requirement,
        f"{row.event_class.value} ({row.situation.value}) is guessed {OTHER_TYPES[row.boundary_type].heading}",
        answer=parses(partial(OtherType, row.requirement)),
    )
    for row in TYPE_ROWS
)


def _is_tagged_gtid(parser: WorklogParser, event: FedEvent) -> bool:
    return event.type == EventType.GTID_TAGGED


def _is_of_group_replication(parser: WorklogParser, event: FedEvent) -> bool:
    return event.type in (EventType.TRANSACTION_CONTEXT, EventType.VIEW_CHANGE)


def _is_high_code(parser: WorklogParser, event: FedEvent) -> bool:
    return event.type > _HIGH_CODE and not event.ignorable


def _is_flagged_change(parser: WorklogParser, event: FedEvent) -> bool:
    return event.type in _CHANGES and event.ignorable


def _is_format_after_begin(parser: WorklogParser, event: FedEvent) -> bool:
    return event.type == EventType.FORMAT_DESCRIPTION and parser.begun


def _extended_not_read(request: Request) -> Observation:
    at = len(MAGIC) + HEADER_BYTES + BEFORE_LENGTHS + EventType.QUERY - 1
    extended = len(request.stream) > at and request.stream[at] == EXTENDED_QUERY_POST_HEADER
    return observe(request, parser_for(request, HeaderOnly if extended else WorklogParser))


def _kept() -> Answer:
    """Return the answers of one parser that is used for all questions."""
    parser = WorklogParser()
    return lambda request: observe(request, parser_for(request, lambda: parser))


def _silent_in_dumps(request: Request) -> Observation:
    def alter(event: Event, entry: Entry) -> Entry:
        use = request.settings["uses"][bisect_right(request.settings["resets"], event.offset)]
        return {**entry, "warning": ""} if use == "dump" else entry

    return observe(request, parser_for(request, WorklogParser), alter)


def _without_letter(letter: str) -> Answer:
    return altered(with_field("answers", lambda entry: entry["answers"].replace(letter, "")))


def _marker_lost(boundary_type: BoundaryType) -> Answer:
    undefined = BoundaryType.NOT_DEFINED.heading
    return altered(
        with_field("marker", lambda entry: undefined, lambda entry: entry["marker"] == boundary_type.heading)
    )


def _ddl_stays_open(event: Event, entry: Entry) -> Entry:
    created = event.header.type == EventType.QUERY and event.fields()["query"].startswith(b"CREATE TABLE")
    return {**entry, "within_transaction": "yes"} if created else entry


def _begin_outside(event: Event, entry: Entry) -> Entry:
    begin = event.header.type == EventType.QUERY and event.fields()["query"] == b"BEGIN"
    return {**entry, "within_transaction": "no"} if begin else entry


_MIDDLE: Final = cell(BoundaryType.NOT_DEFINED, BoundaryType.INSIDE_TRANSACTION).warning
_LETTERS: Final = {
    "a": "FEATURE-ENABLED",
    "b": "NO-INFORMATION",
    "c": "SELF-CONTAINED",
    "d": "STARTING",
    "e": "INSIDE",
    "f": "ENDING",
    "g": "MIDDLE",
    "h": "IGNORED",
}
_MARKERS: Final = {
    BoundaryType.IGNORE_BOUNDARY: "IGNORE",
    BoundaryType.SELF_CONTAINED: "SELF-CONTAINED",
    BoundaryType.START_TRANSACTION: "START",
    BoundaryType.INSIDE_TRANSACTION: "INSIDE",
    BoundaryType.END_TRANSACTION: "END",
}


def _is_warning(entry: Entry) -> bool:
    return bool(entry["warning"])


#: Every mutant about boundaries, in the order of the catalogue.
BOUNDARY_MUTANTS: Final[tuple[Mutant, ...]] = (
    # Markers and answers
    Mutant(
        "guesses-marked-events",
        "WL4162-MARKER-HEADER-ALONE",
        "the type is guessed although there is a marker",
        answer=parses(GuessesAlways),
    ),
    Mutant(
        "guesses-artificial-events",
        "WL4162-MARKER-HEADER-ALONE",
        "the type of an artificial event is guessed although there is a marker",
        answer=parses(GuessesArtificial),
    ),
    *(
        Mutant(
            f"answer-{letter}",
            f"WL4162-ANSWER-{name}",
            f"answer {letter}) is never given",
            answer=_without_letter(letter),
        )
        for letter, name in _LETTERS.items()
    ),
    Mutant(
        "marker-is-the-guess",
        "WL4162-BOUNDARY-NOT-DEFINED",
        "the marker of an unmarked event is the guessed type",
        answer=altered(with_field("marker", lambda entry: entry["boundary_type"])),
    ),
    *(
        Mutant(
            f"marker-lost-{name.lower()}",
            f"WL4162-BOUNDARY-{name}",
            f"the marker {each.heading} is reported as Not Defined",
            answer=_marker_lost(each),
        )
        for each, name in _MARKERS.items()
    ),
    Mutant(
        "forgets-context",
        "WL4162-SELF-QUERY-CONDITIONS",
        "a statement after its context events is Self Contained",
        answer=parses(ForgetsContext),
    ),
    # Streams
    Mutant(
        "table-maps-left-out",
        "WL4162-STREAM-TRACKED",
        "Table_map events are left out",
        answer=altered(lambda event, entry: None if event.header.type == EventType.TABLE_MAP else entry),
    ),
    Mutant(
        "ends-at-malformed-statements",
        "WL4162-STREAM-TRACKED",
        "the answer ends, without an error, at a Query event with a malformed body",
        answer=_silent_at_malformed,
    ),
    Mutant(
        "two-inside-at-most",
        "WL4162-STREAM-GRAMMAR",
        "a third successive event inside a transaction is wrong",
        answer=parses(ThreeInside),
    ),
    Mutant(
        "sixty-four-inside-at-most",
        "WL4162-STREAM-GRAMMAR",
        "of more than 64 successive events inside a transaction, the 65th and later ones are wrong",
        answer=parses(ManyInside),
    ),
    Mutant(
        "no-empty-transaction",
        "WL4162-STREAM-GRAMMAR-REPETITION",
        "a transaction with nothing between start and end is wrong",
        answer=parses(EmptyTransaction),
    ),
    Mutant(
        "table-map-outside",
        "WL4162-STREAM-MIDDLE-KNOWN",
        "the stream is outside a transaction after a Table_map event",
        answer=outside(EventType.TABLE_MAP),
    ),
    Mutant(
        "silent-in-dumps",
        "WL4162-STREAM-SAME-RULES",
        "there are no warnings where events are read from a file",
        answer=_silent_in_dumps,
        also=("WL4162-WARN-WRONG-TRANSITION",),
    ),
    Mutant(
        "one-parser-for-all",
        "WL4162-STREAM-OWN-PARSER",
        "one parser is used for all streams",
        answer=_kept(),
    ),
    Mutant(
        "fed-headers-only",
        "WL4162-STREAM-WHOLE-EVENT-FED",
        "the parser is given only the header of an event",
        answer=parses(HeaderOnly),
    ),
    Mutant(
        "not-mixed",
        "WL4162-ANY-BINLOG-FORMAT",
        "rows after a statement of the same transaction are Self Contained",
        answer=parses(NotMixed),
        also=("WL4162-TYPE-TABLE-MAP",),
    ),
    Mutant(
        "gtids-ignored",
        "WL4162-ANY-GTID-MODE",
        "unmarked Gtid events are ignored",
        answer=parses(GtidsIgnored),
        also=("WL4162-TYPE-GTID", "WL4162-TYPE-QUERY-BEGIN-AFTER-GTID"),
    ),
    # The transition table, the guess and resets
    Mutant(
        "end-is-undefined",
        "WL4162-TT-INITIAL",
        "the end of a transaction leads back to Not Defined",
        answer=parses(EndIsUndefined),
    ),
    Mutant(
        "state-ignore",
        "WL4162-TT-NEVER-IGNORE",
        "the parser is in Ignore Boundary after an ignored event",
        answer=altered(
            with_field(
                "state",
                lambda entry: entry["boundary_type"],
                lambda entry: bool(entry["boundary_type"] == BoundaryType.IGNORE_BOUNDARY.heading),
            )
        ),
    ),
    *_CELL_MUTANTS,
    Mutant(
        "guesses-nothing",
        "WL4162-TT-GUESS-UNMARKED",
        "events without a marker are ignored",
        answer=parses(GuessesNothing),
    ),
    Mutant(
        "warns-about-unmarked",
        "WL4162-TT-GUESS-OLD-SOURCE",
        "every event without a marker causes a warning",
        answer=altered(
            with_field(
                "warning",
                lambda entry: entry["warning"] or "The event has no marker.",
                lambda entry: entry.get("marker") == BoundaryType.NOT_DEFINED.heading,
            )
        ),
        also=_RIGHT_STEPS,
    ),
    Mutant(
        "ignore-is-self",
        "WL4162-TT-IGNORE-KEEPS-STATE",
        "an ignored event counts as Self Contained",
        answer=parses(IgnoreIsSelf),
        also=("WL4162-TT-INITIAL",),
    ),
    Mutant(
        "unmarked-outside",
        "WL4162-OLD-METHOD-WITHOUT-MARKERS",
        "a stream without markers is never within a transaction",
        answer=altered(
            with_field(
                "within_transaction",
                lambda entry: "no",
                lambda entry: entry.get("marker") == BoundaryType.NOT_DEFINED.heading,
            )
        ),
        also=("WL4162-STREAM-MIDDLE-KNOWN", "WL4162-BOUNDARY-START", "WL4162-BOUNDARY-INSIDE"),
    ),
    Mutant(
        "no-reset",
        "WL4162-RESET-NEW-STREAM",
        "a reset changes nothing",
        answer=parses(NoReset),
        also=("WL4162-RESET-TO-UNDEFINED", "WL4162-TT-INITIAL"),
    ),
    Mutant(
        "reset-keeps-begin",
        "WL4162-RESET-NEW-STREAM",
        "a reset forgets the parser's type, but not that its transaction had a BEGIN",
        answer=parses(RemembersBegin),
    ),
    Mutant(
        "marked-begin-forgotten",
        "WL4162-TYPE-QUERY-NOT-IMMEDIATE",
        "a BEGIN with a marker is not remembered: a statement after it without one ends the transaction",
        answer=parses(ForgetsMarkedBegin),
    ),
    Mutant(
        "intvar-starts-after-gtid",
        "WL4162-TYPE-INTVAR",
        "an Intvar directly after a Gtid event is guessed as Start Transaction",
        answer=parses(ContextStartsAgain),
    ),
    Mutant(
        "reset-to-self",
        "WL4162-RESET-TO-UNDEFINED",
        "a reset leads to Self Contained",
        answer=parses(ResetToSelf),
    ),
    Mutant(
        "moves-on-error",
        "WL4162-RESET-AFTER-ERROR",
        "after a wrong step the parser has the type of the event",
        answer=parses(MovesOnError),
    ),
    # Warnings
    Mutant(
        "no-warnings",
        "WL4162-WARN-WRONG-TRANSITION",
        "wrong steps cause no warning",
        answer=altered(with_field("warning", lambda entry: "")),
    ),
    Mutant(
        "names-swapped",
        "WL4162-WARN-TEXT-RECEIVER",
        "the warning names the two types in reverse",
        answer=altered(with_field("warning", swapped_names, _is_warning)),
    ),
    Mutant(
        "no-full-stop",
        "WL4162-WARN-TEXT-MIDDLE",
        "the warning about a stream that begins within a transaction has no full stop",
        answer=altered(
            with_field("warning", lambda entry: entry["warning"].rstrip("."), lambda entry: entry["warning"] == _MIDDLE)
        ),
    ),
    Mutant(
        "names-of-constants",
        "WL4162-BOUNDARY-NAMES",
        "warnings have the names of constants for the types",
        answer=altered(with_field("warning", names_of_constants, _is_warning)),
    ),
    Mutant(
        "warns-once",
        "WL4162-WARN-EACH-EVENT",
        "only the first of several successive wrong steps causes a warning",
        answer=parses(WarnsOnce),
    ),
    Mutant(
        "warns-at-start",
        "WL4162-REPOSITION-AT-START",
        "a stream that begins with a transaction causes a warning",
        answer=parses(WarnsAtStart),
    ),
    # Types and statements
    *_TYPE_MUTANTS,
    Mutant(
        "xa-prepare-alone",
        "WL4162-TYPE-LOG-EVENT",
        "XA_prepare is Self Contained",
        answer=parses(XaPrepareAlone),
    ),
    Mutant(
        "tagged-gtid-alone",
        "WL4162-TYPE-LOG-EVENT",
        "Gtid_tagged is Self Contained",
        answer=parses(partial(OtherTypeIf, _is_tagged_gtid, BoundaryType.SELF_CONTAINED)),
    ),
    Mutant(
        "group-replication-ignored",
        "WL4162-TYPE-LOG-EVENT",
        "Transaction_context and View_change are ignored, although the ignorable flag is clear",
        answer=parses(partial(OtherTypeIf, _is_of_group_replication, BoundaryType.IGNORE_BOUNDARY)),
        also=("FORMAT-BOUNDARY-STATE", "FORMAT-BOUNDARY-WARNING"),
    ),
    Mutant(
        "high-codes-ignored",
        "WL4162-TYPE-UNKNOWN",
        "an event of an unknown type above 127 is ignored, although the ignorable flag is clear",
        answer=parses(partial(OtherTypeIf, _is_high_code, BoundaryType.IGNORE_BOUNDARY)),
    ),
    Mutant(
        "ignorable-flag-decides",
        "WL4162-TYPE-IGNORABLE",
        "a Table_map, rows or Xid event with the ignorable flag is ignored",
        answer=parses(partial(OtherTypeIf, _is_flagged_change, BoundaryType.IGNORE_BOUNDARY)),
    ),
    Mutant(
        "format-description-breaks-begun",
        "WL4162-TYPE-FORMAT-DESCRIPTION",
        "a format description after BEGIN is Self Contained",
        answer=parses(partial(OtherTypeIf, _is_format_after_begin, BoundaryType.SELF_CONTAINED)),
    ),
    Mutant(
        "load-query-alone",
        "WL4162-TYPE-EXECUTE-LOAD-QUERY",
        "Execute_load_query is always Self Contained",
        answer=parses(LoadAlone),
    ),
    Mutant(
        "rollback-to-ends",
        "WL4162-QUERY-WORDS",
        "ROLLBACK TO ends the transaction",
        answer=parses(PrefixOfRollback),
    ),
    Mutant(
        "odd-rollback-to-ends",
        "WL4162-QUERY-WORDS",
        "ROLLBACK TO ends the transaction where more than a space is between the words",
        answer=parses(OddReturns),
    ),
    Mutant(
        "words-by-prefix",
        "WL4162-QUERY-WORDS",
        "a statement that begins with BEGIN or COMMIT counts as that word",
        answer=parses(WordsByPrefix),
    ),
    Mutant(
        "extended-not-read",
        "WL40-GUESS-EXTENDED-QUERY",
        "BEGIN and COMMIT are not found in Query events with tables info",
        answer=_extended_not_read,
    ),
    # WL#7592
    Mutant(
        "anonymous-outside",
        "WL7592-GROUP-STARTS-AT-ANON",
        "an Anonymous_gtid event opens no transaction",
        answer=outside(EventType.ANONYMOUS_GTID),
    ),
    Mutant(
        "xid-stays-open",
        "WL7592-GROUP-ENDS-AT-COMMIT",
        "an Xid ends nothing",
        answer=inside(EventType.XID),
        also=(*_WITHIN, "WL4162-BOUNDARY-END", "WL4162-BOUNDARY-SELF-CONTAINED"),
    ),
    Mutant(
        "ddl-stays-open",
        "WL7592-DDL-ENDS-ANON-GROUP",
        "a CREATE TABLE leaves its transaction open",
        answer=altered(_ddl_stays_open),
        also=(*_WITHIN, "WL4162-BOUNDARY-END", "WL4162-BOUNDARY-SELF-CONTAINED", "WL7592-GROUP-ENDS-AT-COMMIT"),
    ),
    Mutant(
        "begin-outside",
        "WL7592-CREATE-SELECT-BOUNDARIES",
        "BEGIN opens no transaction",
        answer=altered(_begin_outside),
        also=(*_WITHIN, "WL4162-BOUNDARY-START", "WL4162-BOUNDARY-INSIDE"),
    ),
    Mutant(
        "previous-gtids-inside",
        "WL7592-PREVIOUS-GTIDS-OUTSIDE",
        "a Previous_gtids event opens a transaction",
        answer=inside(EventType.PREVIOUS_GTIDS),
    ),
)
