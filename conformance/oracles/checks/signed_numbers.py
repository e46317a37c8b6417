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


def cause_of_sign(expected: object, seen: object) -> Cause | None:
    """Return the cause of a number that is read with a sign, which is the same in all fields; None for another one."""
    width = _width(expected, seen)
    return None if width is None else Cause(SIGNED, f"number of {width} bytes")


def _width(expected: object, seen: object) -> int | None:
    if not isinstance(expected, int) or not isinstance(seen, int) or seen >= 0:
        return None
    return next((width for width, numbers in _NUMBERS_BY_WIDTH.items() if expected - seen == numbers), None)
