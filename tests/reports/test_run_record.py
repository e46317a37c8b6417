"""The run record: what is written can be read, and a record that is broken is refused with the place."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from example_record import as_line, coverage, example_lines, failure, finished, footer, header, requirement, write_lines

from conformance.reports.record import RecordError, RecordWriter, RunRecord, read_record
from conformance.specs.run_record import Line


def written(path: Path, lines: list) -> Path:
    with RecordWriter(path) as writer:
        for line in lines:
            writer.append(as_line(line))
    return path


def error_of(path: Path) -> str:
    with pytest.raises(RecordError) as caught:
        read_record(path)
    return str(caught.value)


def test_a_record_is_read_whole(example: RunRecord):
    assert example.header.implementation.name == "mysql-replication"
    assert [failure.status for failure in example.failures] == ["fail", "crash", "fail"]
    assert len(example.requirements) == 8
    assert example.coverage.event_types["GTID"] == {"mysql-5.7": 1210}
    assert example.footer is not None
    assert not example.footer.conforming


def test_the_stream_of_a_failure_is_bytes_again(example: RunRecord):
    assert example.failures[0].stream_bytes.startswith(b"\xfebin")


def test_lines_are_compact_with_sorted_keys(tmp_path: Path):
    path = written(tmp_path / "run.jsonl", example_lines())
    first = path.read_text().splitlines()[0]
    assert first == json.dumps(json.loads(first), sort_keys=True, separators=(",", ":"))


def test_what_the_writer_writes_the_reader_reads(tmp_path: Path, example: RunRecord):
    assert read_record(written(tmp_path / "other.jsonl", example_lines())) == example


def test_a_lone_surrogate_of_an_implementation_survives(tmp_path: Path):
    lines = finished(failure(detail="half a pair: \ud83d"), requirement())
    record = read_record(written(tmp_path / "run.jsonl", lines))
    assert record.failures[0].detail == "half a pair: \ud83d"


def test_a_missing_footer_is_an_error_with_file_and_line(tmp_path: Path):
    path = write_lines(tmp_path / "run.jsonl", example_lines()[:-1])
    assert error_of(path) == f"{path}:13: the run was cut off: no footer"


def test_a_run_killed_in_the_middle_of_a_line_leaves_a_readable_prefix(tmp_path: Path):
    path = write_lines(tmp_path / "run.jsonl", example_lines()[:3])
    path.write_bytes(path.read_bytes() + b'{"kind":"requirem')
    assert error_of(path) == f"{path}:4: the run was cut off: no footer"
    record = read_record(path, unfinished=True)
    assert record.footer is None
    assert len(record.failures) == 2


def test_a_killed_writer_leaves_every_line_it_wrote(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    script = (
        "import json, os, sys\n"
        "from reports.record import RecordWriter\n"
        "from conformance.specs.conversion import converted\n"
        "from conformance.specs.run_record import Header\n"
        "writer = RecordWriter(sys.argv[1])\n"
        "writer.append(converted(json.loads(sys.argv[2]), Header))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(path), json.dumps(header())], check=False)
    assert killed.returncode == -9
    assert read_record(path, unfinished=True).header.kit == "0.1.0"


def test_an_empty_file_has_no_header(tmp_path: Path):
    path = write_lines(tmp_path / "run.jsonl", [])
    assert "no header" in error_of(path)
    with pytest.raises(RecordError, match="no header"):
        read_record(path, unfinished=True)


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([failure()], "1: the first line is a failure, not the header"),
        ([header(), header()], "2: a second header line"),
        ([header(), requirement(), failure()], "3: a failure line follows a requirement line"),
        ([header(), footer([])], "2: a footer without a coverage line"),
        (
            [header(), {"kind": "verdict"}],
            "2: kind: 'verdict' is not one of header, failure, requirement, coverage, footer",
        ),
        ([header(schema=1)], "1: a record of schema 1, and this kit reads schema 2: run the command again"),
        ([header(seed="0")], "1: seed: expected an integer, found '0'"),
        ([header(seed=True)], "1: seed: expected an integer, found true"),
        ([header(started="today")], "1: started: expected a text like ^[0-9]{4}-"),
        (
            [header(), failure(status="pass")],
            "2: status: 'pass' is not one of crash, fail, hang, protocol-error",
        ),
        ([header(), failure(stream="fe6")], "2: stream: expected a text like ^([0-9a-f]{2})*$, found 'fe6'"),
        (
            [header(), failure(expected={"events": [1], "error": None})],
            "2: expected.events[0]: expected an object, found 1",
        ),
        (
            [header(), requirement(results={"mysql-8.0": {"pass": -1}})],
            "2: results.mysql-8.0.pass: expected an integer of at least 0 and of at most 9223372036854775807, found -1",
        ),
        (
            [header(), requirement(results={"mysql-8.0": {"passed": 1}})],
            "2: a key of results.mysql-8.0: 'passed' is not one of blocked, crash, fail, hang, not-asked, pass, ",
        ),
        ([header(), {"kind": "coverage", "families": {}, "faults": {}}], "2: event_types is missing"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, lines: list, what: str):
    path = write_lines(tmp_path / "run.jsonl", lines)
    assert f"{path}:{what}" in error_of(path)


@pytest.mark.parametrize("raw", [b"not json", b"[]", b'{"kind":"header"', b"[" * 100_000, b"\xff", b""])
def test_what_is_not_a_json_object_is_named(tmp_path: Path, raw: bytes):
    path = write_lines(tmp_path / "run.jsonl", [header()])
    path.write_bytes(path.read_bytes() + raw + b"\n")
    assert f"{path}:2: not " in error_of(path)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"findings": 2}, "the footer counts 2 findings, the record has 1"),
        ({"failures": 0}, "the footer counts 0 failures, the record has 1"),
        ({"known_failures": 1}, "the footer counts 1 known failures, the record has 0"),
        ({"verdicts": {"pass": 1}}, "the footer counts verdicts {'pass': 1}, the record has {'fail': 1}"),
    ],
)
def test_a_footer_that_counts_something_else_than_the_lines_is_an_error(tmp_path: Path, changes: dict, what: str):
    lines = [header(), failure(), requirement(), coverage()]
    assert what in error_of(write_lines(tmp_path / "run.jsonl", [*lines, footer(lines, **changes)]))


def test_a_failure_without_its_requirement_is_an_error(tmp_path: Path):
    path = write_lines(tmp_path / "run.jsonl", finished(failure()))
    assert "a failure of WL4033-ROWS-QUERY-TEXT, which has no requirement line" in error_of(path)


@pytest.mark.parametrize("after", [b'{"kind":"footer"', b"{}\n"])
def test_nothing_follows_the_footer(example_path: Path, after: bytes):
    example_path.write_bytes(example_path.read_bytes() + after)
    assert f"{example_path}:15: " in error_of(example_path)


@pytest.mark.parametrize(
    "line",
    [
        as_line(failure()),
        msgspec.structs.replace(as_line(header()), seed=None),
        msgspec.structs.replace(as_line(header()), seconds=float("nan")),
    ],
)
def test_the_writer_refuses_what_the_reader_would(tmp_path: Path, line: Line):
    path = tmp_path / "run.jsonl"
    with RecordWriter(path) as writer, pytest.raises(RecordError, match=":1: "):
        writer.append(line)
    assert path.read_bytes() == b""


def test_a_key_that_a_later_kit_adds_is_ignored(tmp_path: Path):
    path = write_lines(tmp_path / "run.jsonl", [header(weather="fine"), *example_lines()[1:]])
    assert read_record(path).header == as_line(header())
