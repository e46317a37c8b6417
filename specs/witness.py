"""What real servers were seen to do: which requirements each version kept, and which it broke, in which test.

The tables in `specs/witnesses` are written by `python -m tests.witnesses` from what runs of tests saw.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import Final, Literal, Self, get_args

from conformance.specs.catalogue import Requirement, catalogue
from conformance.specs.profiles import profile_named

#: What a server did with a requirement: it kept it wherever it was seen, or broke it at least once.
Sight = Literal["keeps", "breaks"]
#: The columns of a table, which its first line has.
COLUMNS: Final = ("requirement", "server", "seen", "test", "date")
#: The roles that a server has, and `render`, which it shares with the program of its release that prints logs; in the
#: others a reader is asked.
SERVER_ROLES: Final = ("decide", "send", "relay", "apply", "log", "render")


@dataclass(frozen=True, slots=True)
class Witness:
    """One row: what a server was seen to do in a test.

    Attributes:
        requirement: The requirement's id.
        server: The server's release, as a profile: ``mysql-5.6.24``.
        seen: Whether it keeps the requirement or breaks it.
        test: The test that saw it, as file and name.
        day: When it was first seen to do so.
    """

    requirement: str
    server: str
    seen: Sight
    test: str
    day: date

    @property
    def key(self) -> tuple[str, str, str]:
        """What a table has one row for."""
        return self.requirement, self.server, self.test

    @property
    def order(self) -> tuple[str, tuple[int, tuple[int, int, int]], str]:
        """Its place in a table: by requirement, then by version, then by test."""
        return self.requirement, profile_named(self.server).order, self.test

    def line(self) -> str:
        """Return the row as a line of a table."""
        return "\t".join((self.requirement, self.server, self.seen, self.test, self.day.isoformat()))

    @classmethod
    def parse(cls, line: str) -> Self:
        """Return the row that a line is.

        Raises:
            ValueError: It does not have the columns, names an unknown requirement or server, or has no valid date.
        """
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            raise ValueError(f"{line!r} is not a row of a table: write {', '.join(COLUMNS)}, with tabs between them")
        requirement, server, seen, test, day = cells
        if requirement not in catalogue():
            raise ValueError(f"{requirement!r} is not a requirement: `binlog-conformance requirements` lists them")
        if seen not in get_args(Sight):
            raise ValueError(f"{seen!r} is not what a server can do: write {' or '.join(get_args(Sight))}")
        profile_named(server)
        return cls(requirement, server, "keeps" if seen == "keeps" else "breaks", test, date.fromisoformat(day))


def read_table(text: str) -> list[Witness]:
    """Return the rows of a table.

    Raises:
        ValueError: A line is not a row; the message has its number.
    """
    rows = []
    for number, line in enumerate(text.splitlines()[1:], 2):
        try:
            rows.append(Witness.parse(line))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return rows


def table_text(rows: Iterable[Witness]) -> str:
    """Return the table of rows, in its order."""
    lines = ("\t".join(COLUMNS), *(each.line() for each in sorted(rows, key=lambda each: each.order)))
    return "".join(f"{line}\n" for line in lines)


@cache
def witnesses() -> Mapping[str, tuple[Witness, ...]]:
    """Return all rows of `specs/witnesses`, by requirement."""
    tables: dict[str, list[Witness]] = {}
    folder = resources.files("conformance.specs") / "witnesses"
    for path in sorted(folder.iterdir(), key=lambda each: each.name):
        for each in read_table(path.read_text(encoding="utf-8")):
            tables.setdefault(each.requirement, []).append(each)
    return {name: tuple(sorted(rows, key=lambda each: each.order)) for name, rows in tables.items()}


def sight_of(rows: Iterable[Witness]) -> str:
    """Return what servers were seen to do: ``seen on mysql-5.6.24, mysql-9.7.4; mysql-5.5.9 does otherwise``."""
    servers: dict[str, set[Sight]] = {}
    for each in sorted(rows, key=lambda each: each.order):
        servers.setdefault(each.server, set()).add(each.seen)
    keep = [name for name, seen in servers.items() if seen == {"keeps"}]
    others = [name for name, seen in servers.items() if "breaks" in seen]
    parts = [f"seen on {', '.join(keep)}"] if keep else []
    if others:
        parts.append(f"{', '.join(others)} {'does' if len(others) == 1 else 'do'} otherwise")
    return "; ".join(parts)


def needs_witness(requirement: Requirement) -> bool:
    """Return whether a requirement is on servers that are shipped, so that one of them can be seen to keep it."""
    shipped = any(each.product != "worklog" for each in requirement.holds.ranges)
    return requirement.role in SERVER_ROLES and requirement.untestable is None and shipped


def without_witness() -> Iterator[Requirement]:
    """Yield the requirements on servers that no server was seen to keep: the gaps."""
    seen = witnesses()
    for each in catalogue().values():
        if needs_witness(each) and not any(row.seen == "keeps" for row in seen.get(each.id, ())):
            yield each
