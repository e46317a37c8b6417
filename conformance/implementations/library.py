"""The libraries of other projects that the kit knows by name: a file for each in ``libraries``."""

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from conformance.specs.conversion import Malformed, converted, parsed_toml
from conformance.specs.files import read_text
from conformance.specs.version_order import order_of

ADAPTERS: Final = Path(__file__).parent / "adapters"
_LIBRARIES: Final = Path(__file__).parent / "libraries"
#: Bytes of a file of a library that are read.
_MOST: Final = 1 << 20
#: The form of a version; it becomes part of a path and of a command.
_VERSION: Final = re.compile(r"[0-9][0-9A-Za-z.!+_-]*")


class Library(Struct, frozen=True, forbid_unknown_fields=True):
    """A library, how its adapter is built with the tools of its language, and how that is started.

    In ``steps`` and ``program``, ``{version}`` is the version, ``{folder}`` the folder of the build, ``{scratch}`` a
    folder that is removed afterwards, ``{python}`` the interpreter that runs the kit, ``{adapters}`` the folder of the
    kit's adapters, and any other name in braces a value of the table ``since``.

    Attributes:
        name: Its name in a spec, such as ``go-mysql``.
        package: Its name in the package registry of its language.
        description: What it is, in one line.
        version: The version that is built if none is named.
        since: Version -> values for it and the later ones; versions before the first have no adapter.
        tools: Program that must be on the PATH -> where to get it.
        steps: The commands that build it, in the order in which they run, in the folder of the build.
        program: The command that starts the adapter.
        adapter: The folder of adapters that is copied into that of the build; empty for none.
        module: The Python module that is used where it is installed beside the kit, if no version is named.
    """

    name: str
    package: str
    description: str
    version: str
    since: Mapping[str, Mapping[str, str]]
    steps: tuple[str, ...]
    program: str
    tools: Mapping[str, str] = field(default_factory=dict)
    adapter: str = ""
    module: str = ""

    def missing(self) -> str | None:
        """Return why it cannot be built here, None if it can."""
        lacking = [f"{tool} ({source})" for tool, source in self.tools.items() if shutil.which(tool) is None]
        return f"{self.name} needs {' and '.join(lacking)} on the PATH" if lacking else None

    def version_of(self, rest: str) -> str | None:
        """Return the version that a spec names after the library's name, None if it names none.

        Raises:
            ValueError: It is not a version, or one that has no adapter.
        """
        if not rest:
            return None
        version = rest.removeprefix("==").removeprefix("@")
        if rest.startswith(":") or not _VERSION.fullmatch(version):
            raise ValueError(f"{rest!r} is not a valid version: write {self.name}@{self.version}")
        first = next(iter(self.since))
        if order_of(version) < order_of(first):
            raise ValueError(f"{self.name} {version} has no adapter: write {first} or a later version")
        return version

    def values_for(self, version: str) -> Mapping[str, str]:
        """Return the values of ``since`` that hold for a version."""
        values: Mapping[str, str] = {}
        for first, those in self.since.items():
            if order_of(first) <= order_of(version):
                values = those
        return values

    def words(self, line: str, **places: object) -> list[str]:
        """Return the words of a step or a program, with what is in braces filled in."""
        return [word.format(**places) for word in shlex.split(line)]


@cache
def libraries() -> Mapping[str, Library]:
    """Return the libraries by their names.

    Raises:
        Malformed: A file of one is not as `Library` has it.
    """
    return {each.name: each for each in _read()}


def _read() -> Iterator[Library]:
    for path in sorted(_LIBRARIES.glob("*.toml")):
        try:
            yield converted(parsed_toml(read_text(path, limit=_MOST)), Library)
        except Malformed as error:
            raise Malformed(f"{path}: {error}") from error
