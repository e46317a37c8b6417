"""Casts of tables: names at their limits, names that nearly are another's, and names that look like a pattern.

Servers take names of 64 characters, which are up to 192 bytes in their character set; tables info has room for 255
bytes (WL#40, section 2).
"""

import string
from collections.abc import Mapping
from typing import Final, NamedTuple

from conformance.models.filtering.table_name import TableName

#: The default database of most statements.
DATABASE: Final = "test"
#: The most characters that servers allow in a name, and the most bytes that a length of one byte gives.
_CHARACTERS, _BYTES = 64, 255
#: Every character of ASCII that is neither a letter nor a digit; some separate names in lists and in statements.
PUNCTUATION: Final = string.punctuation + " "


class Cast(NamedTuple):
    """Five tables of one stream.

    Attributes:
        first: The table that most often has a rule.
        second: Another table of its database.
        third: Another table of its database.
        elsewhere: The table of another database with the name of the first.
        near: A table that a careless rule takes for the first.
    """

    first: TableName
    second: TableName
    third: TableName
    elsewhere: TableName
    near: TableName


def _cast(first: str, near: str, *, database: str = DATABASE, elsewhere: str = "other") -> Cast:
    second, third = (TableName(database, name) for name in ("t2", "t3"))
    return Cast(TableName(database, first), second, third, TableName(elsewhere, first), TableName(database, near))


#: What is special about the names -> the tables, the plain ones first.
CASTS: Final[Mapping[str, Cast]] = {
    "plain": _cast("t1", "t10"),
    "the end of another": _cast("t1", "at1"),
    "a pattern of one character": _cast("t_", "ta", elsewhere="tes_"),
    "a pattern of any characters": _cast("t%", "tail", elsewhere="t%"),
    "a dot": Cast(
        TableName(DATABASE, "a.b"),
        TableName(DATABASE, "b"),
        TableName(DATABASE, "a"),
        TableName(f"{DATABASE}.a", "b"),
        TableName("a", "b"),
    ),
    "a backtick": _cast("a`b", "a``b"),
    "quotes": _cast('"t1"', "t1", elsewhere="it's"),
    "a space": _cast("t 1", "t"),
    "letter case": _cast("Orders", "orders", elsewhere="Test"),
    "an accent": _cast("relevé", "releve", elsewhere="tést"),
    "all signs of ASCII": _cast(f"{PUNCTUATION}x", f"{PUNCTUATION.replace(',', '')}x", elsewhere=f"{PUNCTUATION}x"),
    "characters in two parts": _cast("relev\u00e9", "releve\u0301"),
    "a space before the database": _cast("t1", "t10", database=" d", elsewhere="d"),
    "database nearly the same": _cast("t1", "t1 ", elsewhere="test1"),
    "all characters": _cast("x" * _CHARACTERS, "x" * (_CHARACTERS - 1) + "y", elsewhere="x" * _CHARACTERS),
    "the last of 64 characters of the database": _cast(
        "t1", "t10", database="日" * _CHARACTERS, elsewhere="日" * (_CHARACTERS - 1) + "本"
    ),
    "all characters, three bytes each": _cast(
        "日" * _CHARACTERS, "日" * (_CHARACTERS - 1) + "本", database="日" * _CHARACTERS
    ),
    "letter case beyond ASCII": _cast("\u00c4rger", "\u00e4rger", database="\u00f6l", elsewhere="\u00d6l"),
}
#: Those that no server allows, but tables info does.
LONG_CASTS: Final[Mapping[str, Cast]] = {
    "all bytes": _cast("x" * _BYTES, "x" * (_BYTES - 1) + "y"),
    "all bytes, three each": _cast("日" * (_BYTES // 3), "日" * (_BYTES // 3 - 1) + "本"),
}
