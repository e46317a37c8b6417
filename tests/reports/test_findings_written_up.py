"""Findings written up for projects: each is in a result of the tree, and its bytes are a whole log."""

import re
from functools import cache

import pytest

from conformance.binlog.header import MAGIC
from conformance.implementations.library import libraries
from conformance.reports.kept_runs import kept_runs
from conformance.reports.site.links import finding_address
from conformance.reports.site.site import pages
from conformance.reports.site.written_up import WrittenUp, read_written_up
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.generated import ROOT
from tests.running import forked

FINDINGS = ROOT / "reports" / "findings"
FILES = sorted(each for each in FINDINGS.glob("*.md") if each.name != "README.md")


@cache
def runs():
    return kept_runs(ROOT / "reports" / "results")


@pytest.fixture(params=FILES, ids=lambda each: each.name)
def written(request) -> WrittenUp:
    return read_written_up(request.param)


def test_there_are_findings_of_several_implementations():
    assert len(FILES) >= 10
    assert len({read_written_up(each).implementation for each in FILES}) >= 4


def test_a_result_has_the_finding(written):
    (run,) = [run for run in runs() if run.title == written.implementation]
    assert written.signature in {each.signature for each in run.record.failures}


def test_the_requirement_is_one_of_the_catalogue_and_quoted(written):
    assert catalogue()[written.requirement].text in written.text


def test_the_log_is_framed_whole(written):
    stream = written.stream
    assert stream.startswith(MAGIC)
    at = len(MAGIC)
    while at < len(stream):
        length = int.from_bytes(stream[at + 9 : at + 13], "little")
        assert length >= 19
        at += length
    assert at == len(stream)


def test_the_command_names_a_case_and_a_version(written):
    (case, spec) = re.findall(r"^    binlog-conformance replay (\S+) (\S+)", written.text, re.MULTILINE)[0]
    assert str(CaseId.parse(case)) == case
    name, _, version = written.implementation.rpartition(" ")
    # A program of the machine is named without a version.
    assert spec in (f"{name}@{version}", name)
    assert spec != name or name not in libraries()


def test_the_command_asks_about_the_bytes_of_the_finding(written):
    """Ids of an older grammar are of no case, or of another one."""
    (case,) = re.findall(r"^    binlog-conformance replay (\S+) ", written.text, re.MULTILINE)
    assert case_of(CaseId.parse(case)).stream == written.stream


def test_the_page_of_a_finding_has_what_was_written():
    report = read_written_up(FILES[0])
    name = report.implementation.rpartition(" ")[0]
    own = [run for run in runs() if run.name == name]
    site = dict(pages(own, reports={(name, report.signature): report}))
    assert "As one would send it" in site[finding_address(name, report.signature)]


def test_the_page_of_a_finding_has_the_public_thread_about_it():
    report = next(each for each in map(read_written_up, FILES) if each.thread)
    assert report.thread.startswith("https://")
    name = report.implementation.rpartition(" ")[0]
    site = dict(pages([run for run in runs() if run.name == name], reports={(name, report.signature): report}))
    assert f'href="{report.thread}"' in site[finding_address(name, report.signature)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# Nothing", "has no Implementation, Finding, Requirement, a block of hex"),
        ("| Implementation | a 1 |\n| Finding | b |\n| Requirement | C |\n", "has no a block of hex"),
    ],
)
def test_a_file_without_the_facts_is_one_line_and_2(tmp_path, text, message):
    (tmp_path / "a.md").write_text(text)
    (tmp_path / "results").mkdir()
    record = min((ROOT / "reports" / "results").glob("*.jsonl.zst"))
    (tmp_path / "results" / record.name).symlink_to(record)
    done = forked("results", "site", tmp_path / "results", tmp_path / "o", "--findings", tmp_path)
    assert (done.status, done.output) == (2, "")
    assert f"a.md: {message}" in done.errors
    assert len(done.errors.splitlines()) == 1


def test_the_list_has_each_file():
    listed = re.findall(r"\]\(([\w.-]+)\)", (FINDINGS / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [each.name for each in FILES]
