"""The extra data of rows events of version 2: what NDB adds, and the partition of a row.

Each part is preceded by a tag and has a length of its own kind, so a tag that the reader does not know ends what can
be read; what follows is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import U8, U16, Codec, Record, Values, take
from conformance.binlog.errors import MalformedBody
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import TAIL, Field


@dataclass(frozen=True, slots=True)
class _NdbData:
    """A length that counts itself and the format byte, the format, and data."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[dict[str, Any], int]:
        size = take(data, at, end, 1)[0]
        if size < 2:
            raise MalformedBody(f"NDB data of {size} bytes at byte {at} of the event; at least 2 are expected")
        whole = take(data, at, end, size)
        return {"format": whole[1], "data": bytes(whole[2:])}, at + size

    def write(self, value: Mapping[str, Any], values: Mapping[str, Any]) -> bytes:
        data: bytes = value["data"]
        return bytes([len(data) + 2, value["format"]]) + data


def _extra_data(partition: Codec) -> Keyed:
    return Keyed({0: Field("ndb", _NdbData()), 1: Field("partition", partition)}, key=U8)


_ROWS: Final = _extra_data(Record((("partition_id", U16),)))
#: An update also holds the partition that the row was in before.
_UPDATES: Final = _extra_data(Record((("partition_id", U16), ("source_partition_id", U16))))


def read_rows_extra_data(data: bytes, *, update: bool) -> dict[str, Any]:
    """Return the parts of a rows event's extra data by name, the bytes that cannot be read under ``tail``.

    Raises:
        MalformedBody: A part runs past the end, or occurs twice.
    """
    return (_UPDATES if update else _ROWS).parse(data)


def write_rows_extra_data(values: Mapping[str, Any], *, update: bool) -> bytes:
    """Return the extra data that holds `values`, in their order."""
    tail: bytes = values.get(TAIL, b"")
    return (_UPDATES if update else _ROWS).write(values) + tail
