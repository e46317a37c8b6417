"""Annotations of GitHub Actions: a workflow command for each finding, which a run's page and a pull request show."""

from typing import Final

from conformance.reports.case_alias import case_alias
from conformance.reports.findings import Finding, findings_of
from conformance.reports.foreign_text import elided, one_line
from conformance.reports.outcome import outcome
from conformance.reports.record import RunRecord

#: Of each step GitHub shows ten errors and ten notices; more findings are counted.
_SHOWN: Final = 9
_CHARACTERS: Final = 500
_COMMANDS: Final = {"conforming": "notice", "not conforming": "error", "cut off": "error", "nothing judged": "error"}


def _data(text: str) -> str:
    """Return the text of a workflow command, in which a percent sign and line ends have codes."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _line(text: str) -> str:
    return one_line(elided(text, _CHARACTERS))


def _command(name: str, title: str, *lines: str) -> str:
    return f"::{name} title={_property(_line(title))}::{_data(chr(10).join(map(_line, lines)))}"


def _finding(finding: Finding) -> str:
    failure = finding.first
    return _command(
        "error",
        f"{finding.number}. {finding.signature}",
        finding.outline,
        failure.message,
        f"case {case_alias(failure.case)}; {failure.replay}",
    )


def annotations(record: RunRecord) -> str:
    """Return a run as workflow commands: one for each of the first new findings, and one for the verdict."""
    run = outcome(record)
    new = [finding for finding in findings_of(record) if finding.known is None]
    lines = [_finding(finding) for finding in new[:_SHOWN]]
    more = f"{len(new) - _SHOWN} more findings are in the report." if len(new) > _SHOWN else ""
    name = f"{record.header.implementation.name} {record.header.implementation.version}: {run.headline}"
    lines.append(_command(_COMMANDS[run.verdict], name, run.sentence, *run.notes, *([more] if more else [])))
    return "\n".join(lines) + "\n"
