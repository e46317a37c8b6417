"""The oracles of the role `log`: which events a server's logs hold, in which order, and with which values."""

from collections.abc import Callable, Hashable, Iterator
from typing import Final

from conformance.binlog.event_types import (
    GTID_TYPES,
    ROWS_TYPES,
    EventType,
    Purpose,
    type_name,
    types_of,
)
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, TYPE_AT
from conformance.binlog.servers import WITH_SERVER_VERSIONS, WITH_TRANSACTION_LENGTHS
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import DIFFERS, Cause
from conformance.oracles.checks.logged_changes import is_change, is_query, logged_once, none_of_refused
from conformance.oracles.checks.logged_descriptions import lengths_declared
from conformance.oracles.checks.logged_drops import dropped_together, each_drop_marked
from conformance.oracles.checks.logged_event_checks import (
    by_log_check,
    every_event,
    gtid_before,
    gtid_next_kept,
    logged,
    none_of,
)
from conformance.oracles.checks.logged_event_comparisons import (
    IGNORABLE,
    Entry,
    check_at,
    equal,
    equal_lengths,
    equal_lists,
    equal_markers,
    equal_other_flags,
    equal_row_values,
    equal_rows,
    equal_starts,
    equal_statements,
    equal_texts,
    flagged,
    is_spare,
    place_of,
    without_select,
)
from conformance.oracles.checks.logged_groups import has_length_of_group
from conformance.oracles.checks.logged_structure import cause_of_structure
from conformance.oracles.checks.own_gtids import next_number, sets_as_logged, where_numbers_are_right
from conformance.oracles.checks.unlogged_statements import temporary_creations
from conformance.oracles.coverage.log_coverage import LOG_TABLES
from conformance.oracles.oracle import GOOD, Check, Oracle, both
from conformance.protocol.roles.log import kind_of, words_of
from conformance.specs.versions import Profiles


