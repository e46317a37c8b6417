"""The HTML report: one file, nothing fetched; findings first, then the requirements and the coverage."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from conformance.reports.coverage_tables import coverage_tables
from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.facets import filter_of, finding_facets
from conformance.reports.finding_card import badge, finding_card, hindered
from conformance.reports.findings import Finding, findings_of, why_not_judged
from conformance.reports.foreign_text import elided, last_call, one_line
from conformance.reports.matrix import matrix
from conformance.reports.outcome import Outcome, is_known, outcome
from conformance.reports.page import page
from conformance.reports.record import RunRecord
from conformance.reports.status import STATUSES, TROUBLES
from conformance.reports.variants_table import variants_table
from conformance.specs.run_record import RequirementResult

#: Cards further down are closed; the list above them names their failures.
_OPEN_CARDS: Final = 10
#: Findings at the top of the page.
_FIX_FIRST: Final = 3
_NAME_CHARACTERS: Final = 120
_MESSAGE_CHARACTERS: Final = 300
#: Characters of what happened, with the place of a crash.
_EXAMPLE_CHARACTERS: Final = 600
#: Events of a stream that are named in a sentence.
_STREAM_NAMES: Final = 12
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


def _finding_tiles(run: Outcome) -> Html:
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
    return element("ul", _findings_tile(run), cases, class_="tiles totals")


def _requirement_tiles(run: Outcome) -> Html:
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
    return element("ul", tiles, class_="tiles", aria_label="Requirements by verdict")


def _findings_tile(run: Outcome) -> Html:
    return element(
        "li",
        element("span", STATUSES["fail"].symbol, class_="symbol", aria_hidden="true"),
        element("b", f"{run.findings:,}"),
        element("span", "finding" if run.findings == 1 else "findings"),
        class_="tile fail" if run.findings else "tile fail none",
        title="Different causes of failures; one may break many requirements.",
    )


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
        f"{header.examples:,} cases per family and profile" if header.examples is not None else None,
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
        ("Extensions", ", ".join(header.extensions)),
        ("Platform", header.platform),
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
        fragment(_finding_tiles(run), element("p", score, class_="score"), _bar(run), _requirement_tiles(run))
        if record.requirements
        else None,
        class_="top",
    )


def _list_of_findings(findings: Sequence[Finding], requirements: Mapping[str, RequirementResult]) -> Html:
    rows = (
        element(
            "tr",
            element("td", finding.number, class_="number"),
            element(
                "td", badge(finding.status), element("span", "known", class_="badge known") if finding.known else None
            ),
            element(
                "td",
                element(
                    "a",
                    one_line(elided(finding.signature, _MESSAGE_CHARACTERS)),
                    href=f"#finding-{finding.number}",
                ),
                element("div", element("code", finding.breaks, class_="id")),
            ),
            element("td", len(finding.requirements), class_="number"),
            element("td", ", ".join(finding.groups)),
            element("td", f"{finding.cases:,}", class_="number"),
            **finding_facets(finding, requirements),
        )
        for finding in findings
    )
    return scrolling_table(("#", "Verdict", "Finding", "Breaks", "In", "Cases"), rows, class_="failures")


def _fix_first(findings: Sequence[Finding]) -> Html | None:
    """Return the findings that a reader should look at first."""
    new = [finding for finding in findings if finding.known is None]
    if not new:
        return None
    items = (
        element(
            "li",
            badge(finding.status),
            " ",
            element("a", one_line(elided(finding.signature, _MESSAGE_CHARACTERS)), href=f"#finding-{finding.number}"),
            element("div", element("code", finding.breaks, class_="id")),
            element("p", one_line(elided(finding.rule, _MESSAGE_CHARACTERS))) if finding.rule else None,
            element("p", f"{_weight(finding)} For example: {_sentence(finding)}", class_="quiet"),
            element("p", f"{_stream(finding)}.", class_="quiet") if finding.first.events else None,
        )
        for finding in new[:_FIX_FIRST]
    )
    return element("section", element("h2", "Fix first"), element("ol", items), class_="first", aria_label="Fix first")


def _weight(finding: Finding) -> str:
    hinders = f"; {hindered(finding)}" if finding.hinders else ""
    return f"{finding.extent.capitalize()}{hinders}."


def _sentence(finding: Finding) -> str:
    return one_line(elided(last_call(finding.first.message), _EXAMPLE_CHARACTERS))


def _stream(finding: Finding) -> str:
    """Return the role, the profile and the event types of a finding's smallest stream; equal ones in a row are one."""
    # The magic number has the type 0 too, at the start.
    events = (event for event in finding.first.events if event.type or event.offset)
    names = [name for name, _ in groupby(event.name for event in events)]
    more = [f"and {len(names) - _STREAM_NAMES} more"] if len(names) > _STREAM_NAMES else []
    types = ", ".join([*(elided(name, _NAME_CHARACTERS) for name in names[:_STREAM_NAMES]), *more])
    return f"Smallest stream, of {finding.first.profile} in the role {finding.first.role}: {types}"


