"""Tables info: the list of tables behind the statement of an extended Query event.

Source: WL#40, sections 1 and 2. Both lengths of a tuple have one byte, and no zero byte follows a name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import U8, Counted, Record, Values
from conformance.binlog.errors import MalformedBody

#: One tuple. An empty database name stands for the event's own default database.
TUPLE: Final = Record((("database", Counted(U8)), ("table", Counted(U8))))


@dataclass(frozen=True, slots=True)
class TablesInfo:
    """The tuples that fill a number of bytes; the value is a tuple of dicts with ``database`` and ``table``.

    Attributes:
        size: Returns the bytes that the tuples have together, from the values read so far.
    """

    size: Callable[[Mapping[str, Any]], int]

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[tuple[dict[str, bytes], ...], int]:
        """See `Codec.read`."""
        border = at + self.size(values)
        if border > end:
            raise MalformedBody(f"the tables info has {border - at} bytes, {max(end - at, 0)} are left for it")
        tuples: list[dict[str, bytes]] = []
        while at < border:
            found, at = TUPLE.read(data, at, border, values)
            tuples.append(found)
        return tuple(tuples), at

    def write(self, value: Sequence[Mapping[str, bytes]], values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`.

        Raises:
            ValueError: A name has more than 255 bytes.
        """
        for each in value:
            for name in each.values():
                if len(name) > 0xFF:
                    raise ValueError(f"a name of {len(name)} bytes does not fit tables info, which has 255 for it")
        return b"".join(TUPLE.write(each, values) for each in value)


def size_of(value: Sequence[Mapping[str, bytes]]) -> int:
    """Return the bytes that tables info takes."""
    return sum(2 + len(each["database"]) + len(each["table"]) for each in value)


def tables_text(value: Sequence[Mapping[str, bytes]]) -> bytes:
    """Return tables info as text: each table as its two names in backticks, with commas between them."""
    names = ([each[part].replace(b"`", b"``") for part in ("database", "table")] for each in value)
    return b",".join(b"`%b`.`%b`" % (database, table) for database, table in names)
