"""The trend shows what started failing when; the output of implementations is treated as hostile."""

import re
from dataclasses import replace

import pytest

from conformance.corpus.coverage_page import coverage_page
from conformance.corpus.history import RunEntry, shrunk_before
from conformance.corpus.run_page import Link
from conformance.corpus.trend_page import trend_page
from conformance.engine.coverage import EVENT_TYPES, FAMILIES
from conformance.oracles.coverage.shipped_boundary_coverage import SHIPPED_BOUNDARY_TABLES
from conformance.reports.case_alias import case_alias
from conformance.reports.record import read_record
from tests.browser import NAVIGATION, OFF_SCREEN, ask, require_browser
from tests.reports.example_record import example_lines, write_lines


def night(day, *failing, version="1"):
    run = RunEntry(
        run=f"2026-11-{day:02}", started=f"2026-11-{day:02}T00:00:00Z", kit="0", spec="reader", implementation="reader",
        version=version, cases=10, events=70, conforming=not failing,
    )  # fmt: skip
    return [run] + [
        replace(
            run,
            requirement=each,
            signature=f"{each} differs",
            status="fail",
            count=day,
            first_case="f",
            case=f"case-{each}",
            group="mariadb",
            requirements=1,
        )
        for each in failing
    ]


def test_a_trend_shows_since_when_a_requirement_fails():
    page = trend_page([*night(1, "R-OLD"), *night(2, "R-OLD", "R-GONE"), *night(3, "R-OLD", "R-NEW")])
    assert page.index("R-NEW") < page.index("R-OLD") < page.index("R-GONE")
    row = page[page.index("R-NEW") : page.index("R-OLD")]
    assert "2026-11-03" in row
    assert "case-R-NEW" in row
    assert case_alias("case-R-NEW") in row
    # It may have failed before the first run of the history.
    assert "2026-11-01 or earlier" in page[page.index("R-OLD") : page.index("R-GONE")]
    assert "or earlier" not in row


def test_a_finding_in_several_groups_of_profiles_is_one_row():
    run, finding = night(3, "R")
    entries = [run, finding, replace(finding, group="mysql 9", requirement="S", count=4)]
    page = trend_page(entries)
    assert "1 run. The last run has 1 finding." in page
    assert page.count("<b>R differs</b>") == 1
    assert "R, S in mariadb, mysql 9" in page
    assert ">7<" in page


def test_a_failure_that_was_fixed_in_between_started_again():
    page = trend_page([*night(1, "R"), *night(2), *night(3, "R")])
    assert '<td data-label="started">2026-11-03</td>' in page


def test_a_run_whose_own_entry_is_lost_is_shown_with_its_findings():
    assert "2 runs. The last run has 1 finding." in trend_page([*night(1, "R"), *night(2, "R")[1:]])


def test_a_history_without_failures_has_a_page():
    assert "No failure in 2 runs." in trend_page([*night(1), *night(2)])
    assert "no run yet" in trend_page([])


def test_an_implementation_cannot_write_html():
    attack = "<script>alert(1)</script>"
    entries = [replace(each, implementation=attack, message=attack) for each in night(1, "R", version=attack)]
    coverage = {EVENT_TYPES.name: {(attack, attack, "mysql-8.0"): 1}}
    for page in (trend_page(entries), coverage_page(coverage, ["mysql-8.0"], about=attack)):
        assert attack not in page
        assert page.count("<script") == 1


def test_a_cell_that_was_never_exercised_has_a_row_on_the_coverage_page():
    (table,) = SHIPPED_BOUNDARY_TABLES
    page = coverage_page({table.name: {(*table.every[0], "mysql-8.0"): 7}}, ["mysql-8.0"])
    assert page.count("<tr data-item") == len(table.every) == 50
    assert page.count('<td class="number" data-label="mysql-8.0">7</td>') == 1
    assert page.count('<td class="number none" data-label="mysql-8.0">0</td>') == 49
    assert "1 of 50 cells" in page


def test_the_coverage_page_distinguishes_what_cannot_occur_from_what_was_not_met():
    coverage = {
        EVENT_TYPES.name: {("ANONYMOUS_GTID", "0", "mysql-8.0"): 7, ("TYPE_200", "IGNORABLE", "mysql-8.0"): 1},
        FAMILIES.name: {("ignorable_codes", "mysql-8.0"): 2},
    }
    page = coverage_page(coverage, ["mysql-5.1", "mysql-8.0", "mysql-8.4"])
    rows = re.findall(r'<tr data-item data-exercised="([^"]*)">(.*?)</tr>', page)
    assert [(exercised, re.findall("<td[^>]*>([^<]*)", row)) for exercised, row in rows] == [
        ("in some profiles", ["\u2013", "7", "0"]),
        ("in some profiles", ["0", "1", "0"]),
        ("in some profiles", ["\u2013", "2", "0"]),
    ]
    assert " 1 cell<" in page
    assert " 2 cells<" in page


