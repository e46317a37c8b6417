"""Texts in other characters than those of the log: UTF-8 taken for characters of one byte, or lost in ASCII.

And bytes that are not a text, taken for UTF-8.
"""

import base64
import re
from collections.abc import Mapping
from typing import Final, TypeGuard

from conformance.oracles.cause import Cause

#: The cause of all of them: what decodes one text decodes the others.
OTHER_CHARACTERS: Final = Cause("in other characters", "text")
#: The cause of all bytes that are lost so.
READ_AS_TEXT: Final = Cause("read as UTF-8", "bytes that are not a text")
#: The cause of texts of UTF-16 and UTF-32 whose bytes are taken in the order of other systems.
OTHER_ORDER: Final = Cause("in the wrong byte order", "text")
#: Words of a decoder that takes them so.
OF_ORDER: Final = re.compile(r"utf[-_]?(?:16|32)[-_]?le\b", re.IGNORECASE)
_OTHER_ORDERS: Final = ("utf-16-le", "utf-32-le")
#: Character sets of one byte for each character, for which a reader may take a text.
_OF_ONE_BYTE: Final = ("latin-1", "cp1252", "ascii")
#: What decoders of one character set write in the place of a character that it does not have.
_REPLACEMENTS: Final = ("?", "\N{REPLACEMENT CHARACTER}", "")


def is_in_other_characters(expected: object, seen: object) -> bool:
    """Return whether a text has the expected bytes, taken for characters of one byte each, or replaced by others.

    An empty text is left out: it may be lost for any reason.
    """
    if not isinstance(expected, str) or not isinstance(seen, str) or expected == seen or expected.isascii() or not seen:
        return False
    octets = expected.encode()
    return any(octets.decode(name, "replace") == seen for name in _OF_ONE_BYTE) or any(
        seen in (_replaced(expected, each), _replaced(octets.decode("latin-1"), each)) for each in _REPLACEMENTS
    )


def is_in_other_order(expected: object, seen: object) -> bool:
    """Return whether a text is made of the expected bytes in another order; MySQL has the highest one first."""
    if not has_text_of_its_own(expected) or not isinstance(seen, str) or not seen:
        return False
    octets = base64.b64decode(expected["base64"])
    return any(octets.decode(name, "replace") == seen for name in _OTHER_ORDERS)


def has_text_of_its_own(value: object) -> TypeGuard[Mapping[str, str]]:
    """Return whether a value is a text whose bytes are not those of UTF-8."""
    return isinstance(value, Mapping) and value.keys() >= {"base64", "text"}


def is_read_as_text(expected: object, seen: object) -> bool:
    """Return whether bytes that are not UTF-8 were decoded as such, with a mark or nothing where they are not.

    Here too an empty text may be lost for any reason.
    """
    if not isinstance(expected, Mapping) or "base64" not in expected or not isinstance(seen, str) or not seen:
        return False
    octets = base64.b64decode(expected["base64"])
    return any(octets.decode(errors=each) == seen for each in ("replace", "ignore"))


def _replaced(text: str, replacement: str) -> str:
    return "".join(each if each.isascii() else replacement for each in text)
