"""What clients ask before they replicate: the words are those that servers, programs and connectors send."""

import time
from contextlib import suppress

import pytest
from sources import CASE, source_of

from conformance.wire.messages import WireError
from conformance.wire.queries import Queries
from conformance.wire.source import UUID

MYSQL_8_0 = CASE
MYSQL_5_5 = "transactions/mysql-5.5/0/1"
MYSQL_9 = "transactions/mysql-9.x/0/1"
MARIADB = "transactions/mariadb-10.x/0/1"


@pytest.fixture
def queries():
    return Queries(source_of(MYSQL_8_0))


def first(queries, statement):
    return queries.answer(statement).rows[0]


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("SELECT VERSION()", "8.0.43"),
        ("select version() as v limit 1", "8.0.43"),
        ("SELECT @@GLOBAL.SERVER_UUID", UUID),
        ("SELECT @@global.binlog_checksum AS checksum;", "CRC32"),
        ("SELECT @@version_comment LIMIT 1", "binlog-conformance"),
        ("SELECT DATABASE()", None),
        ("SELECT 1", "1"),
        ("SELECT 'a, b'", "a, b"),
    ],
)
def test_a_select_gives_the_value(queries, statement, value):
    assert first(queries, statement) == (value,)


def test_a_select_of_several_values_names_their_columns(queries):
    answer = queries.answer("/* mysql-connector-j-8.0.33 */SELECT  @@session.autocommit AS on_its_own, @@sql_mode")
    assert answer.columns == ("on_its_own", "@@sql_mode")
    assert answer.rows == (("1", ""),)


@pytest.mark.parametrize(
    "statement",
    [
        "SET @master_binlog_checksum= @@global.binlog_checksum",
        "SET @master_binlog_checksum = 'CRC32', @source_binlog_checksum = 'CRC32'",
        "SET @source_binlog_checksum='CRC32'",
    ],
)
def test_what_a_client_announces_for_checksums_is_kept(queries, statement):
    assert queries.client().checksum is None
    assert queries.answer(statement) is None
    assert queries.client().checksum == "CRC32"


def test_a_replica_reads_what_it_announced(queries):
    queries.answer(
        "SET @master_binlog_checksum = @@global.binlog_checksum, @source_binlog_checksum = @@global.binlog_checksum"
    )
    assert first(queries, "SELECT @source_binlog_checksum") == ("CRC32",)


def test_heartbeats_are_asked_for_in_nanoseconds(queries):
    assert queries.heartbeat_seconds is None
    queries.answer("SET @master_heartbeat_period = 1500000000, @source_heartbeat_period = 1500000000")
    assert queries.heartbeat_seconds == 1.5


@pytest.mark.parametrize(("period", "seconds"), [("1", 0.001), ("0", None), ("-5", None), ("9" * 400, 4294967.0)])
def test_a_period_that_no_replica_can_ask_for_is_brought_within_what_one_can(queries, period, seconds):
    queries.answer(f"SET @source_heartbeat_period = {period}")
    assert queries.heartbeat_seconds == seconds


@pytest.mark.parametrize("capability", ["9" * 5000, "\u00b2", ""])
def test_a_capability_that_no_replica_has_is_none(capability):
    queries = Queries(source_of(MARIADB))
    queries.answer(f"SET @mariadb_slave_capability='{capability}'")
    assert queries.client().capability == 0


def test_the_capability_and_the_state_of_a_replica_of_mariadb_are_kept():
    queries = Queries(source_of(MARIADB))
    for each in ("SET @mariadb_slave_capability=4", "SET @slave_connect_state='0-1-5,1-1-7'"):
        queries.answer(each)
    assert queries.client().capability == 4
    assert queries.client().connect_state == "0-1-5,1-1-7"


@pytest.mark.parametrize(
    "statement",
    [
        "SHOW GLOBAL VARIABLES LIKE 'BINLOG_CHECKSUM'",
        "show variables where Variable_name = 'binlog_checksum'",
        "SHOW VARIABLES LIKE 'binlog\\_checksum'",
        "SHOW VARIABLES WHERE Variable_name IN ('binlog_checksum')",
    ],
)
def test_show_variables_gives_the_variable_that_is_named(queries, statement):
    assert queries.answer(statement).rows == (("binlog_checksum", "CRC32"),)


def test_a_pattern_gives_every_variable_that_fits(queries):
    names = [name for name, _ in queries.answer("SHOW VARIABLES LIKE 'gtid%'").rows]
    assert names == ["gtid_mode", "gtid_executed", "gtid_purged"]


@pytest.mark.parametrize(
    ("case", "statement", "known"),
    [
        (MYSQL_8_0, "SHOW MASTER STATUS", True),
        (MYSQL_8_0, "SHOW BINARY LOG STATUS", False),
        (MYSQL_9, "SHOW MASTER STATUS", False),
        (MYSQL_9, "SHOW BINARY LOG STATUS", True),
        (MYSQL_5_5, "SELECT @@GLOBAL.GTID_MODE", False),
        (MYSQL_5_5, "SET @master_binlog_checksum= @@global.binlog_checksum", False),
        (MARIADB, "SELECT @@GLOBAL.gtid_domain_id", True),
        (MYSQL_8_0, "SELECT @@GLOBAL.gtid_domain_id", False),
    ],
)
def test_a_server_knows_the_words_of_its_version(case, statement, known):
    queries = Queries(source_of(case))
    if known:
        queries.answer(statement)
        return
    with pytest.raises(WireError) as refused:
        queries.answer(statement)
    assert refused.value.number in (1064, 1193)


def test_the_status_is_the_end_of_the_last_log(queries):
    source = source_of(MYSQL_8_0)
    assert first(queries, "SHOW MASTER STATUS")[:2] == (source.logs[-1].name, str(source.sizes[-1]))
    assert first(queries, "SHOW BINARY LOGS") == (source.logs[0].name, str(source.sizes[0]))


def test_tables_are_empty(queries):
    answer = queries.answer("SELECT COLUMN_NAME, COLLATION_NAME FROM information_schema.columns WHERE a = 'x, y'")
    assert answer.columns == ("COLUMN_NAME", "COLLATION_NAME")
    assert answer.rows == ()


@pytest.mark.parametrize(
    "statement", ["DROP DATABASE a", "SELECT SLEEP(1)", "SELECT", "", "\0\xff", "SELECT @@nothing"]
)
def test_what_is_not_known_is_refused_in_one_line(queries, statement):
    with pytest.raises(WireError) as refused:
        queries.answer(statement)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "statement", ["SELECT " + " " * 8000, "/*" * 4000, "SELECT " + "(" * 8000, "SET " + "@a=" * 2600]
)
def test_no_statement_takes_long(queries, statement):
    """A pattern that tries every place for every place would take minutes."""
    begun = time.process_time()
    with suppress(WireError):
        queries.answer(statement)
    assert time.process_time() - begun < 5
