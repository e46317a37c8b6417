"""`binlog-conformance boundaries`: the steps of the parser, the guesses, and where a transaction begins."""

import json
from pathlib import Path

from click.testing import CliRunner

from conformance.cli.boundaries import command
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.generated import ROOT

#: An Anonymous_Gtid at 2409, a BEGIN, rows, and the Xid at 2940 that ends the transaction.
LOG = Path(__file__).parent.parent / "golden" / "character_sets.bin"


def run(*arguments):
    return CliRunner().invoke(command, list(map(str, arguments)))


def rows_of(*arguments):
    done = run("--json", *arguments)
    assert (done.exit_code, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def file_of(tmp_path, family, index=0):
    case = case_of(CaseId(family, "worklog", seed=1, index=index, role="boundary"))
    path = tmp_path / family
    path.write_bytes(case.stream)
    return path, case


def test_an_event_without_a_marker_has_the_guess_and_its_rule():
    rows = {row["pos"]: row for row in rows_of(LOG)}
    assert rows[158]["marker"] is None
    assert rows[158]["guess"] == "Start Transaction (WL4162-TYPE-GTID)"
    assert rows[2940]["guess"] == "End Transaction (WL4162-TYPE-XID)"


def test_a_marked_event_has_its_marker_and_no_guess(tmp_path):
    path, case = file_of(tmp_path, "marked_streams")
    for row, entry in zip(rows_of(path), case.expected.events, strict=True):
        assert (row["pos"], row["type"], row["state"]) == (entry["offset"], entry["boundary_type"], entry["state"])
        assert (row["marker"] is None) == (row["guess"] is not None)
        if row["marker"] is not None:
            assert row["marker"] == entry["marker"]


def test_each_event_of_a_transaction_names_its_beginning():
    rows = rows_of(LOG)
    begins = {row["pos"]: row["begins"] for row in rows if row["begins"] is not None}
    assert begins[2940] == 2409
    assert {row["pos"] for row in rows if row["begins"] == 2409} == {
        row["pos"] for row in rows if 2409 <= row["pos"] <= 2940
    }
    assert 2971 not in begins  # The Stop event is in no transaction.


def test_a_position_within_a_transaction_gives_the_warning_and_where_to_begin():
    done = run("--start-position", 2940, LOG)
    heading, first, *_, last = done.stdout.splitlines()
    cells = dict(zip(heading.split("\t"), first.split("\t"), strict=True))
    assert cells["pos"] == "2940"
    assert cells["warning"] == "Unable to change boundary parser from Not Defined to End Transaction."
    assert last == "# character_sets.bin: 2940 is within the transaction that begins at 2409: begin there"
    assert done.exit_code == 0


def test_the_page_on_the_command_line_has_what_is_printed(tmp_path):
    log = tmp_path / "binlog.000001"
    log.write_bytes((ROOT / "strategies" / "recorded" / "mysql-8.0-gtids.bin").read_bytes())
    page = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    shown = page.partition("--start-position 1016\n```\n\n```\n")[2].partition("\n```")[0].splitlines()
    printed = run("--start-position", 1016, log).stdout.splitlines()
    assert shown == [*printed[:3], "...", printed[-1]]


def test_a_position_between_transactions_needs_no_other():
    done = run("--start-position", 2409, LOG)
    assert done.stdout.splitlines()[-1] == (
        "# character_sets.bin: no transaction is open at 2409: a replica can begin there"
    )
    assert rows_of("--start-position", 2409, LOG)[-1] == {
        "log": "character_sets.bin",
        "start_position": 2409,
        "transaction_begins": None,
    }


def test_a_position_at_no_event_names_those_around_it():
    done = run("--start-position", 620, LOG)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr == f"{LOG}:620: no event begins at this position: events begin at 413 and at 1176\n"


def test_a_position_after_the_last_event_names_it():
    done = run("--start-position", 1_000_000, LOG)
    assert (done.exit_code, done.stderr) == (
        2,
        f"{LOG}:1000000: no event begins at this position: the last event begins at 2971\n",
    )


def test_the_position_is_one_of_the_first_file():
    rows = rows_of("--start-position", 2971, LOG, LOG)
    assert [row["pos"] for row in rows if "pos" in row][:2] == [2971, 4]


def test_a_parser_that_servers_ship_has_no_types():
    rows = rows_of("--profile", "mysql-8.0", LOG)
    assert {row["guess"] for row in rows} == {row["type"] for row in rows} == {None}
    assert {row["begins"] for row in rows if row["pos"] == 2940} == {2409}


def test_a_profile_without_a_parser_is_refused():
    done = run("--profile", "mysql-5.6", LOG)
    assert done.exit_code == 2 or done.exception is not None
    assert "servers of mysql-5.6 have no boundary parser" in done.output + done.stderr
