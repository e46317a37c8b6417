"""The logs of the source to which a client connects."""

from collections.abc import Iterator
from contextlib import suppress

from conformance.binlog.errors import MalformedBody
from conformance.binlog.format_description import FormatDescription
from conformance.oracles.alignment import Alignment
from conformance.protocol.roles.client import format_descriptions


def names_of_logs(alignment: Alignment) -> list[str]:
    """Return the names of the source's logs."""
    return [log["name"] for log in alignment.case.settings["source"]["logs"]]


def logs_without_checksums(alignment: Alignment) -> Iterator[bool]:
    """Yield of the source's logs, which follow each other in the stream, whether their events have no checksums."""
    for each in format_descriptions(alignment.case.stream, alignment.case.settings["source"]["logs"]):
        with suppress(MalformedBody):
            yield not FormatDescription.from_event(each).checksum_bytes
