"""The logs of the source to which a client connects."""

import struct
from collections.abc import Iterator
from contextlib import suppress

from conformance.binlog.errors import MalformedBody
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import LENGTH_AT, MAGIC
from conformance.oracles.alignment import Alignment


def names_of_logs(alignment: Alignment) -> list[str]:
    """Return the names of the source's logs."""
    return [log["name"] for log in alignment.case.settings["source"]["logs"]]


def logs_without_checksums(alignment: Alignment) -> Iterator[bool]:
    """Yield of the source's logs, which follow each other in the stream, whether their events have no checksums."""
    rest = alignment.case.stream
    for log in alignment.case.settings["source"]["logs"]:
        (length,) = struct.unpack_from("<I", rest, len(MAGIC) + LENGTH_AT)
        with suppress(MalformedBody):
            yield not FormatDescription.from_event(rest[len(MAGIC) : len(MAGIC) + length]).checksum_bytes
        rest = rest[log["length"] :]
