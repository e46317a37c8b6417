"""`certify server:NAME`: an unpacked server is judged in each of its roles, and no file of it remains.

Some packages bring the program that prints logs, mysqlbinlog or mariadb-binlog: it is certified in the role `render`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import READS_ALL, read_events
from conformance.binlog.servers import server_of
from conformance.implementations.registry import implementation
from conformance.implementations.server.unpacked_roles import ROLES
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reports.record import read_record
from conformance.servers.products import products
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families
from tests.first_case import first_case
from tests.witnesses import witnessed, witnessed_in_record

#: Role -> families that servers answer as the kit expects; of each group the first one that a server has is asked.
FAMILIES = {
    "log": (("logged_maintenance", "mixed_engines", "logged_transactions"),),
    "render": (("show_binlog_events",),),
    "decide": (("engine_capabilities",), ("logging_decisions",)),
    "relay": (
        ("relay_logs",),
        ("wrong_checksums_received",),
        ("malformed_bodies_received",),
        ("events_received_in_part",),
    ),
}
#: Role -> cases; the first ones may all ask about engines that a server lacks.
EXAMPLES = {"log": "2", "render": "3", "decide": "4", "relay": "4"}
#: Cases of each family for a program that prints logs: with fewer, some requirements have none.
PRINTED = "12"
#: What a server has that takes all the memory which it may have for a list.
OUT_OF_MEMORY = "fail render: ended by an error: Out of memory (Needed N bytes)"
#: Role and server -> what the server does otherwise, in such cases as it meets. 8.0.15 lists no log at all in which a
#: name has more than 64 bytes, 5.6.24 never ends the list of one with a statement in a database of so long a name as
#: the test of memory has, and 9.7.4 lists what is in memory after the 255 bytes at which it cuts a Table_map's names.
DEVIATIONS = {
    ("render", "mysql56"): {OUT_OF_MEMORY},
    ("render", "mysql80"): {
        "fail render: ended by an error: Error when executing command SHOW BINLOG EVENTS: Found invalid event in "
        "binary log"
    },
    ("render", "mysql"): {"fail render: info of TABLE_MAP differs"},
}
#: Server -> what its program that prints logs does otherwise.
DEVIATIONS_OF_PROGRAMS = {"mysql": {"fail render: unfinished statement run in the next log"}}
#: The length of a database's name up to which 5.6.24 ends the list of a log with a statement in it.
LONGEST_LISTED = 127
#: The bytes of both names of a Table_map up to which 9.7.4 lists them whole.
LONGEST_TABLE_MAP = 255


def kit(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "conformance", *arguments]
    # A finding's cause is one line.
    environment = {**os.environ, "TMPDIR": str(folder), "COLUMNS": "200"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)


def family_of(group: tuple[str, ...], role: str, profile: str) -> str | None:
    return next((each for each in group if profile in families()[each].profiles_of(role)), None)


def findings_in(output: str) -> set[str]:
    return set(re.findall(r"^\d+\. \S+ (.*)$", output, re.MULTILINE))


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder with a short path, as it holds sockets, for everything that a run makes."""
    made = Path(tempfile.mkdtemp(prefix="c"))
    yield made
    shutil.rmtree(made)


@pytest.mark.parametrize("role", FAMILIES)
def test_a_server_is_certified_and_leaves_nothing(product, role, folder, tmp_path):
    profile = product.profile.name
    chosen = [each for each in (family_of(group, role, profile) for group in FAMILIES[role]) if each]
    if not chosen or profile not in ROLES[role].profiles:
        pytest.skip(f"nothing asks {product.name} in the role {role}")
    words = [word for each in chosen for word in ("--family", each)]
    options = ("--role", role, *words, "--examples", EXAMPLES[role], "--report", str(tmp_path))
    done = kit("certify", f"server:{product.name}", *options, folder=folder)
    findings = findings_in(done.stdout)
    assert findings <= DEVIATIONS.get((role, product.name), set()), done.stdout + done.stderr
    assert re.search(r"^Requirements: [1-9]\d* pass", done.stdout, re.MULTILINE)
    assert done.returncode == (1 if findings else 0)
    assert f"{profile} is started in a temporary folder" in done.stderr
    # The results of all versions are of one implementation.
    name = "MariaDB server" if product.is_mariadb else "MySQL server"
    assert f"\n{name} {product.profile.versions}:" in done.stdout
    assert list(folder.iterdir()) == []
    witnessed_in_record(profile, read_record(tmp_path / "run.jsonl"))


