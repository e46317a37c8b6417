"""Addresses of the site's pages, relative to each other, and what all pages have."""

import hashlib
from collections.abc import Iterable
from typing import Final

from conformance.reports.element import Child, Html, element
from conformance.reports.finding_card import badge
from conformance.reports.kept_runs import slug_of
from conformance.reports.page import page
from conformance.specs.run_record import BESIDE_THE_CATALOGUE

#: Characters of the digest in the address of a finding.
_DIGITS: Final = 10
#: The page that reads logs in the browser, which not every site has.
LOG_PAGE: Final = "log.html"
#: The pages that every page has a link to: address from the top of the site -> title. Together they fit a telephone.
_PLACES: Final = {
    "index.html": "Certified",
    "reads.html": "Reads what",
    "requirements.html": "Requirements",
    "findings.html": "Findings",
}


def implementation_address(name: str) -> str:
    """Return the address of an implementation's page, from the top of the site."""
    return f"implementations/{slug_of(name)}.html"


def requirement_address(requirement: str) -> str:
    """Return the address of a requirement's page, from the top of the site."""
    return f"requirements/{slug_of(requirement)}.html"


def finding_address(name: str, signature: str) -> str:
    """Return the address of a finding's page, from the top of the site: the same for all versions."""
    digest = hashlib.sha256(f"{name}\0{signature}".encode("utf-8", "backslashreplace")).hexdigest()
    return f"findings/{slug_of(name)}-{digest[:_DIGITS]}.html"


def site_page(title: str, *body: Child, up: str = "", program: str | None = None) -> str:
    """Return a page of the site.

    Args:
        title: Its title.
        body: Its content after the navigation.
        up: The way from it to the top of the site: ``../`` for a page in a folder.
        program: The address of a JavaScript module that the page runs.
    """
    links = (element("a", name, href=f"{up}{address}") for address, name in _PLACES.items())
    navigation = element("nav", links, aria_label="Pages")
    return page(f"{title} - binary log conformance", navigation, *body, program=program)


def top(title: str, *content: Child) -> Html:
    """Return the top of a page: its heading, and what follows it in the same box."""
    return element(
        "header",
        element("p", "Binary log conformance", class_="eyebrow"),
        element("h1", title),
        *content,
        class_="top",
    )


def requirement_links(requirements: Iterable[str], *, up: str) -> Html:
    """Return the ids of requirements as links to their pages."""
    return element("div", ((requirement_link(each, up=up), " ") for each in requirements))


def requirement_link(requirement: str, *, up: str) -> Html:
    """Return the id of a requirement as a link to its page; those beside the catalogue have none."""
    address = None if requirement in BESIDE_THE_CATALOGUE else f"{up}{requirement_address(requirement)}"
    return element("a", requirement, href=address, class_="id", title=BESIDE_THE_CATALOGUE.get(requirement))


def verdict_cell(verdict: str | None, label: str, detail: str = "") -> Html:
    """Return a cell of a table with a verdict, None where there is none."""
    content = badge(verdict) if verdict else element("span", "not judged", class_="quiet")
    return element("td", content, element("div", detail, class_="quiet") if detail else None, data_label=label)
