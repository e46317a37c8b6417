"""What a stranger wrote never commands a terminal, whatever command shows it."""

import re
import struct
import subprocess
import sys
import zlib

import pytest

from tests.first_case import first_case, has_checksums
from tests.running import double, forked, on_terminal

#: What a terminal obeys, except the sequences of the kit's own styles and of a progress line: colour, erased line,
#: cursor up, hidden cursor.
OWN = re.compile(r"\r(?=\x1b\[)|\x1b\[(?:[0-9;]*m|2K|1A|\?25[lh])")
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
CASE = first_case("transactions", "mysql-8.0", has_checksums)
QUICK = ("--examples", "2", "--family", "transactions", "--profile", "mysql-8.0")
#: Place -> the exit status where it is not 1: it does not start, or shows nothing.
STATUSES = {"start": 2, "greeting": 2, "declaration": 2, "unsupported": 2, "name": 0}
PLACES = ("start", "greeting", "declaration", "name", "crash", "line", "unsupported", "refusal", "kind", "field")


def raw(shown):
    """Return what a terminal would obey; styles of the kit's own are left out, those of EVIL are not."""
    rest = OWN.sub("", shown.replace("\x1b[31mRED", "\x00"))
    return sorted(set(OBEYED.findall(rest)))


def hostile(place):
    return double("hostile_words", place)


@pytest.mark.parametrize("place", PLACES)
def test_certify(place):
    shown = on_terminal("certify", hostile(place), *QUICK)
    assert raw(shown.output) == []
    assert shown.status == STATUSES.get(place, 1)


@pytest.mark.parametrize("place", PLACES)
def test_replay(place):
    shown = on_terminal("replay", CASE, hostile(place))
    assert raw(shown.output) == []
    assert "Traceback" not in shown.output
    assert shown.status == STATUSES.get(place, 1)
    if place in ("start", "crash"):
        assert "RED" in shown.output


@pytest.mark.parametrize("place", ["start", "crash", "kind", "refusal", "field"])
def test_fuzz(place, tmp_path):
    options = ("--time", "1s", "--corpus", tmp_path, "--family", "transactions", "--profile", "mysql-8.0")
    shown = on_terminal("fuzz", "decode", "--implementation", hostile(place), *options)
    assert raw(shown.output) == []
    assert "Traceback" not in shown.output
    assert shown.status == (2 if place == "start" else 1)


def test_two_implementations_fuzzed_against_each_other(tmp_path):
    options = ("--time", "1s", "--corpus", tmp_path, "--family", "transactions", "--profile", "mysql-8.0")
    shown = on_terminal("fuzz", "decode", "--implementation", hostile("name"), "--against", hostile("field"), *options)
    assert raw(shown.output) == []
    assert shown.status == 1


def test_a_baseline_and_a_report_of_it(tmp_path):
    spec = hostile("refusal")
    first = on_terminal("certify", spec, *QUICK, "--report", tmp_path, "--write-baseline", tmp_path / "known.toml")
    again = on_terminal("certify", double("headers"), *QUICK, "--baseline", tmp_path / "known.toml")
    fixed = on_terminal("certify", hostile("name"), *QUICK, "--baseline", tmp_path / "known.toml")
    report = on_terminal("report", tmp_path / "run.jsonl", tmp_path / "again")
    for shown, status in ((first, 1), (again, 2), (fixed, 1), (report, 1)):
        assert raw(shown.output) == []
        assert shown.status == status
    assert "does not occur any more" in fixed.output


EVIL_NAME = "\x1b[31mRED\x1b]0;title\x07\x9b31m\x08\u202e"