def _lone_gtids(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check for no Gtid event after which no transaction comes."""
    events = alignment.observation.events
    after = [*events[1:], None]
    for place in alignment.phantoms:
        gtid, following = events[place], after[place]
        ends = following is None or following["log"] != gtid["log"] or following["type"] in _OUTSIDE
        if gtid["type"] in GTID_TYPES and ends:
            message = f"{place_of(gtid)} should not be there"
            cause = cause_of_structure(alignment) or Cause("without a transaction", "GTID", role="log")
            yield check_at(gtid, "Gtid event without a transaction logged", message, cause)
            return
    yield GOOD


#: The events after which no transaction has begun.
_OUTSIDE: Final = frozenset((*GTID_TYPES, EventType.ROTATE, EventType.STOP))


def _of_type(*types: int) -> Callable[[Entry], bool]:
    return lambda entry: entry["type"] in types


def _unmarked(entry: Entry) -> str:
    return "" if MARKER_BITS.stored(entry["flags"]) else "has no boundary marker"


def _spare(entry: Entry) -> str:
    return "has a spare marker" if is_spare(MARKER_BITS.stored(entry["flags"])) else ""


def _not_extended(entry: Entry) -> str:
    return "has no tables info" if "tables_info" not in entry else ""


def _is_extended(entry: Entry) -> str:
    return "has tables info" if "tables_info" in entry else ""


#: The causes of the other format of Query events than the option's, in some logs or in all.
_WITHOUT_LISTS: Final = Cause("has no tables info", "QUERY", role="log")
_WITH_LISTS: Final = Cause("has tables info", "QUERY", role="log")


def _one_query_format(requirement: str) -> Oracle:
    """Return the oracle that checks that all logs have the same format of Query events."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        lengths = []
        if alignment.observation.error is not None or not alignment.observation.events:
            return  # A log that is empty or cannot be read does not show its format.
        for stream in alignment.observation.streams:
            size = HEADER.unpack(stream[len(MAGIC) : len(MAGIC) + HEADER_BYTES])[3]
            described = FormatDescription.from_event(stream[len(MAGIC) : len(MAGIC) + size])
            lengths.append(described.post_header_length(EventType.QUERY))
        message = f"post-headers of {sorted(set(lengths))} bytes"
        is_on = alignment.case.settings["scenario"]["settings"]["binlog_with_tables_info"]
        cause = _WITHOUT_LISTS if is_on else _WITH_LISTS
        yield Check("two Query formats", message, len(MAGIC), cause) if len(set(lengths)) > 1 else GOOD

    return Oracle(requirement, examine)


def _shown(kind: Hashable) -> str:
    return type_name(kind) if isinstance(kind, int) else str(kind)


def _equal_skeletons(requirement: str) -> Oracle:
    """Return the oracle that compares the sequence of events, by kind alone."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        kinds = [
            [kind_of(entry) for entry in entries]
            for entries in (alignment.case.expected.events, alignment.observation.events)
        ]
        at = next((i for i, pair in enumerate(zip(*kinds, strict=False)) if pair[0] != pair[1]), None)
        if at is not None:
            wanted, logged_kind = (_shown(kind[at]) for kind in kinds)
            message = f"event {at + 1} is {logged_kind}, expected {wanted}"
            yield Check("wrong sequence of events", message, cause=cause_of_structure(alignment))
        elif len(kinds[0]) != len(kinds[1]):
            message = f"{len(kinds[1])} events, expected {len(kinds[0])}"
            yield Check("wrong number of events", message, cause=cause_of_structure(alignment))
        else:
            yield GOOD

    return Oracle(requirement, examine)


#: The cause of an event that is in another log.
_OTHER_LOG: Final = Cause(DIFFERS, field="log", role="log")
_TABLE_MAP: Final = frozenset({int(EventType.TABLE_MAP)})


_QUERIES: Final = frozenset({int(EventType.QUERY)})


_ROWS_QUERIES: Final = frozenset({int(EventType.ROWS_QUERY)})


def _logged_texts(requirement: str, *, about: frozenset[int] = frozenset()) -> Oracle:
    """Return the oracle that checks that the marked events are logged, each statement's text as it was issued."""
    exact = logged(requirement, equal("rows_query"), about=about)
    bare = logged(requirement, equal_texts, about=about)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        oracle = bare if alignment.case.id.profile == "worklog" else exact
        yield from oracle.examine(alignment, requirement)

    return Oracle(requirement, examine)


#: The rules for recorded logs on the end and on the checksum of an event.
_POSITIONS: Final = "WL4033-READ-POSITION-CHAIN"
_CHECKSUMS: Final = "FORMAT-CHECKSUM-WRONG"
#: The requirement on positions in transactions where servers write a Gtid event before each.
_OF_TRANSACTIONS: Final = "WL7592-LOG-GTID-POSITIONS"
_OUTSIDE_TRANSACTIONS: Final = types_of(Purpose.LOG)


def _is_in_transaction(alignment: Alignment, log: int, offset: int) -> bool:
    """Return whether the event at an offset of a log is a Gtid event, or one of its transaction."""
    type_code = alignment.observation.streams[log][offset + TYPE_AT : offset + TYPE_AT + 1]
    return bool(type_code) and type_code[0] not in _OUTSIDE_TRANSACTIONS


def _is_of_no_whole_group(alignment: Alignment, log: int, offset: int) -> bool:
    """Return whether the length in a Gtid event is not that of the events up to the next one.

    If it is, and these events are not a whole transaction, it is they that are wrong.
    """
    events = alignment.observation.events
    place = next((place for place, each in enumerate(events) if (each["log"], each["offset"]) == (log, offset)), None)
    return place is None or not has_length_of_group(events, place)


def _gtids_with(requirement: str, field: str, servers: Profiles) -> Oracle:
    """Return the oracle that checks that all Gtid events of some servers have a field."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if alignment.case.id.profile not in servers:
            return
        for entry in alignment.observation.events:
            if entry["type"] in GTID_TYPES and field not in entry:
                yield check_at(entry, f"no {field}", f"{place_of(entry)} has no {field} that can be read")
                return
        yield GOOD

    return Oracle(requirement, examine, asks_more=True, of_torn_logs=True)


def _is_outside(of_transactions: str) -> Callable[[Alignment, int, int], bool]:
    """Return the condition that an event is not judged by the requirement on transactions."""

    def is_outside(alignment: Alignment, log: int, offset: int) -> bool:
        judged = of_transactions in alignment.case.marks
        return not (judged and _is_in_transaction(alignment, log, offset))

    return is_outside


def _marker(rule: str) -> Oracle:
    """Return the oracle that compares boundary markers where the event before has not lost its Gtid event.

    Without it the transaction begins elsewhere, and so its markers are others.
    """
    requirement = f"WL4162-{rule}"
    oracle = logged(requirement, equal_markers, required=False)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        lost = {
            (seen["log"], seen["offset"])
            for index, wanted in enumerate(alignment.case.expected.events[:-1])
            if wanted["type"] in GTID_TYPES and alignment.observed(index) is None
            if (seen := alignment.observed(index + 1)) is not None
        }
        for check in oracle.examine(alignment, requirement):
            if not check.signature or (check.log, check.at) not in lost:
                yield check

    return Oracle(requirement, examine)


def _list(rule: str, *words: str) -> Oracle:
    """Return the oracle that compares lists of tables, if words are given those of statements that begin with them."""

    def compare(wanted: Entry, observed: Entry) -> str:
        return equal_lists(wanted, observed) if not words or words_of(str(wanted["query"])) in words else ""

    return logged(f"WL40-{rule}", compare, types=_QUERIES, required=False)


ORACLES: Final[tuple[Oracle, ...]] = (
    # Logs as a whole, by the rules for recorded ones
    *(
        by_log_check(name, of_structure=True)
        for name in (
            "FORMAT-LOG-TABLE-MAP",
            "FORMAT-LOG-TRANSACTION-ENDS",
            "FORMAT-LOG-END-NEEDS-BEGIN",
            "FORMAT-LOG-PREVIOUS-GTIDS-ONCE",
            "FORMAT-LOG-END-LAST",
            "FORMAT-LOG-CONTEXT",
            "FORMAT-LOG-MARIADB-GTID-FIRST",
            "FORMAT-LOG-MARIADB-GTID-LIST",
        )
    ),
    by_log_check("FORMAT-LOG-GTID-ONCE"),
    by_log_check("FORMAT-LOG-ROTATE-NEXT"),
    by_log_check("FORMAT-LOG-BODY"),
    next_number("FORMAT-LOG-GTID-NUMBER"),
    both(
        none_of("FORMAT-LOG-GTID-GIVEN", _of_type(*GTID_TYPES), "Gtid event of what is not logged"),
        both(
            logged("FORMAT-LOG-GTID-GIVEN", equal_statements),
            gtid_before("FORMAT-LOG-GTID-GIVEN", named=True),
        ),
    ),
    none_of_refused("FORMAT-LOG-GTID-UNDEFINED", "statement of a session without a GTID"),
    none_of_refused("FORMAT-LOG-REFUSED", "refused statement"),
    logged("FORMAT-LOG-SAVEPOINTS", equal_statements),
    logged("FORMAT-LOG-CREATED", equal_starts, required=False),
    by_log_check("FORMAT-LOG-POSITIONS", rule=_POSITIONS, at=_is_outside(_OF_TRANSACTIONS), asks_more=True),
    by_log_check("FORMAT-LOG-CHECKSUMS", rule=_CHECKSUMS, at=_is_outside("WL7592-LOG-GTID-CHECKSUMS")),
    by_log_check("WL7592-LOG-GTID-POSITIONS", rule=_POSITIONS, at=_is_in_transaction, asks_more=True),
    by_log_check("WL7592-LOG-GTID-CHECKSUMS", rule=_CHECKSUMS, at=_is_in_transaction),
    by_log_check("FORMAT-LOG-DESCRIPTION-CHECKSUM", asks_more=True),
    Oracle("FORMAT-LOG-DESCRIPTION-LENGTHS", lengths_declared, asks_more=True),
    both(
        by_log_check("FORMAT-LOG-TRANSACTION-LENGTH", at=_is_of_no_whole_group, asks_more=True),
        _gtids_with("FORMAT-LOG-TRANSACTION-LENGTH", "transaction_length", WITH_TRANSACTION_LENGTHS),
    ),
    both(
        by_log_check("FORMAT-LOG-GTID-SERVER-VERSION", asks_more=True),
        _gtids_with("FORMAT-LOG-GTID-SERVER-VERSION", "immediate_server_version", WITH_SERVER_VERSIONS),
    ),
    by_log_check("WL7592-LOG-LOGICAL-TIMESTAMPS", asks_more=True),
    by_log_check("WL7592-LOG-NO-QUERY-TIMESTAMPS", asks_more=True),
    # WL#7592: Gtid events and Previous_gtids
    gtid_before("WL7592-LOG-ON-GTID-FIRST"),
    gtid_before("WL7592-LOG-OFF-ANON-FIRST"),
    gtid_before("WL7592-LOG-OFF-ANON-DDL"),
    both(
        by_log_check("WL7592-LOG-WITH-FLUSH", of_structure=True),
        Oracle("WL7592-LOG-WITH-FLUSH", _lone_gtids),
    ),
    logged("WL7592-LOG-ANON-IGNORABLE", flagged(IGNORABLE), required=False),
    _equal_skeletons("WL7592-LOG-SAME-SKELETON"),
    none_of("WL7592-LOG-ON-UNCHANGED", _of_type(EventType.ANONYMOUS_GTID), "Anonymous_gtid event"),
    logged("WL7592-LOG-ON-PREVIOUS-GTIDS"),
    logged("WL7592-LOG-OFF-PREVIOUS-GTIDS"),
    sets_as_logged("WL7592-LOG-PREVIOUS-GTIDS-KEPT"),
    sets_as_logged("WL7592-LOG-SIMPLE-RECOVERY-OLD"),
    sets_as_logged("WL7592-LOG-SIMPLE-RECOVERY-NEW"),
    sets_as_logged("WL7592-LOG-FULL-RECOVERY"),
    where_numbers_are_right(logged("WL7592-LOG-PURGED-KEPT", equal_rows, types=ROWS_TYPES)),
    # WL#7592: unusual statements
    logged("WL7592-LOG-OFF-NO-RESTRICTIONS"),
    logged("WL7592-LOG-OFF-CREATE-SELECT-ALLOWED", types=_QUERIES),
    none_of_refused("WL7592-LOG-ON-MIXED-ENGINES-REFUSED", "refused change", is_change),
    none_of_refused("WL7592-LOG-ON-CREATE-SELECT-REFUSED", "refused CREATE TABLE", is_query("CREATE TABLE")),
    logged("WL7592-LOG-CREATE-SELECT-STATEMENT", equal_statements, before=True),
    both(
        logged("WL7592-LOG-CREATE-SELECT-ROW", equal_statements),
        by_log_check("WL7592-LOG-CREATE-SELECT-ROW", of_structure=True),
    ),
    by_log_check("WL7592-LOG-CREATE-NOT-INSIDE", of_structure=True),
    logged("WL7592-LOG-DROP-GROUPS", equal_statements),
    logged("WL7592-LOG-DROP-TEMPORARY-FIRST", equal_statements),
    gtid_before("WL7592-LOG-DROP-ON-GTID-EACH"),
    gtid_before("WL7592-LOG-DROP-OFF-ANON-EACH"),
    logged("WL7592-LOG-DROP-TEMPORARY-INSIDE", equal_statements),
    dropped_together("WL7592-LOG-DROPDB-PARTIAL", once=False),
    dropped_together("WL7592-LOG-DROPDB-SPLIT", once=True),
    each_drop_marked("WL7592-LOG-DROPDB-OFF-ANON-EACH", anonymous=True),
    each_drop_marked("WL7592-LOG-DROPDB-ON-GTID-EACH", anonymous=False),
    gtid_before("WL7592-LOG-DROPDB-NAMED-ONE", named=True),
    both(
        none_of("WL7592-LOG-DROPDB-NAMED-SEVERAL", is_query("DROP TABLE"), "DROP TABLE that has no GTID"),
        both(
            logged("WL7592-LOG-DROPDB-NAMED-SEVERAL", types=_QUERIES),
            gtid_before("WL7592-LOG-DROPDB-NAMED-SEVERAL", named=True),
        ),
    ),
    logged("WL7592-LOG-MAINTENANCE-FAILED", equal_statements, types=_QUERIES | GTID_TYPES),
    gtid_before("WL7592-LOG-MAINTENANCE-KEEPS-GTID", named=True),
    logged("WL7592-LOG-TEMPORARY-OUTSIDE", equal_statements, before=True),
    both(
        logged("WL7592-LOG-TEMPORARY-INSIDE", equal_statements),
        both(gtid_before("WL7592-LOG-TEMPORARY-INSIDE"), gtid_next_kept("WL7592-LOG-TEMPORARY-INSIDE")),
    ),
    none_of_refused(
        "WL7592-LOG-ON-TEMPORARY-INSIDE-REFUSED",
        "refused CREATE or DROP TEMPORARY TABLE",
        is_query("CREATE TABLE", "DROP TABLE"),
    ),
    both(
        logged("WL7592-LOG-DISCONNECT-DROPS", equal_statements, types=_QUERIES | GTID_TYPES),
        both(gtid_before("WL7592-LOG-DISCONNECT-DROPS", named=True), gtid_next_kept("WL7592-LOG-DISCONNECT-DROPS")),
    ),
    # WL#4033
    logged("WL4033-LOG-FLAG-SET", flagged(IGNORABLE), required=False),
    logged("WL4033-LOG-FLAG-ALONE", flagged(IGNORABLE, alone=True), required=False),
    _logged_texts("WL4033-LOG-ROWS-QUERY-WRITTEN"),
    none_of("WL4033-LOG-ROWS-QUERY-CONDITIONS", _of_type(*_ROWS_QUERIES), "Rows_query of a statement"),
    logged("WL4033-LOG-ROWS-QUERY-NEEDS-TEXT", about=_ROWS_QUERIES),
    both(
        by_log_check("WL4033-LOG-ROWS-QUERY-PER-STATEMENT", of_structure=True),
        none_of("WL4033-LOG-ROWS-QUERY-PER-STATEMENT", _of_type(*_ROWS_QUERIES), "second Rows_query"),
    ),
    by_log_check("WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP", is_before=True, of_structure=True),
    logged("WL4033-LOG-ONE-STATEMENT-SEQUENCE"),
    logged("WL4033-LOG-SEVERAL-STATEMENTS"),
    logged("WL4033-LOG-OPTION-NAME", equal_row_values, about=_ROWS_QUERIES),
    logged("WL4033-LOG-OPTION-SCOPE", equal_row_values, about=_ROWS_QUERIES),
    logged("WL4033-LOG-OPTION-DYNAMIC", equal("log"), about=_ROWS_QUERIES, cause=_OTHER_LOG),
    none_of("WL4033-LOG-OPTION-DEFAULT-OFF", _of_type(*_ROWS_QUERIES), "Rows_query"),
    _logged_texts("WL4033-LOG-OPTION-SELECTED", about=_ROWS_QUERIES),
    none_of(
        "WL4033-LOG-OPTION-OFF-OLD-SAFE",
        _of_type(EventType.ROWS_QUERY, EventType.IGNORABLE),
        "ignorable event",
    ),
    logged("WL4033-LOG-DELAYED-ONE-TABLE-MAP"),
    logged("WL4033-LOG-DELAYED-NOT-SHARED", equal_rows, types=ROWS_TYPES),
    # WL#40
    every_event("WL40-OPTION-ON-ALL-EXTENDED", _not_extended, types=_QUERIES, cause=_WITHOUT_LISTS),
    every_event("WL40-OPTION-OFF-USUAL", _is_extended, types=_QUERIES, cause=_WITH_LISTS),
    _one_query_format("WL40-OPTION-GLOBAL-READ-ONLY"),
    _list("LIST-EACH-TABLE"),
    _list("CREATE-SHAPES"),
    logged("WL40-CREATE-SBR-AS-IS", equal_statements),
    _list("CREATE-SBR-PLAIN"),
    _list("CREATE-SBR-LIKE"),
    _list("CREATE-SBR-SELECT"),
    none_of(
        "WL40-CREATE-RBR-TEMPORARY-NOT-LOGGED",
        is_query("CREATE TABLE"),
        "CREATE TEMPORARY TABLE",
        unlogged=temporary_creations,
    ),
    logged("WL40-CREATE-RBR-LIKE-TRANSFORMED", equal_statements),
    logged("WL40-CREATE-RBR-SELECT-TRANSFORMED", equal_statements, required=False),
    none_of(
        "WL40-CREATE-RBR-TEMPORARY",
        is_query("CREATE TABLE"),
        "CREATE TEMPORARY TABLE",
        unlogged=temporary_creations,
    ),
    both(_list("CREATE-RBR-PLAIN"), logged("WL40-CREATE-RBR-PLAIN", equal_statements)),
    _list("CREATE-RBR-LIKE-TEMPORARY"),
    both(_list("CREATE-RBR-LIKE"), logged("WL40-CREATE-RBR-LIKE", equal_statements)),
    _list("CREATE-RBR-SELECT", "CREATE TABLE"),
    logged("WL40-CREATE-SELECT-SEQUENCE", equal("type")),
    _list("CREATE-SELECT-SAME-LIST", "BEGIN", "COMMIT"),
    logged("WL40-CREATE-SELECT-TABLE-MAP", equal("database", "table"), types=_TABLE_MAP),
    _list("RENAME-LEFT-SIDE"),
    _list("RENAME-SKIP-TARGETS"),
    _list("RENAME-SWAP"),
    # WL#4162
    every_event("WL4162-MARKER-EVERY-EVENT", _unmarked),
    every_event("WL4162-MARKER-IN-FILE", _unmarked),
    logged("WL4162-MARKER-OTHER-FLAGS-KEPT", equal_other_flags, required=False),
    logged("WL4162-MARKER-NO-EXTRA-SPACE", equal_lengths, required=False),
    every_event("WL4162-ALWAYS-ENABLED", _unmarked),
    every_event("WL4162-VALUES-SIX-OF-EIGHT", _spare),
    *(
        _marker(name)
        for name in (
            "BOUNDARY-CHANGED-BY-CONTEXT",
            "MARK-DEFAULT-SELF",
            "MARK-FORMAT-DESCRIPTION",
            "MARK-INSIDE-AND-XID",
            "MARK-INSIDE-ROWS",
            "MARK-GTID-START",
            "MARK-QUERY-WORDS",
            "MARK-QUERY-NOT-IMMEDIATE",
            "ADJUST-AFTER-GTID",
            "ADJUST-START-TO-INSIDE",
            "ADJUST-SELF-TO-END",
            "CONTEXT-FIRST-EVENT-STARTS",
            "CONTEXT-EVENTS-STAY-INSIDE",
        )
    ),
    logged("WL4162-CONTEXT-EVENTS-BEFORE-STATEMENT", after=True),
    # WL#3303
    logged_once("WL3303-LOG-AS-STATEMENT", _QUERIES),
    logged_once("WL3303-LOG-AS-ROWS", _TABLE_MAP | ROWS_TYPES),
    logged("WL3303-LOG-MIXTURE", without_select, types=_QUERIES | _TABLE_MAP | ROWS_TYPES, adjacent=False),
)

#: What a corpus or a fuzzing run exercised.
COVERAGE_TABLES: Final = LOG_TABLES
