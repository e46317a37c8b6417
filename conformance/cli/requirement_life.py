"""The life of one requirement: its entry in the catalogue, and the families, the oracle and the mutants made for it."""

import textwrap
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import conformance.mutants
import conformance.oracles
from conformance.cli.source_places import Place, line_with, modules_of, place_of, rows_of
from conformance.mutants.mutant import Mutant
from conformance.mutants.registry import mutants
from conformance.oracles.oracle import Oracle
from conformance.specs.catalogue import Requirement
from conformance.specs.extensions import extensions
from conformance.specs.known_bugs import known_bugs
from conformance.specs.witness import needs_witness, sight_of, witnesses
from conformance.strategies.grammar.family import Family, families

#: Columns of the text, and of the names before it.
_WIDTH: Final = 110
_MARGIN: Final = 16
#: Known bugs that are listed one by one.
_MOST_BUGS: Final = 8


def places() -> dict[str, dict[str, Place]]:
    """Return where the families, by name, the oracles, by requirement, and the mutants, by name, are defined."""
    return {
        "family": {name: _production(each) for name, each in families().items()},
        "oracle": rows_of(_modules_of(conformance.oracles, "oracles"), Oracle, "requirement"),
        "mutant": rows_of(_modules_of(conformance.mutants, "mutants"), Mutant, "name"),
    }


def _modules_of(package: ModuleType, part: str) -> Iterator[ModuleType]:
    """Yield the modules of a package of the kit, and those in which extensions have the same part."""
    yield from modules_of(package)
    for each in extensions():
        reference = getattr(each.extension, part)
        if reference:
            yield each.module(reference.partition(":")[0])


def _production(family: Family) -> Place:
    return place_of(family.function)


def entry_of(requirement: Requirement) -> Place:
    """Return where a requirement is in the catalogue."""
    folder = Path(str(resources.files("conformance.specs") / "requirements"))
    own = [Path(str(each.file(name))) for each in extensions() for name in each.extension.requirements]
    return line_with([*sorted(folder.glob("*.toml")), *own], f'id = "{requirement.id}"')


def life_of(requirement: Requirement) -> dict[str, Any]:
    """Return all that is known about a requirement, with the file and line of everything made for it."""
    where = places()
    oracle = where["oracle"].get(requirement.id)
    return {
        "id": requirement.id,
        "level": requirement.level,
        "role": requirement.role,
        "text": requirement.text,
        "document": requirement.worklog,
        "section": requirement.section,
        "statements": [{"id": each.id, "anchor": each.anchor} for each in requirement.statements],
        "holds": [str(each) for each in requirement.holds.ranges],
        "profiles": list(requirement.holds),
        "interpretation": requirement.interpretation,
        "settles": list(requirement.settles),
        "untestable": requirement.untestable,
        "witnesses": [
            {"server": each.server, "seen": each.seen, "test": each.test, "date": each.day.isoformat()}
            for each in witnesses().get(requirement.id, ())
        ],
        "needs_witness": needs_witness(requirement),
        "entry": str(entry_of(requirement)),
        "checked_logs": "checked_logs" in requirement.families,
        "every_family": "*" in requirement.families,
        "families": [
            {
                "name": name,
                "focus": requirement.id in family.focus.values(),
                "text": family.text,
                "place": str(where["family"][name]),
            }
            for name, family in families().items()
            if name in requirement.families or ("*" in requirement.families and requirement.role in family.focus)
        ],
        "oracle": None if oracle is None else str(oracle),
        "mutants": [
            {"name": each.name, "text": each.text, "place": str(where["mutant"][each.name])}
            for each in mutants()
            if each.requirement == requirement.id
        ],
        "known_bugs": [
            {"name": each.name, "link": each.link, "text": each.defect}
            for each in known_bugs()
            if each.requirement == requirement.id
        ],
    }


def page(life: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the page on a requirement."""
    missing = [] if life["untestable"] else ["none yet"]
    yield f"{life['id']}  [{life['level']}, {life['role']}]"
    yield from textwrap.wrap(life["text"], _WIDTH, initial_indent="    ", subsequent_indent="    ")
    yield ""
    yield from _part("document", [f"{life['document']}, {life['section']}"])
    yield from _part("statements", [f"{each['id']}: {each['anchor']}" for each in life["statements"]])
    yield from _part("holds for", ["; ".join(life["holds"])])
    yield from _part("interpretation", [life["interpretation"]])
    yield from _part("settles", [", ".join(life["settles"])])
    yield from _part("not testable", [life["untestable"]])
    yield from _part("servers", _servers(life))
    yield from _part("entry", [life["entry"]])
    yield from _part("families", _families(life) or missing)
    yield from _part("oracle", [life["oracle"]] if life["oracle"] else missing)
    yield from _part("mutants", [_row(each) for each in life["mutants"]] or missing)
    yield from _part("known bugs", _known_bugs(life["known_bugs"]))


def _known_bugs(bugs: Sequence[dict[str, str]]) -> list[str]:
    """Return a row for each known bug that the requirement notices, or how many there are."""
    if len(bugs) > _MOST_BUGS:
        return [f"it notices {len(bugs)} of them: docs/known-bugs.md"]
    return [f"{each['name']}: {each['text']} {each['link']}" for each in bugs]


def _servers(life: dict[str, Any]) -> list[str]:
    """Return what servers were seen to do, and the tests that saw it: a gap if it is on servers, and none was seen."""
    rows = witnesses().get(life["id"], ())
    if not rows:
        return ["none was seen yet"] if life["needs_witness"] else []
    tests: dict[str, list[str]] = {}
    for each in rows:
        tests.setdefault(each.test, []).append(f"{each.server} {each.seen} it ({each.day})")
    return [sight_of(rows), *(f"{test}: {', '.join(seen)}" for test, seen in tests.items())]


def _families(life: dict[str, Any]) -> list[str]:
    """Return a row for each family, those made for the requirement first, or one row if all families exercise it."""
    rows = [_row(each) for each in life["families"] if each["focus"]]
    if life["every_family"]:
        rows.append(f"each of the {len(life['families'])} families of the role {life['role']} exercises it")
    else:
        rows += [_row(each) for each in life["families"] if not each["focus"]]
    if life["checked_logs"]:
        rows.append("recorded logs: `binlog-conformance check` judges them against it")
    return rows


def _row(entry: dict[str, str]) -> str:
    return f"{entry['place']}  {entry['name']}: {entry['text']}"


def _part(name: str, texts: Sequence[str | None]) -> Iterator[str]:
    heading = name
    for text in filter(None, texts):
        wrapped = textwrap.wrap(text, _WIDTH - _MARGIN, break_long_words=False, break_on_hyphens=False)
        for number, line in enumerate(wrapped):
            yield f"{heading:<{_MARGIN}}{'  ' if number else ''}{line}"
            heading = ""
