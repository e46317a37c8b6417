"""The statements that begin and end a transaction, as mysqlbinlog recognises them by their text.

Source: mysqlbinlog 9.7.4, which compares as many characters as the statement has: any beginning of a word matches.
"""

from typing import Final

_BEGIN: Final = b"BEGIN"
_COMMIT: Final = b"COMMIT"
_ROLLBACK: Final = b"ROLLBACK"
_ROLLBACK_TO: Final = b"ROLLBACK TO "
_XA_START: Final = b"XA START"
_XA_ROLLBACK: Final = b"XA ROLLBACK"
_SAVEPOINT: Final = b"SAVEPOINT"
_XA: Final = b"XA "


def begins_transaction(query: bytes) -> bool:
    """Return whether a statement begins a transaction."""
    return bool(query) and (_BEGIN.startswith(query) or query.startswith(_XA_START))


def ends_transaction(query: bytes) -> bool:
    """Return whether a statement ends a transaction; ``XA COMMIT`` does not, as ``XA PREPARE`` ended it before."""
    upper = query.upper()
    rolls_back = upper.startswith(_ROLLBACK) and not upper.startswith(_ROLLBACK_TO)
    return bool(query) and (_COMMIT.startswith(query) or rolls_back or query.startswith(_XA_ROLLBACK))


def is_about_transaction(query: bytes, *, xa: bool = True) -> bool:
    """Return whether a statement concerns only a transaction, so that it needs no default database.

    Args:
        query: The statement.
        xa: Whether statements of XA transactions count.
    """
    upper = query.upper()
    if upper.startswith(_XA):
        return xa
    return begins_transaction(query) or ends_transaction(query) or upper.startswith((_ROLLBACK, _SAVEPOINT))