def test_the_program_of_a_release_prints_logs_as_the_kit_expects(product, folder, tmp_path):
    if not product.reader_program.exists():
        pytest.skip(f"the packages of {product.name} bring no program that prints logs")
    profile = product.profile.name
    options = ("--role", "render", "--profile", profile, "--examples", PRINTED, "--report", str(tmp_path))
    done = kit("certify", f"mysqlbinlog:{product.reader_program}", *options, folder=folder)
    findings = findings_in(done.stdout)
    assert findings <= DEVIATIONS_OF_PROGRAMS.get(product.name, set()), done.stdout + done.stderr
    assert done.returncode == (1 if findings else 0)
    record = read_record(tmp_path / "run.jsonl")
    assert any(each.results.get(profile, {}).get("pass") for each in record.requirements)
    witnessed_in_record(profile, record)


def listed(case: Case, code: EventType) -> list[dict[str, Any]]:
    """Return the fields of the events of a type, where a case asks for their list."""
    if case.settings["form"] != "events":
        return []
    return [event.fields() for event in read_events(case.stream, READS_ALL) if event.header.type == code]


def has_long_table_map(case: Case) -> bool:
    tables = listed(case, EventType.TABLE_MAP)
    return any(len(each["database"]) + len(each["table"]) > LONGEST_TABLE_MAP for each in tables)


def has_long_database(case: Case) -> bool:
    return any(len(each["database"]) > LONGEST_LISTED for each in listed(case, EventType.QUERY))


def fails_at_first(family: str, name: str, has: Callable[[Case], bool], finding: str, folder: Path) -> None:
    """Replay the first case that has something, and check that the server fails with a finding and leaves nothing."""
    if name not in products():
        pytest.skip(f"the server {name} is not unpacked")
    case = first_case(family, products()[name].profile.name, has, role="render")
    done = kit("replay", case, f"server:{name}", folder=folder)
    assert (done.returncode, finding in done.stdout) == (1, True), done.stdout + done.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["mysql"])
def test_a_server_lists_what_is_in_memory_after_the_names_of_a_table_map(name, folder):
    fails_at_first("show_binlog_events", name, has_long_table_map, "info of TABLE_MAP differs", folder)
    witnessed(products()[name].profile.name, "WL4033-GOLDEN-SHOW-INFO", kept=False)


@pytest.mark.parametrize("name", ["mysql56"])
def test_a_server_that_never_ends_its_list_runs_out_of_memory_before_the_machine_does(name, folder):
    fails_at_first("golden_vectors", name, has_long_database, OUT_OF_MEMORY.removeprefix("fail "), folder)


def question(profile: str, statements: list[dict[str, object]]) -> Request:
    return Request("log", profile, b"", {"scenario": {"settings": {"profile": profile}, "statements": statements}})


def test_a_server_answers_what_it_logs_and_declines_what_has_no_sql(product):
    profile = product.profile.name
    statements = [
        {"kind": "create_database", "database": "d1"},
        {"kind": "create_table", "table": "d1.t1"},
        {"kind": "insert", "table": "d1.t1", "values": [1, 2]},
    ]
    internal = [{"kind": "internal_rows", "table": "d1.t1", "values": [1]}]
    with implementation(f"server:{product.name}") as server:
        assert "log" in server.declaration.roles
        logged, declined = (server.ask(question(profile, each)) for each in (statements, internal))
    assert isinstance(logged, Observation)
    (stream,) = logged.streams
    events = read_events(stream, server_of(profile).rules)
    assert b"create database `d1`" in [each.fields()["query"] for each in events if each.header.type == EventType.QUERY]
    assert declined == Trouble("unsupported", "declined", "there is no SQL for internal_rows")
