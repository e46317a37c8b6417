"""`binlog-conformance decode`: the output for healthy, damaged and missing logs, and the exit status."""

import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of, with_tables_info
from conformance.binlog.writer import frame, write_body
from conformance.cli.main import cli
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.filtering.table_name import TableName
from conformance.protocol.observation import Request
from conformance.protocol.roles.decode import STATE_FIELDS
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.events.extended_query import extended_query
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.family import case_of
from conformance.strategies.grammar.stream import StreamBuilder

GOLDEN = Path(__file__).parent.parent / "golden"
LOG = GOLDEN / "rows_query.bin"


def run(*arguments, stdin=None):
    return CliRunner().invoke(cli, ["decode", *map(str, arguments)], input=stdin)


def offsets(path):
    return [event.offset for event in read_events(path.read_bytes())]


def test_one_line_for_each_event():
    done = run(LOG)
    lines = done.stdout.splitlines()
    assert done.exit_code == 0
    assert len(lines) == len(offsets(LOG))
    assert lines[0].split()[:3] == ["4", "FORMAT_DESCRIPTION", "123"]
    assert "Server ver: 9.7.4-2" in lines[0]
    assert done.stderr == ""


def test_a_line_shows_the_main_fields_of_the_event():
    assert any(
        "ROWS_QUERY" in line and "[IGNORABLE]" in line and "INSERT" in line for line in run(LOG).stdout.splitlines()
    )


def test_a_compressed_transaction_is_shown_with_its_events():
    lines = run(GOLDEN / "compression.bin").stdout.splitlines()
    payload = next(index for index, line in enumerate(lines) if "TRANSACTION_PAYLOAD" in line)
    assert lines[payload + 1].split()[:2] == ["+0", "QUERY"]


def test_json_lines_are_the_protocols_events():
    done = run("--json", LOG)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    answer = ReferenceImplementation().ask(Request("decode", "mysql-9.x", LOG.read_bytes()))
    # A file is not resumed, so nothing is kept after its events.
    fields = [{name: each[name] for name in each if name not in STATE_FIELDS} for each in answer.events]
    assert events == json.loads(json.dumps(fields))


def test_json_lines_hold_the_rows():
    rows = [event["rows"] for event in map(json.loads, run("--json", LOG).stdout.splitlines()) if "rows" in event]
    assert {"before": None, "after": {"0": 1, "1": "rq off"}} in [row for event in rows for row in event]


def test_json_lines_of_several_files_name_the_file():
    done = run("--json", LOG, GOLDEN / "no_checksum.bin")
    files = [json.loads(line)["file"] for line in done.stdout.splitlines()]
    assert set(files) == {str(LOG), str(GOLDEN / "no_checksum.bin")}


def test_a_dump_shows_every_byte_once():
    data = LOG.read_bytes()
    done = run("--dump", LOG)
    shown = bytearray()
    at = 4
    for line in done.stdout.splitlines():
        if line.startswith("#"):
            continue
        assert int(line[:8], 16) == at
        part = bytes.fromhex(line[10:57])
        shown += part
        at += len(part)
    assert shown == data[4:]


def test_a_dump_names_the_fields():
    lines = run("--dump", LOG).stdout.splitlines()
    assert lines[0] == "# FORMAT_DESCRIPTION at 4, 123 bytes: Server ver: 9.7.4-2, Binlog ver: 4"
    assert lines[1].endswith("timestamp = 1795205254")
    assert any("flags = IGNORABLE" in line for line in lines)


