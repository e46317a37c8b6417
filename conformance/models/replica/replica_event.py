"""An event as a replica sees it: the fields on which its rules depend."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from conformance.binlog.flags import Flag
from conformance.binlog.header import Header
from conformance.binlog.layouts.mariadb_layouts import STANDALONE
from conformance.binlog.rows.open_tables import STATEMENT_END

_RELAY_LOG: Final = int(Flag.RELAY_LOG)
_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
_IGNORABLE: Final = int(Flag.IGNORABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaEvent:
    """One event of a stream.

    Attributes:
        offset: Where it starts, in bytes from the start of the stream.
        type: Event type code.
        length: Bytes of the whole event.
        log_pos: Offset of its end in the log that it was first written to; 0 if it is in none.
        server_id: Id of the server that made it.
        flags: The flags word.
        recognised: False if a reader does not know its type, and skips it or refuses it by its flag.
        query: The statement of a Query event, else empty.
        gtid: Of a Gtid event ``UUID:NUMBER`` or ``UUID:TAG:NUMBER``, ``ANONYMOUS`` of an Anonymous_gtid event, else
            empty.
        ends_statement: Whether a rows event is the last of its statement.
        standalone: Whether a Gtid event of MariaDB comes before a statement without BEGIN.
        next_file: The log that a Rotate event names, else empty.
        next_position: The position in that log, in bytes.
        fields: What a reader reports of it, in the words of the role `decode`.
    """

    offset: int
    type: int
    length: int
    log_pos: int = 0
    server_id: int = 1
    flags: int = 0
    recognised: bool = True
    query: str = ""
    gtid: str = ""
    ends_statement: bool = False
    standalone: bool = False
    next_file: str = ""
    next_position: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_entry(cls, entry: Mapping[str, Any]) -> Self:
        """Return the event that an entry of the role `decode` describes."""
        return cls(
            offset=entry["offset"],
            type=entry["type"],
            length=entry["length"],
            log_pos=entry["log_pos"],
            server_id=entry["server_id"],
            flags=entry["flags"],
            recognised=entry.get("handled") != "ignored",
            query=entry.get("query", ""),
            gtid=entry.get("gtid", ""),
            ends_statement=bool(entry.get("rows_flags", 0) & STATEMENT_END),
            standalone=bool(entry.get("mariadb_gtid_flags", 0) & STANDALONE),
            next_file=entry.get("next_file", ""),
            next_position=entry.get("next_position", 0),
            fields=entry,
        )

    @classmethod
    def of_header(cls, header: Header, offset: int, fields: Mapping[str, Any] | None = None) -> Self:
        """Return the event with a header and the fields of its body; None: of a type that the replica does not know."""
        handled = "ignored" if fields is None else "known"
        return cls.of_entry({"offset": offset, **header._asdict(), **(fields or {}), "handled": handled})

    @property
    def end(self) -> int:
        """Offset of the event's end, exclusive, in bytes from the start of the stream."""
        return self.offset + self.length

    @property
    def of_relay_log(self) -> bool:
        """Whether the replica made it for its relay log, by its flags."""
        return bool(self.flags & _RELAY_LOG)

    @property
    def artificial(self) -> bool:
        """Whether the source made it for this connection only."""
        return bool(self.flags & _ARTIFICIAL)

    @property
    def ignorable(self) -> bool:
        """Whether it carries the ignorable flag."""
        return bool(self.flags & _IGNORABLE)
