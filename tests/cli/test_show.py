"""`binlog-conformance show`: the output for logs, its forms, and the exit status."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli.show import command

GOLDEN = Path(__file__).parent.parent / "golden"
LOG = GOLDEN / "rows_query.bin"


def run(*arguments, stdin=None):
    return CliRunner().invoke(command, list(map(str, arguments)), input=stdin)


def lines_of(*arguments):
    done = run(*arguments)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_default_is_the_text_of_the_newest_mysqlbinlog():
    assert run("-vv", LOG).stdout_bytes == (GOLDEN / "rows_query.vv.txt").read_bytes()


def test_verbose_once_shows_rows_without_types_or_statements():
    lines = lines_of("-v", LOG)
    assert "###   @1=1" in lines
    assert not [line for line in lines if "Rows_query" in line or "/* INT" in line]


def test_rows_alone():
    lines = lines_of("-vv", "--base64-output", "decode-rows", LOG)
    assert "BINLOG '" not in lines
    assert "###   @1=1 /* INT meta=0 nullable=0 is_null=0 */" in lines


def test_an_event_that_needs_base64_cannot_be_printed_without_it():
    done = run("--base64-output", "never", LOG)
    assert done.exit_code == 2
    assert f"{LOG}:759: --base64-output=never specified, but binlog contains a Write_rows event" in done.stderr
    assert "DELIMITER ;" in done.stdout


def test_another_version_prints_in_its_own_format():
    lines = lines_of("--profile", "mysql-5.6", LOG)
    assert any(line.endswith("\tGTID [commit=yes]") for line in lines)
    assert not any("last_committed" in line for line in lines)


def test_times_are_in_the_given_zone():
    utc, east = (
        next(line for line in lines_of("--time-zone", zone, LOG) if "Start:" in line) for zone in ("UTC", "+05:30")
    )
    assert (utc[:16], east[:16]) == ("#261120 20:07:34", "#261121  1:37:34")


@pytest.mark.parametrize("zone", ["Nowhere", "+99:00", "../etc"])
def test_a_zone_that_does_not_exist(zone):
    done = run("--time-zone", zone, LOG)
    assert done.exit_code == 2
    assert f"there is no time zone '{zone}'" in done.stderr


def test_rows_are_those_that_a_server_lists():
    lines = lines_of("--format", "events", LOG)
    expected = (GOLDEN / "rows_query.events.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1:] for line in lines[: len(expected)]] == [line.split("\t")[1:] for line in expected]


def test_rows_as_json():
    rows = [json.loads(line) for line in lines_of("--format", "json", LOG)]
    assert rows[0] == {
        "log_name": "rows_query.bin",
        "pos": 4,
        "event_type": "Format_desc",
        "server_id": 11,
        "end_log_pos": 127,
        "info": "Server ver: 9.7.4-2, Binlog ver: 4",
    }


def test_several_logs_are_one_text():
    lines = lines_of(GOLDEN / "no_checksum.bin", LOG)
    assert lines.count("DELIMITER ;") == 1
    assert [line for line in lines if line == "# at 4"] == ["# at 4"] * 2
    assert len([line for line in lines if "AUTOMATIC" in line]) == 2


def test_standard_input():
    assert run("-vv", "-", stdin=LOG.read_bytes()).stdout_bytes == run("-vv", LOG).stdout_bytes


def test_a_damaged_log_is_printed_up_to_its_damage(tmp_path):
    path = tmp_path / "binlog.000001"
    path.write_bytes(LOG.read_bytes()[:800])
    done = run(path)
    assert done.exit_code == 1
    assert f"{path}:759: expected an event of 48 bytes, found 41" in done.stderr
    assert "# at 707" in done.stdout
    assert "# End of log file" in done.stdout


def test_checksums_are_verified_only_on_demand(tmp_path):
    log = bytearray(LOG.read_bytes())
    log[235] ^= 1
    path = tmp_path / "binlog.000001"
    path.write_bytes(log)
    assert run(path).exit_code == 0
    assert run("--verify-binlog-checksum", path).exit_code == 1


@pytest.mark.parametrize("content", [b"", b"no log"])
def test_a_file_that_is_not_a_log(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    done = run(path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_file(tmp_path):
    done = run(tmp_path / "nothing")
    assert done.exit_code == 2
    assert "nothing: " in done.stderr
