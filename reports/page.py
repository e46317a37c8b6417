"""A page: one self-contained HTML file with the style and the script of all reports, and nothing to fetch."""

import base64
import hashlib
from functools import cache
from importlib import resources
from itertools import chain
from typing import Final

from conformance.reports.element import Child, Html, element

#: A browser may only apply the style sheet of the page and run the script of this hash; an injected one does not run.
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'{}; base-uri 'none'; form-action 'none'"
)
#: What else a page with a program may: load that, run WebAssembly, and read files of its own site. It sends nothing.
_WITH_PROGRAM: Final = " 'self' 'wasm-unsafe-eval'; connect-src 'self'"


@cache
def _text_of(name: str) -> str:
    return (resources.files("conformance.reports") / name).read_text(encoding="utf-8")


def page(title: str, *body: Child, program: str | None = None) -> str:
    """Return a page.

    Args:
        title: The title that a browser shows.
        body: Its content.
        program: The address of a JavaScript module beside it that the page runs; most pages have none.
    """
    script = _text_of("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = _POLICY.format(digest, _WITH_PROGRAM if program else "")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        # `http_equiv` becomes the attribute http-equiv.
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Html(_text_of("report.css"))),
    )
    content = element(
        "body",
        body,
        element("script", Html(script)),
        element("script", type="module", src=program) if program else None,
    )
    return "".join(chain(("<!DOCTYPE html>\n", element("html", head, content, lang="en"), "\n")))
