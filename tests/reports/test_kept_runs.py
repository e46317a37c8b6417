"""Kept runs: compressed records without anything of the machine, and what they show of features."""

import json
from pathlib import Path

import pytest
import zstandard
from example_record import crash, failure, finished, header, requirement, write_lines

from conformance.reports.features import Feature, features, reading_of, state_in
from conformance.reports.kept_runs import CannotKeep, keep_run, kept_runs, newest
from conformance.reports.record import RecordError, read_record
from conformance.specs.catalogue import catalogue
from tests.generated import ROOT
from tests.running import forked

PLACES = ("/root/", "/tmp/", "/home/")
RESULTS = ROOT / "reports" / "results"


def lines_of(*lines, spec="mysql-replication==1.0.17", **about):
    line = header()
    line["implementation"] |= {"spec": spec} | about
    return [line, *finished(*lines)[1:]]


def record_of(folder: Path, *lines, name="run", **about) -> Path:
    return write_lines(folder / f"{name}.jsonl", lines_of(*lines, **about))


def text_of(path: Path) -> str:
    return zstandard.ZstdDecompressor().stream_reader(path.open("rb")).read().decode()


def kept_versions(folder: Path, *versions):
    """Keep a run of each version, whose lines are given with it, and return them."""
    for version, *lines in versions:
        keep_run(record_of(folder, *lines, name=version, version=version), folder / "kept")
    return kept_runs(folder / "kept")


def test_a_kept_run_has_the_same_lines(tmp_path):
    path = record_of(tmp_path, failure(requirement="A-1"), requirement("A-1", "fail"))
    kept = keep_run(path, tmp_path / "kept")
    assert kept.name == "mysql-replication-1.0.17.jsonl.zst"
    assert read_record(kept) == read_record(path)
    assert keep_run(path, tmp_path / "kept") == kept
    assert [(run.title, run.record) for run in kept_runs(tmp_path / "kept")] == [
        ("mysql-replication 1.0.17", read_record(path))
    ]


def test_paths_of_the_machine_are_cut_and_others_stay(tmp_path):
    spec = "mysqlbinlog:/opt/my server/bin/mysqlbinlog"
    place = "/home/me/.cache/x-1/lib/python3.11/site-packages/pymysqlreplication/event.py"
    detail = f'File "{place}", line 3\n/home/me/adapters/a.py\n/srv/bin/mariadb-binlog: Out of memory\n'
    detail += "at file:///home/me/.cache/zongji-1-ab/adapter.mjs:27"
    detail += "\n/home/me/.cache/binlog-conformance/.go-mysql-1-ab.build.x_1/main.go:98 +0x5d"
    detail += "\nsee https://dev.mysql.com/doc/refman/en/mysqlbinlog.html"
    wrong = failure(requirement="A-1", replay=f"binlog-conformance replay x '{spec}' -q", detail=detail)
    wrong["message"] = "LOAD DATA INFILE '/tmp/data.txt'"
    kept = keep_run(record_of(tmp_path, wrong, requirement("A-1", "fail"), spec=spec), tmp_path / "kept")
    (line,) = read_record(kept).failures
    assert read_record(kept).header.implementation.spec == "mysqlbinlog"
    assert line.replay == "binlog-conformance replay x mysqlbinlog -q"
    assert line.detail.splitlines() == [
        'File "site-packages/pymysqlreplication/event.py", line 3',
        "adapters/a.py",
        "mariadb-binlog: Out of memory",
        "at file://adapter.mjs:27",
        "main.go:98 +0x5d",
        "see https://dev.mysql.com/doc/refman/en/mysqlbinlog.html",
    ]
    assert line.message == "LOAD DATA INFILE '/tmp/data.txt'"  # It is in the log that was read.


