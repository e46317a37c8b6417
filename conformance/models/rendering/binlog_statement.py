"""The BINLOG statement: events in base64, which a server executes as they stand."""

import base64
from collections.abc import Iterable, Iterator
from typing import Final

from conformance.models.rendering.session_settings import DELIMITER

#: Characters of a line; an event never shares a line with another.
LINE_CHARACTERS: Final = 76
_OPENING: Final = "BINLOG '"
#: Where the length stands in the common header.
_LENGTH_AT: Final = 9
_LENGTH_END: Final = 13


def base64_lines(event: bytes) -> Iterator[str]:
    """Yield an event in base64, line by line."""
    encoded = base64.b64encode(event).decode("ascii")
    for at in range(0, len(encoded), LINE_CHARACTERS):
        yield encoded[at : at + LINE_CHARACTERS]


def binlog_statement(lines: Iterable[str]) -> Iterator[str]:
    """Yield the statement that holds the base64 lines of some events."""
    yield _OPENING
    yield from lines
    yield f"'{DELIMITER}"


def statement_events(text: str) -> list[list[bytes]]:
    """Return the events in each BINLOG statement of a printed log, as bytes.

    An event ends with the line in which its own length is reached.

    Raises:
        ValueError: What stands in a statement is no base64, or a line goes on behind an event's end.
    """
    found = []
    for part in text.split(f"{_OPENING}\n")[1:]:
        inside, end, _ = part.partition(f"\n'{DELIMITER}")
        if not end:
            raise ValueError("a BINLOG statement without its end")
        found.append(list(_events(inside.split("\n"))))
    return found


def _events(lines: Iterable[str]) -> Iterator[bytes]:
    event = b""
    for line in lines:
        event += base64.b64decode(line, validate=True)
        if len(event) >= _LENGTH_END and len(event) == int.from_bytes(event[_LENGTH_AT:_LENGTH_END], "little"):
            yield event
            event = b""
    if event:
        raise ValueError(f"a BINLOG statement that ends inside an event, {len(event)} bytes behind its start")
