"""The kinds of event that an applier distinguishes: one kind for each event."""

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from conformance.binlog.event_types import QUERY_TYPES, ROWS_TYPES, EventType, Purpose, types_of
from conformance.binlog.total_table import total
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

#: The kinds of which a group consists.
OF_GROUPS: Final = OF_TRANSACTIONS | {Kind.GTID, Kind.GTID_AND_BEGIN}
#: The kinds of events that a replica skips where they come from itself: 5.7.22, 8.0.15 and 9.7.4 go on after their own
#: Incident, too.
SKIPPED_IF_OWN: Final = OF_GROUPS | {Kind.INCIDENT}

#: The kind of an event by its type; for some the text, the flags or the fields decide.
_KINDS: Final[Mapping[int, Kind]] = total(
    f"{__name__}._KINDS",
    EventType,
    {
        EventType.FORMAT_DESCRIPTION: Kind.FORMAT,
        EventType.ROTATE: Kind.ROTATE,
        EventType.STOP: Kind.STOP,
        EventType.PREVIOUS_GTIDS: Kind.PREVIOUS_GTIDS,
        EventType.INCIDENT: Kind.INCIDENT,
        EventType.VIEW_CHANGE: Kind.PASSED,
    },
    entry="what it means to an applier",
    rest={
        types_of(Purpose.GTID): Kind.GTID,
        types_of(Purpose.CONTEXT): Kind.PREPARES,
        types_of(Purpose.STATEMENT): Kind.STATEMENT,
        types_of(Purpose.ROWS): Kind.ROWS,
        types_of(Purpose.COMMIT): Kind.COMMIT,
        types_of(Purpose.PAYLOAD): Kind.PAYLOAD,
        types_of(Purpose.LOG, Purpose.HEARTBEAT, Purpose.ANNOUNCEMENT, Purpose.NOTE, Purpose.UNMODELLED): Kind.PASSED,
    },
)

_OF_TEMPORARY: Final = re.compile(r"(?i:(CREATE|DROP)\s+TEMPORARY)\b")
#: Pattern -> kind, tried in this order. BEGIN and COMMIT are whole statements in upper case, as servers write them.
_PATTERNS: Final = (
    (re.compile(r"BEGIN\Z"), Kind.BEGIN),
    (re.compile(r"XA (START|BEGIN)\b"), Kind.BEGIN),
    (re.compile(r"COMMIT\Z"), Kind.COMMIT),
    (re.compile(r"(?i:ROLLBACK)(?!(?i:\s+(WORK\s+)?TO\b))"), Kind.COMMIT),
    (_OF_TEMPORARY, Kind.STATEMENT),
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
    if event.type in QUERY_TYPES:
        return next((kind for pattern, kind in _PATTERNS if pattern.match(event.query)), Kind.STATEMENT)
    if event.type in ROWS_TYPES:
        return Kind.LAST_ROWS if event.ends_statement else Kind.ROWS
    if event.type == EventType.MARIADB_GTID:
        return Kind.GTID if event.standalone else Kind.GTID_AND_BEGIN
    return _KINDS.get(event.type, Kind.PASSED)


def concerns_temporary(event: ReplicaEvent) -> bool:
    """Return whether an event creates or drops a temporary table."""
    return event.recognised and event.type in QUERY_TYPES and bool(_OF_TEMPORARY.match(event.query))
