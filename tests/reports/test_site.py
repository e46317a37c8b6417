"""The site of kept runs: a page for each implementation, requirement and finding, links that lead somewhere."""

import re
import xml.etree.ElementTree as Xml
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from example_record import failure, finished, header, requirement, write_lines
from hostile import hostile_lines
from msgspec import structs

from conformance.reports.kept_runs import keep_run, kept_runs
from conformance.reports.site.site import pages, write_site
from tests.browser import NAVIGATION, OFF_SCREEN, ask, require_browser
from tests.running import forked

TEXT = "WL4033-READ-ROWS-QUERY-TEXT"
SKIPPED = "WL4033-READ-UNKNOWN-SKIPPED"
ATOM = {"a": "http://www.w3.org/2005/Atom"}
#: Version -> its lines: one finding is fixed, another one is new.
VERSIONS = {
    "1.9": [failure(requirement=TEXT), requirement(TEXT), requirement(SKIPPED, "pass")],
    "1.10": [
        failure(requirement=SKIPPED, signature="event refused <b>"),
        failure(requirement="TROUBLE", signature="crash: it's gone", status="crash"),
        requirement(TEXT, "pass"),
        requirement(SKIPPED),
    ],
}


def keep(folder: Path, name: str, version: str, lines, *, role: str = "decode", started: str | None = None) -> None:
    line = header()
    line["started"] = started or line["started"]
    (declared,) = line["implementation"]["roles"].values()
    about = {"spec": f"{name}@{version}", "name": name, "version": version, "roles": {role: declared}}
    line["implementation"] |= about
    path = write_lines(folder / "run.jsonl", [line, *finished(*lines)[1:]])
    keep_run(path, folder / "kept")


@pytest.fixture
def runs(tmp_path):
    """Two versions of one implementation, and another one."""
    for version, lines in VERSIONS.items():
        keep(tmp_path, "@acme/reader", version, lines)
    keep(tmp_path, "other", "3", [requirement(TEXT, "pass"), requirement(SKIPPED, "blocked")])
    return kept_runs(tmp_path / "kept")


@pytest.fixture
def site(runs):
    """Address -> page."""
    return dict(pages(runs))


def words_of(page: str) -> str:
    """Return the text of a page without its script and style."""
    page = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def broken_links(site) -> set[tuple[str, str]]:
    broken = set()
    for address, page in site.items():
        ids = set(re.findall(r'\bid="([^"]*)"', page))
        for target in re.findall(r'href="([^"]*)"', page):
            path, _, anchor = target.partition("#")
            place = PurePosixPath(address).parent / path
            parts: list[str] = []
            for part in place.parts:
                parts = parts[:-1] if part == ".." else [*parts, part]
            if path.startswith("https://"):
                continue
            if (path and "/".join(parts) not in site) or (not path and anchor not in ids):
                broken.add((address, target))
    return broken


def test_each_implementation_requirement_and_finding_has_a_page(site):
    kinds = [address.split("/")[0] for address in site]
    assert {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)} == {
        "index.html": 1, "reads.html": 1, "requirements.html": 1, "findings.html": 1,
        "feed.xml": 1, "implementations": 2 + 2 + 3,  # With a feed of each, and a badge of each version.
        "findings": 3, "requirements": 2,
    }  # fmt: skip


def test_every_link_leads_somewhere(site):
    assert broken_links(site) == set()


def test_nothing_is_fetched(site):
    for address, page in site.items():
        if address.endswith(".html"):
            assert "default-src &#x27;none&#x27;" in page
            assert re.findall(r'(?:src|action)="[^"]*"', page) == []
            assert "<link" not in page


def test_the_page_of_an_implementation_has_what_changed(site):
    words = words_of(site["implementations/acme-reader.html"])
    assert "certified: 1.9, 1.10" in words
    assert "From 1.9 to 1.10: 1 no longer found, 2 new" in words
    for version in ("1.9", "1.10"):
        assert f"binlog-conformance certify @acme/reader@{version} --report report" in words


