"""`binlog-conformance self-check`: exit status, record, page, history."""

import os
import signal

import pytest
from click.testing import CliRunner

from conformance.cli.self_check import PAGE, RECORD, command
from conformance.self_check.page import kill_page
from conformance.self_check.record import (
    CellLine,
    Footer,
    Header,
    MutantLine,
    SelfCheckRecord,
    Totals,
    add_to_history,
    read_history,
    read_record,
    write_record,
)
from conformance.self_check.summary import verdict
from conformance.specs.conversion import Malformed


def run(*arguments):
    done = CliRunner().invoke(command, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


SMALL = ("--role", "relay", "--mutant", "relay-xid-warned", "--trigger", "log-first", "--cases", "1", "--jobs", "1")


def test_a_run_writes_its_record_and_its_page_and_goes_into_the_history(tmp_path):
    folders = ("--report", str(tmp_path / "report"), "--history", str(tmp_path / "history"))
    status, output = run(*SMALL, *folders)
    assert (status, "Reached in every role" in output) == (0, True)
    record = read_record(tmp_path / "report" / RECORD)
    (line,) = record.mutants
    assert line.triggers["log-first"].status == "killed"
    assert line.triggers["log-first"].blamed == ("FORMAT-RELAY-WARNING",)
    assert record.footer.totals["relay"].mutants == 1
    assert "relay-xid-warned" in (tmp_path / "report" / PAGE).read_text()
    assert [each.footer for each in read_history(tmp_path / "history")] == [record.footer]


def test_what_is_wanted_and_not_reached_is_status_1(monkeypatch):
    monkeypatch.setattr("conformance.self_check.cells.Judge.judge", lambda self, case, answer: [])
    status, output = run(*SMALL)
    assert status == 1
    assert "survived: reference:relay-xid-warned under log-first" in output


def test_a_trigger_that_never_holds_judges_nothing():
    status, output = run(*SMALL[:4], "--trigger", "item-above-255", "--cases", "1", "--jobs", "1")
    assert (status, "Nothing judged" in output) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mutant", "nonsense"), "--mutant nonsense --trigger *: there is no such mutant with such a trigger"),
        (("--trigger", "nonsense"), "--mutant * --trigger nonsense: there is no such mutant with such a trigger"),
        (("--cases", "3", "--time", "1m"), "--cases and --time exclude each other"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    assert run(*arguments) == (2, f"binlog-conformance: {message}\n")


def test_a_killed_process_is_one_line(monkeypatch):
    monkeypatch.setattr("conformance.self_check.matrix.filled", lambda *given: os.kill(os.getpid(), signal.SIGKILL))
    message = "a process of the self-check was killed: allow more memory, or give --jobs 1"
    assert run(*SMALL) == (2, f"binlog-conformance: {message}\n")


def record_of(*cells, started="2026-01-01T00:00:00Z", survivors=()):
    totals = Totals(1, len(cells), 9, 0.5, 8, 1, 7, 1, len(survivors), 2, 3, survivors)
    triggers = {f"trigger-{number}": cell for number, cell in enumerate(cells)}
    line = MutantLine("decode", "a-mutant", "FORMAT-XID", "it lies", triggers)
    return SelfCheckRecord(Header(1, "0.1.0", started, 0, ("decode",)), [line], Footer({"decode": totals}))


CELLS = (
    CellLine("killed", after=7, blamed=("FORMAT-XID",), right_after=7, case="a/b/0/1"),
    CellLine("killed", after=70, blamed=("FORMAT-OTHER",), case="a/b/0/2"),
    CellLine("survived"),
    CellLine("never"),
    CellLine("explained", reason="no field can hold it"),
    CellLine("late", after=7000, blamed=("FORMAT-XID",), right_after=7000, case="a/b/0/3"),
)


def test_a_record_is_read_as_it_was_written(tmp_path):
    record = record_of(*CELLS)
    write_record(tmp_path / "record", record)
    assert read_record(tmp_path / "record") == record


@pytest.mark.parametrize(
    "lines", ["", '{"kind":"header"}', '{"kind":"footer","totals":{}}\n{"kind":"header"}', "[]\n[]"]
)
def test_another_file_is_refused(tmp_path, lines):
    (tmp_path / "record").write_text(lines)
    with pytest.raises(Malformed):
        read_record(tmp_path / "record")


def test_a_history_names_the_file_that_is_not_a_record(tmp_path):
    (tmp_path / "x.jsonl").write_text("{}")
    with pytest.raises(Malformed, match=r"x\.jsonl: not the record of a self-check"):
        read_history(tmp_path)


def test_the_page_shows_survivors_blames_holes_and_every_cell(tmp_path):
    for day in (1, 2):
        survivors = ("a-mutant trigger-2",) if day == 2 else ()
        add_to_history(tmp_path, record_of(*CELLS, started=f"2026-01-0{day}T00:00:00Z", survivors=survivors))
    text = kill_page(record_of(*CELLS), read_history(tmp_path))
    assert "<td>a-mutant</td><td>it lies</td><td>trigger-2</td><td>1</td>" in text
    assert "<td>FORMAT-OTHER</td><td>trigger-1</td><td>1</td><td><code>a/b/0/2</code></td>" in text
    assert "<td>trigger-3</td><td>1 of 1</td><td>a-mutant</td>" in text
    assert '<span class="pass">1</span><span class="known">2</span><span class="fail">X</span>' in text
    # The newest night is the first row, with what began to survive in it.
    rows = [row for row in text.split("<tr>") if "2026-01-0" in row]
    assert ["2026-01-02" in row and "a-mutant trigger-2" in row for row in rows] == [True, False]


def test_the_verdict_names_the_roles_that_lack():
    totals = record_of(*CELLS).footer.totals
    assert verdict(totals).startswith("Not reached in decode: 95 % killed and 90 %")
