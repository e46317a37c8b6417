"""Numbers without a sign that a reader reads with one: the same error wherever its language has no others."""

from typing import Final

from conformance.oracles.cause import Cause

#: What is wrong with such a number, and with one that has a sign and is read without.
SIGNED: Final = "is read as signed"
UNSIGNED: Final = "is read as unsigned"
#: The bytes of a number -> how many such numbers there are.
_NUMBERS_BY_WIDTH: Final = {4: 1 << 32, 8: 1 << 64}


def is_read_as_signed(expected: object, seen: object) -> bool:
    """Return whether a number has the expected bytes and a sign."""
    return _width(expected, seen) is not None


def is_extended(expected: object, seen: object) -> bool:
    """Return whether a number has the expected bytes, of which the first bit was taken for a sign.

    The sign is seen, or it fills the upper bytes of a wider number without one.
    """
    if not isinstance(expected, int) or not isinstance(seen, int) or isinstance(seen, bool):
        return False
    sizes = (1 << 8 * width for width in range(1, 9))
    read = [expected - numbers for numbers in sizes if numbers // 2 <= expected < numbers]
    return any(seen in (each, *(each % numbers for numbers in _NUMBERS_BY_WIDTH.values())) for each in read)


def cause_of_sign(expected: object, seen: object) -> Cause | None:
    """Return the cause of a number that is read with a sign, which is the same in all fields; None for another one."""
    width = _width(expected, seen)
    return None if width is None else Cause(SIGNED, f"number of {width} bytes")


def _width(expected: object, seen: object) -> int | None:
    if not isinstance(expected, int) or not isinstance(seen, int) or seen >= 0:
        return None
    return next((width for width, numbers in _NUMBERS_BY_WIDTH.items() if expected - seen == numbers), None)
