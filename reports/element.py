"""HTML elements as functions: the only place where text becomes HTML, escaped and without invisible characters."""

import html
from collections.abc import Iterable
from typing import Final

from conformance.reports.foreign_text import visible

_VOID: Final = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "wbr"})


class Html(str):
    """Text that is already HTML; any other text is escaped before it is put into an element."""

    __slots__ = ()


#: The possible children of an element. None is nothing; numbers are written unchanged.
Child = str | int | None | Iterable["Child"]


def _rendered(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return str(child)
    if isinstance(child, str):
        return html.escape(visible(child))
    if isinstance(child, int):
        return str(child)
    return "".join(map(_rendered, child))


def fragment(*children: Child) -> Html:
    """Return the children one after the other, without an element around them."""
    return Html("".join(map(_rendered, children)))


def element(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Html:
    """Return an HTML element.

    Args:
        name: The tag's name.
        children: Its content; text is escaped.
        attributes: Its attributes; ``class_`` is ``class``, other underscores become hyphens. False and None
            leave an attribute out, True writes it without a value.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        written = key.rstrip("_").replace("_", "-")
        parts.append(written if value is True else f'{written}="{html.escape(visible(str(value)))}"')
    opened = f"<{' '.join(parts)}>"
    return Html(opened if name in _VOID else f"{opened}{''.join(map(_rendered, children))}</{name}>")


def scrolling_table(heads: Iterable[str], rows: Iterable[Html], *, class_: str) -> Html:
    """Return a table that scrolls by itself if it is wider than the page."""
    table = element(
        "table",
        element("thead", element("tr", (element("th", head, scope="col") for head in heads))),
        element("tbody", rows),
        class_=class_,
    )
    return element("div", table, class_="scroll")
