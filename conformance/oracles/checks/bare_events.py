"""Events of relay logs without their checksums, which a replica may add or leave out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from conformance.binlog.checksum import CHECKSUM_BYTES, ends_with_checksum
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import has_checksum_algorithm
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.oracles.alignment import Alignment
from conformance.protocol.roles.relay import begins_or_ends_a_log, event_data

Entry = Mapping[str, Any]

#: The bytes of a format description's body with the server's version.
_VERSION: Final = slice(2, 52)
#: The byte of a format description's body with the length of a header.
HEADER_LENGTH: Final = slice(56, 57)


@dataclass(frozen=True, slots=True)
class BareEvent:
    """An event of a relay log without its checksum: its header, and its body."""

    header: Header
    body: bytes

    @classmethod
    def of(cls, entry: Entry) -> Self | None:
        """Return the event of an entry; None if its data is not an event, or its header has another length."""
        data = event_data(entry)
        if data is None:
            return None
        body = data[HEADER_BYTES : -CHECKSUM_BYTES if ends_with_checksum(data) else None]
        header = Header(*HEADER.unpack(data[:HEADER_BYTES]))
        if header.length != len(data):
            return None
        return cls(header._replace(length=HEADER_BYTES + len(body)), body)

    @property
    def post_header_lengths(self) -> bytes:
        """The post-header lengths of a format description, from that of type 1 on, in bytes."""
        version = self.body[_VERSION].split(b"\0", 1)[0].decode("ascii", "replace")
        return self.body[HEADER_LENGTH.stop : len(self.body) - has_checksum_algorithm(version)]

    @property
    def lists_left_out(self) -> bool:
        """Whether it is the event in which a MariaDB replica lists the GTIDs of groups that it has left out."""
        is_list = self.header.type == EventType.MARIADB_GTID_LIST and bool(self.header.flags & Flag.ARTIFICIAL)
        return is_list and self.header.server_id == 0

    @property
    def name(self) -> str:
        """Its type's name."""
        return type_name(self.header.type)

    def begins_or_ends_a_log(self, alignment: Alignment) -> bool:
        """Return whether it is one with which a replica begins or ends a relay log."""
        return begins_or_ends_a_log(self.header, alignment.case.settings["server_id"])
