"""The kinds of event that an applier distinguishes: one kind for each event."""

import re
from enum import Enum, auto
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.replica.replica_event import ReplicaEvent


class Kind(Enum):
    """The kinds of event that an applier treats differently."""

    #: Describes the format of the events after it.
    FORMAT = auto()
    #: Names the next log.
    ROTATE = auto()
    STOP = auto()
    PREVIOUS_GTIDS = auto()
    #: Begins a group with its GTID: Gtid and Anonymous_gtid events.
    GTID = auto()
    #: Gtid and BEGIN in one, as MariaDB writes them.
    GTID_AND_BEGIN = auto()
    BEGIN = auto()
    #: COMMIT, ROLLBACK, Xid, XA_prepare: it ends the group.
    COMMIT = auto()
    #: A statement that ends the transaction before it, and is itself one: CREATE TABLE and the like.
    DDL = auto()
    #: The CREATE TABLE of an atomic CREATE TABLE ... SELECT, which stays inside its transaction.
    ATOMIC_CREATE = auto()
    #: Any other statement.
    STATEMENT = auto()
    #: Belongs to the statement after it: Intvar, Rand, User_var, Table_map, Rows_query, the file of LOAD DATA.
    PREPARES = auto()
    ROWS = auto()
    #: The last rows event of a statement.
    LAST_ROWS = auto()
    #: A whole transaction in one event.
    PAYLOAD = auto()
    INCIDENT = auto()
    #: An ignorable event of a type that the replica does not know.
    UNKNOWN = auto()
    #: Known, and ignored by an applier.
    PASSED = auto()


#: The kinds that are part of a transaction: each needs a Gtid event before it if gtid_mode is ON (WL#7592, Stricter
#: checks).
OF_TRANSACTIONS: Final = frozenset(
    {
        Kind.BEGIN,
        Kind.COMMIT,
        Kind.DDL,
        Kind.ATOMIC_CREATE,
        Kind.STATEMENT,
        Kind.PREPARES,
        Kind.ROWS,
        Kind.LAST_ROWS,
        Kind.PAYLOAD,
    }
)

_T: Final = EventType
_ROWS_TYPES: Final = frozenset(
    {
        _T.PRE_GA_WRITE_ROWS,
        _T.PRE_GA_UPDATE_ROWS,
        _T.PRE_GA_DELETE_ROWS,
        _T.WRITE_ROWS_V1,
        _T.UPDATE_ROWS_V1,
        _T.DELETE_ROWS_V1,
        _T.WRITE_ROWS,
        _T.UPDATE_ROWS,
        _T.DELETE_ROWS,
        _T.PARTIAL_UPDATE_ROWS,
        _T.MARIADB_WRITE_ROWS_COMPRESSED_V1,
        _T.MARIADB_UPDATE_ROWS_COMPRESSED_V1,
        _T.MARIADB_DELETE_ROWS_COMPRESSED_V1,
        _T.MARIADB_WRITE_ROWS_COMPRESSED,
        _T.MARIADB_UPDATE_ROWS_COMPRESSED,
        _T.MARIADB_DELETE_ROWS_COMPRESSED,
    }
)
#: The events that hold a statement's text.
_STATEMENTS: Final = frozenset({_T.QUERY, _T.EXECUTE_LOAD_QUERY, _T.MARIADB_QUERY_COMPRESSED})
_KINDS: Final[dict[int, Kind]] = {
    _T.FORMAT_DESCRIPTION: Kind.FORMAT,
    _T.ROTATE: Kind.ROTATE,
    _T.STOP: Kind.STOP,
    _T.PREVIOUS_GTIDS: Kind.PREVIOUS_GTIDS,
    _T.GTID: Kind.GTID,
    _T.ANONYMOUS_GTID: Kind.GTID,
    _T.GTID_TAGGED: Kind.GTID,
    _T.XID: Kind.COMMIT,
    _T.XA_PREPARE: Kind.COMMIT,
    _T.INTVAR: Kind.PREPARES,
    _T.RAND: Kind.PREPARES,
    _T.USER_VAR: Kind.PREPARES,
    _T.TABLE_MAP: Kind.PREPARES,
    _T.ROWS_QUERY: Kind.PREPARES,
    _T.MARIADB_ANNOTATE_ROWS: Kind.PREPARES,
    _T.BEGIN_LOAD_QUERY: Kind.PREPARES,
    _T.APPEND_BLOCK: Kind.PREPARES,
    _T.DELETE_FILE: Kind.PREPARES,
    _T.TRANSACTION_PAYLOAD: Kind.PAYLOAD,
    _T.INCIDENT: Kind.INCIDENT,
}

#: Pattern -> kind, tried in this order. BEGIN and COMMIT are whole statements in upper case, as servers write them.
_PATTERNS: Final = (
    (re.compile(r"BEGIN\Z"), Kind.BEGIN),
    (re.compile(r"XA (START|BEGIN)\b"), Kind.BEGIN),
    (re.compile(r"COMMIT\Z"), Kind.COMMIT),
    (re.compile(r"(?i:ROLLBACK)(?!(?i:\s+(WORK\s+)?TO\b))"), Kind.COMMIT),
    (re.compile(r"(?i:(CREATE|DROP)\s+TEMPORARY)\b"), Kind.STATEMENT),
    (re.compile(r"(?is:CREATE\s+TABLE\b.*\)\s*START TRANSACTION)\b"), Kind.ATOMIC_CREATE),
    (
        re.compile(
            r"(?i:CREATE|ALTER|DROP|RENAME|TRUNCATE|GRANT|REVOKE|OPTIMIZE|REPAIR|ANALYZE|CHECKSUM|INSTALL|UNINSTALL"
            r"|XA COMMIT|XA ROLLBACK|SET PASSWORD|FLUSH)\b"
        ),
        Kind.DDL,
    ),
)


def kind_of(event: ReplicaEvent) -> Kind:
    """Return the kind of an event."""
    if not event.recognised:
        return Kind.UNKNOWN
    if event.type in _STATEMENTS:
        return next((kind for pattern, kind in _PATTERNS if pattern.match(event.query)), Kind.STATEMENT)
    if event.type in _ROWS_TYPES:
        return Kind.LAST_ROWS if event.ends_statement else Kind.ROWS
    if event.type == EventType.MARIADB_GTID:
        return Kind.GTID if event.standalone else Kind.GTID_AND_BEGIN
    return _KINDS.get(event.type, Kind.PASSED)
