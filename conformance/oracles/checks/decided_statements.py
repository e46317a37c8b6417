"""What a decider answers about one statement, and what is wrong with it (WL#3303).

A look is one way of reading an answer: each requirement of the role `decide` has one.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

from conformance.models.decision.capability import Capability
from conformance.models.decision.decision import Safety
from conformance.models.decision.worklog_table import DECISION_TABLE, WorklogRow, row_for
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.repeated_statements import repeated
from conformance.oracles.oracle import GOOD, Check

Answer = Mapping[str, Any]
#: Returns a stable description of what is wrong with the answer about a statement, "" if nothing is, None if the
#: answer does not show it.
Look = Callable[[Alignment, int, Answer], str | None]

_OTHER: Final[Mapping[Safety, Safety]] = {"safe": "unsafe", "unsafe": "safe"}
ROW_CAPABLE: Final = "row_capable"
STATEMENT_CAPABLE: Final = "statement_capable"


def checked(alignment: Alignment, index: int, wrong: str, *, because: int | None = None) -> Check:
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
    message = f"statement {index + 1}, {condition(alignment, index)}: {wrong}"
    return Check(wrong, message, cause=Cause(of_statement or wrong, role="decide"))


def field_cause(alignment: Alignment, index: int) -> Cause | None:
    """Return the cause of a wrong field of a decision: what is wrong first with it; None if no declared field is."""
    wrong = _wrong_field(alignment, index)
    return Cause(wrong, role="decide") if wrong else None


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
    if wrong.startswith((ROW_CAPABLE, STATEMENT_CAPABLE)):
        return f"capability of the tables {wrong.partition(' ')[2]}"
    other = _decided_as(alignment, index, seen) if wrong.startswith(("format", "message")) else ""
    return f"{_OTHER[other]} statement decided as {other}" if other else wrong


def condition(alignment: Alignment, index: int) -> str:
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


def as_expected(*names: str) -> Look:
    """Return the look that compares fields with the expected ones."""
    return lambda alignment, index, seen: _differs(alignment, index, seen, *names)


def if_capabilities_agree(look: Look) -> Look:
    """Return the same look, for those statements only whose tables have the right capabilities, as far as declared.

    What a decision table has for tables of other capabilities is not asked there. Where they are not declared, a
    decision for other capabilities shows that the setting of an engine is wrong, which is charged to no other
    requirement.
    """

    def guarded(alignment: Alignment, index: int, seen: Answer) -> str | None:
        if not {ROW_CAPABLE, STATEMENT_CAPABLE} <= alignment.role.fields and _of_other_flags(alignment, index, seen):
            return None
        agree = not _differs(alignment, index, seen, ROW_CAPABLE, STATEMENT_CAPABLE)
        return look(alignment, index, seen) if agree else None

    return guarded


def _of_other_flags(alignment: Alignment, index: int, seen: Answer) -> bool:
    """Return whether a wrong decision on tables with engines' settings is that on tables of other capabilities."""
    statement = alignment.case.settings["statements"][index]
    if not own_engines(statement["tables"]) or not _differs(alignment, index, seen, "format", "message"):
        return False
    rows = (row for row in DECISION_TABLE if (row.safety, row.mode) == (statement["safety"], statement["mode"]))
    outcomes = set(map(_outcome, rows))
    return (_format(seen), seen["message"]) in outcomes


def capable(alignment: Alignment, index: int, seen: Answer) -> str:
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


def if_engines_agree(look: Look) -> Look:
    """Return the same look, for those statements only whose engines are answered rightly where they are alone."""

    def guarded(alignment: Alignment, index: int, seen: Answer) -> str | None:
        own = own_engines(alignment.case.settings["statements"][index]["tables"])
        return look(alignment, index, seen) if own.isdisjoint(_misjudged_engines(alignment)) else None

    return guarded


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _misjudged_engines(alignment: Alignment) -> frozenset[str]:
    """Return the engines of which a statement on one table alone is answered wrongly, or not at all."""
    wrong: set[str] = set()
    for place, each in enumerate(alignment.case.settings["statements"]):
        if len(each["tables"]) != 1 or "parts" in each["tables"][0] or place in alignment.declined:
            continue
        answer = alignment.observed(place)
        if answer is None or capable(alignment, place, answer):
            wrong |= own_engines(each["tables"])
    return frozenset(wrong)


