"""The engines by name: the settings of WL#3303, and what the shipped servers set."""

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
        requirement: The requirement that the row is.
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

#: Names of the nine engines, as they are written in SQL, in upper and lower case alike -> the row.
_BY_NAME: Final[Mapping[str, Engine]] = {
    name: engine for engine in WORKLOG_ENGINES for name in (engine.handler, *engine.names)
}

#: What shipped servers set otherwise, or for engines that the worklog has no row for. InnoDB drops the statement flag
#: at READ COMMITTED and below; MySQL's BLACKHOLE got the row flag later, and EXAMPLE is statement only, for tests.
SHIPPED_CHANGES: Final[Mapping[str, Capability]] = {
    "innodb": BOTH,
    "blackhole": BOTH,
    "example": STATEMENT_ONLY,
    "performance_schema": BOTH,
}

#: Engines of shipped servers that write to the binary log by themselves.
SELF_LOGGING: Final = frozenset({"ndb"})
#: Engines of shipped servers whose tables are never logged.
UNREPLICATED: Final = frozenset({"performance_schema"})


def usual_name(engine: str) -> str:
    """Return the name that an engine usually has in SQL, in lower case, such as ``memory`` for ``HEAP``."""
    folded = engine.lower()
    return _BY_NAME[folded].names[0] if folded in _BY_NAME else folded


def worklog_capability(engine: str) -> Capability:
    """Return what the worklog sets for an engine.

    Raises:
        ValueError: The worklog's table has no row for it.
    """
    name = usual_name(engine)
    if name not in _BY_NAME:
        known = ", ".join(each.names[0] for each in WORKLOG_ENGINES)
        raise ValueError(f"the worklog has no row for the engine {engine!r}; it has {known}")
    return _BY_NAME[name].capability


def shipped_capability(engine: str) -> Capability:
    """Return what the shipped servers set for an engine, at the isolation level REPEATABLE READ.

    Raises:
        ValueError: Nothing is known of it.
    """
    name = usual_name(engine)
    if name in SHIPPED_CHANGES:
        return SHIPPED_CHANGES[name]
    if name not in _BY_NAME:
        known = sorted({*SHIPPED_CHANGES, *(each.names[0] for each in WORKLOG_ENGINES)})
        raise ValueError(f"nothing is known of the engine {engine!r}; there are {', '.join(known)}")
    return _BY_NAME[name].capability


def capability_given(text: str) -> tuple[str, Capability]:
    """Return engine and capability of a text such as ``innodb=row,stmt``; ``innodb=`` can do neither.

    Raises:
        ValueError: It is no such text.
    """
    name, separator, words = text.partition("=")
    if not separator or not name:
        raise ValueError(f"a capability is given as NAME=row,stmt, not as {text!r}")
    return usual_name(name), Capability.parse(words)


def table_of(
    engine: str,
    *,
    capability_of: Callable[[str], Capability],
    given: Mapping[str, Capability],
    written: bool = True,
) -> LockedTable:
    """Return a table of an engine, or over several: ``partition:myisam+ndb`` is a partitioned table of two.

    Args:
        engine: The engine's name, one of `given` or one that `capability_of` knows.
        capability_of: What engines can do, such as `worklog_capability`.
        given: Usual name of an engine -> what its tables can do instead.
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
    return opened(engine, given[name] if name in given else capability_of(engine), written=written)


def opened(engine: str, capability: Capability, *, written: bool) -> LockedTable:
    """Return a table of an engine whose handler has the given flags."""
    name = usual_name(engine)
    return LockedTable(
        name,
        capability,
        written=written,
        self_logging=name in SELF_LOGGING,
        replicated=name not in UNREPLICATED,
    )
