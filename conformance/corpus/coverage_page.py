"""The coverage of a corpus run as a page: how often each cell of each table was exercised under each profile."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from conformance.corpus.run_page import Link, run_page
from conformance.engine.coverage import coverage_tables
from conformance.oracles.coverage.coverage_table import Cell
from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.filter_bar import filter_bar

_TITLE: Final = "What the corpus exercised"
_NOTE: Final = "0 means that no case of this run had it. A cell that cannot occur has no row."


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
    parts = [Link(name.capitalize(), f"#{_anchor(name)}") for name in coverage]
    sections = (
        _section(
            name,
            _rows(cells, tables[name].every if name in tables else ()),
            tables[name].columns if name in tables else (),
            profiles,
        )
        for name, cells in coverage.items()
    )
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


def _section(
    name: str, rows: Mapping[Cell, Mapping[str, int]], columns: Sequence[str], profiles: Sequence[str]
) -> Html:
    width = max((len(row) for row in rows), default=1)
    labels = (*columns, *("",) * width)[:width]
    counted = f" {sum(any(counts.values()) for counts in rows.values())} of {len(rows)} cells"
    body = (_row(cell, counts, profiles) for cell, counts in sorted(rows.items()))
    return element(
        "section",
        element("h2", f"{name.capitalize()} in each profile", element("span", counted, class_="quiet")),
        scrolling_table((*labels, *profiles), body, class_="counts"),
        id=_anchor(name),
        data_part=True,
    )


def _row(cell: Cell, counts: Mapping[str, int], profiles: Sequence[str]) -> Html:
    met = sum(bool(counts.get(profile)) for profile in profiles)
    return element(
        "tr",
        (element("th", breakable(text), scope="row") for text in cell),
        (_count(counts.get(profile, 0), profile) for profile in profiles),
        data_item=True,
        data_exercised="never" if not met else "in every profile" if met == len(profiles) else "in some profiles",
    )


def _count(number: int, profile: str) -> Html:
    return element("td", f"{number:,}", class_="number" if number else "number none", data_label=profile)


def breakable(text: str) -> Html:
    """Return a text that may be broken after a bar, as between the names of flags."""
    first, *rest = text.split("|")
    return fragment(first, (fragment("|", element("wbr"), part) for part in rest))
