"""Administration of the server and its sessions: variables, rotation, restart, crash."""

from dataclasses import replace
from typing import Any, Final

from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.servers import WITH_TAGGED_GTIDS
from conformance.models.server.drops import disconnect
from conformance.models.server.gtid import Gtid
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.options import option_of
from conformance.models.server.session import ANONYMOUS, AUTOMATIC, Session, StatementRefused
from conformance.models.server.settings import GTID_MODES, READ_ONLY, SESSION_VARIABLES, Settings
from conformance.models.server.statements import (
    REFUSED,
    Crash,
    FlushLogs,
    PurgeLogs,
    Restart,
    SetGlobal,
    SetGtidPurged,
    SetSession,
    SetUserVariable,
    SetVariable,
    Use,
)
from conformance.models.server.transactions import commit_open, undo_changes

#: Errors, as servers number them.
_NO_DATABASE: Final = 1049
_IN_TRANSACTION: Final = 1679
_NOT_INSIDE: Final = 1766
_GTID_NEXT_INSIDE_5_6: Final = 1768
_MALFORMED: Final = 1774
_GTID_WITH_MODE_OFF: Final = 1781
_TAGGED_WITH_MODE_OFF: Final = 6040
_ONE_STEP: Final = 1788
_OWNS_GTID: Final = 1790
_MODE_REFUSED: Final = 3111
_MODE_NEEDS_CONSISTENCY: Final = 1779
_READ_ONLY: Final = 1238
_WRONG_VALUE: Final = 1231
_GTIDS_EXECUTED: Final = 1840
_PURGED_WITH_MODE_OFF: Final = 1839
_PURGED_DOES_NOT_GROW: Final = 3546
_NO_LOG: Final = 1373
_OPEN_TEMPORARY: Final = 3745
_OPEN_TEMPORARY_WITH_ROW: Final = 1559

#: Global variables that servers with gtid_mode of four values set only outside transactions: 5.7.22, 8.0.15 and 9.7.4.
_OUTSIDE: Final = frozenset({"gtid_mode", "enforce_gtid_consistency", "binlog_checksum"})

#: The options that others need.
_FIRST: Final = ("before_wl7592", "enforce_gtid_consistency")


def use(server: SourceServer, session: Session, statement: Use) -> None:
    """Change the session's default database."""
    if statement.database not in server.databases:
        raise StatementRefused(_NO_DATABASE, f"Unknown database '{statement.database}'")
    session.database = statement.database


def set_user_variable(server: SourceServer, session: Session, statement: SetUserVariable) -> None:
    """Give the user variable `v` a value."""
    session.user_variable = statement.value


def set_session(server: SourceServer, session: Session, statement: SetSession) -> None:
    """Set a session variable.

    Raises:
        Refused: It cannot be set now, or not to this value.
    """
    _check_value(statement)
    is_option = SESSION_VARIABLES[statement.variable] is bool
    if session.transaction is not None and not is_option:
        # MySQL 5.7.22 and 9.7.4 set the option for the statement's text at once.
        code = _IN_TRANSACTION
        if statement.variable == "gtid_next":
            code = _GTID_NEXT_INSIDE_5_6 if server.rules.gtid_events == "numbered" else _NOT_INSIDE
        raise StatementRefused(code, f"Cannot modify {statement.variable} inside a transaction")
    if statement.variable == "gtid_next":
        _set_gtid_next(server, session, statement.value)
    elif is_option:
        session.binlog_rows_query_log_events = statement.value == "ON"
    else:
        _check_temporary(server, session, statement.value)
        session.binlog_format = statement.value


def _check_temporary(server: SourceServer, session: Session, value: str) -> None:
    how = server.rules.format_with_temporary
    if session.temporary and how == "fixed":
        raise StatementRefused(_OPEN_TEMPORARY, "Changing binlog_format is disallowed with open temporary tables")
    if session.temporary and how == "not-to-statement" and (session.binlog_format, value) == ("ROW", "STATEMENT"):
        raise StatementRefused(
            _OPEN_TEMPORARY_WITH_ROW, "Cannot switch out of the row-based binary log format with open temporary tables"
        )


def _check_value(statement: SetVariable) -> None:
    if statement.variable in READ_ONLY:
        raise StatementRefused(_READ_ONLY, f"Variable '{statement.variable}' is a read only variable")
    if statement.value in REFUSED:
        raise StatementRefused(
            _WRONG_VALUE, f"Variable '{statement.variable}' can't be set to the value of '{statement.value}'"
        )


def _set_gtid_next(server: SourceServer, session: Session, value: str) -> None:
    mode = server.settings.gtid_mode
    owns_gtid = session.has_given_gtid and not server.skips(session)
    if owns_gtid or (session.owns_anonymous and value != ANONYMOUS):
        raise StatementRefused(
            _OWNS_GTID, f"GTID_NEXT cannot be changed by a client that owns a GTID: {session.gtid_next}"
        )
    server.check_anonymous(value)
    if value not in (AUTOMATIC, ANONYMOUS):
        given = Gtid.parse(value)
        if given.tag and server.settings.profile not in WITH_TAGGED_GTIDS:
            raise StatementRefused(_MALFORMED, f"Malformed GTID specification '{value}'")
        if mode == "OFF":
            code = _TAGGED_WITH_MODE_OFF if given.tag else _GTID_WITH_MODE_OFF
            raise StatementRefused(code, "GTID_NEXT cannot be a GTID when GTID_MODE = OFF")
    session.gtid_next = value
    session.owns_anonymous = value == ANONYMOUS and server.rules.owns_anonymous


