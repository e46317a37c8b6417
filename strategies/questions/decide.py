"""Questions in the role `decide`: statements, the decision expected on each, and what each exercises."""

from collections import defaultdict
from typing import Any, Final

from conformance.models.decision.capability import BOTH, Capability
from conformance.models.decision.decision import Mode, Safety
from conformance.models.decision.statement import QuestionStatement, QuestionTable
from conformance.models.decision.worklog_table import WorklogRow, row_for
from conformance.strategies.grammar.case import Expected
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.question import Question

#: The safety that a statement's text suggests, and the text. The safety of a case is given, whatever its text suggests.
_TEXTS: Final = (
    ("safe", "INSERT INTO t1 VALUES (1)"),
    ("unsafe", "INSERT INTO t1 VALUES (UUID())"),
    ("safe", "DELETE FROM t1 WHERE a = 1"),
    ("unsafe", "UPDATE t1 SET a = 2 LIMIT 1"),
    ("safe", "CREATE TABLE t1 (a INT)"),
    ("unsafe", "CREATE TABLE t1 SELECT * FROM t2"),
    ("safe", "CREATE TEMPORARY TABLE t1 (a INT)"),
    ("unsafe", "INSERT INTO t1 SELECT a FROM t2 LIMIT 1"),
    ("safe", "ALTER TABLE t1 ADD COLUMN b INT"),
    ("unsafe", "REPLACE INTO t1 SELECT a FROM t2"),
    ("safe", "TRUNCATE TABLE t1"),
    ("unsafe", "LOAD DATA INFILE 'f' INTO TABLE t1"),
    ("safe", "DROP TABLE t1"),
    ("unsafe", "update t1 set a = rand()"),
    ("safe", "/* a comment */ UPDATE `日本` SET a = 'uuid()'"),
    ("unsafe", "INSERT INTO t1 VALUES (@@hostname)"),
    ("safe", "CALL p1()"),
    ("unsafe", "SELECT f1()"),
)
#: Whether the log is open, and SQL_LOG_BIN. Only the first pair is logging.
SWITCHES: Final = ((True, True), (True, False), (False, True), (False, False))

#: What every statement exercises, and what one without logging exercises.
_FORMATS: Final = "WL3303-DECISION-TWO-FORMATS"
_OFF: Final = (_FORMATS, "WL3303-LOG-OFF-NO-MESSAGE", "WL3303-LOG-OFF-EXECUTED")
#: What tables are capable of does not depend on whether the log is open.
_OF_TABLES: Final = frozenset(
    {
        "WL3303-TWO-FLAGS",
        "WL3303-FLAGS-PER-TABLE",
        "WL3303-FLAGS-PARTITIONED",
        "WL3303-SET-CAPABLE",
        "WL3303-SET-TO-WRITE-TABLES",
        "WL3303-SET-ALL-LOCKED-TABLES",
    }
)
#: What compares a decision with those before it, whose tables may be of engines with settings of their own.
_OF_SEVERAL: Final = frozenset({"WL3303-DECISION-PER-STATEMENT", "WL3303-DECISION-INPUTS"})


def _word(value: bool) -> str:
    return "yes" if value else "no"


