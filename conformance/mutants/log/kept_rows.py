"""The mutants of the role `log` of the rows to which a session keeps for its temporary tables, in mode MIXED."""

from typing import Final

from conformance.models.server.logging_server import SourceServer
from conformance.models.server.session import Session
from conformance.models.server.statements import Commit, DropTable, SetSession
from conformance.mutants.log.refused_statements import around
from conformance.mutants.mutant import Mutant


def _end_rows(server: SourceServer, session: Session, statement: DropTable, kept: object) -> None:
    """Go back to statements once a temporary table is dropped."""
    session.in_rows &= not statement.temporary


def _has_transaction(server: SourceServer, session: Session, statement: Commit) -> bool:
    return session.transaction is not None


def _end_rows_with_transaction(server: SourceServer, session: Session, statement: Commit, kept: bool) -> None:
    session.in_rows &= not kept


def _format(server: SourceServer, session: Session, statement: SetSession) -> str:
    return session.binlog_format


def _stay_in_row(server: SourceServer, session: Session, statement: SetSession, kept: str) -> None:
    """Have the format ROW again where a session with temporary tables went from it to MIXED."""
    if session.temporary and (kept, session.binlog_format) == ("ROW", "MIXED"):
        session.binlog_format = kept


LOG_KEPT_ROWS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-rows-end-with-a-drop",
        "WL3303-LOG-AS-ROWS",
        "a session keeps to rows for its temporary tables until one of them is dropped",
        answer=around(DropTable, after=_end_rows),
    ),
    Mutant(
        "logs-rows-end-at-commit",
        "WL3303-LOG-AS-ROWS",
        "a session keeps to rows for its temporary tables until it commits",
        answer=around(Commit, before=_has_transaction, after=_end_rows_with_transaction),
    ),
    Mutant(
        "logs-row-kept-beside-temporary",
        "WL3303-LOG-AS-STATEMENT",
        "a session with temporary tables cannot go from ROW to MIXED",
        answer=around(SetSession, before=_format, after=_stay_in_row),
    ),
)
