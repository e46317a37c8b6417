"""The statements that open and close a transaction.

Source: WL#4162, log_event.h M3. The whole text is compared, in upper case, as servers write it: SAVEPOINT, ROLLBACK TO
and XA statements count as any other statement.
"""

from enum import Enum, auto
from typing import Final


class QueryWord(Enum):
    """The role of a statement in a transaction."""

    BEGIN = auto()
    COMMIT = auto()
    ROLLBACK = auto()
    OTHER = auto()


_WORDS: Final = {b"BEGIN": QueryWord.BEGIN, b"COMMIT": QueryWord.COMMIT, b"ROLLBACK": QueryWord.ROLLBACK}


def query_word(query: bytes | None) -> QueryWord:
    """Return the role of a statement; a text that is not known counts as any other statement."""
    return _WORDS.get(query or b"", QueryWord.OTHER)