class DecisionQuestion:
    """A question that grows statement by statement.

    Args:
        chooser: The chooser that answers the grammar's questions.
    """

    def __init__(self, chooser: Chooser) -> None:
        self._choose = chooser
        self._statements: list[QuestionStatement] = []
        self._entries: list[dict[str, Any]] = []
        self._conditions: list[WorklogRow | None] = []
        self._marks: dict[str, list[int]] = defaultdict(list)

    def ask(
        self,
        row: WorklogRow,
        tables: tuple[QuestionTable, ...],
        *marks: str,
        switch: tuple[bool, bool] = SWITCHES[0],
    ) -> None:
        """Add a statement.

        Args:
            row: The row of the decision table that decides if logging is on.
            tables: Tables with the capability of the row.
            *marks: What the tables exercise.
            switch: Whether the log is open, and SQL_LOG_BIN.
        """
        looks, text = self._choose.one_of(_TEXTS)
        logging = switch == SWITCHES[0]
        self._statements.append(QuestionStatement(row.safety, row.mode, tables, *switch, text))
        by_engine = any(each.by_engine for each in tables)
        of_row = {row.requirement, *self._marks_of_row(row, looks)} - (_OF_SEVERAL if by_engine else frozenset())
        exercised = {*marks, *of_row} if logging else {*_OFF, *_OF_TABLES.intersection(marks)}
        for mark in sorted(exercised):
            self._marks[mark].append(len(self._entries))
        self._entries.append(_entry(row) if logging else _entry_off(row.capability))
        self._conditions.append(row if logging and not by_engine else None)

    def ask_servers(
        self,
        profile: str,
        condition: tuple[Safety, Mode],
        tables: tuple[QuestionTable, ...],
        mark: str,
        switch: tuple[bool, bool] = SWITCHES[0],
    ) -> None:
        """Add a statement that the table of servers decides, which has more than that of the worklog.

        Args:
            profile: The server's profile.
            condition: The statement's safety, and the mode.
            tables: The tables that it locks.
            mark: What it exercises with logging.
            switch: Whether the log is open, and SQL_LOG_BIN.
        """
        _, text = self._choose.one_of(_TEXTS)
        statement = QuestionStatement(*condition, tables, *switch, text)
        decision = statement.decide(profile)
        for each in (mark,) if statement.logging else _OFF:
            self._marks[each].append(len(self._entries))
        self._statements.append(statement)
        self._entries.append(
            {
                "format": decision.format or "none",
                "message": decision.message.kind if decision.message else "none",
                "executed": _word(decision.executed),
                **_capable(statement.capability(profile)),
            }
        )
        self._conditions.append(None)

    def ask_again(self) -> None:
        """Add every statement with logging once more, the last one first, each after a safe one that is logged."""
        logged = [index for index, each in enumerate(self._statements) if each.logging]
        between = len(self._statements)
        self.ask(row_for("safe", "statement", BOTH), ())
        for index in reversed(logged):
            self._repeat(index)
            self._repeat(between)

    def _repeat(self, index: int) -> None:
        for mark in (_FORMATS, "WL3303-DECISION-PER-STATEMENT"):
            self._marks[mark].append(len(self._entries))
        self._statements.append(self._statements[index])
        self._entries.append(self._entries[index])
        self._conditions.append(self._conditions[index])

    def _marks_of_row(self, row: WorklogRow, looks: str) -> list[str]:
        kind = row.message.kind if row.message else None
        before = self._entries[-1]["format"] if self._entries else None
        conditions = {
            _FORMATS: True,
            "WL3303-DECISION-PER-STATEMENT": before not in (None, row.format or "none"),
            "WL3303-DECISION-INPUTS": row in self._conditions,
            "WL3303-SAFETY-GIVEN": looks != row.safety and _safety_decides(row),
            "WL3303-SAFETY-UNSAFE-AS-ROW": row.safety == "unsafe" and row.mode != "statement" and row.capability.row,
            "WL3303-WARNING-MEANS-STATEMENT": row.safety == "unsafe",
            "WL3303-WARNING-EXECUTED": kind == "warning",
            "WL3303-ERROR-NOT-EXECUTED": kind == "error",
            "WL3303-ERROR-NOTHING-LOGGED": kind == "error",
        }
        return [requirement for requirement, applies in conditions.items() if applies]

    def question(self) -> Question:
        """Return the finished question."""
        return Question(
            expected=Expected(events=tuple(self._entries)),
            marks=self._marks,
            settings={"statements": [each.setting() for each in self._statements]},
        )


def _safety_decides(row: WorklogRow) -> bool:
    """Return whether the decision would differ if the statement's safety were the other one."""
    other = row_for("unsafe" if row.safety == "safe" else "safe", row.mode, row.capability)
    return (other.format, other.message) != (row.format, row.message)


def _capable(capability: Capability) -> dict[str, str]:
    restricted = "row" if capability.row_restricted else "statement" if capability.statement_restricted else "none"
    return {
        "row_capable": _word(capability.row),
        "statement_capable": _word(capability.statement),
        "restricted": restricted,
    }


def _entry(row: WorklogRow) -> dict[str, str]:
    return {
        "format": row.format or "none",
        "message": row.message.kind if row.message else "none",
        # A row of the table has a format if the statement is executed, and an error if it is not.
        "executed": _word(row.format is not None),
        **_capable(row.capability),
    }


def _entry_off(capability: Capability) -> dict[str, str]:
    return {"format": "none", "message": "none", "executed": "yes", **_capable(capability)}
