"""The mutants of the role `decide`: the model of logging decisions with one fault each."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY, Capability
from conformance.models.decision.decision import Safety
from conformance.models.decision.engines import UNREPLICATED, WORKLOG_ENGINES, Engine, usual_name, worklog_capability
from conformance.models.decision.statement import QuestionStatement, QuestionTable
from conformance.models.decision.worklog_table import DECISION_TABLE, WorklogRow
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.decide import decided

Entry = dict[str, Any]
Answering = Callable[[Request], Observation | Trouble]


def _with_statement(change: Callable[[QuestionStatement], QuestionStatement]) -> Answering:
    """Return the answer with each statement decided as if it were another one."""
    return _with_answer(lambda statement, entry, before: entry, change)


def _with_answer(
    change: Callable[[QuestionStatement, Entry, Entry | None], Entry],
    seen_as: Callable[[QuestionStatement], QuestionStatement] = lambda statement: statement,
) -> Answering:
    """Return the answer with each entry changed, which depends on the changed entry before it."""

    def answer(request: Request) -> Observation | Trouble:
        entries: list[Entry] = []
        for setting in request.settings["statements"]:
            statement = seen_as(QuestionStatement.of_setting(setting))
            before = entries[-1] if entries else None
            entries.append(change(statement, decided(statement, request.profile), before))
        return Observation(tuple(entries))

    return answer


def _tables(change: Callable[[tuple[QuestionTable, ...]], tuple[QuestionTable, ...]]) -> Answering:
    """Return the answer with other tables than those of a statement."""
    return _with_statement(lambda statement: replace(statement, tables=change(statement.tables)))


def _keeping_flags(request: Request) -> Observation | Trouble:
    """Return the answer in which a table without flags has those of a table of its engine that was seen before it."""
    seen: dict[str, Capability] = {}

    def change(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
        for each in tables:
            if each.capability is not None:
                seen.setdefault(each.engine, each.capability)
        return tuple(
            replace(each, capability=seen.get(each.engine)) if each.capability is None and not each.parts else each
            for each in tables
        )

    return _tables(change)(request)


def _read_beside_several(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    several = sum(each.written for each in tables) > 1
    return tuple(replace(each, written=each.written or several) for each in tables)


def _partitioned_as_written(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    return tuple(replace(each, written=each.written or bool(each.parts)) for each in tables)


def _is_unreplicated(table: QuestionTable) -> bool:
    return table.engine in UNREPLICATED


def _as_replicated(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    return tuple(replace(each, engine="myisam") if _is_unreplicated(each) else each for each in tables)


def _writes_unreplicated(statement: QuestionStatement, entry: Entry) -> bool:
    return statement.logging and statement.mode != "statement" and any(map(_is_unreplicated, statement.tables))


def _reads_unreplicated(statement: QuestionStatement, entry: Entry) -> bool:
    read = any(_is_unreplicated(each) and not each.written for each in statement.tables)
    return statement.logging and read and entry["message"] != "error"


def _without_unreplicated(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    return tuple(each for each in tables if not _is_unreplicated(each)) or tables


def _where(condition: Callable[[QuestionStatement, Entry], bool], **fields: str) -> Answering:
    """Return the answer with some fields replaced where a condition holds."""
    return _with_answer(lambda statement, entry, before: {**entry, **fields} if condition(statement, entry) else entry)


def _answered_with(**fields: str) -> Callable[[QuestionStatement, Entry], bool]:
    """Return the condition that logging is on and the answer has these fields."""
    return lambda statement, entry: statement.logging and all(entry[name] == value for name, value in fields.items())


def _in_mode(mode: str, **fields: str) -> Callable[[QuestionStatement, Entry], bool]:
    answered = _answered_with(**fields)
    return lambda statement, entry: statement.mode == mode and answered(statement, entry)


_LOGGED_AS_ROWS: Final[Mapping[str, str]] = {"format": "row", "message": "none", "executed": "yes"}
_LOGGED_AS_STATEMENT: Final[Mapping[str, str]] = {**_LOGGED_AS_ROWS, "format": "statement"}


def _engine_as(engine: Engine, capability: Capability) -> Mutant:
    """Return the mutant that has wrong flags for an engine."""

    def change(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
        return tuple(
            replace(each, capability=capability)
            if each.capability is None and not each.parts and usual_name(each.engine) == engine.names[0]
            else each
            for each in tables
        )

    return Mutant(
        f"{engine.names[0]}-setting",
        engine.requirement,
        f"{engine.names[0]} tables are {capability}",
        answer=_tables(change),
    )


#: The wrong flags of each engine: one flag more, one less, or the other one.
_WRONG_SETTINGS: Final[Mapping[Capability, Capability]] = {
    BOTH: ROW_ONLY,
    ROW_ONLY: BOTH,
    STATEMENT_ONLY: BOTH,
}


def _wrong_row(row: WorklogRow) -> Mutant:
    """Return the mutant with a wrong action in one row of the decision table."""
    if row.format is None:
        by_mode = row.safety == "safe" or row.mode == "statement"
        fields = _LOGGED_AS_STATEMENT if by_mode and row.mode != "row" else _LOGGED_AS_ROWS
        text = f"is logged as {fields['format']}"
    elif row.message is not None:
        fields, text = {"message": "none"}, "gives no warning"
    else:
        fields = _LOGGED_AS_ROWS if row.format == "statement" else _LOGGED_AS_STATEMENT
        text = f"is logged as {fields['format']}"

    def holds(statement: QuestionStatement, entry: Entry) -> bool:
        capability = Capability(row=entry["row_capable"] == "yes", statement=entry["statement_capable"] == "yes")
        return statement.logging and (statement.safety, statement.mode, capability) == (
            row.safety,
            row.mode,
            row.capability,
        )

    name = f"{row.safety}-{row.mode}-{row.capability.letters.lower()}"
    return Mutant(
        name, row.requirement, f"row {row.number} of the decision table {text}", answer=_where(holds, **fields)
    )


def _flags_of_engine(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    """Use the flags of each engine, or of its first table, for all of its tables."""
    flags = {engine.names[0]: engine.capability for engine in WORKLOG_ENGINES}
    for each in tables:
        if each.capability is not None:
            flags.setdefault(usual_name(each.engine), each.capability)
    return tuple(
        replace(each, capability=flags[usual_name(each.engine)]) if each.capability is not None else each
        for each in tables
    )


def _any_of(tables: tuple[QuestionTable, ...]) -> Capability:
    given = [each.capability or BOTH for each in tables]
    return Capability(row=any(each.row for each in given), statement=any(each.statement for each in given))


def _partitioned_as_any(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    return tuple(
        replace(each, engine="parts", capability=_any_of(each.parts), parts=()) if each.parts else each
        for each in tables
    )


def _parts_of_first_engine(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    return tuple(
        replace(each, parts=(each.parts[0],) * len(each.parts))
        if each.parts and all(part.capability is None for part in each.parts)
        else each
        for each in tables
    )


def _one_for_all(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    simple = len(tables) > 1 and not any(each.parts for each in tables)
    return (QuestionTable("any", _any_of(tables)),) if simple else tables


def _first_written(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    written = [each for each in tables if each.written]
    return tuple(each for each in tables if not each.written or each is written[0])


def _neither_means_both(tables: tuple[QuestionTable, ...]) -> tuple[QuestionTable, ...]:
    if len(tables) == 1 and tables[0].capability == NEITHER:
        return (replace(tables[0], capability=BOTH),)
    return tables


def _by_text(statement: QuestionStatement) -> QuestionStatement:
    unsafe = any(word in statement.text for word in ("UUID(", "LIMIT"))
    return replace(statement, safety="unsafe" if unsafe else "safe")


def _where_text(pattern: str, safety: Safety) -> Answering:
    """Return the answer with a safety of its own for the statements whose text a pattern matches."""
    return _with_statement(
        lambda statement: replace(statement, safety=safety) if re.search(pattern, statement.text) else statement
    )


#: Name, fault, the texts that are classified again, and as what.
_CLASSIFIED_AGAIN: Final[tuple[tuple[str, str, str, Safety], ...]] = (
    ("definitions-safe", "a definition counts as safe", r"^(CREATE|ALTER|DROP|TRUNCATE)\b", "safe"),
    ("selects-unsafe", "a statement with a SELECT counts as unsafe", r"SELECT", "unsafe"),
    ("variables-unsafe", "a statement with a system variable counts as unsafe", r"@@", "unsafe"),
    ("words-in-lower-case", "rand() in lower case makes a statement unsafe", r"rand\(", "unsafe"),
    ("comments-safe", "a statement after a comment counts as safe", r"^/\*", "safe"),
)


def _flags_of(engine: str) -> Answering:
    """Return the answer with the engine's setting for tables of one engine, whatever their flags are."""
    return _tables(lambda tables: tuple(_with_setting(each, engine) for each in tables))


