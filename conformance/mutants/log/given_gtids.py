"""The mutants of the role `log` of given GTIDs: what uses one up, gives it back, or is passed over for it."""

from typing import Final

from conformance.models.server.events import BEGIN
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.session import AUTOMATIC, UNDEFINED, Session
from conformance.models.server.statements import AlterTable, Commit, DropTable, FlushLogs, Rollback, Statement
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


def _execute_again(server: SourceServer, session: Session, statement: Statement) -> bool:
    skipped = server.skips(session) and session.transaction is None
    if skipped:
        session.gtid_next = AUTOMATIC
    return skipped


def _use_up(server: SourceServer, session: Session, statement: Statement, kept: bool) -> None:
    if kept:
        session.gtid_next = UNDEFINED


def _forget_several(server: SourceServer, session: Session, statement: DropTable) -> bool:
    """Have no GTID given for a DROP TABLE of several tables."""
    forgets = session.has_given_gtid and not server.skips(session) and len(statement.tables) > 1
    if forgets:
        session.gtid_next = AUTOMATIC
    return forgets


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
        "logs-executed-alter-again",
        _RULE,
        "ALTER TABLE is run although its given GTID is executed",
        answer=around(AlterTable, before=_execute_again, after=_use_up),
    ),
    Mutant(
        "logs-drop-takes-own-gtids",
        _RULE,
        "a DROP TABLE of several tables has GTIDs of the server's own, although one is given",
        answer=around(DropTable, before=_forget_several, after=_use_up),
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
)
