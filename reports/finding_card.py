"""One finding for a reader in a hurry: the requirements, the answer, the bytes, the command that reproduces it."""

import json
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Final

from conformance.reports.answer_comparison import answer_comparison, value_of
from conformance.reports.case_alias import case_alias
from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.facets import finding_facets
from conformance.reports.findings import Finding
from conformance.reports.foreign_text import elided, one_line, value_text, visible_line
from conformance.reports.hex_dump import hex_dump
from conformance.reports.outcome import number_of
from conformance.reports.replay_line import is_long, short_replay
from conformance.reports.status import STATUSES
from conformance.reports.worklog_address import worklog_link
from conformance.specs.run_record import BESIDE_THE_CATALOGUE, Failure, RequirementResult

_MESSAGE_CHARACTERS: Final = 1_200
_VALUE_CHARACTERS: Final = 240
_DETAIL_CHARACTERS: Final = 20_000


def badge(status: str) -> Html:
    """Return a status as a coloured label with its symbol."""
    shown = STATUSES[status]
    return element("span", f"{shown.symbol} {shown.label}", class_=f"badge {status}", title=shown.meaning)


def section_of(requirement: RequirementResult) -> Html:
    """Return where a requirement comes from, as a link to the worklog if it is one."""
    return worklog_link(requirement, f"{requirement.worklog}, section {requirement.section}")


def _rule(failure: Failure, requirement: RequirementResult | None) -> Html:
    if failure.requirement in BESIDE_THE_CATALOGUE:
        return element("p", BESIDE_THE_CATALOGUE[failure.requirement], class_="rule")
    if requirement is None:
        return element("p", "The record ends before the text of this requirement.", class_="rule")
    interpretation = requirement.interpretation
    return element(
        "blockquote",
        element("p", requirement.text),
        element(
            "p",
            section_of(requirement),
            " \u00b7 ",
            element("a", "catalogue entry", href=f"#{requirement.id}"),
            class_="quiet",
        ),
        element("details", element("summary", "How the kit reads it"), element("p", interpretation))
        if interpretation
        else None,
        element("p", f"Servers: {requirement.witnesses}", class_="quiet") if requirement.witnesses else None,
        class_="rule",
    )


def _setting(value: Any) -> Html:
    """Return a complete setting: the reader needs the whole scenario to reproduce it."""
    text = value_text(value)
    if len(text) <= _VALUE_CHARACTERS:
        return value_of(value)
    lines = json.dumps(value, ensure_ascii=False, indent=1)
    return element("pre", element("code", elided(lines, _DETAIL_CHARACTERS)), class_="detail")


def _question(failure: Failure) -> Html | None:
    """Return the settings of the question besides the stream."""
    if not failure.settings:
        return None
    rows = (
        element("tr", element("th", element("code", name), scope="row"), element("td", _setting(value)))
        for name, value in failure.settings.items()
    )
    return fragment(
        element("h4", f"The question, in the role {failure.role}"),
        scrolling_table(("Setting", "Value"), rows, class_="settings"),
    )


def finding_card(
    finding: Finding,
    *,
    requirement: RequirementResult | None,
    declared: Collection[str] | None,
    requirements: Mapping[str, RequirementResult] = MappingProxyType({}),
    related: Collection[Finding] = (),
) -> Html:
    """Return one finding as HTML: its first failure in full, those of other groups of profiles closed.

    Args:
        finding: The finding.
        requirement: The requirement that its first failure breaks; None in a record that was cut off.
        declared: The fields that the implementation reports in this role.
        requirements: The requirements that the page has a row of, by their ids.
        related: The other findings that are shown by the same stream.
    """
    failure = finding.first
    return element(
        "article",
        _header(finding, requirement, requirements),
        element("p", element("b", "Known: "), one_line(finding.known)) if finding.known is not None else None,
        element("h4", "What is wrong" if failure.requirement in BESIDE_THE_CATALOGUE else "The requirement"),
        _rule(failure, requirement),
        _example(failure, declared),
        _related(related),
        (_of_group(each, failure, declared) for each in finding.failures[1:]),
        class_=f"card {failure.status}",
        id=f"finding-{finding.number}",
        **finding_facets(finding, requirements),
    )


