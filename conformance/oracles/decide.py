"""The oracles of the role `decide`: how statements are logged (WL#3303)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.models.decision.capability import Capability
from conformance.models.decision.decision import Safety
from conformance.models.decision.engines import WORKLOG_ENGINES
from conformance.models.decision.worklog_table import DECISION_TABLE, Row, row_for
from conformance.oracles.alignment import Alignment
from conformance.oracles.coverage.coverage_table import CoverageTable
from conformance.oracles.oracle import GOOD, Check, Oracle
from conformance.strategies.grammar.case import Case

Answer = Mapping[str, Any]
#: Tells what is wrong with the answer on a statement, in words that do not vary; the empty text for nothing, and None
#: where the answer does not show it.
Look = Callable[[Alignment, int, Answer], str | None]


def _told(requirement: str, look: Look, *needs: str) -> Oracle:
    """Return the oracle that looks at the answers on the marked statements.

    Args:
        requirement: The requirement's id.
        look: Tells what is wrong with one.
        *needs: The fields that it cannot do without; format and message are always there.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        for index in alignment.marked(name):
            seen = alignment.observed(index)
            wrong = None if seen is None else look(alignment, index, seen)
            if wrong is not None:
                yield _check(alignment, index, wrong)

    return Oracle(requirement, examine, needs=frozenset(needs))


def _check(alignment: Alignment, index: int, wrong: str) -> Check:
    return Check(wrong, f"statement {index + 1}, {_condition(alignment, index)}: {wrong}") if wrong else GOOD


def _condition(alignment: Alignment, index: int) -> str:
    """Return what a decision depends on, in words."""
    asked = alignment.case.settings["statements"][index]
    expected = alignment.case.expected.events[index]
    logging = "" if asked["log_open"] and asked["sql_log_bin"] else ", logging off"
    tables = "; ".join(map(_table_in_words, asked["tables"])) or "no tables"
    return (
        f"{asked['safety']}, mode {asked['mode']}, row capable {expected['row_capable']}, "
        f"statement capable {expected['statement_capable']}{logging} ({tables})"
    )


def _table_in_words(asked: Mapping[str, Any]) -> str:
    """Return a table of a question in words, such as ``read myisam: row,stmt``."""
    name = asked["engine"] if asked["lock"] == "write" else f"read {asked['engine']}"
    if "parts" in asked:
        return f"{name} of {' and '.join(map(_table_in_words, asked['parts']))}"
    if "row" not in asked:
        return f"{name} as it is set"
    return f"{name}: {Capability(row=asked['row'], statement=asked['statement'])}"


def _format(seen: Answer) -> str:
    """Return the format that is logged; one that comes with an error breaks a requirement of its own."""
    return "none" if seen["message"] == "error" else str(seen["format"])


def _differs(alignment: Alignment, index: int, seen: Answer, *names: str) -> str:
    """Return the first of some fields that is declared and not as expected, in words."""
    expected = alignment.case.expected.events[index]
    for name in names:
        found = _format(seen) if name == "format" else seen.get(name)
        if name in alignment.role.fields and found != expected[name]:
            return f"{name} is {found}, not {expected[name]}"
    return ""


def _as_expected(*names: str) -> Look:
    """Return the look that compares fields with the expected ones."""
    return lambda alignment, index, seen: _differs(alignment, index, seen, *names)


def _capable(alignment: Alignment, index: int, seen: Answer) -> str:
    """Compare the capabilities of a set; of one that is not declared, see whether the statement is logged by it."""
    asked = alignment.case.settings["statements"][index]
    expected = alignment.case.expected.events[index]
    for name, (formatted, shown_by) in _SHOWN_BY.items():
        if name in alignment.role.fields:
            wrong = _differs(alignment, index, seen, name)
        elif (asked["safety"], asked["mode"]) not in shown_by:
            wrong = ""
        else:
            capable = "yes" if _format(seen) == formatted else "no"
            wrong = f"logged as {_format(seen)}, and {name} is {expected[name]}" if capable != expected[name] else ""
        if wrong:
            return wrong
    return ""


#: Capability -> the format that a statement has if, and only if, its tables have it, and the safeties and modes in
#: which that is so.
_SHOWN_BY: Final = {
    "row_capable": ("row", {("safe", "row"), ("unsafe", "row"), ("unsafe", "mixed")}),
    "statement_capable": ("statement", {("safe", "statement"), ("unsafe", "statement"), ("safe", "mixed")}),
}


