"""An event of a log that is being judged, and what is known about the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import KNOWN_TYPES, MARIADB_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.log_check.statements import LoggedStatement

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)

#: The ignorable events of WL#4033: the base class and Rows_query.
IGNORABLE_CLASS: Final = (EventType.IGNORABLE, EventType.ROWS_QUERY)
#: Stands for the code of an event that has no meaning in its server's logs: MariaDB's types in those of others.
MEANINGLESS: Final = 255
TABLE_MAPS: Final = frozenset({int(EventType.TABLE_MAP)})


class Place(Enum):
    """The place of an event in a log's transactions."""

    # The places are keys of tables that are looked up for every event; an enumeration's own hash is that of a name.
    __hash__ = object.__hash__

    #: It names the transaction after it.
    MARKER = auto()
    #: It opens a transaction.
    BEGIN = auto()
    #: It is part of an open transaction, or of a statement outside one.
    INSIDE = auto()
    #: It ends the open transaction.
    END = auto()
    #: It is a transaction by itself.
    ALONE = auto()
    #: It belongs to no transaction.
    BETWEEN = auto()


#: The places of events that begin a transaction, and of those that complete one.
BEGINNING: Final = frozenset({Place.BEGIN, Place.ALONE})
COMPLETING: Final = frozenset({Place.END, Place.ALONE})


class Break(Enum):
    """How an event can contradict the events before it."""

    SECOND_MARKER = auto()
    LONE_MARKER = auto()
    LATE_MARKER = auto()
    NOT_ENDED = auto()
    NOTHING_TO_END = auto()


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction of a log.

    Attributes:
        start: Offset of its first event, in bytes from the start of the log.
        marker: Type code of the Gtid event that begins it, None where there is none.
        length: Its bytes according to this Gtid event, None if the event has no length.
    """

    start: int
    marker: int | None = None
    length: int | None = None


@dataclass(slots=True, eq=False)
class LogEvent:
    """An event, and what the checker knows about it before the rules judge it.

    Attributes:
        event: The event; inside a Transaction_payload its own offset counts from the payload's start.
        code: Its event type code.
        offset: Its offset in the log in bytes; for an event inside a payload, that of the Transaction_payload event.
        flags: The header's flags word.
        fields: Its fields by name; empty if the body contradicts its layout.
        statement: The kind of statement that it holds, None for an event without one.
        inner: Whether it is inside a payload.
        place: Its place in the log's transactions.
        broken: How it contradicts the events before it.
        transaction: The transaction that it opens, continues or ends; for a `Break`, the one that is damaged.
    """

    event: Event
    code: int
    offset: int
    flags: int
    fields: Mapping[str, Any]
    statement: LoggedStatement | None = None
    inner: bool = False
    place: Place = Place.BETWEEN
    broken: Break | None = None
    transaction: Transaction | None = None

    @property
    def begun(self) -> Transaction | None:
        """The transaction that it begins, or is; None inside one, also where that should have ended before it."""
        is_first = self.place in BEGINNING and self.broken is not Break.NOT_ENDED
        return self.transaction if is_first else None

    @property
    def known(self) -> bool:
        """Whether the event's type has a meaning for this kit; the others are ignorable events."""
        return self.code in KNOWN_TYPES

    @property
    def where(self) -> str:
        """A phrase for its place inside a payload; empty for an event of the log itself."""
        return f", at byte {self.event.offset} of the payload" if self.inner else ""


@dataclass(slots=True)
class Log:
    """What is known so far about the log that is being judged.

    Attributes:
        name: The file's name, as the user gave it.
        profile: The profile of the server that wrote the log, whose rules apply to the next events.
        source: In a relay log, the profile of the server that logged the next events; empty before its format
            description, and where the user named the profile.
        format: The first format description.
        in_use: Whether that format description has the flag of a log that is still being written.
        relay: Whether the log is a replica's relay log.
        events: Events read, those inside payloads not counted.
        transactions: Transactions that ended.
        end: Offset after the last event, in bytes.
    """

    name: str
    profile: str = ""
    source: str = ""
    format: FormatDescription | None = None
    in_use: bool = False
    relay: bool = False
    events: int = 0
    transactions: int = 0
    end: int = 0

    @property
    def server(self) -> str:
        """The product and version of the server that wrote it, empty while no format description is known."""
        version = "" if self.format is None else self.format.server_version
        return version if self.format is None or self.format.is_mariadb else f"MySQL {version}"


def meaning_of(event: Event) -> int:
    """Return the event type code that an event's own means in the logs of its server."""
    code = event.format.type_code(event.header.type)
    return MEANINGLESS if code in MARIADB_TYPES and not event.format.is_mariadb else code


def is_artificial(seen: LogEvent) -> bool:
    """Return whether an event was made for a replica and is in no log of its source."""
    return bool(seen.flags & _ARTIFICIAL)
