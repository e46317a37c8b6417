"""The oracles of the role `decide`: how statements are logged (WL#3303)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from conformance.models.decision.engines import WORKLOG_ENGINES
from conformance.models.decision.worklog_table import DECISION_TABLE, WorklogRow
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.decided_statements import (
    ROW_CAPABLE,
    STATEMENT_CAPABLE,
    Answer,
    Look,
    as_expected,
    capable,
    checked,
    condition,
    executed_unlogged,
    if_capabilities_agree,
    if_engines_agree,
    kept,
    never,
    never_refused,
    not_executed,
    nothing_logged,
    own_engines,
    restricted,
    revised,
    warned_and_executed,
    warning_means_statement,
)
from conformance.oracles.checks.repeated_statements import OTHERWISE, answered_otherwise, unless_otherwise
from conformance.oracles.coverage.coverage_table import CoverageTable
from conformance.oracles.oracle import Check, Oracle
from conformance.strategies.grammar.case import Case


def _check_answers(requirement: str, look: Look, *needs: str) -> Oracle:
    """Return the oracle that checks the answers about the marked statements.

    Args:
        requirement: The requirement's id.
        look: Returns what is wrong with one.
        *needs: The fields that it requires, besides format and message.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            wrong = None if seen is None else look(alignment, index, seen)
            if wrong is not None:
                yield checked(alignment, index, wrong)

    return Oracle(requirement, examine, needs=frozenset(needs))


def _any_two_flags(requirement: str) -> Oracle:
    """Return the oracle that checks that every combination of the two flags is a valid input with its own meaning."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            if seen is None:
                yield checked(alignment, index, "no answer about these flags")
            else:
                yield checked(alignment, index, capable(alignment, index, seen))

    return Oracle(requirement, examine)


def _two_formats(requirement: str) -> Oracle:
    """Return the oracle that checks that every statement gets a decision: row, statement, or none with a reason."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            if seen is None:
                yield checked(alignment, index, "no decision")
            elif seen["format"] not in ("row", "statement", "none"):
                yield checked(alignment, index, f"{seen['format']} is not a valid format")
            else:
                statement = alignment.case.settings["statements"][index]
                logging = statement["log_open"] and statement["sql_log_bin"]
                refused = seen["format"] == "none" and seen["message"] != "error" and seen.get("executed") == "no"
                yield checked(alignment, index, "no format and no error" if logging and refused else "")
        error = alignment.observation.error
        if error is not None:
            yield Check("error instead of a decision", f"the answer ends with an error: {error.message}")

    return Oracle(requirement, examine)


def _per_statement(requirement: str) -> Oracle:
    """Return the oracle that checks that the format is decided for each statement, and for the same one alike."""
    answers = _check_answers(requirement, kept)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if (pair := answered_otherwise(alignment)) is not None:
            first, index = pair
            message = (
                f"statement {index + 1}, {condition(alignment, index)}, is decided otherwise than number {first + 1}"
            )
            yield Check(OTHERWISE.kind, f"{message}, which is the same", cause=OTHERWISE)
            return
        yield from answers.examine(alignment, requirement)

    return Oracle(requirement, examine)


