"""What each version of the printing program prints: a table by version.

Sources: the worklogs for `worklog`; for `mysql-9.x` and the MariaDB profiles what mysqlbinlog 9.7.4 and mariadb-binlog
10.11.18 and 11.8.9 print; the versions between them from their sources and manuals.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from conformance.binlog.listing_rules import (
    LISTING_OF_KIT,
    LISTING_OF_MARIADB,
    LISTING_OF_MYSQL,
    OPTIONS,
    OPTIONS_AS_ON,
    ListingRules,
)
from conformance.specs.versions import ByVersion

#: The rest of a Gtid event's header line, and the comments and settings after it.
GtidLines = Literal["commit", "logical", "timestamps"]

_REPLICA_MODE: Final = "/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=1*/;"
_COMPLETION_TYPE: Final = "/*!50003 SET @OLD_COMPLETION_TYPE=@@COMPLETION_TYPE,COMPLETION_TYPE=0*/;"
_COMPLETION_TYPE_BACK: Final = "/*!50003 SET COMPLETION_TYPE=@OLD_COMPLETION_TYPE*/;"
_REPLICA_MODE_BACK: Final = "/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=0*/;"
_ROLLBACK: Final = "ROLLBACK /* added by mysqlbinlog */;"
#: Since 8.0.26.
_ALIAS: Final = (
    "# The proper term is pseudo_replica_mode, but we use this compatibility alias",
    "# to make the statement usable on server versions 8.0.24 and older.",
)


@dataclass(frozen=True, slots=True)
class PrinterVersion:
    """One version of the printing program.

    Attributes:
        opening: The lines before the delimiter is set.
        closing: The lines after ``# End of log file``.
        ends_logs: A log's end, and the start of the next, print lines that close the open transaction and the
            GTID; earlier programs roll back once, at the very end.
        gtid_lines: How Gtid events are printed.
        boundary_types: Header lines show boundary types, and wrong steps give warnings (WL#4162).
        table_maps_wait: The header line of a Table_map is printed at the end of its statement, so that ``# at`` lines
            come one after another.
        rows_wait: The same for the header lines of rows events.
        quotes: Table names in row lines are quoted.
        stored_prefix: The statement of a Rows_query may be stored with the ``# `` that shows it.
        versioned_rows: Rows events of version 1 are named ``Write_rows_v1``.
        all_rows_flags: All flags of a rows event are named, not only STMT_END_F.
        escapes_statements: Control characters of a Rows_query's statement are shown as two; its blank lines are kept.
        query_xid: The header line of a Query shows the transaction number of a DDL statement.
        removed_modes: A comment masks the SQL modes that 8.0 no longer has.
        status_since_8: Status variables 16 to 20 are printed.
        variable_charset: User variables are set after a change to their character set.
        generated_key: A line after a Table_map shows whether the table has a generated invisible primary key.
        charset_three: The name of the character set of three bytes.
        replica_thread: The writer that is printed for a relay log's format description; empty if it is printed as any
            other.
        default_collations: The default collations of character sets, a status variable of MariaDB, are printed.
        gtid_thread: The header line of MariaDB's Gtid event shows the session's thread.
        is_mariadb: Whether it is MariaDB's program.
        listing: What a server of that version does differently in SHOW BINLOG EVENTS.
    """

    opening: tuple[str, ...]
    closing: tuple[str, ...]
    ends_logs: bool = True
    gtid_lines: GtidLines = "timestamps"
    boundary_types: bool = False
    table_maps_wait: bool = False
    rows_wait: bool = False
    quotes: bool = True
    stored_prefix: bool = False
    versioned_rows: bool = True
    all_rows_flags: bool = False
    escapes_statements: bool = False
    query_xid: bool = True
    removed_modes: bool = True
    status_since_8: bool = True
    variable_charset: bool = False
    generated_key: bool = True
    charset_three: str = "utf8mb3"
    replica_thread: str = "replica thread"
    default_collations: bool = False
    gtid_thread: bool = False
    is_mariadb: bool = False
    listing: ListingRules = LISTING_OF_MYSQL


_9: Final = PrinterVersion(
    opening=(*_ALIAS, _REPLICA_MODE, _COMPLETION_TYPE),
    closing=(_COMPLETION_TYPE_BACK, _REPLICA_MODE_BACK),
    all_rows_flags=True,
    escapes_statements=True,
    variable_charset=True,
)
#: 8.0.15 lists one flag of rows, 9.7.4 all; the servers between them are not known.
_LISTING_BEFORE_9: Final = replace(LISTING_OF_MYSQL, all_rows_flags=False)
_8_0_26: Final = replace(_9, all_rows_flags=False, escapes_statements=False, listing=_LISTING_BEFORE_9)
_LISTING_BEFORE_8_0_30: Final = replace(_LISTING_BEFORE_9, charset_three="utf8")
_8_0: Final = replace(_8_0_26, opening=(_REPLICA_MODE, _COMPLETION_TYPE), listing=_LISTING_BEFORE_8_0_30)
_5_7: Final = replace(
    _8_0,
    gtid_lines="logical",
    query_xid=False,
    removed_modes=False,
    status_since_8=False,
    variable_charset=False,
    generated_key=False,
    charset_three="utf8",
    replica_thread="slave thread",
)
_5_6: Final = replace(
    _5_7,
    opening=(_REPLICA_MODE, "/*!40019 SET @@session.max_insert_delayed_threads=0*/;", _COMPLETION_TYPE),
    closing=(_ROLLBACK, _COMPLETION_TYPE_BACK, _REPLICA_MODE_BACK),
    ends_logs=False,
    gtid_lines="commit",
    listing=replace(_LISTING_BEFORE_8_0_30, unknown_type="Ignorable", widens_file_id=False),
)
_5_5: Final = replace(
    _5_6,
    table_maps_wait=True,
    rows_wait=True,
    quotes=False,
    versioned_rows=False,
    listing=replace(_LISTING_BEFORE_8_0_30, backtick="`", cuts_statements=False, widens_file_id=False),
)
_5_1: Final = replace(
    _5_5,
    opening=("/*!40019 SET @@session.max_insert_delayed_threads=0*/;", _COMPLETION_TYPE),
    closing=(_ROLLBACK, _COMPLETION_TYPE_BACK),
)
#: The program that the worklogs describe: 5.6 before its release, with what WL#7592 and WL#4162 change.
_WORKLOG: Final = replace(_5_5, gtid_lines="logical", boundary_types=True, stored_prefix=True, listing=LISTING_OF_KIT)
_LISTING_OF_MARIADB_11: Final = replace(LISTING_OF_MARIADB, empty_in_digits=False)
#: Debian's builds list the double -0.0 so. Those of 10.1.23, 10.2.11 and 11.4.5 at hand are not Debian's.
_LISTING_OF_DEBIAN: Final = replace(_LISTING_OF_MARIADB_11, negative_zero="0")
_LISTING_OF_MARIADB_10_2: Final = replace(
    _LISTING_OF_MARIADB_11,
    sorts_gtid_list=False,
    charset_three="utf8",
    later_gtid_flags=False,
)
_MARIADB: Final = replace(
    _5_6,
    opening=(_REPLICA_MODE, "/*!40019 SET @@session.max_delayed_threads=0*/;", _COMPLETION_TYPE),
    charset_three="utf8mb3",
    replica_thread="",
    rows_wait=True,
    versioned_rows=False,
    is_mariadb=True,
)
#: What 11.8.9 prints; the programs after 10.11.18 and before it are not known.
_MARIADB_11: Final = replace(_MARIADB, default_collations=True, gtid_thread=True)

#: The program that servers are shipped with.
PRINTER_VERSIONS: Final = ByVersion(
    "printing programs",
    {
        "worklog": _WORKLOG,
        "mysql": _5_1,
        "mysql >= 5.5": _5_5,
        "mysql >= 5.6": _5_6,
        "mysql >= 5.7": _5_7,
        "mysql >= 8.0": _8_0,
        "mysql >= 8.0.26": replace(_8_0_26, listing=_LISTING_BEFORE_8_0_30),
        "mysql >= 8.0.30": _8_0_26,
        "mysql >= 9.0": _9,
        "mariadb": replace(_MARIADB, listing=_LISTING_OF_MARIADB_10_2),
        # 10.2.11 lists no options, 10.11.18 does; the servers between them are not known.
        "mariadb >= 10.11": replace(_MARIADB, listing=replace(_LISTING_OF_DEBIAN, options=OPTIONS)),
        "mariadb >= 11.0": replace(_MARIADB, listing=replace(_LISTING_OF_MARIADB_11, options=OPTIONS_AS_ON)),
        "mariadb >= 11.8": replace(_MARIADB_11, listing=replace(LISTING_OF_MARIADB, options=OPTIONS_AS_ON)),
        # 11.8.6 lists an empty string as digits, 11.8.9 does not; the servers between them are not known.
        "mariadb >= 11.8.9": replace(_MARIADB_11, listing=replace(_LISTING_OF_DEBIAN, options=OPTIONS_AS_ON)),
    },
)
