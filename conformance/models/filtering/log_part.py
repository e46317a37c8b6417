"""An event as the filter sees it: what part of the log it is, and which tables it concerns."""

from dataclasses import dataclass
from enum import Enum, auto

from conformance.models.filtering.statement import Statement
from conformance.models.filtering.table_name import TableName


class Part(Enum):
    """What an event is to the group that it stands in."""

    #: Names the group behind it: Gtid, Anonymous_gtid, Transaction_context.
    MARKER = auto()
    #: Opens a transaction.
    BEGIN = auto()
    #: MariaDB's Gtid event of a transaction: marker and BEGIN in one.
    MARKER_AND_BEGIN = auto()
    #: Ends the transaction.
    END = auto()
    #: Commits or rolls back an XA transaction that was prepared before.
    XA_FINISH = auto()
    #: Says something of the statement behind it: Intvar, Rand, User_var, Rows_query, a piece of a file.
    CONTEXT = auto()
    #: A statement.
    STATEMENT = auto()
    #: A file of LOAD DATA is given up, and so is what was said of it.
    FILE_END = auto()
    TABLE_MAP = auto()
    ROWS = auto()
    #: A Transaction_payload.
    PAYLOAD = auto()
    #: Shares the fate of the group that it stands in; by itself it passes.
    MEMBER = auto()
    #: Part of the log and of no group: always kept.
    LOG = auto()


@dataclass(frozen=True, slots=True)
class LogPart:
    """One event.

    Attributes:
        part: What it is.
        tables: The tables that it concerns, where it is a statement or a Table_map.
        statement: What a statement does; None where tables info says enough.
        table_id: Of a Table_map and of rows.
        statement_end: Whether rows end their statement.
        xa: The name of the XA transaction that it opens or finishes, as it stands in the statement.
        inner: The events in a payload.
    """

    part: Part
    tables: tuple[TableName, ...] = ()
    statement: Statement | None = None
    table_id: int = 0
    statement_end: bool = False
    xa: str = ""
    inner: tuple["LogPart", ...] = ()
