"""What a real server runs for a statement of a question in the role `decide`, and what it cannot be asked."""

from pathlib import Path
from typing import Any

import pytest

from conformance.implementations.server.decided_runs import run_of
from conformance.implementations.server.server_implementation import CannotAnswer
from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY
from conformance.models.decision.statement import QuestionStatement, QuestionTable
from conformance.servers.decision_server import Run
from conformance.servers.products import Product

SERVER = Product("mysql57", Path("mysql57"))
KINDS = ("innodb", "myisam", "memory", "partition")


def statement(*tables: QuestionTable, **others: Any) -> dict[str, Any]:
    return QuestionStatement(**{"safety": "safe", "mode": "mixed", "tables": tables, **others}).setting()


def run(*tables: QuestionTable) -> Run:
    return run_of(statement(*tables), KINDS, SERVER)


@pytest.mark.parametrize(
    ("flags", "kind", "isolation"),
    [(BOTH, "myisam", "REPEATABLE READ"), (ROW_ONLY, "innodb", "READ COMMITTED")],
)
def test_a_table_of_an_engine_that_no_server_has_is_one_with_its_flags(flags, kind, isolation):
    assert run(QuestionTable("columns_of_ours", flags)) == Run("safe", "mixed", isolation, (kind,))


@pytest.mark.parametrize("flags", [STATEMENT_ONLY, NEITHER])
def test_flags_that_no_table_has_cannot_be_asked(flags):
    with pytest.raises(CannotAnswer):
        run(QuestionTable("columns_of_ours", flags))


@pytest.mark.parametrize("engine", ["ndb", "performance_schema"])
def test_an_engine_in_which_more_than_the_flags_matters_has_no_substitute(engine):
    with pytest.raises(CannotAnswer, match=f"no engine {engine}"):
        run(QuestionTable(engine, BOTH))


def test_a_safe_statement_that_servers_classify_as_unsafe_cannot_be_asked():
    read = QuestionTable("innodb", ROW_ONLY, written=False)
    with pytest.raises(CannotAnswer, match="classifies as unsafe"):
        run(QuestionTable("myisam", BOTH), read)


def test_it_is_asked_where_its_class_does_not_matter():
    tables = (QuestionTable("myisam", BOTH), QuestionTable("innodb", ROW_ONLY))
    assert run(*tables).written == ("myisam", "innodb")
    read = QuestionTable("innodb", ROW_ONLY, written=False)
    unsafe = statement(QuestionTable("myisam", BOTH), read, safety="unsafe")
    assert run_of(unsafe, KINDS, SERVER).read == "innodb"
