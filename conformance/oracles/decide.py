"""The oracles of the role `decide`: how statements are logged (WL#3303)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from conformance.models.decision.capability import Capability
from conformance.models.decision.decision import Safety
from conformance.models.decision.engines import WORKLOG_ENGINES
from conformance.models.decision.worklog_table import DECISION_TABLE, WorklogRow, row_for
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.repeated_statements import OTHERWISE, answered_otherwise, repeated, unless_otherwise
from conformance.oracles.coverage.coverage_table import CoverageTable
from conformance.oracles.oracle import GOOD, Check, Oracle
from conformance.strategies.grammar.case import Case

Answer = Mapping[str, Any]
#: Returns a stable description of what is wrong with the answer about a statement, "" if nothing is, None if the
#: answer does not show it.
Look = Callable[[Alignment, int, Answer], str | None]


_OTHER: Final[Mapping[Safety, Safety]] = {"safe": "unsafe", "unsafe": "safe"}
_ROW_CAPABLE: Final = "row_capable"
_STATEMENT_CAPABLE: Final = "statement_capable"


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
                yield _check(alignment, index, wrong)

    return Oracle(requirement, examine, needs=frozenset(needs))


def _check(alignment: Alignment, index: int, wrong: str, *, because: int | None = None) -> Check:
    """Return the check of a statement.

    Args:
        alignment: The answer beside the expected one.
        index: Index of the statement.
        wrong: What is wrong, "" for nothing.
        because: Index of the statement that it is wrong because of, if not its own.
    """
    if not wrong:
        return GOOD
    of_statement = _wrong_field(alignment, index) or ("" if because is None else _wrong_field(alignment, because))
    message = f"statement {index + 1}, {_condition(alignment, index)}: {wrong}"
    return Check(wrong, message, cause=Cause(of_statement or wrong, role="decide"))


#: The fields of a decision in the order in which they follow from each other.
_IN_ORDER: Final = ("row_capable", "statement_capable", "restricted", "format", "message", "executed")


def _wrong_field(alignment: Alignment, index: int) -> str:
    """Return what is wrong first with a decision: the rest follows from it.

    Where tables have a wrong capability, it is a matter of the tables and not of which one is asked for.
    """
    seen = alignment.observed(index)
    if seen is None:
        return ""
    wrong = _differs(alignment, index, seen, *_IN_ORDER)
    if wrong.startswith((_ROW_CAPABLE, _STATEMENT_CAPABLE)):
        return f"capability of the tables {wrong.partition(' ')[2]}"
    other = _decided_as(alignment, index, seen) if wrong.startswith(("format", "message")) else ""
    return f"{_OTHER[other]} statement decided as {other}" if other else wrong


def _condition(alignment: Alignment, index: int) -> str:
    """Return what a decision depends on, in words."""
    statement = alignment.case.settings["statements"][index]
    expected = alignment.case.expected.events[index]
    logging = "" if statement["log_open"] and statement["sql_log_bin"] else ", logging off"
    tables = "; ".join(map(_table_in_words, statement["tables"])) or "no tables"
    return (
        f"{statement['safety']}, mode {statement['mode']}, row capable {expected['row_capable']}, "
        f"statement capable {expected['statement_capable']}{logging} ({tables})"
    )


def _table_in_words(table: Mapping[str, Any]) -> str:
    """Return a table of a question in words, such as ``read myisam: row,stmt``."""
    name = table["engine"] if table["lock"] == "write" else f"read {table['engine']}"
    if "parts" in table:
        return f"{name} of {' and '.join(map(_table_in_words, table['parts']))}"
    if "row" not in table:
        return f"{name} with the engine's flags"
    return f"{name}: {Capability(row=table['row'], statement=table['statement'])}"


def _format(seen: Answer) -> str:
    """Return the logged format, "none" if there is an error: a format beside an error breaks another requirement."""
    return "none" if seen["message"] == "error" else str(seen["format"])


def _differs(alignment: Alignment, index: int, seen: Answer, *names: str) -> str:
    """Return the first of some declared fields whose value is not the expected one, in words."""
    expected = alignment.case.expected.events[index]
    for name in names:
        value = _format(seen) if name == "format" else seen.get(name)
        if name in alignment.role.fields and value != expected[name]:
            return f"{name} is {value}, not {expected[name]}"
    return ""


def _as_expected(*names: str) -> Look:
    """Return the look that compares fields with the expected ones."""
    return lambda alignment, index, seen: _differs(alignment, index, seen, *names)


def _if_capabilities_agree(look: Look) -> Look:
    """Return the same look, for those statements only whose tables have the right capabilities, as far as declared.

    What a decision table has for tables of other capabilities is not asked there. Where they are not declared, a
    decision for other capabilities shows that the setting of an engine is wrong, which is charged to no other
    requirement.
    """

    def guarded(alignment: Alignment, index: int, seen: Answer) -> str | None:
        if not {_ROW_CAPABLE, _STATEMENT_CAPABLE} <= alignment.role.fields and _of_other_flags(alignment, index, seen):
            return None
        agree = not _differs(alignment, index, seen, _ROW_CAPABLE, _STATEMENT_CAPABLE)
        return look(alignment, index, seen) if agree else None

    return guarded


def _of_other_flags(alignment: Alignment, index: int, seen: Answer) -> bool:
    """Return whether a wrong decision on tables with engines' settings is that on tables of other capabilities."""
    statement = alignment.case.settings["statements"][index]
    if not _own_engines(statement["tables"]) or not _differs(alignment, index, seen, "format", "message"):
        return False
    rows = (row for row in DECISION_TABLE if (row.safety, row.mode) == (statement["safety"], statement["mode"]))
    outcomes = set(map(_outcome, rows))
    return (_format(seen), seen["message"]) in outcomes


