"""The engines by name: the settings of WL#3303, and those of the shipped servers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.models.decision.capability import BOTH, ROW_ONLY, STATEMENT_ONLY, Capability
from conformance.models.decision.locked_table import PARTITION, LockedTable, partitioned


@dataclass(frozen=True, slots=True)
class Engine:
    """One row of the worklog's table of settings.

    Attributes:
        handler: The handler's name in the worklog.
        names: The names of the engine in SQL, the usual one first.
        capability: Its two flags.
        requirement: Id of the requirement for the row.
    """

    handler: str
    names: tuple[str, ...]
    capability: Capability
    requirement: str


#: WL#3303, SETTINGS FOR CURRENT ENGINES, row by row. The table has lost its columns; one flag name is one flag.
WORKLOG_ENGINES: Final = (
    Engine("ha_ndbcluster", ("ndb", "ndbcluster"), ROW_ONLY, "WL3303-ENGINE-NDBCLUSTER"),
    Engine("ha_archive", ("archive",), BOTH, "WL3303-ENGINE-ARCHIVE"),
    Engine("ha_blackhole", ("blackhole",), STATEMENT_ONLY, "WL3303-ENGINE-BLACKHOLE"),
    Engine("ha_tina", ("csv", "tina"), BOTH, "WL3303-ENGINE-TINA"),
    Engine("ha_example", ("example",), ROW_ONLY, "WL3303-ENGINE-EXAMPLE"),
    Engine("ha_federated", ("federated",), BOTH, "WL3303-ENGINE-FEDERATED"),
    Engine("ha_heap", ("memory", "heap"), BOTH, "WL3303-ENGINE-HEAP"),
    Engine("ha_myisam", ("myisam",), BOTH, "WL3303-ENGINE-MYISAM"),
    Engine("ha_myisammrg", ("merge", "mrg_myisam", "myisammrg"), BOTH, "WL3303-ENGINE-MYISAMMRG"),
)

#: Name of one of the nine engines in SQL, in lower case -> the row.
_BY_NAME: Final[Mapping[str, Engine]] = {
    name: engine for engine in WORKLOG_ENGINES for name in (engine.handler, *engine.names)
}

#: Settings of shipped servers that differ from the worklog's, or of engines without a row there. InnoDB drops the
#: statement flag at READ COMMITTED and below; MySQL's BLACKHOLE got the row flag later, and EXAMPLE can log statements
#: only, for tests.
SHIPPED_CHANGES: Final[Mapping[str, Capability]] = {
    "innodb": BOTH,
    "blackhole": BOTH,
    "example": STATEMENT_ONLY,
    "performance_schema": BOTH,
}

#: Engines of shipped servers that write to the binary log themselves.
SELF_LOGGING: Final = frozenset({"ndb"})
#: Engines of shipped servers whose tables are never logged.
UNREPLICATED: Final = frozenset({"performance_schema"})


def usual_name(engine: str) -> str:
    """Return the usual name of an engine in SQL, in lower case, such as ``memory`` for ``HEAP``."""
    folded = engine.lower()
    return _BY_NAME[folded].names[0] if folded in _BY_NAME else folded


def worklog_capability(engine: str) -> Capability:
    """Return the capability that the worklog sets for an engine.

    Raises:
        ValueError: The worklog's table has no row for it.
    """
    name = usual_name(engine)
    if name not in _BY_NAME:
        known = ", ".join(each.names[0] for each in WORKLOG_ENGINES)
        raise ValueError(f"{engine!r} is not an engine in the worklog's table: write one of {known}")
    return _BY_NAME[name].capability


def shipped_capability(engine: str) -> Capability:
    """Return the capability that shipped servers set for an engine, at the isolation level REPEATABLE READ.

    Raises:
        ValueError: The engine is not known.
    """
    name = usual_name(engine)
    if name in SHIPPED_CHANGES:
        return SHIPPED_CHANGES[name]
    if name not in _BY_NAME:
        known = sorted({*SHIPPED_CHANGES, *(each.names[0] for each in WORKLOG_ENGINES)})
        raise ValueError(f"{engine!r} is not a known engine: write one of {', '.join(known)}")
    return _BY_NAME[name].capability


def parse_engine_capability(text: str) -> tuple[str, Capability]:
    """Return engine and capability of a text such as ``innodb=row,stmt``; ``innodb=`` means neither format.

    Raises:
        ValueError: The text does not have this form.
    """
    name, separator, words = text.partition("=")
    if not separator or not name:
        raise ValueError(f"{text!r} is not a valid capability of an engine: write NAME=row,stmt")
    return usual_name(name), Capability.parse(words)


def table_of(
    engine: str,
    *,
    capability_of: Callable[[str], Capability],
    given: Mapping[str, Capability],
    written: bool = True,
) -> LockedTable:
    """Return a table of an engine; ``partition:myisam+ndb`` is a partitioned table over two engines.

    Args:
        engine: The engine's name, one of `given` or one that `capability_of` knows.
        capability_of: Returns the capability of an engine, such as `worklog_capability`.
        given: Usual name of an engine -> the capability of its tables instead.
        written: Whether the table is locked for writing.

    Raises:
        ValueError: The engine is unknown, or the partitioned table has no parts.
    """
    kind, separator, parts = engine.partition(":")
    if separator and kind.lower() == PARTITION:
        names = [each for each in parts.split("+") if each]
        return partitioned(
            [table_of(each, capability_of=capability_of, given=given) for each in names], written=written
        )
    name = usual_name(engine)
    try:
        capability = given[name] if name in given else capability_of(engine)
    except ValueError as error:
        raise ValueError(f"{error}; or give what it can log, as --capability {engine}=row,stmt") from error
    return open_table(engine, capability, written=written)


def open_table(engine: str, capability: Capability, *, written: bool) -> LockedTable:
    """Return a table of an engine whose handler has the given flags."""
    name = usual_name(engine)
    return LockedTable(
        name,
        capability,
        written=written,
        self_logging=name in SELF_LOGGING,
        replicated=name not in UNREPLICATED,
    )
