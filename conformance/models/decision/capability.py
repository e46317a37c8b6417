"""The logging formats that an engine can handle: the two flags of WL#3303, for a table and for a set of tables."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self


@dataclass(frozen=True, slots=True)
class Capability:
    """The two capability flags of a table, or of a set of tables (WL#3303, Engine capabilities and restrictions).

    Attributes:
        row: Row logging capable (``HA_BINLOG_ROW_CAPABLE``; RLC of a set).
        statement: Statement logging capable (``HA_BINLOG_STMT_CAPABLE``; SLC of a set).
    """

    row: bool
    statement: bool

    @property
    def row_restricted(self) -> bool:
        """Row logging restricted (RLR): logged as rows or not at all."""
        return self.row and not self.statement

    @property
    def statement_restricted(self) -> bool:
        """Statement logging restricted (SLR): logged as a statement or not at all."""
        return self.statement and not self.row

    @property
    def letters(self) -> str:
        """The two columns of the decision table, row capability first, such as ``NY``."""
        return "NY"[self.row] + "NY"[self.statement]

    @classmethod
    def of_set(cls, members: Iterable[Self | "Capability"]) -> "Capability":
        """Return the capability of a set: the formats that all its members can handle; both for the empty set."""
        capabilities = tuple(members)
        return Capability(
            row=all(each.row for each in capabilities), statement=all(each.statement for each in capabilities)
        )

    @classmethod
    def parse(cls, words: str) -> "Capability":
        """Return the capability that a text such as ``row,stmt``, ``stmt`` or the empty text names.

        Raises:
            ValueError: A word is neither ``row`` nor ``stmt``, or occurs twice.
        """
        names = words.split(",") if words else []
        if len(set(names)) != len(names) or not set(names) <= {"row", "stmt"}:
            raise ValueError(f"{words!r} is not a valid capability: write row, stmt, row,stmt or nothing")
        return cls(row="row" in names, statement="stmt" in names)

    def __str__(self) -> str:
        return ",".join(name for name, capable in (("row", self.row), ("stmt", self.statement)) if capable) or "neither"


BOTH: Final = Capability(row=True, statement=True)
ROW_ONLY: Final = Capability(row=True, statement=False)
STATEMENT_ONLY: Final = Capability(row=False, statement=True)
NEITHER: Final = Capability(row=False, statement=False)
