"""The decision table of WL#3303, row by row, and the decision of a statement by it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY, Capability
from conformance.models.decision.decision import LOGGING_OFF, MODES, Decision, Format, Message, Mode, Safety, rule_text
from conformance.models.decision.locked_table import LockedTable, locked_capability

NOT_LOGGABLE: Final = Message("error", "not loggable")
UNSAFE: Final = Message("warning", "unsafe")


@dataclass(frozen=True, slots=True)
class WorklogRow:
    """One row of the table: condition and action.

    Attributes:
        number: Its place in the worklog's table, from 1.
        safety: Safe or unsafe.
        mode: ``BINLOG_FORMAT``.
        capability: RLC and SLC of the locked tables.
        message: The cell Error/Warning, None if it is empty.
        format: The cell Log as, None if it is empty.
    """

    number: int
    safety: Safety
    mode: Mode
    capability: Capability
    message: Message | None
    format: Format | None

    @property
    def requirement(self) -> str:
        """The id of the requirement for the row, such as ``WL3303-DT-SAFE-MIXED-NY``."""
        return f"WL3303-DT-{self.safety.upper()}-{self.mode.upper()}-{self.capability.letters}"

    @property
    def rule(self) -> str:
        """The row in words."""
        condition = f"{self.safety} statement, mode {self.mode},"
        return rule_text(condition, self.capability, self.message, self.format)


#: The 24 rows in the order of the worklog: safety, mode, RLC and SLC, Error/Warning, Log as.
_CELLS: Final[tuple[tuple[Safety, Mode, Capability, Message | None, Format | None], ...]] = (
    ("safe", "statement", NEITHER, NOT_LOGGABLE, None),
    ("safe", "statement", STATEMENT_ONLY, None, "statement"),
    ("safe", "statement", ROW_ONLY, NOT_LOGGABLE, None),
    ("safe", "statement", BOTH, None, "statement"),
    ("safe", "mixed", NEITHER, NOT_LOGGABLE, None),
    ("safe", "mixed", STATEMENT_ONLY, None, "statement"),
    ("safe", "mixed", ROW_ONLY, None, "row"),
    ("safe", "mixed", BOTH, None, "statement"),
    ("safe", "row", NEITHER, NOT_LOGGABLE, None),
    ("safe", "row", STATEMENT_ONLY, NOT_LOGGABLE, None),
    ("safe", "row", ROW_ONLY, None, "row"),
    ("safe", "row", BOTH, None, "row"),
    ("unsafe", "statement", NEITHER, NOT_LOGGABLE, None),
    ("unsafe", "statement", STATEMENT_ONLY, UNSAFE, "statement"),
    ("unsafe", "statement", ROW_ONLY, NOT_LOGGABLE, None),
    ("unsafe", "statement", BOTH, UNSAFE, "statement"),
    ("unsafe", "mixed", NEITHER, NOT_LOGGABLE, None),
    ("unsafe", "mixed", STATEMENT_ONLY, NOT_LOGGABLE, None),
    ("unsafe", "mixed", ROW_ONLY, None, "row"),
    ("unsafe", "mixed", BOTH, None, "row"),
    ("unsafe", "row", NEITHER, NOT_LOGGABLE, None),
    ("unsafe", "row", STATEMENT_ONLY, NOT_LOGGABLE, None),
    ("unsafe", "row", ROW_ONLY, None, "row"),
    ("unsafe", "row", BOTH, None, "row"),
)

#: The rows, numbered in their order.
DECISION_TABLE: Final = tuple(WorklogRow(number, *cells) for number, cells in enumerate(_CELLS, start=1))

_BY_CONDITION: Final[Mapping[tuple[Safety, Mode, Capability], WorklogRow]] = {
    (row.safety, row.mode, row.capability): row for row in DECISION_TABLE
}


def row_for(safety: Safety, mode: Mode, capability: Capability) -> WorklogRow:
    """Return the row for a condition.

    Raises:
        ValueError: The worklog has no such safety or mode.
    """
    if safety not in ("safe", "unsafe"):
        raise ValueError(f"{safety!r} is not a class of statement in the worklog: write safe or unsafe")
    if mode not in MODES:
        raise ValueError(f"{mode!r} is not a valid mode: write one of {', '.join(MODES)}")
    return _BY_CONDITION[safety, mode, capability]


def decide(*, safety: Safety, mode: Mode, tables: Iterable[LockedTable], logging: bool = True) -> Decision:
    """Return how a statement is logged by the worklog.

    Args:
        safety: The parser's class of the statement.
        mode: ``BINLOG_FORMAT``.
        tables: All tables that the statement locks, for reading or for writing; without any, both formats are possible.
        logging: Whether the binary log is open and SQL_LOG_BIN is true.

    Raises:
        ValueError: The worklog has no such safety or mode.
    """
    row = row_for(safety, mode, locked_capability(tables))
    return Decision(row.number, row.rule, row.format, row.message) if logging else LOGGING_OFF
