"""Tables that several pages of the site have."""

from collections.abc import Iterable, Sequence

from conformance.reports.element import Html, element, scrolling_table
from conformance.reports.filter_bar import facet
from conformance.reports.finding_card import badge
from conformance.reports.foreign_text import elided, one_line
from conformance.reports.kept_runs import KeptRun
from conformance.reports.outcome import number_of, outcome
from conformance.reports.site.catalogue_of_findings import KeptFinding
from conformance.reports.site.links import implementation_address, requirement_links
from conformance.specs.run_record import Header

_CHARACTERS = 300


def versions_table(runs: Iterable[KeptRun], *, up: str = "", linked: bool = True) -> Html:
    """Return a table of runs: what each came to, and when it was made.

    Args:
        runs: The runs.
        up: The way to the top of the site.
        linked: Whether names are links to the pages of the implementations.
    """
    heads = ("Implementation", "Verdict", "Hold", "Broken", "Findings", "Cases", "Profiles and roles", "Run on")
    return scrolling_table(heads, (_run(run, up, linked=linked) for run in runs), class_="overview runs")


def _run(run: KeptRun, up: str, *, linked: bool) -> Html:
    outcome_of_run = outcome(run.record)
    numbers = {
        "hold": outcome_of_run.passed,
        "broken": outcome_of_run.broken,
        "findings": outcome_of_run.findings,
        "cases": outcome_of_run.cases,
    }
    header = run.record.header
    name = element("a", run.title, href=f"{up}{implementation_address(run.name)}") if linked else run.title
    return element(
        "tr",
        element("th", name, element("div", header.implementation.language, class_="quiet"), scope="row"),
        element("td", outcome_of_run.headline),
        (element("td", f"{number:,}", class_="number", data_label=label) for label, number in numbers.items()),
        element(
            "td",
            ", ".join(header.profiles),
            element("div", f"{', '.join(header.roles)}{_budget(header)}", class_="quiet"),
            data_label="profiles",
        ),
        element(
            "td",
            header.started.partition("T")[0],
            element("div", f"kit {header.kit}, {header.platform}", class_="quiet"),
            data_label="run on",
        ),
        data_item=True,
    )


def _budget(header: Header) -> str:
    """Return how many cases a run was given, nothing for the usual number: every pair of variants."""
    if header.examples is not None:
        return f", {number_of(header.examples, 'case')} of each family only"
    return f", {header.seconds:g} seconds only" if header.seconds is not None else ""


def findings_table(findings: Iterable[KeptFinding], versions: Sequence[str] | None, *, up: str) -> Html:
    """Return a table of findings, each with a link to its page.

    Args:
        findings: The findings.
        versions: The certified versions of their implementation, the oldest first; None for findings of several
            implementations, whose names are then shown.
        up: The way to the top of the site.
    """
    heads = ("Verdict", "Finding", "Breaks", "Versions" if versions is not None else "Implementation", "Cases")
    return scrolling_table(heads, (_finding(each, versions, up) for each in findings), class_="compared")


def _finding(finding: KeptFinding, versions: Sequence[str] | None, up: str) -> Html:
    shown = finding.shown
    having = list(finding.versions)
    where = ", ".join(having) if versions is None or len(versions) > 1 else having[-1]
    return element(
        "tr",
        element("td", badge(shown.status)),
        element(
            "td",
            element("a", one_line(elided(finding.signature, _CHARACTERS)), href=f"{up}{finding.address}"),
            element("div", one_line(elided(shown.first.message, _CHARACTERS)), class_="quiet"),
        ),
        element("td", requirement_links(shown.requirements, up=up)),
        element("td", where if versions is not None else f"{finding.name} {where}", data_label="in"),
        element("td", f"{shown.cases:,}", class_="number", data_label="cases"),
        data_item=True,
        data_failing=True,
        data_verdict=shown.status,
        data_implementation=facet([finding.name]),
    )
