"""`binlog-conformance show`: the output for logs, its forms, and the exit status."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.binlog.event_types import ROWS_V1, type_name
from conformance.binlog.reader import read_events
from conformance.cli.show import command
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

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


def test_a_program_stops_at_an_event_that_it_does_not_know(tmp_path):
    log = tmp_path / "bin.000001"
    log.write_bytes(case_of(CaseId("transactions", "mysql-5.5", seed=1, index=1)).stream)
    first = next(event for event in read_events(log.read_bytes()) if event.header.type in ROWS_V1)
    done = run("--profile", "mysql-9.x", log)
    assert done.exit_code == 2
    name = type_name(first.header.type)
    advice = f"does not know events of type {first.header.type} ({name}); name one that does: --profile mysql-8.0"
    assert f"{log}:{first.offset}: the program of mysql-9.x {advice}" in done.stderr
    assert f"# at {first.offset}" not in done.stdout
    read = run("--profile", "mysql-8.0", log)
    assert read.exit_code == 0
    assert run(log).stdout == read.stdout  # The newest program that reads the log.


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


def case_file(tmp_path, family, index=0):
    """Return the file with the stream of a case of the role `boundary` under `worklog`, and the case."""
    case = case_of(CaseId(family, "worklog", seed=1, index=index, role="boundary"))
    path = tmp_path / f"{family}.{index}.bin"
    path.write_bytes(case.stream)
    return path, case


def test_boundaries_are_the_steps_of_the_parser(tmp_path):
    path, case = case_file(tmp_path, "extended_transactions", 1)
    heading, *lines = lines_of("--format", "boundaries", path)
    assert heading.split("\t")[3:] == ["Marker", "Boundary_type", "State", "Within_transaction", "Warning"]
    shown = [line.split("\t") for line in lines]
    fields = ("offset", "marker", "boundary_type", "state", "within_transaction")
    expected = [[str(entry[field]) for field in fields] for entry in case.expected.events]
    assert [[line[1], *line[3:7]] for line in shown] == expected
    assert {line[4] for line in shown} >= {"Start Transaction", "Inside Transaction", "End Transaction"}


def test_a_wrong_step_has_its_warning_in_its_line(tmp_path):
    path, case = case_file(tmp_path, "boundary_faults")
    wanted = [(str(entry["offset"]), entry["warning"]) for entry in case.expected.events if entry["warning"]]
    lines = [line.split("\t") for line in lines_of("--format", "boundaries", path)[1:]]
    first_stream = [each for each in wanted if not case.settings["resets"] or int(each[0]) < case.settings["resets"][0]]
    assert first_stream
    assert [(line[1], line[7]) for line in lines if len(line) > 7][: len(first_stream)] == first_stream


def test_boundaries_of_a_parser_that_servers_ship_have_no_types():
    lines = [line.split("\t") for line in lines_of("--format", "boundaries", LOG)[1:]]
    assert {tuple(line[3:6]) for line in lines} == {("-", "-", "-")}
    assert {line[6] for line in lines} == {"yes", "no"}


def test_a_profile_without_a_boundary_parser_is_refused():
    done = run("--format", "boundaries", "--profile", "mysql-5.6", LOG)
    assert done.exit_code == 2
    assert "servers of mysql-5.6 have no boundary parser: choose worklog, mysql-5.7 or a later one" in done.stderr


def test_a_warning_about_boundaries_names_the_file_and_the_offset(tmp_path):
    case = case_of(CaseId("boundary_lone_events_within", "worklog", seed=1, index=0, role="boundary"))
    path = tmp_path / "log"
    path.write_bytes(case.stream)
    done = run("--profile", "worklog", path)
    wanted = [
        f"{path}:{each['offset']}: warning: {each['warning']}" for each in case.expected.events if each["warning"]
    ]
    assert wanted
    # A statement without its last rows event has a warning too, about the log as a whole.
    assert [
        line for line in done.stderr.splitlines() if line.startswith(f"{path}:") and "printed events" not in line
    ] == wanted


def test_an_ignorable_event_of_an_undeclared_type_is_printed_under_worklog(tmp_path):
    undeclared = next(
        path
        for path, case in (case_file(tmp_path, "marked_streams", index) for index in range(40))
        if any(38 < entry["type"] < 128 for entry in case.expected.events)
    )
    done = run("--profile", "worklog", undeclared)
    assert done.exit_code == 0, done.stderr
