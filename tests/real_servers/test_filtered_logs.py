"""A real server accepts the filtered log: mysqlbinlog prints it, and a new server runs the output.

Tables excluded by a rule are then absent, and all others are as on the server that wrote the log.
"""

import subprocess
from pathlib import Path

import pytest

from conformance.binlog.reader import read_events
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.filtered_log import LogFilter
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName
from conformance.servers.real_server import RealServer, running
from conformance.specs.versions import Profiles
from tests.extras import require

require("sql")

#: The servers whose packages bring mysqlbinlog and mysql.
SERVERS = Profiles("mysql >= 9.0")
#: Statements that leave tables of two databases, some made from others, some renamed.
WORK = (
    "CREATE DATABASE shop",
    "CREATE DATABASE private",
    "CREATE TABLE shop.orders (a INT PRIMARY KEY, b VARCHAR(100))",
    "CREATE TABLE private.people (a INT PRIMARY KEY, b VARCHAR(100)) PARTITION BY HASH(a) PARTITIONS 3",
    "CREATE TABLE shop.secret LIKE shop.orders",
    "CREATE TABLE shop.`t-1` SELECT 1 AS a, 'x' AS b",
    "INSERT INTO shop.orders VALUES (1, 'a'), (2, 'b'), (3, REPEAT('c', 90))",
    "INSERT INTO private.people VALUES (1, 'a'), (2, 'b')",
    "BEGIN",
    "INSERT INTO shop.secret SELECT * FROM shop.orders",
    "INSERT INTO shop.orders VALUES (4, 'd')",
    "SAVEPOINT s",
    "INSERT INTO private.people VALUES (4, 'd')",
    "COMMIT",
    "BEGIN",
    "INSERT INTO private.people VALUES (5, 'e')",
    "COMMIT",
    "BEGIN",
    "UPDATE shop.orders, private.people SET orders.b = 'both', people.b = 'both' WHERE orders.a = people.a",
    "DELETE FROM shop.secret WHERE a = 1",
    "COMMIT",
    "CREATE TABLE shop.copy SELECT * FROM shop.orders",
    "RENAME TABLE shop.copy TO shop.archive",
    "INSERT INTO shop.archive VALUES (9, 'nine')",
    "ALTER TABLE shop.secret ADD COLUMN c INT",
    "REPLACE INTO shop.secret VALUES (7, 'seven', 7)",
    "DROP TABLE shop.`t-1`",
    "TRUNCATE TABLE shop.archive",
    "INSERT INTO shop.archive VALUES (10, 'ten')",
)
SETTINGS = {
    "plain": (),
    "gtids": ("--gtid-mode=ON", "--enforce-gtid-consistency"),
    "compressed": ("--gtid-mode=ON", "--enforce-gtid-consistency", "--binlog-transaction-compression=ON"),
    "statements": ("--binlog-format=STATEMENT",),
    "without checksums": ("--binlog-checksum=NONE", "--binlog-rows-query-log-events=ON"),
}
RULES = {
    "a table": FilterRules(ignore_tables=frozenset({TableName("shop", "secret")})),
    "a database": FilterRules(ignore_databases=frozenset({"private"})),
    "do tables": FilterRules(
        do_tables=frozenset(TableName("shop", name) for name in ("orders", "copy", "archive", "t-1"))
    ),
}


@pytest.fixture(scope="module", params=SETTINGS)
def written(request, product, server_folder, template_of):
    """Yield a server that did the work, its log, and the settings."""
    options = SETTINGS[request.param]
    folder = server_folder / f"w{list(SETTINGS).index(request.param)}"
    with running(product, folder, options=options, template=template_of(product)) as server:
        server.run(*WORK)
        server.run("FLUSH BINARY LOGS")
        yield server, server.logs()[-2], options


def contents(server: RealServer) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of every table of the two databases."""
    tables = server.run(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema IN ('shop', 'private')"
    )
    return {f"{schema}.{name}": sorted(server.run(f"SELECT * FROM `{schema}`.`{name}`")) for schema, name in tables}


def replay(server: RealServer, log: Path) -> None:
    """Run a log on a server with its own tools."""
    programs = server.product.folder / "bin"
    printed = subprocess.run(
        [programs / "mysqlbinlog", "--no-defaults", "--verify-binlog-checksum", log], capture_output=True, check=False
    )
    assert (printed.returncode, printed.stderr) == (0, b"")
    command = [programs / "mysql", "--no-defaults", f"--socket={server.socket}", "--user=root"]
    # The client must know the character set of the log's statements.
    done = subprocess.run([*command, "--binary-mode"], input=printed.stdout, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("unpack", [False, True])
@pytest.mark.parametrize("name", RULES)
def test_a_server_runs_the_filtered_log(written, name, unpack, tmp_path, server_folder, template_of):
    source, log, options = written
    if "--binlog-format=STATEMENT" in options and name != "a table":
        pytest.skip("a statement on two tables is dropped as a whole if one of them is: the other one lacks its change")
    rules = RULES[name]
    chosen = LogFilter(TableFilter(rules), unpack_payloads=unpack)
    left = tmp_path / "left.000001"
    left.write_bytes(b"".join(chosen.filtered(read_events(log.read_bytes()))))
    assert chosen.counts.dropped
    assert not chosen.counts.uncertain

    folder = server_folder / f"{source.folder.name}{list(RULES).index(name)}{int(unpack)}"
    with running(source.product, folder, options=options, template=template_of(source.product)) as fresh:
        fresh.reset()
        replay(fresh, left)
        there = contents(fresh)
    kept = {
        table: rows for table, rows in contents(source).items() if rules.pass_all([TableName(*table.split(".", 1))])
    }
    assert there == kept
