"""The requirement catalogue, read from `specs/requirements/*.toml`."""

import fnmatch
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

from conformance.specs.versions import Profiles

Level = Literal["must", "should", "may"]
#: The roles of an implementation, in the order in which reports list them.
ROLES: Final = ("decode", "boundary", "filter", "decide", "render", "relay", "apply", "log")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a worklog: its id in the requirements audit and the words by which it is located."""

    id: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """One normative rule, merged from the worklog statements that have the same content.

    Attributes:
        id: Stable name, such as ``WL4162-TT-SELF-START``.
        worklog: The document it is from, such as ``WL#4162``.
        level: ``must``, ``should`` or ``may``.
        role: The role in which it is judged, one of `ROLES`.
        text: A paraphrase of the rule.
        section: Where it is in the document.
        statements: The statements it covers; empty for a table row that shares its statement
            and for rules of the wire format that the worklogs take for granted.
        holds: The servers for which it holds.
        families: The families whose streams exercise it.
        settles: Contradictions and silences of the documents that `interpretation` decides.
        interpretation: The kit's reading where the text leaves one open.
        untestable: Why no outside kit can test it, or None.
    """

    id: str
    worklog: str
    level: Level
    role: str
    text: str
    section: str
    statements: tuple[Statement, ...]
    holds: Profiles
    families: tuple[str, ...]
    settles: tuple[str, ...] = ()
    interpretation: str | None = None
    untestable: str | None = None


def _folded(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())


def _requirement(worklog: str, entry: dict[str, Any]) -> Requirement:
    return Requirement(
        id=entry["id"],
        worklog=worklog,
        level=entry["level"],
        role=entry["role"],
        text=" ".join(entry["text"].split()),
        section=" ".join(entry["section"].split()),
        statements=tuple(Statement(**statement) for statement in entry["statements"]),
        holds=Profiles(*entry["holds"]),
        families=tuple(entry["families"]),
        settles=tuple(entry.get("settles", ())),
        interpretation=_folded(entry.get("interpretation")),
        untestable=_folded(entry.get("untestable")),
    )


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each catalogue file as (file name, parsed TOML), in the order of their names."""
    folder = resources.files("conformance.specs") / "requirements"
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".toml"):
            yield file.name, tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def catalogue() -> dict[str, Requirement]:
    """Return every requirement by id, in the order of the files."""
    entries: dict[str, Requirement] = {}
    for name, document in documents():
        for entry in document["requirement"]:
            if entry["id"] in entries:
                raise ValueError(f"{name}: requirement {entry['id']} is already in the catalogue")
            try:
                entries[entry["id"]] = _requirement(document["worklog"], entry)
            except ValueError as error:
                raise ValueError(f"{name}: requirement {entry['id']}: {error}") from error
    return entries


@cache
def governing(role: str, profile: str) -> dict[str, bool]:
    """Return by requirement id whether it belongs to a role and holds under a profile."""
    return {id_: entry.role == role and profile in entry.holds for id_, entry in catalogue().items()}


def select(*, worklog: str | None = None, role: str | None = None, pattern: str | None = None) -> list[Requirement]:
    """Return the requirements of one worklog, one role, or with an id that matches a glob.

    Args:
        worklog: ``WL#4033``, ``WL4033`` or ``4033``; ``format`` for the wire format's own rules.
        role: One of `ROLES`.
        pattern: A shell-style glob over requirement ids.

    Raises:
        ValueError: The worklog or the role does not exist.
    """
    selected = list(catalogue().values())
    if worklog is not None:
        wanted = worklog.upper().replace("WL", "").replace("#", "")
        known = {requirement.worklog.upper().replace("WL#", "") for requirement in selected}
        if wanted not in known:
            raise ValueError(f"no worklog {worklog!r}; the catalogue has {', '.join(sorted(known))}")
        selected = [each for each in selected if each.worklog.upper().replace("WL#", "") == wanted]
    if role is not None:
        if role not in ROLES:
            raise ValueError(f"no role {role!r}; the roles are {', '.join(ROLES)}")
        selected = [each for each in selected if each.role == role]
    if pattern is not None:
        selected = [each for each in selected if fnmatch.fnmatchcase(each.id, pattern)]
    return selected
