"""The pages that a corpus run adds to the usual reports: its coverage, and the trend over many runs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from conformance.corpus.history import RunEntry
from conformance.engine.coverage import coverage_tables
from conformance.oracles.coverage.coverage_table import Cell
from conformance.reports.element import Html, element
from conformance.reports.page import page

#: Runs that a trend shows side by side.
_COLUMNS: Final = 30


def _page(title: str, *content: Html) -> str:
    return page(title, element("main", element("h1", title), content))


def _table(heads: Iterable[Html], rows: Iterable[Html], *, class_: str) -> Html:
    table = element("table", element("thead", element("tr", heads)), element("tbody", rows), class_=class_)
    return element("div", table, class_="scroll")


def coverage_page(coverage: Mapping[str, Mapping[Cell, int]], profiles: Sequence[str]) -> str:
    """Return the coverage of a run as a page.

    Args:
        coverage: Table -> cell -> count; the last text of a cell is the profile.
        profiles: The profiles, in the order of the columns.
    """
    columns = {table.name: table.columns for table in coverage_tables()}
    every = {table.name: table.every for table in coverage_tables()}
    parts = []
    for name, cells in coverage.items():
        # A cell that was never exercised has a row too.
        rows: dict[Cell, dict[str, int]] = defaultdict(dict, {cell: {} for cell in every.get(name, ())})
        for cell, count in cells.items():
            rows[cell[:-1]][cell[-1]] = count
        width = max((len(row) for row in rows), default=1)
        labels = (*columns.get(name, ()), *("",) * width)[:width]
        heads = [element("th", label, scope="col") for label in labels]
        heads += [element("th", profile, scope="col", class_="number") for profile in profiles]
        body = [
            element(
                "tr",
                (element("th", text, scope="row") for text in row),
                (_count(counts.get(profile, 0)) for profile in profiles),
            )
            for row, counts in sorted(rows.items())
        ]
        parts.append(
            element(
                "section", element("h2", f"{name.capitalize()} in each profile"), _table(heads, body, class_="counts")
            )
        )
    return _page("What the corpus exercised", *parts)


def _count(number: int) -> Html:
    return element("td", f"{number:,}" if number else "-", class_="number" if number else "number none")


def trend_page(entries: Sequence[RunEntry]) -> str:
    """Return what started failing when, as a page.

    Args:
        entries: The history, the oldest run first.
    """
    parts = []
    by_name: dict[str, list[RunEntry]] = defaultdict(list)
    for entry in entries:
        by_name[entry.implementation].append(entry)
    for name, named in sorted(by_name.items()):
        parts.append(element("section", element("h2", name), *_trend(named)))
    if not parts:
        parts.append(element("p", "The history holds no run yet."))
    return _page("What started failing when", *parts)


def _trend(entries: Sequence[RunEntry]) -> list[Html]:
    # The first entry of a run is the one without a requirement, unless the table was cut.
    runs = list({entry.run: entry for entry in reversed(entries)}.values())[::-1]
    findings: dict[str, dict[str, list[RunEntry]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        if entry.requirement is not None:
            findings[entry.signature or ""][entry.run].append(entry)
    if not findings:
        return [element("p", f"{len(runs)} runs, and no failure in any of them.")]
    shown = runs[-_COLUMNS:]
    started = {signature: _start(runs, seen) for signature, seen in findings.items()}
    last = runs[-1].run
    # Those that occur now come first, the newest at the top.
    order = sorted(sorted(findings), key=lambda each: (last in findings[each], started[each].run), reverse=True)
    heads = [
        element("th", "finding", scope="col"),
        element("th", "started", scope="col"),
        *(
            element("th", run.started[:10], element("br"), run.version, scope="col", class_="number", title=_about(run))
            for run in shown
        ),
        element("th", "smallest case", scope="col"),
    ]
    rows = [_trend_row(each, findings[each], started[each], shown) for each in order]
    now = sum(last in seen for seen in findings.values())
    return [
        element("p", f"{_shown(len(runs), len(shown))} The last run has {now} findings.", class_="quiet"),
        _table(heads, rows, class_="trend"),
    ]


def _shown(runs: int, shown: int) -> str:
    return f"{runs} runs; the last {shown} are shown." if runs > shown else f"{runs} run{'s' if runs > 1 else ''}."


def _start(runs: Sequence[RunEntry], seen: Mapping[str, Sequence[RunEntry]]) -> RunEntry:
    """Return the first run of the last unbroken sequence of runs that show a finding."""
    start: RunEntry | None = None
    before = False
    for run in runs:
        now = run.run in seen
        if now and not before:
            start = run
        before = now
    return start or next(iter(seen.values()))[0]


def _about(run: RunEntry) -> str:
    return f"{run.spec}, kit {run.kit}, {run.cases:,} cases with {run.events:,} events"


def _trend_row(
    signature: str, seen: Mapping[str, Sequence[RunEntry]], start: RunEntry, shown: Sequence[RunEntry]
) -> Html:
    latest = seen[max(seen)]
    requirements = ", ".join(sorted({each.requirement or "" for each in latest}))
    groups = ", ".join(sorted({each.group for each in latest if each.group}))
    return element(
        "tr",
        element(
            "td",
            element("b", signature),
            element("br"),
            requirements,
            f" in {groups}" if groups else "",
            title=latest[0].message or "",
        ),
        element("td", start.started[:10]),
        (_trend_cell(seen.get(run.run, ())) for run in shown),
        element("td", element("code", latest[0].case), class_="case"),
        class_="started" if shown and start.run == shown[-1].run else None,
    )


def _trend_cell(entries: Sequence[RunEntry]) -> Html:
    if not entries:
        return element("td", "-", class_="number none")
    new = [each for each in entries if each.known is None]
    classes = "number failing" if new else "number known"
    title = new[0].message if new else entries[0].known
    return element("td", f"{sum(each.count or 0 for each in entries):,}", class_=classes, title=title or "")