def _of_group(failure: Failure, first: Failure, declared: Collection[str] | None) -> Html:
    """Return the failure in another group of profiles, closed."""
    same = failure.stream == first.stream and failure.message == first.message
    known = f"; known: {one_line(failure.known)}" if failure.known is not None else ""
    where = f"{failure.group}: {number_of(failure.count, 'case')}{known}"
    return element(
        "details",
        element("summary", element("b", f"In {where}")),
        element("p", "The same stream shows it." if same else one_line(elided(failure.message, _MESSAGE_CHARACTERS))),
        _replay(failure) if same else _example(failure, declared),
        class_="group",
    )


def _example(failure: Failure, declared: Collection[str] | None) -> Html:
    """Return the answer, the smallest stream and the command that reproduces it."""
    heading, answer, concerned = answer_comparison(failure, declared)
    return fragment(
        element("h4", heading),
        answer,
        _question(failure),
        _stream(failure, concerned),
        _replay(failure),
        _detail(failure),
        element("p", f"First shown by {failure.first_case}", class_="quiet"),
    )


def copied(line: str) -> Html:
    """Return a line that a reader copies: a click selects all of it, and the page's script adds a button."""
    return element("pre", element("code", line), class_="replay", title="click to select all of it")


def _replay(failure: Failure) -> Html:
    if not failure.replay:
        return element("p", "This version of the kit makes another stream for this case.", class_="quiet")
    heading = element("h4", "The command that reproduces it")
    whole = copied(visible_line(failure.replay))
    if not is_long(failure):
        return fragment(heading, whole)
    return fragment(
        heading,
        copied(visible_line(short_replay(failure, "run.jsonl"))),
        element("details", element("summary", "The same command without the run record"), whole),
    )


def _header(finding: Finding, requirement: RequirementResult | None, linked: Collection[str]) -> Html:
    failure = finding.first
    level = requirement.level if requirement else None
    size = f", {len(failure.stream_bytes):,} bytes" if failure.stream else ""
    return element(
        "header",
        element(
            "p",
            badge(failure.status),
            element("span", "known", class_="badge known") if finding.known is not None else None,
            element("span", level, class_=f"badge level {level}") if level else None,
            # In a record that was cut off, and for ids beside the catalogue, there is nothing to link to.
            (
                element("a", name, href=f"#{name}" if name in linked else None, class_="id")
                for name in finding.requirements
            ),
            class_="tags",
        ),
        element("h3", f"{finding.number}. ", one_line(elided(finding.signature, _MESSAGE_CHARACTERS))),
        element("p", one_line(elided(failure.message, _MESSAGE_CHARACTERS))),
        element(
            "p",
            f"{number_of(finding.cases, 'case')} in {', '.join(finding.profiles)} \u00b7 smallest one: ",
            element("code", case_alias(failure.case), title=elided(failure.case, _MESSAGE_CHARACTERS)),
            f", profile {failure.profile}, family {failure.family}{size}",
            class_="quiet",
        ),
        element("p", hindered(finding), class_="quiet") if finding.hinders else None,
    )


def hindered(finding: Finding) -> str:
    """Return how many other requirements a finding keeps from being judged."""
    return f"{number_of(finding.hinders, 'other requirement')} not judged in some cases because of it"


def _stream(failure: Failure, concerned: Mapping[int, Collection[str]]) -> Html | None:
    if not failure.stream:
        return None
    return fragment(
        element("h4", f"The smallest stream that shows it, {len(failure.stream_bytes):,} bytes"),
        element("p", one_line(failure.departure_note), class_="quiet") if failure.departure else None,
        hex_dump(failure.stream_bytes, failure.events, concerned=concerned),
    )


def _related(related: Collection[Finding]) -> Html | None:
    if not related:
        return None
    links = (
        (
            ", " if index else "",
            element("a", f"{other.number}. {one_line(other.signature)}", href=f"#finding-{other.number}"),
        )
        for index, other in enumerate(related)
    )
    return element("p", "The same stream also shows ", links, ".", class_="quiet")


def _detail(failure: Failure) -> Html | None:
    if not failure.detail:
        return None
    return element(
        "details",
        element("summary", "Details"),
        element("pre", elided(failure.detail, _DETAIL_CHARACTERS), class_="detail"),
    )
