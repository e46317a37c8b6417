"""`binlog-conformance check`: what is printed, and the exit status."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.binlog.reader import read_events
from conformance.cli.main import cli

GOLDEN = Path(__file__).parent.parent / "golden"
LOG = GOLDEN / "rows_query.bin"
POSITIONS = "WL4033-READ-POSITION-CHAIN"
LENGTH = "FORMAT-LOG-TRANSACTION-LENGTH"
#: These hold some events of a longer log, byte for byte: `check` misses the events between them.
EXCERPTS = {
    "statement": {POSITIONS, LENGTH},
    "column_types": {POSITIONS, LENGTH, "WL7592-LOG-OFF-ANON-FIRST"},
    "mariadb": {POSITIONS},
}


def run(*arguments, stdin=None):
    return CliRunner().invoke(cli, ["check", *map(str, arguments)], input=stdin)


def damaged(tmp_path, name="bin.000001"):
    """Write the golden log with one bit of its last event flipped, and return its path and that event's offset."""
    data = bytearray(LOG.read_bytes())
    data[-1] ^= 1
    path = tmp_path / name
    path.write_bytes(data)
    return path, [event.offset for event in read_events(LOG.read_bytes())][-1]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.bin")), ids=lambda each: each.stem)
def test_a_golden_log_is_healthy(path):
    done = run(path)
    broken = [line for line in done.stdout.splitlines() if line.startswith(f"{path}:") and ": note:" not in line]
    if path.stem in EXCERPTS:
        assert {line.split(": ")[1] for line in broken[:-1]} == EXCERPTS[path.stem]
    else:
        assert done.exit_code == 0
        assert len(broken) == 1
        assert f"{path}: healthy" in broken[0]


def test_the_summary_counts_what_was_judged():
    lines = run(LOG).stdout.splitlines()
    counts = next(line.split()[1:] for line in lines if line.startswith("WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP"))
    assert int(counts[0]) > 1
    assert counts[1] == "0"
    assert any(
        "WL7592-LOG-MAINTENANCE-FAILED" in line
        for line in lines[lines.index("not judged, as nothing in these logs shows them:") :]
    )


def test_a_violation_is_one_line_with_file_offset_and_requirement(tmp_path):
    path, offset = damaged(tmp_path)
    done = run(path)
    assert done.exit_code == 1
    line = next(line for line in done.stdout.splitlines() if "FORMAT-CHECKSUM-WRONG" in line)
    assert line.startswith(f"{path}:{offset}: FORMAT-CHECKSUM-WRONG: the checksum is 0x")
    assert ", expected the CRC32 of the event's bytes" in line
    assert f"{path}: 1 violation (MySQL 9.7.4-2, mysql-9.7.4 rules, binary log; " in done.stdout


def test_json_lines(tmp_path):
    path, offset = damaged(tmp_path)
    done = run("--json", path, tmp_path / "missing")
    entries = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["kind"] for each in entries] == ["violation", "log", "unreadable"]
    assert entries[0]["offset"] == offset
    assert entries[0]["requirement"] == "FORMAT-CHECKSUM-WRONG"
    assert entries[1]["healthy"] is False
    assert entries[1]["requirements"]["FORMAT-CHECKSUM-WRONG"]["broken"] == 1
    assert entries[1]["profile"] == "mysql-9.7.4"
    assert done.exit_code == 2


def test_a_profile_chosen_by_the_user():
    done = run("--profile", "worklog", GOLDEN / "gtid_off.bin")
    assert done.exit_code == 1
    assert ": WL7592-LOG-ANON-IGNORABLE: the flags 0x0000, expected the ignorable flag 0x0080" in done.stdout


def test_a_profile_that_does_not_exist():
    done = run("--profile", "mysql-4.1", LOG)
    assert done.exit_code == 2
    assert "mysql-4.1" in done.stderr


def test_standard_input_need_not_be_seekable():
    command = [sys.executable, "-c", "from conformance.cli import main; main()", "check", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        out, _ = process.communicate(LOG.read_bytes())
    assert process.returncode == 0
    assert out.decode().startswith("-: healthy")


@pytest.mark.parametrize("data", [b"", b"\xfebin", b"GIF89a", b"\xfdbin" + bytes(512), b"\xfebin" + bytes(100)])
def test_a_file_that_is_not_a_log_is_reported_in_one_line(tmp_path, data):
    path = tmp_path / "bin.000001"
    path.write_bytes(data)
    done = run(path)
    assert "Traceback" not in done.output
    assert len(done.stderr.splitlines()) == (data != b"\xfebin" + bytes(100))
    assert done.exit_code == (1 if data == b"\xfebin" + bytes(100) else 2)


def test_a_directory_and_a_missing_file(tmp_path):
    done = run(tmp_path, tmp_path / "missing")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.ground_truth
def test_a_real_chain(ground_truth):
    folder = ground_truth / "real-servers" / "j_rotate_crash"
    done = run(*(folder / f"bin.{number:06d}" for number in range(1, 8)))
    assert done.exit_code == 0


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_processes_beside_each_other_print_what_one_prints(tmp_path, options):
    broken, _ = damaged(tmp_path)
    torn = tmp_path / "not-a-log"
    torn.write_bytes(b"text")
    files = [LOG, broken, tmp_path / "missing", torn, *sorted(GOLDEN.glob("*.bin"))[:12], broken]
    alone, beside = (run(*options, "--jobs", jobs, *files) for jobs in (1, 3))
    assert alone.exit_code == beside.exit_code == 2
    assert beside.stdout == alone.stdout
    assert beside.stderr == alone.stderr


def test_a_process_that_is_killed_is_one_line(tmp_path):
    command = [sys.executable, "-c", KILLS_ITS_PROCESSES, "check", "--jobs", "2", *map(str, [LOG] * 4)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "binlog-conformance: a process of check was killed: allow more memory, or give --jobs 1"
    ]


#: Runs a command of the kit; whatever process of it judges a log is killed.
KILLS_ITS_PROCESSES = """
import os, signal
from conformance.cli.main import main
from conformance.log_check.log_checker import LogChecker
kit = os.getpid()
LogChecker.check = lambda self, stream: os.getpid() != kit and os.kill(os.getpid(), signal.SIGKILL)
main()
"""
