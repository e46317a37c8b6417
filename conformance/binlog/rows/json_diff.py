"""Partial updates of JSON columns: changes in the place of a whole document."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from conformance.binlog.codecs import Counted, Int, Packed, Values, take
from conformance.binlog.errors import MalformedBody
from conformance.binlog.limits import check_values
from conformance.binlog.rows.json_document import JsonDocument

_PATH: Final = Counted(Packed())


class DiffOperation(IntEnum):
    """What one change does at its path."""

    REPLACE = 0
    INSERT = 1
    REMOVE = 2


_OPERATIONS: Final = frozenset(int(each) for each in DiffOperation)


@dataclass(frozen=True, slots=True)
class JsonDiff:
    """One change of a document.

    Attributes:
        operation: What it does.
        path: Where, such as ``$.name[2]``.
        value: The new value; None for a removal.
    """

    operation: DiffOperation
    path: bytes
    value: JsonDocument | None = None


@dataclass(frozen=True, slots=True)
class JsonDiffs:
    """The changes of one document, in the order in which they apply; without any, the document is unchanged."""

    diffs: tuple[JsonDiff, ...]


@dataclass(frozen=True, slots=True)
class JsonDiffColumn:
    """The codec of a JSON column in the after-image of a partial update."""

    length_bytes: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[JsonDiffs, int]:
        """See `Codec.read`."""
        size, at = Int(self.length_bytes).read(data, at, end, values)
        take(data, at, end, size)
        border = at + size
        diffs: list[JsonDiff] = []
        while at < border:
            diff, at = _read_diff(data, at, border, values)
            diffs.append(diff)
            check_values(len(diffs), "changes of a JSON document")
        return JsonDiffs(tuple(diffs)), border

    def write(self, value: JsonDiffs, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        parts = bytearray()
        for each in value.diffs:
            parts.append(each.operation)
            parts += _PATH.write(each.path, values)
            if each.value is not None:
                parts += _PATH.write(each.value.data, values)
        return len(parts).to_bytes(self.length_bytes, "little") + bytes(parts)


def _read_diff(data: bytes, at: int, end: int, values: Values) -> tuple[JsonDiff, int]:
    code = data[at]
    if code not in _OPERATIONS:
        raise MalformedBody(f"{code} is not a valid JSON operation at byte {at} of the event")
    operation = DiffOperation(code)
    path, at = _PATH.read(data, at + 1, end, values)
    if operation == DiffOperation.REMOVE:
        return JsonDiff(operation, path), at
    value, at = _PATH.read(data, at, end, values)
    return JsonDiff(operation, path, JsonDocument(value)), at
