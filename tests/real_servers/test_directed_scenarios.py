"""Directed scenarios: each server logs what the model logs, in each format, with each engine, with and without GTIDs.

Random scenarios seldom do what a sentence of a worklog is about, and none ends a session with temporary tables.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from directed_scenarios import directed_scenarios
from model_comparison import difference
from scenario_runs import ROWS_EVENT_BYTES

from conformance.models.server.settings import BINLOG_FORMATS
from conformance.models.server.tables import TRANSACTIONAL
from conformance.servers.products import Product
from conformance.servers.real_server import running
from conformance.servers.scenario_runner import Runner
from conformance.specs.versions import Profiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A difference between servers and the model that the model keeps, with what servers do.

    Attributes:
        name: The name of the scenario that shows it.
        profiles: The servers that differ.
        engine: The engine with which they do.
        forms: The formats in which they do.
        reason: What they do.
    """

    name: str
    profiles: Profiles
    engine: str
    forms: tuple[str, ...]
    reason: str


#: Every known difference. A row that a server no longer shows fails the test.
KNOWN = (
    Known(
        name="DDL inside, GTID_NEXT 00000000-0000-0000-0000-000000000001:1",
        profiles=Profiles("mysql >= 5.6, < 5.7"),
        engine="innodb",
        forms=("STATEMENT",),
        reason="before its Xid event the transaction has a second Gtid event, with the same number and no UUID",
    ),
)


@pytest.fixture(scope="module")
def runner(product: Product, server_folder, template_of) -> Iterator[Runner]:
    """Return what runs scenarios on a server, which runs until the module's tests with it end."""
    options = [f"--binlog-row-event-max-size={ROWS_EVENT_BYTES}", "--binlog-format=ROW"]
    folder = server_folder / f"{product.name}-d"
    with running(product, folder, options=options, template=template_of(product)) as server:
        yield Runner(server)


@pytest.mark.parametrize("form", BINLOG_FORMATS)
@pytest.mark.parametrize("engine", TRANSACTIONAL)
def test_a_server_logs_directed_scenarios_as_the_model_does(runner, engine, form):
    product = runner.server.product
    profile = product.profile.name
    fixed = {"server_uuid": runner.server.value("select @@server_uuid")} if product.dialect.uuid else {}
    fixed |= {} if product.dialect.checksums else {"binlog_checksum": "NONE"}
    fixed["binlog_row_event_max_size"] = ROWS_EVENT_BYTES
    scenarios = directed_scenarios(profile, engine=engine, form=form, **fixed)
    differences = {name: text for name, scenario in scenarios if (text := difference(runner, scenario))}
    known = {each.name for each in KNOWN if profile in each.profiles and engine == each.engine and form in each.forms}
    assert "\n".join(f"{name}:\n{differences[name]}" for name in differences if name not in known) == ""
    assert known <= differences.keys(), f"remove from KNOWN what {profile} no longer does"