def _never(capability: str, logged: str) -> Look:
    """Return the look that a set without a capability is not logged in that format, and one with it may be."""

    def look(alignment: Alignment, index: int, seen: Answer) -> str | None:
        expected = alignment.case.expected.events[index]
        if expected[capability] == "no":
            return f"logged as {logged} all the same" if _format(seen) == logged else ""
        return _differs(alignment, index, seen, capability) if capability in seen else None

    return look


def _restricted(to: str, other: str) -> Look:
    def look(alignment: Alignment, index: int, seen: Answer) -> str:
        if _format(seen) == other:
            return f"logged as {other}, though only {to} is possible"
        return _differs(alignment, index, seen, "restricted")

    return look


def _kept(alignment: Alignment, index: int, seen: Answer) -> str:
    """Tell whether a statement has the format of the one before it instead of its own."""
    before = alignment.observed(index - 1)
    wrong = _differs(alignment, index, seen, "format")
    return wrong if before is not None and _format(seen) == _format(before) else ""


def _revised(alignment: Alignment, index: int, seen: Answer) -> str:
    """Tell whether a statement is decided as if its safety were the other one."""
    asked = alignment.case.settings["statements"][index]
    expected = alignment.case.expected.events[index]
    capability = Capability(row=expected["row_capable"] == "yes", statement=expected["statement_capable"] == "yes")
    other: Safety = "unsafe" if asked["safety"] == "safe" else "safe"
    row = row_for(other, asked["mode"], capability)
    outcome = (row.format or "none", row.message.kind if row.message else "none")
    wrong = _differs(alignment, index, seen, "format", "message")
    return f"decided as {other}" if wrong and (_format(seen), seen["message"]) == outcome else ""


def _not_executed(alignment: Alignment, index: int, seen: Answer) -> str | None:
    if seen["message"] != "error":
        return None
    return "executed in spite of the error" if seen["executed"] == "yes" else ""


def _nothing_logged(alignment: Alignment, index: int, seen: Answer) -> str | None:
    if seen["message"] != "error":
        return None
    return "" if seen["format"] == "none" else f"logged as {seen['format']} in spite of the error"


def _warned_and_executed(alignment: Alignment, index: int, seen: Answer) -> str:
    if seen["message"] != "warning":
        return f"{seen['message']} instead of the warning"
    if seen.get("executed") == "no":
        return "not executed because of the warning"
    return "not logged because of the warning" if seen["format"] == "none" else ""


def _warning_means_statement(alignment: Alignment, index: int, seen: Answer) -> str:
    other = seen["message"] == "warning" and seen["format"] not in ("statement", "none")
    return f"a warning, and logged as {seen['format']}" if other else ""


def _executed_unlogged(alignment: Alignment, index: int, seen: Answer) -> str:
    """Compare what happens while logging is off; an error says that a statement is refused where no field tells."""
    if "executed" not in seen and seen["message"] == "error":
        return "refused with an error"
    return _differs(alignment, index, seen, "executed", "format")


def _never_refused(alignment: Alignment, index: int, seen: Answer) -> str:
    """Tell whether an unsafe statement that could be logged as rows is not: as a statement, or not at all."""
    return _differs(alignment, index, seen, "format")


def _any_two_flags(requirement: str) -> Oracle:
    """Return the oracle that every combination of the two flags is a legal input, and is what it says."""

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        for index in alignment.marked(name):
            seen = alignment.observed(index)
            if seen is None:
                yield _check(alignment, index, "these flags are not answered")
            else:
                yield _check(alignment, index, _capable(alignment, index, seen))

    return Oracle(requirement, examine)


def _two_formats(requirement: str) -> Oracle:
    """Return the oracle that every statement gets a decision: row, statement, or none for a reason."""

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        for index in alignment.marked(name):
            seen = alignment.observed(index)
            if seen is None:
                yield _check(alignment, index, "no decision")
            elif seen["format"] not in ("row", "statement", "none"):
                yield _check(alignment, index, f"{seen['format']} is no format")
            else:
                asked = alignment.case.settings["statements"][index]
                logging = asked["log_open"] and asked["sql_log_bin"]
                missing = logging and seen["format"] == "none" and seen["message"] != "error"
                yield _check(alignment, index, "no format, and no error says why" if missing else "")
        error = alignment.observation.error
        if error is not None:
            yield Check("error in the place of a decision", f"the answer ends with an error: {error.message}")

    return Oracle(requirement, examine)


def _per_statement(requirement: str) -> Oracle:
    """Return the oracle that a format is decided anew for each statement, once."""
    told = _told(requirement, _kept)

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        yield from told.examine(alignment, name)
        if alignment.phantoms:
            yield Check("more decisions than statements", f"{len(alignment.phantoms)} decisions are about no statement")

    return Oracle(requirement, examine)


