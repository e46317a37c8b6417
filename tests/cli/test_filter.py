"""The command `filter`."""

import errno
import os
import signal
import stat
import subprocess
import sys

import pytest
from click.testing import CliRunner

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.cli.filter import command
from conformance.models.filtering.filtered_log import LogFilter
from conformance.models.filtering.statement import CreateTable
from conformance.models.filtering.table_name import TableName
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.scenarios.table_work import TableWork
from tests.extras import require

require("sql")

T1, T2, RENAMED = (TableName("test", name) for name in ("t1", "t2", "s"))


@pytest.fixture
def log(tmp_path):
    """A log: t2 is made from t1 and written to; t1 is renamed to s and written to."""
    stream = StreamBuilder(SeededChooser("a log to filter"), server_of("mysql-8.0"), checksums=True)
    work = TableWork(stream)
    work.begin(extended=False)
    for pieces in (
        work.create(CreateTable(T1)),
        work.create(CreateTable(T2, like=T1)),
        work.row_transaction([T2]),
        work.rename((T1, RENAMED)),
        work.row_transaction([RENAMED]),
    ):
        work.group(pieces)
    path = tmp_path / "bin.000001"
    path.write_bytes(bytes(stream.bytes))
    return path


def run(*arguments):
    """Return the exit status and all output of a run; mistakes of the user are shown as `main` shows them."""
    done = CliRunner().invoke(command, [str(each) for each in arguments])
    return done.exit_code, done.output


def left(path):
    """Return what is left of a log: the beginnings of statements, and the tables of rows."""
    parts = []
    for event in read_events(path.read_bytes()):
        fields = event.fields()
        if event.header.type == EventType.QUERY and fields["query"] not in (b"BEGIN", b"COMMIT", b"ROLLBACK"):
            parts.append(fields["query"].decode().split(" (")[0])
        elif event.header.type == EventType.TABLE_MAP:
            parts.append(fields["table"].decode())
    return parts


CREATE, LIKE, RENAME = "CREATE TABLE `t1`", "CREATE TABLE `t2` LIKE `t1`", "RENAME TABLE `t1` TO `s`"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--ignore-table", "test.t1"], ["t2", "s"]),
        (["--ignore-table", "test.t1", "--tables", "clever"], ["s"]),
        (["--ignore-table", "test.t1", "--renames", "identity"], ["t2"]),
        (["--ignore-table", "test.t1", "--ignore-table", "test.t2"], ["s"]),
        (["--do-table", "test.t1"], [CREATE, RENAME]),
        (["--do-table", "test.t1", "--renames", "identity"], [CREATE, RENAME, "s"]),
        (["--do-table", "test.t1", "--do-table", "test.t2"], [CREATE, LIKE, "t2", RENAME]),
        (["--do-database", "test"], [CREATE, LIKE, "t2", RENAME, "s"]),
        (["--ignore-database", "test"], []),
    ],
)
def test_rules_and_modes(log, tmp_path, options, expected):
    out = tmp_path / "out"
    status, output = run(log, *options, "--output", out)
    assert (status, left(out)) == (0, expected)
    assert output.startswith(f"{out}: ")
    assert "left out" in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no rule; give --do-table"),
        (["--do-table", "t1"], "'t1' is not a valid table: write database.table"),
        (["--do-table", "a.b", "--ignore-table", "a.c"], "give only one kind"),
        (["--do-table", "a.b", "--tables", "smart"], "smart"),
    ],
)
def test_mistakes_are_reported_in_one_line(log, tmp_path, options, message):
    status, output = run(log, *options, "--output", tmp_path / "out")
    assert status == 2
    assert message in output
    assert "Traceback" not in output
    assert not (tmp_path / "out").exists()


def test_an_output_that_exists_is_not_overwritten(log):
    before = log.read_bytes()
    status, output = run(log, "--do-table", "a.b", "--output", log)
    assert (status, log.read_bytes()) == (2, before)
    assert "exists already" in output


def test_the_output_has_the_permissions_of_any_new_file(log, tmp_path):
    out = tmp_path / "out"
    before = os.umask(0o026)
    try:
        status, _ = run(log, "--do-table", "test.t1", "--output", out)
    finally:
        os.umask(before)
    assert (status, stat.S_IMODE(out.stat().st_mode)) == (0, 0o640)


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_is_made_meanwhile_is_not_replaced(log, tmp_path, monkeypatch, links):
    out = tmp_path / "out"
    filtered = LogFilter.filtered

    def filtered_while_another_file_is_made(self, events):
        yield from filtered(self, events)
        out.write_bytes(b"another's")

    def no_links(source, target):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(LogFilter, "filtered", filtered_while_another_file_is_made)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    status, output = run(log, "--do-table", "test.t1", "--output", out)
    assert status == 2
    assert "exists already" in output
    assert out.read_bytes() == b"another's"
    assert sorted(each.name for each in tmp_path.iterdir()) == [log.name, out.name]


def test_an_output_is_written_where_files_have_no_links(log, tmp_path, monkeypatch):
    def no_links(source, target):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    status, _ = run(log, "--do-table", "test.t1", "--output", tmp_path / "out")
    assert (status, left(tmp_path / "out")) == (0, [CREATE, RENAME])
    assert sorted(each.name for each in tmp_path.iterdir()) == [log.name, "out"]


def test_a_large_transaction_header_that_is_cut_short_is_damage(tmp_path):
    # It is the last event of its group, so it is written after the log was read.
    stream = StreamBuilder(SeededChooser("short"), server_of("mysql-9.x"), checksums=True)
    lengths = stream.server.post_header_lengths
    stream.describe_format(post_header_lengths=lengths.ljust(EventType.LARGE_TRANSACTION_HEADER, b"\0"))
    stream.add(PlannedEvent(EventType.LARGE_TRANSACTION_HEADER, bytes(7), {}))
    offset = list(read_events(bytes(stream.bytes)))[-1].offset
    path = tmp_path / "bin.000001"
    path.write_bytes(bytes(stream.bytes))
    status, output = run(path, "--do-database", "test", "--output", tmp_path / "out")
    assert status == 1
    assert f"{path}:{offset}: expected 8 bytes" in output