def test_standard_input_need_not_be_seekable():
    command = [sys.executable, "-c", "from conformance.cli import main; main()", "decode", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        out, _ = process.communicate(LOG.read_bytes())
    assert process.returncode == 0
    assert out.decode() == run(LOG).stdout


@pytest.mark.parametrize("form", [[], ["--json"], ["--dump"]])
def test_events_before_the_damage_are_printed(tmp_path, form):
    damaged = bytearray(LOG.read_bytes())
    whole = len(offsets(LOG))
    damaged[-1] ^= 1
    path = tmp_path / "bin.000001"
    path.write_bytes(damaged)
    done = run(*form, path)
    offset = offsets(LOG)[-1]
    shown = [line for line in done.stdout.splitlines() if form != ["--dump"] or line.startswith("#")]
    assert done.exit_code == 1
    assert len(shown) == whole - 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{path}:{offset}: the checksum is 0x")
    assert "copy the file again" in line


def write(tmp_path, data):
    path = tmp_path / "bin.000001"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        (b"", 2, ":0: expected the 4 bytes fe 62 69 6e"),
        (b"GIF89a", 2, ":0: the file begins with 47 49 46 38"),
        (b"\xfdbin" + bytes(512), 2, "encrypted"),
        (b"\xfebin" + LOG.read_bytes()[127:], 2, ":4: an event of type 35 comes before any format description"),
        (LOG.read_bytes()[:130], 1, ":127: expected a header of 19 bytes, found 3"),
        (LOG.read_bytes()[:150], 1, ":127: expected an event of 31 bytes, found 23"),
        (LOG.read_bytes()[:136] + b"\xff\xff\xff\xff" + bytes(50), 1, ":127: an event length of 4294967295"),
        (LOG.read_bytes()[:136] + bytes(50), 1, ":127: an event length of 0"),
    ],
)
def test_damage_is_reported_in_one_line(tmp_path, data, status, words):
    done = run(write(tmp_path, data))
    assert done.exit_code == status
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{tmp_path}/bin.000001:")
    assert words in line


def test_a_torn_tail_of_a_log_in_use_is_not_damage(tmp_path):
    data = bytearray(LOG.read_bytes()[:150])
    data[4 + 17] |= 1
    done = run(write(tmp_path, data))
    assert done.exit_code == 0
    assert ":127: the log is still being written" in done.stderr


def test_the_files_after_a_missing_one_are_shown(tmp_path):
    done = run(tmp_path / "missing", tmp_path, LOG)
    assert done.exit_code == 2
    assert f"{tmp_path}/missing: No such file" in done.stderr
    assert f"{tmp_path}: is a directory" in done.stderr
    assert "FORMAT_DESCRIPTION" in done.stdout


def test_control_characters_do_not_reach_the_terminal(tmp_path):
    start = LOG.read_bytes()[:127]
    (described,) = read_events(start)
    fields = {"length_byte": 0, "rows_query": b"\x1b[31mred\xff\n\x00"}
    body = write_body(EventType.ROWS_QUERY, fields, described.format)
    event = frame(EventType.ROWS_QUERY, body, offset=127, checksummed=True, flags=0x80)
    for form in ([], ["--dump"], ["--json"]):
        done = run(*form, write(tmp_path, start + event))
        assert done.exit_code == 0
        assert "\x1b" not in done.stdout


def test_a_post_header_too_short_for_its_fields_is_damage(tmp_path):
    data = bytearray(LOG.read_bytes())
    data[4 + 19 + 57 + EventType.WRITE_ROWS - 1] = 6
    data[123:127] = zlib.crc32(data[4:123]).to_bytes(4, "little")
    done = run(write(tmp_path, data))
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{tmp_path}/bin.000001:")


def test_json_and_dump_exclude_each_other():
    assert run("--json", "--dump", LOG).exit_code == 2


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.bin")), ids=lambda each: each.stem)
@pytest.mark.parametrize("form", [[], ["--json"], ["--dump"]], ids=["lines", "json", "dump"])
def test_every_golden_log_is_shown(path, form):
    assert run(*form, path).exit_code == 0


def test_boundary_markers_are_shown_by_name(tmp_path):
    case = case_of(CaseId("marked_streams", "worklog", seed=1, index=0, role="decode"))
    log = tmp_path / "log"
    log.write_bytes(case.stream)
    headings = {each.heading for each in BoundaryType}
    for line, entry in zip(run(log).stdout.splitlines(), case.expected.events, strict=True):
        assert BoundaryType(entry["flags"] >> 10 & 7).heading in line
    assert headings & set(re.findall("|".join(headings), run("--dump", log).stdout))


def test_a_line_shows_tables_info_and_the_marker_by_name(tmp_path):
    stream = StreamBuilder(SeededChooser("tables info"), server_of("worklog"), checksums=True)
    stream.describe_format(post_header_lengths=with_tables_info(stream.server.post_header_lengths))
    event = extended_query(stream, "DROP TABLE t1", [TableName("test", "t1"), TableName("d", "t2")], named=False)
    stream.add(event._replace(flags=MARKER_BITS.write(0x0008, BoundaryType.SELF_CONTAINED)))
    path = tmp_path / "log"
    path.write_bytes(bytes(stream.bytes))
    line = run(path).output.splitlines()[1]
    assert "[SUPPRESS_USE|Self Contained]" in line
    assert line.endswith("DROP TABLE t1  (tables info: ``.`t1`,`d`.`t2`)")
