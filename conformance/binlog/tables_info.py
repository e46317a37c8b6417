"""Tables info: the list of tables after the statement of an extended Query event.

Source: WL#40, sections 1 and 2. Both lengths of a tuple have one byte, and no zero byte follows a name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import U8, Counted, Record, Values
from conformance.binlog.errors import MalformedBody

#: One tuple. An empty database name means the event's default database.
TUPLE: Final = Record((("database", Counted(U8)), ("table", Counted(U8))))


@dataclass(frozen=True, slots=True)
class TablesInfo:
    """Tuples of a given total size; the value is a tuple of dicts with ``database`` and ``table``.

    Attributes:
        size: Returns the total size of the tuples in bytes, from the values read so far.
    """

    size: Callable[[Mapping[str, Any]], int]

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[tuple[dict[str, bytes], ...], int]:
        """See `Codec.read`."""
        border = at + self.size(values)
        if border > end:
            raise MalformedBody(f"expected tables info of {border - at} bytes, found {max(end - at, 0)}")
        tuples: list[dict[str, bytes]] = []
        while at < border:
            names, at = TUPLE.read(data, at, border, values)
            tuples.append(names)
        return tuple(tuples), at

    def write(self, value: Sequence[Mapping[str, bytes]], values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`.

        Raises:
            ValueError: A name has more than 255 bytes.
        """
        for each in value:
            for name in each.values():
                if len(name) > 0xFF:
                    raise ValueError(f"a name of {len(name)} bytes does not fit in tables info: the limit is 255")
        return b"".join(TUPLE.write(each, values) for each in value)


def size_of(value: Sequence[Mapping[str, bytes]]) -> int:
    """Return the size of tables info in bytes."""
    return sum(2 + len(each["database"]) + len(each["table"]) for each in value)


def tables_text(value: Sequence[Mapping[str, bytes]]) -> bytes:
    """Return tables info as text: each table as its two names in backticks, with commas between them."""
    names = ([each[part].replace(b"`", b"``") for part in ("database", "table")] for each in value)
    return b",".join(b"`%b`.`%b`" % (database, table) for database, table in names)
