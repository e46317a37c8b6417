"""The bar that filters a page's rows and cards; it is hidden until the page's script shows it."""

from collections.abc import Iterable, Mapping
from typing import Final

from conformance.reports.element import Html, element

#: Values of one facet in a data attribute are apart by this; no name of the kit has it.
SEPARATOR: Final = "|"
#: Key -> what it does.
_KEYS: Final = {
    "/": "search",
    "j, k": "next and previous finding",
    "f": "failing only",
    "c": "copy the command of the finding",
    "Esc": "clear the filter",
}


def facet(values: Iterable[str]) -> str:
    """Return the values of a facet of one item, as its data attribute has them."""
    return SEPARATOR.join(dict.fromkeys(values))


def filter_bar(facets: Mapping[str, Iterable[str]], *, failing: str | None = "failing only") -> Html:
    """Return the bar.

    Args:
        facets: Name of a facet, such as ``verdict`` -> the values to choose from, in order.
        failing: The words at the box that leaves only what fails; None where nothing can.
    """
    return element(
        "div",
        element("input", type="search", placeholder="Search  /", aria_label="Search", autocomplete="off"),
        (_select(name, list(dict.fromkeys(values))) for name, values in facets.items()),
        element("label", element("input", type="checkbox", data_only_failing=True), f" {failing}") if failing else None,
        element("button", "Clear", type="button", data_clear=True, hidden=True),
        element("output", ""),
        element(
            "details",
            element("summary", "Keys"),
            element("dl", (element("div", element("dt", key), element("dd", text)) for key, text in _KEYS.items())),
            class_="keys",
        ),
        class_="filter",
        role="search",
        hidden=True,
    )


def _select(name: str, values: list[str]) -> Html | None:
    if len(values) < 2:
        return None
    options = (element("option", value, value=value) for value in values)
    return element(
        "label",
        element("span", name.capitalize()),
        element("select", element("option", "all", value=""), options, data_facet=name),
    )
