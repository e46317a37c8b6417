"""The format descriptions of logged events: the post-header lengths that they declare."""

from collections.abc import Iterator
from typing import Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import MARIADB_TYPES_START, EventType, type_name
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.servers import server_of
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.logged_event_comparisons import check_at
from conformance.oracles.oracle import GOOD, Check
from conformance.specs.versions import Profiles

_MARIADB: Final = Profiles("mariadb")
#: The types of MySQL for which versions of MariaDB declare different lengths, as they have none of them.
_OF_MYSQL_ALONE: Final = frozenset(range(EventType.PARTIAL_UPDATE_ROWS, MARIADB_TYPES_START))


def lengths_declared(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check each format description against that of the version, as far as both declare a type."""
    profile, streams = alignment.case.id.profile, alignment.observation.streams
    right = server_of(profile).post_header_lengths
    free = {EventType.FORMAT_DESCRIPTION, *(_OF_MYSQL_ALONE if profile in _MARIADB else ())}
    for entry in alignment.observation.events:
        if entry["type"] != EventType.FORMAT_DESCRIPTION or not 0 <= entry["log"] < len(streams):
            continue
        data = streams[entry["log"]][entry["offset"] :][: entry["length"]]
        try:
            declared = FormatDescription.from_event(data).post_header_lengths
        except MalformedBody:
            continue
        pairs = enumerate(zip(right, declared, strict=False), 1)
        wrong = [(code, *pair) for code, pair in pairs if pair[0] != pair[1] and code not in free]
        if not wrong:
            yield GOOD
            continue
        code, expected, seen = wrong[0]
        message = f"it declares a post-header of {seen} bytes for {type_name(code)}, expected {expected}"
        yield check_at(entry, "wrong post-header length declared", message)
