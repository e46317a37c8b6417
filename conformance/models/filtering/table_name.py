"""Names of tables in rules and in tables info."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_PART: Final = r"(?:`((?:[^`]|``)+)`|([^`.]+))"
_QUALIFIED: Final = re.compile(rf"{_PART}\.{_PART}", re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """A table by its database and name, which are the same in case wherever they mean the same table.

    Attributes:
        database: The database; empty if a statement has no default database.
        name: The table; empty if a statement means the whole database, such as ``CREATE DATABASE``.
    """

    database: str
    name: str

    def __str__(self) -> str:
        return f"{self.database}.{self.name}" if self.name else self.database

    @classmethod
    def parse(cls, text: str) -> "TableName":
        """Return the table that a text such as ``db.t`` names; a part with a dot in it is in backticks.

        Raises:
            ValueError: The text is not a database and a table.
        """
        match = _QUALIFIED.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r} is not a valid table: write database.table, with backticks around a name that has a dot"
            )
        quoted_database, database, quoted_name, name = match.groups()
        return cls(_plain(quoted_database, database), _plain(quoted_name, name))


def _plain(quoted: str | None, bare: str | None) -> str:
    return quoted.replace("``", "`") if quoted is not None else bare or ""


def as_text(data: bytes) -> str:
    """Return the bytes of a name or a statement as text; those that are not UTF-8 become surrogates."""
    return data.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """Return the bytes from which `as_text` made a text."""
    return text.encode("utf-8", "surrogateescape")


def named_by(tables_info: Iterable[Mapping[str, bytes]], default_database: str) -> tuple[TableName, ...]:
    """Return the tables that tables info names, in its order (WL#40, section 1).

    Args:
        tables_info: The tuples, as the layout of the extended Query event reads them.
        default_database: The event's database, which an empty name means.
    """
    return tuple(
        TableName(as_text(each["database"]) or default_database, as_text(each["table"])) for each in tables_info
    )


def tuples_of(tables: Sequence[TableName], default_database: str) -> tuple[dict[str, bytes], ...]:
    """Return the tuples of tables info that name tables: those of the default database without its name."""
    return tuple(
        {
            "database": b"" if each.database == default_database else as_bytes(each.database),
            "table": as_bytes(each.name),
        }
        for each in tables
    )
