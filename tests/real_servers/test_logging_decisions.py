"""Logging decisions of real servers, compared with the shipped table: format, error and warning of every statement.

The engines, the modes and the isolation levels are all those of the servers. One of them, 9.7.4, has an engine that can
log statements only, EXAMPLE; a set of tables with it and with one that can log rows only can log neither.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest
from decision_witnesses import witness_decision, witness_execution, witness_sets

from conformance.models.decision.decision import MODES, SAFETIES, Safety
from conformance.models.decision.shipped_table import UNREPLICATED_REFUSED, decide, row_for
from conformance.servers.decision_server import (
    EMPTY,
    INNODB,
    ISOLATIONS,
    KILLED_BY_MERGE,
    UNREPLICATED,
    DecisionServer,
    Outcome,
    Run,
    locked_table,
    mixes_at_read_committed,
    options_of,
)
from conformance.servers.products import Product
from conformance.servers.real_server import running
from conformance.specs.catalogue import catalogue
from tests.witnesses import witnessed

#: Server -> the engines of the worklog that its package does not bring.
NOT_IN_PACKAGE = dict.fromkeys(
    ("mysql55", "mariadb101", "mariadb102", "mariadb114"), frozenset({"archive", "blackhole", "federated"})
)
UNLOGGED = "FORMAT-DECIDE-UNREPLICATED"
#: The servers with the engine EXAMPLE.
WITH_EXAMPLE = ("mysql",)
NON_INJECTED: tuple[Safety, ...] = ("safe", "unsafe")


def modelled(run: Run, profile: str, safety: Safety | None = None) -> Outcome:
    safety = safety or run.safety
    decision = decide(safety=safety, mode=run.mode, tables=run.tables, logging=run.logging, profile=profile)
    return Outcome(decision.format, decision.message.code if decision.message else None)


def uses_performance_schema(run: Run, product: Product) -> bool:
    return run.logging and run.safety == "safe" and UNREPLICATED in run.written


def is_refused_by_innodb(run: Run, product: Product) -> bool:
    """Return whether InnoDB refuses a statement that the table refuses too, for another reason."""
    limited = run.mode == "statement" and run.isolation == "READ COMMITTED" and not INNODB.isdisjoint(run.written)
    return limited and run.logging and run.safety != "row-injection" and "example" in run.written


def injects_in_statement_mode(run: Run, product: Product) -> bool:
    return product.is_mariadb and run.logging and run.safety == "row-injection" and run.mode == "statement"


def kills(run: Run, product: Product) -> bool:
    """Return whether a run ends the server."""
    return run.safety == "row-injection" and "merge" in run.written and product.profile.name in KILLED_BY_MERGE


@dataclass(frozen=True, slots=True)
class Deviation:
    """A case in which servers do not follow the table for the intended statement.

    Attributes:
        reason: The reason.
        applies: Returns whether it applies to a run on a server.
        outcome: Returns the outcome in that case on a server of a profile.
    """

    reason: str
    applies: Callable[[Run, Product], bool]
    outcome: Callable[[Run, str], Outcome]


MIXED_TRANSACTIONS = (
    "a statement that writes a non-transactional table and uses a transactional one is unsafe at READ COMMITTED: "
    "servers classify it so, and the table then decides on an unsafe statement"
)
SYSTEM_TABLE = "a statement that uses performance_schema is classified as unsafe"
REFUSED_FIRST = (
    "InnoDB refuses a statement in mode STATEMENT at READ COMMITTED, with 1665, before the server finds that its "
    "tables have no format in common"
)
INJECTED = "MariaDB logs a row injection as rows in mode STATEMENT too, instead of refusing it with 1666"

#: The first one that applies counts.
DEVIATIONS = (
    Deviation(
        SYSTEM_TABLE,
        uses_performance_schema,
        lambda run, profile: modelled(run, profile, "unsafe"),
    ),
    Deviation(
        MIXED_TRANSACTIONS,
        mixes_at_read_committed,
        lambda run, profile: modelled(run, profile, "unsafe"),
    ),
    Deviation(
        REFUSED_FIRST,
        is_refused_by_innodb,
        lambda run, profile: Outcome(None, 1665),
    ),
    Deviation(
        INJECTED,
        injects_in_statement_mode,
        lambda run, profile: Outcome("row", None),
    ),
)


def expected(run: Run, product: Product) -> tuple[Outcome, str | None]:
    """Return the outcome expected of a server, and the deviation's reason if it differs from the table's."""
    profile = product.profile.name
    by_table = modelled(run, profile)
    for deviation in DEVIATIONS:
        if deviation.applies(run, product):
            outcome = deviation.outcome(run, profile)
            return outcome, deviation.reason if outcome != by_table else None
    return by_table, None


@pytest.fixture(scope="module")
def decider(product, server_folder, template_of) -> Iterator[tuple[DecisionServer, Product]]:
    folder = server_folder / f"{product.name}-decisions"
    with (
        running(product, folder, options=options_of(product), template=template_of(product)) as server,
        closing(DecisionServer(server)) as decision_server,
    ):
        yield decision_server, product


def differences(decider, runs) -> tuple[list[str], Counter[str]]:
    """Return the runs that no deviation explains, and how many runs each deviation explains."""
    server, product = decider
    wrong, explained = [], Counter[str]()
    for run in runs:
        if kills(run, product):
            continue
        seen = server.run(run)
        wanted, reason = expected(run, product)
        if seen != wanted:
            wrong.append(f"{run}: {seen}, expected {wanted}")
        elif reason is not None:
            explained[reason] += 1
        else:
            witness_decision(product, run, seen)
    return wrong, explained


def single_runs(server):
    for kind in server.kinds:
        server.make_writing((kind,))
        for isolation, mode, safety, logging in itertools.product(ISOLATIONS, MODES, SAFETIES, (True, False)):
            yield Run(safety, mode, isolation, (kind,), logging=logging)


def pair_runs(server):
    for kinds in itertools.product(server.kinds, repeat=2):
        server.make_writing(kinds)
        for isolation, mode, safety in itertools.product(ISOLATIONS, MODES, SAFETIES):
            yield Run(safety, mode, isolation, kinds)


def reading_runs(server):
    for written, read in itertools.product(server.kinds, repeat=2):
        server.make_writing((written,))
        server.make("r", read)
        for isolation, mode, safety in itertools.product(ISOLATIONS, MODES, NON_INJECTED):
            yield Run(safety, mode, isolation, (written,), read)


def unreplicated_runs(server):
    for kind in server.kinds:
        server.make_writing((kind, UNREPLICATED))
        for isolation, mode, safety in itertools.product(ISOLATIONS, MODES, NON_INJECTED):
            yield Run(safety, mode, isolation, (kind, UNREPLICATED))


def test_the_server_has_the_engines_of_the_worklog(decider):
    server, product = decider
    worklog_engines = {"archive", "blackhole", "csv", "federated", "memory", "merge", "myisam"}
    others = {"innodb", "partition"} | ({"aria"} if product.is_mariadb else set())
    others |= {"example"} if product.name in WITH_EXAMPLE else set()
    assert worklog_engines - NOT_IN_PACKAGE.get(product.name, frozenset()) | others == set(server.kinds)


def test_statements_on_one_table(decider):
    wrong, _ = differences(decider, single_runs(decider[0]))
    assert wrong == []


def test_statements_that_write_two_tables(decider):
    wrong, explained = differences(decider, pair_runs(decider[0]))
    assert wrong == []
    server, product = decider
    witness_sets(product, server.kinds)
    # Only tables of this engine can be logged as statements at READ COMMITTED and are transactional.
    named = {MIXED_TRANSACTIONS} if "blackhole" in server.kinds else set()
    named |= {REFUSED_FIRST} if "example" in server.kinds else set()
    assert set(explained) == named | ({INJECTED} if product.is_mariadb else set()), "a deviation no longer exists"


def test_statements_that_read_another_table(decider):
    wrong, explained = differences(decider, reading_runs(decider[0]))
    assert wrong == []
    assert set(explained) == {MIXED_TRANSACTIONS}


def test_statements_that_read_a_table_that_is_not_replicated(decider):
    server, product = decider
    for kind in server.kinds:
        server.make_writing((kind,))
        for mode in MODES:
            run = Run("unsafe", mode, ISOLATIONS[0], (kind,), UNREPLICATED)
            assert server.run(run) == modelled(run, product.profile.name), run


def test_statements_that_also_write_a_table_that_is_not_replicated(decider):
    wrong, explained = differences(decider, unreplicated_runs(decider[0]))
    assert wrong == []
    assert set(explained) == {SYSTEM_TABLE}


def test_a_statement_that_only_writes_tables_that_are_not_replicated_is_as_in_the_table(decider):
    server, product = decider
    server.make_writing((UNREPLICATED,))
    outcomes = {}
    for mode, logging in itertools.product(MODES, (True, False)):
        run = Run("unsafe", mode, ISOLATIONS[0], (UNREPLICATED,), logging=logging)
        outcomes[mode, logging] = server.run(run)
        assert outcomes[mode, logging] == modelled(run, product.profile.name), run
    refuses = product.profile.name in UNREPLICATED_REFUSED
    assert outcomes["statement", True] == (Outcome(None, None) if refuses else Outcome("statement", 1592))
    if product.profile.name in catalogue()[UNLOGGED].holds:
        witnessed(product.profile.name, UNLOGGED, kept=True)


def test_a_refused_statement_changes_nothing(decider):
    server, product = decider
    refused = 0
    for run in single_runs(server):
        if kills(run, product):
            continue
        wanted, _ = expected(run, product)
        before = server.rows()
        server.run(run)
        # A table that never has rows shows nothing.
        stored = 0 if EMPTY.issuperset(run.written) else 1
        is_error = wanted.code is not None and wanted.code != 1592
        assert server.rows() - before == (0 if is_error else stored), run
        if stored:
            witness_execution(product, run, wanted)
        refused += is_error
    # InnoDB and its partitioned tables at READ COMMITTED, and in MySQL every row injection in mode STATEMENT.
    injected = [kind for kind in server.kinds if not (kind == "merge" and product.profile.name in KILLED_BY_MERGE)]
    # EXAMPLE: every statement in mode ROW, every row injection, and in mode MIXED what is unsafe.
    of_example = 10 if "example" in server.kinds else 0
    assert refused == (4 if product.is_mariadb else 4 + 2 * len(injected) + of_example)


def test_each_row_without_a_statement_only_engine_is_observed():
    rows = {
        row_for(safety, mode, locked_table("innodb", isolation).capability).number
        for safety, mode, isolation in itertools.product(SAFETIES, MODES, ISOLATIONS)
    }
    assert rows == set(range(11, 29))
