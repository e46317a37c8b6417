"""Keyed blocks: fields preceded by a key, so that any of them may be omitted.

The status variables of a Query event, the optional metadata of a Table_map, the head of a Transaction_payload and
the body of a tagged Gtid event are such blocks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import Codec, Rest, Values
from conformance.binlog.errors import MalformedBody
from conformance.binlog.layout import TAIL, Field, Span

#: The name under which `read` records whether the key that ends a block was present.
END_MARK: Final = "end_mark"
#: The prefix of the name of a field with an unknown key; the key follows.
UNKNOWN_FIELD: Final = "field_"


@dataclass(frozen=True, slots=True)
class Keyed:
    """A block of fields, each preceded by its key.

    Attributes:
        fields: The fields by key.
        key: How a key is encoded.
        length: How the length after a key is encoded; None: fields have no length, and an unknown key
            therefore ends what can be read.
        end_key: The key that ends the block; None: the block ends where its bytes end.
        ascending: The keys must ascend, and are written in the order of `fields`; otherwise fields are written
            in the order in which the values hold them, which is the order of the bytes they were read from.
    """

    fields: Mapping[int, Field]
    key: Codec
    length: Codec | None = None
    end_key: int | None = None
    ascending: bool = False

    def read(self, data: bytes, at: int, end: int, values: Values, spans: list[Span] | None = None) -> int:
        """Read fields into `values` and their spans into `spans`; return the offset after the block.

        Raises:
            MalformedBody: A field runs past the end, occurs twice, or does not match its length.
        """
        last = -1
        if self.end_key is not None:
            values[END_MARK] = False
        while at < end:
            key, inside = self.key.read(data, at, end, values)
            if key == self.end_key:
                values[END_MARK] = True
                if spans is not None:
                    spans.append(Span(at, inside - at, END_MARK, key))
                return int(inside)
            name, codec = self._field(key)
            if codec is None:
                break
            if self.ascending and key <= last:
                raise MalformedBody(f"the field {name!r} at byte {at} of the event is out of order")
            if name in values:
                raise MalformedBody(f"the field {name!r} occurs twice, the second time at byte {at} of the event")
            value, after = self._value(codec, name, data, inside, end, values)
            values[name] = value
            if spans is not None:
                spans.append(Span(at, after - at, name, value))
            last, at = key, after
        return at

    def write(self, values: Mapping[str, Any]) -> bytes:
        """Return the bytes of those `values` that belong to the block, and the end key."""
        parts = bytearray()
        for key, name, codec in self._present(values):
            value = codec.write(values[name], values)
            parts += self.key.write(key, values)
            if self.length is not None:
                parts += self.length.write(len(value), values)
            parts += value
        if self.end_key is not None and values.get(END_MARK, True):
            parts += self.key.write(self.end_key, values)
        return bytes(parts)

    def parse(self, data: bytes) -> dict[str, Any]:
        """Return the fields of a block that makes up `data`; bytes that cannot be read are kept under `TAIL`.

        Raises:
            MalformedBody: See `read`.
        """
        values: dict[str, Any] = {}
        after = self.read(data, 0, len(data), values)
        if after < len(data):
            values[TAIL] = data[after:]
        return values

    def _field(self, key: int) -> tuple[str, Codec | None]:
        if key in self.fields:
            return self.fields[key].name, self.fields[key].codec
        return f"{UNKNOWN_FIELD}{key}", None if self.length is None else Rest()

    def _value(self, codec: Codec, name: str, data: bytes, at: int, end: int, values: Values) -> tuple[Any, int]:
        if self.length is None:
            return codec.read(data, at, end, values)
        size, at = self.length.read(data, at, end, values)
        border = at + size
        if border > end:
            raise MalformedBody(f"the field {name!r} declares {size} bytes, found {end - at}")
        value, after = codec.read(data, at, border, values)
        if after != border:
            raise MalformedBody(f"the field {name!r} declares {size} bytes, but its value takes {after - at}")
        return value, after

    def _present(self, values: Mapping[str, Any]) -> Iterator[tuple[int, str, Codec]]:
        known = {each.name: (key, each.codec) for key, each in self.fields.items()}
        for name in known if self.ascending else values:
            if name in known and name in values:
                key, codec = known[name]
                yield key, name, codec
            elif self.length is not None and name.startswith(UNKNOWN_FIELD):
                yield int(name.removeprefix(UNKNOWN_FIELD)), name, Rest()
