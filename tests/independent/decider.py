"""A server's choice of the logging format, written from WL#3303 and docs/roles/decide.md: nobody may blame it."""

from collections.abc import Iterable
from typing import Any

from wire import PROFILES, serve

_ALIASES = {"heap": "memory", "ndbcluster": "ndb", "mrg_myisam": "merge"}
#: Engine -> whether rows and whether statements can be logged.
_ENGINES = {
    "ndb": (True, False),
    "archive": (True, True),
    "blackhole": (False, True),
    "csv": (True, True),
    "example": (True, False),
    "federated": (True, True),
    "memory": (True, True),
    "myisam": (True, True),
    "merge": (True, True),
    "performance_schema": (True, True),
}


def _flags(table: dict[str, Any]) -> tuple[bool, bool]:
    if "parts" in table:
        return _all_of(table["parts"])
    if "row" in table:
        return table["row"], table["statement"]
    return _ENGINES[_ALIASES.get(table["engine"], table["engine"])]


def _all_of(tables: Iterable[dict[str, Any]]) -> tuple[bool, bool]:
    flags = [_flags(each) for each in tables]
    return all(row for row, _ in flags), all(statement for _, statement in flags)


def _format(mode: str, row: bool, statement: bool, *, safe: bool) -> str:
    """Return the format, `none` where the statement cannot be logged."""
    if mode == "statement":
        return "statement" if statement else "none"
    if mode == "row":
        return "row" if row else "none"
    if row and not (safe and statement):
        return "row"
    return "statement" if statement and safe else "none"


def _entry(question: dict[str, Any], *, all_count: bool, refuses: bool) -> dict[str, str]:
    row, statement = _all_of(each for each in question["tables"] if all_count or each["lock"] == "write")
    entry = {
        "row_capable": "yes" if row else "no",
        "statement_capable": "yes" if statement else "no",
        "restricted": "none" if row == statement else "row" if row else "statement",
    }
    if not (question["log_open"] and question["sql_log_bin"]):
        return {"format": "none", "message": "none", "executed": "yes", **entry}
    written = [each for each in question["tables"] if each["lock"] == "write"]
    unreplicated = [each for each in written if each["engine"] == "performance_schema"]
    if unreplicated and (refuses or question["mode"] != "statement"):
        if len(unreplicated) == len(written):
            return {"format": "none", "message": "none", "executed": "yes", **entry}
        if question["mode"] == "statement":
            return {"format": "none", "message": "error", "executed": "no", **entry}
    safe = question["safety"] == "safe"
    chosen = _format(question["mode"], row, statement, safe=safe)
    wrong = chosen == "none"
    message = "error" if wrong else "warning" if chosen == "statement" and not safe else "none"
    return {"format": chosen, "message": message, "executed": "no" if wrong else "yes", **entry}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return how each statement is logged."""
    everything, refuses = request["profile"] == "worklog", request["profile"] != "mysql-5.5"
    statements = request["settings"]["statements"]
    return {"events": [_entry(each, all_count=everything, refuses=refuses) for each in statements], "error": None}


if __name__ == "__main__":
    fields = ["format", "message", "executed", "row_capable", "statement_capable", "restricted"]
    serve("decide", fields, [], answer, PROFILES)
