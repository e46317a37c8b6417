"""The registry of the implementations that the kit knows by name."""

import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol, Self, runtime_checkable

from conformance.implementations.installation import installed_program
from conformance.implementations.library import ADAPTERS, Library, libraries
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.implementations.process.process_implementation import CannotStart, ProcessImplementation
from conformance.implementations.python_implementation import PythonImplementation
from conformance.protocol.observation import Declaration, Observation, Request, Trouble
from conformance.servers.server_url import ServerUrl
from conformance.specs.extensions import objects_of
from conformance.specs.extras import install_command
from conformance.specs.suggestion import suggestion

#: What may follow a name in a spec.
_SEPARATORS: Final = (":", "==", "@")
#: Command line reader -> the package that it comes in.
_PACKAGES: Final = {
    "mariadb-binlog": "MariaDB's client package, such as Debian's mariadb-client",
    "mysqlbinlog": "MySQL's client package, such as mysql-community-client",
}


class Implementation(Protocol):
    """Something that answers requests; as a context manager it is started and stopped."""

    @property
    def declaration(self) -> Declaration:
        """What it declared when it was started."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *unused: object) -> None: ...

    def start(self) -> Declaration:
        """Start it and return what it declares."""

    def ask(self, request: Request) -> Observation | Trouble:
        """Return the answer to one request."""

    def ask_many(self, requests: Iterable[Request], window: int = ...) -> Iterator[Observation | Trouble]:
        """Yield the answers to many requests, in their order; up to `window` of them may be unanswered at a time."""

    def stop(self) -> None:
        """Stop it."""


@runtime_checkable
class Restarting(Protocol):
    """An implementation that may declare something else when it is started again."""

    def expect(self, declaration: Declaration) -> None:
        """Take what it declared in another process of the kit; if it declares something else, no question is answered.

        Args:
            declaration: What it declared; to be given before it is started here.
        """


@runtime_checkable
class Announcing(Protocol):
    """An implementation that acts on more than its own process, and announces beforehand what it will do."""

    def announcement(self) -> Sequence[str]:
        """Return what it will do, line by line; nothing is done yet.

        Raises:
            CannotStart: It cannot be started; the message has every reason.
        """


@dataclass(frozen=True, slots=True)
class NamedImplementation:
    """An implementation that the kit knows by name.

    Attributes:
        name: Its name, the part of a spec before the first ``:``, ``==`` or ``@`` after it.
        usage: The form of its specs.
        description: What it is, in one line.
        available: Returns why it cannot be used here, None if it can.
        make: Makes the implementation from the part of a spec after the name, separator included.
        alone: Whether only one may run at a time, as each changes what the others would see.
        library: The library that it is, None for anything that the kit does not build.
    """

    name: str
    usage: str
    description: str
    available: Callable[[], str | None]
    make: Callable[[str, Limits], Implementation]
    alone: bool = False
    library: Library | None = None


def implementation(spec: str, *, limits: Limits = DEFAULT_LIMITS) -> Implementation:
    """Return the implementation that a spec names, not yet started.

    Args:
        spec: One of the forms in `catalogue`, such as ``go-mysql@1.13.0`` or ``command:./adapter --fast``.
        limits: What it may use; the reference has no limits.

    Raises:
        ValueError: There is no such name, or the text after it is not valid.
    """
    entry, rest = entry_of(spec)
    return entry.make(rest, limits)


def entry_of(spec: str) -> tuple[NamedImplementation, str]:
    """Return the entry that a spec names, and the part of the spec after the name.

    Raises:
        ValueError: There is no such name.
    """
    for entry in catalogue():
        rest = spec.removeprefix(entry.name)
        if spec.startswith(entry.name) and (not rest or rest.startswith(_SEPARATORS)):
            return entry, rest
    name = re.split(":|==|(?<!^)@", spec)[0]
    close = suggestion(name, [entry.name for entry in catalogue()])
    write = close or f"write one of {', '.join(entry.usage for entry in catalogue())}"
    raise ValueError(f"{spec!r} is not a valid implementation: {write}")


@cache
def catalogue() -> tuple[NamedImplementation, ...]:
    """Return the implementations that the kit knows by name."""
    entries = dict.fromkeys(each.name for each in _CATALOGUE)
    for extension, made in objects_of("implementations", NamedImplementation):
        if made.name in entries:
            extension.refuse(f"there is an implementation {made.name} already")
        entries[made.name] = None
    return (*(made for _, made in objects_of("implementations", NamedImplementation)), *_CATALOGUE)


def _always() -> str | None:
    return None


def _reference(rest: str, limits: Limits) -> Implementation:
    if rest.startswith(("==", "@")):
        raise ValueError("the reference has no version of its own: write reference or reference:MUTANT")
    # Certifying a foreign parser needs neither the reference nor the mutants.
    from conformance.reference.implementation import ReferenceImplementation

    if not rest:
        return ReferenceImplementation()
    from conformance.mutants.mutant import MutantImplementation
    from conformance.mutants.registry import mutant_of

    return MutantImplementation(mutant_of(rest[1:]))


def _of_library(library: Library) -> NamedImplementation:
    def make(rest: str, limits: Limits) -> Implementation:
        version = library.version_of(rest)
        return ProcessImplementation(lambda: installed_program(library, version), limits=limits)

    return NamedImplementation(
        library.name, f"{library.name}[@VERSION]", library.description, library.missing, make, library=library
    )


def _program(name: str) -> Callable[[str, Limits], Implementation]:
    def make(rest: str, limits: Limits) -> Implementation:
        if rest.startswith(("==", "@")):
            raise ValueError(f"{rest!r} is not valid, as {name} is a program of this machine: write {name}:/path/to/it")
        program = rest.removeprefix(":") or name
        return ProcessImplementation(lambda: _reader(program), limits=limits)

    return make


def _reader(program: str) -> list[str]:
    """Return the command of the adapter of a command line reader.

    Raises:
        CannotStart: There is no such program.
    """
    if shutil.which(program) is None:
        source = _PACKAGES.get(program)
        raise CannotStart(_missing(program) if source else f"{program} is not a program that can be run")
    return [sys.executable, str(ADAPTERS / "command_line_reader.py"), program]


def _missing(name: str) -> str:
    return f"{name} is not on the PATH: it is in {_PACKAGES[name]}; or write {name}:/path/to/it"


def _on_path(name: str) -> Callable[[], str | None]:
    return lambda: None if shutil.which(name) else _missing(name)


def _command(rest: str, limits: Limits) -> Implementation:
    try:
        words = shlex.split(rest.removeprefix(":"))
    except ValueError as error:
        raise ValueError(f"{rest!r} after 'command' is not a valid command line: {error}") from error
    if not rest.startswith(":") or not words:
        raise ValueError("'command' needs a program: write command:PROGRAM ARGUMENTS...")
    return ProcessImplementation(words, limits=limits)


def _python(rest: str, limits: Limits) -> Implementation:
    if len(rest) < 2 or not rest.startswith(":"):
        raise ValueError("'python' needs a module: write python:MODULE or python:MODULE:OBJECT")
    return PythonImplementation(rest[1:])


def _server(rest: str, limits: Limits) -> Implementation:
    missing = _with_pymysql()
    if missing is not None:
        raise ValueError(f"server:NAME cannot be used: {missing}")
    from conformance.implementations.server.unpacked_server import UnpackedServerImplementation, unpacked_server

    return UnpackedServerImplementation(unpacked_server(rest.removeprefix(":")))


def _running_server(rest: str, limits: Limits) -> Implementation:
    url = ServerUrl.of(f"mysql{rest}")
    missing = _with_pymysql()
    if missing is not None:
        raise ValueError(f"{url} cannot be used: {missing}")
    from conformance.implementations.server.running_server import RunningServerImplementation

    return RunningServerImplementation(url)


def _with_pymysql() -> str | None:
    if importlib.util.find_spec("pymysql") is None:
        return f"PyMySQL is not installed: {install_command('servers')}"
    return None


def _unpacked() -> str | None:
    """Return what is missing of every unpacked server; which of them are there, their names show."""
    from conformance.servers.products import VARIABLE

    return _with_pymysql() or (
        None if os.environ.get(VARIABLE) else f"{VARIABLE}, the folder of the servers, is not set"
    )


_CATALOGUE: Final = (
    NamedImplementation(
        "reference",
        "reference[:MUTANT]",
        "the kit's own reader; with a mutant's name, the reader with that one fault",
        _always,
        _reference,
    ),
    *map(_of_library, libraries().values()),
    NamedImplementation(
        "mariadb-binlog",
        "mariadb-binlog[:/path/to/program]",
        "MariaDB's command line reader, its output parsed",
        _on_path("mariadb-binlog"),
        _program("mariadb-binlog"),
    ),
    NamedImplementation(
        "mysqlbinlog",
        "mysqlbinlog[:/path/to/program]",
        "MySQL's command line reader, its output parsed",
        _on_path("mysqlbinlog"),
        _program("mysqlbinlog"),
    ),
    NamedImplementation(
        "server",
        "server:NAME",
        "an unpacked MySQL or MariaDB server (docs/servers.md), which is started and removed",
        _unpacked,
        _server,
    ),
    NamedImplementation(
        "mysql",
        "mysql://USER:PASSWORD@HOST:PORT",
        "a running server with a binary log (docs/servers.md), in databases of the kit's own",
        _with_pymysql,
        _running_server,
        alone=True,
    ),
    NamedImplementation(
        "python",
        "python:MODULE[:OBJECT]",
        "Python code in this process (docs/protocol.md): fast, without limits on time and memory",
        _always,
        _python,
    ),
    NamedImplementation(
        "command",
        "command:PROGRAM ARGUMENTS...",
        "any program that speaks the protocol (docs/protocol.md)",
        _always,
        _command,
    ),
)
