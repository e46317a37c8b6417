"""Clients that lose their connection: what shows that one does, and what it then forgets, the tables of rows."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.oracles.alignment import Alignment
from conformance.protocol.roles.client import may_be_kept_back

#: Words for a connection that is lost: those of drivers and runtimes.
_OF_CONNECTION: Final = re.compile(
    r"connection|socket|\bEOF\b|EOFException|end of (?:the )?(?:stream|file|packet)|broken pipe|disconnect",
    re.IGNORECASE,
)


def has_lost_connection(alignment: Alignment) -> bool:
    """Return whether the answer ends with an error about a connection, in the client's own words."""
    error = alignment.observation.error
    return error is not None and _OF_CONNECTION.search(error.message) is not None


def loses_table(alignment: Alignment, index: int, run: Sequence[int]) -> bool:
    """Return whether all rows that are missing follow a Table_map event from before the connection was lost.

    A client that forgets its tables at the Rotate of a new connection cannot read the rows of a statement whose
    Table_map it had before. One that delivers no such rows anywhere lacks some that have nothing to do with it.

    Args:
        alignment: The answer beside the expected one.
        index: The index of the last event before the loss.
        run: The indices of the events that are missing right after it.
    """
    events = alignment.case.expected.events
    lost = {at for at in run if events[at]["type"] in ROWS_TYPES}
    missing = {at for at in range(alignment.count) if _is_missing(alignment, at)}
    lasts = {cut["index"] for cut in alignment.case.settings["source"]["cuts"]}
    is_within = events[index]["type"] in (EventType.TABLE_MAP, *ROWS_TYPES) if index >= 0 else False
    return is_within and lost == set(run) and all(_begins(alignment, at, lasts) for at in missing)


def _is_missing(alignment: Alignment, index: int) -> bool:
    return alignment.case.expected.events[index]["type"] in ROWS_TYPES and alignment.observed(index) is None


def _begins(alignment: Alignment, index: int, lasts: set[int]) -> bool:
    """Return whether nothing but rows, and what a client may keep back, is between rows and a loss of connection."""
    events = alignment.case.expected.events
    before = index - 1
    while before not in lasts and before >= 0 and _may_be_between(events[before]):
        before -= 1
    return before in lasts


def _may_be_between(entry: Mapping[str, Any]) -> bool:
    return entry["type"] in ROWS_TYPES or may_be_kept_back(entry)
