"""Refusals that have one cause in events of several types, or in words that depend on the bytes that are misread."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from conformance.binlog.event_types import COMPRESSED_ROWS, COMPRESSED_ROWS_V1, EventType
from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import NOT_UNPACKED, REFUSED, Cause
from conformance.oracles.checks.misread_texts import cause_of_refused_text
from conformance.oracles.checks.packed_numbers import READ_WITH_LENGTH, is_read_with_length
from conformance.oracles.checks.post_headers import EXTRA_DATA, LONGER
from conformance.oracles.checks.text_encodings import OF_ORDER, OTHER_ORDER, has_text_of_its_own
from conformance.oracles.reasons import OF_BOUNDS, OF_MEMORY, OF_RESOURCES
from conformance.protocol.observation import Trouble
from conformance.protocol.roles.decode import HEADER_FIELDS
from conformance.strategies.grammar.case import Case, Expected

#: The smallest buffer in which readers are taken to read logs, in bytes; larger ones are multiples of it.
_BUFFER: Final = 4096
#: The types of events about a file of LOAD DATA: a reader keeps these files by their numbers.
_OF_FILES: Final = frozenset(
    {EventType.BEGIN_LOAD_QUERY, EventType.APPEND_BLOCK, EventType.DELETE_FILE, EventType.EXECUTE_LOAD_QUERY}
)
_COMPRESSED: Final = frozenset((*COMPRESSED_ROWS, *COMPRESSED_ROWS_V1))
#: A tag in the text of a GTID set.
_TAG: Final = re.compile(r":[a-z_]\w*:")

#: Roles whose entries are events that are read.
_OF_READERS: Final = frozenset({"decode", "filter"})
_ANY: Final = re.compile("")
_NUMBER: Final = re.compile(r"\d{1,10}")
_OF_NOTHING: Final = re.compile(r"\b(?:length|size|capacity) 0\b")
#: What unpacks the statements and the rows that MariaDB compresses is the same.
_OF_COMPRESSION: Final = re.compile("compress", re.IGNORECASE)
#: A reader that does not know the metadata of such a column gets those after it wrong, or all values of its rows.
_TABLE_OF_VECTORS: Final = "table with VECTOR columns"
_TABLE_OF_COMPRESSED: Final = "table with compressed columns"
_SET_WITH_TAGS: Final = "GTID set with tags"
TAGS_REFUSED: Final = Cause(REFUSED, _SET_WITH_TAGS)
_COMPRESSED_COLUMNS: Final = "FORMAT-ROWS-VALUES-MARIADB-COMPRESSED"
#: The requirement that an event is made for -> what it has.
MADE_FOR: Final = {
    LONGER: "longer post-header",
    EXTRA_DATA: "rows event with extra data",
    "FORMAT-MARIADB-GTID-LIST-FLAGS": "Gtid_list with flags",
}
#: What a reader may not know -> the requirement on it.
ON_FEATURE: Final = {
    _TABLE_OF_VECTORS: "FORMAT-ROWS-VALUES-VECTOR",
    _TABLE_OF_COMPRESSED: _COMPRESSED_COLUMNS,
    _SET_WITH_TAGS: "WL7592-PREVIOUS-GTIDS-SET-READ",
}
_VECTORS: Final = Cause(REFUSED, _TABLE_OF_VECTORS)


def _of_expected(applies: Callable[[Expected, int], bool]) -> Callable[[Alignment, int], bool]:
    """Return the condition on an answer that is one on what is expected alone."""
    return lambda alignment, index: applies(alignment.case.expected, index)


def _has_tags(expected: Expected, index: int) -> bool:
    sets = expected.events[index].get("previous_gtids")
    return _TAG.search(str(sets or "").lower()) is not None


def _is_of(*types: int) -> Callable[[Alignment, int], bool]:
    return lambda alignment, index: alignment.case.expected.events[index]["type"] in types


def _is_of_compressed_columns(expected: Expected, index: int) -> bool:
    """Return whether an event describes a table of which a column is compressed, with a type code of its own."""
    is_made_for = expected.made_for.get(index) == _COMPRESSED_COLUMNS
    return is_made_for and bool(expected.events[index]["type"] == EventType.TABLE_MAP)


def _has_vectors(expected: Expected, index: int) -> bool:
    """Return whether an event has rows of a table with a column of vectors."""
    return ColumnType.VECTOR in expected.columns.get(index, ())


def _has_vector(expected: Expected, index: int) -> bool:
    """Return whether an event has a value of such a column: rows without one are read whether it is known or not."""
    columns = expected.columns.get(index, ())
    vectors = {str(number) for number, code in enumerate(columns) if code == ColumnType.VECTOR}
    rows = expected.events[index].get("rows", ()) if vectors else ()
    images = (image for row in rows for image in (row["before"], row["after"]) if image is not None)
    return any(image.get(name) is not None for image in images for name in vectors)


def _is_of_vectors(expected: Expected, index: int) -> bool:
    """Return whether an event describes a table with a column of vectors, whose metadata a reader may not know."""
    events = expected.events
    if events[index]["type"] != EventType.TABLE_MAP:
        return False
    table_id = events[index].get("table_id")
    of_table = (each for each in range(index + 1, len(events)) if events[each].get("table_id") == table_id)
    # Ids begin again in the logs of a restarted server: what follows the next Table_map is about another table.
    own = takewhile(lambda each: events[each]["type"] != EventType.TABLE_MAP, of_table)
    return any(_has_vectors(expected, each) for each in own)


_ACROSS: Final = Cause(REFUSED, "event across a border of 4 KiB")
#: Words about the limit of a buffer: others about bounds may be about the event itself, wherever it is.
_OF_BUFFER: Final = re.compile(r"\blimit exc+ee?d", re.IGNORECASE)


def _is_across(alignment: Alignment, index: int) -> bool:
    """Return whether an event does not fit into the rest of a buffer, if buffers are read one after the other.

    Nothing else shows it, as the event may be too large for other reasons: so the cause names the border and no buffer.
    One with a longer post-header is misread for that, wherever it is. Words about nothing at all are about an empty
    value: of an event of which the rest is missing, the beginning is there.
    """
    if alignment.case.expected.made_for.get(index) in MADE_FOR or _OF_NOTHING.search(alignment.refusal(index)):
        return False
    entry = alignment.case.expected.events[index]
    start, last = entry["offset"], entry["offset"] + entry["length"] - 1
    return bool(start // _BUFFER != last // _BUFFER)


def _is_cut_off(alignment: Alignment, index: int) -> bool:
    """Return whether an event across a border is refused with words about the length of all of it, or its last byte.

    It is then no fault of its layout, whatever its type is: the rest of it was not there to be read.
    """
    error, length = alignment.observation.error, alignment.case.expected.events[index]["length"]
    numbers = {int(each) for each in _NUMBER.findall(error.message)} if error is not None else set()
    return _is_across(alignment, index) and not numbers.isdisjoint({length - 1, length})


def _is_packed(alignment: Alignment, index: int) -> bool:
    """Return whether an event has compressed rows, all of which were there to be read."""
    return _is_of(*_COMPRESSED)(alignment, index) and not _is_cut_off(alignment, index)


def _has_wide_text(alignment: Alignment, index: int) -> bool:
    """Return whether an event has a value in characters of several bytes each."""
    rows = alignment.case.expected.events[index].get("rows", ())
    images = (image for row in rows for image in (row["before"], row["after"]) if image is not None)
    return any(has_text_of_its_own(value) for image in images for value in image.values())


def _names_misread_number(alignment: Alignment, index: int) -> bool:
    """Return whether the words of a refusal have a number that one of the event comes to if it is read too long."""
    entry = alignment.case.expected.events[index]
    if entry["type"] != EventType.TRANSACTION_PAYLOAD:
        return False
    named = [int(each) for each in _NUMBER.findall(alignment.refusal(index))]
    values = [value for name, value in entry.items() if name not in HEADER_FIELDS]
    return any(is_read_with_length(value, number) for value in values for number in named)


@dataclass(frozen=True, slots=True)
class _Row:
    """A kind of refusals: of which events, in which words, and their cause.

    Attributes:
        applies: Returns whether an expected event, given its index, is one of these.
        words: What the reason must hold.
        cause: The cause, without a reason.
        has_reason: Whether the reason is part of the cause; otherwise it depends on the bytes.
        shows: Returns whether an event, if it is read, shows that the reader knows the layout; `applies` if None.
    """

    applies: Callable[[Alignment, int], bool]
    words: re.Pattern[str]
    cause: Cause
    has_reason: bool
    shows: Callable[[Alignment, int], bool] | None = None


#: The first row that applies counts.
_ROWS: Final = (
    _Row(_of_expected(_is_of_compressed_columns), _ANY, Cause(REFUSED, _TABLE_OF_COMPRESSED), has_reason=False),
    _Row(_of_expected(_is_of_vectors), _ANY, _VECTORS, has_reason=False),
    _Row(_of_expected(_has_vectors), _ANY, _VECTORS, has_reason=False, shows=_of_expected(_has_vector)),
    _Row(_names_misread_number, _ANY, READ_WITH_LENGTH, has_reason=False),
    _Row(_of_expected(_has_tags), OF_BOUNDS, TAGS_REFUSED, has_reason=False),
    _Row(_is_packed, OF_BOUNDS, NOT_UNPACKED, has_reason=False),
    _Row(
        _is_of(*_COMPRESSED, EventType.MARIADB_QUERY_COMPRESSED),
        _OF_COMPRESSION,
        Cause(REFUSED, "compressed event of MARIADB"),
        has_reason=True,
    ),
    _Row(_has_wide_text, OF_ORDER, OTHER_ORDER, has_reason=False),
    _Row(_is_of(*_OF_FILES), OF_MEMORY, Cause(REFUSED, "event of LOAD DATA"), has_reason=True),
    _Row(_is_across, _OF_BUFFER, _ACROSS, has_reason=True),
    _Row(_is_cut_off, OF_BOUNDS, _ACROSS, has_reason=True),
)


def common_cause(alignment: Alignment, at: int, reason: str) -> Cause | None:
    """Return the cause that a refusal has in common with others, None if it has none.

    Args:
        alignment: The answer beside the expected one.
        at: Offset in bytes of the refused event.
        reason: The reason, without what varies from case to case.
    """
    index = alignment.index_at(at)
    if alignment.case.role not in _OF_READERS or index is None:
        return None
    for row in _ROWS if alignment.case.role == "decode" else ():
        if row.applies(alignment, index) and row.words.search(reason):
            shows = row.shows or row.applies
            if not row.has_reason and any(shows(alignment, each) for each in _read(alignment)):
                continue
            return Cause(row.cause.kind, row.cause.subject, reason=reason if row.has_reason else "")
    return cause_of_refused_text(alignment, index, reason)


def crashed_at(case: Case, trouble: Trouble) -> str | None:
    """Return at what a reader crashes that it may not know; None if it crashes at another event, or nobody knows where.

    What it makes of the metadata of columns, of a set with tags or of a longer post-header, and how it fails at it,
    depends on the bytes.
    """
    index = event_of_trouble(case, trouble)
    if index == len(case.expected.events):
        return None
    feature = feature_of(case.expected, index)
    if feature is None and (made_for := MADE_FOR.get(case.expected.made_for.get(index, ""))) is not None:
        return made_for
    is_of_size = OF_BOUNDS.search(trouble.signature) or OF_RESOURCES.search(trouble.signature)
    return feature if feature != _SET_WITH_TAGS or is_of_size else None


def event_of_trouble(case: Case, trouble: Trouble) -> int:
    """Return the index of the expected event at which a reader crashes; one after the last if nobody knows."""
    events = case.expected.events
    if case.role != "decode" or trouble.last_at is None:
        return len(events)
    return next((number for number, entry in enumerate(events) if entry["offset"] > trouble.last_at), len(events))


def feature_of(expected: Expected, index: int) -> str | None:
    """Return what an expected event has that a reader may not know; None if it has nothing of this kind."""
    if _is_of_compressed_columns(expected, index):
        return _TABLE_OF_COMPRESSED
    if _is_of_vectors(expected, index):
        return _TABLE_OF_VECTORS
    return _SET_WITH_TAGS if _has_tags(expected, index) else None


def _read(alignment: Alignment) -> list[int]:
    """Return the indices of the expected events that are read right."""
    every = range(alignment.count)
    return [each for each in every if alignment.observed(each) is not None and not alignment.differing(each)]
