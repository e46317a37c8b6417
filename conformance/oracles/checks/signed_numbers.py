"""Numbers without a sign that a reader reads with one: the same error wherever its language has no others."""

import re
from collections.abc import Sequence
from itertools import product
from typing import Final

from conformance.oracles.cause import Cause

#: What is wrong with such a number, and with one that has a sign and is read without.
SIGNED: Final = "is read as signed"
UNSIGNED: Final = "is read as unsigned"
#: GTIDs of MariaDB, with commas between them.
_GTIDS: Final = re.compile(r"\d+-\d+-\d+(?:,\d+-\d+-\d+)*")
#: The bytes of the three numbers of a GTID of MariaDB: domain, server and number.
_GTID_WIDTHS: Final = (4, 4, 8)
#: The bytes of a number -> how many such numbers there are.
_NUMBERS_BY_WIDTH: Final = {2: 1 << 16, 4: 1 << 32, 8: 1 << 64}


def is_read_as_signed(expected: object, seen: object) -> bool:
    """Return whether a number has the expected bytes and a sign."""
    return _width(expected, seen) is not None


def is_extended(expected: object, seen: object) -> bool:
    """Return whether a number has the expected bytes, of which the first bit was taken for a sign.

    The sign is seen, or it fills the upper bytes of a wider number without one; a smaller number was cut.
    """
    if not isinstance(expected, int) or not isinstance(seen, int) or isinstance(seen, bool):
        return False
    sizes = (1 << 8 * width for width in range(1, 9))
    read = [expected - numbers for numbers in sizes if numbers // 2 <= expected < numbers]
    widened = {each % numbers for each in read for numbers in _NUMBERS_BY_WIDTH.values()}
    return seen in read or (seen > expected and seen in widened)


def cause_of_sign(expected: object, seen: object) -> Cause | None:
    """Return the cause of a number that is read with a sign, which is the same in all fields; None for another one.

    The number may be in GTIDs of MariaDB, which are a text.
    """
    width = _width_in_gtids(expected, seen) if isinstance(expected, str) else _width(expected, seen)
    return None if width is None else Cause(SIGNED, f"number of {width} bytes")


def _width_in_gtids(expected: str, seen: object) -> int | None:
    """Return the bytes of the numbers that have a sign in GTIDs of MariaDB, the most of them; None if none has."""
    if not isinstance(seen, str) or seen == expected or _GTIDS.fullmatch(expected) is None:
        return None
    gtids = [tuple(map(int, each.split("-"))) for each in expected.split(",")]
    # The order of the list is free.
    listed = sorted(map(str.strip, seen.split(",")))
    for are_signed in product((False, True), repeat=len(_GTID_WIDTHS)):
        if any(are_signed) and listed == sorted(_with_signs(each, are_signed) for each in gtids):
            return max(width for width, is_signed in zip(_GTID_WIDTHS, are_signed, strict=True) if is_signed)
    return None


def _with_signs(gtid: Sequence[int], are_signed: Sequence[bool]) -> str:
    """Return a GTID of MariaDB of which some numbers have a sign: a reader may get the server id from elsewhere."""
    signed = (
        number - _NUMBERS_BY_WIDTH[width] if is_signed and number * 2 >= _NUMBERS_BY_WIDTH[width] else number
        for number, width, is_signed in zip(gtid, _GTID_WIDTHS, are_signed, strict=True)
    )
    return "-".join(map(str, signed))


def _width(expected: object, seen: object) -> int | None:
    if not isinstance(expected, int) or not isinstance(seen, int) or seen >= 0:
        return None
    return next((width for width, numbers in _NUMBERS_BY_WIDTH.items() if expected - seen == numbers), None)
