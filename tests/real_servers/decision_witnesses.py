"""What the logging decisions of a real server show of it: the requirements of WL#3303 that a run is evidence for.

A run counts only if its outcome is the table's own, not one that a deviation explains.
"""

from collections.abc import Collection, Iterator
from typing import Final

from conformance.models.decision.capability import NEITHER, ROW_ONLY, STATEMENT_ONLY
from conformance.models.decision.locked_table import written_capability
from conformance.servers.decision_server import INNODB, Outcome, Run
from conformance.servers.products import Product
from conformance.specs.catalogue import catalogue
from tests.witnesses import witnessed

_UNSAFE: Final = 1592
#: Capability of several written tables -> what they show.
_OF_SETS: Final = {
    ROW_ONLY: ("WL3303-SET-ROW-RESTRICTED",),
    STATEMENT_ONLY: ("WL3303-SET-STATEMENT-RESTRICTED",),
    NEITHER: ("WL3303-SET-INCOMPATIBLE",),
}
#: Kind of table -> the requirement on the capabilities of its engine.
_ENGINES: Final = {
    "archive": "WL3303-ENGINE-ARCHIVE",
    "csv": "WL3303-ENGINE-TINA",
    "federated": "WL3303-ENGINE-FEDERATED",
    "memory": "WL3303-ENGINE-HEAP",
    "myisam": "WL3303-ENGINE-MYISAM",
    "merge": "WL3303-ENGINE-MYISAMMRG",
    "partition": "WL3303-FLAGS-PARTITIONED",
}


def witness_decision(product: Product, run: Run, outcome: Outcome) -> None:
    """Record what a run shows whose outcome is that of the table."""
    if run.safety == "row-injection":
        # The worklog's table does not have them.
        return
    for requirement in _shown(run, outcome):
        _record(product, requirement)


def witness_sets(product: Product, kinds: Collection[str]) -> None:
    """Record what decisions on every two tables show together, where there are tables of each kind of capability."""
    if {"innodb", "myisam", "example"} <= set(kinds):
        _record(product, "FORMAT-DECIDE-CAPABILITY")


def witness_execution(product: Product, run: Run, outcome: Outcome) -> None:
    """Record what a run shows of which it was seen that it changed rows exactly if it is not refused."""
    if run.safety == "row-injection":
        return
    _record(product, "FORMAT-DECIDE-EXECUTED")
    if not run.logging:
        _record(product, "WL3303-LOG-OFF-EXECUTED")
    elif outcome.code is not None:
        _record(product, "WL3303-WARNING-EXECUTED" if outcome.code == _UNSAFE else "WL3303-ERROR-NOT-EXECUTED")


def _record(product: Product, requirement: str) -> None:
    if product.profile.name in catalogue()[requirement].holds:
        witnessed(product.profile.name, requirement, kept=True)


def _shown(run: Run, outcome: Outcome) -> Iterator[str]:
    yield "FORMAT-DECIDE-FORMAT"
    if not run.logging:
        yield "WL3303-LOG-OFF-NO-MESSAGE"
        return
    capability = written_capability(run.tables)
    letters = "".join("Y" if each else "N" for each in (capability.row, capability.statement))
    yield f"WL3303-DT-{run.safety.upper()}-{run.mode.upper()}-{letters}"
    yield from ("WL3303-DECISION-TWO-FORMATS", "WL3303-DECISION-PER-STATEMENT")
    if run.safety == "unsafe":
        yield "WL3303-WARNING-MEANS-STATEMENT"
        if run.mode != "statement":
            yield "WL3303-SAFETY-UNSAFE-AS-ROW"
    if outcome.format is None:
        yield "WL3303-ERROR-NOTHING-LOGGED"
    if not capability.statement:
        yield "WL3303-ENGINE-MAY-FORBID-STATEMENT"
    if not capability.row:
        yield "WL3303-ENGINE-MAY-FORBID-ROW"
    yield from _of_tables(run)


def _of_tables(run: Run) -> Iterator[str]:
    """Yield what a run shows of the capabilities of its tables, and of sets of them."""
    if len(run.written) == 1 and run.read is None:
        yield from (_ENGINES[each] for each in run.written if each in _ENGINES)
        if run.written[0] in INNODB:
            # At one isolation level its tables can be logged as statements, at another they cannot.
            yield "WL3303-FLAGS-PER-TABLE"
        if run.isolation == "REPEATABLE READ":
            yield "WL3303-CAPABILITY-NOT-PREFERENCE"
    elif len(run.written) > 1:
        yield from ("WL3303-SET-CAPABLE", "WL3303-SET-TO-WRITE-TABLES")
        yield from _OF_SETS.get(written_capability(run.tables), ())
