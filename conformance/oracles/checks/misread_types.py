"""How a boundary parser comes to a wrong type of an event, where the type alone shows it, whatever the others are."""

import re
from collections.abc import Iterator
from typing import Final

from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.event_class import event_class
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.guess import Kind, Standing, guessed_row, kind_of
from conformance.oracles.cause import Cause

_FIELD: Final = "boundary_type"
_GUESSED: Final = Cause("guessed although the event is marked", field=_FIELD, role="boundary")
_NOT_GUESSED: Final = Cause("not guessed", field=_FIELD, role="boundary")
#: How a statement that is a word of a transaction, and one that is none, are misread.
WORD_UNREAD: Final = Cause("taken for another statement", "BEGIN, COMMIT or ROLLBACK", role="boundary")
WORD_INVENTED: Final = Cause("taken for BEGIN, COMMIT or ROLLBACK", "another statement", role="boundary")
_BEGIN_FORGOTTEN: Final = Cause("not remembered", "BEGIN of the transaction", role="boundary")
#: The words for one of which a statement may be taken, and a statement that begins with one.
_LIKE_WORDS: Final = re.compile(rb"BEGIN|COMMIT|ROLLBACK|\b(?:START|END|XA)\b", re.IGNORECASE)
_BEGINS_LIKE_WORDS: Final = re.compile(rb"\W*(?:/\*.*?\*/)?\W*(?:BEGIN|COMMIT|ROLLBACK|START|END|XA)\b", re.IGNORECASE)
#: The kinds of statements that are words of a transaction.
_WORDS: Final = (Kind.BEGIN, Kind.COMMIT_OR_ROLLBACK)
#: Statements of each kind.
_STATEMENTS: Final = {
    Kind.BEGIN: b"BEGIN",
    Kind.COMMIT_OR_ROLLBACK: b"COMMIT",
    Kind.STATEMENT: b"INSERT INTO t VALUES (1)",
}


def misread_type(event: FedEvent, wanted: str, seen: str | None, begin: FedEvent | None = None) -> Cause | None:
    """Return the cause of a wrong type of an event; None if the two types are all that is known of it.

    Args:
        event: The event.
        wanted: The heading of the right type.
        seen: The heading of the one in the answer, None if it has none.
        begin: The last BEGIN before the event; None if there is none.
    """
    if MARKER_BITS.read(event.flags) is not BoundaryType.NOT_DEFINED:
        return _GUESSED if seen is not None and seen in _guesses(event) else None
    if seen == BoundaryType.NOT_DEFINED.heading:
        return _NOT_GUESSED
    kind = kind_of(event, event_class(event))
    if kind in _WORDS:
        return WORD_UNREAD if _is_as(event, Kind.STATEMENT, wanted, seen) else None
    # A statement that ends its group at once has the type of a COMMIT, whatever it is taken for.
    if kind is Kind.STATEMENT and wanted != BoundaryType.END_TRANSACTION.heading:
        is_within = wanted == BoundaryType.INSIDE_TRANSACTION.heading
        if seen == BoundaryType.END_TRANSACTION.heading and forgets_begin(event, begin if is_within else None):
            return _BEGIN_FORGOTTEN if is_within else None
        return WORD_INVENTED if any(_is_as(event, each, wanted, seen) for each in _WORDS) else None
    return None


def forgets_begin(event: FedEvent, begin: FedEvent | None) -> bool:
    """Return whether a statement that ends a transaction is taken for one without a BEGIN, and not for a COMMIT.

    It is where nothing in it could be taken for the word, and where it only has it further on and the BEGIN has a
    marker: a parser that does not read the statements of marked events forgets such a BEGIN.
    """
    text = event.query or b""
    is_marked = begin is not None and MARKER_BITS.read(begin.flags) is not BoundaryType.NOT_DEFINED
    return _LIKE_WORDS.search(text) is None or (is_marked and _BEGINS_LIKE_WORDS.match(text) is None)


def _guesses(event: FedEvent) -> Iterator[str]:
    return (guessed_row(event, each).boundary_type.heading for each in Standing)


def _is_as(event: FedEvent, kind: Kind, wanted: str, seen: str | None) -> bool:
    """Return whether an event has the type that a statement of another kind has in its place."""
    other = event._replace(query=_STATEMENTS[kind])
    pairs = zip(_guesses(event), _guesses(other), strict=True)
    return any(right == wanted and wrong == seen for right, wrong in pairs)
