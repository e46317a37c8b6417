"""The requirement catalogue, read from `specs/requirements/*.toml`."""

import fnmatch
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from typing import Annotated, Final, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from conformance.specs.conversion import converted
from conformance.specs.extensions import InstalledExtension, extensions, with_extensions
from conformance.specs.suggestion import unknown
from conformance.specs.versions import RANGE_PATTERN, Profiles

Level = Literal["must", "should", "may"]
Role = Literal["decode", "boundary", "filter", "decide", "render", "send", "client", "relay", "apply", "log"]
#: The kit's own roles of an implementation, in the order in which reports list them; see `roles`.
ROLES: Final[tuple[str, ...]] = get_args(Role)
#: Characters of a glob over requirement ids.
_LONGEST_GLOB: Final = 1000
#: As many globs as are read: more than there are requirements.
_MOST_GLOBS: Final = 1000
NotEmpty = Annotated[str, Meta(min_length=1)]

#: In `Requirement.owns`: an entry that is missing, not expected or out of order.
ENTRY: Final = "entry"
#: In `Requirement.owns`: that the answer ends with an error, or without one.
ERROR: Final = "error"
#: In `Requirement.owns`: everything that no other requirement of the role owns.
EVERY_FIELD: Final = "*"


class WorklogStatement(Struct, frozen=True, forbid_unknown_fields=True):
    """One statement of a worklog."""

    id: Annotated[str, Meta(description="Its id in the requirements audit.", pattern="^WL[0-9]+-[0-9]+$")]
    anchor: Annotated[str, Meta(description="The words by which it is located.", min_length=5)]


Prose = Annotated[str, Meta(min_length=10)]
Family = Annotated[str, Meta(pattern=r"^([a-z0-9_]+|\*)$")]
Field = Annotated[str, Meta(pattern=r"^([a-z0-9_]+|\*)$")]
Control = Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")]
Settled = Annotated[str, Meta(pattern="^(WL[0-9]+-[CS][0-9]{2}|X-[0-9]{2})$")]
#: `specs.versions` refuses a range in better words than a pattern does.
Range = Annotated[str, Meta(extra_json_schema={"pattern": RANGE_PATTERN})]
_UNIQUE: Final = {"uniqueItems": True}


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A requirement as its file has it."""

    id: Annotated[str, Meta(pattern="^(WL[0-9]+|FORMAT)(-[A-Z0-9]+)+$")]
    level: Level
    role: Role
    text: Annotated[Prose, Meta(description="The rule in the kit's own words.")]
    section: Annotated[str, Meta(description="Where it is in the document.", min_length=1)]
    statements: Annotated[
        tuple[WorklogStatement, ...],
        Meta(
            description="The statements of the document that it covers; none for a table row that shares its statement."
        ),
    ]
    holds: Annotated[
        tuple[Range, ...],
        Meta(
            description="The servers for which it holds: ranges of versions, in the notation of specs/versions.py.",
            min_length=1,
            extra_json_schema=_UNIQUE,
        ),
    ]
    families: Annotated[
        tuple[Family, ...],
        Meta(
            description="The families that exercise it; an asterisk for all families of the role.",
            extra_json_schema=_UNIQUE,
        ),
    ]
    settles: Annotated[
        tuple[Settled, ...],
        Meta(
            description="Contradictions, silences and notes that the interpretation decides.",
            extra_json_schema=_UNIQUE,
        ),
    ] = ()
    owns: Annotated[
        tuple[Field, ...],
        Meta(
            description="The fields of an answer for which it is blamed where no other requirement accounts for a "
            "difference: entry for an entry that is missing or not expected, error for the end of the answer, "
            "* for all that no other requirement owns.",
            extra_json_schema=_UNIQUE,
        ),
    ] = ()
    choice: Annotated[
        tuple[Control, ...],
        Meta(
            description="The controls, correct implementations that read otherwise, where the interpretation leaves a "
            "choice: conformance/mutants/controls.py.",
            extra_json_schema=_UNIQUE,
        ),
    ] = ()
    interpretation: Prose | UnsetType = UNSET
    untestable: Annotated[Prose | UnsetType, Meta(description="Why no outside kit can test it.")] = UNSET

    def __post_init__(self) -> None:
        """Refuse what contradicts itself.

        Raises:
            ValueError: It settles something or leaves a choice without an interpretation, or no family exercises it
                although it can be tested, or the reverse.
        """
        if self.choice and self.interpretation is UNSET:
            raise ValueError(f"{self.id} leaves a choice, but has no interpretation")
        if self.settles and self.interpretation is UNSET:
            raise ValueError(f"{self.id} settles {', '.join(self.settles)}, but has no interpretation")
        if bool(self.families) == (self.untestable is not UNSET):
            raise ValueError(f"{self.id} must have either families or a reason in untestable")


class ExtensionEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A requirement of an extension as its file has it."""

    id: Annotated[str, Meta(pattern="^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$")]
    # Wider than that of the kit's own requirements, which the catalogue checks itself.
    role: Annotated[str, Meta(description="A role of the kit or of the extension.", min_length=1)]  # type: ignore[assignment]
    statements: tuple[WorklogStatement, ...] = ()


