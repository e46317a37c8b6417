"""The HTML report: one file, no script, nothing fetched; failures first, then the requirements and the coverage."""

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
from conformance.reports.status import JUDGED, STATUSES, TROUBLES
from conformance.specs.run_record import Failure

#: Cards further down are closed; the list above them names their failures.
_OPEN_CARDS: Final = 10
_NAME_CHARACTERS: Final = 120
_MESSAGE_CHARACTERS: Final = 300
_WEB_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`]{1,500}")
_SYMBOLS: Final = {"conforming": "\u2713", "not conforming": "\u2717", "cut off": "\u2702", "nothing judged": "?"}


def _bar(run: Outcome) -> Html:
    parts = (
        element(
            "span",
            class_=f"part {name}",
            style=f"flex-grow:{number}",
            title=f"{number} {STATUSES[name].label}",
        )
        for name, number in run.counts.items()
        if number
    )
    return element("div", parts, class_="bar", aria_hidden="true")


def _tiles(run: Outcome) -> Html:
    cases = (
        element(
            "li",
            element("span", STATUSES[name].symbol, class_="symbol", aria_hidden="true"),
            element("b", f"{number:,}"),
            element("span", f"{'case' if number == 1 else 'cases'} {TROUBLES[name]}"),
            class_=f"tile {name}",
            title=f"Of {run.cases:,} cases; whatever requirement they are about.",
        )
        for name, number in run.troubles.items()
    )
    tiles = (
        element(
            "li",
            element("span", STATUSES[name].symbol, class_="symbol", aria_hidden="true"),
            element("b", number),
            element("span", STATUSES[name].label),
            class_=f"tile {name}" + ("" if number else " none"),
            title=STATUSES[name].meaning,
        )
        for name, number in run.counts.items()
    )
    return element("ul", cases, tiles, class_="tiles")


def _homepage(address: str | None) -> Html | None:
    if not address:
        return None
    shown = elided(address, _NAME_CHARACTERS)
    # A link of any other scheme could run code when it is clicked.
    if _WEB_ADDRESS.fullmatch(address):
        return element("a", shown, href=address, rel="noreferrer noopener")
    return element("code", shown)


def _facts(record: RunRecord) -> Html:
    header, footer = record.header, record.footer
    implementation = header.implementation
    budget = [
        f"{header.examples:,} examples per family" if header.examples is not None else None,
        f"{header.seconds:g} seconds" if header.seconds is not None else None,
    ]
    facts: list[tuple[str, Html | str | None]] = [
        ("Tested as", element("code", elided(implementation.spec, _NAME_CHARACTERS))),
        ("Language", elided(implementation.language, _NAME_CHARACTERS)),
        ("Homepage", _homepage(implementation.homepage)),
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


def _top(record: RunRecord, run: Outcome) -> Html:
    implementation = record.header.implementation
    score = fragment(element("b", run.passed), f" of {run.possible} requirements that the kit can judge hold")
    return element(
        "header",
        element("p", "Binary log conformance", class_="eyebrow"),
        element(
            "h1",
            elided(implementation.name, _NAME_CHARACTERS),
            " ",
            element("span", elided(implementation.version, _NAME_CHARACTERS), class_="version"),
        ),
        element(
            "div",
            element(
                "p",
                element("span", _SYMBOLS[run.verdict], aria_hidden="true"),
                " ",
                run.headline.capitalize(),
                class_="word",
            ),
            element("p", run.sentence),
            (element("p", note, class_="note") for note in run.notes),
            class_=f"verdict {run.verdict.replace(' ', '-')}",
            role="status",
        ),
        fragment(element("p", score, class_="score"), _bar(run), _tiles(run)) if record.requirements else None,
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
    heads = ("#", "Verdict", "Failure", "Profile", "Cases")
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
        role = roles.get(requirement.role if requirement else failure.role)
        cards.append(
            failure_card(
                failure,
                number=number,
                requirement=requirement,
                linked=requirements,
                declared=role.fields if role else None,
                also=[each.requirement for each in group[1:]],
                related=[each for each in by_case[failure.case] if each[0] != number],
            )
        )
    return cards


def _failures(record: RunRecord, run: Outcome, groups: list[list[Failure]]) -> Html:
    if not groups:
        # A record without failures may be of a run that judged nothing.
        quiet = "The record ends before any failure." if run.verdict == "cut off" else "No failure was found."
        return element("p", quiet)
    cards = _cards(record, groups)
    closed = cards[_OPEN_CARDS:]
    return fragment(
        _list_of_failures(groups),
        cards[:_OPEN_CARDS],
        element("details", element("summary", f"{len(closed)} less important failures"), closed, class_="more")
        if closed
        else None,
    )


def _section(name: str, title: str, *content: Html) -> Html:
    return element("section", element("h2", title), content, id=name, aria_label=title)


def html_report(record: RunRecord) -> str:
    """Return the report of a run as one self-contained HTML page."""
    run = outcome(record)
    failures = ranked(record)
    implementation = record.header.implementation
    links: dict[str, str] = {}
    groups = grouped(failures)
    for number, group in enumerate(groups, 1):
        for failure in group:
            links.setdefault(failure.requirement, f"#failure-{number}")
    known = {each.id for each in record.requirements if is_known(failures, each)}
    for requirement in record.requirements:
        # A requirement that was not judged at some cases, as they crashed: the first crash is the reason.
        if requirement.verdict in TROUBLES and requirement.id not in links:
            links[requirement.id] = "#wrong"
    judged = sum(run.counts[name] for name in JUDGED)
    return page(
        elided(f"{implementation.name} {implementation.version}: {run.verdict}", _NAME_CHARACTERS),
        element("a", "Skip to the failures", href="#wrong", class_="skip"),
        _top(record, run),
        element(
            "nav",
            element("a", f"Failures ({len(groups)})", href="#wrong"),
            element("a", f"Requirements ({judged} of {len(record.requirements)} judged)", href="#requirements"),
            element("a", "Coverage", href="#coverage"),
            aria_label="Parts of this report",
        ),
        element(
            "main",
            _section("wrong", "Failures", _failures(record, run, groups)),
            _section("requirements", "Requirements", matrix(record, links=links, known=known)),
            _section("coverage", "Coverage", coverage_tables(record.coverage, record.header.profiles)),
        ),
        element("footer", element("p", f"Generated by binlog-conformance {record.header.kit} from the run record.")),
    )
