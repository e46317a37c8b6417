"""The mutants of the role `log` of given GTIDs: what uses one up, gives it back, or is passed over for it."""

from collections.abc import Callable
from typing import Any, Final

from conformance.models.server.events import BEGIN
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.session import ANONYMOUS, AUTOMATIC, UNDEFINED, Session
from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    Delete,
    DropTable,
    FlushLogs,
    PurgeLogs,
    Rollback,
    SetSession,
    Statement,
    Update,
    Use,
)
from conformance.models.server.transactions import commit_open
from conformance.mutants.log.faults import Answer
from conformance.mutants.log.refused_statements import around
from conformance.mutants.mutant import Mutant

_RULE: Final = "FORMAT-LOG-GTID-GIVEN"
#: BEGIN and COMMIT after a Gtid event, and nothing between them.
_EMPTY_GROUP: Final = 3


def _given(server: SourceServer, session: Session, statement: Statement) -> str:
    """Return the GTID that a session was given; empty if it has none."""
    return session.gtid_next if session.has_given_gtid else ""


def _keep_unused(server: SourceServer, session: Session, statement: Statement, kept: str) -> None:
    """Leave a GTID that was given back to the next statement."""
    if kept and session.gtid_next == UNDEFINED and kept not in server.executed:
        session.gtid_next = kept


def _go_on(server: SourceServer, session: Session, statement: Statement) -> bool:
    is_used_up = session.gtid_next == UNDEFINED
    if is_used_up:
        session.gtid_next = AUTOMATIC
    return is_used_up


def _be_undefined(server: SourceServer, session: Session, statement: Statement, kept: bool) -> None:
    if kept and session.gtid_next == AUTOMATIC and not isinstance(statement, SetSession):
        session.gtid_next = UNDEFINED


def _on_its_own(kind: type[Statement], is_so: Callable[[SourceServer, Session, Any], bool]) -> Answer:
    """Return the answer of a server that runs some statements with an automatic GTID, and uses up the given one."""

    def forget(server: SourceServer, session: Session, statement: Any) -> bool:
        forgets = session.has_given_gtid and is_so(server, session, statement)
        if forgets:
            session.gtid_next = AUTOMATIC
        return forgets

    def use_up(server: SourceServer, session: Session, statement: Any, kept: bool) -> None:
        if kept:
            session.gtid_next = UNDEFINED

    return around(kind, before=forget, after=use_up)


def _is_executed(server: SourceServer, session: Session, statement: AlterTable) -> bool:
    return server.skips(session) and session.transaction is None


def _is_of_several(server: SourceServer, session: Session, statement: DropTable) -> bool:
    return not server.skips(session) and len(statement.tables) > 1


def _use_up_unchanged(server: SourceServer, session: Session, statement: Statement, kept: str) -> None:
    """Use up a GTID that an UPDATE or DELETE of no rows has left to the session."""
    is_change = isinstance(statement, Update | Delete) and session.transaction is None
    if is_change and kept and session.gtid_next == kept and not server.skips(session):
        session.release()


def _hide_executed(server: SourceServer, session: Session, statement: PurgeLogs) -> str:
    """Hide a GTID that is executed from a statement, and return it; empty if it is another."""
    if not server.skips(session):
        return ""
    kept, session.gtid_next = session.gtid_next, AUTOMATIC
    return kept


def _show_again(server: SourceServer, session: Session, statement: PurgeLogs, kept: str) -> None:
    session.gtid_next = kept or session.gtid_next


def _commit_first(server: SourceServer, session: Session, statement: Begin) -> None:
    """Commit the open transaction with its given GTID."""
    if session.transaction is not None and session.has_given_gtid:
        commit_open(server, session)


def _may_be_anonymous(server: SourceServer, session: Session, statement: Use) -> bool:
    return session.owns_anonymous


def _is_anonymous_still(server: SourceServer, session: Session, statement: Use, kept: bool) -> None:
    session.owns_anonymous = kept and session.gtid_next == ANONYMOUS


def _unlog_empty(server: SourceServer, session: Session, statement: Statement, kept: None) -> None:
    """Take the empty transaction of a statement from the log."""
    for log in server.logs:
        last = log.units[-1]
        is_empty = len(last.events) == _EMPTY_GROUP and last.events[1].fields.get("query") == BEGIN
        if is_empty and last.statement == server.at:
            del log.units[-1]


LOG_GIVEN_GTID_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-failure-keeps-gtid",
        _RULE,
        "a statement that fails, or changes nothing, leaves a given GTID to the next one",
        answer=around(Statement, before=_given, after=_keep_unused),
    ),
    Mutant(
        "logs-rollback-keeps-gtid",
        _RULE,
        "ROLLBACK leaves a given GTID to the next statement",
        answer=around(Rollback, before=_given, after=_keep_unused),
    ),
    Mutant(
        "logs-undefined-as-automatic",
        "FORMAT-LOG-GTID-UNDEFINED",
        "a session whose given GTID is used up goes on with GTIDs of the server",
        answer=around(Statement, before=_go_on, after=_be_undefined),
    ),
    Mutant(
        "logs-executed-alter-again",
        _RULE,
        "ALTER TABLE is run although its given GTID is executed",
        answer=_on_its_own(AlterTable, _is_executed),
    ),
    Mutant(
        "logs-drop-takes-own-gtids",
        _RULE,
        "a DROP TABLE of several tables has GTIDs of the server's own, although one is given",
        answer=_on_its_own(DropTable, _is_of_several),
    ),
    Mutant(
        "logs-given-commit-silent",
        _RULE,
        "a COMMIT without changes uses up a given GTID and logs no empty transaction",
        answer=around(Commit, after=_unlog_empty),
    ),
    Mutant(
        "logs-flush-group-silent",
        _RULE,
        "FLUSH LOGS uses up a given GTID and logs no empty transaction",
        answer=around(FlushLogs, after=_unlog_empty),
    ),
    Mutant(
        "logs-no-rows-use-up-gtid",
        _RULE,
        "an UPDATE or DELETE that finds no rows uses up a given GTID",
        answer=around(Statement, before=_given, after=_use_up_unchanged),
    ),
    Mutant(
        "logs-executed-purge-runs",
        _RULE,
        "PURGE BINARY LOGS is run although the session's given GTID is executed",
        answer=around(PurgeLogs, before=_hide_executed, after=_show_again),
    ),
    Mutant(
        "logs-begin-commits-given",
        _RULE,
        "BEGIN commits an open transaction with a given GTID, and is not refused",
        answer=around(Begin, before=_commit_first),
    ),
    Mutant(
        "logs-refused-use-keeps-right",
        _RULE,
        "a session has the right to be anonymous still after a USE that was refused",
        answer=around(Use, before=_may_be_anonymous, after=_is_anonymous_still),
    ),
)
