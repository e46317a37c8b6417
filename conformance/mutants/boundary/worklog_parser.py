"""The mutants about boundaries: the parser of WL#4162 with one fault each, and decoders that lose or invent markers."""

from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from typing import Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER_BYTES, MAGIC
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.transition_table import CELLS, Outcome, cell
from conformance.models.boundary.type_table import TYPE_ROWS
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.mutants.boundary.faulty_parsers import (
    OTHER_TYPES,
    EmptyTransaction,
    EndIsUndefined,
    ForgetsContext,
    GtidsIgnored,
    GuessesAlways,
    GuessesNothing,
    HeaderOnly,
    IgnoreIsSelf,
    LoadAlone,
    MovesOnError,
    NoReset,
    NotMixed,
    OtherCell,
    OtherType,
    PrefixOfRollback,
    ResetToSelf,
    ThreeInside,
    WarnsAtStart,
    WarnsOnce,
    XaPrepareAlone,
)
from conformance.mutants.mutant import Mutant, all_of, change, of_type, unknown
from conformance.protocol.observation import Observation, Request
from conformance.reference.boundary import Entry, Parser, observe, parser_of

Answer = Callable[[Request], Observation]


def _parser(request: Request, make: Callable[[], WorklogParser]) -> Parser:
    """Return the mutant under the profile `worklog`, else the shipped parser."""
    shipped = None if request.profile == "worklog" else parser_of(request.profile)
    return shipped or make()


def _parses(make: Callable[[], WorklogParser]) -> Answer:
    """Return the answer of a parser with a fault."""
    return lambda request: observe(request, _parser(request, make))


def _altered(alter: Callable[[Event, Entry], Entry | None]) -> Answer:
    """Return the answer of the right parser with its entries altered."""
    return lambda request: observe(request, _parser(request, WorklogParser), alter)


def _short(requirement: str, prefix: str) -> str:
    return requirement.removeprefix(f"WL4162-{prefix}-").lower()


_CELL_MUTANTS: Final = tuple(
    Mutant(
        f"cell-{_short(each.requirement, 'TT')}",
        each.requirement,
        f"the step from {each.before.heading} to {each.fed.heading} is "
        f"{'wrong' if each.outcome is Outcome.OK else 'right'}",
        answer=_parses(partial(OtherCell, each.requirement)),
    )
    for each in CELLS.values()
)
_TYPE_MUTANTS: Final = tuple(
    Mutant(
        f"type-{_short(row.requirement, 'TYPE')}",
        row.requirement,
        f"{row.event_class.value} ({row.situation.value}) is guessed {OTHER_TYPES[row.boundary_type].heading}",
        answer=_parses(partial(OtherType, row.requirement)),
    )
    for row in TYPE_ROWS
)


def _extended_not_read(request: Request) -> Observation:
    at = len(MAGIC) + HEADER_BYTES + 57 + EventType.QUERY - 1
    extended = len(request.stream) > at and request.stream[at] == EXTENDED_QUERY_POST_HEADER
    return observe(request, _parser(request, HeaderOnly if extended else WorklogParser))


def _kept() -> Answer:
    """Return the answers of one parser that is used for all questions."""
    parser = WorklogParser()
    return lambda request: observe(request, _parser(request, lambda: parser))


def _silent_in_dumps(request: Request) -> Observation:
    def alter(event: Event, entry: Entry) -> Entry:
        use = request.settings["uses"][bisect_right(request.settings["resets"], event.offset)]
        return {**entry, "warning": ""} if use == "dump" else entry

    return observe(request, _parser(request, WorklogParser), alter)


def _with(
    name: str, value: Callable[[Entry], object], condition: Callable[[Entry], bool] = lambda entry: True
) -> Callable[[Event, Entry], Entry]:
    """Return the change of one field, if it is answered and a condition is met."""

    def alter(event: Event, entry: Entry) -> Entry:
        return {**entry, name: value(entry)} if name in entry and condition(entry) else entry

    return alter


def _without_letter(letter: str) -> Answer:
    return _altered(_with("answers", lambda entry: entry["answers"].replace(letter, "")))


def _marker_lost(boundary_type: BoundaryType) -> Answer:
    undefined = BoundaryType.NOT_DEFINED.heading
    return _altered(_with("marker", lambda entry: undefined, lambda entry: entry["marker"] == boundary_type.heading))


def _outside(*codes: int) -> Answer:
    return _altered(_with("within_transaction", lambda entry: "no", lambda entry: entry["type"] in codes))


