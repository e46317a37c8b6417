"""The tables of the boundary parser that servers ship, which is not the worklog's.

Source: what MySQL 5.7.32, 8.0.15, 8.0.43 and 9.7.4 do. Servers never wrote a marker: the parser works from the event
type code and the text of a Query alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Literal, get_args

from conformance.binlog.event_types import (
    MARIADB_TYPES,
    PRE_GA_ROWS,
    ROWS_V1,
    ROWS_V2,
    UNLISTED_TYPES,
    EventType,
)
from conformance.binlog.total_table import total
from conformance.specs.versions import ByVersion

#: The versions whose tables differ: the first is that of 5.7, the last that of 9.0 to 9.7.
ShippedVersion = Literal["5.7", "8.0.15", "8.0.43", "8.4", "9.7"]
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
        "mysql >= 8.3": "8.4",
        "mysql >= 9.0": "9.7",
        "mariadb": None,
    },
)
#: The servers that ship a boundary parser.
WITH_SHIPPED_PARSER: Final = SHIPPED_VERSIONS.where(lambda version: version is not None)


class ShippedState(Enum):
    """A state of a shipped parser."""

    # States and types are keys of `CELLS`, for every event; an enumeration's own hash is that of a name.
    __hash__ = object.__hash__

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

    __hash__ = object.__hash__

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
_STATES: Final[Mapping[ShippedState, str]] = total(
    f"{__name__}._STATES",
    ShippedState,
    {
        #                   GTID   BEGIN END   END_XA STMT  PRE   INCID IGNORE PAYL. ERROR
        ShippedState.NONE: "GTID   DML   NONE! NONE!  NONE  DDL   NONE  NONE   NONE! ERROR!",
        ShippedState.GTID: "GTID!* DML   NONE! NONE   NONE  DDL   NONE  GTID   NONE  ERROR!",
        ShippedState.DDL: " GTID!* DML!  NONE! NONE!  NONE  DDL   NONE  DDL    NONE! ERROR!",
        ShippedState.DML: " GTID!* DML!  NONE  NONE   DML   DML   NONE  DML    NONE! ERROR!",
        ShippedState.ERROR: "GTID!  DML!  NONE! NONE!  NONE! NONE! NONE  ERROR  NONE! ERROR!",
    },
    entry="the state after each type",
)


def _cell(word: str) -> ShippedCell:
    state, error, exception = word.partition("!")
    return ShippedCell(ShippedState[state], bool(error), bool(error) and not exception)


#: The fifty cells by state before and type.
CELLS: Final[Mapping[tuple[ShippedState, ShippedType], ShippedCell]] = {
    (before, kind): _cell(word)
    for before, row in _STATES.items()
    for kind, word in zip(ShippedType, row.split(), strict=True)
}

#: The types that every version knows.
_COMMON: Final[Mapping[ShippedType, tuple[EventType, ...]]] = {
    ShippedType.GTID: (EventType.GTID, EventType.ANONYMOUS_GTID),
    ShippedType.END: (EventType.XID, EventType.XA_PREPARE),
    ShippedType.PRE_STMT: (EventType.INTVAR, EventType.RAND, EventType.USER_VAR),
    ShippedType.STMT: (
        EventType.APPEND_BLOCK, EventType.BEGIN_LOAD_QUERY, EventType.EXECUTE_LOAD_QUERY, EventType.TABLE_MAP,
        EventType.ROWS_QUERY, *ROWS_V2, EventType.VIEW_CHANGE,
    ),
    ShippedType.INCIDENT: (EventType.INCIDENT,),
    ShippedType.IGNORE: (
        EventType.STOP, EventType.ROTATE, EventType.SLAVE, EventType.DELETE_FILE, EventType.FORMAT_DESCRIPTION,
        EventType.HEARTBEAT, EventType.PREVIOUS_GTIDS, EventType.TRANSACTION_CONTEXT,
    ),
}  # fmt: skip
#: The events of logs of version 3, but for the rows events of 5.1's betas.
VERSION_3: Final = (
    EventType.START_V3, EventType.LOAD, EventType.CREATE_FILE, EventType.EXEC_LOAD, EventType.NEW_LOAD
)  # fmt: skip
#: The types that only some versions know.
_SOME: Final[Mapping[ShippedVersion, Mapping[ShippedType, tuple[EventType, ...]]]] = {
    "5.7": {ShippedType.STMT: (*ROWS_V1, *PRE_GA_ROWS), ShippedType.IGNORE: VERSION_3},
    "8.0.15": {ShippedType.STMT: (*ROWS_V1, EventType.PARTIAL_UPDATE_ROWS)},
    "8.0.43": {
        ShippedType.STMT: (*ROWS_V1, EventType.PARTIAL_UPDATE_ROWS),
        ShippedType.IGNORE: (EventType.HEARTBEAT_V2,),
        ShippedType.PAYLOAD: (EventType.TRANSACTION_PAYLOAD,),
    },
    "8.4": {
        ShippedType.GTID: (EventType.GTID_TAGGED,),
        ShippedType.STMT: (EventType.PARTIAL_UPDATE_ROWS,),
        ShippedType.IGNORE: (EventType.HEARTBEAT_V2,),
        ShippedType.PAYLOAD: (EventType.TRANSACTION_PAYLOAD,),
    },
    "9.7": {
        ShippedType.GTID: (EventType.GTID_TAGGED,),
        ShippedType.STMT: (EventType.PARTIAL_UPDATE_ROWS,),
        ShippedType.IGNORE: (EventType.HEARTBEAT_V2, EventType.LARGE_TRANSACTION_HEADER),
        ShippedType.PAYLOAD: (EventType.TRANSACTION_PAYLOAD,),
    },
}
#: The types that only some versions do not know: not yet, or no longer.
_NOT_KNOWN: Final[Mapping[ShippedVersion, tuple[EventType, ...]]] = {
    "5.7": (
        EventType.PARTIAL_UPDATE_ROWS, EventType.TRANSACTION_PAYLOAD, EventType.HEARTBEAT_V2, EventType.GTID_TAGGED
    ),
    "8.0.15": (
        *VERSION_3, *PRE_GA_ROWS, EventType.TRANSACTION_PAYLOAD, EventType.HEARTBEAT_V2, EventType.GTID_TAGGED
    ),
    "8.0.43": (*VERSION_3, *PRE_GA_ROWS, EventType.GTID_TAGGED),
    "8.4": (*VERSION_3, *PRE_GA_ROWS, *ROWS_V1),
    "9.7": (*VERSION_3, *PRE_GA_ROWS, *ROWS_V1),
}  # fmt: skip


def _types(version: ShippedVersion) -> dict[EventType, ShippedType | None]:
    """Return the type of each event type in the parser of a version, None where the type alone does not decide."""
    # The text of a Query decides.
    undecided = {EventType.QUERY, EventType.IGNORABLE, *MARIADB_TYPES, *UNLISTED_TYPES, *_NOT_KNOWN[version]}
    known = {each: kind for table in (_COMMON, _SOME[version]) for kind, types in table.items() for each in types}
    return total(
        f"{__name__}._SOME[{version!r}]",
        EventType,
        {**dict.fromkeys(undecided), **known},
        entry="the type of its events in this parser, or name it in _NOT_KNOWN",
    )  # fmt: skip


#: Version -> event type code -> type. A code without an entry is ignored with the ignorable flag, else an error.
CODES: Final[Mapping[ShippedVersion, Mapping[int, ShippedType]]] = {
    version: {int(each): kind for each, kind in _types(version).items() if kind is not None} for version in VERSIONS
}

#: The type of a Query without text, as replicas of 5.7.22, 8.0.15 and 9.7.4 receive it: an error for which there is no
#: warning; later servers do not feed it, which leaves the parser unchanged.
EMPTY_QUERY: Final[Mapping[ShippedVersion, ShippedType]] = {
    "5.7": ShippedType.ERROR,
    "8.0.15": ShippedType.ERROR,
    "8.0.43": ShippedType.IGNORE,
    "8.4": ShippedType.IGNORE,
    "9.7": ShippedType.IGNORE,
}
#: The servers to which it is an error.
EMPTY_QUERY_IS_ERROR: Final = SHIPPED_VERSIONS.where(
    lambda version: version is not None and EMPTY_QUERY[version] is ShippedType.ERROR
)
EMPTY_QUERY_IS_IGNORED: Final = SHIPPED_VERSIONS.where(
    lambda version: version is not None and EMPTY_QUERY[version] is ShippedType.IGNORE
)
