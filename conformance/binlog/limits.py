"""How large one event may be before it is refused: an event of a few bytes may unpack to gigabytes.

The limits are the kit's own, chosen so that a command stays under 300 MB of memory. Servers allow larger events (a
packet of up to 1 GiB), so an event beyond a limit is refused and not judged, and the user can raise each limit.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from conformance.binlog.errors import LimitExceeded


def _limit(default: int, meaning: str) -> int:
    value: int = field(default=default, metadata={"meaning": meaning})
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits on one event.

    Attributes:
        event_bytes: Bytes of an event that is held in memory: in the log, in a payload, and unpacked from MariaDB's
            compression.
        payload_bytes: Bytes that a Transaction_payload unpacks to; they are read in pieces. Servers write no payload
            of more than 1 GiB.
        events: Events in a Transaction_payload, and events that are held until a later one decides on them.
        cells: Values in the rows of an event; the rows are read one by one.
        values: Values of anything that is held in memory as a whole: columns of the tables of a statement, elements
            of a JSON document, intervals of a GTID set, entries of a list.
        words: Words of a statement that is parsed, which only `filter` does.
    """

    event_bytes: int = _limit(16 << 20, "bytes of an event, as it is and unpacked")
    payload_bytes: int = _limit(1 << 30, "bytes that a compressed transaction unpacks to")
    events: int = _limit(250_000, "events in a compressed transaction, or held for a later one")
    cells: int = _limit(10_000_000, "values in the rows of an event")
    values: int = _limit(500_000, "columns, elements of a JSON document, intervals of a GTID set")

    words: int = _limit(250_000, "words of a statement that is parsed")

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; a limit is at least 1")


_DEFAULT: Final = Limits()
_CURRENT: Final = ContextVar("limits", default=_DEFAULT)


def current_limits() -> Limits:
    """Return the limits that are in force."""
    return _CURRENT.get()


@contextmanager
def limits_in_force(limits: Limits) -> Iterator[None]:
    """Read with other limits than the default ones."""
    token = _CURRENT.set(limits)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def check_event_bytes(size: int, event: str) -> None:
    """Raise `LimitExceeded` if `size` bytes are too many to be held; `event` is what the event does, as a clause."""
    _check(size, "event_bytes", f"{event} {size} bytes")


def check_payload_bytes(size: int) -> None:
    """Raise `LimitExceeded` if a payload unpacks to too many bytes."""
    _check(size, "payload_bytes", f"the payload unpacks to {size} bytes")


def check_events(count: int, event: str) -> None:
    """Raise `LimitExceeded` if `count` events are too many; `event` is what holds them, as a clause."""
    _check(count, "events", f"{event} {count} events or more")


def check_cells(count: int) -> None:
    """Raise `LimitExceeded` if the rows of an event have too many values."""
    _check(count, "cells", f"the rows have {count} values or more")


def check_values(count: int, noun: str) -> None:
    """Raise `LimitExceeded` if `count` values are too many to be held; `noun` names them."""
    _check(count, "values", f"the event has {count} {noun}")


def check_words(count: int) -> None:
    """Raise `LimitExceeded` if a statement has too many words to be parsed."""
    _check(count, "words", f"the statement has {count} words or more")


def _check(number: int, name: str, event: str) -> None:
    limit = getattr(_CURRENT.get(), name)
    if number > limit:
        raise LimitExceeded(event, name=name, limit=limit)
