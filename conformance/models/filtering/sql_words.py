"""The words of a statement: what an SQL parser's tokens say of names, where it knows no more."""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from conformance.models.filtering.statement import each_once
from conformance.models.filtering.table_name import TableName

if TYPE_CHECKING:
    from sqlglot import exp

DIALECT: Final = "mysql"

#: What servers run though it stands in a comment; quoted text is passed over.
_VERSIONED: Final = re.compile(
    r"(?P<quoted>'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"|`[^`]*`)|/\*M?!\d*(?P<run>.*?)\*/", re.DOTALL
)


@cache
def sqlglot_package() -> Any:
    """Return the parser's package.

    Raises:
        ImportError: It is not installed.
    """
    import sqlglot

    # It says for each statement of which it knows only the first word that it knows no more.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    return sqlglot


def with_versioned_comments(sql: str) -> str:
    """Return the statement with what stands in versioned comments in their place."""
    if "/*" not in sql:
        return sql
    return _VERSIONED.sub(lambda found: found["quoted"] or f" {found['run']} ", sql)


@dataclass(frozen=True, slots=True)
class Names:
    """Makes names of tables, with the default database where they have none."""

    default_database: str

    def of(self, table: "exp.Table") -> TableName:
        """Return the name of a table in the parser's tree."""
        return TableName(table.db or self.default_database, table.name)

    def of_database(self, database: str) -> TableName:
        """Return what stands for a whole database, the default one where the name is empty."""
        return TableName(database or self.default_database, "")


@dataclass(frozen=True, slots=True)
class Word:
    """One token.

    Attributes:
        text: Its text, unquoted.
        named: Whether it can be a name: no string, number or sign.
        quoted: Whether it stands in backticks, and so cannot be a keyword.
    """

    text: str
    named: bool
    quoted: bool = False

    def says(self, *words: str) -> bool:
        """Tell whether it is one of some keywords, which are in upper case."""
        return not self.quoted and self.text.upper() in words


#: Stands behind the last word.
END: Final = Word("", named=False)


def words_of(sql: str) -> tuple[Word, ...]:
    """Return the tokens of a statement; none where it cannot be cut into tokens."""
    return tuple(_cut(with_versioned_comments(sql)))


def _cut(sql: str) -> Iterator[Word]:
    sqlglot = sqlglot_package()
    kinds = sqlglot.tokens.TokenType
    try:
        tokens: Sequence[Any] = sqlglot.tokenize(sql, read=DIALECT)
    except sqlglot.errors.SqlglotError:
        return
    for number, token in enumerate(tokens):
        if token.token_type == kinds.STRING and number == 1 and sql[token.start] not in "'\"":
            # The parser keeps what follows a word that it does not know as one text.
            yield from _cut(token.text)
        elif token.token_type == kinds.IDENTIFIER:
            yield Word(token.text, named=True, quoted=True)
        else:
            for part in token.text.split() if token.token_type != kinds.STRING else (token.text,):
                named = token.token_type != kinds.STRING and (part[0].isalnum() or part[0] in "_$" or part[0] > "\x7f")
                yield Word(part, named)


class Cursor:
    """Reads words one by one."""

    def __init__(self, words: Sequence[Word], names: Names, *, at: int) -> None:
        self._words = words
        self._names = names
        self._at = at

    @property
    def next(self) -> Word:
        """The word that is read next, `END` behind the last."""
        return self._words[self._at] if self._at < len(self._words) else END

    def skip(self, *words: str) -> bool:
        """Pass over a word if it is one of these, and tell whether it was."""
        found = self.next.says(*words)
        self._at += found
        return found

    def pass_over(self) -> None:
        """Pass over a word, whatever it is."""
        self._at += 1

    def behind(self, *words: str) -> bool:
        """Go behind the first of these words, and tell whether there is one."""
        while self.next is not END:
            if self.skip(*words):
                return True
            self._at += 1
        return False

    def table(self) -> TableName | None:
        """Read a name, qualified or not."""
        if not self.next.named:
            return None
        first = self.next.text
        self._at += 1
        if not self.skip("."):
            return TableName(self._names.default_database, first)
        second = self.next
        if not second.named:
            return None
        self._at += 1
        return TableName(first, second.text)

    def tables(self) -> tuple[TableName, ...]:
        """Read names up to the first that is behind no comma."""
        found: list[TableName] = []
        while (table := self.table()) is not None:
            found.append(table)
            while self.next.named:
                # The lock behind a name, or its alias.
                self._at += 1
            if not self.skip(","):
                break
        return each_once(found)
