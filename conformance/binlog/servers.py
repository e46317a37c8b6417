"""What the servers of each profile write and how they read: one row of a table for each profile.

Post-header lengths and version limits are taken from files and sources of those servers.
"""

from dataclasses import dataclass
from typing import Final, Literal

from conformance.binlog.event_types import MARIADB_TYPES_START, EventType
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.binlog.reader import ReaderRules
from conformance.specs.profiles import PROFILES

GtidForm = Literal["absent", "5.6", "5.7", "8.0", "8.3"]

#: Post-header lengths of type codes 1 to 26 up to MySQL 5.7, and in MariaDB.
_OLD: Final = bytes([56, 13, 0, 8, 0, 18, 0, 4, 4, 4, 4, 18, 0, 0, 84, 0, 4, 26, 8, 0, 0, 0, 8, 8, 8, 2])
#: The same since MySQL 8.0.2, which no longer knows the events of version 3 logs.
_NEW: Final = bytes([0, 13, 0, 8, 0, 0, 0, 0, 4, 0, 4, 0, 0, 0, 98, 0, 4, 26, 8, 0, 0, 0, 8, 8, 8, 2])
#: Rows events of version 1 are gone since MySQL 8.4.
_NEWEST: Final = _NEW[:22] + bytes([0, 0, 0, 2])
#: Type codes 27 to 35: heartbeat, ignorable, Rows_query, rows version 2, Gtid, Anonymous_gtid, Previous_gtids.
_FROM_5_6: Final = bytes([0, 0, 0, 10, 10, 10, 25, 25, 0])
_FROM_5_7: Final = bytes([0, 0, 0, 10, 10, 10, 42, 42, 0, 18, 52, 0])
_FROM_8_0: Final = _FROM_5_7 + bytes([10, 40, 0])
_MARIADB: Final = (
    _OLD
    + bytes([0, 0, 0, 10, 10, 10, 0, 0, 0, 0, 0, 0, 10, 10, 10])
    + bytes(MARIADB_TYPES_START - 42)
    + bytes([0, 4, 19, 4, 0, 13, 8, 8, 8, 10, 10, 10])
)


def with_own_length(lengths: bytes) -> bytes:
    """Return `lengths` with the format description's own (type code 15) set: 57 and one for each type.

    Like every entry it is one byte. Some readers locate the checksum algorithm by it, such as
    mysql-binlog-connector-java.
    """
    return lengths[:14] + bytes([(57 + len(lengths)) & 0xFF]) + lengths[15:]


@dataclass(frozen=True, slots=True)
class Server:
    """A server of one profile.

    Attributes:
        profile: The profile's name.
        version: What the server calls itself in its format description.
        post_header_lengths: The array of its format description, type code 1 at index 0.
        checksums: Whether it can write checksums, and so an algorithm byte.
        gtid_form: The longest form in which it writes Gtid events.
        rows_events: Type codes of its write, update and delete rows events.
        rules: How it reads.
    """

    profile: str
    version: str
    post_header_lengths: bytes
    checksums: bool
    gtid_form: GtidForm
    rows_events: tuple[int, int, int]
    rules: ReaderRules

    @property
    def event_types(self) -> int:
        """The number of event types in its format description."""
        return len(self.post_header_lengths)

    @property
    def is_mariadb(self) -> bool:
        """Whether it is a MariaDB server."""
        return self.profile.startswith("mariadb")


_V1: Final = (int(EventType.WRITE_ROWS_V1), int(EventType.UPDATE_ROWS_V1), int(EventType.DELETE_ROWS_V1))
_V2: Final = (int(EventType.WRITE_ROWS), int(EventType.UPDATE_ROWS), int(EventType.DELETE_ROWS))

#: Before 5.6: no checksums, no ignorable flag, and nothing known beyond the heartbeat.
_BEFORE_IGNORABLE: Final = ReaderRules(
    verify_checksums=False, ignorable=False, known=frozenset(range(1, EventType.HEARTBEAT + 1))
)
_MYSQL: Final = ReaderRules(highest_type=127)
_TO_THE_LETTER: Final = ReaderRules(beyond_format_description=True)

_SERVERS: Final = (
    Server("worklog", "5.7.6-worklog", _OLD + _FROM_5_7, True, "5.7", _V2, _TO_THE_LETTER),
    Server("mysql-5.1", "5.1.73-log", _OLD, False, "absent", _V1, _BEFORE_IGNORABLE),
    Server("mysql-5.5", "5.5.62-log", _OLD + bytes([0]), False, "absent", _V1, _BEFORE_IGNORABLE),
    Server("mysql-5.6", "5.6.51-log", _OLD + _FROM_5_6, True, "5.6", _V2, _MYSQL),
    Server("mysql-5.7", "5.7.44-log", _OLD + _FROM_5_7, True, "5.7", _V2, _MYSQL),
    Server("mysql-8.0", "8.0.43", _NEW + _FROM_8_0, True, "8.0", _V2, _MYSQL),
    Server("mysql-8.4", "8.4.6", _NEWEST + _FROM_8_0 + bytes([0]), True, "8.3", _V2, _MYSQL),
    Server("mysql-9.x", "9.7.4", _NEWEST + _FROM_8_0 + bytes([0]), True, "8.3", _V2, _MYSQL),
    Server("mariadb-10.x", "10.11.18-MariaDB-log", _MARIADB, True, "absent", _V1, ReaderRules()),
    Server("mariadb-11.x", "11.8.6-MariaDB-log", _MARIADB, True, "absent", _V1, ReaderRules()),
)

SERVERS: Final = {
    each.profile: Server(
        each.profile,
        each.version,
        with_own_length(each.post_header_lengths),
        each.checksums,
        each.gtid_form,
        each.rows_events,
        each.rules,
    )
    for each in _SERVERS
}


def server_of(profile: str) -> Server:
    """Return the server of a profile.

    Raises:
        ValueError: There is no such profile.
    """
    if profile not in SERVERS:
        raise ValueError(f"no profile {profile!r}; the profiles are {', '.join(PROFILES)}")
    return SERVERS[profile]


def with_tables_info(post_header_lengths: bytes) -> bytes:
    """Return the array of a server with WL#40's option binlog-with-tables-info: its Query events are extended."""
    before, after = post_header_lengths[: EventType.QUERY - 1], post_header_lengths[EventType.QUERY :]
    return before + bytes([EXTENDED_QUERY_POST_HEADER]) + after
