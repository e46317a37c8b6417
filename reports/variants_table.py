"""The variants of a run: how many pairs of classes the cases of each family had, and which are missing."""

from collections.abc import Sequence

from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.specs.run_record import Variants


def variants_table(variants: Sequence[Variants]) -> Html:
    """Return the variants of a run as HTML, families with uncovered pairs first."""
    if not variants:
        return element("p", "The record has no variants.")
    met, possible = sum(each.pairs for each in variants), sum(each.possible for each in variants)
    triples = any(each.possible_triples for each in variants)
    heads = ("Family", "Role", "Varies in", "Pairs", *(("Triples",) if triples else ()), "Missing, impossible")
    rows = (_row(each, triples=triples) for each in sorted(variants, key=lambda each: (_is_whole(each), each.family)))
    return fragment(
        element(
            "p",
            f"The cases had {met:,} of the {possible:,} pairs of variants that can occur, counted in each group of "
            "profiles. Each dimension has the number of its classes after it; a family of one dimension has no pairs.",
        ),
        scrolling_table(heads, rows, class_="variants"),
    )


def _is_whole(variants: Variants) -> bool:
    return variants.pairs >= variants.possible and variants.triples >= variants.possible_triples


def _row(variants: Variants, *, triples: bool) -> Html:
    dimensions = ", ".join(f"{name} ({count})" for name, count in variants.dimensions.items())
    return element(
        "tr",
        element("th", element("code", variants.family), scope="row"),
        element("td", variants.role),
        element("td", dimensions),
        element("td", _of(variants.pairs, variants.possible), class_="number"),
        element("td", _of(variants.triples, variants.possible_triples), class_="number") if triples else None,
        element("td", _list("missing", variants.uncovered), _list("impossible", _reasons(variants))),
    )


def _of(number: int, possible: int) -> str:
    return f"{number:,} of {possible:,}" if possible else "none"


def _reasons(variants: Variants) -> list[str]:
    return [f"{classes}: {reason}" for classes, reason in variants.impossible.items()]


def _list(what: str, texts: Sequence[str]) -> Html | None:
    if not texts:
        return None
    return element(
        "details", element("summary", f"{len(texts)} {what}"), element("ul", (element("li", each) for each in texts))
    )