@pytest.mark.parametrize("name", ["absent/out", "absent/deeper/out"])
def test_an_output_that_cannot_be_written_is_reported(log, tmp_path, name):
    status, output = run(log, "--do-table", "a.b", "--output", tmp_path / name)
    assert status == 2
    assert "cannot be written" in output


@pytest.mark.parametrize(
    ("damage", "status"),
    [(lambda data: data[:-3], 1), (lambda data: data[:-6] + b"\xff" + data[-5:], 1), (lambda data: b"nonsense", 2)],
)
def test_a_damaged_log_leaves_no_output(log, tmp_path, damage, status):
    log.write_bytes(damage(log.read_bytes()))
    got, output = run(log, "--do-table", "test.t1", "--output", tmp_path / "out")
    assert got == status
    assert str(log) in output
    assert sorted(each.name for each in tmp_path.iterdir()) == [log.name]


def test_a_missing_log_is_reported(tmp_path):
    status, output = run(tmp_path / "none", "--do-table", "a.b", "--output", tmp_path / "out")
    assert status == 2
    assert "No such file" in output


def test_a_pipe_can_be_filtered(log, tmp_path):
    out = tmp_path / "out"
    arguments = ["-", "--ignore-table", "test.t1", "--output", str(out)]
    done = CliRunner().invoke(command, arguments, input=log.read_bytes())
    assert done.exit_code == 0
    assert left(out) == ["t2", "s"]


def test_statements_that_the_parser_does_not_know_are_counted(tmp_path):
    stream = StreamBuilder(SeededChooser("unknown"), server_of("mysql-8.0"))
    work = TableWork(stream)
    work.begin(extended=False)
    work.group([work.statement("FROBNICATE t1", work.create(CreateTable(T1))[0].part.statement)])
    path, out = tmp_path / "bin.000001", tmp_path / "out"
    path.write_bytes(bytes(stream.bytes))
    status, output = run(path, "--ignore-table", "test.t1", "--output", out)
    assert (status, left(out)) == (0, [])
    assert "1 statements that the SQL parser does not know were judged by the names in them" in output


def test_a_missing_parser_is_reported(log, tmp_path, monkeypatch):
    from conformance.models.filtering import sql_statement, sql_words

    monkeypatch.setitem(sys.modules, "sqlglot", None)
    for cached in (sql_words.sqlglot_package, sql_statement._cached_read):
        cached.cache_clear()
    status, output = run(log, "--ignore-table", "test.t1", "--output", tmp_path / "out")
    assert status == 2
    assert "sqlglot" in output
    assert "pip install 'sqlglot" in output


def test_a_post_header_without_room_for_its_fields_is_damage(tmp_path):
    server = server_of("mysql-8.0")
    lengths = bytearray(server.post_header_lengths)
    lengths[EventType.QUERY - 1] = 2
    stream = StreamBuilder(SeededChooser("short"), server, checksums=False)
    stream.describe_format(post_header_lengths=bytes(lengths))
    stream.add(PlannedEvent(EventType.QUERY, bytes(40), {}))
    path = tmp_path / "bin.000001"
    path.write_bytes(bytes(stream.bytes))
    status, output = run(path, "--ignore-table", "test.t1", "--output", tmp_path / "out")
    assert status == 1
    assert "Traceback" not in output


def test_a_rule_that_meets_no_table_is_named(log, tmp_path):
    rules = ["--do-table", "test.t2", "--do-table", "test.absent", "--do-database", "nowhere", "--do-database", "test"]
    status, output = run(log, *rules, "--output", tmp_path / "out")
    assert status == 0
    assert [line.partition("about ")[2] for line in output.splitlines() if "nothing in the log" in line] == [
        "nowhere; a rule is an exact name, without wildcards",
        "test.absent; a rule is an exact name, without wildcards",
    ]


def test_standard_output_gets_the_bytes_that_a_file_gets(log, tmp_path):
    out = tmp_path / "out"
    rule = ("--do-table", "test.t2")
    assert run(log, *rule, "--output", out)[0] == 0
    arguments = [sys.executable, "-m", "conformance", "filter", log, *rule, "--output", "-"]
    done = subprocess.run(arguments, capture_output=True, check=True)
    assert done.stdout == out.read_bytes()
    assert done.stderr.startswith(b"-: ")


def test_standard_output_gets_nothing_of_a_damaged_log(log):
    log.write_bytes(log.read_bytes()[:-3])
    arguments = [sys.executable, "-m", "conformance", "filter", log, "--do-table", "test.t2", "--output", "-"]
    done = subprocess.run(arguments, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_list_of_renamings_is_for_do_rules(log, tmp_path):
    status, output = run(log, "--ignore-table", "test.t1", "--renames", "list", "--output", tmp_path / "out")
    assert (status, "--renames: 'list' needs do rules" in output) == (2, True)


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs a limit on the size of files")
def test_an_output_for_which_there_is_no_room_is_named(log, tmp_path):
    import resource

    program = [sys.executable, "-m", "conformance", "filter", str(log), "--do-table", "test.t1", "--output"]
    done = subprocess.run(
        [*program, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        # A module compiled under the limit would be cut short, and stay so for every run after this one.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )
    assert done.returncode == 2
    assert done.stderr == f"binlog-conformance: {tmp_path / 'out'} cannot be written: File too large\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == [log.name]