def _with_setting(table: QuestionTable, engine: str) -> QuestionTable:
    return replace(table, capability=worklog_capability(engine)) if table.engine == engine else table


def _kept(statement: QuestionStatement, entry: Entry, before: Entry | None) -> Entry:
    stays = before is not None and before["format"] == "row" and statement.mode == "mixed"
    return {**entry, "format": "row"} if stays and entry["format"] == "statement" else entry


def _closed_log_kept(request: Request) -> Observation:
    """Answer with an unsafe statement decided as if the log were closed where it was for the statement before."""
    entries, closed = [], False
    for setting in request.settings["statements"]:
        statement = QuestionStatement.of_setting(setting)
        stays = closed and statement.safety == "unsafe"
        closed = not statement.log_open
        entries.append(decided(replace(statement, log_open=False) if stays else statement, request.profile))
    return Observation(tuple(entries))


def _unsafe_after_error(request: Request) -> Observation:
    """Answer with a statement decided as unsafe where the one before is unsafe and was refused."""
    entries: list[Entry] = []
    was_unsafe = False
    for setting in request.settings["statements"]:
        statement = QuestionStatement.of_setting(setting)
        stays = was_unsafe and entries[-1]["message"] == "error"
        was_unsafe = statement.safety == "unsafe"
        entries.append(decided(replace(statement, safety="unsafe") if stays else statement, request.profile))
    return Observation(tuple(entries))


