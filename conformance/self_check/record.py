"""The record of a self-check: JSON lines with a header, a line for each mutant, and a footer.

A night's history is a folder with the headers and footers of earlier records, one file for each run.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from conformance.specs.conversion import Malformed, converted, parsed_json
from conformance.specs.files import read_text, write_text

#: Version of the record.
SCHEMA: Final = 1
#: Bytes of a record that are read.
_LIMIT: Final = 256 << 20
#: The newest runs that a history shows.
RUNS: Final = 60

#: What a cell came to: killed within the cases that `certify` asks by default; killed later; not noticed; a difference
#: that is not wrong, or nothing that can be, for a reason; a trigger and a difference that never came together.
Status = Literal["killed", "late", "survived", "explained", "never"]


class CellLine(Struct, frozen=True, omit_defaults=True):
    """One mutant under one trigger."""

    status: Status
    after: Annotated[int | None, Meta(description="Cases that were asked until it was killed.")] = None
    blamed: Annotated[tuple[str, ...], Meta(description="The requirements that the first finding breaks.")] = ()
    right_after: Annotated[
        int | None, Meta(description="Cases that were asked until its own requirement was the first that was blamed.")
    ] = None
    case: Annotated[str | None, Meta(description="The case that killed it.")] = None
    reason: Annotated[str | None, Meta(description="Why it cannot be killed.")] = None


class MutantLine(Struct, frozen=True, tag_field="kind", tag="mutant"):
    """One mutant under every trigger."""

    role: str
    mutant: str
    requirement: str
    text: Annotated[str, Meta(description="What it does wrong.")]
    triggers: Annotated[dict[str, CellLine], Meta(description="Trigger -> what it came to.")]


class Header(Struct, frozen=True, tag_field="kind", tag="header"):
    """What was run."""

    schema: Literal[1]
    kit: str
    started: Annotated[str, Meta(description="When, in UTC.")]
    seed: int
    roles: tuple[str, ...]


class Totals(Struct, frozen=True):
    """What the cells of one role came to.

    Attributes:
        mutants: How many mutants.
        triggers: How many triggers, in their forms.
        cases: Cases that were asked.
        seconds: How long it took.
        killed: Cells that were killed within the cases that `certify` asks by default.
        late: Cells that were killed later.
        right: Of the killed ones, those whose first finding breaks the mutant's own requirement.
        right_later: Those of which another case blames it first.
        survived: Cells that nobody noticed.
        explained: Cells that cannot be filled, for a reason.
        never: Cells whose trigger and difference never came together.
        survivors: The cells that survived, as mutant and trigger.
    """

    mutants: int
    triggers: int
    cases: int
    seconds: float
    killed: int
    late: int
    right: int
    right_later: int
    survived: int
    explained: int
    never: int
    survivors: tuple[str, ...]

    @property
    def occurred(self) -> int:
        """The cells in which the trigger and a difference came together."""
        return self.killed + self.late + self.survived

    @property
    def killed_share(self) -> float:
        """The share of these that was killed within the cases that `certify` asks by default."""
        return self.killed / self.occurred if self.occurred else 1.0

    @property
    def right_share(self) -> float:
        """The share of the killed ones in which the right requirement is blamed first."""
        killed = self.killed + self.late
        return self.right / killed if killed else 1.0


class Footer(Struct, frozen=True, tag_field="kind", tag="footer"):
    """How it ended."""

    totals: Annotated[dict[str, Totals], Meta(description="Role -> what its cells came to.")]


@dataclass(frozen=True, slots=True)
class SelfCheckRecord:
    """The record of one self-check.

    Attributes:
        header: What was run.
        mutants: Each mutant under every trigger; none in a history.
        footer: How it ended.
    """

    header: Header
    mutants: Sequence[MutantLine]
    footer: Footer


def write_record(path: Path, record: SelfCheckRecord) -> None:
    """Write a record.

    Raises:
        OSError: The file cannot be written.
    """
    lines: Iterable[Struct] = (record.header, *record.mutants, record.footer)
    write_text(path, "".join(f"{_json(line)}\n" for line in lines))


def _json(line: Struct) -> str:
    return json.dumps(msgspec.to_builtins(line), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read_record(path: Path) -> SelfCheckRecord:
    """Read a record.

    Raises:
        OSError: The file cannot be read.
        Malformed: It is not the whole record of a self-check.
    """
    entries: list[Any] = [parsed_json(line) for line in read_text(path, limit=_LIMIT).splitlines()]
    kinds = [entry.get("kind") if isinstance(entry, dict) else None for entry in entries]
    if len(kinds) < 2 or kinds[0] != "header" or kinds[-1] != "footer" or set(kinds[1:-1]) - {"mutant"}:
        raise Malformed("not the record of a self-check: expected a header, lines of mutants and a footer")
    mutants = [converted(entry, MutantLine) for entry in entries[1:-1]]
    return SelfCheckRecord(converted(entries[0], Header), mutants, converted(entries[-1], Footer))


def add_to_history(folder: Path, record: SelfCheckRecord) -> None:
    """Write what a history keeps of a record: one file in the folder, which is made if it does not exist.

    Raises:
        OSError: It cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = record.header.started.replace(":", "")
    write_record(folder / f"{name}.jsonl", SelfCheckRecord(record.header, (), record.footer))


def read_history(folder: Path) -> list[SelfCheckRecord]:
    """Return the newest runs of a history, the oldest first.

    Raises:
        OSError: A file cannot be read.
        Malformed: A file is not a record; the message begins with its name.
    """
    records = []
    for path in sorted(folder.glob("*.jsonl"))[-RUNS:]:
        try:
            records.append(read_record(path))
        except Malformed as error:
            raise Malformed(f"{path}: {error}") from error
    return records
