"""The classes of statements that a boundary parser distinguishes, for columns of many events.

One text represents each class: what holds for it holds for the class, in the worklog's parser and in every shipped one.
"""

from typing import Final

from conformance.models.boundary.query_word import query_word
from conformance.models.boundary.shipped_parser import query_type

#: One text for each class; None means no statement.
TEXTS: Final[tuple[bytes | None, ...]] = (
    None,
    b"",
    b"BEGIN",
    b"BEG",
    b"COMMIT",
    b"COMM",
    b"ROLLBACK",
    b"XA ROLLBACK 'x'",
    b"CREATE TABLE t (a INT)",
)
_CLASSES: Final = {
    (query_word(text), query_type(text)): index for index, text in reversed(list(enumerate(TEXTS))) if text
}


def text_class(query: bytes | None) -> int:
    """Return the class of a statement, an index into `TEXTS`."""
    if not query:
        return TEXTS.index(query)
    return _CLASSES[query_word(query), query_type(query)]
