"""How results are printed, compared and set side by side: standard output, files and exit status."""

import json
from pathlib import Path

import pytest

from tests.running import forked

FEW = ("--examples", "6", "--profile", "mysql-8.0", "--family", "transactions", "--requirement", "FORMAT-XID")
GOOD, BAD = "reference", "reference:xid-as-double"


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, Path]:
    """The report folders of a conforming and of a broken implementation."""
    folders = {spec: tmp_path_factory.mktemp("run") for spec in (GOOD, BAD)}
    for status, (spec, folder) in enumerate(folders.items()):
        done = forked("certify", spec, *FEW, "--report", str(folder), "--quiet")
        assert (done.status, done.errors) == (status, "")
        assert len(done.output.splitlines()) == 1
    return folders


def test_quiet_prints_the_verdict_only(runs):
    done = forked("report", str(runs[BAD]), str(runs[BAD]), "--quiet")
    assert (done.status, done.output) == (1, "reference:xid-as-double 0.1.0: not conforming\n")


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_document_is_all_that_standard_output_has(runs, tmp_path, form):
    baseline = tmp_path / "known.toml"
    forked("certify", BAD, *FEW, "--write-baseline", str(baseline))
    done = forked("certify", GOOD, *FEW, "--baseline", str(baseline), "--format", form, "--report", str(tmp_path))
    assert done.status == 1
    json.loads(done.output)
    # What is for people is on standard error, and nowhere with --quiet.
    assert "unexpected pass" in done.errors
    assert "Report: " in done.errors
    again = forked("certify", GOOD, *FEW, "--baseline", str(baseline), "--format", form, "--quiet")
    assert (json.loads(again.output) is not None, again.errors) == (True, "")


def test_the_formats_name_the_same_finding(runs):
    signature = "xid of XID differs"
    outputs = {
        form: forked("report", str(runs[BAD]), str(runs[BAD]), "--format", form).output
        for form in ("text", "json", "markdown", "sarif", "github")
    }
    assert all(signature in output for output in outputs.values())
    assert json.loads(outputs["json"])["findings"][0]["signature"] == signature


def of_another_version(runs, folder):
    """Return a run record in which the case of a finding has another stream, as other versions of the kit make it."""
    lines = [json.loads(line) for line in (runs[BAD] / "run.jsonl").read_text().splitlines()]
    for line in lines:
        if line["kind"] == "failure":
            line["stream"] += "00"
    record = folder / "run.jsonl"
    record.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return record


def test_a_case_that_is_another_one_in_this_version_is_not_replayed(runs, tmp_path):
    [finding] = json.loads(forked("report", str(runs[BAD]), str(runs[BAD]), "--format", "json").output)["findings"]
    done = forked("replay", finding["short_case"], BAD, "--record", str(of_another_version(runs, tmp_path)))
    assert (done.status, done.output) == (2, "")
    assert "another version of the kit made this record" in done.errors


def test_the_site_has_the_command_that_replays_a_case_where_this_version_makes_it(runs, tmp_path):
    for name, record in (("same", runs[BAD]), ("other", of_another_version(runs, tmp_path))):
        kept, site = tmp_path / f"{name}-kept", tmp_path / name
        assert forked("results", "add", str(record), str(kept)).status == 0
        assert forked("results", "site", str(kept), str(site)).status == 0
        (page,) = (each.read_text() for each in (site / "findings").glob("*.html"))
        assert ("binlog-conformance replay" in page) == (name == "same")
        assert ("makes another stream for this case" in page) == (name == "other")


def test_a_short_id_replays_the_case_of_a_record(runs):
    [finding] = json.loads(forked("report", str(runs[BAD]), str(runs[BAD]), "--format", "json").output)["findings"]
    short = finding["short_case"]
    for record in (runs[BAD], runs[BAD] / "run.jsonl"):
        done = forked("replay", short, BAD, "--record", str(record))
        assert done.status == 1
        assert "finding: xid of XID differs" in done.output
    assert forked("replay", short, GOOD, "--record", str(runs[BAD])).status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cafe0123", "reference"), "'cafe0123' is a short case id: name the run record that has it with --record"),
        (("cafe0123", "reference", "--record", "RUN"), "no case of the record has the short id 'cafe0123'"),
        (("cafe0123", "reference", "--record", "nowhere"), "nowhere: No such file or directory"),
    ],
)
def test_a_short_id_that_stands_for_nothing_is_a_mistake(runs, arguments, words):
    done = forked("replay", *(str(runs[BAD]) if each == "RUN" else each for each in arguments))
    assert (done.status, words in done.errors, len(done.errors.splitlines())) == (2, True, 1)


def test_two_runs_are_compared(runs, tmp_path):
    page = tmp_path / "comparison.html"
    worse = forked("compare", str(runs[GOOD]), str(runs[BAD] / "run.jsonl"), "--page", str(page))
    assert worse.status == 1
    assert "broke: FORMAT-XID (pass -> fail)" in worse.output
    assert "B is worse" in page.read_text(encoding="utf-8")
    better = forked("compare", str(runs[BAD]), str(runs[GOOD]), "--quiet")
    assert (better.status, len(better.output.splitlines())) == (0, 1)
    document = forked("compare", str(runs[BAD]), str(runs[BAD]), "--format", "json")
    assert (document.status, json.loads(document.output)["worse"]) == (0, False)


@pytest.mark.parametrize("arguments", [("RUN", "nowhere"), ("nowhere", "RUN"), ("RUN", "EMPTY"), ("EMPTY", "CUT")])
def test_what_is_not_a_finished_record_cannot_be_compared(runs, tmp_path, arguments):
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes((runs[BAD] / "run.jsonl").read_bytes()[:2000])
    empty = tmp_path / "empty"
    empty.mkdir()
    places = {"RUN": str(runs[BAD]), "CUT": str(cut), "EMPTY": str(empty)}
    done = forked("compare", *(places.get(each, each) for each in arguments))
    assert (done.status, done.output, len(done.errors.splitlines())) == (2, "", 1)


def test_several_runs_are_set_side_by_side(runs, tmp_path):
    done = forked("report", str(runs[GOOD]), str(runs[BAD]), str(tmp_path / "both"))
    assert done.status == 1
    assert len(done.output.splitlines()) == 3
    assert {path.name for path in (tmp_path / "both").iterdir()} == {".run.lock", "overview.html", "overview.md"}
    assert "FORMAT-XID" in (tmp_path / "both" / "overview.md").read_text(encoding="utf-8")
    assert forked("report", str(runs[GOOD]), str(runs[GOOD]), str(tmp_path / "both")).status == 0
    assert forked("report", str(runs[GOOD]), "nowhere", str(tmp_path / "both")).status == 2
