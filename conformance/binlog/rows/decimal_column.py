"""DECIMAL columns: groups of nine digits, big-endian, with an inverted sign bit."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Final

from conformance.binlog.codecs import Values, take
from conformance.binlog.errors import MalformedBody

_DIGITS_PER_GROUP: Final = 9
_BYTES_PER_GROUP: Final = 4
#: Bytes of a group by its number of digits.
_BYTES_OF_DIGITS: Final = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)
#: The most digits that servers allow.
_PRECISION_LIMIT: Final = 65
_EXACT: Final = Context(prec=2 * _PRECISION_LIMIT)


@dataclass(frozen=True, slots=True)
class DecimalColumn:
    """The codec of DECIMAL(precision, scale)."""

    precision: int
    scale: int

    @property
    def size(self) -> int:
        """Bytes of each value."""
        return sum(size for _, size in self._groups())

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[Decimal, int]:
        """See `Codec.read`."""
        if not 0 <= self.scale <= self.precision or not 0 < self.precision <= _PRECISION_LIMIT:
            raise MalformedBody(f"DECIMAL({self.precision},{self.scale}) is not a valid type")
        size = self.size
        raw = bytearray(take(data, at, end, size))
        negative = not raw[0] & 0x80
        raw[0] ^= 0x80
        if negative:
            raw = bytearray(byte ^ 0xFF for byte in raw)
        digits: list[str] = []
        inside = 0
        for count, width in self._groups():
            group = int.from_bytes(raw[inside : inside + width], "big")
            if group >= 10**count:
                raise MalformedBody(f"{group} does not fit in {count} digits of the DECIMAL at byte {at} of the event")
            digits.append(f"{group:0{count}d}")
            inside += width
        text = "".join(digits) or "0"
        return Decimal(f"{'-' if negative else ''}{text}E-{self.scale}"), at + size

    def write(self, value: Decimal, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        scaled = value.copy_abs().scaleb(self.scale, _EXACT)
        whole = int(scaled)
        if whole != scaled or whole >= 10**self.precision:
            raise ValueError(f"{value} does not fit in DECIMAL({self.precision},{self.scale})")
        digits = f"{whole:0{self.precision}d}"
        raw = bytearray()
        inside = 0
        for count, width in self._groups():
            raw += int(digits[inside : inside + count] or "0").to_bytes(width, "big")
            inside += count
        if value.is_signed():
            raw = bytearray(byte ^ 0xFF for byte in raw)
        raw[0] ^= 0x80
        return bytes(raw)

    def _groups(self) -> list[tuple[int, int]]:
        """Return (digits, bytes) of each group; the incomplete ones are the first and the last."""
        whole_groups, whole_rest = divmod(self.precision - self.scale, _DIGITS_PER_GROUP)
        part_groups, part_rest = divmod(self.scale, _DIGITS_PER_GROUP)
        full = (_DIGITS_PER_GROUP, _BYTES_PER_GROUP)
        groups = [(whole_rest, _BYTES_OF_DIGITS[whole_rest])] if whole_rest else []
        groups += [full] * (whole_groups + part_groups)
        if part_rest:
            groups.append((part_rest, _BYTES_OF_DIGITS[part_rest]))
        return groups
