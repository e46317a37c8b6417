"""Logging decisions: statements of all kinds on sets of tables of all kinds, by the table of WL#3303."""

from typing import Final

from conformance.binlog.servers import Server
from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY
from conformance.models.decision.decision import Mode, Safety
from conformance.models.decision.statement import QuestionTable
from conformance.models.decision.worklog_table import DECISION_TABLE, row_for
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.decide import DecisionQuestion
from conformance.strategies.scenarios.table_sets import engines_judged, marks_of_set, tables_for

#: The profiles that the requirements of WL#3303 are for.
DECIDING: Final = Profiles("worklog", "mysql >= 5.5")

#: The modes that show the two capabilities separately.
_SHOWING: Final[tuple[Mode, ...]] = ("row", "statement")
_SAFETIES: Final[tuple[Safety, ...]] = ("safe", "unsafe")


@asking_family(focus="WL3303-DECISION-TWO-FORMATS", profiles=DECIDING)
def logging_decisions(choose: Chooser, server: Server) -> Question:
    """Any of the 24 conditions of the decision table, each on one or two sets of tables, with logging on or off."""
    decisions = DecisionQuestion(choose)
    wanted = [row for row in DECISION_TABLE if choose.yes()] or [DECISION_TABLE[choose.integer(0, 23)]]
    for row in wanted:
        for _ in choose.several(1, 2):
            tables = tables_for(choose, row.capability, server.profile)
            marks = marks_of_set(tables, row.capability, server.profile)
            decisions.ask(row, tables, row.requirement, *marks, logging=not choose.yes(5))
    return decisions.question()


@asking_family(focus="WL3303-SET-CAPABLE", profiles=DECIDING)
def engine_capabilities(choose: Chooser, server: Server) -> Question:
    """Tables of engines with their own settings, and sets with given flags, in the modes ROW and STATEMENT."""
    decisions = DecisionQuestion(choose)
    for name, capability, requirement in engines_judged(server.profile):
        if choose.yes():
            safety = choose.one_of(_SAFETIES)
            for mode in _SHOWING:
                decisions.ask(row_for(safety, mode, capability), (QuestionTable(name),), requirement)
    for _ in choose.several(1 if decisions.is_empty else 0, 6):
        capability = choose.one_of((BOTH, ROW_ONLY, STATEMENT_ONLY, NEITHER))
        safety = choose.one_of(_SAFETIES)
        for mode in _SHOWING:
            for _ in choose.several(1, 2):
                tables = tables_for(choose, capability, server.profile)
                decisions.ask(
                    row_for(safety, mode, capability), tables, *marks_of_set(tables, capability, server.profile)
                )
    return decisions.question()
