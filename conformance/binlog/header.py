"""The common header, 19 bytes before every event of a version 4 log."""

import struct
from typing import Final, NamedTuple

MAGIC: Final = b"\xfebin"
ENCRYPTED_MAGIC: Final = b"\xfdbin"
HEADER_BYTES: Final = 19
HEADER: Final = struct.Struct("<IBIIIH")
#: Where in a header the type code, the event's length and the low byte of the flags are, in bytes.
TYPE_AT: Final = 4
LENGTH_AT: Final = 9
FLAGS_AT: Final = 17

#: The header's fields as (name, width in bytes), in their order.
HEADER_FIELDS: Final = (
    ("timestamp", 4),
    ("type", 1),
    ("server_id", 4),
    ("length", 4),
    ("log_pos", 4),
    ("flags", 2),
)


class Header(NamedTuple):
    """The fields of a common header; a tuple, as a reader makes one for every event.

    Attributes:
        timestamp: When the statement began, in seconds since 1970.
        type: Event type code.
        server_id: Id of the server that logged the event.
        length: Bytes of the whole event, header and checksum included.
        log_pos: Offset of the event's end in the log it was written to, modulo 2**32.
        flags: See `conformance.binlog.flags`.
    """

    timestamp: int
    type: int
    server_id: int
    length: int
    log_pos: int
    flags: int
