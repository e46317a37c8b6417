"""The decision table as servers ship it: a third kind of statement, and numbers for errors and warnings.

It agrees with the worklog's table wherever that has a row. New are row injections, self-logging engines, tables that
are not replicated, and that only written tables count. It is for statements that change rows: no other statement gives
1662 or 1665, and 1592 is given only if something is written to the log. It holds for MySQL from 5.5 on and for MariaDB,
except for the servers outside `UNREPLICATED_REFUSED`; the tests list where real servers differ.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY, Capability
from conformance.models.decision.decision import (
    LOGGING_OFF,
    MODES,
    SAFETIES,
    Decision,
    Format,
    Message,
    Mode,
    Safety,
    rule_text,
)
from conformance.models.decision.locked_table import LockedTable, written_capability
from conformance.specs.profiles import newest
from conformance.specs.versions import Profiles

#: The messages of the table.
INCOMPATIBLE: Final = Message("error", "a row-incapable and a statement-incapable engine are written", 1661)
ROW_MODE: Final = Message("error", "mode ROW, and an engine that can log only statements", 1662)
UNSAFE_STATEMENT_ENGINE: Final = Message(
    "error", "an unsafe statement, and an engine that can log only statements", 1663
)
INJECTION_STATEMENT_ENGINE: Final = Message(
    "error", "a row injection, and an engine that can log only statements", 1664
)
STATEMENT_MODE: Final = Message("error", "mode STATEMENT, and an engine that can log only rows", 1665)
INJECTION_STATEMENT_MODE: Final = Message("error", "a row injection in mode STATEMENT", 1666)
UNSAFE: Final = Message("warning", "an unsafe statement is logged as a statement", 1592)
#: Outside the table, checked before it: a self-logging engine cannot be written together with another.
SELF_LOGGING_MIX: Final = Message("error", "a self-logging engine is written together with another", 1667)

#: Checked after it: as a statement, the change would also write the unreplicated tables on replicas.
UNREPLICATED_MIX: Final = Message("error", "mode STATEMENT, and an unreplicated table is written too", 1844)
#: The servers that know that error, and log nothing of a statement that writes unreplicated tables alone. 5.5.9 logs
#: it in mode STATEMENT, in both cases, with the warning that the table gives.
UNREPLICATED_REFUSED: Final = Profiles("mysql >= 5.6", "mariadb")


@dataclass(frozen=True, slots=True)
class ShippedRow:
    """One row of the table; None in a condition means any.

    Attributes:
        number: Its place, from 1.
        capability: What all written tables can log.
        safety: The parser's class of the statement.
        mode: ``binlog_format``.
        message: The error or warning.
        format: The format that is logged.
    """

    number: int
    capability: Capability
    safety: Safety | None
    mode: Mode | None
    message: Message | None
    format: Format | None

    @property
    def rule(self) -> str:
        """The row in words."""
        condition = f"{self.safety or 'any'} statement, mode {self.mode or 'any'}, written tables"
        return rule_text(condition, self.capability, self.message, self.format)


#: Capability of the written tables, safety, mode, error or warning, logged format.
_CELLS: Final[tuple[tuple[Capability, Safety | None, Mode | None, Message | None, Format | None], ...]] = (
    (NEITHER, None, None, INCOMPATIBLE, None),
    (STATEMENT_ONLY, "safe", "statement", None, "statement"),
    (STATEMENT_ONLY, "safe", "mixed", None, "statement"),
    (STATEMENT_ONLY, "safe", "row", ROW_MODE, None),
    (STATEMENT_ONLY, "unsafe", "statement", UNSAFE, "statement"),
    (STATEMENT_ONLY, "unsafe", "mixed", UNSAFE_STATEMENT_ENGINE, None),
    (STATEMENT_ONLY, "unsafe", "row", ROW_MODE, None),
    (STATEMENT_ONLY, "row-injection", "statement", INJECTION_STATEMENT_ENGINE, None),
    (STATEMENT_ONLY, "row-injection", "mixed", INJECTION_STATEMENT_ENGINE, None),
    (STATEMENT_ONLY, "row-injection", "row", INJECTION_STATEMENT_ENGINE, None),
    (ROW_ONLY, "safe", "statement", STATEMENT_MODE, None),
    (ROW_ONLY, "safe", "mixed", None, "row"),
    (ROW_ONLY, "safe", "row", None, "row"),
    (ROW_ONLY, "unsafe", "statement", STATEMENT_MODE, None),
    (ROW_ONLY, "unsafe", "mixed", None, "row"),
    (ROW_ONLY, "unsafe", "row", None, "row"),
    (ROW_ONLY, "row-injection", "statement", INJECTION_STATEMENT_MODE, None),
    (ROW_ONLY, "row-injection", "mixed", None, "row"),
    (ROW_ONLY, "row-injection", "row", None, "row"),
    (BOTH, "safe", "statement", None, "statement"),
    (BOTH, "safe", "mixed", None, "statement"),
    (BOTH, "safe", "row", None, "row"),
    (BOTH, "unsafe", "statement", UNSAFE, "statement"),
    (BOTH, "unsafe", "mixed", None, "row"),
    (BOTH, "unsafe", "row", None, "row"),
    (BOTH, "row-injection", "statement", INJECTION_STATEMENT_MODE, None),
    (BOTH, "row-injection", "mixed", None, "row"),
    (BOTH, "row-injection", "row", None, "row"),
)

#: The rows, numbered in their order.
DECISION_TABLE: Final = tuple(ShippedRow(number, *cells) for number, cells in enumerate(_CELLS, start=1))

_BY_CONDITION: Final[Mapping[tuple[Capability, Safety | None, Mode | None], ShippedRow]] = {
    (row.capability, row.safety, row.mode): row for row in DECISION_TABLE
}


def row_for(safety: Safety, mode: Mode, capability: Capability) -> ShippedRow:
    """Return the row for a condition.

    Raises:
        ValueError: There is no such safety or mode.
    """
    if safety not in SAFETIES:
        raise ValueError(f"{safety!r} is not a valid class of statement: write one of {', '.join(SAFETIES)}")
    if mode not in MODES:
        raise ValueError(f"{mode!r} is not a valid mode: write one of {', '.join(MODES)}")
    return _BY_CONDITION[(capability, None, None) if capability == NEITHER else (capability, safety, mode)]


def decide(
    *,
    safety: Safety,
    mode: Mode,
    tables: Iterable[LockedTable],
    logging: bool = True,
    profile: str = newest("mysql").name,
) -> Decision:
    """Return how shipped servers log a statement that changes rows.

    Args:
        safety: The parser's class of the statement.
        mode: ``binlog_format``.
        tables: The tables that the statement locks; only those written count.
        logging: Whether the binary log is open and ``sql_log_bin`` is on.
        profile: The server's profile.

    Raises:
        ValueError: There is no such safety, mode or profile.
    """
    written = [each for each in tables if each.written]
    replicated = [each for each in written if each.replicated]
    row = row_for(safety, mode, written_capability(replicated))
    if not logging:
        return LOGGING_OFF
    logs_all = mode == "statement" and profile not in UNREPLICATED_REFUSED
    if written and not replicated and not logs_all:
        return Decision(None, "no replicated table is written: the statement is not logged", None)
    if any(each.self_logging for each in written) and len({each.engine for each in written}) > 1:
        return Decision(None, f"outside the table: {SELF_LOGGING_MIX.label}", None, SELF_LOGGING_MIX)
    refused = profile in UNREPLICATED_REFUSED and mode == row.format == "statement"
    if refused and len(replicated) < len(written):
        return Decision(None, f"outside the table: {UNREPLICATED_MIX.label}", None, UNREPLICATED_MIX)
    return Decision(row.number, row.rule, row.format, row.message)
