"""A page: one self-contained HTML file with the style of all reports, no script, and nothing to fetch."""

from importlib import resources
from itertools import chain
from typing import Final

from conformance.reports.element import Child, Html, element

#: A browser may only apply the style sheet of the page; an injected script would not run.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(title: str, *body: Child) -> str:
    """Return a page.

    Args:
        title: The title that a browser shows.
        body: Its content.
    """
    style = (resources.files("conformance.reports") / "report.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        # `http_equiv` becomes the attribute http-equiv.
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Html(style)),
    )
    return "".join(chain(("<!DOCTYPE html>\n", element("html", head, element("body", body), lang="en"), "\n")))
