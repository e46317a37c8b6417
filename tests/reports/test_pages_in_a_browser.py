"""The pages in Chromium: nothing is off screen at 390 pixels, the filter filters, only the page's own script runs."""

import re
from pathlib import Path

import pytest
from example_record import example_lines, failure, finished, requirement, write_lines
from hostile import hostile_lines

from conformance.reports.comparison import compare_runs
from conformance.reports.comparison_page import comparison_page
from conformance.reports.html import html_report
from conformance.reports.overview import overview_page
from conformance.reports.record import RunRecord, read_record
from tests.browser import NAVIGATION, OFF_SCREEN, ask, dom, printed, require_browser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def browser():
    require_browser()


@pytest.fixture
def wide(tmp_path: Path) -> RunRecord:
    """A run with hostile text and a long id of a case."""
    lines = hostile_lines()
    long = failure(signature="long", case="post_header_lengths/mysql-8.0/choices-" + "A" * 500)
    return read_record(write_lines(tmp_path / "wide.jsonl", finished(long, *lines[1:-2])))


def pages(record: RunRecord, other: RunRecord) -> dict[str, str]:
    return {
        "report": html_report(record),
        "comparison": comparison_page(compare_runs(other, record)),
        "overview": overview_page([record, other]),
    }


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["report", "comparison", "overview"])
def test_nothing_is_off_screen(wide: RunRecord, example: RunRecord, tmp_path: Path, name: str, width: int):
    page = pages(wide, example)[name]
    assert ask(page, tmp_path, width=width, question=OFF_SCREEN) == [0, []]


def test_on_a_narrow_screen_expected_and_observed_are_one_below_the_other(example: RunRecord, tmp_path: Path):
    question = """
      const row = [...document.querySelectorAll(".beside .different")].find(e => e.querySelectorAll("td").length === 2);
      return [...row.querySelectorAll("td")].map(e => e.getBoundingClientRect()).map(r => [r.left, r.top, r.right]);
    """
    narrow = ask(html_report(example), tmp_path, width=390, question=question)
    (left, top, right), (other_left, other_top, other_right) = narrow
    assert other_top > top
    assert (left, right) == (other_left, other_right)
    (_, top, right), (other_left, other_top, _) = ask(html_report(example), tmp_path, width=1280, question=question)
    assert (top, right <= other_left) == (other_top, True)


def test_the_navigation_of_a_report_is_one_line(example: RunRecord, tmp_path: Path):
    assert ask(html_report(example), tmp_path, width=390, question=NAVIGATION) == [4, 1, []]


def test_the_navigation_of_a_comparison_is_one_line(tmp_path: Path):
    """There is a link for each list of a comparison, and here no list is empty."""
    verdicts = {
        "A": ("pass", "fail"),
        "B": ("fail", "pass"),
        "C": ("pass", None),
        "D": (None, "pass"),
        "E": ("fail",) * 2,
    }
    runs = []
    for number, own in enumerate(("gone", "new")):
        failures = [failure(requirement="E", signature=signature) for signature in (own, "in both")]
        judged = [requirement(name, each[number]) for name, each in verdicts.items() if each[number]]
        runs.append(read_record(write_lines(tmp_path / f"{number}.jsonl", finished(*failures, *judged))))
    page = comparison_page(compare_runs(*runs))
    assert ask(page, tmp_path, width=390, question=NAVIGATION) == [7, 1, []]


def test_the_policy_lets_the_script_of_the_page_run_and_no_other(example: RunRecord, tmp_path: Path):
    page = html_report(example)
    assert 'data-ready=""' in dom(page, tmp_path)
    # One more character, and it is not the script of the hash.
    assert 'data-ready=""' not in dom(page.replace('"use strict";', '"use strict"; '), tmp_path)
    injected = page.replace("<main>", "<main><script>document.documentElement.dataset.evil = 1</script>")
    assert "data-evil" not in dom(injected, tmp_path)


CHOOSE = """
  const choose = (facet, value) => { const select = document.querySelector(`select[data-facet=${facet}]`);
    select.value = value; select.dispatchEvent(new Event("input", {bubbles: true})); };
  const search = text => { const field = document.querySelector("[type=search]");
    field.value = text; field.dispatchEvent(new Event("input", {bubbles: true})); };
  const seen = selector => [...document.querySelectorAll(selector)].filter(e => !e.closest("[hidden]")).map(e => e.id);
"""