def _same_inputs(requirement: str) -> Oracle:
    """Return the oracle that statements which agree in the four inputs get the same decision.

    It compares answers with each other, and not with what is expected.
    """

    def examine(alignment: Alignment, name: str) -> Iterator[Check]:
        marked = set(alignment.marked(name))
        first: dict[tuple[Any, ...], Answer] = {}
        for index in range(alignment.count):
            seen = alignment.observed(index)
            inputs = _inputs(alignment.case, index)
            if seen is None or inputs is None:
                continue
            other = first.setdefault(inputs, seen)
            if index in marked:
                names = [each for each in ("format", "message", "executed") if seen.get(each) != other.get(each)]
                wrong = f"another {names[0]} than before, with the same inputs" if names else ""
                yield _check(alignment, index, wrong)

    return Oracle(requirement, examine)


def _inputs(case: Case, index: int) -> tuple[Any, ...] | None:
    """Return the four inputs of a decision, None where logging is off or an engine's own setting counts."""
    asked = case.settings["statements"][index]
    given = all("row" in table or "parts" in table for table in asked["tables"])
    if not given or not (asked["log_open"] and asked["sql_log_bin"]):
        return None
    expected = case.expected.events[index]
    return asked["safety"], asked["mode"], expected["row_capable"], expected["statement_capable"]


_ROW_CAPABLE: Final = "row_capable"
_STATEMENT_CAPABLE: Final = "statement_capable"

ORACLES: Final = (
    _told("WL3303-ENGINE-MAY-FORBID-ROW", _never(_ROW_CAPABLE, "row")),
    _told("WL3303-ENGINE-MAY-FORBID-STATEMENT", _never(_STATEMENT_CAPABLE, "statement")),
    _any_two_flags("WL3303-TWO-FLAGS"),
    _told("WL3303-CAPABILITY-NOT-PREFERENCE", _as_expected("format", "message")),
    _told("WL3303-FLAGS-PER-TABLE", _capable),
    _told("WL3303-FLAGS-PARTITIONED", _capable),
    *(_told(engine.requirement, _capable) for engine in WORKLOG_ENGINES),
    _told("WL3303-SET-CAPABLE", _capable),
    _told("WL3303-SET-ROW-RESTRICTED", _restricted("row", "statement")),
    _told("WL3303-SET-STATEMENT-RESTRICTED", _restricted("statement", "row")),
    _told("WL3303-SET-TO-WRITE-TABLES", _capable),
    _told("WL3303-SET-ALL-LOCKED-TABLES", _capable),
    _told("WL3303-SET-INCOMPATIBLE", _as_expected("message", "format")),
    _two_formats("WL3303-DECISION-TWO-FORMATS"),
    _per_statement("WL3303-DECISION-PER-STATEMENT"),
    _same_inputs("WL3303-DECISION-INPUTS"),
    _told("WL3303-SAFETY-GIVEN", _revised),
    _told("WL3303-SAFETY-UNSAFE-AS-ROW", _never_refused),
    _told("WL3303-ERROR-NOT-EXECUTED", _not_executed, "executed"),
    _told("WL3303-ERROR-NOTHING-LOGGED", _nothing_logged),
    _told("WL3303-WARNING-EXECUTED", _warned_and_executed),
    _told("WL3303-WARNING-MEANS-STATEMENT", _warning_means_statement),
    _told("WL3303-LOG-OFF-NO-MESSAGE", _as_expected("message")),
    _told("WL3303-LOG-OFF-EXECUTED", _executed_unlogged),
    *(_told(row.requirement, _as_expected("message", "format")) for row in DECISION_TABLE),
)


def _cell(row: Row) -> tuple[str, ...]:
    capability = (row.capability.row, row.capability.statement)
    return row.safety, row.mode, *("yes" if each else "no" for each in capability)


_CELLS: Final[Mapping[str, tuple[str, ...]]] = {row.requirement: _cell(row) for row in DECISION_TABLE}


def _decision_rows(case: Case) -> Iterator[tuple[str, ...]]:
    for requirement, indices in case.marks.items():
        if requirement in _CELLS:
            yield from (_CELLS[requirement] for _ in indices)


#: Which rows of the decision table a corpus reached.
COVERAGE_TABLES: Final = (
    CoverageTable(
        "rows of the decision table",
        ("statement", "mode", "row capable", "statement capable"),
        _decision_rows,
        tuple(_CELLS.values()),
        role="decide",
    ),
)
