"""The requirements, worklog by worklog: their status under each profile, how often each was exercised, the gaps."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from conformance.reports.element import Html, element, fragment
from conformance.reports.facets import requirement_facets
from conformance.reports.finding_card import badge, section_of
from conformance.reports.outcome import Cell, cell, exercised, without_answer
from conformance.reports.record import RunRecord
from conformance.reports.status import BROKEN, JUDGED, STATUSES, UNJUDGED
from conformance.specs.run_record import NOT_ASKED, WITHOUT_ANSWERS, RequirementResult


def _short_number(number: int) -> str:
    """Return a number in four characters; the cell's title has it in full."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            whole = number / size
            return f"{whole:.1f}{unit}" if whole < 10 else f"{int(whole)}{unit}"
    return str(number)


def _numbers(result: Cell) -> str:
    if result.status in BROKEN:
        return f"{_short_number(result.judged - result.passed)}/{_short_number(result.judged)}"
    if result.status == "pass":
        return _short_number(result.judged)
    return _short_number(result.unsupported) if result.status == "unsupported" else ""


def _cell(requirement: RequirementResult, profile: str, link: str | None) -> Html:
    result = cell(requirement, profile)
    if result is None:
        spoken = element("span", "does not apply", class_="spoken")
        nothing = element("span", "\u00a0", spoken, class_="cell not-applicable")
        return element(
            "td", nothing, data_label=profile, class_="none", title=f"{profile}: does not hold under this profile"
        )
    status = STATUSES[result.status]
    counts: Mapping[str, int] = dict(requirement.results.get(profile, {}).items())
    details = ", ".join(f"{counts[name]:,} {shown.label}" for name, shown in STATUSES.items() if counts.get(name))
    text = fragment(status.symbol, element("span", status.label, class_="spoken"), " ", _numbers(result))
    return element(
        "td",
        element("a", text, href=link, class_=f"cell {result.status}")
        if link and result.status in (*BROKEN, "blocked")
        else element("span", text, class_=f"cell {result.status}"),
        data_label=profile,
        title=f"{profile}: {status.label}" + (f" ({details})" if details else ""),
    )


def _text(requirement: RequirementResult) -> Html:
    interpretation = requirement.interpretation
    return fragment(
        element("p", requirement.text),
        element("p", section_of(requirement), class_="quiet"),
        element("details", element("summary", "How the kit reads it"), element("p", interpretation))
        if interpretation
        else None,
        element("p", f"Servers: {requirement.witnesses}", class_="quiet") if requirement.witnesses else None,
    )


def _row(
    requirement: RequirementResult, profiles: Collection[str], link: str | None, *, known: bool, reason: str
) -> Html:
    passed, judged = exercised(requirement)
    return element(
        "tr",
        element(
            "th",
            element(
                "p",
                badge(requirement.verdict),
                element("span", "known", class_="badge known") if known else None,
                element("span", requirement.level, class_=f"badge level {requirement.level}"),
                element("code", requirement.id, class_="id"),
                class_="tags",
            ),
            element("p", unanswered, class_="quiet") if (unanswered := without_answer(requirement)) else None,
            element("p", reason, class_="quiet") if reason else None,
            _text(requirement),
            scope="row",
        ),
        element("td", f"{passed:,} of {judged:,}", class_="number", data_label="passed cases"),
        (_cell(requirement, profile, link) for profile in profiles),
        id=requirement.id,
        **requirement_facets(requirement),
    )


def _why(requirement: RequirementResult, reason: str, link: str | None) -> str | Html:
    if requirement.verdict == "blocked":
        return element("a", reason, href=link)
    if requirement.verdict == NOT_ASKED:
        return f"{WITHOUT_ANSWERS.capitalize()}: {without_answer(requirement)}."
    if requirement.verdict == "untestable":
        return requirement.untestable or "No outside kit can test it."
    if requirement.verdict == "no-oracle":
        return "The kit cannot judge it yet."
    if requirement.verdict == "unsupported":
        cases = sum(counts.get("unsupported", 0) for counts in requirement.results.values())
        return f"The implementation declares that it does not support this; {cases:,} cases would have needed it."
    families = ", ".join(requirement.families)
    return f"No case of this run exercised it; the family {families} would." if families else "No family exercises it."