def set_global(server: SourceServer, session: Session, statement: SetGlobal) -> None:
    """Set a global variable; connected sessions keep their own values, and some variables need a new log.

    Raises:
        Refused: It cannot be set now, or not to this value.
    """
    _check_value(statement)
    settings, name = server.settings, statement.variable
    if session.transaction is not None and name in _OUTSIDE and server.rules.gtid_events == "always":
        raise StatementRefused(_NOT_INSIDE, f"Cannot set {name} inside a transaction")
    if name == "gtid_mode":
        _check_mode(server, statement.value)
    if (name, statement.value, settings.gtid_mode) == ("enforce_gtid_consistency", "OFF", "ON"):
        raise StatementRefused(_MODE_NEEDS_CONSISTENCY, "GTID_MODE = ON needs ENFORCE_GTID_CONSISTENCY = ON")
    same = getattr(settings, name) == statement.value
    server.settings = changed(settings, name, statement.value)
    if name == "binlog_checksum" or (name == "gtid_mode" and not same):
        # Each holds for whole logs; setting binlog_checksum rotates the log even if its value stays the same.
        server.rotate()


def _check_mode(server: SourceServer, mode: str) -> None:
    """Check that gtid_mode may be set to a mode: no session has the right to what the mode forbids."""
    settings, sessions = server.settings, server.sessions.values()
    if abs(GTID_MODES.index(mode) - GTID_MODES.index(settings.gtid_mode)) > 1:
        raise StatementRefused(_ONE_STEP, "The value of GTID_MODE can only be changed one step at a time")
    if mode == "ON" and not settings.enforce_gtid_consistency:
        raise StatementRefused(_MODE_REFUSED, "GTID_MODE = ON needs ENFORCE_GTID_CONSISTENCY = ON")
    if mode == "ON" and any(each.owns_anonymous for each in sessions):
        raise StatementRefused(_MODE_REFUSED, "GTID_MODE = ON needs that no transaction is anonymous")
    if mode == "OFF" and any(each.has_given_gtid and not server.skips(each) for each in sessions):
        raise StatementRefused(_MODE_REFUSED, "GTID_MODE = OFF needs that no session has a GTID")


def changed(settings: Settings, name: str, value: str) -> Settings:
    """Return settings with one of them changed; the value is a word, a number in digits, or ``ON`` or ``OFF``.

    Raises:
        ValueError: The value does not fit.
    """
    kind = type(getattr(settings, name))
    given: Any = value == "ON" if kind is bool else kind(value)
    return replace(settings, **{name: given})


def set_gtid_purged(server: SourceServer, session: Session, statement: SetGtidPurged) -> None:
    """Declare GTIDs as executed and purged.

    Raises:
        Refused: The server has executed GTIDs, or, where they may be more, others than those that were purged.
    """
    gtids = GtidSet.from_text(statement.gtids)
    if server.settings.gtid_mode == "OFF" and server.rules.gtid_events == "numbered":
        raise StatementRefused(_PURGED_WITH_MODE_OFF, "GTID_PURGED can only be set when GTID_MODE = ON")
    if not server.rules.purged_grows:
        if server.executed.size:
            raise StatementRefused(_GTIDS_EXECUTED, "GTID_PURGED can only be set when GTID_EXECUTED is empty")
    elif not _is_more(server, gtids):
        raise StatementRefused(_PURGED_DOES_NOT_GROW, "The new value must be a superset of the old one, and new")
    server.declare_purged(ExecutedGtids(gtids).missing_in(server.executed.gtids()))


def _is_more(server: SourceServer, gtids: GtidSet) -> bool:
    """Return whether a set has all GTIDs that are purged, and none that is executed and not purged."""
    kept = ExecutedGtids(server.executed.missing_in(server.purged.gtids()))
    added = ExecutedGtids(gtids)
    disjoint = str(kept.missing_in(gtids)) == str(kept.gtids())
    return disjoint and not server.purged.missing_in(added.gtids()).sources


def purge_logs(server: SourceServer, session: Session, statement: PurgeLogs) -> None:
    """Delete logs.

    Raises:
        Refused: The log that must stay does not exist.
    """
    if all(log.number != statement.to for log in server.logs):
        raise StatementRefused(_NO_LOG, "Target log not found in binlog index")
    server.purge(statement.to)


def flush_logs(server: SourceServer, session: Session, statement: FlushLogs) -> None:
    """Rotate the binary log."""
    commit_open(server, session)
    server.rotate()


def restart(server: SourceServer, session: Session, statement: Restart) -> None:
    """Shut the server down and start it with other settings."""
    for each in list(server.sessions.values()):
        disconnect(server, each)
    settings = server.settings
    # Two options may change at once, and perhaps only the two together are valid.
    options = [option_of(name, value) for name, value in statement.options]
    for name, value in sorted(options, key=lambda option: option[0] not in _FIRST):
        settings = changed(settings, name, value)
    server.start_again(settings, stopped=True)


def crash(server: SourceServer, session: Session, statement: Crash) -> None:
    """Kill the server and start it again: nothing is written, and whatever was not committed is rolled back."""
    for each in server.sessions.values():
        if each.transaction is not None:
            undo_changes(server, each, each.transaction)
    server.start_again(server.settings, stopped=False)
