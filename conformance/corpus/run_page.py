"""The frame of the pages that a corpus run adds to the usual reports: a title, what it is about, links, the body."""

from collections.abc import Sequence
from typing import NamedTuple

from conformance.reports.element import Html, element
from conformance.reports.outcome import number_of
from conformance.reports.page import page
from conformance.reports.record import RunRecord


class Link(NamedTuple):
    """A link of a page's navigation: its text, and the address."""

    text: str
    address: str


def run_page(title: str, *, about: str, links: Sequence[Link], body: Html) -> str:
    """Return a page.

    Args:
        title: Its title.
        about: What it is about: who, when, which run.
        links: Its navigation.
        body: Its content.
    """
    navigation = element("nav", map(_link, links), aria_label="Pages and parts")
    return page(
        title,
        element(
            "header",
            element("p", "Binary log conformance", class_="eyebrow"),
            element("h1", title),
            element("p", about, class_="quiet"),
            class_="top",
        ),
        navigation if links else None,
        body,
    )


def _link(link: Link) -> Html:
    """Return a link, of which a telephone shows the first word, so that all of them fit."""
    first, space, rest = link.text.partition(" ")
    return element("a", first, element("span", space, rest, class_="quiet") if rest else None, href=link.address)


def about_run(record: RunRecord) -> str:
    """Return who was tested, when, and in which run."""
    header, implementation = record.header, record.header.implementation
    cases = f", {number_of(record.footer.cases, 'case')} with {record.footer.events:,} events" if record.footer else ""
    name = f"{implementation.name} {implementation.version}"
    return f"{name}, started {header.started}, seed {header.seed}, kit {header.kit}{cases}"
