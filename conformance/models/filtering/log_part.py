"""An event as the filter sees it: the part of the log that it is, and the tables it concerns."""

from dataclasses import dataclass
from enum import Enum, auto

from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_name import TableName


class Part(Enum):
    """The role of an event in its group."""

    #: Announces the group after it: Gtid, Anonymous_gtid, Transaction_context.
    MARKER = auto()
    #: Opens a transaction.
    BEGIN = auto()
    #: MariaDB's Gtid event of a transaction: marker and BEGIN in one.
    MARKER_AND_BEGIN = auto()
    #: Ends the transaction.
    END = auto()
    #: Commits or rolls back an XA transaction that was prepared before.
    XA_FINISH = auto()
    #: Belongs to the statement after it: Intvar, Rand, User_var, Rows_query, a piece of a file.
    CONTEXT = auto()
    #: A statement.
    STATEMENT = auto()
    #: A file of LOAD DATA is discarded, with the context events before it.
    FILE_END = auto()
    TABLE_MAP = auto()
    ROWS = auto()
    #: A Transaction_payload.
    PAYLOAD = auto()
    #: Shares the fate of its group; passes outside groups.
    MEMBER = auto()
    #: Events were lost: kept, with the marker before it, where servers log it as a transaction.
    INCIDENT = auto()
    #: Part of the log but of no group: always kept.
    LOG = auto()


@dataclass(frozen=True, slots=True)
class LogPart:
    """One event.

    Attributes:
        part: Its role.
        tables: The tables that a statement or a Table_map concerns.
        statement: What a statement does; None if tables info is enough.
        table_id: The table id of a Table_map or of rows.
        statement_end: Whether rows end their statement.
        xa: The name of the XA transaction that it opens or finishes, as written in the statement.
        inner: The events in a payload.
    """

    part: Part
    tables: tuple[TableName, ...] = ()
    statement: FilteredStatement | None = None
    table_id: int = 0
    statement_end: bool = False
    xa: str = ""
    inner: tuple["LogPart", ...] = ()