@pytest.mark.parametrize(
    "arguments",
    [
        ("certify", EVIL_NAME),
        ("certify", "reference", "--baseline", EVIL_NAME),
        ("certify", "reference", "--requirement", EVIL_NAME),
        ("certify", "reference", "--family", EVIL_NAME),
        ("certify", "reference", "--profile", EVIL_NAME),
        ("certify", "reference:" + EVIL_NAME),
        ("certify", "python:" + EVIL_NAME),
        ("certify", "command:" + EVIL_NAME),
        ("certify", f"mysql-replication=={EVIL_NAME}"),
        ("replay", EVIL_NAME, "reference"),
        ("replay", CASE, "reference", "--save", f"nowhere/{EVIL_NAME}"),
        ("report", EVIL_NAME, "folder"),
        ("requirements", EVIL_NAME),
        ("requirements", "--worklog", EVIL_NAME),
        ("decode", EVIL_NAME),
        ("decode", "--json", EVIL_NAME),
        ("check", EVIL_NAME),
        ("check", "--json", EVIL_NAME),
        ("show", EVIL_NAME),
        ("show", "x", "--time-zone", EVIL_NAME),
        ("filter", EVIL_NAME, "--do-database", "d", "--output", "nowhere/x"),
        ("filter", "x", "--do-table", EVIL_NAME, "--output", "x"),
        ("decide", "--statement", "safe", "--mode", "row", "--engine", EVIL_NAME),
        ("fuzz", EVIL_NAME, "--implementation", "reference"),
        ("corpus", "compare", EVIL_NAME),
        (EVIL_NAME,),
        ("certify", "reference", f"--{EVIL_NAME}"),
    ],
)
def test_a_mistake_on_the_command_line(arguments):
    shown = on_terminal(*arguments)
    assert raw(shown.output) == []
    assert shown.status == 2
    piped = forked(*arguments)
    assert (raw(piped.errors), len(piped.errors.splitlines()), piped.status) == ([], 1, 2)


def event(code, body, at, *, flags=0):
    length = 19 + len(body) + 4
    data = struct.pack("<IBIIIH", 1_700_000_000, code, 1, length, at + length, flags) + body
    return data + struct.pack("<I", zlib.crc32(data))


@pytest.fixture
def log(tmp_path):
    """A log whose names, statements and comments command a terminal."""
    from conformance.strategies.grammar.case_id import CaseId
    from conformance.strategies.grammar.family import case_of

    stream = bytearray(case_of(CaseId.parse(CASE)).stream[:])
    size = struct.unpack_from("<I", stream, 4 + 9)[0]
    start = bytes(stream[: 4 + size])
    database, query = EVIL_NAME.encode(), f"CREATE TABLE `{EVIL_NAME}` (a INT)".encode()
    body = struct.pack("<IIBHH", 1, 0, len(database), 0, 0) + database + b"\0" + query
    path = tmp_path / f"{EVIL_NAME}.000001"
    path.write_bytes(start + event(2, body, len(start)))
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("decode",),
        ("decode", "--json"),
        ("decode", "--dump"),
        ("check",),
        ("check", "--json"),
        ("show",),
        ("show", "-vv"),
        ("show", "--format", "events"),
        ("show", "--format", "json"),
    ],
)
def test_a_log(arguments, log):
    shown = on_terminal(*arguments, log)
    assert raw(shown.output) == []
    assert shown.status in (0, 1)
    assert "RED" in shown.output


def test_a_pipe_gets_the_bytes_that_mysqlbinlog_prints(log):
    assert EVIL_NAME in forked("show", log).output


def test_json_lines_mean_the_same_on_a_terminal(log):
    import json

    (query,) = [json.loads(line) for line in forked("decode", "--json", log).output.splitlines() if '"query"' in line]
    assert query["query"] == f"CREATE TABLE `{EVIL_NAME}` (a INT)"


@pytest.mark.parametrize("place", ["start", "crash"])
def test_pytest(place):
    options = ("--binlog-requirement", "FORMAT-HEADER-*", "--binlog-role", "decode", "--binlog-examples", "1")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--color=yes", "--pyargs"),
            *(
                "conformance.suite",
                "--binlog-implementation",
                hostile(place),
                "--binlog-profile",
                "mysql-8.0",
                *options,
            ),
        ],
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=240,
        check=False,
    )
    assert raw(done.stdout + done.stderr) == []
    assert "Traceback" not in done.stdout
    # What ended it is shown, and not obeyed.
    assert "RED" in done.stdout + done.stderr