def _refused_although_off(statement: QuestionStatement, entry: Entry, before: Entry | None) -> Entry:
    refused = not statement.logging and entry["row_capable"] == entry["statement_capable"] == "no"
    return {**entry, "message": "error"} if refused else entry


def _logged_despite_error(statement: QuestionStatement, entry: Entry, before: Entry | None) -> Entry:
    if entry["message"] != "error":
        return entry
    return {**entry, "format": "statement" if statement.mode == "mixed" else statement.mode}


MUTANTS: Final = (
    Mutant(
        "row-flag-ignored",
        "WL3303-ENGINE-MAY-FORBID-ROW",
        "mode ROW logs rows of tables that forbid it",
        answer=_where(_in_mode("row", row_capable="no", statement_capable="yes"), **_LOGGED_AS_ROWS),
    ),
    Mutant(
        "statement-flag-ignored",
        "WL3303-ENGINE-MAY-FORBID-STATEMENT",
        "mode STATEMENT logs statements on tables that forbid it",
        answer=_where(_in_mode("statement", row_capable="yes", statement_capable="no"), **_LOGGED_AS_STATEMENT),
    ),
    Mutant(
        "no-flags-as-both",
        "WL3303-TWO-FLAGS",
        "a table with neither flag is treated as having both",
        answer=_tables(_neither_means_both),
    ),
    Mutant(
        "archive-prefers-rows",
        "WL3303-CAPABILITY-NOT-PREFERENCE",
        "ARCHIVE tables with both flags are logged as rows in mode MIXED",
        answer=_where(
            lambda statement, entry: (
                _in_mode("mixed", format="statement", row_capable="yes")(statement, entry)
                and any(each.engine == "archive" for each in statement.tables)
            ),
            format="row",
        ),
    ),
    Mutant(
        "flags-of-engine",
        "WL3303-FLAGS-PER-TABLE",
        "all tables of an engine have the same flags",
        answer=_tables(_flags_of_engine),
    ),
    Mutant(
        "read-for-want-of-written",
        "WL3303-SET-TO-WRITE-TABLES",
        "where a statement writes none of its tables, those that it reads count",
        answer=_tables(
            lambda tables: tuple(
                replace(each, written=each.written or not any(other.written for other in tables)) for each in tables
            )
        ),
    ),
    Mutant(
        "flags-kept-by-engine",
        "WL3303-DECISION-PER-STATEMENT",
        "a table without flags has those of a table of its engine that was seen before it",
        answer=_keeping_flags,
    ),
    Mutant(
        "flags-of-csv",
        "WL3303-FLAGS-PER-TABLE",
        "CSV tables have both flags, whatever those of the table are",
        answer=_flags_of("csv"),
    ),
    Mutant(
        "partitions-any",
        "WL3303-FLAGS-PARTITIONED",
        "a partitioned table has every capability of any of its parts",
        answer=_tables(_partitioned_as_any),
    ),
    Mutant(
        "heap-unknown",
        "WL3303-ENGINE-HEAP",
        "tables of the engine heap, which is memory by another name, have neither flag",
        answer=_tables(
            lambda tables: tuple(
                replace(each, capability=NEITHER) if each.by_engine and each.engine == "heap" else each
                for each in tables
            )
        ),
    ),
    *(_engine_as(engine, _WRONG_SETTINGS[engine.capability]) for engine in WORKLOG_ENGINES),
    Mutant(
        "set-any", "WL3303-SET-CAPABLE", "a set has every capability of any of its tables", answer=_tables(_one_for_all)
    ),
    Mutant(
        "eight-tables-at-most",
        "WL3303-SET-CAPABLE",
        "only the first eight tables of a set count",
        answer=_tables(lambda tables: tables[:8]),
    ),
    Mutant(
        "first-64-tables",
        "WL3303-SET-CAPABLE",
        "only the first 64 tables of a set count",
        answer=_tables(lambda tables: tables[:64]),
    ),
    Mutant(
        "five-parts-at-most",
        "WL3303-FLAGS-PARTITIONED",
        "only the first five parts of a partitioned table count",
        answer=_tables(lambda tables: tuple(replace(each, parts=each.parts[:5]) for each in tables)),
    ),
    Mutant(
        "parts-of-first-engine",
        "WL3303-FLAGS-PARTITIONED",
        "the parts of a partitioned table all have the engine of the first one",
        answer=_tables(_parts_of_first_engine),
    ),
    Mutant(
        "flags-of-alias-unread",
        "WL3303-FLAGS-PER-TABLE",
        "a table of the engine heap has the engine's setting, not its own flags",
        answer=_flags_of("heap"),
    ),
    Mutant(
        "unreplicated-logged",
        "FORMAT-DECIDE-UNREPLICATED",
        "tables of performance_schema are logged as those of any engine",
        answer=_tables(_as_replicated),
    ),
    Mutant(
        "unreplicated-hides-others",
        "FORMAT-DECIDE-UNREPLICATED",
        "in modes MIXED and ROW nothing is logged of a statement that writes a table of performance_schema",
        answer=_where(_writes_unreplicated, format="none", message="none", executed="yes"),
    ),
    Mutant(
        "unreplicated-read-unlogged",
        "FORMAT-DECIDE-UNREPLICATED",
        "nothing is logged of a statement that reads a table of performance_schema",
        answer=_where(_reads_unreplicated, format="none", message="none"),
    ),
    Mutant(
        "unreplicated-left-out",
        "FORMAT-DECIDE-UNREPLICATED",
        "a statement that writes tables of performance_schema beside others is not refused in mode STATEMENT",
        answer=_tables(_without_unreplicated),
    ),
    Mutant(
        "empty-set-neither",
        "WL3303-SET-CAPABLE",
        "a statement without tables cannot be logged",
        answer=_tables(lambda tables: tables or (QuestionTable("none", NEITHER),)),
    ),
    Mutant(
        "row-restricted-unknown",
        "WL3303-SET-ROW-RESTRICTED",
        "the row logging restriction is never reported",
        answer=_where(_answered_with(restricted="row"), restricted="none"),
    ),
    Mutant(
        "statement-restricted-unknown",
        "WL3303-SET-STATEMENT-RESTRICTED",
        "the statement logging restriction is never reported",
        answer=_where(_answered_with(restricted="statement"), restricted="none"),
    ),
    Mutant(
        "first-table-only",
        "WL3303-SET-TO-WRITE-TABLES",
        "only the first of the written tables counts",
        answer=_tables(_first_written),
    ),
    Mutant(
        "read-tables-beside-two",
        "WL3303-SET-CAPABLE",
        "tables that are only read count where two or more are written",
        answer=_tables(_read_beside_several),
    ),
    Mutant(
        "read-partitioned-tables",
        "WL3303-SET-CAPABLE",
        "a partitioned table that is only read counts as one that is written",
        answer=_tables(_partitioned_as_written),
    ),
    Mutant(
        "read-tables-left-out",
        "WL3303-SET-ALL-LOCKED-TABLES",
        "tables that are only read do not count",
        answer=_tables(lambda tables: tuple(each for each in tables if each.written)),
    ),
    Mutant(
        "only-read-tables-left-out",
        "WL3303-SET-ALL-LOCKED-TABLES",
        "tables that are only read do not count where none is written",
        answer=_tables(lambda tables: tables if any(each.written for each in tables) else ()),
    ),
    Mutant(
        "incompatible-by-mode",
        "WL3303-SET-INCOMPATIBLE",
        "a row-only and a statement-only table together are logged as statements",
        answer=_where(
            lambda statement, entry: (
                _answered_with(row_capable="no", statement_capable="no")(statement, entry) and len(statement.tables) > 1
            ),
            **_LOGGED_AS_STATEMENT,
        ),
    ),
    Mutant(
        "mixture",
        "WL3303-DECISION-TWO-FORMATS",
        "rows of several tables in mode MIXED are a mixture",
        answer=_where(
            lambda statement, entry: _in_mode("mixed", format="row")(statement, entry) and len(statement.tables) > 1,
            format="mixture",
        ),
    ),
    Mutant(
        "rows-kept",
        "WL3303-DECISION-PER-STATEMENT",
        "in mode MIXED a statement after one logged as rows is logged as rows too",
        answer=_with_answer(_kept),
    ),
    Mutant(
        "closed-log-kept",
        "WL3303-DECISION-PER-STATEMENT",
        "an unsafe statement after one with the log closed is not logged",
        answer=_closed_log_kept,
    ),
    Mutant(
        "unsafe-after-error",
        "WL3303-DECISION-PER-STATEMENT",
        "a statement after an unsafe one that is refused counts as unsafe too",
        answer=_unsafe_after_error,
    ),
    Mutant(
        "three-tables-as-rows",
        "WL3303-DECISION-INPUTS",
        "more than two tables are logged as rows in mode MIXED",
        answer=_where(
            lambda statement, entry: (
                _in_mode("mixed", format="statement", row_capable="yes")(statement, entry) and len(statement.tables) > 2
            ),
            format="row",
        ),
    ),
    Mutant(
        "safety-by-text",
        "WL3303-SAFETY-GIVEN",
        "a statement is classified again by its text",
        answer=_with_statement(_by_text),
    ),
    *(
        Mutant(name, "WL3303-SAFETY-GIVEN", text, answer=_where_text(pattern, safety))
        for name, text, pattern, safety in _CLASSIFIED_AGAIN
    ),
    Mutant(
        "unsafe-as-statement",
        "WL3303-SAFETY-UNSAFE-AS-ROW",
        "unsafe statements in mode MIXED are logged as statements, with a warning",
        answer=_where(
            lambda statement, entry: (
                statement.safety == "unsafe"
                and _in_mode("mixed", row_capable="yes", statement_capable="yes")(statement, entry)
            ),
            format="statement",
            message="warning",
        ),
    ),
    Mutant(
        "error-executed",
        "WL3303-ERROR-NOT-EXECUTED",
        "a statement with an error is executed",
        answer=_where(_answered_with(message="error"), executed="yes"),
    ),
    Mutant(
        "error-logged",
        "WL3303-ERROR-NOTHING-LOGGED",
        "a statement with an error is logged in the format of the mode",
        answer=_with_answer(_logged_despite_error),
    ),
    Mutant(
        "warning-stops",
        "WL3303-WARNING-EXECUTED",
        "a statement with a warning is not executed",
        answer=_where(_answered_with(message="warning"), executed="no"),
    ),
    Mutant(
        "warning-with-rows",
        "WL3303-WARNING-MEANS-STATEMENT",
        "unsafe statements that are logged as rows cause the warning too",
        answer=_where(
            lambda statement, entry: statement.safety == "unsafe" and _answered_with(format="row")(statement, entry),
            message="warning",
        ),
    ),
    Mutant(
        "off-refused",
        "WL3303-LOG-OFF-NO-MESSAGE",
        "incompatible tables cause the error although logging is off",
        answer=_with_answer(_refused_although_off),
    ),
    Mutant(
        "off-logged",
        "WL3303-LOG-OFF-EXECUTED",
        "with logging off, statements are logged as statements",
        answer=_where(lambda statement, entry: not statement.logging, format="statement"),
    ),
    *(_wrong_row(row) for row in DECISION_TABLE),
)
