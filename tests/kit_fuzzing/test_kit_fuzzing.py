"""Fuzzing the kit: the invariant notices what is wrong, mutated logs get past their checksums, findings are saved."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.binlog.errors import BinlogError
from conformance.binlog.reader import read_events
from conformance.cli.main import UserError
from tests.extras import require
from tests.kit_fuzzing import command, seeds
from tests.kit_fuzzing.bounds import MEMORY
from tests.kit_fuzzing.driver import CannotFuzz, Driver, Watchdog
from tests.kit_fuzzing.findings import Findings
from tests.kit_fuzzing.invariant import (
    Broken,
    Outcome,
    check_end,
    check_html,
    check_json_lines,
    check_message,
    check_text,
    check_xml,
)
from tests.kit_fuzzing.json_mutation import mutated_json
from tests.kit_fuzzing.kept_inputs import arcs_of, smallest_cover
from tests.kit_fuzzing.log_mutation import events_of, mutated_log, repaired, spliced
from tests.kit_fuzzing.target import Target, mutate_text
from tests.kit_fuzzing.targets import TARGETS

TRACEBACK = """Traceback (most recent call last):
  File "/kit/conformance/cli/main.py", line 101, in main
    _run()
  File "/kit/conformance/binlog/reader.py", line 84, in read_file
    data += read(size)
