"""Bytes of a log as text, from which they can be had again."""

from collections.abc import Iterable
from typing import Final

#: Bytes from which on a text is long.
LONG: Final = 1 << 20


def raw_text(data: bytes) -> str:
    """Return bytes as text; those that are not UTF-8 are kept, as surrogates."""
    return data.decode("utf-8", "surrogateescape")


def long_raw_text(pieces: Iterable[bytes]) -> str:
    """Return the bytes of a long text, in pieces, as text; all that are not ASCII are kept, as surrogates.

    As a character, one beyond U+FFFF would make all others take four bytes each.
    """
    return "".join([piece.decode("ascii", "surrogateescape") for piece in pieces])


def raw_bytes(text: str) -> bytes:
    """Return the bytes of such a text."""
    return text.encode("utf-8", "surrogateescape")
