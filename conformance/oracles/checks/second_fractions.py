"""Fractions of a second of which digits are lost: the times of a library may have fewer than the log."""

from typing import Final

from conformance.oracles.cause import CUT_SHORT, Cause

_CUT: Final = Cause(CUT_SHORT, "fraction of a second")


def cause_of_fraction(expected: object, seen: object) -> Cause | None:
    """Return the cause of a time of which digits of the fraction are lost, and nothing else; None for another one.

    Args:
        expected: The time, or the seconds since 1970, in the notation of the protocol.
        seen: What is reported.
    """
    if expected is None or not isinstance(seen, str | int):
        return None
    whole, _, digits = str(expected).partition(".")
    seen_whole, _, seen_digits = str(seen).partition(".")
    left, right = digits.rstrip("0"), seen_digits.rstrip("0")
    return _CUT if whole == seen_whole and left != right and left.startswith(right) else None