@pytest.mark.parametrize(
    ("act", "cards", "requirements"),
    [
        ("", 3, 8),
        ("choose('verdict', 'crash')", 1, 1),
        ("choose('verdict', 'known')", 1, 0),
        ("choose('worklog', 'WL#7592')", 1, 4),
        ("choose('profile', 'mysql-5.7')", 1, 7),
        ("choose('type', 'ROWS_QUERY')", 1, 8),
        ("search('cut SHORT rows_query')", 1, 0),
        ("search('nothing has these words')", 0, 0),
        ("document.querySelector('[data-only-failing]').click()", 3, 3),
        ("choose('verdict', 'crash'); document.querySelector('[data-clear]').click()", 3, 8),
        ("choose('verdict', 'crash'); document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))", 3, 8),
    ],
)
def test_the_filter_leaves_what_was_chosen(example: RunRecord, tmp_path: Path, act: str, cards: int, requirements: int):
    question = f"{CHOOSE} {act}; return [seen('.card').length, seen('#requirements tr[id]').length];"
    assert ask(html_report(example), tmp_path, width=1280, question=question) == [cards, requirements]


def test_a_head_sorts_its_table(example: RunRecord, tmp_path: Path):
    question = """
      const table = document.querySelector(".failures");
      const button = table.tHead.rows[0].cells[5].querySelector("button");
      const cases = () => [...table.tBodies[0].rows].map(row => row.cells[5].textContent);
      const orders = [cases()]; button.click(); orders.push(cases()); button.click(); orders.push(cases());
      return orders;
    """
    assert ask(html_report(example), tmp_path, width=1280, question=question) == [
        ["2", "41", "100"],
        ["2", "41", "100"],
        ["100", "41", "2"],
    ]


def test_keys_go_from_finding_to_finding_and_into_the_search(example: RunRecord, tmp_path: Path):
    question = """
      const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
      press("j"); const first = document.querySelector(".card.current").id;
      press("j"); press("j"); press("j"); const last = document.querySelector(".card.current").id;
      press("k"); const back = document.querySelector(".card.current").id;
      press("/"); return [first, last, back, document.activeElement.type];
    """
    assert ask(html_report(example), tmp_path, width=1280, question=question) == [
        "finding-1",
        "finding-3",
        "finding-2",
        "search",
    ]


def test_each_command_has_a_button_that_copies_it(example: RunRecord, tmp_path: Path):
    question = """
      const copied = [];
      Object.defineProperty(navigator, "clipboard", {value: {writeText: async text => { copied.push(text); }}});
      document.querySelector("#finding-2 .copy").click();
      return copied;
    """
    assert ask(html_report(example), tmp_path, width=1280, question=question) == [failure()["replay"]]


def test_a_link_into_a_closed_part_opens_it(tmp_path: Path):
    many = [failure(signature=f"finding {number:02}", count=99 - number) for number in range(14)]
    record = read_record(write_lines(tmp_path / "run.jsonl", finished(*many, requirement())))
    question = """
      const part = document.querySelector("details.more");
      const before = part.open; location.hash = "#finding-14"; dispatchEvent(new HashChangeEvent("hashchange"));
      return [before, part.open];
    """
    assert ask(html_report(record), tmp_path, width=1280, question=question) == [False, True]


def test_without_the_script_everything_is_there(tmp_path: Path):
    record = read_record(write_lines(tmp_path / "run.jsonl", example_lines()))
    page = re.sub(r"<script>.*</script>", "", html_report(record), flags=re.S)
    question = """return [[...document.querySelectorAll("[hidden]")].map(e => e.className),
      [...document.querySelectorAll(".card")].every(e => e.getBoundingClientRect().height > 0)];"""
    hidden, shown = ask(page, tmp_path, width=1280, question=question)
    assert (hidden, shown) == (["filter", ""], True)


def test_the_report_is_printed_with_every_finding(example: RunRecord, tmp_path: Path):
    assert printed(html_report(example), tmp_path).startswith(b"%PDF-")
