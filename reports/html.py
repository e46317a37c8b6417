"""The HTML report: one file, no script, nothing fetched; it says first what is wrong, then what was looked at."""

import re
from typing import Final

from conformance.reports.coverage_tables import coverage_tables
from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.failure_card import badge, failure_card
from conformance.reports.foreign_text import elided, one_line
from conformance.reports.matrix import matrix
from conformance.reports.outcome import Outcome, grouped, is_known, outcome, ranked
from conformance.reports.page import page
from conformance.reports.record import RunRecord
from conformance.reports.status import JUDGED, STATUSES
from conformance.specs.run_record import Failure

#: Cards further down are closed: the list above them says what they hold.
_OPEN_CARDS: Final = 10
_NAME_CHARACTERS: Final = 120
_MESSAGE_CHARACTERS: Final = 300
_WEB_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`]{1,500}")
_SYMBOLS: Final = {"conforming": "\u2713", "not conforming": "\u2717", "cut off": "\u2702", "nothing judged": "?"}


def _bar(told: Outcome) -> Html:
    parts = (
        element(
            "span",
            class_=f"part {name}",
            style=f"flex-grow:{number}",
            title=f"{number} {STATUSES[name].label}",
        )
        for name, number in told.counts.items()
        if number
    )
    return element("div", parts, class_="bar", aria_hidden="true")


def _tiles(told: Outcome) -> Html:
    tiles = (
        element(
            "li",
            element("span", STATUSES[name].symbol, class_="symbol", aria_hidden="true"),
            element("b", number),
            element("span", STATUSES[name].label),
            class_=f"tile {name}" + ("" if number else " none"),
            title=STATUSES[name].meaning,
        )
        for name, number in told.counts.items()
    )
    return element("ul", tiles, class_="tiles")


def _homepage(address: str | None) -> Html | None:
    if not address:
        return None
    shown = elided(address, _NAME_CHARACTERS)
    # Any other scheme could run code when it is clicked.
    if _WEB_ADDRESS.fullmatch(address):
        return element("a", shown, href=address, rel="noreferrer noopener")
    return element("code", shown)


def _facts(record: RunRecord) -> Html:
    header, footer = record.header, record.footer
    said = header.implementation
    budget = [
        f"{header.examples:,} examples a family" if header.examples is not None else None,
        f"{header.seconds:g} seconds" if header.seconds is not None else None,
    ]
    facts: list[tuple[str, Html | str | None]] = [
        ("Asked for", element("code", elided(said.spec, _NAME_CHARACTERS))),
        ("Language", elided(said.language, _NAME_CHARACTERS)),
        ("Homepage", _homepage(said.homepage)),
        ("Roles", ", ".join(header.roles)),
        ("Profiles", ", ".join(header.profiles)),
        ("Requirements", header.requirements),
        ("Seed", str(header.seed)),
        ("Budget", ", ".join(part for part in budget if part)),
        ("Cases", f"{footer.cases:,} with {footer.events:,} events" if footer else None),
        ("Started", header.started),
        ("Took", f"{footer.elapsed:,.1f} seconds" if footer else None),
        ("Kit", f"binlog-conformance {header.kit}"),
    ]
    return element(
        "dl",
        (element("div", element("dt", name), element("dd", value)) for name, value in facts if value),
        class_="facts",
    )


def _top(record: RunRecord, told: Outcome) -> Html:
    said = record.header.implementation
    score = fragment(element("b", told.passed), f" of {told.possible} requirements that the kit can judge hold")
    return element(
        "header",
        element("p", "Binary log conformance", class_="eyebrow"),
        element(
            "h1",
            elided(said.name, _NAME_CHARACTERS),
            " ",
            element("span", elided(said.version, _NAME_CHARACTERS), class_="version"),
        ),
        element(
            "div",
            element(
                "p",
                element("span", _SYMBOLS[told.verdict], aria_hidden="true"),
                " ",
                told.headline.capitalize(),
                class_="word",
            ),
            element("p", told.sentence),
            (element("p", note, class_="note") for note in told.notes),
            class_=f"verdict {told.verdict.replace(' ', '-')}",
            role="status",
        ),
        fragment(element("p", score, class_="score"), _bar(told), _tiles(told)) if record.requirements else None,
        _facts(record),
        class_="top",
    )


def _list_of_failures(groups: list[list[Failure]]) -> Html:
    rows = (
        element(
            "tr",
            element("td", number, class_="number"),
            element(
                "td", badge(failure.status), element("span", "known", class_="badge known") if failure.known else None
            ),
            element(
                "td",
                element("a", one_line(elided(failure.message, _MESSAGE_CHARACTERS)), href=f"#failure-{number}"),
                (element("div", element("code", each.requirement, class_="id")) for each in group),
            ),
            element("td", failure.profile),
            element("td", f"{failure.count:,}", class_="number"),
        )
        for number, group in enumerate(groups, 1)
        for failure in group[:1]
    )
    heads = ("#", "Verdict", "What came instead", "Profile", "Cases")
    return scrolling_table(heads, rows, class_="failures")


def _cards(record: RunRecord, groups: list[list[Failure]]) -> list[Html]:
    requirements = {requirement.id: requirement for requirement in record.requirements}
    roles = record.header.implementation.roles
    by_case: dict[str, list[tuple[int, str]]] = {}
    for number, group in enumerate(groups, 1):
        by_case.setdefault(group[0].case, []).append((number, group[0].requirement))
    cards = []
    for number, group in enumerate(groups, 1):
        failure = group[0]
        requirement = requirements.get(failure.requirement)
        role = roles.get(requirement.role) if requirement else None
        cards.append(
            failure_card(
                failure,
                number=number,
                requirement=requirement,
                declared=role.fields if role else None,
                also=[each.requirement for each in group[1:]],
                related=[each for each in by_case[failure.case] if each[0] != number],
            )
        )
    return cards


def _wrong(record: RunRecord, told: Outcome, groups: list[list[Failure]]) -> Html:
    if not groups:
        # No failure is not the same as nothing wrong.
        quiet = "The record ends before any failure." if told.verdict == "cut off" else "No failure was found."
        return element("p", quiet)
    cards = _cards(record, groups)
    closed = cards[_OPEN_CARDS:]
    return fragment(
        _list_of_failures(groups),
        cards[:_OPEN_CARDS],
        element("details", element("summary", f"{len(closed)} more failures, less important"), closed, class_="more")
        if closed
        else None,
    )


def _section(name: str, title: str, *content: Html) -> Html:
    return element("section", element("h2", title), content, id=name, aria_label=title)


def html_report(record: RunRecord) -> str:
    """Return the report of a run as one self-contained HTML page."""
    told = outcome(record)
    failures = ranked(record)
    said = record.header.implementation
    links: dict[str, str] = {}
    groups = grouped(failures)
    for number, group in enumerate(groups, 1):
        for failure in group:
            links.setdefault(failure.requirement, f"#failure-{number}")
    known = {name for name in links if is_known(failures, name)}
    judged = sum(told.counts[name] for name in JUDGED)
    return page(
        elided(f"{said.name} {said.version}: {told.verdict}", _NAME_CHARACTERS),
        element("a", "To what is wrong", href="#wrong", class_="skip"),
        _top(record, told),
        element(
            "nav",
            element("a", f"What is wrong ({len(groups)})", href="#wrong"),
            element("a", f"Requirements ({judged} of {len(record.requirements)} judged)", href="#requirements"),
            element("a", "Coverage", href="#coverage"),
            aria_label="Parts of this report",
        ),
        element(
            "main",
            _section("wrong", "What is wrong", _wrong(record, told, groups)),
            _section("requirements", "Requirements", matrix(record, links=links, known=known)),
            _section("coverage", "What was exercised", coverage_tables(record.coverage, record.header.profiles)),
        ),
        element("footer", element("p", f"Made by binlog-conformance {record.header.kit} from its run record.")),
    )
