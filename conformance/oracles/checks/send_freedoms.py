"""The differences that are left to senders."""

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import TYPE_AT
from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import Difference
from conformance.protocol.roles.relay import event_data


def differs_in_unused_checksum(alignment: Alignment, difference: Difference) -> bool:
    """Return whether two format descriptions that announce no checksums differ in their last four bytes alone."""
    if difference.field != "data" or difference.index >= alignment.count:
        return False
    entry = alignment.observed(difference.index)
    wanted, seen = (
        event_data(alignment.case.expected.events[difference.index]),
        None if entry is None else event_data(entry),
    )
    if wanted is None or seen is None or wanted[TYPE_AT] != EventType.FORMAT_DESCRIPTION:
        return False
    unused = FormatDescription.from_event(wanted).checksum_algorithm == ChecksumAlgorithm.NONE
    return unused and len(wanted) == len(seen) and wanted[:-CHECKSUM_BYTES] == seen[:-CHECKSUM_BYTES]
