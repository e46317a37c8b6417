"""The coverage of a run as tables: the darker a cell, the higher its count."""

import math
from collections.abc import Collection, Mapping
from typing import Final

from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.specs.run_record import Counts, Coverage

#: How many shades a cell can have, the first for none.
_SHADES: Final = 6


def _shade(number: int, most: int) -> int:
    """Return a shade, from 0 for none to the darkest; each is for several times the count of the one before."""
    if number == 0:
        return 0
    return 1 + int((_SHADES - 2) * math.log1p(number) / math.log1p(most))


def _count(number: int, most: int, profile: str) -> Html:
    return element("td", f"{number:,}", class_=f"number shade-{_shade(number, most)}", data_label=profile)


def _table(title: str, unit: str, counts: Mapping[str, Counts], profiles: Collection[str]) -> Html | None:
    if not counts:
        return None
    most = max((number for row in counts.values() for number in row.values()), default=1) or 1
    rows = (
        element(
            "tr",
            element("th", element("code", name), scope="row"),
            (_count(row.get(profile, 0), most, profile) for profile in profiles),
            element("td", f"{sum(row.values()):,}", class_="number total", data_label="all"),
        )
        for name, row in sorted(counts.items())
    )
    heads = ("", *profiles, "all")
    return fragment(
        element("h3", title, element("span", f" {unit} in each profile", class_="quiet")),
        scrolling_table(heads, rows, class_="coverage"),
    )


def coverage_tables(coverage: Coverage, profiles: Collection[str]) -> Html:
    """Return the coverage of a run as HTML."""
    tables = [
        _table("Event types", "events", coverage.event_types, profiles),
        _table("Families", "cases", coverage.families, profiles),
        _table("Faults", "cases", coverage.faults, profiles),
        *(_table(name[:1].upper() + name[1:], "times", cells, profiles) for name, cells in coverage.tables.items()),
    ]
    if not any(tables):
        return element("p", "The record has no coverage.")
    return fragment(tables)