def _inside(*codes: int) -> Answer:
    return _altered(_with("within_transaction", lambda entry: "yes", lambda entry: entry["type"] in codes))


def _ddl_stays_open(event: Event, entry: Entry) -> Entry:
    created = event.header.type == EventType.QUERY and event.fields()["query"].startswith(b"CREATE TABLE")
    return {**entry, "within_transaction": "yes"} if created else entry


def _begin_outside(event: Event, entry: Entry) -> Entry:
    begin = event.header.type == EventType.QUERY and event.fields()["query"] == b"BEGIN"
    return {**entry, "within_transaction": "no"} if begin else entry


_PREFIX: Final = "Unable to change boundary parser from "


def _swapped(entry: Entry) -> str:
    before, _, fed = entry["warning"].removeprefix(_PREFIX).removesuffix(".").partition(" to ")
    return f"{_PREFIX}{fed} to {before}."


def _constants(entry: Entry) -> str:
    text: str = entry["warning"]
    for each in BoundaryType:
        text = text.replace(each.heading, f"BOUNDARY_TYPE_{each.name}")
    return text


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
    # Markers as a decoder reports them
    Mutant(
        "marker-of-four-bits",
        "WL4162-MARKER-THREE-FLAG-BITS",
        "bit 13 of the flags word is read as a bit of the marker",
        change("flags", lambda flags: flags ^ 0x1000 if flags & 0x2000 else flags),
    ),
    Mutant(
        "xid-without-marker",
        "WL4162-MARKER-READ-BACK",
        "the marker of an Xid is lost",
        change("flags", lambda flags: flags & ~MARKER_BITS.mask, of_type(EventType.XID)),
    ),
    Mutant(
        "marker-by-class",
        "WL4162-MARKER-UNMARKED-STAYS-UNDEFINED",
        "an unmarked Xid has the marker End Transaction",
        change(
            "flags",
            lambda flags: MARKER_BITS.write(flags, BoundaryType.END_TRANSACTION),
            all_of(of_type(EventType.XID), lambda event, reported: not MARKER_BITS.stored(event.header.flags)),
        ),
    ),
    Mutant(
        "ignorable-without-flags",
        "WL4162-EVENT-HAS-TYPE",
        "an event that is skipped has no flags word",
        change("flags", lambda flags: None, unknown),
    ),
    # Markers and answers
    Mutant(
        "guesses-marked-events",
        "WL4162-MARKER-HEADER-ALONE",
        "the type is guessed although there is a marker",
        answer=_parses(GuessesAlways),
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
        answer=_altered(_with("marker", lambda entry: entry["boundary_type"])),
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
        answer=_parses(ForgetsContext),
    ),
    # Streams
    Mutant(
        "table-maps-left-out",
        "WL4162-STREAM-TRACKED",
        "Table_map events are left out",
        answer=_altered(lambda event, entry: None if event.header.type == EventType.TABLE_MAP else entry),
    ),
    Mutant(
        "two-inside-at-most",
        "WL4162-STREAM-GRAMMAR",
        "a third successive event inside a transaction is wrong",
        answer=_parses(ThreeInside),
    ),
    Mutant(
        "no-empty-transaction",
        "WL4162-STREAM-GRAMMAR-REPETITION",
        "a transaction with nothing between start and end is wrong",
        answer=_parses(EmptyTransaction),
    ),
    Mutant(
        "table-map-outside",
        "WL4162-STREAM-MIDDLE-KNOWN",
        "the stream is outside a transaction after a Table_map event",
        answer=_outside(EventType.TABLE_MAP),
    ),
    Mutant(
        "silent-in-dumps",
        "WL4162-STREAM-SAME-RULES",
        "there are no warnings where events are read from a file",
        answer=_silent_in_dumps,
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
        answer=_parses(HeaderOnly),
    ),
    Mutant(
        "not-mixed",
        "WL4162-ANY-BINLOG-FORMAT",
        "rows after a statement of the same transaction are Self Contained",
        answer=_parses(NotMixed),
    ),
    Mutant("gtids-ignored", "WL4162-ANY-GTID-MODE", "unmarked Gtid events are ignored", answer=_parses(GtidsIgnored)),
    # The transition table, the guess and resets
    Mutant(
        "end-is-undefined",
        "WL4162-TT-INITIAL",
        "the end of a transaction leads back to Not Defined",
        answer=_parses(EndIsUndefined),
    ),
    Mutant(
        "state-ignore",
        "WL4162-TT-NEVER-IGNORE",
        "the parser is in Ignore Boundary after an ignored event",
        answer=_altered(
            _with(
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
        answer=_parses(GuessesNothing),
    ),
    Mutant(
        "warns-about-unmarked",
        "WL4162-TT-GUESS-OLD-SOURCE",
        "every event without a marker causes a warning",
        answer=_altered(
            _with(
                "warning",
                lambda entry: entry["warning"] or "The event has no marker.",
                lambda entry: entry.get("marker") == BoundaryType.NOT_DEFINED.heading,
            )
        ),
    ),
    Mutant(
        "ignore-is-self",
        "WL4162-TT-IGNORE-KEEPS-STATE",
        "an ignored event counts as Self Contained",
        answer=_parses(IgnoreIsSelf),
    ),
    Mutant(
        "unmarked-outside",
        "WL4162-OLD-METHOD-WITHOUT-MARKERS",
        "a stream without markers is never within a transaction",
        answer=_altered(
            _with(
                "within_transaction",
                lambda entry: "no",
                lambda entry: entry.get("marker") == BoundaryType.NOT_DEFINED.heading,
            )
        ),
    ),
    Mutant("no-reset", "WL4162-RESET-NEW-STREAM", "a reset changes nothing", answer=_parses(NoReset)),
    Mutant(
        "reset-to-self",
        "WL4162-RESET-TO-UNDEFINED",
        "a reset leads to Self Contained",
        answer=_parses(ResetToSelf),
    ),
    Mutant(
        "moves-on-error",
        "WL4162-RESET-AFTER-ERROR",
        "after a wrong step the parser has the type of the event",
        answer=_parses(MovesOnError),
    ),
    # Warnings
    Mutant(
        "no-warnings",
        "WL4162-WARN-WRONG-TRANSITION",
        "wrong steps cause no warning",
        answer=_altered(_with("warning", lambda entry: "")),
    ),
    Mutant(
        "names-swapped",
        "WL4162-WARN-TEXT-RECEIVER",
        "the warning names the two types in reverse",
        answer=_altered(_with("warning", _swapped, _is_warning)),
    ),
    Mutant(
        "no-full-stop",
        "WL4162-WARN-TEXT-MIDDLE",
        "the warning about a stream that begins within a transaction has no full stop",
        answer=_altered(
            _with("warning", lambda entry: entry["warning"].rstrip("."), lambda entry: entry["warning"] == _MIDDLE)
        ),
    ),
    Mutant(
        "names-of-constants",
        "WL4162-BOUNDARY-NAMES",
        "warnings have the names of constants for the types",
        answer=_altered(_with("warning", _constants, _is_warning)),
    ),
    Mutant(
        "warns-once",
        "WL4162-WARN-EACH-EVENT",
        "only the first of several successive wrong steps causes a warning",
        answer=_parses(WarnsOnce),
    ),
    Mutant(
        "warns-at-start",
        "WL4162-REPOSITION-AT-START",
        "a stream that begins with a transaction causes a warning",
        answer=_parses(WarnsAtStart),
    ),
    # Types and statements
    *_TYPE_MUTANTS,
    Mutant(
        "xa-prepare-alone",
        "WL4162-TYPE-LOG-EVENT",
        "XA_prepare is Self Contained",
        answer=_parses(XaPrepareAlone),
    ),
    Mutant(
        "load-query-alone",
        "WL4162-TYPE-EXECUTE-LOAD-QUERY",
        "Execute_load_query is always Self Contained",
        answer=_parses(LoadAlone),
    ),
    Mutant(
        "rollback-to-ends",
        "WL4162-QUERY-WORDS",
        "ROLLBACK TO ends the transaction",
        answer=_parses(PrefixOfRollback),
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
        answer=_outside(EventType.ANONYMOUS_GTID),
    ),
    Mutant("xid-stays-open", "WL7592-GROUP-ENDS-AT-COMMIT", "an Xid ends nothing", answer=_inside(EventType.XID)),
    Mutant(
        "ddl-stays-open",
        "WL7592-DDL-ENDS-ANON-GROUP",
        "a CREATE TABLE leaves its transaction open",
        answer=_altered(_ddl_stays_open),
    ),
    Mutant(
        "begin-outside",
        "WL7592-CREATE-SELECT-BOUNDARIES",
        "BEGIN opens no transaction",
        answer=_altered(_begin_outside),
    ),
    Mutant(
        "previous-gtids-inside",
        "WL7592-PREVIOUS-GTIDS-OUTSIDE",
        "a Previous_gtids event opens a transaction",
        answer=_inside(EventType.PREVIOUS_GTIDS),
    ),
)
