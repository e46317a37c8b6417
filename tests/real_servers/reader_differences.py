"""Where mysqlbinlog 9.7 stops elsewhere than the kit expects, why, and in the streams of which families."""

from collections.abc import Callable
from dataclasses import dataclass

from conformance.binlog.event_types import PRE_GA_ROWS, ROWS_V1, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, Header
from conformance.strategies.grammar.case import Case

#: The highest type code that it can skip.
HIGHEST_IGNORABLE = 127
#: Bytes of the longest name of a database or table: 64 characters of three bytes.
LONGEST_NAME = 192
#: Type -> bytes of its post-header in every server.
POST_HEADERS = {EventType.TABLE_MAP: 8, EventType.GTID: 42, EventType.ANONYMOUS_GTID: 42}
#: Length in bytes of a Rows_query event without a text: header, length byte, and perhaps a checksum.
EMPTY_ROWS_QUERY = (HEADER_BYTES + 1, HEADER_BYTES + 1 + 4)

_BEFORE_5_0 = (
    EventType.START_V3,
    EventType.SLAVE,
    EventType.LOAD,
    EventType.CREATE_FILE,
    EventType.EXEC_LOAD,
    EventType.NEW_LOAD,
)


@dataclass(frozen=True)
class Difference:
    """One way in which the program differs from the kit.

    Attributes:
        reason: Why it differs.
        holds: Returns whether it applies to a case and the offset at which the program stops, None at the end.
        families: The families whose streams may need it.
    """

    reason: str
    holds: Callable[[Case, int | None], bool]
    families: frozenset[str]


def _header(case: Case, at: int) -> Header:
    return Header(*HEADER.unpack(case.stream[at : at + HEADER_BYTES]))


def _stops_at(*types: int) -> Callable[[Case, int | None], bool]:
    return lambda case, at: at is not None and _header(case, at).type in types


def _format(case: Case) -> FormatDescription:
    start = len(MAGIC)
    return FormatDescription.from_event(case.stream[start : start + _header(case, start).length])


def _stops_at_uncovered(case: Case, at: int | None) -> bool:
    if at is None or not _header(case, at).flags & Flag.IGNORABLE:
        return False
    return _header(case, at).type > min(_format(case).event_types, HIGHEST_IGNORABLE)


def _stops_at_longer(*types: EventType) -> Callable[[Case, int | None], bool]:
    def holds(case: Case, at: int | None) -> bool:
        code = 0 if at is None else _header(case, at).type
        return code in types and _format(case).post_header_length(code) > POST_HEADERS[EventType(code)]

    return holds


def _stops_at_empty_rows_query(case: Case, at: int | None) -> bool:
    if at is None:
        return False
    header = _header(case, at)
    return header.type == EventType.ROWS_QUERY and header.length in EMPTY_ROWS_QUERY


def _stops_at_empty_statement(case: Case, at: int | None) -> bool:
    if at is None or _header(case, at).type != EventType.QUERY:
        return False
    return any(each["offset"] == at and each["query"] == "" for each in case.expected.events)


def _stops_at_long_name(case: Case, at: int | None) -> bool:
    if at is None or _header(case, at).type != EventType.TABLE_MAP:
        return False
    entry = next(each for each in case.expected.events if each["offset"] == at)
    return any(len(entry[name].encode()) > LONGEST_NAME for name in ("database", "table"))


def _accepts(kind: str, *types: int) -> Callable[[Case, int | None], bool]:
    """Return what holds where it reads on at an event that the kit refuses: one of these types, or of any."""

    def holds(case: Case, at: int | None) -> bool:
        refused = case.expected.refused_at
        if at is not None or refused is None or case.expected.refused_kind != kind:
            return False
        return not types or _header(case, refused).type in types

    return holds


DIFFERENCES = (
    Difference(
        "rows events of betas were never released, and were removed in 8.4",
        _stops_at(*PRE_GA_ROWS),
        frozenset({"marked_streams", "rows_of_betas"}),
    ),
    Difference(
        "rows events of version 1 were removed in 8.4",
        _stops_at(*ROWS_V1),
        frozenset(
            {
                "changed_format_descriptions",
                "cross_version_streams",
                "every_column_type",
                "every_event_type",
                "golden_vectors",
                "incidents",
                "loaded_files",
                "malformed_bodies",
                "missing_format_description",
                "new_streams_to_old_readers",
                "post_header_lengths",
                "recorded_logs",
                "rotations",
                "row_filters",
                "transactions",
                "truncated_streams",
                "type_beyond_format_description",
                "unknown_not_ignorable",
                "unmarked_streams",
                "user_variables",
                "wrong_event_lengths",
            }
        ),
    ),
    Difference(
        "files hold no heartbeats: a source sends them between two events of its file",
        _stops_at(EventType.HEARTBEAT, EventType.HEARTBEAT_V2),
        frozenset({"heartbeats", "marked_streams"}),
    ),
    Difference(
        "events of servers before 5.0 were removed in 8.0",
        _stops_at(*_BEFORE_5_0),
        frozenset({"unmarked_streams"}),
    ),
    Difference(
        "a Table_map has a longer post-header, which no server writes",
        _stops_at_longer(EventType.TABLE_MAP),
        frozenset({"post_header_lengths"}),
    ),
    Difference(
        "a Gtid has a longer post-header, which no server writes: it takes the rest for the times of 8.0's commits",
        _stops_at_longer(EventType.GTID, EventType.ANONYMOUS_GTID),
        frozenset({"post_header_lengths"}),
    ),
    Difference(
        "a table has a name of more than 64 characters, which no server allows",
        _stops_at_long_name,
        frozenset({"extended_query_sizes", "name_filters"}),
    ),
    Difference(
        "a Rows_query without a text, which no server writes",
        _stops_at_empty_rows_query,
        frozenset({"rows_query_streams"}),
    ),
    Difference(
        "a Query without a statement, which no server writes",
        _stops_at_empty_statement,
        frozenset({"unmarked_streams"}),
    ),
    Difference(
        "an ignorable type must be declared and at most 127, which the worklog does not require",
        _stops_at_uncovered,
        frozenset(
            {
                "ignorable_bodies",
                "ignorable_codes",
                "ignorable_events",
                "ignorable_flags",
                "marked_streams",
                "uncovered_ignorable_events",
                "unmarked_streams",
            }
        ),
    ),
    Difference(
        "it begins with a format description of its own, and continues if a log has none",
        _accepts("no-format-description"),
        frozenset({"missing_format_description"}),
    ),
    Difference(
        "it is a newer reader than the profile's, and knows or may skip what that one refuses",
        _accepts("unknown-event"),
        frozenset({"new_streams_to_old_readers"}),
    ),
    Difference(
        "no server has WL#40's post-header, so none checks its lengths",
        _accepts("malformed", EventType.QUERY),
        frozenset({"contradicting_query_lengths"}),
    ),
    Difference(
        "it passes over a Previous_gtids whose set cannot be read, as it needs none",
        _accepts("malformed", EventType.PREVIOUS_GTIDS),
        frozenset({"malformed_bodies"}),
    ),
)
