"""Charts of a trend as SVG inside a page: the findings of each night, and the cases of one finding night by night."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from conformance.reports.element import Html, element

#: Units of the charts' own coordinates.
_WIDTH: Final = 720
_HEIGHT: Final = 150
_MARGIN: Final = 24
_SPARK_WIDTH: Final = 120
_SPARK_HEIGHT: Final = 22


def night_chart(lines: Mapping[str, Sequence[int]], nights: Sequence[str]) -> Html:
    """Return a chart with a line for each kind of count.

    Args:
        lines: Name of a line, which is its CSS class too -> its count in each night.
        nights: What to call each night, as many as there are counts.
    """
    most = max((count for counts in lines.values() for count in counts), default=0) or 1
    width, height = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN

    def point(index: int, count: int) -> tuple[float, float]:
        step = width / max(len(nights) - 1, 1)
        return _MARGIN + index * step, _HEIGHT - _MARGIN - count * height / most

    parts = [
        element("line", x1=_MARGIN, x2=_WIDTH - _MARGIN, y1=_HEIGHT - _MARGIN, y2=_HEIGHT - _MARGIN, class_="axis"),
        element("text", most, x=_MARGIN - 6, y=_MARGIN + 4, text_anchor="end"),
        element("text", 0, x=_MARGIN - 6, y=_HEIGHT - _MARGIN + 4, text_anchor="end"),
        element("text", nights[0], x=_MARGIN, y=_HEIGHT - 6),
        element("text", nights[-1], x=_WIDTH - _MARGIN, y=_HEIGHT - 6, text_anchor="end") if len(nights) > 1 else None,
    ]
    for name, counts in lines.items():
        points = [point(index, count) for index, count in enumerate(counts)]
        parts.append(_line(points, name))
        parts += [
            _dot(x, y, 3, element("title", f"{night}: {count:,} {name}"), class_=name)
            for (x, y), count, night in zip(points, counts, nights, strict=True)
        ]
    about = "; ".join(f"{name}: {', '.join(f'{count:,}' for count in counts)}" for name, counts in lines.items())
    return element("svg", parts, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", class_="nights", role="img", aria_label=about)


def spark_line(counts: Sequence[int]) -> Html:
    """Return the cases of one finding night by night as a small line, on a logarithmic scale; none is at the bottom."""
    most = math.log1p(max(counts, default=0)) or 1.0
    step = _SPARK_WIDTH / max(len(counts) - 1, 1)
    points = [
        (index * step, _SPARK_HEIGHT - 2 - math.log1p(count) * (_SPARK_HEIGHT - 4) / most)
        for index, count in enumerate(counts)
    ]
    dots = (_dot(x, y, 2) for (x, y), count in zip(points, counts, strict=True) if count)
    return element(
        "svg",
        _line(points, "cases"),
        dots,
        viewBox=f"-2 0 {_SPARK_WIDTH + 4} {_SPARK_HEIGHT}",
        class_="spark",
        role="img",
        aria_label=", ".join(f"{count:,}" for count in counts),
    )


def _dot(x: float, y: float, radius: int, title: Html | None = None, *, class_: str | None = None) -> Html:
    return element("circle", title, cx=f"{x:.1f}", cy=f"{y:.1f}", r=radius, class_=class_)


def _line(points: Iterable[tuple[float, float]], name: str) -> Html:
    return element("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_=name)
