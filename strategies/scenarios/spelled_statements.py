"""Spellings of a statement: a log has the text that the user wrote, with any letter case, white space and comments."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from conformance.models.filtering.table_name import TableName
from conformance.models.server.tables import quoted

#: A name that needs no backticks.
_PLAIN: Final = re.compile(r"[a-z][a-z0-9_]*")


class Spelling(NamedTuple):
    """One way to write statements.

    Attributes:
        between: What is between two words.
        lower: Whether keywords are in lower case.
        quoted: Whether names have backticks that need none.
        tight: Whether nothing is before and after a parenthesis.
    """

    between: str = " "
    lower: bool = False
    quoted: bool = True
    tight: bool = False

    def statement(self, words: Iterable[str | TableName], database: str) -> str:
        """Return a statement.

        Args:
            words: Its keywords, signs and tables.
            database: The default database, which is left out where it is a table's.
        """
        text = ""
        for word in words:
            spelled = self.name(word, database) if isinstance(word, TableName) else self._keyword(word)
            is_joined = self.tight and (text.endswith("(") or spelled in ("(", ")"))
            text += spelled if spelled == "," or not text or is_joined else f"{self.between}{spelled}"
        return text

    def name(self, table: TableName, database: str) -> str:
        """Return a table as a statement names it."""
        parts = (table.name,) if table.database == database else (table.database, table.name)
        return ".".join(map(self._part, parts))

    def _keyword(self, word: str) -> str:
        return word.lower() if self.lower else word

    def _part(self, name: str) -> str:
        if not self.quoted and _PLAIN.fullmatch(name):
            return name
        return quoted(name)


#: How statements are written -> the spelling, the plain one first.
SPELLINGS: Final[Mapping[str, Spelling]] = {
    "keywords in upper case": Spelling(),
    "keywords in lower case": Spelling(lower=True),
    "names without backticks": Spelling(quoted=False),
    "lines and tabs": Spelling("\n\t"),
    "comments": Spelling(" /* TABLE x */ "),
    "comments to the end of a line": Spelling(" -- LIKE `x`\n"),
    "comments after a number sign": Spelling(" # LIKE `x`\n"),
    "parentheses without white space": Spelling(tight=True),
}
