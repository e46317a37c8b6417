"""The comparison of two runs as plain lines and as Markdown."""

from collections.abc import Iterable, Iterator
from typing import Final

from conformance.reports.comparison import run_name, run_of
from conformance.reports.foreign_text import elided, one_line, visible_line
from conformance.reports.markdown import code_span, escaped_text
from conformance.reports.outcome import number_of
from conformance.reports.replay_line import short_replay
from conformance.specs.run_comparison import ComparedFinding, ComparedRequirement, RunComparison

#: Findings of each kind that Markdown has in full.
_FINDINGS: Final = 20
_CHARACTERS: Final = 300

#: Attribute of a comparison -> its heading.
REQUIREMENTS: Final = {
    "broke": "Broke",
    "only_first": "Judged in A only",
    "fixed": "Fixed",
    "only_second": "Judged in B only",
}
FINDINGS: Final = {"new": "New findings", "gone": "Findings gone", "same": "Findings in both"}


def requirements_of(comparison: RunComparison) -> Iterator[tuple[str, str, tuple[ComparedRequirement, ...]]]:
    """Yield the key, the heading and the entries of each list of requirements that is not empty."""
    for key, title in REQUIREMENTS.items():
        entries: tuple[ComparedRequirement, ...] = getattr(comparison, key)
        if entries:
            yield key, title, entries


def findings_in(comparison: RunComparison) -> Iterator[tuple[str, str, tuple[ComparedFinding, ...]]]:
    """Yield the key, the heading and the entries of each list of findings that is not empty."""
    for key, title in FINDINGS.items():
        entries: tuple[ComparedFinding, ...] = getattr(comparison, key)
        if entries:
            yield key, title, entries


def count_of(findings: Iterable[ComparedFinding]) -> int:
    """Return the number of findings as reports count them: one for each cause, in whatever groups of profiles."""
    return len({each.signature for each in findings})


def change(requirement: ComparedRequirement) -> str:
    """Return how the verdict changed."""
    return f"{requirement.before or 'not selected'} -> {requirement.after or 'not selected'}"


def verdict_sentence(comparison: RunComparison) -> str:
    """Return whether the second run is worse, with the numbers."""
    numbers = [
        f"{len(comparison.broke)} broke",
        f"{len(comparison.fixed)} fixed",
        *([f"{len(comparison.only_first)} judged in A only"] if comparison.only_first else []),
        *([f"{len(comparison.only_second)} judged in B only"] if comparison.only_second else []),
    ]
    findings = f"{count_of(comparison.new)} new, {count_of(comparison.gone)} gone, {count_of(comparison.same)} in both"
    if comparison.worse:
        word = "B is worse than A"
    elif comparison.fixed or comparison.gone:
        word = "B is better than A"
    else:
        word = "B is not worse than A"
    return f"{word}: requirements {', '.join(numbers)}; findings {findings}."


def comparison_lines(comparison: RunComparison, *, kept: bool = False) -> Iterator[str]:
    """Yield a comparison as lines for a terminal.

    Args:
        comparison: What changed.
        kept: The paths of its runs are those of records that `replay` can read: its lines have the short ids of cases.
    """
    for letter, run in (("A", comparison.first), ("B", comparison.second)):
        held = f"{run.passed} requirements hold, {run.broken} are broken"
        yield one_line(f"{letter}: {run_name(run)}, {run.started}, {number_of(run.cases, 'case')}: {held} ({run.path})")
    for difference in comparison.differences:
        yield one_line(f"differs: {elided(difference, _CHARACTERS)}")
    for _, title, requirements in requirements_of(comparison):
        for each in requirements:
            yield one_line(f"{title[0].lower()}{title[1:]}: {each.id} ({change(each)})")
    for key, _, findings in findings_in(comparison):
        for finding in findings:
            record = run_of(comparison, finding).path
            yield from _finding_lines(key, finding, short_replay(finding, record) if kept else finding.replay)
    yield verdict_sentence(comparison)


def _finding_lines(word: str, finding: ComparedFinding, replay: str) -> Iterator[str]:
    counts = f"{finding.before:,} -> {finding.after:,} cases"
    signature = elided(finding.signature, _CHARACTERS)
    yield one_line(f"{word}: {signature} (in {finding.group}, {counts}): {', '.join(finding.requirements)}")
    if word != "same":
        yield f"    {visible_line(replay)}"


def comparison_markdown(comparison: RunComparison) -> str:
    """Return a comparison as Markdown, short enough for a pull request."""
    names = [escaped_text(run_name(run)) for run in (comparison.first, comparison.second)]
    symbol = "\u274c" if comparison.worse else "\u2705"
    lines = [f"### {symbol} {names[1]} (B) compared with {names[0]} (A)", "", verdict_sentence(comparison), ""]
    lines += [f"- differs: {escaped_text(each)}" for each in comparison.differences]
    for _, title, requirements in requirements_of(comparison):
        lines += ["", f"**{title}** ({len(requirements)})", "", "| requirement | A | B |", "| --- | --- | --- |"]
        lines += [
            f"| {code_span(each.id)} | {each.before or 'not selected'} | {each.after or 'not selected'} |"
            for each in requirements
        ]
    for key, title, findings in findings_in(comparison):
        lines += ["", f"**{title}** ({count_of(findings)})", ""]
        if key != "same":
            lines += _markdown_findings(findings)
    return "\n".join(lines) + "\n"


def _markdown_findings(findings: Iterable[ComparedFinding]) -> list[str]:
    listed = list(findings)
    lines = [
        f"- {escaped_text(each.signature)} (in {escaped_text(each.group)}): "
        f"{code_span(', '.join(each.requirements), _CHARACTERS)}, case {code_span(each.short_case)}"
        for each in listed[:_FINDINGS]
    ]
    if len(listed) > _FINDINGS:
        lines.append(f"- and {len(listed) - _FINDINGS} more")
    return lines
