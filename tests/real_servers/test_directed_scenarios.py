"""Directed scenarios: each server logs what the model logs, in each format, with each engine, with and without GTIDs.

Random scenarios seldom do what a sentence of a worklog is about, and none ends a session with temporary tables.
"""

from collections.abc import Iterator

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


class Known:
    """A difference between servers and the model that the model keeps, with what servers do.

    Args:
        names: How the names of the scenarios that show it begin.
        profiles: The servers that differ.
        reason: What they do.
    """

    def __init__(self, names: tuple[str, ...], profiles: Profiles, reason: str) -> None:
        self.names, self.profiles, self.reason = names, profiles, reason

    def explains(self, name: str, profile: str) -> bool:
        """Return whether it explains a difference."""
        return profile in self.profiles and name.startswith(self.names)


#: Every known difference.
KNOWN = (
    Known(
        ("temporary table dropped after a savepoint",),
        Profiles("mysql < 5.6"),
        "in row format the drop of a MyISAM one is logged before the transaction, even after a SAVEPOINT in it",
    ),
    Known(
        ("temporary table, GTID_NEXT 0",),
        Profiles("mysql >= 5.6"),
        "a statement that logs nothing uses the given GTID up: an empty group, BEGIN and COMMIT, is logged under it",
    ),
    Known(
        ("create table select, GTID_NEXT 0",),
        Profiles("mysql >= 5.6"),
        "a session whose statement is refused with 1786 keeps its given GTID: SET GTID_NEXT is then refused with 1790",
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
    known = {name for name in differences if any(each.explains(name, profile) for each in KNOWN)}
    assert "\n".join(f"{name}:\n{differences[name]}" for name in differences if name not in known) == ""
