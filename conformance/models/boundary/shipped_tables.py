"""The tables of the boundary parser that servers ship, which is not the worklog's.

Source: what MySQL 5.7.32, 8.0.15, 8.0.43 and 9.7.4 do. Servers never wrote a marker: the parser works from the event
type code and the text of a Query alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Literal, get_args

from conformance.binlog.event_types import EventType
from conformance.specs.versions import ByVersion

#: The versions whose tables differ: the first is that of 5.7, the last that of 8.4 to 9.7.
ShippedVersion = Literal["5.7", "8.0.15", "8.0.43", "9.7"]
VERSIONS: Final[tuple[ShippedVersion, ...]] = get_args(ShippedVersion)

#: The version of the parser that servers ship, None where there is none. Payloads came with 8.0.20, and the parser of
#: 8.0.43 stands for all that have them.
SHIPPED_VERSIONS: Final = ByVersion[ShippedVersion | None](
    "shipped boundary parsers",
    {
        "worklog": None,
        "mysql": None,
        "mysql >= 5.7": "5.7",
        "mysql >= 8.0": "8.0.15",
        "mysql >= 8.0.20": "8.0.43",
        "mysql >= 8.3": "9.7",
        "mariadb": None,
    },
)
#: The servers that ship a boundary parser.
WITH_SHIPPED_PARSER: Final = SHIPPED_VERSIONS.where(lambda version: version is not None)


class ShippedState(Enum):
    """A state of a shipped parser."""

    NONE = auto()
    GTID = auto()
    DDL = auto()
    DML = auto()
    ERROR = auto()

    @property
    def within_transaction(self) -> bool:
        """Whether the stream is within a transaction."""
        return self not in (ShippedState.NONE, ShippedState.ERROR)


class ShippedType(Enum):
    """The type of an event in a shipped parser."""

    GTID = auto()
    BEGIN = auto()
    END = auto()
    END_XA = auto()
    STMT = auto()
    PRE_STMT = auto()
    INCIDENT = auto()
    IGNORE = auto()
    PAYLOAD = auto()
    ERROR = auto()


@dataclass(frozen=True, slots=True)
class ShippedCell:
    """One cell of the table of states.

    Attributes:
        state: The state after the event.
        error: Whether the step is an error.
        in_applier: Whether it is one in the applier too; it differs from `error` only from 8.0.43 on.
    """

    state: ShippedState
    error: bool
    in_applier: bool


#: State before -> for each type, in the order of `ShippedType`, the state after. ``!`` is an error, ``!*`` one that the
#: applier does not report.
_STATES: Final[Mapping[ShippedState, str]] = {
    #                   GTID   BEGIN END   END_XA STMT  PRE   INCID IGNORE PAYL. ERROR
    ShippedState.NONE: "GTID   DML   NONE! NONE!  NONE  DDL   NONE  NONE   NONE! ERROR!",
    ShippedState.GTID: "GTID!* DML   NONE! NONE   NONE  DDL   NONE  GTID   NONE  ERROR!",
    ShippedState.DDL: " GTID!* DML!  NONE! NONE!  NONE  DDL   NONE  DDL    NONE! ERROR!",
    ShippedState.DML: " GTID!* DML!  NONE  NONE   DML   DML   NONE  DML    NONE! ERROR!",
    ShippedState.ERROR: "GTID!  DML!  NONE! NONE!  NONE! NONE! NONE  ERROR  NONE! ERROR!",
}


def _cell(word: str) -> ShippedCell:
    state, error, exception = word.partition("!")
    return ShippedCell(ShippedState[state], bool(error), bool(error) and not exception)


#: The fifty cells by state before and type.
CELLS: Final[Mapping[tuple[ShippedState, ShippedType], ShippedCell]] = {
    (before, kind): _cell(word)
    for before, row in _STATES.items()
    for kind, word in zip(ShippedType, row.split(), strict=True)
}

_E: Final = EventType
_ROWS_V1: Final = (_E.WRITE_ROWS_V1, _E.UPDATE_ROWS_V1, _E.DELETE_ROWS_V1)
#: The types that every version knows; the type of a Query depends on its text.
_COMMON: Final[Mapping[ShippedType, tuple[int, ...]]] = {
    ShippedType.GTID: (_E.GTID, _E.ANONYMOUS_GTID),
    ShippedType.END: (_E.XID, _E.XA_PREPARE),
    ShippedType.PRE_STMT: (_E.INTVAR, _E.RAND, _E.USER_VAR),
    ShippedType.STMT: (
        _E.APPEND_BLOCK, _E.BEGIN_LOAD_QUERY, _E.EXECUTE_LOAD_QUERY, _E.TABLE_MAP, _E.ROWS_QUERY,
        _E.WRITE_ROWS, _E.UPDATE_ROWS, _E.DELETE_ROWS, _E.VIEW_CHANGE,
    ),
    ShippedType.INCIDENT: (_E.INCIDENT,),
    ShippedType.IGNORE: (
        _E.STOP, _E.ROTATE, _E.SLAVE, _E.DELETE_FILE, _E.FORMAT_DESCRIPTION, _E.HEARTBEAT, _E.PREVIOUS_GTIDS,
        _E.TRANSACTION_CONTEXT,
    ),
}  # fmt: skip
#: The types that only some versions know.
_SOME: Final[Mapping[ShippedVersion, Mapping[ShippedType, tuple[int, ...]]]] = {
    "5.7": {
        ShippedType.STMT: (*_ROWS_V1, _E.PRE_GA_WRITE_ROWS, _E.PRE_GA_UPDATE_ROWS, _E.PRE_GA_DELETE_ROWS),
        ShippedType.IGNORE: (_E.START_V3, _E.LOAD, _E.CREATE_FILE, _E.EXEC_LOAD, _E.NEW_LOAD),
    },
    "8.0.15": {ShippedType.STMT: (*_ROWS_V1, _E.PARTIAL_UPDATE_ROWS)},
    "8.0.43": {
        ShippedType.STMT: (*_ROWS_V1, _E.PARTIAL_UPDATE_ROWS),
        ShippedType.IGNORE: (_E.HEARTBEAT_V2,),
        ShippedType.PAYLOAD: (_E.TRANSACTION_PAYLOAD,),
    },
    "9.7": {
        ShippedType.GTID: (_E.GTID_TAGGED,),
        ShippedType.STMT: (_E.PARTIAL_UPDATE_ROWS,),
        ShippedType.IGNORE: (_E.HEARTBEAT_V2, _E.LARGE_TRANSACTION_HEADER),
        ShippedType.PAYLOAD: (_E.TRANSACTION_PAYLOAD,),
    },
}
#: Version -> event type code -> type. A code without an entry is ignored with the ignorable flag, else an error.
CODES: Final[Mapping[ShippedVersion, Mapping[int, ShippedType]]] = {
    version: {
        int(code): kind
        for table in (_COMMON, _SOME[version])
        for kind, codes in table.items()
        for code in codes
    }
    for version in VERSIONS
}  # fmt: skip

#: The type of a Query without text: later servers do not feed it, which leaves the parser unchanged.
EMPTY_QUERY: Final[Mapping[ShippedVersion, ShippedType]] = {
    "5.7": ShippedType.ERROR,
    "8.0.15": ShippedType.IGNORE,
    "8.0.43": ShippedType.IGNORE,
    "9.7": ShippedType.IGNORE,
}
