"""A statement of a question in the role `decide`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.models.decision import shipped_table, worklog_table
from conformance.models.decision.capability import Capability
from conformance.models.decision.decision import Decision, Mode, Safety
from conformance.models.decision.engines import open_table, shipped_capability, worklog_capability
from conformance.models.decision.locked_table import (
    PARTITION,
    LockedTable,
    locked_capability,
    partitioned,
    written_capability,
)

#: The profile that follows the worklog's table; all others follow the shipped one.
_WORKLOG: Final = "worklog"


@dataclass(frozen=True, slots=True)
class QuestionTable:
    """A table of a question.

    Attributes:
        engine: The engine's name.
        capability: The flags of its handler; None if they are those of the engine's setting.
        written: Whether it is locked for writing; otherwise for reading.
        parts: The tables under a partitioned one; its engine is then ``partition``.
    """

    engine: str
    capability: Capability | None = None
    written: bool = True
    parts: tuple["QuestionTable", ...] = ()

    @property
    def by_engine(self) -> bool:
        """Whether it, or a part of it, has the flags of its engine's own setting."""
        return any(each.by_engine for each in self.parts) if self.parts else self.capability is None

    def setting(self) -> dict[str, Any]:
        """Return its form in a question, in JSON values."""
        setting: dict[str, Any] = {"engine": self.engine, "lock": "write" if self.written else "read"}
        if self.parts:
            setting["parts"] = [each.setting() for each in self.parts]
        elif self.capability is not None:
            setting |= {"row": self.capability.row, "statement": self.capability.statement}
        return setting

    @classmethod
    def of_setting(cls, setting: Mapping[str, Any]) -> "QuestionTable":
        """Return the table that a question describes."""
        return cls(
            engine=setting["engine"],
            capability=Capability(row=setting["row"], statement=setting["statement"]) if "row" in setting else None,
            written=setting["lock"] == "write",
            parts=tuple(cls.of_setting(each) for each in setting.get("parts", ())),
        )

    def locked(self, profile: str) -> LockedTable:
        """Return the locked table, with the capability of its handler under a profile.

        Raises:
            ValueError: The flags are not given, and the engine is unknown.
        """
        if self.engine == PARTITION:
            return partitioned([each.locked(profile) for each in self.parts], written=self.written)
        capability_of = worklog_capability if profile == _WORKLOG else shipped_capability
        capability = capability_of(self.engine) if self.capability is None else self.capability
        return open_table(self.engine, capability, written=self.written)


@dataclass(frozen=True, slots=True)
class QuestionStatement:
    """A statement of a question.

    Attributes:
        safety: The parser's class of it.
        mode: ``BINLOG_FORMAT``.
        tables: The tables that it locks.
        log_open: Whether the server writes a binary log.
        sql_log_bin: The session's ``SQL_LOG_BIN``.
        text: Its SQL, which has no effect on the decision.
    """

    safety: Safety
    mode: Mode
    tables: tuple[QuestionTable, ...]
    log_open: bool = True
    sql_log_bin: bool = True
    text: str = ""

    @property
    def logging(self) -> bool:
        """Whether logging is on for it."""
        return self.log_open and self.sql_log_bin

    def setting(self) -> dict[str, Any]:
        """Return its form in a question, in JSON values."""
        return {
            "safety": self.safety,
            "mode": self.mode,
            "log_open": self.log_open,
            "sql_log_bin": self.sql_log_bin,
            "text": self.text,
            "tables": [each.setting() for each in self.tables],
        }

    @classmethod
    def of_setting(cls, setting: Mapping[str, Any]) -> "QuestionStatement":
        """Return the statement that a question describes."""
        return cls(
            safety=setting["safety"],
            mode=setting["mode"],
            tables=tuple(QuestionTable.of_setting(each) for each in setting["tables"]),
            log_open=setting["log_open"],
            sql_log_bin=setting["sql_log_bin"],
            text=setting["text"],
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
        tables = [each.locked(profile) for each in self.tables]
        if profile == _WORKLOG:
            return worklog_table.decide(safety=self.safety, mode=self.mode, tables=tables, logging=self.logging)
        return shipped_table.decide(
            safety=self.safety, mode=self.mode, tables=tables, logging=self.logging, profile=profile
        )
