"""What ``SHOW BINLOG EVENTS`` prints, read from tab-separated files, and the same for our events."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.binlog.event import Event
from conformance.binlog.event_info import event_info, listed_name
from conformance.binlog.event_types import EventType
from conformance.binlog.transaction_payload import inner_events

_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "0": "\0"}


@dataclass(frozen=True)
class Listed:
    """One row; `info` is None if this kit does not know the server's words."""

    position: int
    name: str
    server_id: int
    end: int
    info: str | None


def read_listing(path: Path) -> list[Listed]:
    lines = path.read_bytes().decode("utf-8", "surrogateescape").split("\n")[1:]
    rows = (line.split("\t") for line in lines if line)
    return [Listed(int(row[1]), row[2], int(row[3]), int(row[4]), _unescaped(row[5])) for row in rows]


def listed(events: Iterable[Event]) -> Iterator[Listed]:
    """List events as servers do: those inside a payload after it, at its end."""
    for event in events:
        yield _row(event, event.offset, event.header.log_pos)
        if event.header.type == EventType.TRANSACTION_PAYLOAD:
            for inner in inner_events(event):
                yield _row(inner, event.end, event.header.log_pos)


def _row(event: Event, position: int, end: int) -> Listed:
    name = listed_name(event.header.type)
    return Listed(position, name, event.header.server_id, end, event_info(event))


def _unescaped(text: str) -> str:
    parts = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] in _ESCAPES:
            parts.append(_ESCAPES[text[at + 1]])
            at += 2
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts)
