"""The mutants of the role `log` of what a server must refuse: modes, sets, and settings in transactions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.gtid_set import GtidSet
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.session import Session
from conformance.models.server.statements import (
    CreateDatabase,
    CreateTableLike,
    CreateTableSelect,
    DropDatabase,
    InsertGtids,
    PurgeLogs,
    SetGlobal,
    SetGtidPurged,
    SetSession,
    SetVariable,
)
from conformance.mutants.log.faults import other_rules
from conformance.mutants.log.refused_statements import around, back, hide_transaction
from conformance.mutants.mutant import Mutant


def _hide_from(variable: str) -> Callable[[SourceServer, Session, SetVariable], Any]:
    """Return what hides the open transaction while a variable is set."""

    def hide(server: SourceServer, session: Session, statement: SetVariable) -> Any:
        kept = session.transaction
        session.transaction = None if statement.variable == variable else kept
        return kept

    return hide


def _free_anonymous(server: SourceServer, session: Session, statement: SetGlobal) -> dict[int, bool]:
    """Let no session have the right to be anonymous while gtid_mode is set."""
    kept = {number: each.owns_anonymous for number, each in server.sessions.items()}
    for each in server.sessions.values():
        each.owns_anonymous &= statement.variable != "gtid_mode"
    return kept


def _restore_anonymous(server: SourceServer, session: Session, statement: SetGlobal, kept: dict[int, bool]) -> None:
    for number, owns in kept.items():
        server.sessions[number].owns_anonymous = owns


def _free_gtids(server: SourceServer, session: Session, statement: SetGlobal) -> dict[int, str]:
    """Let no session have a given GTID while gtid_mode is set."""
    kept = {number: each.gtid_next for number, each in server.sessions.items()}
    if statement.variable == "gtid_mode":
        for each in server.sessions.values():
            each.gtid_next = "AUTOMATIC"
    return kept


def _restore_gtids(server: SourceServer, session: Session, statement: SetGlobal, kept: dict[int, str]) -> None:
    for number, gtid_next in kept.items():
        server.sessions[number].gtid_next = gtid_next


def _enforce(server: SourceServer, session: Session, statement: SetGlobal) -> None:
    """Have consistency enforced wherever gtid_mode is set to ON."""
    if (statement.variable, statement.value) == ("gtid_mode", "ON"):
        server.settings = replace(server.settings, enforce_gtid_consistency=True)


def _declare(server: SourceServer, session: Session, statement: SetGtidPurged) -> None:
    server.declare_purged(GtidSet.from_text(statement.gtids))


def _purge_all(server: SourceServer, session: Session, statement: PurgeLogs) -> None:
    if all(log.number != statement.to for log in server.logs):
        server.purge(server.log.number)


def _is_there(server: SourceServer, session: Session, statement: CreateTableSelect) -> bool:
    return bool(session.temporary.get(statement.table) or server.base_table(statement.table))


def _log_anyway(server: SourceServer, session: Session, statement: CreateTableSelect, kept: bool) -> None:
    """Log a CREATE TABLE IF NOT EXISTS ... SELECT that has done nothing."""
    if kept and statement.if_not_exists and session.transaction is None:
        server.log_alone(session, server.text(session, statement))


def _as_statement(server: SourceServer, session: Session, statement: InsertGtids) -> str:
    """Log what shows a set of GTIDs as a statement with MIXED."""
    kept = session.binlog_format
    session.binlog_format = "STATEMENT" if kept == "MIXED" else kept
    return kept


def _lose_default(server: SourceServer, session: Session, statement: DropDatabase, kept: object) -> None:
    session.database = ""


LOG_REFUSED_SETTINGS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-create-like-commits-nothing",
        "WL3303-LOG-AS-ROWS",
        "CREATE TABLE ... LIKE does not commit the open transaction",
        answer=around(CreateTableLike, before=hide_transaction, after=back("transaction")),
    ),
    Mutant(
        "logs-any-drop-loses-default",
        "FORMAT-LOG-STATEMENT",
        "DROP DATABASE of another database than the default leaves a session without one",
        answer=around(DropDatabase, after=_lose_default),
    ),
    Mutant(
        "logs-mode-inside",
        "FORMAT-LOG-EVENTS",
        "gtid_mode can be set inside a transaction",
        answer=around(SetGlobal, before=_hide_from("gtid_mode"), after=back("transaction")),
    ),
    Mutant(
        "logs-checksum-inside",
        "FORMAT-LOG-EVENTS",
        "binlog_checksum can be set inside a transaction",
        answer=around(SetGlobal, before=_hide_from("binlog_checksum"), after=back("transaction")),
    ),
    Mutant(
        "logs-format-beside-temporary",
        "WL3303-LOG-AS-ROWS",
        "binlog_format can be set while the session has temporary tables",
        answer=other_rules(format_with_temporary="free"),
    ),
    Mutant(
        "logs-create-database-commits-nothing",
        "FORMAT-LOG-EVENTS",
        "CREATE DATABASE does not commit the open transaction",
        answer=around(CreateDatabase, before=hide_transaction, after=back("transaction")),
    ),
    Mutant(
        "logs-drop-database-commits-nothing",
        "FORMAT-LOG-EVENTS",
        "DROP DATABASE does not commit the open transaction",
        answer=around(DropDatabase, before=hide_transaction, after=back("transaction")),
    ),
    Mutant(
        "logs-gtid-next-inside",
        "WL3303-LOG-AS-STATEMENT",
        "GTID_NEXT can be set inside a transaction, whose changes are then not logged",
        answer=around(SetSession, before=_hide_from("gtid_next"), after=back("transaction")),
    ),
    Mutant(
        "logs-format-inside",
        "FORMAT-LOG-EVENTS",
        "binlog_format can be set inside a transaction",
        answer=around(SetSession, before=_hide_from("binlog_format"), after=back("transaction")),
    ),
    Mutant(
        "logs-mode-on-beside-anonymous",
        "FORMAT-LOG-EVENTS",
        "gtid_mode can be set to ON while a transaction is anonymous",
        answer=around(SetGlobal, before=_free_anonymous, after=_restore_anonymous),
    ),
    Mutant(
        "logs-mode-off-beside-gtid",
        "FORMAT-LOG-EVENTS",
        "gtid_mode can be set to OFF while a session has a given GTID",
        answer=around(SetGlobal, before=_free_gtids, after=_restore_gtids),
    ),
    Mutant(
        "logs-mode-on-inconsistent",
        "FORMAT-LOG-EVENTS",
        "gtid_mode can be set to ON without enforce_gtid_consistency",
        answer=around(SetGlobal, before=_enforce),
    ),
    Mutant(
        "logs-purged-declared-late",
        "WL7592-LOG-PURGED-KEPT",
        "gtid_purged can be set to what is executed",
        answer=around(SetGtidPurged, before=_declare),
        also=("WL7592-LOG-PREVIOUS-GTIDS-KEPT",),
    ),
    Mutant(
        "logs-purges-to-missing",
        "WL7592-LOG-PREVIOUS-GTIDS-KEPT",
        "PURGE BINARY LOGS TO a log that does not exist deletes all logs but the last",
        answer=around(PurgeLogs, before=_purge_all),
    ),
    Mutant(
        "logs-needless-select",
        "FORMAT-LOG-EVENTS",
        "CREATE TABLE IF NOT EXISTS ... SELECT of a table that exists is logged",
        answer=around(CreateTableSelect, before=_is_there, after=_log_anyway),
        also=("FORMAT-LOG-FIELDS",),
    ),
    Mutant(
        "logs-shown-gtids-safe",
        "WL3303-LOG-AS-ROWS",
        "with MIXED an INSERT that computes with gtid_executed or gtid_purged is logged as a statement",
        answer=around(InsertGtids, before=_as_statement, after=back("binlog_format")),
    ),
    Mutant(
        "logs-drop-one-name-early",
        "WL7592-LOG-DROPDB-PARTIAL",
        "the DROP TABLE of a failed DROP DATABASE is split one byte too soon",
        answer=other_rules(drop_limit=1023),
    ),
)
