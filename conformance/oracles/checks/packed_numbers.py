"""Numbers that begin with a byte that holds how long they are, read wrongly: the same error in all fields.

They are read with that byte, or, in the Gtid events with tags, whose numbers take from one byte to nine, without some
bits of the longest ones.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from conformance.oracles.cause import MISREAD_WHOLE, Cause

#: The cause of all of them.
READ_WITH_LENGTH: Final = Cause("read with the byte that holds its length", "packed number")
#: The first byte of such a number -> the bytes of the number after it.
_WIDTHS: Final = {0xFC: 2, 0xFD: 3, 0xFE: 8}


def is_read_with_length(expected: object, seen: object) -> bool:
    """Return whether a number was made of its bytes and the one before them."""
    if not isinstance(expected, int) or not isinstance(seen, int):
        return False
    return any(expected < 1 << 8 * width and seen == first | expected << 8 for first, width in _WIDTHS.items())


#: The cause of a number in nine bytes that is read wrongly, where all in fewer bytes are right.
NINE_BYTES: Final = Cause(MISREAD_WHOLE, "number of 9 bytes in GTID_TAGGED")
#: The fields of such an event that are numbers with a sign, which takes a bit.
_WITH_SIGN: Final = frozenset({"last_committed", "sequence_number"})
#: A GTID of MySQL, with a tag or without.
_GTID: Final = re.compile(r"[0-9a-f-]+(?::\w+)?:-?\d+")
#: From here on a number takes nine bytes.
_LEAST: Final = 1 << 56


def is_of_nine_bytes(entry: Mapping[str, Any], seen: Mapping[str, Any], differing: Collection[str]) -> bool:
    """Return whether all that differs in a Gtid event with a tag are numbers in nine bytes.

    Args:
        entry: The expected entry.
        seen: The one of an answer.
        differing: The fields that differ.
    """
    return bool(differing) and all(_is_misread(name, entry.get(name), seen.get(name)) for name in differing)


def takes_nine_bytes(number: int) -> bool:
    """Return whether the number of a GTID, which has a sign, takes nine bytes in a Gtid event with a tag."""
    return 2 * number >= _LEAST


def _is_misread(name: str, expected: object, seen: object) -> bool:
    if name == "gtid" and isinstance(expected, str) and isinstance(seen, str):
        source, _, number = expected.rpartition(":")
        # Of a number below zero a reader may make no GTID at all.
        same_source = source == seen.rpartition(":")[0] or _GTID.fullmatch(seen) is None
        return same_source and number.isdecimal() and takes_nine_bytes(int(number))
    return isinstance(expected, int) and expected * (2 if name in _WITH_SIGN else 1) >= _LEAST
