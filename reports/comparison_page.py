"""The comparison of two runs as a page."""

from collections.abc import Iterable
from typing import Final

from conformance.reports.comparison import run_name, run_of
from conformance.reports.comparison_text import count_of, findings_in, requirements_of, verdict_sentence
from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.filter_bar import facet, filter_bar
from conformance.reports.finding_card import badge, copied
from conformance.reports.foreign_text import elided, one_line, visible_line
from conformance.reports.page import page
from conformance.reports.replay_line import readable_replay
from conformance.reports.status import BROKEN, STATUSES
from conformance.specs.run_comparison import ComparedFinding, ComparedRequirement, ComparedRun, RunComparison

_CHARACTERS: Final = 300
_NAME_CHARACTERS: Final = 120
#: List of a comparison -> the words of the link to it, so short that those of all lists fit a telephone.
_LINKS: Final = {
    "broke": "Broke",
    "only_first": "A only",
    "fixed": "Fixed",
    "only_second": "B only",
    "new": "New",
    "gone": "Gone",
    "same": "Both",
}


def comparison_page(comparison: RunComparison) -> str:
    """Return a comparison as one self-contained HTML page."""
    first, second = (elided(run_name(run), _NAME_CHARACTERS) for run in (comparison.first, comparison.second))
    lists = [
        *((key, len(entries)) for key, _, entries in requirements_of(comparison)),
        *((key, count_of(entries)) for key, _, entries in findings_in(comparison)),
    ]
    return page(
        f"{second} compared with {first}",
        element(
            "header",
            element("p", "Binary log conformance", class_="eyebrow"),
            element("h1", second, element("span", f" compared with {first}", class_="version")),
            _verdict(comparison),
            _runs(comparison),
            class_="top",
        ),
        element(
            "nav",
            (
                element("a", _LINKS[key], element("span", f" {number}", class_="quiet"), href=f"#{key}")
                for key, number in lists
            ),
            aria_label="Parts of this comparison",
        )
        if lists
        else None,
        filter_bar({"verdict": [status for status in STATUSES if status in _statuses(comparison)]}),
        element(
            "main",
            (_section(key, title, _requirements(entries)) for key, title, entries in requirements_of(comparison)),
            (_section(key, title, _findings(comparison, entries)) for key, title, entries in findings_in(comparison)),
        ),
    )


def _statuses(comparison: RunComparison) -> set[str]:
    """Return every verdict that the page shows."""
    requirements = [each for _, _, entries in requirements_of(comparison) for each in entries]
    findings = [each for _, _, entries in findings_in(comparison) for each in entries]
    verdicts = {verdict for each in requirements for verdict in (each.before, each.after) if verdict}
    return verdicts | {each.status for each in findings}


def _verdict(comparison: RunComparison) -> Html:
    word = "B is worse" if comparison.worse else "B is not worse"
    return element(
        "div",
        element(
            "p",
            element("span", "\u2717" if comparison.worse else "\u2713", aria_hidden="true"),
            f" {word}",
            class_="word",
        ),
        element("p", verdict_sentence(comparison)),
        (
            element("p", f"Differs: {one_line(elided(each, _CHARACTERS))}", class_="note")
            for each in comparison.differences
        ),
        class_=f"verdict {'not-conforming' if comparison.worse else 'conforming'}",
        role="status",
    )


def _runs(comparison: RunComparison) -> Html:
    heads = ("", "Implementation", "Started", "Cases", "Hold", "Broken", "Kit", "Record")
    return scrolling_table(heads, (_run("A", comparison.first), _run("B", comparison.second)), class_="runs")


def _run(letter: str, run: ComparedRun) -> Html:
    return element(
        "tr",
        element("th", letter, scope="row"),
        element("td", elided(run_name(run), _NAME_CHARACTERS)),
        element("td", run.started),
        element("td", f"{run.cases:,}", class_="number", data_label="cases"),
        element("td", run.passed, class_="number", data_label="hold"),
        element("td", run.broken, class_="number", data_label="broken"),
        element("td", run.kit, data_label="kit"),
        element("td", element("code", elided(run.path, _NAME_CHARACTERS))),
    )


def _section(key: str, title: str, content: Html) -> Html:
    return element(
        "section", element("h2", title), content, id=key, aria_label=title, data_part=True, data_counted=title.lower()
    )


def _requirements(requirements: Iterable[ComparedRequirement]) -> Html:
    rows = (
        element(
            "tr",
            element("th", element("code", each.id, class_="id"), scope="row"),
            (
                element("td", badge(verdict) if verdict else element("i", "not selected"), data_label=letter)
                for letter, verdict in (("A", each.before), ("B", each.after))
            ),
            data_item=True,
            data_failing=each.after in BROKEN,
            data_verdict=facet(verdict for verdict in (each.before, each.after) if verdict),
        )
        for each in requirements
    )
    return scrolling_table(("Requirement", "A", "B"), rows, class_="compared")


def _findings(comparison: RunComparison, findings: Iterable[ComparedFinding]) -> Html:
    rows = (_finding(each, run_of(comparison, each).path) for each in findings)
    return fragment(scrolling_table(("Verdict", "Finding", "In", "A", "B"), rows, class_="compared"))


def _finding(finding: ComparedFinding, record: str) -> Html:
    return element(
        "tr",
        element("td", badge(finding.status)),
        element(
            "td",
            element("b", one_line(elided(finding.signature, _CHARACTERS))),
            element("div", element("code", ", ".join(finding.requirements), class_="id")),
            element(
                "details",
                element("summary", "case ", element("code", finding.short_case)),
                element("p", one_line(elided(finding.message, _CHARACTERS))),
                copied(visible_line(readable_replay(finding, record))),
            ),
        ),
        element("td", finding.group),
        element("td", f"{finding.before:,}", class_="number", data_label="A"),
        element("td", f"{finding.after:,}", class_="number", data_label="B"),
        data_item=True,
        data_failing=finding.after > 0,
        data_verdict=finding.status,
    )
