"""asyncmy by name: what its adapter answers for a server, and what the library makes of it."""

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge, request_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

pytestmark = [pytest.mark.slow, pytest.mark.network]


@pytest.fixture(scope="module")
def asyncmy():
    with implementation("asyncmy", limits=Limits(seconds=4.0)) as built:
        yield built


def findings(built, case):
    verdicts = Judge(built.declaration.roles[case.role]).judge(case, built.ask(request_of(case)))
    return {each.finding for each in verdicts if each.is_failure}


def test_rows_are_read_with_the_columns_that_a_server_would_name(asyncmy):
    """ENUM and SET columns have labels, or numbers in their place, and integers the sign that the log records."""
    cases = [case_of(CaseId("every_column_type", "mysql-8.0", seed=1, index=index)) for index in range(40)]
    read = 0
    for case in cases:
        answer = asyncmy.ask(request_of(case))
        expected = {entry["offset"]: entry for entry in case.expected.events}
        rows = [entry for entry in getattr(answer, "events", ()) if "rows" in entry]
        read += sum(entry["rows"] == expected[entry["offset"]]["rows"] for entry in rows)
        assert not [each for each in findings(asyncmy, case) if "ENUM differs" in each or "UNSIGNED" in each]
    assert read > 0


def test_rows_of_the_first_partition_are_read_without_end(asyncmy):
    cases = [case_of(CaseId("partitioned_tables", "mysql-9.x", seed=1, index=index)) for index in range(8)]
    ends = [getattr(asyncmy.ask(request_of(case)), "status", "answer") for case in cases]
    assert {"hang", "crash"} & set(ends)


def test_rows_are_lost_with_the_table_map_before_the_connection_is_lost(asyncmy):
    cases = [case_of(CaseId("sent_logs", "mysql-9.x", seed=0, index=index, role="client")) for index in range(24)]
    together = {each for case in cases for each in findings(asyncmy, case)}
    assert "client: events lost with the connection" in together
    assert "client: rows event dropped" not in together
