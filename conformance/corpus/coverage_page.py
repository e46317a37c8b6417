"""The coverage of a corpus run as a page: how often each cell of each table was exercised under each profile."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from conformance.corpus.run_page import Link, run_page
from conformance.engine.coverage import coverage_tables
from conformance.oracles.coverage.coverage_table import Cell, CoverageTable
from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.filter_bar import filter_bar
from conformance.reports.outcome import number_of

_TITLE: Final = "What the corpus exercised"
_NOTE: Final = (
    "0: no case of this run had it. \u2013: the family has no cases of this profile, or the servers of this profile do "
    "not have the event type."
)


def coverage_page(
    coverage: Mapping[str, Mapping[Cell, int]],
    profiles: Sequence[str],
    *,
    about: str = "",
    links: Sequence[Link] = (),
) -> str:
    """Return the coverage of a run as a page.

    Args:
        coverage: Table -> cell -> count; the last text of a cell is the profile.
        profiles: The profiles, in the order of the columns.
        about: Who was tested, when, and in which run.
        links: The other pages of the folder.
    """
    tables = {table.name: table for table in coverage_tables()}
    shown = {name: tables.get(name, _table_of(name)) for name in coverage}
    parts = [Link(name.capitalize(), f"#{_anchor(name)}") for name in coverage]
    sections = (_section(shown[name], _rows(cells, shown[name].every), profiles) for name, cells in coverage.items())
    return run_page(
        _TITLE,
        about=about,
        links=[*links, *parts],
        body=fragment(
            element("p", _NOTE, class_="quiet"),
            filter_bar({"exercised": ("in every profile", "in some profiles", "never")}, failing=None),
            element("main", sections, data_counted="cells"),
        ),
    )


def _anchor(name: str) -> str:
    return "table-" + "-".join(name.lower().split())


def _rows(cells: Mapping[Cell, int], every: Iterable[Cell]) -> dict[Cell, dict[str, int]]:
    """Return the counts of each cell by profile; one that was never exercised has a row too."""
    rows: dict[Cell, dict[str, int]] = defaultdict(dict, {cell: {} for cell in every})
    for cell, count in cells.items():
        rows[cell[:-1]][cell[-1]] = count
    return rows


def _table_of(name: str) -> CoverageTable:
    """Return a table of which nothing but its name is known: that of an extension which is not installed."""
    return CoverageTable(name, (), lambda case: ())


def _section(table: CoverageTable, rows: Mapping[Cell, Mapping[str, int]], profiles: Sequence[str]) -> Html:
    width = max((len(row) for row in rows), default=1)
    labels = (*table.columns, *("",) * width)[:width]
    met = sum(any(counts.values()) for counts in rows.values())
    counted = f" {met:,} of {len(rows):,} cells" if table.every else f" {number_of(met, 'cell')}"
    body = (_row(table, cell, counts, profiles) for cell, counts in sorted(rows.items()))
    return element(
        "section",
        element("h2", f"{table.name.capitalize()} in each profile", element("span", counted, class_="quiet")),
        scrolling_table((*labels, *profiles), body, class_="counts"),
        id=_anchor(table.name),
        data_part=True,
    )


def _row(table: CoverageTable, cell: Cell, counts: Mapping[str, int], profiles: Sequence[str]) -> Html:
    met = [profile for profile in profiles if counts.get(profile)]
    missing = [profile for profile in profiles if profile not in met and table.occurs(cell, profile)]
    return element(
        "tr",
        (element("th", breakable(text), scope="row") for text in cell),
        (_count(counts.get(profile), profile, occurs=profile in missing) for profile in profiles),
        data_item=True,
        data_exercised="never" if not met else "in some profiles" if missing else "in every profile",
    )


def _count(number: int | None, profile: str, *, occurs: bool) -> Html:
    text = f"{number:,}" if number else "0" if occurs else "\u2013"
    return element("td", text, class_="number" if number else "number none", data_label=profile)


def breakable(text: str) -> Html:
    """Return a text that may be broken after a bar, as between the names of flags."""
    first, *rest = text.split("|")
    return fragment(first, (fragment("|", element("wbr"), part) for part in rest))
