"""Whether the events of a relay log have checksums where the format description before them there announces these.

Whether there are any is left to the replica, but no reader finds the end of an event that is not as announced. A format
description that announces them has one itself.
"""

from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.checksum import ChecksumAlgorithm, ends_with_checksum
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import TYPE_AT
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.written_events import wrongly
from conformance.oracles.oracle import Check
from conformance.protocol.roles.relay import event_data

UNANNOUNCED: Final[Check] = wrongly(
    "",
    "not as announced",
    "whether it has a right one is not what the last format description announces",
    field="checksum",
)


def is_unannounced(alignment: Alignment, index: int) -> bool:
    """Return whether an event has a checksum that is not announced, or lacks a right one that is."""
    entry = alignment.observed(index)
    return entry is not None and (entry.get("log"), entry["data"]) in _unannounced(alignment)


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _unannounced(alignment: Alignment) -> frozenset[tuple[Any, str]]:
    """Return the relay log and the bytes of each event of an answer that is not as announced."""
    announced: dict[Any, bool] = {}
    differing = set()
    for entry in alignment.observation.events:
        data, log = event_data(entry), entry.get("log")
        if data is None:
            continue
        if data[TYPE_AT] == EventType.FORMAT_DESCRIPTION:
            with suppress(MalformedBody):
                announced[log] = FormatDescription.from_event(data).checksum_algorithm == ChecksumAlgorithm.CRC32
                if announced[log] and not ends_with_checksum(data):
                    differing.add((log, entry["data"]))
        elif log in announced and ends_with_checksum(data) != announced[log]:
            differing.add((log, entry["data"]))
    return frozenset(differing)
