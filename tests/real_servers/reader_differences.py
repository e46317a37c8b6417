"""Where mysqlbinlog 9.7 stops elsewhere than the kit expects, why, and in how many of the test's cases."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.binlog.event_types import PRE_GA_ROWS, ROWS_V1, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, Header
from conformance.strategies.grammar.case import Case

#: The highest type code that it can skip.
HIGHEST_IGNORABLE = 127
#: Bytes of the post-header of a Table_map event in every server.
TABLE_MAP_POST_HEADER = 8
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

#: Family -> version -> how many cases.
Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Difference:
    """One way in which the program differs from the kit.

    Attributes:
        reason: Why it differs.
        holds: Returns whether it applies to a case and the offset at which the program stops, None at the end.
        counts: The number of the test's cases that need it, no more and no fewer.
    """

    reason: str
    holds: Callable[[Case, int | None], bool]
    counts: Counts


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


def _stops_at_longer_table_map(case: Case, at: int | None) -> bool:
    if at is None or _header(case, at).type != EventType.TABLE_MAP:
        return False
    return _format(case).post_header_length(EventType.TABLE_MAP) > TABLE_MAP_POST_HEADER


def _stops_at_empty_rows_query(case: Case, at: int | None) -> bool:
    if at is None:
        return False
    header = _header(case, at)
    return header.type == EventType.ROWS_QUERY and header.length in EMPTY_ROWS_QUERY


def _accepts(kind: str) -> Callable[[Case, int | None], bool]:
    return lambda case, at: at is None and case.expected.refused_kind == kind


DIFFERENCES = (
    Difference(
        "rows events of betas were never released, and were removed in 8.4",
        _stops_at(*PRE_GA_ROWS),
        {
            "rows_of_betas": {"5.1": 5, "5.5": 5},
        },
    ),
    Difference(
        "rows events of version 1 were removed in 8.4",
        _stops_at(*ROWS_V1),
        {
            "cross_version_streams": {"worklog": 2, "5.6": 4, "5.7": 3, "8.0": 1},
            "every_column_type": {"5.1": 5, "5.5": 5, "5.6": 3, "5.7": 1, "8.0": 2},
            "every_event_type": {"5.1": 3, "5.5": 1, "5.6": 2, "5.7": 1},
            "golden_vectors": {"worklog": 3, "5.6": 5, "5.7": 5, "8.0": 5},
            "loaded_files": {"5.1": 1, "5.5": 1},
            "missing_format_description": {"5.1": 4, "5.5": 4},
            "new_streams_to_old_readers": {"5.1": 5, "5.5": 3},
            "post_header_lengths": {"5.1": 1, "5.5": 2},
            "rotations": {"5.1": 3, "5.5": 5},
            "row_filters": {"5.1": 5, "5.5": 5},
            "transactions": {"5.1": 2, "5.5": 3},
            "type_beyond_format_description": {"5.1": 2, "5.5": 1},
            "unknown_not_ignorable": {"5.1": 1, "5.5": 1},
            "unmarked_streams": {"5.7": 1},
            "user_variables": {"5.1": 1},
            "wrong_event_lengths": {"5.1": 1, "5.5": 1},
        },
    ),
    Difference(
        "files hold no heartbeats: a source sends them between two events of its file",
        _stops_at(EventType.HEARTBEAT, EventType.HEARTBEAT_V2),
        {
            "heartbeats": {"worklog": 5, "5.5": 5, "5.6": 5, "5.7": 5, "8.0": 5, "8.4": 5, "9.x": 5},
            "marked_streams": {"worklog": 2},
        },
    ),
    Difference(
        "events of servers before 5.0 were removed in 8.0",
        _stops_at(*_BEFORE_5_0),
        {
            "unmarked_streams": {"worklog": 4},
        },
    ),
    Difference(
        "a Table_map has a longer post-header, which no server writes",
        _stops_at_longer_table_map,
        {
            "post_header_lengths": {"5.1": 1, "5.5": 3, "5.6": 3, "5.7": 1, "8.4": 1, "9.x": 2},
        },
    ),
    Difference(
        "a Rows_query without a text, which no server writes",
        _stops_at_empty_rows_query,
        {
            "rows_query_streams": {"8.0": 1, "8.4": 1},
        },
    ),
    Difference(
        "an ignorable type must be declared and at most 127, which the worklog does not require",
        _stops_at_uncovered,
        {
            "ignorable_events": {"worklog": 1},
            "marked_streams": {"worklog": 3},
            "uncovered_ignorable_events": {"worklog": 5, "5.6": 5, "5.7": 5, "8.0": 5, "8.4": 5, "9.x": 5},
            "unmarked_streams": {"5.7": 3, "8.0": 4, "8.4": 3, "9.x": 5},
        },
    ),
    Difference(
        "it begins with a format description of its own, and continues if a log has none",
        _accepts("no-format-description"),
        {
            "missing_format_description": {
                "worklog": 5,
                "5.1": 1,
                "5.5": 1,
                "5.6": 5,
                "5.7": 5,
                "8.0": 5,
                "8.4": 5,
                "9.x": 5,
            },
        },
    ),
    Difference(
        "it is a newer reader than the profile's, and knows or may skip what that one refuses",
        _accepts("unknown-event"),
        {
            "new_streams_to_old_readers": {"5.5": 2},
        },
    ),
    Difference(
        "no server has WL#40's post-header, so none checks its lengths",
        _accepts("malformed"),
        {
            "contradicting_query_lengths": {"worklog": 5},
        },
    ),
)