def own_engines(tables: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the engines of tables, and of their parts, that have the flags of the engine's own setting."""
    simple = frozenset(table["engine"] for table in tables if "row" not in table and "parts" not in table)
    return simple.union(*(own_engines(table.get("parts", ())) for table in tables))


def never(capability: str, logged: str) -> Look:
    """Return the look that checks that a set without a capability is not logged in that format."""

    def look(alignment: Alignment, index: int, seen: Answer) -> str | None:
        expected = alignment.case.expected.events[index]
        if expected[capability] == "no":
            return f"logged as {logged} anyway" if _format(seen) == logged else ""
        return _differs(alignment, index, seen, capability) if capability in seen else None

    return look


def restricted(to: str, other: str) -> Look:
    """Return the look that checks that a statement for which one format is possible is not logged in the other."""

    def look(alignment: Alignment, index: int, seen: Answer) -> str:
        if _format(seen) == other:
            return f"logged as {other} although only {to} is possible"
        return _differs(alignment, index, seen, "restricted")

    return look


def kept(alignment: Alignment, index: int, seen: Answer) -> str:
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
    capability = Capability(row=expected[ROW_CAPABLE] == "yes", statement=expected[STATEMENT_CAPABLE] == "yes")
    own = statement["safety"]
    if own not in _OTHER:
        return ""
    outcomes = {each: _outcome(row_for(each, statement["mode"], capability)) for each in (own, _OTHER[own])}
    if outcomes[own] != (expected["format"], expected["message"]) or outcomes[own] == outcomes[_OTHER[own]]:
        return ""
    return _OTHER[own] if (_format(seen), seen["message"]) == outcomes[_OTHER[own]] else ""


def _outcome(row: WorklogRow) -> tuple[str, str]:
    return row.format or "none", row.message.kind if row.message else "none"


def revised(alignment: Alignment, index: int, seen: Answer) -> str:
    """Check that a statement is not decided as if its safety were the other one."""
    other = _decided_as(alignment, index, seen)
    return f"decided as {other}" if other else ""


def not_executed(alignment: Alignment, index: int, seen: Answer) -> str | None:
    """Check that a statement that gets an error is not executed."""
    if seen["message"] != "error":
        return None
    return "executed despite the error" if seen["executed"] == "yes" else ""


def nothing_logged(alignment: Alignment, index: int, seen: Answer) -> str | None:
    """Check that a statement that gets an error is not logged."""
    if seen["message"] != "error":
        return None
    return "" if seen["format"] == "none" else "logged despite the error"


def warned_and_executed(alignment: Alignment, index: int, seen: Answer) -> str:
    """Check that a statement gets its warning, and is executed and logged all the same."""
    if seen["message"] != "warning":
        return f"{seen['message']} instead of the warning"
    if seen.get("executed") == "no":
        return "not executed because of the warning"
    return "not logged because of the warning" if seen["format"] == "none" else ""


def warning_means_statement(alignment: Alignment, index: int, seen: Answer) -> str:
    """Check that a statement that gets a warning is not logged as rows."""
    other = seen["message"] == "warning" and seen["format"] not in ("statement", "none")
    return f"a warning, and logged as {seen['format']}" if other else ""


def executed_unlogged(alignment: Alignment, index: int, seen: Answer) -> str:
    """Compare what happens while logging is off; without the field `executed`, an error means that it is refused."""
    if "executed" not in seen and seen["message"] == "error":
        return "refused with an error"
    return _differs(alignment, index, seen, "executed", "format")


def never_refused(alignment: Alignment, index: int, seen: Answer) -> str:
    """Check that an unsafe statement that can be logged as rows is."""
    return _differs(alignment, index, seen, "format")
