"""`binlog-conformance serve`: what it is given, what it prints, and that a client gets what was named."""

import re
import subprocess
import sys
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from conformance.cli.main import cli
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from conformance.wire.client import Connection, ConnectionLost
from conformance.wire.dump_commands import NOT_BLOCKING, DumpCommand
from conformance.wire.messages import WireError
from tests.first_case import first_case, has_gtids_and_checksums

CASE = first_case("transactions", "mysql-8.0", has_gtids_and_checksums)
_PLACE = re.compile(r"127\.0\.0\.1:(\d+)  (.*)")


@contextmanager
def serving(*arguments):
    """Serve from a process of its own; yield it, the first port, and what is printed of it."""
    command = [sys.executable, "-u", "-m", "conformance", "serve", *arguments, "--time", "60s"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            line = process.stdout.readline()
            assert _PLACE.match(line), line + process.stdout.read()
            port, about = _PLACE.match(line).groups()
            yield process, port, about
        finally:
            process.terminate()
            process.wait(10)


def dump(port, *, password="", announce=True):
    with Connection("127.0.0.1", int(port), user="kit", password=password) as connection:
        if announce:
            connection.query("SET @master_binlog_checksum = 'CRC32'")
        yield from connection.dump(DumpCommand("", 4, NOT_BLOCKING, 5))


def test_files_are_the_logs_of_one_source(tmp_path):
    stream = case_of(CaseId.parse(CASE)).stream
    names = ["bin.000001", "bin.000002"]
    for name in names:
        (tmp_path / name).write_bytes(stream)
    with serving(*(str(tmp_path / name) for name in names), "--password=secret") as (_, port, about):
        assert about == (
            f"8.0.43, gtid_mode ON, checksums CRC32: bin.000001 ({len(stream):,} bytes), "
            f"bin.000002 ({len(stream):,} bytes)"
        )
        events = list(dump(port, password="secret"))
        assert b"\xfebin" + b"".join(events[1 : len(events) // 2]) == stream
        with pytest.raises(WireError, match="Access denied"):
            list(dump(port, password="wrong"))


def test_a_signal_ends_it_with_status_0():
    with serving(CASE) as (process, _, _):
        process.terminate()
        assert process.wait(10) == 0


def test_a_case_is_a_source_that_disconnects_on_purpose():
    with serving(CASE, "--end-after=3", "--end-after=2:1236") as (_, port, about):
        assert about.startswith(f"{CASE}: 8.0.43")
        with pytest.raises(ConnectionLost):
            list(dump(port))
        with pytest.raises(WireError) as refused:
            list(dump(port))
        assert refused.value.number == 1236
        assert list(dump(port))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument"),
        (("nothing.000001",), "nothing.000001: No such file or directory"),
        (("pyproject.toml",), "a binary log begins with fe 62 69 6e"),
        (("transactions/mysql-1.0/0/0",), "profile"),
        (("relay:transactions/mysql-8.0/0/0",), "has no questions in the role"),
        ((CASE, "--end-after", "x"), "write 12 or, with an error, 12:1236"),
        ((CASE, "--end-after", "1:"), "write 12 or, with an error, 12:1236"),
        ((CASE, "--tls", "pyproject.toml"), "is not a certificate with its key"),
        ((CASE, "--host", "203.0.113.1"), "Cannot assign requested address; name another --host"),
        ((CASE, "--host", "nothing.invalid"), "'nothing.invalid' is not an address of this machine"),
        ((CASE, "--host", ""), "'' is not an address of this machine"),
        (("/dev/zero",), "a binary log begins with fe 62 69 6e"),
        (("/dev/null",), "/dev/null: no event at all"),
    ],
)
def test_what_cannot_be_served_is_one_line(arguments, words):
    result = CliRunner().invoke(cli, ["serve", *arguments], standalone_mode=True)
    assert result.exit_code == 2
    assert words in result.output


def test_a_family_stands_for_its_first_case():
    result = CliRunner().invoke(cli, ["serve", "sent_logs", "transactions", "--profile", "mysql-8.0", "--time", "0.1s"])
    assert result.exit_code == 0, result.output
    names = [line.partition("  ")[2].partition(": ")[0] for line in result.output.splitlines()]
    assert names == ["send:sent_logs/mysql-8.0/0/0", "transactions/mysql-8.0/0/0"]
