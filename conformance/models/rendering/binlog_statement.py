"""The BINLOG statement: events in base64, which a server executes."""

import base64
import re
from collections.abc import Iterable, Iterator
from typing import Final

from conformance.binlog.header import LENGTH_AT
from conformance.models.rendering.session_settings import DELIMITER

#: The most characters of a line; two events never share a line.
LINE_CHARACTERS: Final = 76
_LINE_BYTES: Final = LINE_CHARACTERS // 4 * 3
_OPENING: Final = "BINLOG '"
#: A delimiter may be on a line of its own.
_END: Final = re.compile(rf"\n'\s*{re.escape(DELIMITER)}")
_LENGTH_END: Final = 13


def base64_lines(event: bytes) -> Iterator[str]:
    """Yield an event in base64, line by line."""
    for at in range(0, len(event), _LINE_BYTES):
        yield base64.b64encode(event[at : at + _LINE_BYTES]).decode("ascii")


def binlog_statement(lines: Iterable[str]) -> Iterator[str]:
    """Yield the statement that holds the base64 lines of some events."""
    yield _OPENING
    yield from lines
    yield f"'{DELIMITER}"


def statement_events(text: str) -> list[list[bytes]]:
    """Return the events in each BINLOG statement of a printed log, as bytes.

    An event ends with the line in which its length is reached.

    Raises:
        ValueError: A statement is not valid base64, or a line continues after an event's end.
    """
    statements = []
    for part in text.split(f"{_OPENING}\n")[1:]:
        end = _END.search(part)
        if end is None:
            raise ValueError("a BINLOG statement without an end")
        statements.append(list(_events(part[: end.start()].split("\n"))))
    return statements


def _events(lines: Iterable[str]) -> Iterator[bytes]:
    event = b""
    for line in lines:
        event += base64.b64decode(line, validate=True)
        if len(event) >= _LENGTH_END and len(event) == int.from_bytes(event[LENGTH_AT:_LENGTH_END], "little"):
            yield event
            event = b""
    if event:
        raise ValueError(f"a BINLOG statement ends inside an event, {len(event)} bytes after the event's start")