KeyError: 'next_position'
binlog-conformance: this is a bug of the kit; please report it with the lines above
"""


def outcome(status: int = 0, output: bytes = b"", errors: str = "") -> Outcome:
    return Outcome(("decode", "log.bin"), status, output, errors)


@pytest.mark.parametrize("status", [0, 1, 2])
def test_a_regular_end_holds(status: int) -> None:
    check_end(outcome(status, errors="binlog-conformance: log.bin: is a directory\n" * (status == 2)))


def test_warnings_are_not_errors_wherever_they_are_from() -> None:
    check_end(
        outcome(2, errors="warning: a\n/a/log.bin:4: warning: b\n/a/log.bin:9: an error\n/a/log.bin: warning: c\n")
    )


@pytest.mark.parametrize(
    ("ending", "name"),
    [
        (outcome(2, errors=TRACEBACK), "keyerror-reader-read-file"),
        (
            outcome(
                2, errors="binlog-conformance: ran out of memory at conformance.binlog.reader.read_file: allow more\n"
            ),
            "out-of-memory-reader-read-file",
        ),
        (outcome(3), "status-3"),
        (outcome(2, errors="one\ntwo\n"), "decode-2-lines-of-error"),
        (outcome(2, errors="/a/log.bin:4: an error\n/a/log.bin: no warning: \n"), "decode-2-lines-of-error"),
        (outcome(1, errors="log.bin:4: \x1b[31mred\n"), "decode-unsafe-text-on-standard-error"),
    ],
)
def test_another_end_is_broken_and_named_by_its_place(ending: Outcome, name: str) -> None:
    with pytest.raises(Broken) as broken:
        check_end(ending)
    assert broken.value.name == name


def test_a_status_without_a_reason_is_broken() -> None:
    with pytest.raises(Broken, match="without a message"):
        check_message(outcome(1))


@pytest.mark.parametrize("line", [b"{", b"[]\n", b'{"a":NaN}\n', b'{"a":"\xff"}\n', b'{"a":1}'])
def test_a_line_that_is_not_an_object_is_broken(line: bytes) -> None:
    with pytest.raises(Broken):
        check_json_lines(outcome(output=line))


def test_text_that_a_terminal_would_obey_is_broken() -> None:
    check_text(outcome(output="4  QUERY  68  use `tëst`; BEGIN\n".encode()))
    for output in (b"\x1b]0;owned\x07", "\u202egnp.exe".encode(), b"\xff"):
        with pytest.raises(Broken):
            check_text(outcome(output=output))


@pytest.mark.parametrize(
    "markup",
    [
        "<script>alert(1)</script>",
        "<p onclick='x'>",
        "<a href='javascript:x'>x</a>",
        "<!-- -->",
        "<p><b></p></b>",
        "<p>",
        "</p>",
        "\x00",
    ],
)
def test_foreign_markup_is_broken(markup: str) -> None:
    page = "<!DOCTYPE html><html><body>{}</body></html>"
    check_html(page.format('<p class="x">&lt;script&gt; <a href="#f1">1</a><br></p>'))
    with pytest.raises(Broken):
        check_html(page.format(markup))


def test_a_report_that_does_not_parse_is_broken() -> None:
    check_xml("<a>&amp;</a>", "junit.xml")
    with pytest.raises(Broken, match=r"junit\.xml is not XML"):
        check_xml("<a>&</a>", "junit.xml")


def endless() -> None:
    while True:
        pass


def test_what_takes_too_long_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.kit_fuzzing.bounds.SECONDS", 0.05)
    with pytest.raises(Broken, match="takes too long"):
        command.call("loop", endless)


def test_what_takes_too_much_memory_is_broken() -> None:
    with pytest.raises(Broken) as broken:
        command.call("allocation", lambda: bytearray(2 * MEMORY))
    assert broken.value.name.startswith("memoryerror")


def refuse(message: str) -> None:
    raise UserError(message)


def test_a_refusal_in_one_line_is_returned_and_one_of_several_is_broken() -> None:
    assert isinstance(command.call("name", lambda: refuse("no such name"), UserError), UserError)
    with pytest.raises(Broken, match="several lines"):
        command.call("name", lambda: refuse("no\nsuch\nname"), UserError)


def test_a_command_runs_as_in_a_process_of_its_own(tmp_path: Path) -> None:
    ending = command.run("decode", str(tmp_path / "none.bin"))
    assert (ending.status, ending.output) == (2, b"")
    assert "No such file or directory" in ending.errors


def flip(data: bytes, size: int) -> bytes:
    """Mutate as the engine does, but simply."""
    return bytes([*data[:-1], data[-1] ^ 0x55])[:size] if data else b"\1"


def test_a_log_that_is_taken_apart_and_repaired_is_the_same() -> None:
    golden = (Path(__file__).parent.parent / "golden" / "gtid_off.bin").read_bytes()
    assert repaired(events_of(golden)) == golden


def test_most_mutated_logs_are_refused_for_something_else_than_their_checksum_or_length() -> None:
    rng = random.Random(1)
    kinds = [kind_of(mutated_log(log, 1 << 14, rng, flip)) for log in seeds.logs()]
    early = sum(kind in ("checksum", "invalid-length", "truncated") for kind in kinds)
    assert early < len(kinds) / 4, kinds


def kind_of(log: bytes) -> str:
    try:
        for _ in read_events(log):
            pass
    except BinlogError as error:
        return error.kind
    return ""


def test_two_logs_are_spliced_event_by_event() -> None:
    one, other = seeds.logs()[:2]
    both = events_of(spliced(one, other, 1 << 16, random.Random(2)))
    assert len(both) > len(events_of(one))


def test_mutated_json_is_mostly_json_and_holds_what_no_writer_makes() -> None:
    rng = random.Random(3)
    line = next(iter(TARGETS["declaration"].seeds()))
    mutants = [mutated_json(line, 1 << 15, rng, flip) for _ in range(300)]
    assert sum(each.startswith(b'{"') for each in mutants) > 250
    for hostile in (b"1e999", b"[[[[", b"<script>", b"\\ud800"):
        assert any(hostile in each for each in mutants)


def fails_for_long_inputs(data: bytes, folder: Path) -> None:
    if len(data) > 3:
        raise Broken("too long", repr(data))


def nothing() -> Iterator[bytes]:
    yield b""


DOUBLE = Target("double", fails_for_long_inputs, nothing, (), 100, mutate_text)


def test_the_smallest_input_of_each_finding_is_saved_beside_those_of_earlier_runs(tmp_path: Path) -> None:
    (tmp_path / "double").mkdir()
    (tmp_path / "double" / "too-long").write_bytes(b"ok")
    findings = Findings(DOUBLE, tmp_path, tmp_path)
    broken = [findings.check(data) for data in (b"123", b"123456", b"1234", b"12345")]
    assert [each and each.name for each in broken] == [None, "too-long", None, None]
    assert (tmp_path / "double" / "too-long-2").read_bytes() == b"1234"
    assert (tmp_path / "double" / "too-long").read_bytes() == b"ok"


def test_a_finding_that_is_still_open_is_not_saved_twice(tmp_path: Path) -> None:
    (tmp_path / "double").mkdir()
    (tmp_path / "double" / "too-long").write_bytes(b"123456")
    assert Findings(DOUBLE, tmp_path, tmp_path).check(b"12345") is not None
    assert [path.read_bytes() for path in (tmp_path / "double").iterdir()] == [b"12345"]


def test_the_kept_inputs_cover_what_all_do_within_the_budget(tmp_path: Path) -> None:
    wire = TARGETS["wire"]
    arcs = {data: arcs_of(wire, data, tmp_path) or frozenset() for data in list(wire.seeds())[:12]}
    kept = list(smallest_cover(arcs, 1 << 20))
    assert 0 < len(kept) < len(arcs)
    assert frozenset().union(*(arcs[data] for data in kept)) == frozenset().union(*arcs.values())
    assert sum(map(len, smallest_cover(arcs, 2000))) <= 2000


@pytest.mark.slow
def test_the_engine_drives_a_target(tmp_path: Path) -> None:
    require("fuzz")
    reached = Driver(tmp_path / "corpus", seed=0, findings=tmp_path / "found").fuzz("baseline", 4)
    assert reached.executions > len(list(TARGETS["baseline"].seeds()))
    assert reached.coverage > 0
    assert reached.inputs > 0


def test_the_time_of_a_worker_begins_when_its_seeds_are_checked() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as worker:
        watchdog = Watchdog(worker, 0.2)
        watchdog.allow(60)
        time.sleep(0.4)
        assert worker.poll() is None
        watchdog.allow(0.1)
        assert worker.wait(timeout=30) != 0
    assert watchdog.has_killed


@pytest.mark.slow
def test_a_worker_that_does_not_get_through_its_seeds_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require("fuzz")
    monkeypatch.setattr("tests.kit_fuzzing.driver._SEEDS", 0.2)
    with pytest.raises(CannotFuzz, match="keeps its worker from ending"):
        Driver(tmp_path / "corpus", seed=0, findings=tmp_path / "found").fuzz("baseline", 4)
