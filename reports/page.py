"""A page: one self-contained HTML file with the style of all reports, no script, and nothing that is fetched."""

from importlib import resources
from itertools import chain
from typing import Final

from conformance.reports.element import Child, Html, element

#: What a browser may do with the page: apply its style sheet. A script that got in would not run.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(title: str, *body: Child) -> str:
    """Return a page.

    Args:
        title: What a browser shows as its name.
        body: What stands on it.
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
