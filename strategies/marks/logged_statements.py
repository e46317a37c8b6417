"""The rules on statements that are refused or might be, and on CREATE TABLE ... SELECT, in whatever scenario."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.models.server.definitions import TEMPORARY_REFUSED
from conformance.models.server.events import BEGIN
from conformance.models.server.execution import ExecutionOutcome
from conformance.models.server.gtid_next import CREATE_SELECT_REFUSED
from conformance.models.server.logging_server import GTID_NEXT_UNDEFINED
from conformance.models.server.row_changes import MIXED_ENGINES_REFUSED
from conformance.models.server.settings import Settings
from conformance.models.server.statements import CreateTable, CreateTableSelect, Insert, Statement

#: Number of the error with which GTID consistency refuses a statement -> the requirement that nothing of it is logged.
_OF_CONSISTENCY: Final[Mapping[int, str]] = {
    MIXED_ENGINES_REFUSED: "WL7592-LOG-ON-MIXED-ENGINES-REFUSED",
    CREATE_SELECT_REFUSED: "WL7592-LOG-ON-CREATE-SELECT-REFUSED",
    TEMPORARY_REFUSED: "WL7592-LOG-ON-TEMPORARY-INSIDE-REFUSED",
}
#: The same for other errors.
_OF_REFUSAL: Final[Mapping[int, str]] = {GTID_NEXT_UNDEFINED: "FORMAT-LOG-GTID-UNDEFINED"}
#: With which a server creates a table and inserts its rows in one transaction.
_ATOMIC: Final = "START TRANSACTION"


def refusal_rule(settings: Settings, error: int) -> str:
    """Return the requirement that nothing is logged of a statement which is refused with an error.

    Args:
        settings: The settings with which it was run.
        error: The number of the error.
    """
    of_worklog = {} if settings.before_wl7592 else _OF_CONSISTENCY
    return of_worklog.get(error) or _OF_REFUSAL.get(error, "FORMAT-LOG-REFUSED")


def refusal_marks(settings: Settings, outcome: ExecutionOutcome) -> Iterator[str]:
    """Yield the requirement on the logs as a whole that a statement exercises which is refused."""
    if outcome.error is not None:
        yield refusal_rule(settings, outcome.error)


def permission_marks(settings: Settings, *, is_unrestricted: bool) -> Iterator[str]:
    """Yield the requirement that a statement exercises which GTID consistency would refuse, if it were enforced.

    Args:
        settings: The settings with which it was run.
        is_unrestricted: Whether it is such a statement.
    """
    if is_unrestricted and settings.gtid_mode != "ON" and not settings.before_wl7592:
        yield "WL7592-LOG-OFF-NO-RESTRICTIONS"


def temporary_marks(settings: Settings, statement: Statement) -> Iterator[str]:
    """Yield the requirement that a CREATE TEMPORARY TABLE outside transactions exercises, none for another statement.

    Args:
        settings: The settings with which it was run.
        statement: The statement.
    """
    if isinstance(statement, CreateTable) and statement.temporary and not settings.before_wl7592:
        yield "WL7592-LOG-TEMPORARY-OUTSIDE"


def creation_marks(
    settings: Settings, statement: Statement, entries: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, bool]]:
    """Yield the requirements on what is logged for a CREATE TABLE ... SELECT, none for another statement.

    Each comes with whether it is also about the events that begin and end a transaction.

    Args:
        settings: The settings with which it was run.
        statement: The statement.
        entries: What is logged for it; of a refused one, nothing.
    """
    if not isinstance(statement, CreateTableSelect) or statement.temporary or not entries:
        return
    created = next((text for each in entries if (text := str(each.get("query", ""))).startswith("CREATE TABLE")), "")
    yield "WL3303-LOG-MIXTURE" if created else "WL3303-LOG-AS-STATEMENT", False
    if settings.gtid_mode == "ON" or settings.before_wl7592:
        return
    yield "WL7592-LOG-OFF-CREATE-SELECT-ALLOWED", True
    if not created:
        yield "WL7592-LOG-CREATE-SELECT-STATEMENT", True
    elif not created.endswith(_ATOMIC):
        yield from (("WL7592-LOG-CREATE-SELECT-ROW", True), ("WL7592-LOG-CREATE-NOT-INSIDE", True))


def sequence_marks(statement: Statement, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the requirement on what is logged for an INSERT outside transactions, its text before its rows."""
    types = [entry["type"] for entry in entries]
    begins = bool(entries) and entries[0].get("query") == BEGIN.decode()
    if isinstance(statement, Insert) and begins and EventType.ROWS_QUERY in types:
        yield "WL4033-LOG-ONE-STATEMENT-SEQUENCE"
