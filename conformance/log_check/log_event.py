"""An event of a log under judgement, and what is known of the log it stands in."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.log_check.statements import Statement

#: Types without a meaning of their own: 0, and 28, which is only the base class of ignorable events.
_MEANINGLESS: Final = {EventType.UNKNOWN, EventType.IGNORABLE}
#: The type codes that this kit knows.
KNOWN_TYPES: Final = frozenset(int(each) for each in EventType if each not in _MEANINGLESS)

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)

TABLE_MAPS: Final = frozenset({int(EventType.TABLE_MAP)})
ROWS_EVENTS: Final = frozenset(
    int(each)
    for each in EventType
    if each.name.removeprefix("MARIADB_").removeprefix("PRE_GA_").startswith(("WRITE_", "UPDATE_", "DELETE_ROWS"))
) | {int(EventType.PARTIAL_UPDATE_ROWS)}
#: The events that name a transaction of MySQL.
GTID_EVENTS: Final = frozenset({int(EventType.GTID), int(EventType.ANONYMOUS_GTID), int(EventType.GTID_TAGGED)})
QUERY_EVENTS: Final = frozenset(
    {int(EventType.QUERY), int(EventType.EXECUTE_LOAD_QUERY), int(EventType.MARIADB_QUERY_COMPRESSED)}
)


class Place(Enum):
    """Where in a log's transactions an event stands."""

    #: It names the transaction behind it.
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
        length: The bytes that this Gtid event says it has, None where it says nothing.
    """

    start: int
    marker: int | None = None
    length: int | None = None


@dataclass(slots=True, eq=False)
class LogEvent:
    """An event, and what the checker found out about it before the rules see it.

    Attributes:
        event: The event; inside a Transaction_payload its own offset counts from the payload's start.
        code: Its event type code.
        offset: Where it stands in the log; for an event inside a payload, where the payload's event does.
        fields: Its fields by name; empty where the body contradicts its layout.
        statement: The kind of statement that it holds, None for an event without one.
        inner: Whether it stands inside a payload.
        place: Where in the log's transactions it stands.
        broken: How it contradicts the events before it.
        transaction: The transaction that it opens, continues or ends; for `Break`, the one that suffers.
    """

    event: Event
    code: int
    offset: int
    fields: Mapping[str, Any]
    statement: Statement | None = None
    inner: bool = False
    place: Place = Place.BETWEEN
    broken: Break | None = None
    transaction: Transaction | None = None

    @property
    def flags(self) -> int:
        """The header's flags word."""
        return self.event.header.flags

    @property
    def known(self) -> bool:
        """Whether the event's type has a meaning for this kit; the others are ignorable events."""
        return self.code in KNOWN_TYPES

    @property
    def where(self) -> str:
        """Words for its place inside a payload; empty for an event that stands in the log itself."""
        return f", at byte {self.event.offset} of the payload" if self.inner else ""


@dataclass(slots=True)
class Log:
    """What is known of the log that is being judged, so far.

    Attributes:
        name: The file's name, as the user gave it.
        profile: The profile whose rules hold for the events that come.
        format: The first format description.
        in_use: It says that the log is still being written.
        relay: The log is a replica's relay log.
        events: Events read, those inside payloads not counted.
        transactions: Transactions that ended.
        end: Offset behind the last event, in bytes.
    """

    name: str
    profile: str = ""
    format: FormatDescription | None = None
    in_use: bool = False
    relay: bool = False
    events: int = 0
    transactions: int = 0
    end: int = 0


def is_artificial(seen: LogEvent) -> bool:
    """Tell whether an event was made for a replica and stands in no log of its source."""
    return bool(seen.flags & _ARTIFICIAL)