def _capable(alignment: Alignment, index: int, seen: Answer) -> str:
    """Compare the capabilities of a set; one that is not declared is judged by the format of the statement."""
    statement = alignment.case.settings["statements"][index]
    expected = alignment.case.expected.events[index]
    logged = statement["log_open"] and statement["sql_log_bin"]
    for name, (formatted, shown_by) in _SHOWN_BY.items():
        if name in alignment.role.fields:
            wrong = _differs(alignment, index, seen, name)
        elif not logged or (statement["safety"], statement["mode"]) not in shown_by:
            wrong = ""
        else:
            capable = "yes" if _format(seen) == formatted else "no"
            wrong = f"logged as {_format(seen)}, but {name} is {expected[name]}" if capable != expected[name] else ""
        if wrong:
            return wrong
    return ""


#: Capability -> the format that a statement has if and only if its tables have the capability, and the safeties and
#: modes for which this holds.
_SHOWN_BY: Final = {
    "row_capable": ("row", {("safe", "row"), ("unsafe", "row"), ("unsafe", "mixed")}),
    "statement_capable": ("statement", {("safe", "statement"), ("unsafe", "statement"), ("safe", "mixed")}),
}


def _if_engines_agree(look: Look) -> Look:
    """Return the same look, for those statements only whose engines are answered rightly where they are alone."""

    def guarded(alignment: Alignment, index: int, seen: Answer) -> str | None:
        statements = alignment.case.settings["statements"]
        own = _own_engines(statements[index]["tables"])
        for place, each in enumerate(statements):
            alone = each["tables"] if len(each["tables"]) == 1 and "parts" not in each["tables"][0] else []
            if place in alignment.declined:
                continue
            answer = alignment.observed(place)
            if own & _own_engines(alone) and (answer is None or _capable(alignment, place, answer)):
                return None
        return look(alignment, index, seen)

    return guarded


