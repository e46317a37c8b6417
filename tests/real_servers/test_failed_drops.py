"""DROP DATABASE that fails halfway on a real replica: it stops, logs and executes what the model does."""

from collections.abc import Iterator

import pytest

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.reader import read_events
from conformance.servers.real_server import RealServer, running
from conformance.servers.relay_feed import OPTIONS, feed
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from conformance.strategies.groups.replica_groups import PREPARATION
from tests.witnesses import witnessed_in_case

#: The servers whose replicas log something of a DROP DATABASE that fails, or refuse to with an error of its own.
SERVERS = Profiles("mysql >= 5.7, < 8.0")
SEED, CASES = 1, 30


@pytest.fixture(scope="module", params=["OFF", "ON"])
def replica(request, product, server_folder, template_of) -> Iterator[RealServer]:
    """Yield a replica in a gtid_mode."""
    options = [*OPTIONS[product.profile.name], f"--gtid-mode={request.param}", "--enforce-gtid-consistency=ON"]
    folder = server_folder / f"{product.name}-drops-{request.param.lower()}"
    with running(product, folder, options=options, template=template_of(product)) as server:
        yield server


def made(database: str, tables: list[str]) -> list[str]:
    """Return the statements that make a database with tables."""
    return [f"CREATE DATABASE `{database}`", *(f"CREATE TABLE `{database}`.`{each}` (a INT)" for each in tables)]


def drops(log: bytes, database: str) -> list[tuple[int, str]]:
    """Return the DROP statements in a database, each with the type of the GTID event before it."""
    logged, gtid_type = [], 0
    for event in read_events(log):
        if event.header.type in GTID_TYPES:
            gtid_type = event.header.type
        elif event.header.type == EventType.QUERY and event.fields()["database"] == database.encode():
            logged.append((gtid_type, event.fields()["query"].decode()))
            gtid_type = 0
    return logged


def test_a_real_replica_fails_at_a_drop_database_as_the_model_does(replica, product):
    mode, profile = replica.value("SELECT @@GLOBAL.gtid_mode"), product.profile.name
    cases = (case_of(CaseId("failed_drop_databases", profile, SEED, index, role="apply")) for index in range(CASES))
    chosen: list[Case] = [each for each in cases if each.settings["gtid_mode"] == mode]
    assert chosen
    for case in chosen:
        leftovers = case.settings["leftovers"]
        database, tables = next((name, each) for name, each in leftovers.items() if not name.endswith("_left"))
        prepare = [*PREPARATION, *made(database, tables)]
        state = feed(replica, case.stream, prepare=prepare, obstructed=[database])
        last = case.expected.events[-1]
        positions = (last["group_relay_log_pos"], last["source_log_pos"])
        assert (state.error, state.relay_log_pos, state.source_log_pos) == (case.expected.refused_code, *positions)
        assert (state.executed, state.rows) == (last["executed_gtids"], last["tables"]["test.t1"])

        logged = drops(b"".join(path.read_bytes() for path in replica.logs()), database)
        assert [gtid_type for gtid_type, _ in logged] == [EventType.ANONYMOUS_GTID] * last["logged_statements"], case.id
        # The directory's order is the file system's: only which tables are named is certain.
        named = sorted(name for _, query in logged for name in tables if f"`{name}`" in query)
        assert named == (sorted(tables) if logged else [])
        witnessed_in_case(profile, case)