@pytest.mark.parametrize("spec", ["command:./adapter", "python:mine", "mysql://root:secret@127.0.0.1:1"])
def test_what_nobody_else_can_run_is_not_kept(tmp_path, spec):
    path = record_of(tmp_path, requirement("A-1", "pass"), spec=spec)
    with pytest.raises(CannotKeep, match="of one machine: certify an implementation by its name"):
        keep_run(path, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_run_that_was_cut_off_is_not_kept(tmp_path):
    path = write_lines(tmp_path / "run.jsonl", lines_of(requirement("A-1", "pass"))[:-1])
    with pytest.raises(RecordError, match="the run was cut off"):
        keep_run(path, tmp_path / "kept")


def test_versions_are_in_their_order_and_the_newest_stands_for_all(tmp_path):
    runs = kept_versions(tmp_path, *((version, requirement("A-1", "pass")) for version in ("1.10.0", "1.9.1", "1.2")))
    assert [run.version for run in runs] == ["1.2", "1.9.1", "1.10.0"]
    assert [run.version for run in newest(runs)] == ["1.10.0"]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"plain text", "not compressed by zstd, or damaged"), (b"", "no header")],
)
def test_a_damaged_result_is_one_line(tmp_path, content, message):
    (tmp_path / "x-1.jsonl.zst").write_bytes(content)
    done = forked("results", "site", str(tmp_path), str(tmp_path / "out"))
    assert done.status == 2
    assert message in done.errors
    assert len(done.errors.splitlines()) == 1


def test_a_result_under_another_name_is_refused(tmp_path):
    kept = keep_run(record_of(tmp_path, requirement("A-1", "pass")), tmp_path / "kept")
    kept.rename(kept.with_name("other-1.jsonl.zst"))
    with pytest.raises(RecordError, match=r"its name must be mysql-replication-1\.0\.17\.jsonl\.zst"):
        kept_runs(tmp_path / "kept")


def test_kept_runs_are_compared_as_run_records_are(tmp_path):
    good = requirement("A-1", "pass")
    for version, line in (("1", good), ("2", requirement("A-1", "fail"))):
        lines = [failure(requirement="A-1"), line] if line is not good else [line]
        keep_run(record_of(tmp_path, *lines, name=version, version=version), tmp_path / "kept")
    done = forked("compare", *(str(tmp_path / "kept" / f"mysql-replication-{each}.jsonl.zst") for each in "12"))
    assert (done.status, done.errors) == (1, "")
    assert "broke: A-1 (pass -> fail)" in done.output


def test_a_folder_without_results_is_one_line(tmp_path):
    done = forked("results", "site", str(tmp_path), str(tmp_path / "out"))
    assert (done.status, done.output) == (2, "")
    assert "no results" in done.errors


FEATURE = Feature("A", ("A-1", "A-2"), ("mysql-8.0",))
#: What the kit's own runs of one requirement can be -> the state of a feature.
RUNS = [
    ("yes", [requirement("A-1", "pass"), requirement("A-2", "pass")]),
    ("no", [failure(requirement="A-1"), requirement("A-1", "fail", results={"mysql-8.0": {"fail": 3}})]),
    ("partly", [failure(requirement="A-1"), requirement("A-1", "fail", results={"mysql-8.0": {"fail": 3, "pass": 1}})]),
    ("unread", [requirement("A-1", "blocked", results={"mysql-8.0": {"blocked": 3}}), requirement("A-2", "pass")]),
    ("not reported", [requirement("A-1", "unsupported", results={"mysql-8.0": {"unsupported": 3}})]),
    ("not judged", [requirement("A-3", "pass")]),
]


@pytest.mark.parametrize(("state", "lines"), RUNS, ids=[state for state, _ in RUNS])
def test_the_state_of_a_feature_is_that_of_its_worst_requirement(tmp_path, state, lines):
    assert state_in(read_record(record_of(tmp_path, *lines)), FEATURE) == state


EVENTS = Feature("A", ("A-1",), ("mysql-8.0",), ("GTID",))
PASSES = requirement("A-1", "pass")


@pytest.mark.parametrize(
    ("state", "changes"),
    [
        ("yes", {"signature": "ROWS_QUERY refused: no"}),
        ("yes", {"signature": "GTID with a longer post-header misread"}),
        ("yes", {"signature": "GTID_TAGGED not known"}),
        ("unread", {"signature": "GTID not known"}),
        ("partly", {"signature": "GTID refused: too long"}),
        ("partly", {"signature": "GTID read to a wrong end"}),
    ],
)
def test_a_reader_that_refuses_the_events_or_does_not_know_them_lacks_the_feature(tmp_path, state, changes):
    wrong = failure(requirement="A-9", **changes)
    record = read_record(record_of(tmp_path, wrong, PASSES, requirement("A-9", "fail")))
    assert state_in(record, EVENTS) == state


