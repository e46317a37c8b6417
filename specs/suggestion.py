"""Suggestions: the names that a mistyped one may have been meant for."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

#: The most names that a message lists; of more, it names the command that lists them.
_MOST: Final = 12


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return the question whether a similar name was meant, empty if there is none: ``did you mean a or b?``."""
    by_lower = {each.lower(): each for each in names}
    close = [by_lower[each] for each in get_close_matches(name.lower(), by_lower)]
    return f"did you mean {' or '.join(close)}?" if close else ""


def unknown(kind: str, name: str, names: Iterable[str], *, plural: str, command: str = "") -> str:
    """Return the error about a name that does not exist, in one line.

    Args:
        kind: What it would name: ``family``.
        name: The name.
        names: The names that there are.
        plural: What they name: ``families``.
        command: The command of the kit that lists them, empty if none does.
    """
    every = list(names)
    listed = f"the {plural} are {', '.join(every)}"
    if command and len(every) > _MOST:
        listed = f"`binlog-conformance {command}` lists the {plural}"
    return "; ".join(filter(None, (f"no {kind} {name!r}", listed, suggestion(name, every))))
