"""Markdown: a summary short enough for a pull request."""

import re
from typing import Final

from conformance.reports.findings import Finding, findings_of
from conformance.reports.foreign_text import elided, one_line, visible_line
from conformance.reports.outcome import outcome
from conformance.reports.record import RunRecord
from conformance.reports.replay_line import readable_replay
from conformance.reports.status import STATUSES, TROUBLES

#: Findings beyond these are counted; the other reports have them.
_FINDINGS: Final = 20
_MESSAGE_CHARACTERS: Final = 400
_NAME_CHARACTERS: Final = 100
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]()<>#+!|~$&-])")
_TICKS: Final = re.compile("`+")
_SYMBOLS: Final = {
    "conforming": "\u2705",
    "not conforming": "\u274c",
    "cut off": "\u26a0\ufe0f",
    "nothing judged": "\u26a0\ufe0f",
}


def escaped_text(text: str, limit: int = _MESSAGE_CHARACTERS) -> str:
    """Return foreign text on one line, escaped so that Markdown shows it unchanged and notifies nobody."""
    escaped = _MARKUP.sub(r"\\\1", one_line(elided(text, limit)))
    # Markdown decodes HTML entities; a word joiner keeps "@name" and "www." from becoming a mention or a link.
    return escaped.replace("@", "@\u2060").replace("://", ":\u2060//").replace("www.", "www\u2060.")


def code_span(text: str, limit: int = _NAME_CHARACTERS) -> str:
    """Return foreign text as a code span, which a cell of a table can hold too."""
    shown = visible_line(elided(text, limit)).replace("|", "\u2502") or " "
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    return f"{fence} {shown} {fence}" if "`" in shown else f"{fence}{shown}{fence}"


def _block(text: str) -> str:
    """Return a complete line as a fenced block, so that it can be copied."""
    shown = visible_line(text)
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    return f"{fence}sh\n{shown}\n{fence}"


def _finding(finding: Finding) -> list[str]:
    status = STATUSES[finding.status]
    failure = finding.first
    broken = f": {code_span(finding.broken, _MESSAGE_CHARACTERS)}" if finding.broken else ""
    profiles = code_span(", ".join(finding.profiles), _MESSAGE_CHARACTERS)
    return [
        f"**{finding.number}. {status.symbol} {status.label}** {escaped_text(finding.signature)}",
        "",
        f"{finding.extent}{broken}{finding.beside}, in {profiles}",
        "",
        *([f"Rule: {escaped_text(finding.rule)}", ""] if finding.rule else []),
        escaped_text(failure.message),
        "",
        *([escaped_text(failure.departure_note), ""] if failure.departure else []),
        # The record is in the folder of the summary.
        _block(readable_replay(failure, "run.jsonl")),
        "",
    ]


def markdown_report(record: RunRecord) -> str:
    """Return the summary of a run as Markdown: the verdict, the numbers, each new finding with its replay line."""
    run = outcome(record)
    implementation = record.header.implementation
    name, version = (escaped_text(each, _NAME_CHARACTERS) for each in (implementation.name, implementation.version))
    shown = [status for status, number in run.counts.items() if number]
    lines = [
        f"### Binary log conformance of {name} {version}: {_SYMBOLS[run.verdict]} {run.headline}",
        "",
        escaped_text(run.sentence),
        "",
    ]
    for note in run.notes:
        lines += [escaped_text(note), ""]
    if shown:
        columns = [("findings", run.findings)] if run.findings else []
        columns += [(f"cases that {TROUBLES[name]}", number) for name, number in run.troubles.items()]
        columns += [(STATUSES[name].label, run.counts[name]) for name in shown]
        symbols = [STATUSES[name].symbol for name in (*["fail"] * bool(run.findings), *run.troubles, *shown)]
        lines += [
            "| " + " | ".join(f"{symbol} {label}" for symbol, (label, _) in zip(symbols, columns, strict=True)) + " |",
            "|" + " ---: |" * len(columns),
            "| " + " | ".join(str(number) for _, number in columns) + " |",
            "",
        ]
    findings = findings_of(record)
    new = [finding for finding in findings if finding.known is None]
    known = [finding for finding in findings if finding.known is not None]
    for finding in new[:_FINDINGS]:
        lines += _finding(finding)
    if len(new) > _FINDINGS:
        lines += [f"{len(new) - _FINDINGS} more findings: see the HTML report.", ""]
    if known:
        lines += ["<details><summary>Known findings: " + f"{len(known)}</summary>", ""]
        lines += [
            f"- {code_span(finding.signature)}: {escaped_text(finding.known or '')}"
            for finding in known[: 5 * _FINDINGS]
        ]
        lines += ["", "</details>", ""]
    profiles = ", ".join(code_span(profile) for profile in record.header.profiles)
    kit = escaped_text(" with ".join((record.header.kit, *record.header.extensions)))
    lines.append(f"Profiles {profiles}; seed {record.header.seed}; kit {kit}.")
    return "\n".join(lines) + "\n"