def test_a_reader_that_refuses_some_events_whose_fields_it_does_not_report_reads_with_faults(tmp_path):
    wrong = failure(requirement="A-9", signature="GTID refused: too long")
    not_reported = requirement("A-1", "unsupported", results={"mysql-8.0": {"unsupported": 3}})
    record = read_record(record_of(tmp_path, wrong, not_reported, requirement("A-9", "fail")))
    assert state_in(record, EVENTS) == "partly"


@pytest.mark.parametrize(
    ("state", "changes"),
    [
        ("partly", {"requirement": "TROUBLE"}),
        ("partly", {"requirement": "TROUBLE", "message": "killed by the memory limit"}),
        ("yes", {"requirement": "A-9"}),  # A faulty log.
        ("yes", {"requirement": "TROUBLE", "family": "post_header_lengths"}),
        ("yes", {"requirement": "TROUBLE", "profile": "mysql-5.7"}),
        ("yes", {"requirement": "TROUBLE", "message": "panic (after 0 entries)"}),  # At the format description.
    ],
)
def test_a_reader_that_crashes_at_the_events_of_a_right_log_lacks_the_feature(tmp_path, state, changes):
    wrong = crash(**{"message": "panic (after 1 entry)", **changes})
    record = read_record(record_of(tmp_path, wrong, PASSES, requirement("A-9", "fail")))
    assert state_in(record, EVENTS) == state


def test_a_process_that_ends_in_a_log_of_several_events_does_not_show_at_which(tmp_path):
    wrong = crash(requirement="TROUBLE", message="killed by the memory limit")
    wrong["events"] = [*wrong["events"], wrong["events"][-1]]
    record = read_record(record_of(tmp_path, wrong, PASSES, requirement("A-9", "fail")))
    assert state_in(record, EVENTS) == "yes"


def test_a_failure_under_other_profiles_does_not_count(tmp_path):
    wrong = failure(requirement="A-1", profiles={"mysql-5.7": 3}, profile="mysql-5.7")
    both = {"mysql-5.7": {"fail": 3}, "mysql-8.0": {"pass": 2}}
    record = read_record(record_of(tmp_path, wrong, requirement("A-1", "fail", results=both)))
    assert state_in(record, FEATURE) == "yes"


def test_a_feature_is_there_since_the_first_version_after_the_last_without_it(tmp_path):
    good = [requirement("A-1", "pass")]
    bad = [failure(requirement="A-1"), requirement("A-1", "fail", results={"mysql-8.0": {"fail": 3}})]
    runs = kept_versions(tmp_path, ("1.0", *good), ("1.1", *bad), ("1.2", *good), ("1.3", *good))
    reading = reading_of(runs, FEATURE)
    assert (reading.state, reading.since, reading.before) == ("yes", "1.2", "1.1")
    assert reading_of(runs[:2], FEATURE).since is None
    assert reading_of(runs[:1], FEATURE) == reading_of(runs[:1], FEATURE)
    assert reading_of(runs[2:], FEATURE).before is None


def test_what_is_read_with_faults_is_so_since_the_first_version_that_reads_it_at_all(tmp_path):
    good = [requirement("A-1", "pass")]
    some = {"mysql-8.0": {"fail": 3, "pass": 2}}
    faulty = [failure(requirement="A-1"), requirement("A-1", "fail", results=some)]
    none = [failure(requirement="A-1"), requirement("A-1", "fail", results={"mysql-8.0": {"fail": 3}})]
    runs = kept_versions(tmp_path, ("1.0", *none), ("1.1", *good), ("1.2", *faulty))
    reading = reading_of(runs, FEATURE)
    assert (reading.state, reading.since, reading.before) == ("partly", "1.1", "1.0")
    assert reading_of(runs[:1], FEATURE).since is None


@pytest.mark.parametrize("feature", features(), ids=lambda each: each.name)
def test_a_feature_names_what_the_catalogue_has(feature):
    for name in feature.requirements:
        assert catalogue()[name].role == "decode"
        assert not set(feature.profiles) - set(catalogue()[name].holds)


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.zst")), ids=lambda each: each.name)
def test_the_results_of_the_tree_are_records_without_paths_of_a_machine(path):
    record = read_record(path)
    assert record.footer is not None
    assert record.header.platform
    about = [json.loads(line) for line in text_of(path).splitlines()]
    texts = [line.get(key, "") for line in about for key in ("replay", "detail")] + [record.header.implementation.spec]
    assert [each for each in texts if any(place in each for place in PLACES)] == []
