"""The variants of a run: how many pairs of classes the cases of each family had, and which are missing."""

from collections.abc import Sequence

from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.specs.run_record import Variants


def variants_table(variants: Sequence[Variants]) -> Html:
    """Return the variants of a run as HTML, families with uncovered pairs first."""
    if not variants:
        return element("p", "The record has no variants.")
    met, possible = sum(each.pairs for each in variants), sum(each.possible for each in variants)
    rows = (_row(each) for each in sorted(variants, key=lambda each: (each.pairs >= each.possible, each.family)))
    return fragment(
        element(
            "p",
            f"The cases had {met:,} of the {possible:,} pairs of variants that can occur, counted in each profile. "
            "A family varies in the dimensions that are named; each has the number of classes after it.",
        ),
        scrolling_table(
            ("Family", "Role", "Dimensions", "Pairs", "Of", "Missing, impossible"), rows, class_="variants"
        ),
    )


def _row(variants: Variants) -> Html:
    dimensions = ", ".join(f"{name} ({count})" for name, count in variants.dimensions.items())
    return element(
        "tr",
        element("th", element("code", variants.family), scope="row"),
        element("td", variants.role),
        element("td", dimensions),
        element("td", f"{variants.pairs:,}", class_="number"),
        element("td", f"{variants.possible:,}", class_="number"),
        element("td", f"{variants.triples:,}" if variants.possible_triples else "", class_="number"),
        element("td", f"{variants.possible_triples:,}" if variants.possible_triples else "", class_="number"),
        element("td", _list("missing", variants.uncovered), _list("impossible", _reasons(variants))),
    )


def _reasons(variants: Variants) -> list[str]:
    return [f"{classes}: {reason}" for classes, reason in variants.impossible.items()]


def _list(what: str, texts: Sequence[str]) -> Html | None:
    if not texts:
        return None
    return element(
        "details", element("summary", f"{len(texts)} {what}"), element("ul", (element("li", each) for each in texts))
    )