#: The same rules for the schema.
_RULES: Final = {
    "dependentRequired": {"settles": ["interpretation"], "choice": ["interpretation"]},
    "if": {"required": ["untestable"]},
    "then": {"properties": {"families": {"maxItems": 0}}},
    "else": {"properties": {"families": {"minItems": 1}}},
}


class SettledNote(Struct, frozen=True, forbid_unknown_fields=True):
    """A cross-document note that needs no requirement of its own."""

    id: Annotated[str, Meta(pattern="^X-[0-9]{2}$")]
    interpretation: NotEmpty


class Document(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of the requirement catalogue."""

    worklog: Annotated[
        str,
        Meta(
            description="The document; FORMAT for the wire format, which the worklogs take for granted.",
            pattern="^(WL#[0-9]+|FORMAT)$",
        ),
    ]
    title: NotEmpty
    settled_notes: tuple[SettledNote, ...] = ()
    requirement: Annotated[tuple[Annotated[Entry, Meta(extra_json_schema=_RULES)], ...], Meta(min_length=1)]


class ExtensionDocument(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of requirements of an extension."""

    worklog: Annotated[
        str,
        Meta(
            description="The document, with whose name each id begins: neither FORMAT nor a worklog of MySQL.",
            pattern="^(?!FORMAT$|WL[0-9]*$)[A-Z][A-Z0-9]*$",
        ),
    ]
    title: NotEmpty
    requirement: Annotated[tuple[Annotated[ExtensionEntry, Meta(extra_json_schema=_RULES)], ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse ids of other documents.

        Raises:
            ValueError: An id does not begin with the document's name.
        """
        for each in self.requirement:
            if not each.id.startswith(f"{self.worklog}-"):
                raise ValueError(f"the id {each.id!r} does not begin with {self.worklog}-, as those of its document do")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One normative rule, merged from the worklog statements that have the same content.

    Attributes:
        id: Stable name, such as ``WL4162-TT-SELF-START``.
        worklog: The document it is from, such as ``WL#4162``.
        level: ``must``, ``should`` or ``may``.
        role: The role in which it is judged, one of `roles`.
        text: A paraphrase of the rule.
        section: Where it is in the document.
        statements: The statements it covers; empty for a table row that shares its statement
            and for rules of the wire format that the worklogs take for granted.
        holds: The servers for which it holds.
        families: The families whose streams exercise it.
        settles: Contradictions and silences of the documents that `interpretation` decides.
        choice: Names of the controls, correct implementations that read otherwise, where `interpretation` leaves a
            choice.
        interpretation: The kit's reading where the text leaves one open.
        untestable: Why no outside kit can test it, or None.
        owns: The fields of an answer for which it is blamed where no other requirement accounts for a difference;
            `ENTRY` for an entry that is missing or not expected, `ERROR` for the end of the answer, `EVERY_FIELD` for
            all that no other requirement owns.
    """

    id: str
    worklog: str
    level: Level
    role: str
    text: str
    section: str
    statements: tuple[WorklogStatement, ...]
    holds: Profiles
    families: tuple[str, ...]
    settles: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()
    interpretation: str | None = None
    untestable: str | None = None
    owns: tuple[str, ...] = ()


def _folded(text: str | UnsetType) -> str | None:
    return None if isinstance(text, UnsetType) else " ".join(text.split())


def _requirement(worklog: str, entry: Entry) -> Requirement:
    return Requirement(
        id=entry.id,
        worklog=worklog,
        level=entry.level,
        role=entry.role,
        text=" ".join(entry.text.split()),
        section=" ".join(entry.section.split()),
        statements=entry.statements,
        holds=Profiles(*entry.holds),
        families=entry.families,
        settles=entry.settles,
        choice=entry.choice,
        interpretation=_folded(entry.interpretation),
        untestable=_folded(entry.untestable),
        owns=entry.owns,
    )


def read_document(text: str) -> Document:
    """Return a file of the catalogue from its TOML.

    Raises:
        ValueError: It is not TOML, or not as the catalogue has it; the message names the place.
    """
    return converted(tomllib.loads(text), Document)


def documents() -> Iterator[tuple[str, Document]]:
    """Yield each catalogue file with its name, in the order of their names.

    Raises:
        ValueError: A file is not as it must be; the message names the place.
    """
    folder = resources.files("conformance.specs") / "requirements"
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".toml"):
            try:
                yield file.name, read_document(file.read_text(encoding="utf-8"))
            except ValueError as error:
                raise ValueError(f"{file.name}: {error}") from error


@cache
def catalogue() -> dict[str, Requirement]:
    """Return every requirement by id, in the order of the files."""
    entries: dict[str, Requirement] = {}
    for name, document in documents():
        for entry in document.requirement:
            if entry.id in entries:
                raise ValueError(f"{name}: requirement {entry.id} is already in the catalogue")
            try:
                entries[entry.id] = _requirement(document.worklog, entry)
            except ValueError as error:
                raise ValueError(f"{name}: requirement {entry.id}: {error}") from error
    for extension in extensions():
        for each in requirements_of(extension):
            if each.id in entries:
                extension.refuse(f"requirement {each.id} is already in the catalogue")
            entries[each.id] = each
    return entries


def _extension_document(extension: InstalledExtension, name: str) -> ExtensionDocument:
    text = extension.file(name).read_text(encoding="utf-8")
    try:
        return converted(tomllib.loads(text), ExtensionDocument)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def requirements_of(extension: InstalledExtension) -> Iterator[Requirement]:
    """Yield the requirements of an extension.

    Raises:
        conformance.specs.extensions.BrokenExtension: A file of them cannot be used.
    """
    for name in extension.extension.requirements:
        document = extension.guarded(partial(_extension_document, extension, name))
        for entry in document.requirement:
            if entry.role not in roles():
                extension.refuse(f"{name}: {entry.id}: {unknown('role', entry.role, roles(), plural='roles')}")
            taken = sorted(set(entry.owns) - extension.extension.fields.keys()) if entry.role in ROLES else []
            if taken:
                extension.refuse(f"{name}: {entry.id} owns {', '.join(taken)}: it may own fields of the extension only")
            try:
                yield _requirement(document.worklog, entry)
            except ValueError as error:
                extension.refuse(f"{name}: {entry.id}: {error}")


@cache
def roles() -> tuple[str, ...]:
    """Return the names of the roles of an implementation: the kit's own, then those of extensions."""
    return tuple(with_extensions(dict.fromkeys(ROLES, ""), "roles", str))


@cache
def governing(role: str, profile: str) -> dict[str, bool]:
    """Return by requirement id whether it belongs to a role and holds under a profile."""
    return {id_: entry.role == role and profile in entry.holds for id_, entry in catalogue().items()}


@cache
def owners(role: str, profile: str) -> dict[str, str]:
    """Return which requirement owns each field of the answers in a role under a profile.

    Raises:
        ValueError: Two requirements own the same field.
    """
    by_field: dict[str, str] = {}
    for id_, governs in governing(role, profile).items():
        for field in catalogue()[id_].owns if governs else ():
            if field in by_field:
                raise ValueError(f"{by_field[field]} and {id_} both own {field!r} in the role {role} under {profile}")
            by_field[field] = id_
    return by_field


def select(*, worklog: str | None = None, role: str | None = None, pattern: str | None = None) -> list[Requirement]:
    """Return the requirements of one worklog, one role, or with an id that matches a glob.

    Args:
        worklog: ``WL#4033``, ``WL4033`` or ``4033``; ``format`` for the wire format's own rules.
        role: One of `roles`.
        pattern: A shell-style glob over requirement ids, or several with commas between them.

    Raises:
        ValueError: The worklog or the role does not exist, or the glob is too long.
    """
    selected = list(catalogue().values())
    if worklog is not None:
        wanted = worklog.upper().replace("WL", "").replace("#", "")
        known = {requirement.worklog.upper().replace("WL#", "") for requirement in selected}
        if wanted not in known:
            raise ValueError(unknown("worklog", worklog, sorted(known), plural="worklogs"))
        selected = [each for each in selected if each.worklog.upper().replace("WL#", "") == wanted]
    if role is not None:
        if role not in roles():
            raise ValueError(unknown("role", role, roles(), plural="roles"))
        selected = [each for each in selected if each.role == role]
    if pattern is not None:
        check_glob(pattern)
        selected = [each for each in selected if matches(each.id, pattern)]
    return selected


@cache
def matches(requirement: str, globs: str) -> bool:
    """Return whether the id of a requirement matches a glob, or one of several that have commas between them."""
    return any(fnmatch.fnmatchcase(requirement, each) for each in globs.split(","))


def check_glob(pattern: str) -> None:
    """Check the length of each glob over requirement ids: matching a very long one may take minutes.

    Raises:
        ValueError: One is too long, or there are too many.
    """
    globs = pattern.split(",")
    if len(globs) > _MOST_GLOBS:
        raise ValueError(f"there are {len(globs):,} globs over ids of requirements; write at most {_MOST_GLOBS:,}")
    for each in globs:
        if len(each) > _LONGEST_GLOB:
            raise ValueError(
                f"the glob {each[:20]!r}... has {len(each):,} characters; write at most {_LONGEST_GLOB:,}, "
                "as ids of requirements are short"
            )
