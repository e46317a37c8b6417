"""Files that people write or damage: one line that names the file and the key, exit status 2, no traceback."""

import json
import os
import re
import resource
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conformance.engine.baseline import BASELINE_BYTES, Baseline, BaselineError
from conformance.reports.folder import write_reports
from conformance.reports.record import RecordError, read_record
from conformance.reports.terminal import print_summary
from conformance.specs.conversion import Malformed, converted, parsed_json, parsed_toml
from tests.extras import require
from tests.malformed import variants
from tests.running import double, forked

sys.path.insert(0, str(Path(__file__).parent / "reports"))
from example_record import as_line, coverage, crash, example_lines, header, requirement

QUICK = ("--examples", "1", "--family", "transactions", "--profile", "mysql-8.0")
KNOWN = {
    "finding": "xid of XID differs",
    "groups": ["mysql 5.6 to 8.4"],
    "requirements": ["FORMAT-XID"],
    "reason": "reported upstream",
}


def toml(value):
    """Return a value in the inline notation of TOML, which has no null."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, int) and abs(value) > 2**63 and not isinstance(value, bool):
        return hex(value)
    return "1979-05-27T07:32:00Z" if value is None else json.dumps(value)


def refusal(error, read):
    """Return the line with which something is refused, None where it is read."""
    try:
        read()
    except error as refused:
        line = str(refused)
        return "(more than one line)" if "\n" in line else line
    return None


def one_line(done, *words):
    """Check that a command ended with 2 and one line with these words."""
    assert (done.status, done.output) == (2, "")
    assert len(done.errors.splitlines()) == 1, done.errors[-2000:]
    for word in words:
        assert str(word) in done.errors


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("known = 5", "known: expected a list, found 5"),
        ('known = ["x"]', "known[0]: expected an object, found 'x'"),
        ('known = "abc"', "known: expected a list, found 'abc'"),
        ('[known]\nfinding = "a"', "known: expected a list, found an object"),
        ("known = 1979-05-27", "known: expected a list, found 1979-05-27"),
        ("known = nan", "known: expected a list, found nan"),
        ("known = 0x" + "f" * 5000, "known: expected a list, found an integer of 20000 bits"),
        ("known = " + "9" * 5000, "a number has too many digits"),
        ("known = " + "[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("x = " + "{a=" * 50_000, "nested too deeply"),
        ("a." * 20_000 + "a = 1", "line 1 has more than 256 dots"),
        (("a." * 250 + "b = 1\n[c]\n") * 3, "not TOML: Cannot"),
        ("unknown = 1", "unknown: there is no such key; there are known"),
        ("a\0", "not TOML: Expected '='"),
        (b"\xff\xfe", "not UTF-8: byte 0xff at offset 0"),
        (b"#" * (BASELINE_BYTES + 1), "larger than 1 MiB"),
    ],
)
def test_a_baseline_that_is_wrong(text, reason, tmp_path):
    path = tmp_path / "known.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    one_line(forked("certify", "reference", *QUICK, "--baseline", path), path, reason)


def test_a_baseline_that_is_wrong_at_any_place(tmp_path):
    path = tmp_path / "known.toml"
    refused = 0
    for where, what, document in variants({"known": [KNOWN, KNOWN]}):
        path.write_text("\n".join(f"{json.dumps(key)} = {toml(each)}" for key, each in document.items()))
        line = refusal(BaselineError, lambda: Baseline.load(path))
        if line is None:
            # What fits: no entries, another text, a longer reason.
            assert where[-1] in ("known", "finding", "reason"), (where, what)
            continue
        refused += 1
        key = next(each for each in reversed(where) if isinstance(each, str))
        assert re.match(rf"{path}: (known\[\d\]|{key}\b)", line), (where, what, line)
    assert refused > 100


def endless(path):
    """Make a pipe into which a program writes without end; the program ends with its reader."""
    os.mkfifo(path)
    return subprocess.Popen(["sh", "-c", f"yes '[[known]]' > '{path}'"], stderr=subprocess.DEVNULL)


def at_most_1_gib_more():
    own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (own + (1 << 30),) * 2)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs the devices of Linux")
@pytest.mark.parametrize("kind", ["device", "sparse", "pipe"])
@pytest.mark.parametrize("command", ["certify", "fuzz", "report"])
def test_a_file_without_end(command, kind, tmp_path):
    path = Path("/dev/zero") if kind == "device" else tmp_path / kind
    writer = endless(path) if kind == "pipe" else None
    if kind == "sparse":
        with path.open("wb") as file:
            file.truncate(3 << 30)
    arguments = {
        "certify": ("certify", "reference", *QUICK, "--baseline", path),
        "fuzz": ("fuzz", "decode", "--implementation", "reference", "--corpus", tmp_path / "c", "--baseline", path),
        "report": ("report", path, tmp_path / "folder"),
    }
    try:
        one_line(forked(*arguments[command], prepare=at_most_1_gib_more), path)
    finally:
        if writer is not None:
            writer.kill()
            writer.wait()


def test_kept_cases_that_are_not_text_or_too_many(tmp_path):
    kept = tmp_path / "decode" / "cases.txt"
    kept.parent.mkdir()
    fuzz = ("fuzz", "decode", "--implementation", "reference", "--time", "1s", "--corpus", tmp_path)
    kept.write_bytes(b"\xff")
    one_line(forked(*fuzz), kept, "not UTF-8")
    with kept.open("wb") as file:
        file.truncate(1 << 30)
    one_line(forked(*fuzz, prepare=at_most_1_gib_more), kept, "larger than 64 MiB")


def write_record(path, lines):
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    return path


#: Of the records that are accepted, one in so many is reported where the tests must be quick.
STEP = 20


def records():
    """Yield records with one wrong line each: the path to the fault, what is wrong, and the lines."""
    whole = example_lines()
    for number, line in enumerate(whole):
        same = [each for each in whole[:number] if each["kind"] == line["kind"]]
        # One line of each kind, and the failure without an answer.
        if same and not (line["kind"] == "failure" and line["observed"] is None):
            continue
        for where, what, wrong in variants(line):
            yield [number + 1, *where], what, [*whole[:number], wrong, *whole[number + 1 :]]


def test_a_record_that_is_wrong_at_any_place(tmp_path, capsys):
    refused = accepted = 0
    for number, (where, what, lines) in enumerate(records()):
        path = write_record(tmp_path / "run.jsonl", lines)
        line = refusal(RecordError, lambda: read_record(path))  # noqa: B023 - it is called at once
        refused += line is not None
        accepted += line is None
        if line is not None:
            assert line.startswith(f"{path}:"), (where, what)
        elif number % STEP == 0:
            write_reports(path, tmp_path / "reports")
            print_summary(read_record(path))
    assert (refused, accepted) > (1, 1)


@pytest.mark.slow
def test_every_report_can_be_written_of_what_is_accepted(tmp_path):
    for where, what, lines in records():
        done = forked("report", write_record(tmp_path / "run.jsonl", lines), tmp_path / "reports")
        assert done.status in (0, 1, 2), (where, what)
        assert "Traceback" not in done.errors, (where, what, done.errors)
        assert len(done.errors.splitlines()) <= 1, (where, what)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"kind":"header","seed":' + b"9" * 5000 + b"}",
        b'{"kind":"header","seconds":NaN}',
        b'{"kind":"header","seconds":1e999}',
        b"\xff\xfe",
        b"null",
        b'{"kind":["header"]}',
        b'{"kind":"header","schema":1e400}',
    ],
)
def test_a_record_whose_first_line_is_wrong(line, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(line + b"\n")
    one_line(forked("report", path, tmp_path / "folder"), f"{path}:1")


def test_counts_that_no_report_can_calculate_with(tmp_path):
    for number, line in enumerate((coverage(families={"rows_query": {"mysql-8.0": 10**400}}), crash(count=10**400))):
        with pytest.raises(Malformed, match="9223372036854775807"):
            as_line(line)
        path = write_record(tmp_path / f"{number}.jsonl", [header(), line])
        one_line(forked("report", path, tmp_path / "folder"), f"{path}:2", "expected an integer")
    with pytest.raises(Malformed, match="results"):
        as_line(requirement(results={"mysql-8.0": {"pass": 10**400}}))


@pytest.mark.parametrize("choices", ["_" * 100_000, "A" * 100_000, "%", "", "é", "\x1b[31m"])
def test_a_case_id_of_any_length(choices):
    one_line(forked("replay", f"transactions/mysql-8.0/choices-{choices}", "reference"))


@pytest.mark.parametrize(
    "options",
    [
        ("--memory", "9" * 30),
        ("--answer-time", "9" * 400 + "s"),
        ("--answer-time", "500h"),
        ("--time", "9" * 400 + "h"),
        ("--examples", "9" * 400),
        ("--seed", "9" * 5000),
        ("--requirement", "["),
    ],
)
def test_a_number_that_the_system_cannot_take(options):
    one_line(forked("certify", double("reads_headers"), "--profile", "mysql-8.0", *options))


def manifest():
    return {
        "schema": 1,
        "kit": "0.1.0",
        "rules": "0" * 16,
        "started": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "plan": {"pairs": [["transactions", "mysql-8.0"]], "seed": 0, "role": "decode"},
        "size": {"cases": 5, "events": None, "seconds": None},
        "spec": "reference",
        "implementation": ["reference", "1"],
        "role": "decode",
        "fields": ["type"],
        "abilities": [],
        "profiles": ["mysql-8.0"],
        "requirements": "*",
    }


class Stored:
    """Stands for a folder of a file system."""

    uri = "file:/stored"

    def __init__(self, **files):
        self._files = files

    def at(self, *names):
        return self

    def exists(self, name=""):
        return name.partition(".")[0] in self._files

    def read(self, name, *, limit):
        return self._files[name.partition(".")[0]]


def test_a_manifest_that_is_wrong_at_any_place():
    require("spark")
    from conformance.corpus.manifest import RunManifest
    from conformance.corpus.output import NotUsable, Output

    Output(Stored(manifest=json.dumps(manifest()).encode())).manifest(RunManifest)
    refused = 0
    for where, what, document in variants(manifest()):
        output = Output(Stored(manifest=json.dumps(document).encode()))
        line = refusal(NotUsable, lambda: output.manifest(RunManifest))  # noqa: B023 - it is called at once
        refused += line is not None
        assert line is None or line.startswith("file:/stored"), (where, what)
    assert refused > 100
    for text in (b"[" * 100_000, b"{", b"[]", b"\xff", b'{"schema":1e999}', b"9" * 5000):
        with pytest.raises(NotUsable, match=r"manifest\.json"):
            Output(Stored(manifest=text)).manifest(RunManifest)


@pytest.mark.parametrize("read", [parsed_json, parsed_toml])
@pytest.mark.parametrize("text", ["[" * 100_000, "x" * 100_000, "", "{", "\0", "\ud800", "'''" + "\\" * 5000])
def test_a_parser_gives_a_value_or_one_line(read, text):
    assert refusal(Malformed, lambda: read(text)) != "(more than one line)"


def test_a_long_integer_is_shown_by_its_size():
    with pytest.raises(Malformed, match="expected a text, found an integer of 40001 bits"):
        converted(2**40_000, str)
