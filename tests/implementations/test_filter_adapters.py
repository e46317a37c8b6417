"""Foreign programs in the role `filter`: their own rules are used if they are equivalent."""

import shutil

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.servers import server_of
from conformance.implementations.registry import implementation
from conformance.models.filtering.log_part import Part
from conformance.models.filtering.table_name import TableName
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.scenarios.table_work import TableWork
from tests.extras import require

PROFILE = "mysql-5.7"
TABLE_A, TABLE_B, OTHER = TableName("test", "a"), TableName("test", "b"), TableName("other", "a")


@pytest.fixture(scope="module")
def library():
    require("mysql-replication")
    with implementation("mysql-replication") as started:
        yield started


@pytest.fixture(scope="module", params=["mysqlbinlog", "mariadb-binlog"])
def program(request):
    if not shutil.which(request.param):
        pytest.skip(f"needs the program {request.param} on the PATH")
    with implementation(request.param) as started:
        if started.declaration.name != request.param:
            pytest.skip(f"the {request.param} here is {started.declaration.name}")
        yield started


def log_of(*tables):
    """Return a log with a transaction on each table."""
    stream = StreamBuilder(SeededChooser("rows"), server_of(PROFILE), checksums=True)
    work = TableWork(stream)
    work.begin(extended=False)
    for table in tables:
        work.group([work.control("BEGIN", Part.BEGIN), *work.rows([table]), work.close()])
    return bytes(stream.bytes)


def ask(started, stream, *, do=(), ignore=(), tables="literal", renames="name"):
    settings = {
        "do_tables": [[each.database, each.name] for each in do],
        "ignore_tables": [[each.database, each.name] for each in ignore],
        "tables": tables,
        "renames": renames,
    }
    return started.ask(Request("filter", PROFILE, stream, settings))


def kept(answer, tables):
    """Return which of the tables, one for each transaction, were kept."""
    assert isinstance(answer, Observation), answer
    assert answer.error is None
    fates = []
    for each in answer.events:
        if each["type"] == EventType.TABLE_MAP:
            fates.append(each["fate"])
        elif each["type"] == EventType.WRITE_ROWS:
            assert each["fate"] == fates[-1]
    return [table for table, fate in zip(tables, fates, strict=True) if fate == "kept"]


@pytest.mark.parametrize(
    ("tables", "rules", "expected"),
    [
        ((TABLE_A, TABLE_B), {"do": [TABLE_A]}, [TABLE_A]),
        ((TABLE_A, TABLE_B), {"ignore": [TABLE_A]}, [TABLE_B]),
        ((TABLE_A, TABLE_B, OTHER), {"do": [TABLE_A, TABLE_B]}, [TABLE_A, TABLE_B]),
        ((TABLE_A, OTHER), {"do": [TABLE_A]}, [TABLE_A]),
        ((TABLE_A, TABLE_B, OTHER), {"ignore": [TABLE_A, OTHER]}, [TABLE_B]),
        ((TABLE_A, TABLE_B), {"do": [OTHER]}, []),
    ],
)
def test_the_library_uses_its_rules(library, tables, rules, expected):
    assert kept(ask(library, log_of(*tables), **rules), tables) == expected


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ({"ignore": [TABLE_A]}, "do not combine a table's database and name"),
        ({"do": [TABLE_A, TableName("other", "b")]}, "do not combine a table's database and name"),
        ({"do": [TABLE_A], "tables": "clever"}, "names exactly as given"),
        ({"do": [TABLE_A], "renames": "identity"}, "names exactly as given"),
    ],
)
def test_the_library_declines_rules_without_an_equivalent(library, rules, reason):
    answer = ask(library, log_of(TABLE_A, TABLE_B, OTHER), **rules)
    assert isinstance(answer, Trouble)
    assert (answer.status, reason in answer.detail) == ("unsupported", True)


@pytest.mark.parametrize(
    ("tables", "rules", "expected"),
    [
        ((TABLE_A, TABLE_B, OTHER), {"do": [TABLE_A, TABLE_B]}, [TABLE_A, TABLE_B]),
        ((TABLE_A, TABLE_B, OTHER), {"do": [OTHER]}, [OTHER]),
        ((TABLE_A, OTHER), {"do": [TABLE_A, TABLE_B]}, [TABLE_A]),
    ],
)
def test_the_program_uses_its_rule_for_a_database(program, tables, rules, expected):
    assert kept(ask(program, log_of(*tables), **rules), tables) == expected


@pytest.mark.parametrize(
    "rules",
    [
        {"do": [TABLE_A]},
        {"ignore": [TABLE_A]},
        {"do": [TABLE_A, OTHER]},
        {"do": [TABLE_A, TABLE_B], "tables": "clever"},
    ],
)
def test_the_program_declines_rules_without_an_equivalent(program, rules):
    answer = ask(program, log_of(TABLE_A, TABLE_B, OTHER), **rules)
    assert isinstance(answer, Trouble)
    assert answer.status == "unsupported"