def _gaps(
    status: str, requirements: Collection[RequirementResult], links: Mapping[str, str], reasons: Mapping[str, str]
) -> Html | None:
    if not requirements:
        return None
    shown = STATUSES[status]
    rows = (
        element(
            "tr",
            element("th", element("code", requirement.id, class_="id"), scope="row"),
            element("td", _text(requirement)),
            element("td", _why(requirement, reasons.get(requirement.id, ""), links.get(requirement.id)), class_="why"),
            id=requirement.id,
            **requirement_facets(requirement),
        )
        for requirement in requirements
    )
    heads = ("Requirement", "Text", "Why it was not judged")
    table = element(
        "table",
        element("thead", element("tr", (element("th", head, scope="col") for head in heads))),
        element("tbody", rows),
        class_="gaps",
    )
    summary = element(
        "summary", badge(status), f" {len(requirements)}: ", element("span", shown.meaning, class_="quiet")
    )
    return element("details", summary, element("div", table, class_="scroll"), data_part=True)


def _short(profile: str) -> Html:
    # A line break after the product's name keeps the columns narrow.
    product, hyphen, version = profile.partition("-")
    return fragment(product, element("br"), version) if hyphen else fragment(product)


def _worklog(
    name: str,
    requirements: Collection[RequirementResult],
    profiles: Collection[str],
    links: Mapping[str, str],
    known: Collection[str],
    reasons: Mapping[str, str],
) -> Html:
    judged = [requirement for requirement in requirements if requirement.verdict in JUDGED]
    # Broken ones first: a reader looks for them.
    judged.sort(key=lambda requirement: requirement.verdict not in BROKEN)
    passed = sum(requirement.verdict == "pass" for requirement in judged)
    heads: Iterable[Html] = (element("th", _short(profile), scope="col") for profile in profiles)
    table = element(
        "table",
        element(
            "thead",
            element("tr", element("th", "Requirement", scope="col"), element("th", "Passed cases", scope="col"), heads),
        ),
        element(
            "tbody",
            (
                _row(
                    requirement,
                    profiles,
                    links.get(requirement.id),
                    known=requirement.id in known,
                    reason=reasons.get(requirement.id, ""),
                )
                for requirement in judged
            ),
        ),
        class_="matrix",
    )
    unjudged = len(requirements) - len(judged)
    counts = f"{passed} of {len(judged)} judged requirements hold" if judged else "no requirement was judged"
    if unjudged:
        counts += f", {unjudged} not judged"
    return element(
        "section",
        element("h3", name, element("span", f" {counts}", class_="quiet")),
        element("div", table, class_="scroll") if judged else None,
        (
            _gaps(status, [each for each in requirements if each.verdict == status], links, reasons)
            for status in UNJUDGED
        ),
        class_="worklog",
        data_part=True,
    )


#: The meaning of a cell's symbol and numbers, above the first matrix.
_KEY: Final = (
    ("pass", "120", "all 120 cases pass"),
    ("fail", "3/120", "3 of 120 cases fail"),
    ("crash", "1/120", "1 of 120 crashes"),
    ("hang", "1/120", "1 of 120 hangs"),
    ("protocol-error", "1/120", "1 of 120 answers is unreadable"),
    ("not-asked", "", "some cases were not asked"),
    ("blocked", "", "blocked by a finding"),
    ("unsupported", "120", "120 cases need what it does not support"),
    ("not-reached", "", "no case"),
)


def matrix(record: RunRecord, *, links: Mapping[str, str], known: Collection[str], reasons: Mapping[str, str]) -> Html:
    """Return all requirements of a run as HTML.

    Args:
        record: The run.
        links: Requirement id -> address of its first failure on the page.
        known: Ids of the requirements whose failures are all in the baseline.
        reasons: Requirement id -> why it was not judged in some cases, empty if it was in all.
    """
    counts = Counter(requirement.verdict for requirement in record.requirements)
    unjudged = ", ".join(f"{counts[name]} {STATUSES[name].label}" for name in UNJUDGED if counts[name])
    judged = sum(counts[name] for name in JUDGED)
    worklogs = list(dict.fromkeys(requirement.worklog for requirement in record.requirements))
    key = (
        element(
            "li",
            element("span", STATUSES[name].symbol, " ", numbers, class_=f"cell {name}"),
            element("span", f" {meaning}"),
        )
        for name, numbers, meaning in _KEY
    )
    return fragment(
        element(
            "p",
            f"{judged} of the {len(record.requirements)} requirements of this run were judged. ",
            f"Not judged, and so not shown to hold: {unjudged}." if unjudged else None,
        ),
        element(
            "ul",
            key,
            element("li", element("span", "\u00a0", class_="cell not-applicable"), " other profiles only"),
            class_="key",
        ),
        (
            _worklog(
                name,
                [requirement for requirement in record.requirements if requirement.worklog == name],
                record.header.profiles,
                links,
                known,
                reasons,
            )
            for name in worklogs
        ),
    )
