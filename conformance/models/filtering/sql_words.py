"""The words of a statement: an SQL parser's tokens, for statements that it cannot parse."""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from conformance.binlog.limits import check_words, current_limits
from conformance.models.filtering.statement import each_once
from conformance.models.filtering.table_name import TableName

if TYPE_CHECKING:
    from sqlglot import exp

DIALECT: Final = "mysql"

#: Text in comments that servers execute; quoted text is skipped.
_VERSIONED: Final = re.compile(
    r"(?P<quoted>'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"|`[^`]*`)|/\*M?!\d*(?P<run>.*?)\*/", re.DOTALL
)


#: About what the parser makes a word of: comment, quoted text, name or number, sign. One that does not end goes to the
#: end of the statement, so that nothing is read twice.
_WORD: Final = re.compile(
    r"/\*(?!M?!).*?(?:\*/|\Z)|'(?:[^'\\]|\\.)*+(?:'|\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\Z)"
    r"|`[^`]*+(?:`|\Z)|\w+|\S",
    re.DOTALL,
)


@cache
def sqlglot_package() -> Any:
    """Return the parser's package.

    Raises:
        ImportError: It is not installed.
    """
    import sqlglot

    # It logs a warning for each statement of which it knows only the first word.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    return sqlglot


def with_versioned_comments(sql: str) -> str:
    """Return the statement with versioned comments replaced by their content."""
    if "/*" not in sql:
        return sql
    return _VERSIONED.sub(lambda match: match["quoted"] or f" {match['run']} ", sql)


def check_length(sql: str) -> None:
    """Check that a statement is not too long for the parser, which takes almost a kilobyte for each word.

    Raises:
        LimitExceeded: It has too many words.
    """
    limit = current_limits().words
    if len(sql) > limit:
        check_words(sum(1 for _ in islice(_WORD.finditer(sql), limit + 1)))


@dataclass(frozen=True, slots=True)
class Names:
    """Makes names of tables, in the default database if they name none."""

    default_database: str

    def of(self, table: "exp.Table") -> TableName:
        """Return the name of a table in the parser's tree."""
        return TableName(table.db or self.default_database, table.name)

    def of_database(self, database: str) -> TableName:
        """Return the name of a whole database, the default one if the name is empty."""
        return TableName(database or self.default_database, "")


@dataclass(frozen=True, slots=True)
class Word:
    """One token.

    Attributes:
        text: Its text, unquoted.
        named: Whether it can be a name, so not a string, number or sign.
        quoted: Whether it is in backticks, and so cannot be a keyword.
    """

    text: str
    named: bool
    quoted: bool = False

    def is_any(self, *words: str) -> bool:
        """Return whether it is one of these keywords, given in upper case."""
        return not self.quoted and self.text.upper() in words


#: The word after the last.
END: Final = Word("", named=False)


def words_of(sql: str) -> tuple[Word, ...]:
    """Return the tokens of a statement; none if it cannot be split into tokens."""
    return tuple(_split(with_versioned_comments(sql)))


def _split(sql: str) -> Iterator[Word]:
    sqlglot = sqlglot_package()
    kinds = sqlglot.tokens.TokenType
    try:
        tokens: Sequence[Any] = sqlglot.tokenize(sql, read=DIALECT)
    except sqlglot.errors.SqlglotError:
        return
    for number, token in enumerate(tokens):
        if token.token_type == kinds.STRING and number == 1 and sql[token.start] not in "'\"":
            # The parser keeps the text after a word that it does not know as one token.
            yield from _split(token.text)
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
        """The word that is read next, `END` after the last."""
        return self._words[self._at] if self._at < len(self._words) else END

    def skip(self, *words: str) -> bool:
        """Skip a word if it is one of these, and return whether it was."""
        matches = self.next.is_any(*words)
        self._at += matches
        return matches

    def advance(self) -> None:
        """Skip the next word."""
        self._at += 1

    def skip_past(self, *words: str) -> bool:
        """Skip past the first of these words, and return whether there was one."""
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
        """Read names separated by commas."""
        tables: list[TableName] = []
        while (table := self.table()) is not None:
            tables.append(table)
            while self.next.named:
                # The lock after a name, or its alias.
                self._at += 1
            if not self.skip(","):
                break
        return each_once(tables)
