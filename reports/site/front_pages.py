"""The pages at the top of the site: implementations, which parser reads what, requirements, findings."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.features import Feature, Reading, features, reading_of
from conformance.reports.filter_bar import facet, filter_bar
from conformance.reports.kept_runs import KeptRun, newest
from conformance.reports.outcome import charged, exercised
from conformance.reports.site.catalogue_of_findings import KeptFinding
from conformance.reports.site.feeds import feed_address
from conformance.reports.site.links import (
    LOG_PAGE,
    implementation_address,
    requirement_address,
    requirement_links,
    site_page,
    top,
    verdict_cell,
)
from conformance.reports.site.tables import findings_table, versions_table
from conformance.reports.status import BROKEN, JUDGED, STATUSES
from conformance.specs.run_record import RequirementResult

#: The state of a feature -> the status that has its colour, and the words in a cell.
_SHOWN: Final = {
    "yes": ("pass", "\u2713 yes"),
    "partly": ("fail", "\u2717 with faults"),
    "no": ("fail", "\u2717 no"),
    "unread": ("blocked", "\u22a3 not read"),
    "not reported": ("unsupported", "\u25a1 not offered"),
    "not judged": ("not-reached", "\u25cb not judged"),
}


def index_page(runs: Sequence[KeptRun], *, has_log_page: bool = False) -> str:
    """Return the page of all implementations: their newest versions, and their requirements in groups.

    Args:
        runs: The kept runs.
        has_log_page: Whether the site also has the page that reads logs.
    """
    readers, servers = _readers(runs), [run for run in runs if _is_server(run)]
    latest = newest(readers)
    return site_page(
        "Implementations",
        top(
            "Who reads MySQL's binary logs right?",
            element(
                "p",
                "Each implementation was given generated logs, valid and faulty, of the servers it claims to read: "
                "MySQL 5.1 to 9.7, MariaDB 10.0 to 11.8. Its answers were judged requirement by requirement. What it "
                "does not offer is not counted as a pass.",
            ),
            element(
                "p",
                element(
                    "a",
                    "Which parser reads tagged GTIDs, compressed transactions, VECTOR, since which version?",
                    href="reads.html",
                ),
            ),
            element("p", element("a", "Decode and check a log of your own, in this browser", href=LOG_PAGE))
            if has_log_page
            else None,
            element("p", element("a", "Feed of what changed", href=feed_address()), " (Atom)"),
        ),
        element(
            "main",
            element("h2", "Newest certified versions"),
            versions_table(latest),
            element(
                "details",
                element("summary", f"All {len(readers)} certified versions"),
                versions_table(readers),
            )
            if len(readers) > len(latest)
            else None,
            fragment(
                element("h2", "Real servers"),
                element(
                    "p",
                    "What they log, what they list with SHOW BINLOG EVENTS, and how they decide what to log. Where one "
                    "fails, it differs from the other servers of its time, or from the text of a document.",
                ),
                versions_table(servers),
            )
            if servers
            else None,
            element("h2", "Requirements that hold, by their document"),
            _groups([*latest, *servers]),
        ),
    )


def _readers(runs: Iterable[KeptRun]) -> list[KeptRun]:
    return [run for run in runs if not _is_server(run)]


def _is_server(run: KeptRun) -> bool:
    return "log" in run.record.header.implementation.roles


def _groups(runs: Sequence[KeptRun]) -> Html:
    """Return a table of implementations and groups of requirements: how many of those that were judged hold."""
    names = list(dict.fromkeys(each.worklog for run in runs for each in run.record.requirements))
    rows = (
        element(
            "tr",
            element("th", element("a", run.title, href=implementation_address(run.name)), scope="row"),
            (
                _group([each for each in run.record.requirements if each.worklog == name], charged(run.record), name)
                for name in names
            ),
        )
        for run in runs
    )
    return scrolling_table(("Implementation", *names), rows, class_="overview")


def _group(requirements: Collection[RequirementResult], broken: Collection[str], name: str) -> Html:
    held = sum(each.verdict == "pass" for each in requirements)
    wrong = sum(each.id in broken for each in requirements)
    if not held and not wrong:
        return element("td", element("span", "not judged", class_="quiet"), data_label=name)
    words = f"{held} hold, {wrong} broken" if wrong else f"{held} hold"
    return element("td", element("span", words, class_=f"cell {'fail' if wrong else 'pass'}"), data_label=name)


def reads_page(runs: Sequence[KeptRun]) -> str:
    """Return the page on which parser reads what, and since which version."""
    by_name = _versions(_readers(runs))
    known = {each.id for run in runs for each in run.record.requirements}
    rows = (_feature(each, by_name) for each in features() if known.issuperset(each.requirements))
    return site_page(
        "Which parser reads what",
        top(
            "Which parser reads what, since which version?",
            element(
                "p",
                "\u201csince\u201d and \u201cin all\u201d speak of certified versions only. \u201cwith faults\u201d: "
                "some of the logs are read wrongly, refused or end in a crash. "
                "\u201cnot read\u201d: the event is passed over as unknown, or the log is refused before it.",
            ),
        ),
        filter_bar({}, failing=None),
        element("main", scrolling_table(("", *by_name), rows, class_="overview wide"), data_counted="rows"),
    )


def _versions(runs: Iterable[KeptRun]) -> Mapping[str, list[KeptRun]]:
    by_name: dict[str, list[KeptRun]] = {}
    for run in runs:
        by_name.setdefault(run.name, []).append(run)
    return by_name


def _feature(feature: Feature, by_name: Mapping[str, Sequence[KeptRun]]) -> Html:
    return element(
        "tr",
        element("th", feature.name, requirement_links(feature.requirements, up=""), scope="row"),
        (_reading(reading_of(versions, feature), versions, name) for name, versions in by_name.items()),
        data_item=True,
    )


def _reading(reading: Reading, versions: Sequence[KeptRun], name: str) -> Html:
    status, words = _SHOWN[reading.state]
    if reading.since is None:
        detail = versions[-1].version
    elif reading.before is not None:
        detail = f"since {reading.since}, not in {reading.before}"
    else:
        detail = f"in {reading.since}" if len(versions) == 1 else f"in all, from {reading.since}"
    return element(
        "td",
        element("span", words, class_=f"cell {status}"),
        element("div", detail, class_="quiet"),
        data_label=name,
    )


def requirements_page(runs: Sequence[KeptRun]) -> str:
    """Return the page of all requirements: the verdicts of the newest versions, worklog by worklog."""
    latest = newest(runs)
    results = [{each.id: each for each in run.record.requirements} for run in latest]
    every = {name: each for result in reversed(results) for name, each in result.items()}
    reached = {
        name: each
        for name, each in every.items()
        if any(name in result and result[name].verdict in (*JUDGED, "blocked") for result in results)
    }
    names = [run.title for run in latest]
    worklogs = sorted({each.worklog for each in reached.values()})
    return site_page(
        "Requirements",
        top(
            "Requirements",
            element("p", f"{len(reached)} requirements on which at least one of these implementations was judged."),
        ),
        filter_bar(
            {
                "verdict": [
                    status
                    for status in STATUSES
                    if any(each.verdict == status for result in results for each in result.values())
                ],
                "worklog": worklogs,
            }
        ),
        element(
            "main",
            (
                _worklog(worklog, [each for each in reached.values() if each.worklog == worklog], results, names)
                for worklog in worklogs
            ),
            data_counted="requirements",
        ),
    )


def _worklog(
    worklog: str,
    requirements: Sequence[RequirementResult],
    results: Sequence[Mapping[str, RequirementResult]],
    names: Sequence[str],
) -> Html:
    rows = (
        element(
            "tr",
            element(
                "th",
                element("a", each.id, href=requirement_address(each.id), class_="id"),
                element("p", each.text, class_="quiet"),
                scope="row",
            ),
            (_verdict(result.get(each.id), name) for result, name in zip(results, names, strict=True)),
            data_item=True,
            data_failing=any(each.id in result and result[each.id].verdict in BROKEN for result in results),
            data_verdict=facet(result[each.id].verdict for result in results if each.id in result),
            data_worklog=each.worklog,
        )
        for each in sorted(requirements, key=lambda each: each.id)
    )
    return element(
        "section",
        element("h2", worklog, element("span", f" {len(requirements)} requirements", class_="quiet")),
        scrolling_table(("Requirement", *names), rows, class_="overview wide"),
        class_="worklog",
        data_part=True,
    )


def _verdict(result: RequirementResult | None, name: str) -> Html:
    if result is None:
        return verdict_cell(None, name)
    passed, judged = exercised(result)
    return verdict_cell(result.verdict, name, f"{judged - passed:,} of {judged:,}" if result.verdict in BROKEN else "")


def findings_page(findings: Sequence[KeptFinding]) -> str:
    """Return the page of all findings of all implementations."""
    names = list(dict.fromkeys(each.name for each in findings))
    return site_page(
        "Findings",
        top(
            "Findings",
            element("p", f"{len(findings)} causes of failures; each has a page with the smallest log that shows it."),
        ),
        filter_bar(
            {
                "implementation": names,
                "verdict": [status for status in STATUSES if any(each.shown.status == status for each in findings)],
            },
            failing=None,
        ),
        element("main", fragment(findings_table(findings, None, up="")), data_counted="findings"),
    )
