"""The order of the versions of libraries and programs."""

import re


def order_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, four at most, by which versions are ordered."""
    return tuple(map(int, re.findall(r"\d+", version)[:4]))
