"""A statement to decide on, as an implementation is asked about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.models.decision import shipped_table, worklog_table
from conformance.models.decision.capability import Capability
from conformance.models.decision.decision import Decision, Mode, Safety
from conformance.models.decision.engines import opened, shipped_capability, worklog_capability
from conformance.models.decision.locked_table import (
    PARTITION,
    LockedTable,
    locked_capability,
    partitioned,
    written_capability,
)

#: The profile whose rules are the worklog's own; all others follow the shipped table.
_WORKLOG: Final = "worklog"


@dataclass(frozen=True, slots=True)
class AskedTable:
    """A table of a question.

    Attributes:
        engine: The engine's name.
        capability: The flags of its handler; None where they are those that the engine's setting says.
        written: Whether it is locked for writing; otherwise for reading.
        parts: The tables under a partitioned one; its engine is then ``partition``.
    """

    engine: str
    capability: Capability | None = None
    written: bool = True
    parts: tuple["AskedTable", ...] = ()

    def setting(self) -> dict[str, Any]:
        """Return it as a question says it, in values that JSON has."""
        said: dict[str, Any] = {"engine": self.engine, "lock": "write" if self.written else "read"}
        if self.parts:
            said["parts"] = [each.setting() for each in self.parts]
        elif self.capability is not None:
            said |= {"row": self.capability.row, "statement": self.capability.statement}
        return said

    @classmethod
    def of_setting(cls, said: Mapping[str, Any]) -> "AskedTable":
        """Return the table that a question means."""
        return cls(
            engine=said["engine"],
            capability=Capability(row=said["row"], statement=said["statement"]) if "row" in said else None,
            written=said["lock"] == "write",
            parts=tuple(cls.of_setting(each) for each in said.get("parts", ())),
        )

    def locked(self, profile: str) -> LockedTable:
        """Return the table with what its handler can do under a profile.

        Raises:
            ValueError: The flags are not given, and the engine is unknown.
        """
        if self.engine == PARTITION:
            return partitioned([each.locked(profile) for each in self.parts], written=self.written)
        setting = worklog_capability if profile == _WORKLOG else shipped_capability
        capability = setting(self.engine) if self.capability is None else self.capability
        return opened(self.engine, capability, written=self.written)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a question.

    Attributes:
        safety: What the parser made of it.
        mode: ``BINLOG_FORMAT``.
        tables: The tables that it locks.
        log_open: Whether the server writes a binary log.
        sql_log_bin: The session's ``SQL_LOG_BIN``.
        text: Its SQL, which decides nothing.
    """

    safety: Safety
    mode: Mode
    tables: tuple[AskedTable, ...]
    log_open: bool = True
    sql_log_bin: bool = True
    text: str = ""

    @property
    def logging(self) -> bool:
        """Whether logging is on for it."""
        return self.log_open and self.sql_log_bin

    def setting(self) -> dict[str, Any]:
        """Return it as a question says it, in values that JSON has."""
        return {
            "safety": self.safety,
            "mode": self.mode,
            "log_open": self.log_open,
            "sql_log_bin": self.sql_log_bin,
            "text": self.text,
            "tables": [each.setting() for each in self.tables],
        }

    @classmethod
    def of_setting(cls, said: Mapping[str, Any]) -> "Statement":
        """Return the statement that a question means."""
        return cls(
            safety=said["safety"],
            mode=said["mode"],
            tables=tuple(AskedTable.of_setting(each) for each in said["tables"]),
            log_open=said["log_open"],
            sql_log_bin=said["sql_log_bin"],
            text=said["text"],
        )

    def capability(self, profile: str) -> Capability:
        """Return RLC and SLC of its set of tables: all of them in the worklog, the written ones in servers.

        Raises:
            ValueError: The flags of a table are not given, and its engine is unknown.
        """
        counted = locked_capability if profile == _WORKLOG else written_capability
        return counted(each.locked(profile) for each in self.tables)

    def decide(self, profile: str) -> Decision:
        """Return how it is logged under a profile.

        Raises:
            ValueError: The flags of a table are not given, and its engine is unknown; or the worklog is asked about
                a row injection.
        """
        decide = worklog_table.decide if profile == _WORKLOG else shipped_table.decide
        tables = [each.locked(profile) for each in self.tables]
        return decide(safety=self.safety, mode=self.mode, tables=tables, logging=self.logging)