def test_the_coverage_page_has_the_run_and_leads_to_its_tables_and_back():
    coverage = {EVENT_TYPES.name: {("GTID", "IGNORABLE|0x1000", "mysql-8.0"): 1}}
    page = coverage_page(
        coverage, ["mysql-8.0", "mysql-9.x"], about="reader 1, started then", links=[Link("Report", "report.html")]
    )
    assert "reader 1, started then" in page
    assert 'href="report.html"' in page
    [anchor] = re.findall(r'<a href="#([^"]*)">', page)
    assert f'id="{anchor}"' in page
    # Flags may be on two lines, a flag may not.
    assert "IGNORABLE|<wbr>0x1000" in page
    assert 'data-exercised="in some profiles"' in page


def test_the_chart_has_the_findings_of_each_night():
    page = trend_page([*night(1, "R-OLD"), *night(2, "R-OLD", "R-GONE"), *night(3)])
    [chart] = re.findall(r'<svg[^>]*class="nights"[^>]*aria-label="([^"]*)"', page)
    assert chart == "findings: 1, 2, 0; new: 1, 2, 0; troubles: 0, 0, 0"
    # A line for all findings together, and one for each of them.
    lines = re.findall(r'<svg[^>]*class="spark"[^>]*aria-label="([^"]*)"', page)
    assert sorted(lines) == ["0, 2, 0", "1, 2, 0", "1, 2, 0"]


def test_a_finding_leads_to_its_card_in_the_report_of_the_same_run(tmp_path):
    record = read_record(write_lines(tmp_path / "run.jsonl", example_lines()))
    signature = record.failures[0].signature
    entries = [replace(each, implementation="mysql-replication") for each in night(3, "R", "S")]
    entries[1] = replace(entries[1], signature=signature)
    page = trend_page(entries, record)
    assert re.findall(r'href="(report[^"]*)"', page) == ["report.html#finding-2"]
    other = [replace(each, implementation="another") for each in entries]
    assert "report.html#" not in trend_page(other, record)


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_of_a_page_is_off_screen(tmp_path, width):
    require_browser()
    profiles = [f"mysql-{number}.0" for number in range(12)]
    coverage = {EVENT_TYPES.name: {("TRANSACTION_PAYLOAD", "IGNORABLE|" * 9, profile): 10**9 for profile in profiles}}
    nights = [entry for day in range(1, 29) for entry in night(day, "R-" + "LONG" * 30)]
    links = [Link("A page with a long name", "#"), Link("Another page with a long name", "#")]
    for page in (trend_page(nights, links=links), coverage_page(coverage, profiles, about="long " * 90, links=links)):
        assert ask(page, tmp_path, width=width, question=OFF_SCREEN) == [0, []]


def test_the_navigation_and_the_chart_are_legible_on_a_telephone(tmp_path):
    require_browser()
    coverage = {
        name: {("QUERY", "0", "mysql-8.0"): 1} for name in ("event types and flags", "families", "faults and positions")
    }
    links = [Link("Report", "report.html"), Link("Trend", "trend.html")]
    page = coverage_page(coverage, ["mysql-8.0"], links=links)
    assert ask(page, tmp_path, width=390, question=NAVIGATION) == [5, 1, []]
    question = "return document.querySelector('.nights text').getBoundingClientRect().height;"
    assert ask(trend_page(night(1, "R")), tmp_path, width=390, question=question) > 9


def test_sorting_the_trend_leaves_the_totals_on_top(tmp_path):
    require_browser()
    page = trend_page([*night(1, "R-B"), *night(2, "R-A", "R-B")])
    question = """
      const table = document.querySelector(".trend"), button = table.tHead.rows[0].cells[0].querySelector("button");
      const names = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent.slice(0, 8));
      button.click(); const up = names(); button.click(); return [up, names()];
    """
    up, down = ask(page, tmp_path, width=1280, question=question)
    assert up == ["findings", "R-A diff", "R-B diff"]
    assert down == ["findings", "R-B diff", "R-A diff"]


def test_the_latest_shrunk_case_is_used():
    entries = [*night(1, "R"), *[replace(each, case="smaller") for each in night(2, "R")]]
    assert shrunk_before(entries, "reader") == {("R differs", "mariadb"): "smaller"}
    assert shrunk_before(entries, "another") == {}
