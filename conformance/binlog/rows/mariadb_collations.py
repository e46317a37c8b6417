"""The collations that only MariaDB has, or names otherwise than MySQL, by id.

Source: ``information_schema.collation_character_set_applicability`` of 10.11.18 and 11.8.9, which give the same ids.
"""

from collections.abc import Iterator, Mapping
from typing import Final

#: Id -> name without the character set's, where MySQL has another name.
_RENAMED: Final[Mapping[int, str]] = dict.fromkeys((122, 149, 181, 213, 245), "croatian_mysql561_ci")
#: Character set -> the id of the first of its collations in `_OWN`.
_OWN_FIRST: Final[Mapping[str, int]] = {"utf8mb3": 576, "utf8mb4": 608, "ucs2": 640, "utf16": 672, "utf32": 736}
_OWN: Final = ("croatian_ci", "myanmar_ci", "thai_520_w2")
#: Of the character sets that have it too, in 11.8.
_OWN_GENERAL: Final = {579: ("utf8mb3", "general1400_as_ci"), 611: ("utf8mb4", "general1400_as_ci")}

#: What is added to the id of a collation for the one that does not pad, and the ids that have one.
_NOPAD: Final = 1024
# fmt: off
_PADDED: Final = (
    1, 3, 4, *range(6, 14), 16, 18, 19, 22, 24, 25, 26, 28, 30, 32, 33, *range(35, 42), 43, 45, 46, 47, 50, 51,
    *range(53, 63), *range(64, 76), *range(77, 94), 95, 96, 97, 98, 101, 123, 128, 150, 160, 182, 192, 214, 224, 246,
)
# fmt: on

#: The first of the collations by version 14.0.0 of Unicode: 256 ids for each character set, 8 for each language.
_UCA_FIRST: Final = 2048
_UCA_CHARSETS: Final = ("utf8mb3", "utf8mb4", "ucs2", "utf16", "utf32")
#: The languages in the order of their ids, empty for the collation of none; None for ids that are not in use.
_UCA_LANGUAGES: Final = (
    "", "icelandic", "latvian", "romanian", "slovenian", "polish", "estonian", "spanish", "swedish", "turkish",
    "czech", "danish", "lithuanian", "slovak", "spanish2", "roman", "persian", "esperanto", "hungarian", "sinhala",
    "german2", None, None, "vietnamese", "croatian",
)  # fmt: skip
#: Padding, accents and case, in the order of the ids.
_UCA_WAYS: Final = tuple(
    f"{pad}{accents}_{case}" for pad in ("", "nopad_") for accents in ("ai", "as") for case in ("ci", "cs")
)


def mariadb_collations(shared: Mapping[int, tuple[str, str]]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the ids of MariaDB's collations, each with its character set and its name without that.

    Args:
        shared: The collations that MySQL has, in the same form.
    """
    for number, name in _RENAMED.items():
        yield number, (shared[number][0], name)
    for charset, first in _OWN_FIRST.items():
        for at, name in enumerate(_OWN):
            yield first + at, (charset, name)
    yield from _OWN_GENERAL.items()
    for number in _PADDED:
        charset, name = shared[number]
        kept, _, end = f"_{name}".rpartition("_")
        yield number + _NOPAD, (charset, f"{kept}_nopad_{end}".lstrip("_"))
    for place, charset in enumerate(_UCA_CHARSETS):
        for at, language in enumerate(_UCA_LANGUAGES):
            if language is not None:
                first = _UCA_FIRST + place * 256 + at * 8
                words = f"uca1400_{language}_" if language else "uca1400_"
                yield from ((first + way, (charset, f"{words}{name}")) for way, name in enumerate(_UCA_WAYS))
