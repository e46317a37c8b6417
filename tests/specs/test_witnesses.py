"""What real servers were seen to do: the tables, how runs write them, and the sentence about it."""

import ast
import re
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest

from conformance.specs.catalogue import catalogue
from conformance.specs.run_record import Status
from conformance.specs.witness import (
    SERVER_ROLES,
    Witness,
    needs_witness,
    read_table,
    sight_of,
    table_text,
    without_witness,
    witnesses,
)
from tests import witnesses as collecting
from tests.witnesses import TABLES, collected, merged, table_of, witnessed, witnessed_in_record

ROOT = Path(__file__).parent.parent.parent
ID = "WL7592-LOG-OFF-ANON-FIRST"
OTHER = "WL7592-LOG-ON-GTID-FIRST"
FIRST, SECOND = date(2026, 11, 1), date(2026, 12, 1)
TABLES_IN_REPOSITORY = sorted(TABLES.glob("*.tsv"))


def row(server="mysql-5.7.22", seen="keeps", *, requirement=ID, test="tests/a.py::test_b", day=FIRST):
    return Witness(requirement, server, seen, test, day)


@pytest.mark.parametrize("path", TABLES_IN_REPOSITORY, ids=lambda path: path.name)
def test_a_table_is_in_order_and_in_the_file_of_its_document(path):
    text = path.read_text(encoding="utf-8")
    rows = read_table(text)
    assert table_text(rows) == text
    assert {table_of(each.requirement) for each in rows} == {path.name}
    assert len({each.key for each in rows}) == len(rows)


def test_the_tables_name_tests_that_exist():
    rows = [each for rows in witnesses().values() for each in rows]
    assert rows
    for test in {each.test for each in rows}:
        file, _, name = test.partition("::")
        functions = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        assert name.rpartition("::")[2] in {each.name for each in functions if isinstance(each, ast.FunctionDef)}


def test_a_witness_is_of_a_role_of_servers_and_of_a_server_that_is_held_to_it():
    for requirement, rows in witnesses().items():
        entry = catalogue()[requirement]
        assert entry.role in SERVER_ROLES
        assert [each.server for each in rows if each.seen == "keeps" and each.server not in entry.holds] == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a\tb", r"is not a row of a table: write requirement, server, seen, test, date"),
        (f"NO-SUCH\tmysql-5.7.22\tkeeps\tt\t{FIRST}", "'NO-SUCH' is not a requirement"),
        (f"{ID}\tmysql-5.7.22\tmay\tt\t{FIRST}", "'may' is not what a server can do: write keeps or breaks"),
        (f"{ID}\tmysql-4.1.0\tkeeps\tt\t{FIRST}", "no profile 'mysql-4.1.0'"),
        (f"{ID}\tmysql-5.7.22\tkeeps\tt\tyesterday", "Invalid isoformat string: 'yesterday'"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_line(line, message):
    with pytest.raises(ValueError, match=re.escape("line 2: ") + f".*{message}"):
        read_table(f"head\n{line}\n")


def test_what_servers_were_seen_to_do_is_one_sentence():
    rows = [row("mysql-8.0.15"), row("mysql-5.5.9", "breaks"), row("mysql-5.7.22"), row("mariadb-11.4.5")]
    assert sight_of(rows) == "seen on mysql-5.7.22, mysql-8.0.15, mariadb-11.4.5; mysql-5.5.9 does otherwise"
    assert sight_of([row(), row(seen="breaks", test="tests/a.py::test_c")]) == "mysql-5.7.22 does otherwise"
    assert sight_of([row("mysql-5.5.9", "breaks"), row("mysql-5.6.24", "breaks")]).endswith("do otherwise")
    assert sight_of([]) == ""


def test_a_row_that_stays_as_it_was_keeps_its_date():
    old = [row(), row("mysql-8.0.15")]
    new = [row(day=SECOND), row("mysql-8.0.15", "breaks", day=SECOND)]
    assert merged(old, new) == [row(), row("mysql-8.0.15", "breaks", day=SECOND)]


def test_a_run_replaces_what_its_tests_saw_of_its_servers_and_nothing_else():
    old = [row(requirement=OTHER), row("mysql-8.0.15"), row(test="tests/a.py::test_c")]
    assert set(merged(old, [row(day=SECOND)])) == {*old[1:], row(day=SECOND)}


def test_what_a_test_sees_is_collected_and_one_break_is_enough(tmp_path, monkeypatch):
    monkeypatch.setenv(collecting.VARIABLE, str(tmp_path / "seen"))
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/a.py::test_b[mysql57-3] (call)")
    for kept in (True, False, True):
        witnessed("mysql-5.7.22", ID, kept=kept)
    witnessed("mysql-5.7.22", OTHER, kept=True)
    assert set(collected(tmp_path / "seen", day=FIRST)) == {row(seen="breaks"), row(requirement=OTHER)}


def test_a_certification_shows_what_was_passed_and_what_was_failed(tmp_path, monkeypatch):
    monkeypatch.setenv(collecting.VARIABLE, str(tmp_path / "seen"))
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/a.py::test_b (call)")
    of_roles = [each.id for each in catalogue().values() if each.role == "relay" and "mysql-5.7.22" in each.holds]
    none = dict.fromkeys(get_args(Status), 0)  # A record has a count for each status.
    counts = ({"pass": 3, "unsupported": 1}, {"pass": 3, "fail": 1}, {"pass": 3, "hang": 1}, {"blocked": 4})
    statuses = [none | each for each in counts]
    judged = dict(zip(of_roles, statuses, strict=False)) | dict.fromkeys(
        ("WL4033-READ-UNKNOWN-SKIPPED", *collecting.NOT_ASKED), none | {"pass": 4}
    )
    requirements = [
        SimpleNamespace(
            id=name, role=catalogue()[name].role, results={"mysql-5.7.22": each, "mysql-8.0.15": {"pass": 1}}
        )
        for name, each in judged.items()
    ]
    witnessed_in_record("mysql-5.7.22", SimpleNamespace(requirements=requirements))
    assert set(collected(tmp_path / "seen", day=FIRST)) == {
        row(requirement=of_roles[0]),
        row(seen="breaks", requirement=of_roles[1]),
    }


@pytest.mark.parametrize(
    ("server", "requirement", "message"),
    [
        ("mysql-5.7.22", "NO-SUCH", "'NO-SUCH' is not a requirement"),
        ("mysql-5.7", ID, "'mysql-5.7' is not a release: write mysql-5.6.24"),
        ("worklog", ID, "'worklog' is not a release"),
    ],
)
def test_what_cannot_be_seen_is_refused(server, requirement, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        witnessed(server, requirement, kept=True)


def test_a_requirement_on_servers_without_a_witness_is_a_gap():
    gaps = {each.id for each in without_witness()}
    assert ID not in gaps
    assert all(needs_witness(catalogue()[each]) for each in gaps)
    # It is the worklog's alone, and a reader's.
    assert not needs_witness(catalogue()["WL7592-RELAY-OWN-EVENTS-SERVER-ID-ZERO"])
    assert not needs_witness(catalogue()["WL4033-READ-UNKNOWN-SKIPPED"])
