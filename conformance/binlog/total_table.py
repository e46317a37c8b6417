"""Total tables: an entry for each member of an enumeration, checked when the table is made.

A table that is read with a fallback hides what was forgotten: a new event type gets the fallback in every model, and
every test stays green. A total table has its fallbacks as written sets, so a type that is in neither fails when the
module is imported.
"""

from collections.abc import Collection, Container, Iterable, Mapping
from enum import Enum
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class IncompleteTable(LookupError):
    """A table has no entry for a key, or two."""


def total(
    table: str,
    keys: Iterable[Key],
    entries: Mapping[Key, Value],
    *,
    entry: str,
    rest: Mapping[Collection[Key], Value] | None = None,
) -> dict[Key, Value]:
    """Return a table that has an entry for each of its keys: the entries, then those of the rest.

    Args:
        table: The table's full name, for the error.
        keys: What it must have an entry for.
        entries: Its entries, one key each.
        entry: What an entry is, for the error, such as ``the layout of its body``.
        rest: Sets of keys -> the entry that all keys of the set have which are not in `entries`.

    Raises:
        IncompleteTable: A key is in neither, or in two sets of `rest`.
    """
    complete: dict[Key, Value] = dict(entries)
    for group, value in (rest or {}).items():
        for key in group:
            if key not in entries and key in complete:
                raise IncompleteTable(f"{table} has {_name(key)} in two sets of its rest: take it out of one")
            complete.setdefault(key, value)
    check_complete(table, keys, complete, entry=f"{entry}, or name it in the table's rest" if rest else entry)
    return complete


def check_complete(table: str, keys: Iterable[Key], entries: Container[Key], *, entry: str) -> None:
    """Check that a table has an entry for each of its keys.

    Args:
        table: The table's full name, for the error.
        keys: What it must have an entry for.
        entries: Its entries.
        entry: What an entry is, for the error.

    Raises:
        IncompleteTable: It has none for a key.
    """
    missing = ", ".join(_name(key) for key in keys if key not in entries)
    if missing:
        raise IncompleteTable(f"{table} has no entry for {missing}: write {entry}")


def _name(key: object) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(map(_name, key))})"
    return f"{type(key).__name__}.{key.name}" if isinstance(key, Enum) else repr(key)
