"""Small logs that unpack to gigabytes: commands print them in bounded memory, or refuse them and name the limit."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from hostile_logs import REFUSED, SHOWN, TINY, log_of, rows, table_map

from conformance.binlog.event_types import EventType
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.table import Column
from conformance.cli.main import cli
from tests.extras import require

#: Peak memory of a command, in MB.
PEAK = 300
#: The same where a text of 60 MB is shown: 256 MB mostly, and now and then 300, as the heap lies. It is about the
#: 180 MB more that a text of four bytes a character takes.
PEAK_OF_LONG = 360
#: The same for logs that are small enough for a test: they took 120 MB and more when rows and texts were held.
PEAK_OF_SMALL = 100
COMMANDS = {
    "decode": ["decode"],
    "json": ["decode", "--json"],
    "dump": ["decode", "--dump"],
    "check": ["check"],
    "show": ["show"],
    "show-v": ["show", "-v"],
    "show-vv": ["show", "-vv"],
    "events": ["show", "--format", "events"],
    "filter": ["filter", "--ignore-table", "a.b"],
}


#: Runs a command, and writes its exit status and its peak memory in bytes to a file. A process counts the memory of the
#: one that it was forked from, so that a test must not fork it itself.
MEASURED = """
import os, sys
report, *command = sys.argv[1:]
_, status, usage = os.wait4(os.posix_spawn(command[0], command, os.environ), 0)
unit = 1 if sys.platform == "darwin" else 1 << 10
with open(report, "w") as file:
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * unit, file=file)
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs wait4, to measure a process")


def run(command, path, *options):
    """Return the exit status of a command in a process of its own, its errors, and its peak memory in MB."""
    arguments = [*COMMANDS[command], *options, str(path)]
    if command == "filter":
        require("sql")
        arguments += ["--output", str(path.with_name("filtered"))]
    program = [sys.executable, "-c", "from conformance.cli import main; main()", *arguments]
    errors, report = path.with_name("errors"), path.with_name("report")
    with errors.open("wb") as stream:
        measured = [sys.executable, "-I", "-S", "-c", MEASURED, str(report), *program]
        subprocess.run(measured, stdout=subprocess.DEVNULL, stderr=stream, check=True)
    status, peak = map(int, report.read_text().split())
    return status, errors.read_text(), peak >> 20


def written(tmp_path, data):
    path = tmp_path / "bin.000001"
    path.write_bytes(data)
    return path


#: What takes long and is shown by other commands or logs too: for the slow runs.
LIKE_OTHERS = [
    ("compressed rows", "show-vv"),
    ("rows of NULL", "json"),
    *(("a payload of tiny events", each) for each in ("check", "show", "events")),
]


def logs_and_commands(pairs):
    return [
        pytest.param(*pair, marks=pytest.mark.slow if pair in LIKE_OTHERS else (), id="-".join(pair)) for pair in pairs
    ]


@pytest.mark.parametrize(
    ("name", "command"), logs_and_commands((name, each) for name, (_, commands) in SHOWN.items() for each in commands)
)
def test_a_small_log_that_unpacks_to_much_is_shown_in_bounded_memory(tmp_path, name, command):
    status, errors, peak = run(command, written(tmp_path, SHOWN[name][0]()))
    # The rule of the filter need not meet a table.
    assert [line for line in errors.splitlines() if "nothing in the log is about" not in line] == []
    # No server would write all of them, which `check` reports.
    assert status == 0 or (command == "check" and status == 1)
    assert peak < PEAK_OF_SMALL


@pytest.mark.parametrize(
    ("name", "command"),
    logs_and_commands((name, each) for name in REFUSED for each in ("decode", "check", "show", "events", "filter")),
)
def test_a_log_beyond_a_limit_is_refused_with_the_option_that_raises_it(tmp_path, name, command):
    log, limit, message = REFUSED[name]
    path = written(tmp_path, log())
    status, errors, peak = run(command, path)
    # The event after the format description.
    offset = 4 + int.from_bytes(path.read_bytes()[13:17], "little")
    assert (status, errors) == (2, f"{path}:{offset}: {message}, raise it with --limit {limit}=NUMBER\n")
    assert peak < PEAK
    assert not path.with_name("filtered").exists()


