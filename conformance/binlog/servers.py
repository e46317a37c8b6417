"""What the servers of each profile write and how they read: a table for each fact, by version.

Post-header lengths and version limits are taken from files and sources of those servers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from conformance.binlog.event_types import KNOWN_TYPES, MARIADB_TYPES_START, ROWS_V1, ROWS_V2, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import BEFORE_LENGTHS
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.binlog.reader import ReaderRules
from conformance.specs.profiles import profile_named
from conformance.specs.versions import ByVersion, Profiles

GtidForm = Literal["absent", "5.6", "5.7", "8.0", "8.3"]

#: Post-header lengths of type codes 1 to 26 up to MySQL 5.7, and in MariaDB.
_OLD: Final = bytes([56, 13, 0, 8, 0, 18, 0, 4, 4, 4, 4, 18, 0, 0, 84, 0, 4, 26, 8, 0, 0, 0, 8, 8, 8, 2])
#: The same since MySQL 8.0.2, which no longer knows the events of version 3 logs.
_NEW: Final = bytes([0, 13, 0, 8, 0, 0, 0, 0, 4, 0, 4, 0, 0, 0, 98, 0, 4, 26, 8, 0, 0, 0, 8, 8, 8, 2])
#: Rows events of version 1 are gone since what became MySQL 8.4.
_NEWEST: Final = _NEW[:22] + bytes([0, 0, 0, 2])
#: Type codes 27 to 35: heartbeat, ignorable, Rows_query, rows version 2, Gtid, Anonymous_gtid, Previous_gtids.
_FROM_5_6: Final = bytes([0, 0, 0, 10, 10, 10, 25, 25, 0])
_FROM_5_7: Final = bytes([0, 0, 0, 10, 10, 10, 42, 42, 0, 18, 52, 0])
#: With Partial_update_rows.
_FROM_8_0: Final = _FROM_5_7 + bytes([10])
#: With Transaction_payload and Heartbeat_v2.
_FROM_8_0_26: Final = _FROM_8_0 + bytes([40, 0])
_MARIADB: Final = (
    _OLD
    + bytes([0, 0, 0, 10, 10, 10, 0, 0, 0, 0, 0, 0, 10, 10, 10])
    + bytes(MARIADB_TYPES_START - 42)
    + bytes([0, 4, 19, 4, 0, 13, 8, 8, 8, 10, 10, 10])
)


#: The most event types that a format description can declare: its own post-header length is one byte too.
MOST_EVENT_TYPES: Final = 0xFF - BEFORE_LENGTHS


def with_own_length(lengths: bytes) -> bytes:
    """Return `lengths` with the format description's own (type code 15) set: 57 and one for each type.

    Like every entry it is one byte. Some readers locate the checksum algorithm by it, such as
    mysql-binlog-connector-java.

    Raises:
        ValueError: There are more types than that byte can count.
    """
    if len(lengths) > MOST_EVENT_TYPES:
        raise ValueError(f"{len(lengths)} event types are too many: a format description declares {MOST_EVENT_TYPES}")
    return lengths[:14] + bytes([BEFORE_LENGTHS + len(lengths)]) + lengths[15:]


#: Before 5.6: no checksums, no ignorable flag, and nothing known beyond the heartbeat.
_BEFORE_IGNORABLE: Final = ReaderRules(
    verify_checksums=False, ignorable=False, known=frozenset(range(1, EventType.HEARTBEAT + 1))
)


def _knows_up_to(last: EventType, *, without: Iterable[EventType] = ()) -> ReaderRules:
    """Return how a MySQL server since 5.6 reads which knows the types of MySQL up to `last`."""
    known = frozenset(each for each in KNOWN_TYPES if each <= last).difference(without)
    return ReaderRules(highest_type=127, known=known)


#: What a server calls itself in its format description, around its version.
_NAMES: Final = ByVersion(
    "servers' names",
    {"worklog": "5.7.6-worklog", "mysql": "{}-log", "mysql >= 8.0": "{}", "mariadb": "{}-MariaDB-log"},
)
POST_HEADER_LENGTHS: Final = ByVersion(
    "post-header lengths",
    {
        "worklog": _OLD + _FROM_5_7,
        "mysql": _OLD,
        "mysql >= 5.5": _OLD + bytes([0]),
        "mysql >= 5.6": _OLD + _FROM_5_6,
        "mysql >= 5.7": _OLD + _FROM_5_7,
        "mysql >= 8.0": _NEW + _FROM_8_0,
        "mysql >= 8.0.20": _NEW + _FROM_8_0_26[:-1],
        "mysql >= 8.0.26": _NEW + _FROM_8_0_26,
        "mysql >= 8.3": _NEWEST + _FROM_8_0_26 + bytes([0]),
        # 10.1.23 declares none of MySQL's types after 38, and no compressed events.
        "mariadb": with_own_length(_MARIADB[:38] + bytes(3) + _MARIADB[41:164]),
        "mariadb >= 10.2": _MARIADB,
    },
)
GTID_FORMS: Final = ByVersion[GtidForm](
    "the forms of Gtid events",
    {
        "worklog": "5.7",
        "mysql": "absent",
        "mysql >= 5.6": "5.6",
        "mysql >= 5.7": "5.7",
        "mysql >= 8.0": "8.0",
        "mysql >= 8.3": "8.3",
        "mariadb": "absent",
    },
)
ROWS_EVENTS: Final = ByVersion(
    "rows events", {"worklog": ROWS_V2, "mysql": ROWS_V1, "mysql >= 5.6": ROWS_V2, "mariadb": ROWS_V1}
)
READER_RULES: Final = ByVersion(
    "the rules of readers",
    {
        "worklog": ReaderRules(beyond_format_description=True),
        "mysql": _BEFORE_IGNORABLE,
        # 5.6.24 stops at XA_prepare, 5.7.22 at Partial_update_rows, 9.7.4 at rows events of version 1.
        "mysql >= 5.6": _knows_up_to(EventType.PREVIOUS_GTIDS),
        "mysql >= 5.7": _knows_up_to(EventType.XA_PREPARE),
        "mysql >= 8.0": _knows_up_to(EventType.PARTIAL_UPDATE_ROWS),
        "mysql >= 8.0.20": _knows_up_to(EventType.TRANSACTION_PAYLOAD),
        "mysql >= 8.0.26": _knows_up_to(EventType.HEARTBEAT_V2),
        "mysql >= 8.3": _knows_up_to(EventType.GTID_TAGGED, without=ROWS_V1),
        "mysql >= 9.0": _knows_up_to(EventType.LARGE_TRANSACTION_HEADER, without=ROWS_V1),
        "mariadb": ReaderRules(),
    },
)
#: The servers that can write checksums.
WITH_CHECKSUMS: Final = Profiles("worklog", "mysql >= 5.6", "mariadb")
#: The servers that can compress statements and rows: log_bin_compress came with MariaDB 10.2.3.
WITH_COMPRESSED_EVENTS: Final = Profiles("mariadb >= 10.2.3")
#: The servers that have the ignorable flag.
WITH_IGNORABLE_FLAG: Final = READER_RULES.where(lambda rules: rules.ignorable)
#: Those that handle events of the types that they know whatever the flag; MariaDB passes over every flagged event.
WITH_FLAG_OF_UNKNOWN_TYPES: Final = Profiles("worklog", "mysql >= 5.6")
#: The servers that write Gtid events of MySQL, and those that begin every group with a Gtid or Anonymous_gtid event.
WITH_GTIDS: Final = GTID_FORMS.where(lambda form: form != "absent")
WITH_ANONYMOUS_GTIDS: Final = GTID_FORMS.where(lambda form: form not in ("absent", "5.6"))
#: Those that write the length of a transaction into its Gtid event, and those that write their version.
WITH_TRANSACTION_LENGTHS: Final = Profiles("mysql >= 8.0.2")
WITH_SERVER_VERSIONS: Final = Profiles("mysql >= 8.0.14")
#: The servers known to write the ticket of a commit group into Gtid events.
WITH_COMMIT_TICKETS: Final = Profiles("mysql >= 8.0.43")
#: The servers that log with the server id 0 if they are given it: 5.7.22, 8.0.15 and 9.7.4 do; 5.5.9, 5.6.24 and
#: MariaDB 10.1.23 to 11.8.9 take 1 instead.
WITH_SERVER_ID_ZERO: Final = Profiles("mysql >= 5.7")
#: The servers known to give what is inside a transaction, between its Gtid event and its end, the log_pos 0: 11.4.5 and
#: 11.8.9 do, 10.11.18 does not.
WITHOUT_POSITIONS_INSIDE: Final = Profiles("mariadb >= 11.4")
#: The servers that have the option binlog_rows_query_log_events.
WITH_ROWS_QUERIES: Final = Profiles("worklog", "mysql >= 5.6")
#: Of these, those that write the NULs of a statement, as 9.7.4 does; 5.6.24 and 8.0.15 end the text before the first.
WITH_NULS_IN_ROWS_QUERIES: Final = Profiles("mysql >= 9.0")
#: The servers with rows events of version 2 that can write version 1 too (log_bin_use_v1_row_events).
WITH_BOTH_ROWS_EVENTS: Final = Profiles("mysql >= 5.6, < 8.3")
#: The servers whose rows events may lack columns (binlog_row_image).
WITH_ROW_IMAGES: Final = Profiles("worklog", "mysql >= 5.6", "mariadb")
#: The servers that fill the last byte of a bitmap of NULLs with zeros; the others fill it with ones.
WITH_ZERO_FILLED_BITMAPS: Final = Profiles("mysql >= 8.0")
#: The servers whose Table_map events have metadata, such as the sign of integers, which readers cannot know otherwise.
WITH_TABLE_METADATA: Final = Profiles("mysql >= 8.0")
#: Servers whose rows events have the number of the partition, as 9.7.4 writes it and 8.0.15 does not (WL#12168).
WITH_PARTITION_IDS: Final = Profiles("mysql >= 8.0.16")
#: The servers whose columns of times have fractions of seconds.
WITH_FRACTIONS: Final = Profiles("worklog", "mysql >= 5.6", "mariadb")
WITHOUT_FRACTIONS: Final = Profiles("mysql < 5.6")
#: The servers whose Table_map events have the flag that the lengths of BIT columns are exact.
WITH_EXACT_BITS: Final = Profiles("worklog", "mysql >= 5.5", "mariadb")
#: The servers whose TIMESTAMP ends in 2106, not in 2038: 11.8.6 stores such values, 11.4.5 does not.
WITH_LATE_TIMESTAMPS: Final = Profiles("mariadb >= 11.5")
WITH_JSON: Final = Profiles("mysql >= 5.7")
WITH_VECTORS: Final = Profiles("mysql >= 9.0")
#: The servers whose User_var events hold whether an integer has a sign.
WITH_VARIABLE_FLAGS: Final = Profiles("worklog", "mysql >= 5.6", "mariadb")
#: The servers whose format description has the heartbeat.
WITH_HEARTBEAT: Final = POST_HEADER_LENGTHS.where(lambda lengths: len(lengths) >= EventType.HEARTBEAT)
#: The servers that log an Incident as a transaction, as 5.7.22, 8.0.15 and 9.7.4 do: after a Gtid or Anonymous_gtid.
#: 5.5.9, 5.6.24 (with GTIDs, too) and MariaDB 10.1 to 11.8 log it alone; by WL#4162 it is Self Contained.
WITH_INCIDENT_TRANSACTIONS: Final = Profiles("mysql >= 5.7")
WITH_GROUP_REPLICATION: Final = Profiles("mysql >= 5.7")
WITH_XA_PREPARE: Final = Profiles("mysql >= 5.7", "mariadb >= 10.5")
WITH_PAYLOADS: Final = Profiles("mysql >= 8.0.20")
WITH_HEARTBEAT_V2: Final = Profiles("mysql >= 8.0.26")
WITH_TAGGED_GTIDS: Final = Profiles("mysql >= 8.3")
WITH_LARGE_TRANSACTIONS: Final = Profiles("mysql >= 9.0")
#: The statements, by their first words, whose Query events have the flag SUPPRESS_USE: they need no default database.
#: Logs of 5.1.34 and 5.1.43 differ in BEGIN and COMMIT, those of 5.1.43 and 5.5.9 in savepoints.
_DATABASES: Final = ("CREATE DATABASE", "DROP DATABASE", "CREATE SCHEMA", "DROP SCHEMA")
_TRANSACTIONS: Final = (*_DATABASES, "BEGIN", "COMMIT", "ROLLBACK")
#: More characters than the longest of these words have.
_FIRST_WORDS: Final = 20
_SUPPRESSING_USE: Final = ByVersion(
    "statements with the flag SUPPRESS_USE",
    {
        "worklog": (*_TRANSACTIONS, "SAVEPOINT", "XA"),
        "mysql": _DATABASES,
        "mysql >= 5.1.37": _TRANSACTIONS,
        "mysql >= 5.5": (*_TRANSACTIONS, "SAVEPOINT", "XA"),
        "mariadb": (*_TRANSACTIONS, "SAVEPOINT", "XA"),
    },
)


def use_flag(profile: str, statement: str) -> int:
    """Return the flag SUPPRESS_USE if servers of a profile set it in the Query event of a statement, else 0."""
    words = _SUPPRESSING_USE[profile]
    # A statement may be long, and its first words are not.
    upper = f"{statement[:_FIRST_WORDS]} ".upper()
    return int(Flag.SUPPRESS_USE) if any(upper.startswith(f"{each} ") for each in words) else 0


@dataclass(frozen=True, slots=True)
class Server:
    """A server of one profile, in the release that its name stands for.

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
    def version_number(self) -> int:
        """Its version as Gtid events have it, such as 80043."""
        major, minor, patch = profile_named(self.profile).last
        return major * 10_000 + minor * 100 + patch

    @property
    def is_mariadb(self) -> bool:
        """Whether it is a MariaDB server."""
        return self.profile.startswith("mariadb")

    @property
    def reads_rows_v1(self) -> bool:
        """Whether it knows rows events of version 1."""
        return EventType.WRITE_ROWS_V1 in self.rules.known


@cache
def server_of(profile: str) -> Server:
    """Return the server of a profile.

    Raises:
        ValueError: There is no such profile.
    """
    release = ".".join(map(str, profile_named(profile).last))
    return Server(
        profile=profile,
        version=_NAMES[profile].format(release),
        post_header_lengths=with_own_length(POST_HEADER_LENGTHS[profile]),
        checksums=profile in WITH_CHECKSUMS,
        gtid_form=GTID_FORMS[profile],
        rows_events=ROWS_EVENTS[profile],
        rules=READER_RULES[profile],
    )


def with_tables_info(post_header_lengths: bytes) -> bytes:
    """Return the array of a server with WL#40's option binlog-with-tables-info: its Query events are extended."""
    before, after = post_header_lengths[: EventType.QUERY - 1], post_header_lengths[EventType.QUERY :]
    return before + bytes([EXTENDED_QUERY_POST_HEADER]) + after
