"""Several runs side by side: the requirements as rows, the implementations as columns."""

from collections.abc import Iterable, Sequence
from typing import Final

from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.facets import Attributes
from conformance.reports.filter_bar import facet, filter_bar
from conformance.reports.foreign_text import elided
from conformance.reports.markdown import code_span, escaped_text
from conformance.reports.outcome import exercised, outcome
from conformance.reports.page import page
from conformance.reports.record import RunRecord
from conformance.reports.status import BROKEN, STATUSES
from conformance.specs.run_record import RequirementResult

_NAME_CHARACTERS: Final = 60
_TITLE: Final = "Implementations side by side"
#: Whether the verdicts of all runs on a requirement are the same.
_DIFFER: Final = "verdicts differ"
_AGREE: Final = "verdicts agree"

#: The same requirement in each run, None in a run that did not select it.
Row = Sequence[RequirementResult | None]


def names_of(records: Sequence[RunRecord]) -> list[str]:
    """Return the name of each run: implementation and version, and the start where that is not enough."""
    names = [f"{each.header.implementation.name} {each.header.implementation.version}" for each in records]
    return [
        elided(name if names.count(name) == 1 else f"{name}, {record.header.started}", _NAME_CHARACTERS)
        for name, record in zip(names, records, strict=True)
    ]


def _rows(records: Sequence[RunRecord]) -> dict[str, Row]:
    """Return each requirement of any run with its results, worklog by worklog."""
    results = [{each.id: each for each in record.requirements} for record in records]
    some = {name: each for result in reversed(results) for name, each in result.items()}
    order = sorted(some, key=lambda name: (some[name].worklog, name))
    return {name: [result.get(name) for result in results] for name in order}


def _differ(row: Row) -> bool:
    return len({each.verdict if each else "" for each in row}) > 1


def overview_page(records: Sequence[RunRecord]) -> str:
    """Return several runs as one self-contained HTML page."""
    names, rows = names_of(records), _rows(records)
    different = sum(map(_differ, rows.values()))
    return page(
        _TITLE,
        element(
            "header",
            element("p", "Binary log conformance", class_="eyebrow"),
            element("h1", _TITLE),
            element("p", f"{len(rows)} requirements; the verdicts on {different} differ.", class_="quiet"),
            _runs(records, names),
            class_="top",
        ),
        _filter(rows.values()),
        element(
            "main",
            (_worklog(name, rows, names) for name in dict.fromkeys(map(_worklog_of, rows.values()))),
            data_counted="requirements",
        ),
    )


def _worklog_of(row: Row) -> str:
    return next(each.worklog for each in row if each is not None)


def _runs(records: Sequence[RunRecord], names: Sequence[str]) -> Html:
    heads = ("Implementation", "Verdict", "Hold", "Broken", "Findings", "Cases", "Profiles", "Started", "Kit")
    return scrolling_table(heads, map(_run, records, names), class_="runs")


def _run(record: RunRecord, name: str) -> Html:
    run = outcome(record)
    numbers = {"hold": run.passed, "broken": run.broken, "findings": run.findings, "cases": run.cases}
    return element(
        "tr",
        element("th", name, scope="row"),
        element("td", run.headline),
        (element("td", f"{number:,}", class_="number", data_label=label) for label, number in numbers.items()),
        element("td", ", ".join(record.header.profiles)),
        element("td", record.header.started),
        element("td", record.header.kit, data_label="kit"),
    )


def _worklog(worklog: str, rows: dict[str, Row], names: Sequence[str]) -> Html:
    listed = {name: row for name, row in rows.items() if _worklog_of(row) == worklog}
    body = (
        element(
            "tr",
            element("th", element("code", name, class_="id"), element("p", _text(row), class_="quiet"), scope="row"),
            map(_cell, row, names),
            **_facets(row),
        )
        for name, row in listed.items()
    )
    return element(
        "section",
        element("h2", worklog, element("span", f" {len(listed)} requirements", class_="quiet")),
        scrolling_table(("Requirement", *names), body, class_="overview"),
        class_="worklog",
        data_part=True,
    )


def _facets(row: Row) -> Attributes:
    results = [each for each in row if each is not None]
    return {
        "data_item": True,
        "data_failing": any(each.verdict in BROKEN for each in results),
        "data_verdict": facet(each.verdict for each in results),
        "data_worklog": results[0].worklog,
        "data_role": results[0].role,
        "data_agreement": _DIFFER if _differ(row) else _AGREE,
    }


def _filter(rows: Iterable[Row]) -> Html:
    results = [each for row in rows for each in row if each is not None]
    verdicts = {each.verdict for each in results}
    return filter_bar(
        {
            "agreement": (_DIFFER, _AGREE),
            "verdict": [status for status in STATUSES if status in verdicts],
            "worklog": [each.worklog for each in results],
            "role": [each.role for each in results],
        }
    )


def _text(row: Row) -> str:
    return next(each.text for each in row if each is not None)


def _cell(result: RequirementResult | None, name: str) -> Html:
    if result is None:
        return element("td", element("span", "not selected", class_="quiet"), data_label=name)
    status = STATUSES[result.verdict]
    passed, judged = exercised(result)
    counts = f" {judged - passed:,}/{judged:,}" if result.verdict in BROKEN else f" {judged:,}" if judged else ""
    return element(
        "td",
        element("span", fragment(f"{status.symbol} {status.label}", counts), class_=f"cell {result.verdict}"),
        title=status.meaning,
        data_label=name,
    )


def overview_markdown(records: Sequence[RunRecord]) -> str:
    """Return several runs as Markdown: their verdicts, and the requirements on which they differ."""
    names, rows = names_of(records), _rows(records)
    lines = [f"### {_TITLE}", "", "| | verdict | hold | broken | findings |", "| --- | --- | ---: | ---: | ---: |"]
    for record, name in zip(records, names, strict=True):
        run = outcome(record)
        lines.append(f"| {escaped_text(name)} | {run.headline} | {run.passed} | {run.broken} | {run.findings} |")
    different = {name: row for name, row in rows.items() if _differ(row)}
    lines += ["", f"The verdicts on {len(different)} of {len(rows)} requirements differ:", ""]
    lines += _markdown_table(different, names) if different else []
    return "\n".join(lines) + "\n"


def _markdown_table(rows: dict[str, Row], names: Sequence[str]) -> Iterable[str]:
    yield "| requirement | " + " | ".join(map(escaped_text, names)) + " |"
    yield "| --- |" + " --- |" * len(names)
    for name, row in rows.items():
        cells = (STATUSES[each.verdict].symbol + " " + STATUSES[each.verdict].label if each else "" for each in row)
        yield f"| {code_span(name)} | {' | '.join(cells)} |"