def _cards(record: RunRecord, findings: Sequence[Finding]) -> list[Html]:
    requirements = {requirement.id: requirement for requirement in record.requirements}
    roles = record.header.implementation.roles
    by_case: dict[str, list[Finding]] = {}
    for finding in findings:
        by_case.setdefault(finding.first.case, []).append(finding)
    cards = []
    for finding in findings:
        failure = finding.first
        requirement = requirements.get(failure.requirement)
        role = roles.get(requirement.role if requirement else failure.role)
        cards.append(
            finding_card(
                finding,
                requirement=requirement,
                requirements=requirements,
                declared=role.fields if role else None,
                related=[each for each in by_case[failure.case] if each is not finding],
            )
        )
    return cards


def _findings(record: RunRecord, run: Outcome, findings: Sequence[Finding]) -> Html:
    if not findings:
        # A record without failures may be of a run that judged nothing.
        quiet = "The record ends before any failure." if run.verdict == "cut off" else "No failure was found."
        return element("p", quiet)
    cards = _cards(record, findings)
    closed = cards[_OPEN_CARDS:]
    return fragment(
        _list_of_findings(findings, {each.id: each for each in record.requirements}),
        element(
            "div",
            cards[:_OPEN_CARDS],
            element(
                "details",
                element("summary", f"{len(closed)} less important findings"),
                closed,
                class_="more",
                data_part=True,
            )
            if closed
            else None,
            data_counted="findings",
        ),
    )


def _section(name: str, title: str, *content: Html, counted: str | None = None) -> Html:
    return element("section", element("h2", title), content, id=name, aria_label=title, data_counted=counted)


def _navigation(record: RunRecord, findings: Sequence[Finding]) -> Html:
    parts = {
        "wrong": ("Findings", len(findings)),
        "requirements": ("Requirements", len(record.requirements)),
        "variants": ("Variants", None),
        "coverage": ("Coverage", None),
    }
    links = (
        element("a", title, element("span", f" {number}", class_="quiet") if number else None, href=f"#{name}")
        for name, (title, number) in parts.items()
    )
    return element("nav", links, aria_label="Parts of this report")


def html_report(record: RunRecord) -> str:
    """Return the report of a run as one self-contained HTML page."""
    run = outcome(record)
    findings = findings_of(record)
    implementation = record.header.implementation
    links: dict[str, str] = {}
    for finding in findings:
        for requirement_id in (*finding.requirements,):
            links.setdefault(requirement_id, f"#finding-{finding.number}")
    known = {each.id for each in record.requirements if is_known(record.failures, each)}
    reasons = {each.id: why_not_judged(each, findings) for each in record.requirements}
    by_signature = {finding.signature: finding.number for finding in findings}
    for requirement in record.requirements:
        # One that is not judged in some cases: the finding that kept it from being judged in most of them.
        hindered_by = [each for each in requirement.obstacles if each in by_signature]
        if hindered_by:
            most = max(hindered_by, key=requirement.obstacles.__getitem__)
            links.setdefault(requirement.id, f"#finding-{by_signature[most]}")
    return page(
        elided(f"{implementation.name} {implementation.version}: {run.verdict}", _NAME_CHARACTERS),
        element("a", "Skip to the findings", href="#wrong", class_="skip"),
        _top(record, run),
        _fix_first(findings),
        element("section", _facts(record), class_="about", aria_label="About this run"),
        _navigation(record, findings),
        filter_of(record, findings),
        element(
            "main",
            _section("wrong", "Findings", _findings(record, run, findings)),
            _section(
                "requirements",
                "Requirements",
                matrix(record, links=links, known=known, reasons=reasons),
                counted="requirements",
            ),
            _section("variants", "Variants", variants_table(record.coverage.variants)),
            _section("coverage", "Coverage", coverage_tables(record.coverage, record.header.profiles)),
        ),
        element("footer", element("p", f"Generated by binlog-conformance {record.header.kit} from the run record.")),
    )
