"""`binlog-conformance decide`: how a statement is logged, and by which row of which table."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import click

from conformance.cli.examples import examples
from conformance.cli.main import UserError
from conformance.models.decision import shipped_table, worklog_table
from conformance.models.decision.capability import Capability
from conformance.models.decision.decision import MODES, SAFETIES, Decision, Mode, Safety
from conformance.models.decision.engines import (
    parse_engine_capability,
    shipped_capability,
    table_of,
    usual_name,
    worklog_capability,
)
from conformance.models.decision.locked_table import LockedTable, locked_capability, written_capability

#: Name of a decision table -> the capability of an engine, the capability of a statement's tables, the decision.
_TABLES: Final[dict[str, tuple[Callable[[str], Capability], Callable[[list[LockedTable]], Capability], Any]]] = {
    "worklog": (worklog_capability, locked_capability, worklog_table.decide),
    "shipped": (shipped_capability, written_capability, shipped_table.decide),
}


@click.command(
    "decide",
    epilog=examples(
        "decide --statement unsafe --mode MIXED --engine memory --engine archive",
        "decide --statement safe --mode ROW --engine MyISAM --engine InnoDB --table shipped --json",
    ),
)
@click.option("--statement", "safety", type=click.Choice(SAFETIES), help="How the parser classifies it; required.")
@click.option("--mode", type=click.Choice(MODES, case_sensitive=False), help="Value of BINLOG_FORMAT; required.")
@click.option(
    "--engine",
    "engines",
    metavar="NAME",
    multiple=True,
    help="Engine of a written table; partition:NAME+NAME for a partitioned one; repeat it for each table.",
)
@click.option(
    "--read-engine", "read", metavar="NAME", multiple=True, help="Engine of a table that is only read; may be repeated."
)
@click.option(
    "--capability",
    "capabilities",
    metavar="NAME=row,stmt",
    multiple=True,
    help="What an engine can log, in place of the table of engines; NAME= for neither; may be repeated.",
)
@click.option(
    "--table",
    type=click.Choice(list(_TABLES)),
    default="worklog",
    show_default=True,
    help="Decision table: the worklog's, or that of shipped servers.",
)
@click.option(
    "--sql-log-bin", type=click.Choice(["on", "off"]), default="on", show_default=True, help="Value of SQL_LOG_BIN."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    *,
    safety: Safety | None,
    mode: Mode | None,
    engines: tuple[str, ...],
    read: tuple[str, ...],
    capabilities: tuple[str, ...],
    table: str,
    sql_log_bin: str,
    as_json: bool,
) -> None:
    """Show how WL#3303 logs a statement: the format, the error or warning, and the row that decides.

    Exit status: 0 whatever the decision, 2 if the question is not valid.
    """
    if safety is None or mode is None:
        raise click.UsageError(f"what is missing: {'; '.join(_missing(safety, mode))}")
    capability_of, capability_counted, decide = _TABLES[table]
    try:
        given = dict(parse_engine_capability(each) for each in capabilities)
        _check_used(given, (*engines, *read))
        tables = [
            table_of(name, capability_of=capability_of, given=given, written=written)
            for names, written in ((engines, True), (read, False))
            for name in names
        ]
        decision = decide(safety=safety, mode=mode, tables=tables, logging=sql_log_bin == "on")
    except ValueError as error:
        raise UserError(str(error)) from error
    if as_json:
        click.echo(json.dumps(_described(table, decision, capability_counted(tables)), ensure_ascii=False))
        return
    click.echo(_sentence(decision))
    click.echo(f"    {decision.rule}")
    if restriction := _restriction(capability_counted(tables)):
        click.echo(f"    {restriction}")
    click.echo(f"    {_place(table, decision)}")


def _missing(safety: Safety | None, mode: Mode | None) -> Iterator[str]:
    """Yield what a question about a statement needs and was not given, with the values that there are."""
    if safety is None:
        yield f"how the parser classifies the statement, --statement {'|'.join(SAFETIES)}"
    if mode is None:
        yield f"the value of BINLOG_FORMAT, --mode {'|'.join(MODES)}"


def _check_used(given: Mapping[str, Capability], engines: Sequence[str]) -> None:
    """Check that each engine with a given capability has a table.

    Raises:
        ValueError: One has none.
    """
    used = {usual_name(part) for each in engines for part in each.rpartition(":")[2].split("+")}
    for name in given:
        if name not in used:
            raise ValueError(f"--capability {name}: no table has this engine; give --engine {name}")


def _restriction(capability: Capability) -> str:
    if capability.row_restricted:
        return "row logging restricted: logged as rows or not at all"
    if capability.statement_restricted:
        return "statement logging restricted: logged as a statement or not at all"
    return ""


def _sentence(decision: Decision) -> str:
    if not decision.executed:
        return f"{decision.message}; not executed, nothing logged"
    logged = f"logged as {decision.format}" if decision.format else "not logged"
    return f"{decision.message}; executed, {logged}" if decision.message else f"executed, {logged}"


def _place(table: str, decision: Decision) -> str:
    if decision.row is None:
        return f"{table}: no row of the table"
    if table == "worklog":
        rows = worklog_table.DECISION_TABLE
        return f"worklog: row {decision.row} of {len(rows)}, {rows[decision.row - 1].requirement}"
    return f"{table}: row {decision.row} of {len(shipped_table.DECISION_TABLE)}"


def _described(table: str, decision: Decision, capability: Capability) -> dict[str, Any]:
    message = decision.message
    requirement = None
    if table == "worklog" and decision.row is not None:
        requirement = worklog_table.DECISION_TABLE[decision.row - 1].requirement
    return {
        "table": table,
        "row": decision.row,
        "requirement": requirement,
        "rule": decision.rule,
        "format": decision.format,
        "executed": decision.executed,
        "message": message and {"kind": message.kind, "label": message.label, "code": message.code},
        "row_capable": capability.row,
        "statement_capable": capability.statement,
        "row_restricted": capability.row_restricted,
        "statement_restricted": capability.statement_restricted,
    }