def test_the_page_of_a_requirement_has_each_verdict_and_the_findings_that_break_it(site):
    words = words_of(site[f"requirements/{TEXT}.html"])
    assert re.search(r"@acme/reader 1\.9 ✗ fail .* @acme/reader 1\.10 ✓ pass .* other 3 ✓ pass", words)
    assert "rows_query of ROWS_QUERY cut short" in words
    assert "event refused" not in words


def test_the_page_of_a_finding_has_the_dump_the_command_and_the_versions(site):
    (page,) = [page for address, page in site.items() if address.startswith("findings/") and "cut short" in page]
    words = words_of(page)
    assert "in 1.9; not in 1.10" in words
    assert "binlog-conformance replay rows_query/mysql-8.0/choices-AgQGCA" in words
    assert "The smallest stream that shows it" in words


def test_who_reads_what_since_which_version(site):
    (row,) = re.findall(r"<tr[^>]*><th[^>]*>Statements of row events.*?</tr>", site["reads.html"])
    words = words_of(row)
    assert "✓ yes since 1.10, not in 1.9" in words
    assert "✓ yes in 3" in words
    (row,) = re.findall(r"<tr[^>]*><th[^>]*>Unknown ignorable events are passed over.*?</tr>", site["reads.html"])
    assert "with faults in all, from 1.9" in words_of(row)


def test_a_feed_has_each_run_and_what_changed(site):
    entries = Xml.fromstring(site["feed.xml"]).findall("a:entry", ATOM)
    texts = {entry.findtext("a:title", None, ATOM): entry.findtext("a:content", None, ATOM) for entry in entries}
    assert texts.keys() == {
        "@acme/reader 1.9: not conforming", "@acme/reader 1.10: not conforming", "other 3: conforming"
    }  # fmt: skip
    newer = texts["@acme/reader 1.10: not conforming"]
    assert newer.splitlines()[:2] == ["2 findings in 1.10.", "Since 1.9: 1 no longer found, 2 new."]
    assert "no longer found: rows_query of ROWS_QUERY cut short" in newer
    own = Xml.fromstring(site["implementations/acme-reader.xml"])
    assert len(own.findall("a:entry", ATOM)) == 2
    ids = [each.findtext("a:id", None, ATOM) for each in (own, *entries)]
    assert len(set(ids)) == 4
    assert all(each.startswith("urn:uuid:") for each in ids)


def test_the_entries_of_a_feed_are_the_same_each_time_and_the_latest_is_first(tmp_path, runs, site):
    assert dict(pages(runs))["feed.xml"] == site["feed.xml"]
    for started, version in (("2031-01-01T00:00:00Z", "2"), ("2030-01-01T00:00:00Z", "3")):
        keep(tmp_path, "late", version, [requirement(TEXT, "pass")], started=started)
    feed = Xml.fromstring(dict(pages(kept_runs(tmp_path / "kept")))["feed.xml"])
    titles = [each.text for each in feed.findall("a:entry/a:title", ATOM)]
    assert [title.split(":")[0] for title in titles[:2]] == ["late 2", "late 3"]
    assert feed.findtext("a:updated", None, ATOM) == "2031-01-01T00:00:00Z"


def test_a_text_that_xml_cannot_hold_is_written_visibly_into_a_feed(tmp_path):
    lines = [failure(requirement=TEXT, signature="a\x00b\x1b]0;<x>&\u202e\ud800"), requirement(TEXT)]
    keep(tmp_path, "evil", "1", [requirement(TEXT, "pass")])
    keep(tmp_path, "evil", "2", lines)
    feed = Xml.fromstring(dict(pages(kept_runs(tmp_path / "kept")))["feed.xml"].encode("utf-8"))
    assert "<x>&" in feed.findtext("a:entry/a:content", None, ATOM)


