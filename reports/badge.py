"""The badge: a small SVG picture of how many requirements hold, of those that the kit can judge."""

from typing import Final

from conformance.reports.outcome import Outcome, number_of, outcome
from conformance.reports.record import RunRecord
from conformance.reports.status import TROUBLES

_LABEL: Final = "binlog conformance"
_HEIGHT: Final = 20
_PADDING: Final = 7
#: The narrow characters of an 11 px sans-serif; the estimated width may be off, as the picture stretches the text.
_NARROW: Final = frozenset("filjtrI/.: 1")
_COLOURS: Final = {
    "conforming": "#166f3b",
    "not conforming": "#c0272d",
    "cut off": "#5c6270",
    "nothing judged": "#5c6270",
}


def _width(text: str) -> int:
    return round(sum(4.2 if character in _NARROW else 6.7 for character in text)) + 2 * _PADDING


def _without_answer(run: Outcome) -> list[str]:
    return [f"{number:,} {TROUBLES[status]}" for status, number in run.troubles.items()]


def _findings(run: Outcome) -> list[str]:
    return [number_of(run.findings, "finding")] if run.findings else []


def badge_picture(record: RunRecord) -> str:
    """Return the badge of a run as SVG: how many cases crashed, the findings, and how many requirements hold.

    A requirement that was not reached, or that the implementation does not support, counts as one that does not hold;
    only those that the kit cannot judge are left out.
    """
    run = outcome(record)
    value = (
        "cut off"
        if run.verdict == "cut off"
        else ", ".join([*_without_answer(run), *_findings(run), f"{run.passed}/{run.possible}"])
    )
    left, right = _width(_LABEL), _width(value)
    title = f"{_LABEL}: {value}" if value == run.verdict else f"{_LABEL}: {value}, {run.headline}"

    def text(words: str, start: int, width: int) -> str:
        return (
            f'<text x="{start + width / 2:g}" y="14" textLength="{width - 2 * _PADDING}" '
            f'lengthAdjust="spacingAndGlyphs">{words}</text>'
        )

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="{_HEIGHT}" rx="4"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="#3a4151"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{_COLOURS[run.verdict]}"/></g>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{text(_LABEL, 0, left)}{text(value, left, right)}</g></svg>\n"
    )