def _same_inputs(requirement: str) -> Oracle:
    """Return the oracle that checks that statements with the same four inputs get the same decision.

    It compares answers with each other, not with the expected ones.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        marked = set(alignment.marked(requirement))
        first: dict[tuple[Any, ...], tuple[int, Answer]] = {}
        for index in range(alignment.count):
            seen = alignment.observed(index)
            inputs = None if seen is None else _inputs(alignment.case, index, seen)
            if seen is None or inputs is None:
                continue
            before, other = first.setdefault(inputs, (index, seen))
            if index in marked:
                names = [each for each in ("format", "message", "executed") if seen.get(each) != other.get(each)]
                wrong = f"{names[0]} differs from before, with the same inputs" if names else ""
                yield checked(alignment, index, wrong, because=before)

    return Oracle(requirement, examine)


def _inputs(case: Case, index: int, seen: Answer) -> tuple[Any, ...] | None:
    """Return the four inputs of a decision, None if logging is off or an engine's own flags apply.

    Capabilities are those that the answer has, if it has any: a wrong one is not a fault of the decision.
    """
    statement = case.settings["statements"][index]
    if own_engines(statement["tables"]) or not (statement["log_open"] and statement["sql_log_bin"]):
        return None
    expected = case.expected.events[index]
    capabilities = (seen.get(each, expected[each]) for each in (ROW_CAPABLE, STATEMENT_CAPABLE))
    return statement["safety"], statement["mode"], *capabilities


_OF_EACH: Final = (
    _check_answers("WL3303-ENGINE-MAY-FORBID-ROW", never(ROW_CAPABLE, "row")),
    _check_answers("WL3303-ENGINE-MAY-FORBID-STATEMENT", never(STATEMENT_CAPABLE, "statement")),
    _any_two_flags("WL3303-TWO-FLAGS"),
    _check_answers("WL3303-CAPABILITY-NOT-PREFERENCE", if_capabilities_agree(as_expected("format"))),
    _check_answers("WL3303-FLAGS-PER-TABLE", if_engines_agree(capable)),
    _check_answers("WL3303-FLAGS-PARTITIONED", if_engines_agree(capable)),
    *(_check_answers(engine.requirement, capable) for engine in WORKLOG_ENGINES),
    _check_answers("WL3303-SET-CAPABLE", if_engines_agree(capable)),
    _check_answers("WL3303-SET-ROW-RESTRICTED", if_capabilities_agree(restricted("row", "statement"))),
    _check_answers("WL3303-SET-STATEMENT-RESTRICTED", if_capabilities_agree(restricted("statement", "row"))),
    _check_answers("WL3303-SET-TO-WRITE-TABLES", capable),
    _check_answers("WL3303-SET-ALL-LOCKED-TABLES", capable),
    _check_answers("WL3303-SET-INCOMPATIBLE", if_capabilities_agree(as_expected("message", "format"))),
    _two_formats("WL3303-DECISION-TWO-FORMATS"),
    _same_inputs("WL3303-DECISION-INPUTS"),
    _check_answers("WL3303-SAFETY-GIVEN", if_capabilities_agree(revised)),
    _check_answers("WL3303-SAFETY-UNSAFE-AS-ROW", if_capabilities_agree(never_refused)),
    _check_answers("WL3303-ERROR-NOT-EXECUTED", not_executed, "executed"),
    _check_answers("WL3303-ERROR-NOTHING-LOGGED", nothing_logged),
    _check_answers("WL3303-WARNING-EXECUTED", if_capabilities_agree(warned_and_executed)),
    _check_answers("WL3303-WARNING-MEANS-STATEMENT", warning_means_statement),
    _check_answers("FORMAT-DECIDE-UNREPLICATED", as_expected("message", "format")),
    _check_answers("WL3303-LOG-OFF-NO-MESSAGE", as_expected("message")),
    _check_answers("WL3303-LOG-OFF-EXECUTED", executed_unlogged),
    *(
        _check_answers(row.requirement, if_capabilities_agree(as_expected("message", "format")))
        for row in DECISION_TABLE
    ),
)
ORACLES: Final = (_per_statement("WL3303-DECISION-PER-STATEMENT"), *map(unless_otherwise, _OF_EACH))


def _cell(row: WorklogRow) -> tuple[str, ...]:
    capability = (row.capability.row, row.capability.statement)
    return row.safety, row.mode, *("yes" if each else "no" for each in capability)


_CELLS: Final[Mapping[str, tuple[str, ...]]] = {row.requirement: _cell(row) for row in DECISION_TABLE}


def _decision_rows(case: Case) -> Iterator[tuple[str, ...]]:
    for requirement, indices in case.marks.items():
        if requirement in _CELLS:
            yield from (_CELLS[requirement] for _ in indices)


#: Which rows of the decision table a corpus exercised.
COVERAGE_TABLES: Final = (
    CoverageTable(
        "rows of the decision table",
        ("statement", "mode", "row capable", "statement capable"),
        _decision_rows,
        tuple(_CELLS.values()),
        role="decide",
    ),
)
