"""The guess: the boundary type of an event without a marker, by the rules that a marking server follows.

Source: WL#4162, footnote 1 of the transition table, the type table, and binlog.cc M1 and M2. A receiver knows only
the events before, so the situation of an event follows from the progress of the open transaction.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from conformance.binlog.total_table import total
from conformance.models.boundary.boundary_type import WITHIN_TRANSACTION, BoundaryType
from conformance.models.boundary.event_class import CONTEXT_CLASSES, QUERY_CLASSES, EventClass, event_class
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.query_word import QueryWord, query_word
from conformance.models.boundary.type_table import Situation, TypeRow, type_row


class Standing(Enum):
    """The progress of the parser's transaction."""

    #: No transaction is open.
    CLOSED = auto()
    #: One is open that has no BEGIN: a Gtid event, or the context events of a statement.
    OPEN = auto()
    #: One is open that has a BEGIN.
    BEGUN = auto()


class Kind(Enum):
    """The property of an event that its situation depends on."""

    BEGIN = auto()
    COMMIT_OR_ROLLBACK = auto()
    STATEMENT = auto()
    CONTEXT = auto()
    ARTIFICIAL = auto()
    #: The class alone.
    PLAIN = auto()


#: Kind -> the situation for each standing: `CLOSED`, `OPEN`, `BEGUN`. A second BEGIN is a start within a transaction,
#: which the transition table refuses.
_SITUATIONS: Final[Mapping[Kind, tuple[Situation, Situation, Situation]]] = total(
    f"{__name__}._SITUATIONS",
    Kind,
    {
        Kind.BEGIN: (Situation.BEGIN, Situation.BEGIN_IN_GROUP, Situation.BEGIN),
        Kind.COMMIT_OR_ROLLBACK: (Situation.COMMIT_OR_ROLLBACK,) * 3,
        Kind.STATEMENT: (Situation.MADE, Situation.IMMEDIATE_IN_GROUP, Situation.NOT_IMMEDIATE),
        Kind.CONTEXT: (Situation.FIRST_CONTEXT, Situation.MADE, Situation.MADE),
        Kind.ARTIFICIAL: (Situation.ARTIFICIAL,) * 3,
        Kind.PLAIN: (Situation.MADE,) * 3,
    },
    entry="its situation for each standing",
)
_STANDINGS: Final = {standing: index for index, standing in enumerate(Standing)}
_QUERY_KINDS: Final = total(
    f"{__name__}._QUERY_KINDS",
    QueryWord,
    {
        QueryWord.BEGIN: Kind.BEGIN,
        QueryWord.COMMIT: Kind.COMMIT_OR_ROLLBACK,
        QueryWord.ROLLBACK: Kind.COMMIT_OR_ROLLBACK,
        QueryWord.OTHER: Kind.STATEMENT,
    },
    entry="what its situation depends on",
)


def kind_of(event: FedEvent, its_class: EventClass) -> Kind:
    """Return the property of an event of the class `its_class` that its situation depends on."""
    if its_class in QUERY_CLASSES:
        return _QUERY_KINDS[query_word(event.query)]
    if its_class in CONTEXT_CLASSES:
        return Kind.CONTEXT
    return Kind.ARTIFICIAL if its_class is EventClass.ROTATE and event.artificial else Kind.PLAIN


def is_begin(event: FedEvent) -> bool:
    """Return whether an event is a Query with BEGIN."""
    return kind_of(event, event_class(event)) is Kind.BEGIN


def standing_of(state: BoundaryType, begun: bool) -> Standing:
    """Return the progress of a parser in a state; `begun`: it has seen the transaction's BEGIN."""
    if state not in WITHIN_TRANSACTION:
        return Standing.CLOSED
    return Standing.BEGUN if begun else Standing.OPEN


def guessed_row(event: FedEvent, standing: Standing) -> TypeRow:
    """Return the row of the type table that applies to an event without a marker."""
    its_class = event_class(event)
    situations = _SITUATIONS[kind_of(event, its_class)]
    return type_row(its_class, situations[_STANDINGS[standing]])
