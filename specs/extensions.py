"""Extensions: what other packages add to the kit, found by an entry point.

A package has one entry point in the group `GROUP`, which names an `Extension`. That object only names the places of the
parts; each registry of the kit imports the part of its kind when it is asked for. So an installed extension costs a run
nothing that does not use it, and a package of a lower layer never imports one of a higher layer.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any, Final, NoReturn, TypeVar

#: The group of entry points.
GROUP: Final = "binlog_conformance.extensions"
#: The version of this interface. It changes when an extension that was right would no longer be.
API: Final = 1

Part = TypeVar("Part")
_NO_NAMES: Final[Mapping[str, Any]] = MappingProxyType({})
#: An object of a module, as entry points write it.
_REFERENCE: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class BrokenExtension(Exception):
    """An installed extension cannot be used; the message names its package and the reason, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """What a package adds to the kit; everything but the version may be left out.

    Attributes:
        api: The version of the interface that it is written for, `API`.
        requirements: Files of requirements (TOML), beside the module that holds this object.
        fields: Fields that a decoder can report of the extension's own event types: name -> kind and meaning, as in
            `conformance.protocol.role.AnswerField`.
        abilities: Abilities that an implementation can declare: name -> meaning.
        event_types: ``module:NAME`` of a sequence of `conformance.binlog.vendor_types.VendorEventType`.
        families: Modules whose functions are decorated with `conformance.strategies.grammar.family.family`.
        covering_arrays: The file with the covering arrays of its families, beside the module that holds this object.
        oracles: ``module:NAME`` of a sequence of `conformance.oracles.oracle.Oracle`.
        mutants: ``module:NAME`` of a sequence of `conformance.mutants.mutant.Mutant`.
        roles: Role -> the module that defines it, with ``ROLE``, ``question`` and ``answer``.
        implementations: ``module:NAME`` of a sequence of `conformance.implementations.registry.NamedImplementation`.
    """

    api: int
    requirements: Sequence[str] = ()
    fields: Mapping[str, tuple[str, str]] = field(default_factory=lambda: _NO_NAMES)
    abilities: Mapping[str, str] = field(default_factory=lambda: _NO_NAMES)
    event_types: str = ""
    families: Sequence[str] = ()
    covering_arrays: str = ""
    oracles: str = ""
    mutants: str = ""
    roles: Mapping[str, str] = field(default_factory=lambda: _NO_NAMES)
    implementations: str = ""


@dataclass(frozen=True, slots=True)
class InstalledExtension:
    """An extension and the package that it comes from.

    Attributes:
        name: The name of its entry point.
        distribution: The name of its distribution package.
        version: The version of that package.
        reference: What the entry point names, ``module:NAME``.
        extension: What it adds.
    """

    name: str
    distribution: str
    version: str
    reference: str
    extension: Extension

    @property
    def package(self) -> str:
        """The Python package that holds the extension's object and its files."""
        return self.reference.partition(":")[0]

    def __str__(self) -> str:
        """Return the package and its version, as in ``acme-binlog-checks 1.2``."""
        return f"{self.distribution} {self.version}"

    def refuse(self, reason: object) -> NoReturn:
        """Refuse the extension.

        Raises:
            BrokenExtension: Always.
        """
        raise BrokenExtension(f"the extension {self.name} of {self} cannot be used: {_one_line(reason)}")

    def file(self, name: str) -> Traversable:
        """Return one of its files."""
        return files(self.package) / name

    def module(self, name: str) -> Any:
        """Return one of its modules.

        Raises:
            BrokenExtension: It cannot be imported.
        """
        return self.guarded(lambda: import_module(name))

    def objects(self, reference: str, kind: type[Part]) -> tuple[Part, ...]:
        """Return the objects of one of its parts.

        Args:
            reference: ``module:NAME``; there are none if it is empty.
            kind: What each of them must be.

        Raises:
            BrokenExtension: The part cannot be imported, or holds something else.
        """
        if not reference:
            return ()
        if not _REFERENCE.fullmatch(reference):
            self.refuse(f"{reference!r} does not name an object: write module:NAME")
        module, _, name = reference.partition(":")
        made = self.guarded(lambda: tuple(getattr(import_module(module), name)))
        for each in made:
            if not isinstance(each, kind):
                self.refuse(f"{reference} holds {each!r}, which is not a {kind.__name__}")
        return made

    def guarded(self, use: Callable[[], Part]) -> Part:
        """Return the result of a use of its code, whose errors refuse it.

        Raises:
            BrokenExtension: The code raised an exception.
        """
        try:
            return use()
        except BrokenExtension:
            raise
        except Exception as error:  # noqa: BLE001 - whatever another package raises must be charged to it
            # The kit's own checks raise ValueError, with words of their own.
            self.refuse(error if type(error) is ValueError else f"{type(error).__name__}: {error}")


@cache
def extensions() -> tuple[InstalledExtension, ...]:
    """Return the extensions that are installed, by the names of their entry points.

    Raises:
        BrokenExtension: One cannot be imported, is not an `Extension`, is written for another version of the interface,
            or two have one name.
    """
    from importlib.metadata import entry_points  # takes a while where many packages are installed

    by_name: dict[str, InstalledExtension] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value)):
        distribution, version = (
            ("an unknown package", "") if entry.dist is None else (entry.dist.name, entry.dist.version)
        )
        installed = InstalledExtension(entry.name, distribution, version, entry.value, Extension(api=API))
        extension = installed.guarded(entry.load)
        if not isinstance(extension, Extension):
            installed.refuse(f"{entry.value} is not an Extension of {__name__}")
        if extension.api != API:
            installed.refuse(f"it is written for version {extension.api!r} of the interface; this kit has {API}")
        if entry.name in by_name and by_name[entry.name].distribution != distribution:
            installed.refuse(f"{by_name[entry.name]} has an extension of that name too")
        by_name[entry.name] = InstalledExtension(entry.name, distribution, version, entry.value, extension)
    return tuple(by_name.values())


def objects_of(part: str, kind: type[Part]) -> Iterator[tuple[InstalledExtension, Part]]:
    """Yield the objects of a part of all extensions, each with its extension.

    Args:
        part: An attribute of `Extension` that is a reference.
        kind: What each object must be.

    Raises:
        BrokenExtension: The part of an extension cannot be used.
    """
    for each in extensions():
        yield from ((each, made) for made in each.objects(getattr(each.extension, part), kind))


def with_extensions(built_in: Mapping[str, Part], part: str, make: Callable[[Any], Part]) -> dict[str, Part]:
    """Return a table of the kit with what extensions add to it.

    Args:
        built_in: The kit's own entries.
        part: An attribute of `Extension` that is a mapping.
        make: Makes an entry from the value in that mapping.

    Raises:
        BrokenExtension: A name is taken, or an entry cannot be made.
    """
    table = dict(built_in)
    for each in extensions():
        for name, value in getattr(each.extension, part).items():
            if name in table:
                each.refuse(f"{part} has {name!r}, which there is already")
            table[name] = each.guarded(partial(make, value))
    return table


def extension_of(module: str) -> InstalledExtension | None:
    """Return the extension whose package a module belongs to, None for all other modules."""
    top = module.partition(".")[0]
    return next((each for each in extensions() if each.package.partition(".")[0] == top), None)


def _one_line(reason: object) -> str:
    return " ".join(str(reason).split())
