"""The kit's printed logs can be run: a new server accepts them, with Rows_query events in BINLOG statements."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.binlog.reader import read_events
from conformance.models.rendering.print_options import PrintOptions
from conformance.models.rendering.printer import printer_of
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.servers.products import Product
from conformance.servers.real_server import RealServer, running
from conformance.specs.versions import Profiles

#: The servers that know the golden logs' events.
SERVERS = Profiles("mysql >= 8.3")
GOLDEN = Path(__file__).parent.parent / "golden"
#: Golden log -> the number of transactions in it.
LOGS = {"rows_query": 14, "tagged_gtid": 12}


@pytest.fixture(scope="module")
def server(product, server_folder, template_of) -> Iterator[RealServer]:
    options = ("--gtid-mode=ON", "--enforce-gtid-consistency")
    with running(product, server_folder / "run", options=options, template=template_of(product)) as started:
        yield started


def text(name: str, verbose: int) -> bytes:
    printer = printer_of(PRINTER_VERSIONS["mysql-9.x"], PrintOptions(verbose=verbose))
    events = read_events((GOLDEN / f"{name}.bin").read_bytes())
    lines = [*printer.opening(), *printer.log(events), *printer.closing()]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")


def run(product: Product, server: RealServer, name: str, verbose: int) -> tuple[list[tuple[object, ...]], int]:
    """Run a printed log on an empty server, and return the table's rows and the number of transactions."""
    server.run("DROP DATABASE IF EXISTS d1", "RESET BINARY LOGS AND GTIDS")
    client = [str(product.folder / "bin" / "mysql"), "--no-defaults", "-uroot", f"--socket={server.socket}"]
    done = subprocess.run([*client, "--binary-mode"], input=text(name, verbose), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    taken = server.value("SELECT @@GLOBAL.gtid_executed")
    count = sum(
        int(end or start) - int(start) + 1
        for part in taken.replace("\n", "").split(",")
        for interval in part.split(":")[1:]
        if interval[0].isdigit()
        for start, _, end in [interval.partition("-")]
    )
    return server.run("SELECT * FROM d1.t ORDER BY id"), count


@pytest.mark.parametrize("name", LOGS)
def test_a_printed_log_has_the_same_effect_with_any_verbosity(product, server, name):
    rows, count = run(product, server, name, 2)
    assert rows
    assert count == LOGS[name]
    assert run(product, server, name, 0) == (rows, count)
