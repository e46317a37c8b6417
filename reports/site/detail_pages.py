"""The pages of one implementation, one requirement and one finding."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.filter_bar import facet, filter_bar
from conformance.reports.finding_card import badge, copied, finding_card, section_of
from conformance.reports.foreign_text import elided, one_line
from conformance.reports.kept_runs import KeptRun
from conformance.reports.outcome import exercised, number_of
from conformance.reports.site.catalogue_of_findings import KeptFinding, of_requirement
from conformance.reports.site.links import (
    implementation_address,
    requirement_link,
    requirement_links,
    site_page,
    top,
    verdict_cell,
)
from conformance.reports.site.tables import findings_table, versions_table
from conformance.reports.site.written_up import WrittenUp
from conformance.reports.status import BROKEN, JUDGED, STATUSES
from conformance.specs.run_record import RequirementResult

_UP = "../"
_CHARACTERS = 300


def implementation_page(versions: Sequence[KeptRun], findings: Sequence[KeptFinding]) -> str:
    """Return the page of one implementation.

    Args:
        versions: Its kept runs, the oldest version first.
        findings: Its findings.
    """
    latest = versions[-1]
    about = latest.record.header.implementation
    specs = list(dict.fromkeys(one_line(run.record.header.implementation.spec) for run in versions))
    present = [each for each in findings if latest.version in each.versions]
    gone = [each for each in findings if latest.version not in each.versions]
    return site_page(
        latest.name,
        top(
            latest.name,
            element("p", f"{about.language}; certified: {', '.join(run.version for run in versions)}"),
            element("p", element("a", about.homepage, href=about.homepage, rel="noreferrer noopener"))
            if about.homepage and about.homepage.startswith("https://")
            else None,
            element("p", element("a", "Badge", href=f"{latest.slug}.svg"), " (SVG)"),
            element("h4", "The commands that certify it" if len(specs) > 1 else "The command that certifies it"),
            (copied(f"binlog-conformance certify {spec} --report report") for spec in specs),
        ),
        filter_bar({"verdict": [status for status in STATUSES]}),
        element(
            "main",
            element("h2", "Versions"),
            versions_table(versions, up=_UP, linked=False),
            _changes(versions, findings),
            element("h2", f"Findings in {latest.version}"),
            findings_table(present, [run.version for run in versions], up=_UP),
            element("h2", "Findings in older versions only") if gone else None,
            findings_table(gone, [run.version for run in versions], up=_UP) if gone else None,
            element("h2", "Requirements"),
            _requirements(versions),
        ),
        up=_UP,
    )


def _changes(versions: Sequence[KeptRun], findings: Iterable[KeptFinding]) -> Html | None:
    """Return what was fixed and what is new from each version to the next."""
    findings = list(findings)
    parts = []
    for before, after in pairwise(versions):
        groups = {
            "no longer found": [
                each for each in findings if before.version in each.versions and after.version not in each.versions
            ],
            "new": [
                each for each in findings if after.version in each.versions and before.version not in each.versions
            ],
        }
        listed = ", ".join(f"{len(each)} {words}" for words, each in groups.items())
        parts.append(
            element(
                "details",
                element("summary", element("b", f"From {before.version} to {after.version}: "), listed),
                (
                    element(
                        "ul",
                        (
                            element(
                                "li",
                                f"{words}: ",
                                element(
                                    "a", one_line(elided(each.signature, _CHARACTERS)), href=f"{_UP}{each.address}"
                                ),
                            )
                            for each in group
                        ),
                    )
                    for words, group in groups.items()
                    if group
                ),
            )
        )
    return fragment(element("h2", "What changed"), parts) if parts else None


def _requirements(versions: Sequence[KeptRun]) -> Html:
    results = [{each.id: each for each in run.record.requirements} for run in versions]
    every = {name: each for result in results for name, each in result.items()}
    shown = {
        name: each
        for name, each in every.items()
        if any(name in result and result[name].verdict in (*JUDGED, "blocked", "unsupported") for result in results)
    }
    rows = (
        element(
            "tr",
            element("th", requirement_links([name], up=_UP), element("p", each.text, class_="quiet"), scope="row"),
            (
                verdict_cell(result[name].verdict if name in result else None, run.version)
                for result, run in zip(results, versions, strict=True)
            ),
            data_item=True,
            data_failing=results[-1].get(name, each).verdict in BROKEN,
            data_verdict=facet(result[name].verdict for result in results if name in result),
        )
        for name, each in shown.items()
    )
    return scrolling_table(("Requirement", *(run.version for run in versions)), rows, class_="overview")


def requirement_page(requirement: RequirementResult, runs: Sequence[KeptRun], findings: Sequence[KeptFinding]) -> str:
    """Return the page of one requirement: its text, the verdict on each implementation, the findings that break it.

    Args:
        requirement: The requirement, as the newest run has it.
        runs: All kept runs.
        findings: All findings.
    """
    breaking = of_requirement(findings, requirement.id)
    results = [(run, {each.id: each for each in run.record.requirements}.get(requirement.id)) for run in runs]
    return site_page(
        requirement.id,
        top(
            requirement.id,
            element(
                "p",
                element("span", requirement.level, class_=f"badge level {requirement.level}"),
                " ",
                section_of(requirement),
                f", role {requirement.role}",
            ),
            element("p", requirement.text),
            element("p", element("b", "How the kit reads it: "), requirement.interpretation)
            if requirement.interpretation
            else None,
            element("p", element("b", "Real servers: "), requirement.witnesses) if requirement.witnesses else None,
            element("p", f"It holds for the logs of {', '.join(requirement.profiles)}.", class_="quiet"),
        ),
        element(
            "main",
            element("h2", "Implementations"),
            _by_implementation(results),
            element("h2", "Findings"),
            findings_table(breaking, None, up=_UP) if breaking else element("p", "No implementation breaks it."),
        ),
        up=_UP,
    )


def _by_implementation(results: Iterable[tuple[KeptRun, RequirementResult | None]]) -> Html:
    rows = (
        element(
            "tr",
            element("th", element("a", run.title, href=f"{_UP}{implementation_address(run.name)}"), scope="row"),
            element("td", badge(result.verdict)),
            element("td", "{:,} of {:,}".format(*exercised(result)), class_="number", data_label="passed cases"),
            element("td", _profiles(result), data_label="fails in"),
        )
        for run, result in results
        if result is not None and result.verdict not in ("not-reached", "no-oracle")
    )
    return scrolling_table(("Implementation", "Verdict", "Passed cases", "Fails in"), rows, class_="overview")


def _profiles(result: RequirementResult) -> str:
    failing: Mapping[str, int] = {
        profile: sum(counts.get(status, 0) for status in BROKEN) for profile, counts in result.results.items()
    }
    return ", ".join(f"{profile} ({number:,})" for profile, number in failing.items() if number)


def finding_page(finding: KeptFinding, versions: Sequence[KeptRun], report: WrittenUp | None = None) -> str:
    """Return the page of one finding: the card of the newest version that has it, and the versions.

    Args:
        finding: The finding.
        versions: The kept runs of its implementation, the oldest version first.
        report: What was written about it by hand, None where nothing was.
    """
    shown = finding.shown
    run = next(run for run in reversed(versions) if run.version in finding.versions)
    requirements = {each.id: each for each in run.record.requirements}
    role = run.record.header.implementation.roles.get(shown.first.role)
    card = finding_card(
        shown,
        requirement=requirements.get(shown.first.requirement),
        requirements=requirements,
        declared=role.fields if role else None,
    )
    return site_page(
        f"{finding.name}: {elided(finding.signature, 120)}",
        top(
            one_line(elided(finding.signature, _CHARACTERS)),
            element(
                "p",
                element("a", run.title, href=f"{_UP}{implementation_address(run.name)}"),
                f", {_sentence(finding, versions)}",
            ),
        ),
        element(
            "main",
            card,
            _written_up(report) if report else None,
            element("h2", "Requirements that it breaks"),
            element(
                "ul",
                (
                    # The card's links lead here.
                    element(
                        "li",
                        requirement_link(name, up=_UP),
                        f" in {number_of(count, 'case')}",
                        id=name,
                    )
                    for name, count in shown.requirements.items()
                ),
            ),
        ),
        up=_UP,
    )


def _written_up(report: WrittenUp) -> Html:
    """Return what was written for the project, as it is."""
    return fragment(element("h2", "As one would send it"), element("pre", report.text, class_="detail"))


def _sentence(finding: KeptFinding, versions: Sequence[KeptRun]) -> str:
    free = [run.version for run in versions if run.version not in finding.versions]
    words = f"in {', '.join(finding.versions)}"
    return f"{words}; not in {', '.join(free)}" if free else words
