"""The options of the pytest suite: each can be given on the command line, or in pytest's own settings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from conformance.engine.certification import Budget
    from conformance.implementations.process.limits import Limits


@dataclass(frozen=True, slots=True)
class Option:
    """One option, ``--binlog-NAME`` on the command line and ``binlog_NAME`` in the settings.

    Attributes:
        name: Its name.
        help: What it is, for ``pytest --help``.
        default: Its value if it is not given.
        read: Makes the value from its text.
        many: Whether it may be repeated; in the settings it has a line for each.
        metavar: What the help shows in the place of the value.
    """

    name: str
    help: str
    default: Any = None
    read: Callable[[str], Any] = str
    many: bool = False
    metavar: str = "TEXT"

    @property
    def key(self) -> str:
        """The name in the settings, and of the value on the command line."""
        return f"binlog_{self.name.replace('-', '_')}"


OPTIONS: Final = (
    Option("implementation", "the implementation, as `certify` takes it", metavar="NAME"),
    Option("profile", "profile; may be repeated; default: all claimed", many=True, metavar="NAME"),
    Option("requirement", "requirements to judge; may be repeated; default: all", many=True, metavar="GLOB"),
    Option("role", "role; may be repeated; default: all declared", many=True, metavar="NAME"),
    Option("family", "family of cases; may be repeated; default: all", many=True, metavar="NAME"),
    Option(
        "examples",
        "cases for each family and profile (default: enough for every pair of variants)",
        None,
        int,
        False,
        "N",
    ),
    Option("time", "look for failures for this long instead: 90s, 10m", metavar="TIME"),
    Option("seed", "seed of the cases; default: 0", 0, int, metavar="N"),
    Option("jobs", "processes that share the work; default: the cores, or the workers of xdist", None, int, False, "N"),
    Option("answer-time", "time limit for one answer: 90s, 2m; default: 10s", "10s", metavar="TIME"),
    Option(
        "memory",
        "limit on the memory that each of its processes may have; 0 means none; default: 2048",
        2048,
        int,
        metavar="MIB",
    ),
    Option("hangs", "hangs after which a role is not asked any more; default: 5", 5, int, metavar="N"),
    Option(
        "pass-env",
        "variable that the implementation sees besides the usual ones, or a glob; may be repeated",
        many=True,
        metavar="NAME",
    ),
    Option("baseline", "file of known failures with reasons (TOML)", metavar="FILE"),
    Option("report", "folder for the record and the reports", metavar="FOLDER"),
)


def add_options(parser: pytest.Parser) -> None:
    """Add the options to the command line and to the settings."""
    group = parser.getgroup("binlog", "conformance of a binary-log implementation (with --pyargs conformance.suite)")
    for option in OPTIONS:
        action = "append" if option.many else "store"
        group.addoption(f"--binlog-{option.name}", action=action, metavar=option.metavar, help=option.help)
        parser.addini(option.key, option.help, type=_LINES if option.many else _TEXT)


#: The types of settings in pytest.
_LINES: Final = "linelist"
_TEXT: Final = "string"


class Values:
    """The values of the options: of the command line, else of the settings, else the defaults.

    Args:
        config: The configuration of the pytest run.

    Raises:
        ValueError: A value is not valid.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._values = {option.name: _value(config, option) for option in OPTIONS}
        self.check()

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def check(self) -> None:
        """Check the values that have limits.

        Raises:
            ValueError: One is not within them.
        """
        from conformance.implementations.process.limits import MOST_MEMORY

        if not 0 <= self["memory"] <= MOST_MEMORY:
            raise ValueError(f"--binlog-memory {self['memory']} is not valid: write MiB, or 0 for no limit")
        for name in ("examples", "hangs", "jobs"):
            if self[name] is not None and self[name] < 1:
                raise ValueError(f"--binlog-{name} {self[name]} is not valid: write an integer from 1")
        if self["examples"] is not None and self["time"] is not None:
            raise ValueError("--binlog-examples and --binlog-time exclude each other")

    @property
    def requirements(self) -> str:
        """The globs over requirement ids, with commas between them."""
        return ",".join(self["requirement"]) or "*"

    def limits(self) -> "Limits":
        """Return the limits of the implementation.

        Raises:
            ValueError: A time is not valid.
        """
        from conformance.implementations.process.limits import duration, limits_of

        return limits_of(duration(self["answer-time"]), self["memory"], self["hangs"], tuple(self["pass-env"]))

    def budget(self) -> "Budget":
        """Return the length of the run.

        Raises:
            ValueError: A time is not valid.
        """
        from conformance.engine.certification import Budget
        from conformance.implementations.process.limits import duration

        return Budget(self["examples"], None if self["time"] is None else duration(self["time"]))


def _value(config: pytest.Config, option: Option) -> Any:
    typed = config.getoption(option.key)
    if typed == "" or (option.many and "" in (typed or ())):
        # Such as a variable that is not set; everything would be judged where little was meant.
        raise ValueError(f"--binlog-{option.name} is empty")
    given = typed or config.getini(option.key)
    if option.many:
        return tuple(given)
    if not given:
        return option.default
    try:
        return option.read(given)
    except ValueError as error:
        raise ValueError(f"--binlog-{option.name} {given!r} is not valid: write an integer") from error