def _own_engines(tables: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the engines of tables, and of their parts, that have the flags of the engine's own setting."""
    simple = frozenset(table["engine"] for table in tables if "row" not in table and "parts" not in table)
    return simple.union(*(_own_engines(table.get("parts", ())) for table in tables))


def _never(capability: str, logged: str) -> Look:
    """Return the look that checks that a set without a capability is not logged in that format."""

    def look(alignment: Alignment, index: int, seen: Answer) -> str | None:
        expected = alignment.case.expected.events[index]
        if expected[capability] == "no":
            return f"logged as {logged} anyway" if _format(seen) == logged else ""
        return _differs(alignment, index, seen, capability) if capability in seen else None

    return look


def _restricted(to: str, other: str) -> Look:
    def look(alignment: Alignment, index: int, seen: Answer) -> str:
        if _format(seen) == other:
            return f"logged as {other} although only {to} is possible"
        return _differs(alignment, index, seen, "restricted")

    return look


def _kept(alignment: Alignment, index: int, seen: Answer) -> str:
    """Check that a statement does not have the format of the one before it, with another one, instead of its own."""
    if index in repeated(alignment):
        return ""
    before = alignment.observed(index - 1)
    wrong = _differs(alignment, index, seen, "format")
    return wrong if before is not None and _format(seen) == _format(before) else ""


def _decided_as(alignment: Alignment, index: int, seen: Answer) -> Safety | Literal[""]:
    """Return the safety as which a statement is decided, if that is the wrong one; empty otherwise.

    Only where the worklog's table decides, and not where logging is off.
    """
    statement = alignment.case.settings["statements"][index]
    expected = alignment.case.expected.events[index]
    capability = Capability(row=expected[_ROW_CAPABLE] == "yes", statement=expected[_STATEMENT_CAPABLE] == "yes")
    own = statement["safety"]
    if own not in _OTHER:
        return ""
    outcomes = {each: _outcome(row_for(each, statement["mode"], capability)) for each in (own, _OTHER[own])}
    if outcomes[own] != (expected["format"], expected["message"]) or outcomes[own] == outcomes[_OTHER[own]]:
        return ""
    return _OTHER[own] if (_format(seen), seen["message"]) == outcomes[_OTHER[own]] else ""


def _outcome(row: WorklogRow) -> tuple[str, str]:
    return row.format or "none", row.message.kind if row.message else "none"


def _revised(alignment: Alignment, index: int, seen: Answer) -> str:
    """Check that a statement is not decided as if its safety were the other one."""
    other = _decided_as(alignment, index, seen)
    return f"decided as {other}" if other else ""


def _not_executed(alignment: Alignment, index: int, seen: Answer) -> str | None:
    if seen["message"] != "error":
        return None
    return "executed despite the error" if seen["executed"] == "yes" else ""


def _nothing_logged(alignment: Alignment, index: int, seen: Answer) -> str | None:
    if seen["message"] != "error":
        return None
    return "" if seen["format"] == "none" else "logged despite the error"


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
    """Compare what happens while logging is off; without the field `executed`, an error means that it is refused."""
    if "executed" not in seen and seen["message"] == "error":
        return "refused with an error"
    return _differs(alignment, index, seen, "executed", "format")


def _never_refused(alignment: Alignment, index: int, seen: Answer) -> str:
    """Check that an unsafe statement that can be logged as rows is."""
    return _differs(alignment, index, seen, "format")


def _any_two_flags(requirement: str) -> Oracle:
    """Return the oracle that checks that every combination of the two flags is a valid input with its own meaning."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            if seen is None:
                yield _check(alignment, index, "no answer about these flags")
            else:
                yield _check(alignment, index, _capable(alignment, index, seen))

    return Oracle(requirement, examine)


def _two_formats(requirement: str) -> Oracle:
    """Return the oracle that checks that every statement gets a decision: row, statement, or none with a reason."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            seen = alignment.observed(index)
            if seen is None:
                yield _check(alignment, index, "no decision")
            elif seen["format"] not in ("row", "statement", "none"):
                yield _check(alignment, index, f"{seen['format']} is not a valid format")
            else:
                statement = alignment.case.settings["statements"][index]
                logging = statement["log_open"] and statement["sql_log_bin"]
                refused = seen["format"] == "none" and seen["message"] != "error" and seen.get("executed") == "no"
                yield _check(alignment, index, "no format and no error" if logging and refused else "")
        error = alignment.observation.error
        if error is not None:
            yield Check("error instead of a decision", f"the answer ends with an error: {error.message}")

    return Oracle(requirement, examine)


def _per_statement(requirement: str) -> Oracle:
    """Return the oracle that checks that the format is decided for each statement, and for the same one alike."""
    answers = _check_answers(requirement, _kept)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if (pair := answered_otherwise(alignment)) is not None:
            first, index = pair
            message = (
                f"statement {index + 1}, {_condition(alignment, index)}, is decided otherwise than number {first + 1}"
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
                yield _check(alignment, index, wrong, because=before)

    return Oracle(requirement, examine)


def _inputs(case: Case, index: int, seen: Answer) -> tuple[Any, ...] | None:
    """Return the four inputs of a decision, None if logging is off or an engine's own flags apply.

    Capabilities are those that the answer has, if it has any: a wrong one is not a fault of the decision.
    """
    statement = case.settings["statements"][index]
    if _own_engines(statement["tables"]) or not (statement["log_open"] and statement["sql_log_bin"]):
        return None
    expected = case.expected.events[index]
    capabilities = (seen.get(each, expected[each]) for each in (_ROW_CAPABLE, _STATEMENT_CAPABLE))
    return statement["safety"], statement["mode"], *capabilities


_OF_EACH: Final = (
    _check_answers("WL3303-ENGINE-MAY-FORBID-ROW", _never(_ROW_CAPABLE, "row")),
    _check_answers("WL3303-ENGINE-MAY-FORBID-STATEMENT", _never(_STATEMENT_CAPABLE, "statement")),
    _any_two_flags("WL3303-TWO-FLAGS"),
    _check_answers("WL3303-CAPABILITY-NOT-PREFERENCE", _if_capabilities_agree(_as_expected("format"))),
    _check_answers("WL3303-FLAGS-PER-TABLE", _capable),
    _check_answers("WL3303-FLAGS-PARTITIONED", _if_engines_agree(_capable)),
    *(_check_answers(engine.requirement, _capable) for engine in WORKLOG_ENGINES),
    _check_answers("WL3303-SET-CAPABLE", _if_engines_agree(_capable)),
    _check_answers("WL3303-SET-ROW-RESTRICTED", _if_capabilities_agree(_restricted("row", "statement"))),
    _check_answers("WL3303-SET-STATEMENT-RESTRICTED", _if_capabilities_agree(_restricted("statement", "row"))),
    _check_answers("WL3303-SET-TO-WRITE-TABLES", _capable),
    _check_answers("WL3303-SET-ALL-LOCKED-TABLES", _capable),
    _check_answers("WL3303-SET-INCOMPATIBLE", _if_capabilities_agree(_as_expected("message", "format"))),
    _two_formats("WL3303-DECISION-TWO-FORMATS"),
    _same_inputs("WL3303-DECISION-INPUTS"),
    _check_answers("WL3303-SAFETY-GIVEN", _if_capabilities_agree(_revised)),
    _check_answers("WL3303-SAFETY-UNSAFE-AS-ROW", _if_capabilities_agree(_never_refused)),
    _check_answers("WL3303-ERROR-NOT-EXECUTED", _not_executed, "executed"),
    _check_answers("WL3303-ERROR-NOTHING-LOGGED", _nothing_logged),
    _check_answers("WL3303-WARNING-EXECUTED", _if_capabilities_agree(_warned_and_executed)),
    _check_answers("WL3303-WARNING-MEANS-STATEMENT", _warning_means_statement),
    _check_answers("FORMAT-DECIDE-UNREPLICATED", _as_expected("message", "format")),
    _check_answers("WL3303-LOG-OFF-NO-MESSAGE", _as_expected("message")),
    _check_answers("WL3303-LOG-OFF-EXECUTED", _executed_unlogged),
    *(
        _check_answers(row.requirement, _if_capabilities_agree(_as_expected("message", "format")))
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
