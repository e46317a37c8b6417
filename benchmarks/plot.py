"""A plot of measures: how far each is from what is wanted of it, as SVG."""

from collections.abc import Iterable
from html import escape
from math import log10
from typing import Final

from measure import Measure

_ROW: Final = 26
_LABEL: Final = 330
_SCALE: Final = 260
#: The plot shows a tenth to ten times of what is wanted.
_DECADE: Final = 1.0


def plot(measures: Iterable[Measure]) -> str:
    """Return an SVG in which each measure with a limit has a row: the median, and the line from least to most.

    The vertical line is what is wanted; whatever is right of it has reached it.
    """
    rows = [each for each in measures if each.wanted is not None]
    height = _ROW * len(rows) + 30
    middle = _LABEL + _SCALE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{middle + _SCALE + 20}" height="{height}"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<line x1="{middle}" y1="4" x2="{middle}" y2="{height - 24}" stroke="#888"/>',
    ]
    for number, measure in enumerate(rows):
        y = _ROW * number + 18
        low, high = (_place(measure, value) for value in (min(measure.samples), max(measure.samples)))
        colour = "#2a7" if measure.reached else "#c43"
        parts += [
            f'<text x="8" y="{y + 4}">{escape(f"{measure.part}: {measure.name}")}</text>',
            f'<line x1="{low:.0f}" y1="{y}" x2="{high:.0f}" y2="{y}" stroke="{colour}" stroke-width="2"/>',
            f'<circle cx="{_place(measure, measure.value):.0f}" cy="{y}" r="4" fill="{colour}"/>',
        ]
    for factor, text in ((0.1, "a tenth"), (1, "as wanted"), (10, "ten times as good")):
        x = middle + _SCALE * log10(factor) / _DECADE
        parts.append(f'<text x="{x:.0f}" y="{height - 8}" text-anchor="middle" fill="#555">{text}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _place(measure: Measure, value: float) -> float:
    """Return where a value is, in pixels from the left."""
    assert measure.wanted is not None, "a row has a limit"
    sign, limit = measure.wanted
    factor = value / limit if sign == ">=" else limit / value
    return _LABEL + _SCALE * (1 + max(-_DECADE, min(log10(factor) / _DECADE, _DECADE)))
