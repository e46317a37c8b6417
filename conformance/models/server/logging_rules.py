"""What the servers of each profile do in their own way when they log: a table by version.

Sources: the worklogs for `worklog`; for the others the shipped servers, and real runs of MySQL 5.5.9, 5.6.24, 5.7.22,
8.0.15 and 9.7.4 and of MariaDB 10.1.23, 10.2.11, 10.11.18, 11.4.5, 11.8.6 and 11.8.9.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from conformance.binlog.flags import Flag
from conformance.models.server.settings import Settings
from conformance.specs.versions import ByVersion

#: Which transactions have a Gtid event: none, those with a GTID, or every one (Anonymous_gtid if it has none).
GtidEvents = Literal["never", "numbered", "always", "mariadb"]
#: CREATE TABLE ... SELECT in row format: one transaction; two; one with START TRANSACTION in the CREATE.
CreateSelect = Literal["one", "two", "atomic"]
#: The class of a table in a DROP TABLE; `plain` ones are not transactional, `missing` ones do not exist.
DropClass = Literal["temporary-plain", "temporary-transactional", "base-plain", "base-transactional", "missing"]
#: When a failed DROP DATABASE with a given GTID is an error and logs nothing; with `one-group` never: its statements
#: are one group under one GTID, given or not.
PartialDrop = Literal["several-statements", "any-statement", "one-group"]
#: How DROP TEMPORARY TABLE IF EXISTS logs a table that does not exist: not at all, with the transactional
#: temporary ones, or with those that are logged first.
MissingTemporary = Literal["not", "transactional", "first"]
#: GTID_NEXT: a GTID that was not used up yet, or anything but AUTOMATIC.
ImplicitCommit = Literal["given", "set"]
#: Table_map events without rows: see `LoggingRules.lone_maps`.
LoneMaps = Literal["always", "within", "never"]
#: How a session with temporary tables can change binlog_format: freely, not from ROW to STATEMENT, or not at all.
FormatWithTemporary = Literal["free", "not-to-statement", "fixed"]


_TEMPORARY_THEN_BASE: Final[tuple[tuple[DropClass, ...], ...]] = (
    ("temporary-plain",),
    ("temporary-transactional",),
    ("base-plain", "base-transactional", "missing"),
)
#: WL#7592, plan 13.1: tables of one type, by being transactional and temporary, are dropped together.
_BY_TYPE: Final[tuple[tuple[DropClass, ...], ...]] = (
    ("temporary-plain",),
    ("temporary-transactional",),
    ("base-plain",),
    ("base-transactional", "missing"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggingRules:
    """How servers log from one version on.

    Attributes:
        gtid_events: Which transactions have a Gtid event.
        anonymous_flags: The flags of an Anonymous_gtid event, unless gtid_next asked for it.
        previous_gtids_flags: The flags of a Previous_gtids event.
        previous_gtids_always: Whether every log has one; else only logs begun with gtid_mode=ON.
        create_select: How CREATE TABLE ... SELECT is logged in row format, with an engine with atomic DDL.
        create_select_refused_first: Whether GTID consistency refuses a CREATE TABLE ... SELECT before it commits what
            is open.
        create_takes_part: Whether a transactional engine takes part in a CREATE TABLE ... SELECT without rows too, so
            that an Xid event ends it.
        drop_groups: The order in which the tables of a DROP TABLE are logged, with those of one statement together.
        drop_by_class: Whether a DROP TABLE names its tables by class, and not in the order of the statement.
        drop_plain_alone: Whether each base table without atomic DDL is dropped by a statement of its own.
        drop_suffix: The text that the server puts after a DROP that it writes itself.
        drop_limit: A DROP TABLE of a failed DROP DATABASE is shorter than this, in bytes.
        partial_drop: When a failed DROP DATABASE with a given GTID is an error.
        partial_drop_words: What the statements begin with that log the tables which a failed DROP DATABASE removed.
        atomic_ddl: Whether DDL on transactional engines is atomic.
        unlogged_temporary_dropped: Whether the drop of a temporary table is logged if its creation was not.
        unlogged_temporary_ended: The same for the drop at the end of a session.
        uncertain_temporary_dropped: Whether the drop of a temporary table is logged with IF EXISTS in row format, in
            which the table's creation is not logged.
        missing_temporary: How DROP TEMPORARY TABLE IF EXISTS logs a table that does not exist.
        format_with_temporary: How a session with temporary tables can change binlog_format.
        temporary_follow_mixed: Whether temporary tables are not logged with MIXED, as with ROW.
        temporary_keep_rows: Whether a session that logged rows with MIXED goes on with rows as long as it has temporary
            tables.
        plain_temporary_at_once: Whether creating or dropping a non-transactional temporary table inside a transaction
            is logged before that transaction, as long as nothing else was logged in it.
        plain_keeps_transaction: Whether, in statement format, a transaction that changed a non-transactional table is
            logged when it is rolled back, even if that change was logged before it.
        plain_keeps_savepoints: Whether ROLLBACK TO is logged, and drops nothing, after any change of a
            non-transactional table, even one that was logged before the transaction.
        plain_keeps_beginning: Whether a rollback to a savepoint that came before anything was logged is itself logged
            after any change of a non-transactional table; else as the rollback of the transaction would be.
        savepoint_withdrawn: Whether a rollback to a savepoint drops the SAVEPOINT too.
        begins_in_last_default: Whether BEGIN has the session's default database at the end of the transaction; else
            that at its first statement.
        temporary_keeps_transaction: Whether a transaction that created or dropped a temporary table is logged when it
            is rolled back, even if the table is not.
        plain_drop_apart: Whether, in row format, the drop of a non-transactional temporary table is logged before the
            open transaction, even if that has been logged in part.
        idle_join_apart: Whether an UPDATE of two transactional tables that changes no row is, as a statement, logged
            before the open transaction, as long as nothing else was logged in it.
        idle_update_of_plain: Whether the UPDATE of an empty non-transactional table is logged.
        engines_apart: Whether the rows that one statement changes in transactional and non-transactional tables are
            two transactions outside a transaction too; inside one they always are.
        text_with_plain: Whether the statement's text comes before the rows of the non-transactional tables; else
            before those of the first table.
        lone_maps: When a statement that changes rows of tables of one kind alone, transactional or not, also logs the
            Table_map events of its tables of the other kind: always, only after other events of the open transaction,
            or never.
        checksum_table: Whether CHECKSUM TABLE is logged.
        rand_is_unsafe: Whether RAND() makes a statement unsafe, which decides in MIXED.
        rand_is_unsafe_in_create: The same for CREATE TABLE ... SELECT alone.
        numbered_select_is_unsafe: Whether INSERT ... SELECT into a table with an auto-increment column is unsafe.
        numbers_kept: Whether InnoDB keeps the next number of AUTO_INCREMENT over a restart; else it is one more than
            the largest in the table.
        needless_create: Whether CREATE TABLE IF NOT EXISTS of a table that exists is logged.
        needless_like: The same for one like a temporary table where its columns are logged instead.
        disconnect_by_engine: Whether the temporary tables of a session that ends are also separated by engine.
        disconnect_drops_first: Whether they are dropped before the transaction that was open is rolled back.
        use_needs_gtid_next: Whether USE is refused too after a given GTID was used up.
        implicit_commit: With which GTID_NEXT a statement that would commit an open transaction is refused.
        owns_anonymous: Whether a session with GTID_NEXT=ANONYMOUS must use it up, as a GTID, before it sets another.
        purged_in_log: Whether GTIDs that are declared as purged begin a log, which names them; else they are in none.
        purged_grows: Whether gtid_purged may be set after GTIDs were executed, to those that it has and others that
            were not.
        renamed_missing: The number of the error of RENAME TABLE for a table that does not exist.
        rows_query_prefix: The text before the statement in a Rows_query event.
    """

    gtid_events: GtidEvents
    anonymous_flags: int = 0
    previous_gtids_flags: int = int(Flag.IGNORABLE)
    previous_gtids_always: bool = True
    create_select: CreateSelect = "two"
    create_select_refused_first: bool = False
    create_takes_part: bool = False
    drop_groups: tuple[tuple[DropClass, ...], ...] = _TEMPORARY_THEN_BASE
    drop_by_class: bool = False
    drop_plain_alone: bool = False
    drop_suffix: str = " /* generated by server */"
    drop_limit: int = 1024
    partial_drop: PartialDrop = "any-statement"
    partial_drop_words: str = "DROP TABLE IF EXISTS "
    atomic_ddl: bool = False
    unlogged_temporary_dropped: bool = False
    unlogged_temporary_ended: bool = False
    uncertain_temporary_dropped: bool = False
    missing_temporary: MissingTemporary = "transactional"
    format_with_temporary: FormatWithTemporary = "free"
    temporary_follow_mixed: bool = False
    temporary_keep_rows: bool = False
    plain_temporary_at_once: bool = True
    plain_keeps_transaction: bool = False
    plain_keeps_savepoints: bool = False
    plain_keeps_beginning: bool = False
    savepoint_withdrawn: bool = False
    begins_in_last_default: bool = False
    temporary_keeps_transaction: bool = False
    plain_drop_apart: bool = False
    idle_join_apart: bool = False
    idle_update_of_plain: bool = True
    engines_apart: bool = True
    text_with_plain: bool = False
    lone_maps: LoneMaps = "never"
    checksum_table: bool = False
    rand_is_unsafe: bool = True
    rand_is_unsafe_in_create: bool = False
    numbered_select_is_unsafe: bool = True
    numbers_kept: bool = True
    needless_create: bool = True
    needless_like: bool = True
    disconnect_by_engine: bool = True
    disconnect_drops_first: bool = False
    use_needs_gtid_next: bool = False
    implicit_commit: ImplicitCommit = "given"
    owns_anonymous: bool = True
    purged_in_log: bool = False
    purged_grows: bool = False
    renamed_missing: int = 1146
    rows_query_prefix: str = ""


#: Up to 5.7 the drop of a temporary table is logged in every format.
_FROM_5_7: Final = LoggingRules(
    gtid_events="always",
    lone_maps="always",
    unlogged_temporary_dropped=True,
    unlogged_temporary_ended=True,
    uncertain_temporary_dropped=True,
    missing_temporary="first",
    format_with_temporary="not-to-statement",
    temporary_keep_rows=True,
    numbers_kept=False,
    renamed_missing=1017,
)
_FROM_5_6: Final = replace(
    _FROM_5_7,
    gtid_events="numbered",
    previous_gtids_flags=0,
    previous_gtids_always=False,
    create_select="one",
    create_select_refused_first=True,
    partial_drop="one-group",
    use_needs_gtid_next=True,
    implicit_commit="set",
    owns_anonymous=False,
    idle_join_apart=True,
    purged_in_log=True,
)
_FROM_5_1: Final = replace(
    _FROM_5_6,
    gtid_events="never",
    create_takes_part=True,
    missing_temporary="transactional",
    disconnect_by_engine=False,
    partial_drop_words="drop table ",
    plain_keeps_transaction=True,
    plain_keeps_savepoints=True,
    savepoint_withdrawn=True,
    begins_in_last_default=True,
    temporary_keeps_transaction=True,
    plain_drop_apart=True,
    numbered_select_is_unsafe=False,
)
_FROM_8_0: Final = LoggingRules(
    gtid_events="always",
    lone_maps="always",
    missing_temporary="not",
    drop_groups=(
        ("base-plain",),
        ("base-transactional", "missing"),
        ("temporary-plain",),
        ("temporary-transactional",),
    ),
    drop_by_class=True,
    drop_plain_alone=True,
    atomic_ddl=True,
    format_with_temporary="fixed",
    temporary_follow_mixed=True,
    purged_grows=True,
)
_MARIADB: Final = LoggingRules(
    gtid_events="mariadb",
    missing_temporary="not",
    uncertain_temporary_dropped=True,
    format_with_temporary="not-to-statement",
    temporary_keep_rows=True,
    previous_gtids_always=False,
    create_select="one",
    rand_is_unsafe=False,
    rand_is_unsafe_in_create=True,
    needless_create=False,
    needless_like=False,
    plain_keeps_transaction=True,
    plain_keeps_savepoints=True,
    plain_keeps_beginning=True,
    temporary_keeps_transaction=True,
    plain_drop_apart=True,
    idle_join_apart=True,
    disconnect_by_engine=False,
    disconnect_drops_first=True,
    engines_apart=False,
    text_with_plain=True,
    lone_maps="within",
)
_MARIADB_10_0: Final = replace(
    _MARIADB,
    lone_maps="always",
    unlogged_temporary_ended=True,
    create_takes_part=True,
    needless_create=True,
    missing_temporary="transactional",
    text_with_plain=False,
)

RULES: Final = ByVersion(
    "the rules of logging",
    {
        "worklog": LoggingRules(
            gtid_events="always",
            anonymous_flags=int(Flag.IGNORABLE),
            drop_groups=_BY_TYPE,
            drop_suffix="",
            partial_drop="several-statements",
            plain_temporary_at_once=False,
            checksum_table=True,
            rows_query_prefix="# ",
        ),
        "mysql": replace(_FROM_5_1, drop_suffix=""),
        "mysql >= 5.5": _FROM_5_1,
        # Bug #50440; 5.5.9 still logs the statement.
        "mysql >= 5.5.22": replace(_FROM_5_1, numbered_select_is_unsafe=True),
        "mysql >= 5.6": _FROM_5_6,
        "mysql >= 5.7": _FROM_5_7,
        "mysql >= 8.0": _FROM_8_0,
        "mysql >= 8.0.21": replace(_FROM_8_0, create_select="atomic"),
        "mariadb": replace(_MARIADB_10_0, numbers_kept=False),
        "mariadb >= 10.2.4": _MARIADB_10_0,
        "mariadb >= 10.11": _MARIADB,
        # What 10.11.18 and 11.8.6 do with texts came after 11.4.5.
        "mariadb >= 11.0": replace(_MARIADB, idle_update_of_plain=False, text_with_plain=False),
        "mariadb >= 11.8": replace(_MARIADB, idle_update_of_plain=False),
    },
)

#: The worklog's server before WL#7592, for `Settings.before_wl7592`.
BEFORE_WL7592: Final = LoggingRules(
    gtid_events="numbered",
    previous_gtids_always=False,
    create_select="one",
    drop_groups=_BY_TYPE,
    drop_suffix="",
    partial_drop="several-statements",
    rows_query_prefix="# ",
    plain_temporary_at_once=False,
)


def rules_of(settings: Settings) -> LoggingRules:
    """Return how a server with these settings logs."""
    return BEFORE_WL7592 if settings.before_wl7592 else RULES[settings.profile]
