"""The boundary types of WL#4162, and the three bits of the flags word that hold one.

Source: WL#4162, Concepts and Definitions D1 and D2. The worklog names neither the bits nor their coding; the numbers
are those of its transition table.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

#: The bits of one marker, before they are shifted.
_MARKER: Final = 0b111
_FLAGS_BITS: Final = 16


class BoundaryType(IntEnum):
    """The role of an event in its transaction; as a state of the parser, that of its last event."""

    NOT_DEFINED = 0
    IGNORE_BOUNDARY = 1
    SELF_CONTAINED = 2
    START_TRANSACTION = 3
    INSIDE_TRANSACTION = 4
    END_TRANSACTION = 5

    @property
    def heading(self) -> str:
        """The name in messages and printed output, spelt as in the worklog's headings."""
        return _HEADINGS[self]


_HEADINGS: Final = {
    BoundaryType.NOT_DEFINED: "Not Defined",
    BoundaryType.IGNORE_BOUNDARY: "Ignore Boundary",
    BoundaryType.SELF_CONTAINED: "Self Contained",
    BoundaryType.START_TRANSACTION: "Start Transaction",
    BoundaryType.INSIDE_TRANSACTION: "Inside Transaction",
    BoundaryType.END_TRANSACTION: "End Transaction",
}

#: The values of the three bits that the worklog leaves for the future.
SPARE_VALUES: Final = (6, 7)
#: The states of a parser within a transaction.
WITHIN_TRANSACTION: Final = frozenset({BoundaryType.START_TRANSACTION, BoundaryType.INSIDE_TRANSACTION})


@dataclass(frozen=True, slots=True)
class MarkerBits:
    """The place of the marker in the flags word.

    Attributes:
        shift: Number of the lowest of the three bits. Bits 10 to 12 are free in every MySQL server and clear of
            MariaDB's flags.
    """

    shift: int = 10

    def __post_init__(self) -> None:
        if not 0 <= self.shift <= _FLAGS_BITS - 3:
            raise ValueError(
                f"{self.shift} is not a valid lowest bit of the marker: it must be from 0 to {_FLAGS_BITS - 3}"
            )

    @property
    def mask(self) -> int:
        """The three bits of the marker in the flags word."""
        return _MARKER << self.shift

    def stored(self, flags: int) -> int:
        """Return the value of the three bits, 0 to 7."""
        return flags >> self.shift & _MARKER

    def read(self, flags: int) -> BoundaryType:
        """Return the boundary type that a flags word holds; a spare value reads as Not Defined."""
        value = self.stored(flags)
        return BoundaryType.NOT_DEFINED if value in SPARE_VALUES else BoundaryType(value)

    def write(self, flags: int, value: int) -> int:
        """Return the flags word with the marker `value` and every other bit unchanged.

        Raises:
            ValueError: The value does not fit in three bits.
        """
        if not 0 <= value <= _MARKER:
            raise ValueError(f"{value} is not a valid marker value: it must be from 0 to {_MARKER}")
        return flags & ~self.mask | value << self.shift


#: The bits that the kit uses by default: mask 0x1C00.
MARKER_BITS: Final = MarkerBits()
