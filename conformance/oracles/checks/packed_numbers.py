"""Numbers that begin with a byte that holds how long they are, read with that byte: the same error in all fields."""

from typing import Final

from conformance.oracles.cause import Cause

#: The cause of all of them.
READ_WITH_LENGTH: Final = Cause("read with the byte that holds its length", "packed number")
#: The first byte of such a number -> the bytes of the number after it.
_WIDTHS: Final = {0xFC: 2, 0xFD: 3, 0xFE: 8}


def is_read_with_length(expected: object, seen: object) -> bool:
    """Return whether a number was made of its bytes and the one before them."""
    if not isinstance(expected, int) or not isinstance(seen, int):
        return False
    return any(expected < 1 << 8 * width and seen == first | expected << 8 for first, width in _WIDTHS.items())