@pytest.mark.parametrize(
    ("name", "options", "shown"),
    [
        ("a long event", ["--limit", "event-bytes=18M"], 1),
        ("a long event", ["--limit", "event-bytes=17825815"], 1),
        ("a long event", ["--limit", "event-bytes=17825814"], 0),
        ("a payload of tiny events", ["--limit", "events=250001", "--limit", "event-bytes=1M"], 250_002),
    ],
)
def test_a_limit_can_be_raised(tmp_path, name, options, shown):
    path = written(tmp_path, REFUSED[name][0]())
    done = CliRunner().invoke(cli, ["decode", *options, str(path)])
    assert done.exit_code == (0 if shown else 2)
    assert len(done.stdout.splitlines()) == 1 + shown


@pytest.mark.parametrize("limit", ["cells", "cells=", "cells=x", "cells=0", "cells=-1", "rows=5", "cells=5T", "=5"])
def test_a_limit_that_is_not_one_is_refused(tmp_path, limit):
    done = CliRunner().invoke(cli, ["check", "--limit", limit, str(written(tmp_path, b""))])
    assert done.exit_code == 2
    assert f"{limit!r} is not a valid limit: write event-bytes or payload-bytes or events" in " ".join(
        done.output.replace("│", " ").split()
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--limit", "cells=9"], "the rows have 10 values or more; the limit is 9"),
        (["--limit", "values=1"], "the event has 2 columns; the limit is 1"),
    ],
)
@pytest.mark.parametrize("command", ["json", "show-v"])
def test_rows_and_tables_have_limits(tmp_path, command, options, message):
    path = written(tmp_path, log_of("mysql-8.0", table_map(TINY, TINY), rows(b"\xff" * 5, columns=2)))
    done = CliRunner().invoke(cli, [*COMMANDS[command], *options, str(path)])
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.parametrize("images", [5, 100_000])
def test_a_line_of_json_is_whole_or_not_there(tmp_path, images):
    data = b"\xff" * images + b"\x00"
    path = written(tmp_path, log_of("mysql-8.0", table_map(TINY), rows(data)))
    done = CliRunner().invoke(cli, ["decode", "--json", str(path)])
    assert done.exit_code == 1
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == [15, 19]
    assert "expected 1 bytes" in done.stderr


def test_long_rows_and_texts_are_the_same_json_as_in_one_piece(tmp_path):
    statement = "SELECT 'é\U0001f600\"\n'" * 20_000
    query = {"thread_id": 1, "exec_time": 0, "error_code": 0, "status_variables": b"", "database": b""}
    log = log_of(
        "mysql-8.0",
        (EventType.QUERY, query | {"query": statement.encode()}),
        table_map(TINY),
        rows(b"\x00\x05" * 60_000),
    )
    lines = CliRunner().invoke(cli, ["decode", "--json", str(written(tmp_path, log))]).stdout.splitlines()
    assert [line == json.dumps(json.loads(line), ensure_ascii=False) for line in lines] == [True] * 4
    assert json.loads(lines[1])["query"] == statement
    assert json.loads(lines[3])["rows"] == [{"before": None, "after": {"0": 5}}] * 60_000


@pytest.mark.parametrize("command", [pytest.param("show-v", marks=pytest.mark.slow), "show-vv", "json"])
def test_a_long_value_of_characters_that_are_escaped_is_shown_in_bounded_memory(tmp_path, command):
    """One character beyond U+FFFF would make each of the 60 million characters of the escaped value take four bytes."""
    value = bytes(15 << 20) + "\U0001f600".encode()
    blob = Column(ColumnType.BLOB, 4)
    row = b"\x00" + len(value).to_bytes(4, "little") + value
    status, errors, peak = run(command, written(tmp_path, log_of("mysql-8.0", table_map(blob), rows(row))))
    assert (status, errors) == (0, "")
    assert peak < PEAK_OF_LONG


@pytest.mark.parametrize("size", [1000, (1 << 20) + 7])
def test_a_value_is_shown_as_the_same_bytes_whether_it_is_long_or_not(tmp_path, size):
    value = (b"\0'" + "\U0001f600é".encode() + b"\xff\n") * (size // 10)
    row = b"\x00" + len(value).to_bytes(4, "little") + value
    path = written(tmp_path, log_of("mysql-8.0", table_map(Column(ColumnType.BLOB, 4)), rows(row)))
    shown = CliRunner().invoke(cli, ["show", "-v", str(path)]).stdout_bytes
    escaped = (b"\\x00\\'" + "\U0001f600é".encode() + b"\xff\\n") * (size // 10)
    assert b"###   @1='" + escaped + b"'\n" in shown
