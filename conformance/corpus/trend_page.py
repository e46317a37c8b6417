"""The trend over the runs of a history as a page: what started failing when, night by night."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from conformance.corpus.history import RunEntry
from conformance.corpus.run_page import Link, run_page
from conformance.corpus.trend_chart import night_chart, spark_line
from conformance.reports.case_alias import case_alias
from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.filter_bar import facet, filter_bar
from conformance.reports.findings import findings_of
from conformance.reports.foreign_text import elided
from conformance.reports.outcome import number_of
from conformance.reports.record import RunRecord
from conformance.specs.run_record import TROUBLES

#: Runs that a trend shows side by side.
_COLUMNS: Final = 30
_TITLE: Final = "What started failing when"
_CHARACTERS: Final = 300

#: Signature of a finding -> run -> its entries, one for each group of profiles.
Seen = Mapping[str, Mapping[str, Sequence[RunEntry]]]


def trend_page(entries: Sequence[RunEntry], record: RunRecord | None = None, *, links: Sequence[Link] = ()) -> str:
    """Return what started failing when, as a page.

    Args:
        entries: The history, the oldest run first.
        record: The run whose report is in the same folder: its findings are links to their cards.
        links: The other pages of the folder.
    """
    by_name: dict[str, list[RunEntry]] = defaultdict(list)
    for entry in entries:
        by_name[entry.implementation].append(entry)
    own = record.header.implementation.name if record else None
    findings = findings_of(record) if record else []
    cards = {finding.signature: f"report.html#finding-{finding.number}" for finding in findings}
    parts = [
        element("section", element("h2", elided(name, _CHARACTERS)), _trend(named, cards if name == own else {}))
        for name, named in sorted(by_name.items())
    ]
    statuses = sorted({each.status for each in entries if each.status})
    about = number_of(len({entry.run for entry in entries}), "run")
    if entries:
        about += f" from {entries[0].started} to {entries[-1].started}"
    return run_page(
        _TITLE,
        about=about,
        links=links,
        body=fragment(
            filter_bar({"now": ("occurs", "gone"), "verdict": statuses}),
            element("main", parts or element("p", "The history holds no run yet."), data_counted="findings"),
        ),
    )


def _trend(entries: Sequence[RunEntry], cards: Mapping[str, str]) -> Html:
    # The first entry of a run is the one without a requirement, unless the table was cut.
    runs = list({entry.run: entry for entry in reversed(entries)}.values())[::-1]
    seen: dict[str, dict[str, list[RunEntry]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        if entry.requirement is not None:
            seen[entry.signature or ""][entry.run].append(entry)
    if not seen:
        return element("p", f"{number_of(len(runs), 'run')}, and no failure in any of them.")
    shown = runs[-_COLUMNS:]
    started = {signature: _start(runs, each) for signature, each in seen.items()}
    last = runs[-1].run
    # Those that occur now come first, the newest at the top.
    order = sorted(sorted(seen), key=lambda each: (last in seen[each], started[each].run), reverse=True)
    heads = ("finding", "started", "cases", *(f"{run.started[:10]} {run.version}" for run in shown), "smallest case")
    rows = [_row(each, seen[each], runs.index(started[each]), runs, shown, cards.get(each)) for each in order]
    now = sum(last in each for each in seen.values())
    return fragment(
        element("p", f"{_shown(len(runs), len(shown))} The last run has {number_of(now, 'finding')}.", class_="quiet"),
        element("p", _about(runs[-1]), class_="quiet"),
        _nights(seen, shown),
        scrolling_table(heads, [_totals(seen, shown), *rows], class_="trend"),
    )


def _nights(seen: Seen, shown: Sequence[RunEntry]) -> Html:
    """Return the chart of the findings of each night: all of them, the new ones, and crashes and the like."""
    now = [[entries for by_run in seen.values() if (entries := by_run.get(run.run))] for run in shown]
    lines = {
        "findings": [len(night) for night in now],
        "new": [sum(any(each.known is None for each in entries) for entries in night) for night in now],
        "troubles": [sum(entries[0].status in TROUBLES for entries in night) for night in now],
    }
    key = (element("li", element("span", class_=f"swatch {name}"), f" {text}") for name, text in _LINES.items())
    chart = night_chart(lines, [run.started[:10] for run in shown])
    return element("figure", chart, element("ul", key, class_="key"))


#: The lines of the chart, with what they count.
_LINES: Final = {
    "findings": "findings",
    "new": "not in the baseline",
    "troubles": "crashes, hangs and broken protocols",
}


def _totals(seen: Seen, shown: Sequence[RunEntry]) -> Html:
    counts = [sum(run.run in by_run for by_run in seen.values()) for run in shown]
    return element(
        "tr",
        element("th", "findings of each run", scope="row"),
        element("td", ""),
        element("td", spark_line(counts)),
        (
            element("td", count, class_="number", data_label=run.started[:10], title=_about(run))
            for run, count in zip(shown, counts, strict=True)
        ),
        element("td", ""),
        class_="total",
    )


def _shown(runs: int, shown: int) -> str:
    return f"{runs} runs; the last {shown} are shown." if runs > shown else f"{number_of(runs, 'run')}."


def _start(runs: Sequence[RunEntry], seen: Mapping[str, Sequence[RunEntry]]) -> RunEntry:
    """Return the first run of the last unbroken sequence of runs that show a finding."""
    start: RunEntry | None = None
    before = False
    for run in runs:
        now = run.run in seen
        if now and not before:
            start = run
        before = now
    return start or next(run for run in runs if run.run in seen)


def _about(run: RunEntry) -> str:
    return f"{run.started}: {run.spec} {run.version}, kit {run.kit}, {run.cases:,} cases with {run.events:,} events"


def _row(
    signature: str,
    seen: Mapping[str, Sequence[RunEntry]],
    start: int,
    runs: Sequence[RunEntry],
    shown: Sequence[RunEntry],
    card: str | None,
) -> Html:
    latest = seen[max(seen)]
    requirements = ", ".join(sorted({each.requirement or "" for each in latest}))
    groups = ", ".join(sorted({each.group for each in latest if each.group}))
    text = elided(signature, _CHARACTERS)
    case = latest[0].case or ""
    return element(
        "tr",
        element(
            "th",
            element("b", element("a", text, href=card) if card else text),
            element("br"),
            requirements,
            f" in {groups}" if groups else "",
            scope="row",
            title=latest[0].message or "",
        ),
        # Before the first run nothing is known: it may have failed all along.
        element("td", runs[start].started[:10] + ("" if start else " or earlier"), data_label="started"),
        element("td", spark_line([sum(each.count or 0 for each in seen.get(run.run, ())) for run in shown])),
        (_cell(seen.get(run.run, ()), run) for run in shown),
        element(
            "td",
            element("details", element("summary", element("code", case_alias(case))), element("code", case)),
            class_="case",
        ),
        class_="started" if start and runs[start].run == shown[-1].run else None,
        data_item=True,
        data_failing=runs[-1].run in seen,
        data_now="occurs" if runs[-1].run in seen else "gone",
        data_verdict=facet(each.status or "" for each in latest),
    )


def _cell(entries: Sequence[RunEntry], run: RunEntry) -> Html:
    label = run.started[:10]
    if not entries:
        return element("td", "-", class_="number none", data_label=label)
    new = [each for each in entries if each.known is None]
    classes = "number failing" if new else "number known"
    title = new[0].message if new else entries[0].known
    cases = sum(each.count or 0 for each in entries)
    return element("td", f"{cases:,}", class_=classes, title=title or "", data_label=label)
