"""The implementations that can be asked for by name."""

import importlib.util
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, Self

from conformance.implementations.library_venv import check_version, library_python
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.implementations.python_implementation import PythonImplementation
from conformance.protocol.observation import Declaration, Observation, Request, Trouble

_ADAPTERS: Final = Path(__file__).parent / "adapters"


class Implementation(Protocol):
    """Something that can be asked; as a context manager it is started and stopped."""

    @property
    def declaration(self) -> Declaration:
        """What it said of itself when it was started."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *unused: object) -> None: ...

    def start(self) -> Declaration:
        """Start it and return what it declares."""

    def ask(self, request: Request) -> Observation | Trouble:
        """Return the answer to one question."""

    def ask_many(self, requests: Iterable[Request], window: int = ...) -> Iterator[Observation | Trouble]:
        """Yield the answers to many questions, in their order, with up to `window` of them under way."""

    def stop(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An implementation that the kit knows by name.

    Attributes:
        name: What to ask for, up to the first ``:`` or ``==``.
        usage: The forms that the name can take.
        description: What it is, in one line.
        available: Returns why it cannot be used here, or None where it can.
        make: Takes what stands behind the name, separator included, and makes the implementation.
    """

    name: str
    usage: str
    description: str
    available: Callable[[], str | None]
    make: Callable[[str, Limits], Implementation]


def implementation(spec: str, *, limits: Limits = DEFAULT_LIMITS) -> Implementation:
    """Return the implementation that a text asks for, not yet started.

    Args:
        spec: One of the forms in `catalogue`, such as ``mysql-replication==1.0.7`` or ``command:./adapter --fast``.
        limits: What it may use up; the reference has no limits.

    Raises:
        ValueError: There is no such name, or the text behind it makes no sense.
    """
    for entry in catalogue():
        rest = spec.removeprefix(entry.name)
        if spec.startswith(entry.name) and (not rest or rest.startswith((":", "=="))):
            return entry.make(rest, limits)
    names = ", ".join(entry.usage for entry in catalogue())
    raise ValueError(f"no implementation {spec!r}; there are {names}")


def catalogue() -> tuple[Entry, ...]:
    """Return the implementations that the kit knows by name."""
    return _CATALOGUE


def _always() -> str | None:
    return None


def _reference(rest: str, limits: Limits) -> Implementation:
    if rest.startswith("=="):
        raise ValueError("the reference has the kit's own version")
    # Who certifies a foreign parser needs neither the reference nor the mutants.
    from conformance.reference.implementation import ReferenceImplementation

    if not rest:
        return ReferenceImplementation()
    from conformance.mutants.mutant import MutantImplementation
    from conformance.mutants.registry import mutant_of

    return MutantImplementation(mutant_of(rest[1:]))


def _adapter(name: str, *arguments: str, python: str | Path = sys.executable) -> list[str]:
    return [str(python), str(_ADAPTERS / f"{name}.py"), *arguments]


def _mysql_replication(rest: str, limits: Limits, *arguments: str) -> Implementation:
    if rest and not rest.startswith("=="):
        raise ValueError(f"a version follows as ==VERSION, not as {rest!r}")
    version = rest.removeprefix("==")
    if rest:
        check_version(version)

    def command() -> list[str]:
        if not version and importlib.util.find_spec("pymysqlreplication") is not None:
            return _adapter("mysql_replication", *arguments)
        python = library_python("mysql-replication", version or None)
        return _adapter("mysql_replication", *arguments, python=python)

    return ProcessImplementation(command, limits=limits)


def _mysql_replication_default_filter(rest: str, limits: Limits) -> Implementation:
    return _mysql_replication(rest, limits, "--default-filter")


def _program(name: str) -> Callable[[str, Limits], Implementation]:
    def make(rest: str, limits: Limits) -> Implementation:
        if rest.startswith("=="):
            raise ValueError(f"{name} is a program of this machine: {name}:/path/to/it, not {rest!r}")
        return ProcessImplementation(_adapter("command_line_reader", rest.removeprefix(":") or name), limits=limits)

    return make


def _on_path(name: str) -> Callable[[], str | None]:
    return lambda: None if shutil.which(name) else f"{name} is not on the PATH"


def _command(rest: str, limits: Limits) -> Implementation:
    try:
        words = shlex.split(rest.removeprefix(":"))
    except ValueError as error:
        raise ValueError(f"{rest!r} behind 'command' is no command line: {error}") from error
    if not rest.startswith(":") or not words:
        raise ValueError("a program follows 'command:'")
    return ProcessImplementation(words, limits=limits)


def _python(rest: str, limits: Limits) -> Implementation:
    if len(rest) < 2 or not rest.startswith(":"):
        raise ValueError("a module follows 'python:'")
    return PythonImplementation(rest[1:])


_CATALOGUE: Final = (
    Entry(
        "reference",
        "reference[:MUTANT]",
        "the kit's own reader; with a mutant's name, the same with that one fault",
        _always,
        _reference,
    ),
    Entry(
        "mysql-replication-default-filter",
        "mysql-replication-default-filter[==VERSION]",
        "python-mysql-replication as it is by default: events that it has no class for are dropped",
        _always,
        _mysql_replication_default_filter,
    ),
    Entry(
        "mysql-replication",
        "mysql-replication[==VERSION]",
        "python-mysql-replication asked for every event; any version is installed into a cached environment",
        _always,
        _mysql_replication,
    ),
    Entry(
        "mariadb-binlog",
        "mariadb-binlog[:/path/to/program]",
        "MariaDB's command line reader, its output parsed",
        _on_path("mariadb-binlog"),
        _program("mariadb-binlog"),
    ),
    Entry(
        "mysqlbinlog",
        "mysqlbinlog[:/path/to/program]",
        "MySQL's command line reader, its output parsed",
        _on_path("mysqlbinlog"),
        _program("mysqlbinlog"),
    ),
    Entry(
        "python",
        "python:MODULE[:OBJECT]",
        "Python code in this process (docs/protocol.md): quick, without limits on time and memory",
        _always,
        _python,
    ),
    Entry(
        "command",
        "command:PROGRAM ARGUMENTS...",
        "any program that speaks the protocol (docs/protocol.md)",
        _always,
        _command,
    ),
)
