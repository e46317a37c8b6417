"""The trend shows what started failing when; the output of implementations is treated as hostile."""

from dataclasses import replace

from conformance.corpus.history import RunEntry, shrunk_before
from conformance.corpus.pages import coverage_page, trend_page
from conformance.engine.coverage import EVENT_TYPES
from conformance.oracles.coverage.shipped_boundary_coverage import SHIPPED_BOUNDARY_TABLES


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
    assert "2026-11-01" in page[page.index("R-OLD") : page.index("R-GONE")]


def test_a_finding_in_several_groups_of_profiles_is_one_row():
    run, finding = night(3, "R")
    entries = [run, finding, replace(finding, group="mysql 9", requirement="S", count=4)]
    page = trend_page(entries)
    assert "1 run. The last run has 1 findings." in page
    assert page.count("<b>R differs</b>") == 1
    assert "R, S in mariadb, mysql 9" in page
    assert ">7<" in page


def test_a_failure_that_was_fixed_in_between_started_again():
    page = trend_page([*night(1, "R"), *night(2), *night(3, "R")])
    assert "<td>2026-11-03</td>" in page


def test_a_run_whose_own_entry_is_lost_is_shown_with_its_findings():
    assert "2 runs. The last run has 1 findings." in trend_page([*night(1, "R"), *night(2, "R")[1:]])


def test_a_history_without_failures_has_a_page():
    assert "2 runs, and no failure in any of them." in trend_page([*night(1), *night(2)])
    assert "no run yet" in trend_page([])


def test_an_implementation_cannot_write_html():
    attack = "<script>alert(1)</script>"
    entries = [replace(each, implementation=attack, message=attack) for each in night(1, "R", version=attack)]
    assert "<script" not in trend_page(entries)
    assert "<script" not in coverage_page({EVENT_TYPES.name: {(attack, attack, "mysql-8.0"): 1}}, ["mysql-8.0"])


def test_a_cell_that_was_never_exercised_has_a_row_on_the_coverage_page():
    (table,) = SHIPPED_BOUNDARY_TABLES
    page = coverage_page({table.name: {(*table.every[0], "mysql-8.0"): 7}}, ["mysql-8.0"])
    assert page.count("<tr>") == 1 + len(table.every) == 51
    assert page.count('<td class="number">7</td>') == 1
    assert page.count('<td class="number none">-</td>') == 49


def test_the_latest_shrunk_case_is_used():
    entries = [*night(1, "R"), *[replace(each, case="smaller") for each in night(2, "R")]]
    assert shrunk_before(entries, "reader") == {("R differs", "mariadb"): "smaller"}
    assert shrunk_before(entries, "another") == {}
