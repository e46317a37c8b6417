"""Compares the log of a scenario on a real server with the model's, event by event."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from scenario_runs import Line, lines_of

from conformance.models.server.execution import log_of
from conformance.models.server.log_bytes import log_bytes
from conformance.models.server.scenario import Scenario
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import DropDatabase, UpdateTables
from conformance.servers.scenario_runner import Runner


@dataclass(frozen=True, slots=True)
class Deviation:
    """A difference between the model and real servers that is accepted, and why.

    Attributes:
        reason: Why it is accepted.
        applies: Returns whether a scenario can show it.
        remove: Removes the difference from a log's lines.
    """

    reason: str
    applies: Callable[[Scenario], bool]
    remove: Callable[[list[Line]], list[Line]]


def _in_order_of_tables(lines: list[Line]) -> list[Line]:
    """Sort consecutive rows events, and drop the flag that one of them ends the statement."""
    made: list[Line] = []
    together: list[Line] = []
    for line in lines:
        if line[1].startswith("UPDATE_ROWS"):
            together.append((*line[:3], *line[4:]))
            continue
        made += [*sorted(together), line]
        together = []
    return [*made, *sorted(together)]


def _drops_together(lines: list[Line]) -> list[Line]:
    """Put the names of consecutive statements that drop base tables into the first, and leave the others nameless."""
    made: list[Line] = []
    first: int | None = None
    for line in lines:
        query = line[3] if line[1] == "QUERY" else None
        if isinstance(query, tuple) and query[0] in ("DROP", "drop") and not query[1]:
            if first is not None:
                kept = made[first]
                names = sorted((*kept[3][4:], *query[4:]))
                made[first] = (*kept[:3], (*kept[3][:4], *names))
                made.append((*line[:3], query[:4]))
                continue
            first = len(made)
        elif line[1] not in ("GTID", "ANONYMOUS_GTID", "MARIADB_GTID"):
            first = None
        made.append(line)
    return made


#: Every accepted difference.
DEVIATIONS: Final = {
    "order-of-directory": Deviation(
        "up to 5.7 a DROP DATABASE that fails drops its tables in the order of their files in the directory",
        lambda scenario: any(isinstance(each, DropDatabase) and each.obstructed for each in scenario.statements),
        _drops_together,
    ),
    "order-of-joined-tables": Deviation(
        "an UPDATE of two tables logs their rows in the order in which its optimizer joins them",
        lambda scenario: any(isinstance(each, UpdateTables) for each in scenario.statements),
        _in_order_of_tables,
    ),
}


def difference(runner: Runner, scenario: Scenario) -> str:
    """Return where a server and the model first differ in a scenario, in errors or events; empty if nowhere."""
    logged = log_of(scenario)
    errors, streams = runner.run(scenario)
    real, model = lines_of(streams), lines_of(map(log_bytes, logged.logs))
    for deviation in DEVIATIONS.values():
        if deviation.applies(scenario):
            real, model = deviation.remove(real), deviation.remove(model)
    expected = [each.error for each in logged.outcomes]
    if (errors, real) == (expected, model):
        return ""
    outcomes = (
        "" if seen == wanted else f" ERROR {seen}, expected {wanted}"
        for seen, wanted in zip(errors, expected, strict=True)
    )
    statements = "\n".join(
        f"  {each.session}: {sql_of(each) or each.kind}{outcome}"
        for each, outcome in zip(scenario.statements, outcomes, strict=True)
    )
    place = next((i for i, pair in enumerate(zip(real, model, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(real), len(model)) if place is None else place
    return f"{statements}\nreal:  {real[max(0, at - 2) : at + 3]}\nmodel: {model[max(0, at - 2) : at + 3]}"
