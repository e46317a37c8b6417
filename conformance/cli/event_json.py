"""Events as JSON lines, in the words of the protocol: written row by row, so that a large event takes little memory."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.rows.images import rows_kind
from conformance.binlog.rows.open_tables import OpenTables
from conformance.protocol.reported_event import report_rows

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
#: Characters of a text that are written at once.
_PIECE: Final = 1 << 16
#: Characters of an event that are held until it is known to be whole.
_HELD: Final = 1 << 20


class JsonLines:
    """The events of one log as JSON lines.

    Args:
        also: Names and values that each object begins with.
    """

    def __init__(self, also: Mapping[str, Any]) -> None:
        self._also = also
        self._tables = OpenTables()

    def __call__(self, event: Event) -> Iterator[str]:
        """Yield the line of the next event in pieces.

        Raises:
            MalformedBody: The body contradicts its layout; nothing was yielded.
        """
        rows = rows_kind(event.format.type_code(event.header.type)) is not None
        if not rows:
            self._tables.observe(event)
        yield from _when_whole(lambda: self._pieces(event))
        if rows:
            # Only now, as the end of a statement closes its tables.
            self._tables.observe(event)

    def _pieces(self, event: Event) -> Iterator[str]:
        reported, rows = report_rows(event, self._tables)
        whole = {**self._also, **reported}
        if rows is None:
            yield from _value(whole)
        else:
            yield _encode(whole)[:-1]
            yield ', "rows": ['
            separator = ""
            for row in rows:
                yield separator
                yield from _value(row)
                separator = ", "
            yield "]}"
        yield "\n"


def _when_whole(pieces: Callable[[], Iterator[str]]) -> Iterator[str]:
    """Yield pieces only if the last of them can be made, so that no line is cut short.

    A long event is made twice, as it may be larger than the memory.
    """
    held: list[str] = []
    size = 0
    making = pieces()
    for piece in making:
        held.append(piece)
        size += len(piece)
        if size > _HELD:
            held.clear()
            for _ in making:
                pass
            yield from pieces()
            return
    yield from held


def _value(value: Any) -> Iterator[str]:
    """Yield the JSON of a value, a long text in pieces."""
    if not _is_long(value):
        yield _encode(value)
    elif isinstance(value, str):
        yield '"'
        for at in range(0, len(value), _PIECE):
            yield _encode(value[at : at + _PIECE])[1:-1]
        yield '"'
    elif isinstance(value, dict):
        yield from _joined("{}", ((f"{_encode(str(name))}: ", each) for name, each in value.items()))
    else:
        yield from _joined("[]", (("", each) for each in value))


def _joined(brackets: str, entries: Iterator[tuple[str, Any]]) -> Iterator[str]:
    separator = brackets[0]
    for head, value in entries:
        yield separator + head
        yield from _value(value)
        separator = ", "
    yield brackets[1]


def _is_long(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) > _PIECE
    if isinstance(value, dict):
        return any(map(_is_long, value.values()))
    return isinstance(value, list) and any(map(_is_long, value))
