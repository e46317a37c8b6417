"""The HTML report: it shows the failures, and no text of an implementation becomes markup."""

import base64
import hashlib
import html
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from example_record import coverage, crash, example_lines, failure, finished, footer, header, requirement, write_lines
from hostile import EVIL, LONG, hostile_and_long, hostile_lines

from conformance.reports.case_alias import case_alias
from conformance.reports.html import html_report
from conformance.reports.record import RunRecord, read_record

#: Elements without an end tag.
VOID = {"meta", "br", "col", "input"}
#: Where a worklog is.
WORKLOGS = "https://dev.mysql.com/worklog/task/?id="


class Page(HTMLParser):
    """Reads a page, and checks that its elements are nested and hold no comments or declarations."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += ((tag, name, value) for name, value in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))

    def values(self, name: str) -> list[str]:
        return [value or "" for _, attribute, value in self.attributes if attribute == name]


def page_of(tmp_path: Path, lines: list, *, unfinished: bool = False) -> Page:
    record = read_record(write_lines(tmp_path / "other.jsonl", lines), unfinished=unfinished)
    return Page(html_report(record))


def test_the_verdict_and_its_numbers_are_at_the_top(example: RunRecord):
    text = Page(html_report(example)).text
    top = text[: text.index("# Verdict Finding")]
    assert "mysql-replication 1.0.17" in top
    assert "Not conforming" in top
    assert "It crashed in 2 of 600 cases. It breaks 3 of the 4 requirements that this run judged" in top
    assert "all of them musts. That is 3 findings, one for each cause." in top
    assert "1 of 6 requirements that the kit can judge hold" in top
    assert re.search(
        r"✗ 3 findings ‼ 2 cases crashed .*✗ 2 fail .*‼ 1 crash .*○ 1 not reached · 1 no oracle yet ⊘ 1 untestable", top
    )


def test_what_to_fix_first_names_the_events_of_its_smallest_stream(example: RunRecord):
    text = Page(html_report(example)).text
    first = text[text.index("Fix first") : text.index("# Verdict Finding")]
    names = dict.fromkeys(event.name for event in example.failures[0].events if event.type)
    assert names
    assert f"Smallest stream, of mysql-8.0 in the role decode: {', '.join(names)}." in first
    assert "A Rows_query event gives back the text of the statement byte by byte" in first


def test_an_event_of_type_0_is_named_in_what_to_fix_first(tmp_path: Path):
    shown = failure()
    *others, last = shown["events"]
    unknown = {**last, "type": 0, "name": "UNKNOWN"}
    page = page_of(tmp_path, finished({**shown, "events": [*others, unknown]}, requirement()))
    names = dict.fromkeys(each["name"] for each in others if each["type"])
    assert f"{', '.join([*names, 'UNKNOWN'])}." in page.text


def test_a_failure_shows_requirement_difference_bytes_and_the_command_that_reproduces_it(example: RunRecord):
    text = Page(html_report(example)).text
    card = text[text.index("2. rows_query of ROWS_QUERY cut short") :]
    assert "A Rows_query event gives back the text" in card
    assert "WL#4033, section DESIGN 2" in card
    assert 'rows_query "insert into t1(a,b) values( 1,2) " "insert into t1(a,b) values( 4 characters missing "' in card
    assert "69 6e 73 65 72 74 20 69 6e 74 6f" in card
    assert "binlog-conformance replay rows_query/mysql-8.0/choices-AgQGCA mysql-replication==1.0.17" in card


def test_a_printed_text_is_shown_if_no_fields_are_compared(tmp_path: Path):
    printed = {"events": [{"text": "# at 4\nthe whole\ttext", "warnings": ""}], "error": None}
    facts = {"events": [{"events": [{"offset": 4}], "warnings": ""}], "error": None}
    lines = finished(failure(role="render", expected=facts, observed=printed), requirement())
    text = page_of(tmp_path, lines).text
    assert "The answer" in text
    assert "the whole" in text
    assert "Expected and observed" not in text


def test_a_case_without_a_stream_shows_its_complete_question(tmp_path: Path):
    statements = [{"kind": "insert", "table": f"d1.t{number}"} for number in range(40)]
    lines = finished(failure(role="log", stream="", settings={"scenario": {"statements": statements}}), requirement())
    text = page_of(tmp_path, lines).text
    assert all(f"d1.t{number}" in text for number in range(40))
    assert " 0 bytes" not in text


def test_an_event_without_an_offset_has_the_name_of_its_type(tmp_path: Path):
    answers = [{"events": [{"type": 33, "gtid": gtid}], "error": None} for gtid in ("automatic", "none")]
    named = failure(
        role="log", stream="", events=[], expected=answers[0], observed=answers[1], type_names={"33": "GTID"}, at=None
    )
    text = page_of(tmp_path, finished(named, requirement())).text
    assert "GTID" in text
    assert "type 33" not in text


def test_nothing_placed_absolutely_in_a_scrolling_table_widens_the_page(example: RunRecord):
    page = html_report(example)
    assert re.search(r"\.spoken \{[^}]*position: absolute", page)
    assert re.search(r"\.scroll \{[^}]*position: relative", page)


def test_failures_are_in_the_order_of_their_importance(tmp_path: Path):
    lines = finished(
        failure(signature="a known must", known="why"),
        failure(signature="a should", requirement="S"),
        failure(signature="a rare must", count=1),
        failure(signature="a crash", status="crash", observed=None),
        failure(signature="a frequent must", count=500),
        failure(signature="three musts", count=3, requirements={"A-1": 3, "A-2": 3, "WL4033-ROWS-QUERY-TEXT": 1}),
        requirement(),
        requirement("A-1"),
        requirement("A-2"),
        requirement("S", level="should", worklog="WL#1"),
    )
    page = html_report(read_record(write_lines(tmp_path / "run.jsonl", lines)))
    order = re.findall(r"<h3>\d\. ([^<]*)</h3>", page)
    assert order == ["a crash", "three musts", "a frequent must", "a rare must", "a should", "a known must"]
    first = page[page.index("<h2>Fix first") : page.index("<nav")]
    assert [each in first for each in order] == [True, True, True, False, False, False]


def test_failures_of_one_cause_are_one_finding_with_a_case_for_each_group_of_profiles(tmp_path: Path):
    lines = finished(
        failure(requirements={"WL4033-ROWS-QUERY-TEXT": 41, "A-1": 7}),
        failure(group="mariadb", profile="mariadb-11.x", count=2, replay="replay the other"),
        requirement(),
        requirement("A-1"),
    )
    page = page_of(tmp_path, lines)
    assert len([each for each in page.values("id") if each.startswith("finding-")]) == 1
    assert "Breaks 2 requirements in 43 cases" in page.text
    assert "43 cases in mysql-8.0, mariadb-11.x" in page.text
    assert "In mariadb: 2 cases The same stream shows it." in page.text
    assert "replay the other" in page.text


def test_a_requirement_that_was_refused_before_names_the_finding(tmp_path: Path):
    refused = requirement(
        "A-1", "blocked", obstacles={failure()["signature"]: 15}, results={"mysql-8.0": {"blocked": 15}}
    )
    page = page_of(tmp_path, finished(failure(), requirement(), refused))
    assert "not judged in 15 cases: see finding 1" in page.text
    assert "0 not reached" in page.text
    assert "No case of this run exercised it" not in page.text
    assert "1 other requirement not judged in some cases because of it" in page.text


def test_a_requirement_shows_what_servers_were_seen_to_do(tmp_path: Path):
    sight = "seen on mysql-5.7.22, mysql-9.7.4; mysql-5.6.24 does otherwise"
    page = page_of(tmp_path, finished(failure(), requirement(witnesses=sight), requirement("A-1", "pass")))
    # In the finding, and in the row of the requirement; the other one has no witness.
    assert page.text.count(f"Servers: {sight}") == page.text.count("Servers: ") == 2


def beside_the_catalogue(**changes) -> list:
    """A run with a crash that is charged to no requirement, and a requirement that it leaves unjudged."""
    trouble = crash(requirement="TROUBLE", family="transactions", **changes)
    lines = [header(), trouble, requirement("WL7592-GTID-SIZES", "crash"), requirement("A-1", "pass"), coverage()]
    return [*lines, footer(lines, troubles={"crash": 3, "hang": 1, "protocol-error": 0})]


def test_a_crash_beside_the_catalogue_has_its_text_and_no_dangling_link(tmp_path: Path):
    page = page_of(tmp_path, beside_the_catalogue())
    assert "It crashed in 3 of 600 cases, hung in 1 of 600 cases. " in page.text
    assert "All 1 judged" not in page.text
    assert "The one requirement that this run judged holds. 1 requirement is not shown to hold" in page.text
    assert "What is wrong The implementation crashed, hung or broke the protocol at a stream" in page.text
    assert "82 of 200 crashed" in page.text
    assert "#TROUBLE" not in page.values("href")
    assert {each for each in page.values("href") if each.startswith("#")} <= {f"#{each}" for each in page.values("id")}


def test_known_crashes_conform_with_a_note(tmp_path: Path):
    text = page_of(tmp_path, beside_the_catalogue(known="see issue 12")).text
    assert "Conforming except for 1 known finding" in text
    assert "The baseline lists each crash, hang and broken protocol" in text


def test_an_unexplained_difference_is_reported_as_a_gap_of_the_catalogue(tmp_path: Path):
    lines = [header(), failure(requirement="UNEXPLAINED"), requirement("A-1", "pass"), coverage()]
    text = page_of(tmp_path, [*lines, footer(lines, unexplained=41)]).text
    assert "In 41 cases the answer differs in a way that no requirement accounts for" in text
    assert "no requirement of the catalogue accounts for it" in text


def test_every_gap_is_listed_with_its_reason_and_none_looks_like_a_pass(example: RunRecord):
    text = Page(html_report(example)).text
    assert "4 of the 8 requirements of this run were judged." in text
    assert "1 unsupported, 1 not reached, 1 no oracle yet, 1 untestable." in text
    assert "WL7592-LOCKS A lock is held. WL#7592, section DESIGN 2 no reader sees a lock" in text
    where = "WL#7592, section DESIGN 2"
    assert f"of the format description. {where} No case of this run exercised it; the family rows_query would." in text


def test_a_cell_shows_its_status_without_colour(example: RunRecord):
    page = Page(html_report(example))
    assert "mysql-8.0: fail (59 pass, 41 fail)" in page.values("title")
    assert re.search(r"✗ fail 41/100", page.text)
    assert "118 of 200" in page.text


def test_links_lead_somewhere(example: RunRecord):
    page = Page(html_report(example))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.values("href") if link.startswith("#")} <= set(ids)


def test_a_run_that_was_cut_off_is_reported_without_a_verdict(tmp_path: Path):
    text = page_of(tmp_path, example_lines()[:2], unfinished=True).text
    assert "Cut off" in text
    assert "The run did not finish." in text
    assert "onforming" not in text


def test_a_run_that_judged_nothing_is_not_conforming(tmp_path: Path):
    text = page_of(tmp_path, finished(requirement(verdict="not-reached"))).text
    assert "Nothing judged" in text
    assert "Conforming" not in text


def test_the_report_of_a_conforming_run_counts_what_was_not_judged(tmp_path: Path):
    lines = finished(requirement("A-1", "pass"), requirement("A-2", "pass"), requirement("A-3", "no-oracle"))
    text = page_of(tmp_path, lines).text
    assert "Conforming All 2 judged requirements hold; 1 more was not judged." in text
    assert "No failure was found." in text


def test_known_failures_conform_and_are_counted(tmp_path: Path):
    text = page_of(tmp_path, finished(failure(known="waits"), requirement())).text
    assert "Conforming except for 1 known finding" in text
    assert "Known: waits" in text


def test_the_page_runs_its_own_script_only_and_fetches_nothing(example: RunRecord):
    page = html_report(example)
    read = Page(page)
    assert (read.tags["style"], read.tags["script"]) == (1, 1)
    assert not {"link", "img", "iframe", "object", "form", "svg"} & set(read.tags)
    [script] = re.findall(r"<script>(.*)</script>", page, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
    assert policy in html.unescape(page)
    assert not re.search(r"@import|url\(", page)
    # What a browser would take for the end of the script or for a comment.
    assert not re.search(r"</|<!--", script)


def test_a_card_leads_to_the_worklog_and_to_the_catalogue(tmp_path: Path):
    page = page_of(tmp_path, finished(failure(), requirement(anchor="Record original SQL")))
    assert f"{WORKLOGS}4033#:~:text=Record%20original%20SQL" in page.values("href")
    assert "WL#4033, section DESIGN 2 · catalogue entry" in page.text
    assert "#WL4033-ROWS-QUERY-TEXT" in page.values("href")


def test_only_a_worklog_has_a_link(tmp_path: Path):
    page = page_of(tmp_path, finished(failure(), requirement(worklog="FORMAT")))
    assert not [link for link in page.values("href") if link.startswith(WORKLOGS)]
    assert "FORMAT, section DESIGN 2" in page.text


def test_a_long_id_of_a_case_is_short_where_a_person_reads_it(tmp_path: Path):
    case = "rows_query/mysql-8.0/choices-" + "A" * 400
    replay = f"binlog-conformance replay {case} mysql-replication==1.0.17"
    page = page_of(tmp_path, finished(failure(case=case, replay=replay), requirement()))
    short = case_alias(case)
    assert f"binlog-conformance replay {short} --record run.jsonl mysql-replication==1.0.17" in page.text
    # The whole command once, and the id nowhere else.
    assert page.text.count(case) == 1
    assert replay in page.text


@pytest.mark.parametrize("make", [hostile_lines, hostile_and_long])
def test_no_tag_of_an_implementation_gets_through(tmp_path: Path, example: RunRecord, make):
    friendly, hostile = Page(html_report(example)), page_of(tmp_path, make())
    assert set(hostile.tags) <= set(friendly.tags)
    assert not [name for _, name, _ in hostile.attributes if name.startswith("on")]
    assert not [link for link in hostile.values("href") if not link.startswith(("#", WORKLOGS))]
    # It is all there, as text.
    assert "<script>alert(1)</script>" in hostile.text


def test_no_control_character_gets_through(tmp_path: Path):
    record = read_record(write_lines(tmp_path / "run.jsonl", hostile_lines()))
    page = html_report(record)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff\ufffe\uffff]", page)
    assert "⟨1b⟩[2J" in page
    page.encode("utf-8")


def test_a_megabyte_of_text_does_not_become_a_megabyte_of_report(tmp_path: Path):
    record = read_record(write_lines(tmp_path / "run.jsonl", hostile_and_long()))
    page = html_report(record)
    assert len(page) < LONG / 4
    assert "characters left out" in page


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://x y", EVIL])
def test_only_a_web_address_becomes_a_link(tmp_path: Path, address: str):
    line = header()
    line["implementation"]["homepage"] = address
    page = page_of(tmp_path, [line, *finished(requirement())[1:]])
    assert not [link for link in page.values("href") if not link.startswith(("#", WORKLOGS))]


def test_the_web_address_of_a_project_is_a_link(example: RunRecord):
    links = Page(html_report(example)).values("href")
    assert "https://github.com/julien-duponchelle/python-mysql-replication" in links
