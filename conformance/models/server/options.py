"""Settings as options: how they are written on the command line, and the spellings of a boolean."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from conformance.models.server.settings import Settings

#: Value of an option that is on or off -> the ways in which it may be written besides the word itself, without quotes.
SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "ON": ("1", "on", "On", "true", "TRUE"),
    "OFF": ("0", "off", "Off", "false", "FALSE"),
}
_DASHES: Final = "--"
_SKIP: Final = "skip_"
_BOOLEANS: Final = frozenset(each.name for each in fields(Settings) if type(each.default) is bool)
_NAMES: Final = frozenset(each.name for each in fields(Settings)) - {"profile", "server_uuid"}


def option_of(name: str, value: str) -> tuple[str, str]:
    """Return a setting's name and its value, ``ON`` or ``OFF`` for a boolean, of an option.

    Args:
        name: The name, or as on the command line: ``--binlog-rows-query-log-events``, ``--skip-...``.
        value: The value; empty on the command line for an option that its name alone switches.

    Raises:
        ValueError: No such setting can be given to a server that starts.
    """
    given = name
    if name.startswith(_DASHES):
        name = name.removeprefix(_DASHES).replace("-", "_")
        if name.startswith(_SKIP) and not value:
            name, value = name.removeprefix(_SKIP), "OFF"
        elif not value:
            value = "ON"
    if name not in _NAMES:
        raise ValueError(f"a restart cannot change {given!r}")
    if name in _BOOLEANS:
        words = {spelling: word for word, spellings in SPELLINGS.items() for spelling in (word, *spellings)}
        value = words.get(value, value)
    return name, value