def test_servers_are_beside_the_readers_and_read_nothing(tmp_path, runs):
    for version in ("5.7.22", "8.0.15"):
        keep(tmp_path, "MySQL server", version, [requirement(TEXT, "pass")], role="log")
    site = dict(pages(kept_runs(tmp_path / "kept")))
    readers, servers = site["index.html"].split("Real servers", 1)
    assert "MySQL server" not in readers
    assert [f"MySQL server {version}" in servers for version in ("5.7.22", "8.0.15")] == [True, True]
    assert "MySQL server" not in site["reads.html"]
    assert "MySQL server 8.0.15" in site["requirements.html"]
    assert broken_links(site) == set()


def test_text_of_implementations_is_escaped(tmp_path):
    keep(tmp_path, "evil", "1", hostile_lines()[1:-2])
    for page in dict(pages(kept_runs(tmp_path / "kept"))).values():
        assert page.count("<script") <= 1
        assert "<img" not in page
        assert "\u202e" not in page


def without_replays(run):
    """Return a run as a version of the kit shows it that does not make its cases, such as those of the examples."""
    failures = tuple(structs.replace(each, replay="") for each in run.record.failures)
    return replace(run, record=replace(run.record, failures=failures))


def test_the_command_writes_the_same_pages(runs, tmp_path):
    runs = [without_replays(each) for each in runs]
    done = forked("results", "site", str(tmp_path / "kept"), str(tmp_path / "out"))
    assert (done.status, done.errors) == (0, "")
    assert done.output == f"{tmp_path}/out/index.html: {write_site(runs, tmp_path / 'again')} files on 3 runs\n"
    for path in (tmp_path / "again").rglob("*.html"):
        assert path.read_bytes() == (tmp_path / "out" / path.relative_to(tmp_path / "again")).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "address",
    [
        "index.html",
        "reads.html",
        "requirements.html",
        "findings.html",
        "implementations/acme-reader.html",
        "requirements/WL4033-READ-ROWS-QUERY-TEXT.html",
    ],
)
def test_pages_fit_a_telephone(site, address, tmp_path):
    require_browser()
    assert ask(site[address], tmp_path, width=390, question=OFF_SCREEN) == [0, []]
    assert ask(site[address], tmp_path, width=390, question=NAVIGATION) == [4, 1, []]


@pytest.mark.slow
def test_a_dozen_columns_of_what_is_read_fit_a_window(tmp_path):
    require_browser()
    for name in ("@acme/reader", *"abcdefghi"):
        keep(tmp_path, name if len(name) > 1 else f"{name}-reader-with-long-name", "3.10.1", VERSIONS["1.10"])
    page = dict(pages(kept_runs(tmp_path / "kept")))["reads.html"]
    question = """const table = document.querySelector(".scroll"); return [table.querySelectorAll("thead th").length,
      table.scrollWidth <= table.clientWidth];"""
    assert ask(page, tmp_path, width=1280, question=question) == [11, True]


@pytest.mark.slow
def test_a_cell_without_words_has_no_label_on_a_telephone(site, tmp_path):
    require_browser()
    question = """return [...document.querySelectorAll("td[data-label]")].filter(each => !each.textContent)
      .map(each => each.getBoundingClientRect().width);"""
    widths = ask(site[f"requirements/{TEXT}.html"], tmp_path, width=390, question=question)
    assert len(widths) == 2
    assert set(widths) == {0}


@pytest.mark.slow
def test_the_search_leaves_what_has_the_words(site, tmp_path):
    require_browser()
    question = """
      const box = document.querySelector("[type=search]");
      box.value = "unknown ignorable"; box.dispatchEvent(new Event("input", {bubbles: true}));
      return [...document.querySelectorAll("tbody tr")].filter(row => !row.hidden).map(row => row.cells[0].textContent);
    """
    (row,) = ask(site["reads.html"], tmp_path, width=1280, question=question)
    assert row.startswith("Unknown ignorable events are passed over")
