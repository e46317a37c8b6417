"""Sets of tables that a statement locks, made to have a wanted capability in one of many ways."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from conformance.models.decision.capability import BOTH, NEITHER, Capability
from conformance.models.decision.engines import WORKLOG_ENGINES, usual_name
from conformance.models.decision.locked_table import PARTITION
from conformance.models.decision.statement import QuestionTable
from conformance.strategies.grammar.chooser import Chooser

#: The profile under which tables that are only read count too.
WORKLOG: Final = "worklog"

#: Engines of tables whose flags are given, some by their other names. One does not exist; the one that does its own
#: logging is for the worklog only, as shipped servers have a special rule for it.
_ENGINES: Final = (
    "myisam",
    "innodb",
    "archive",
    "memory",
    "blackhole",
    "example",
    "columns_of_ours",
    "csv",
    "federated",
    "merge",
    "heap",
    "mrg_myisam",
)
_WORKLOG_ENGINES: Final = (*_ENGINES, "ndb", "ndbcluster")

#: The shapes that a set of tables can have; only an empty set has no table without a flag.
SHAPES: Final = ("one", "several", "partitioned", "partitioned among others", "read", "none")
#: Which tables of a set lack a flag that the set lacks.
LACKING: Final = ("first", "last", "middle", "all")
#: Where the tables of a set are that are only read.
#: Where a statement writes none of its tables: they are the set of the worklog, and count for nothing in servers.
ALL_READ: Final = "all"
NONE_WRITTEN: Final = "all, of which none counts"
READ: Final = (
    "after a written one",
    "before a written one",
    "after two written ones",
    "partitioned, after two written ones",
    ALL_READ,
    NONE_WRITTEN,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetShape:
    """The shape of a set of tables.

    Attributes:
        shape: One of `SHAPES`.
        count: The number of its tables, where it has several.
        parts: The number of parts of a partitioned table.
        lacking: Which of several tables lack a flag that the set lacks, one of `LACKING`.
        same: Whether all tables are of one engine.
        read: Where the tables are that are only read, one of `READ`.
    """

    shape: str
    count: int = 2
    parts: int = 2
    lacking: str = LACKING[0]
    same: bool = False
    read: str = READ[0]

    @classmethod
    def chosen(cls, choose: Chooser, capability: Capability) -> "SetShape":
        """Return any shape that a set with a capability can have."""
        shape = choose.one_of(SHAPES if capability == BOTH else SHAPES[:-1])
        return cls(
            shape=shape,
            count=choose.integer(2, 5),
            parts=choose.integer(1, 4),
            lacking=choose.one_of(LACKING),
            same=choose.yes(),
            read=choose.one_of(READ[:-2]) if shape == "read" else READ[0],
        )


def tables_for(
    choose: Chooser, capability: Capability, profile: str, shape: SetShape | None = None
) -> tuple[QuestionTable, ...]:
    """Return tables, each with its flags, whose set has a capability under a profile.

    Under the worklog all of them count; in shipped servers only those that are written.

    Args:
        choose: Chooses the engines.
        capability: The capability.
        profile: The profile.
        shape: The shape of the set; None for any.
    """
    shape = shape or SetShape.chosen(choose, capability)
    if shape.shape == "none":
        return ()
    if shape.shape == "one":
        return (QuestionTable(_engine(choose, profile), capability),)
    if shape.shape == "partitioned":
        return (_partitioned(choose, capability, profile, shape),)
    if shape.shape == "partitioned among others":
        tables = list(_several(choose, capability, profile, shape))
        # Often it is one that lacks a flag, and then its parts lack it as the case asks.
        lacking = [place for place, each in enumerate(tables) if each.capability != BOTH]
        place = choose.one_of(lacking) if lacking and choose.yes() else choose.integer(0, len(tables) - 1)
        of_table = tables[place].capability
        assert of_table is not None, "a table of such a set has its flags"
        tables[place] = _partitioned(choose, of_table, profile, shape)
        return tuple(tables)
    if shape.shape == "several":
        return _several(choose, capability, profile, shape)
    written, read = _with_read(choose, capability, profile, shape)
    if shape.read.startswith("partitioned"):
        read = [replace(each, capability=None, engine=PARTITION, parts=(_part(each),) * shape.parts) for each in read]
    return (*read, *written) if shape.read.startswith("before") else (*written, *read)


def _with_read(
    choose: Chooser, capability: Capability, profile: str, shape: SetShape
) -> tuple[Sequence[QuestionTable], Sequence[QuestionTable]]:
    """Return the tables of a set that are written, and those that are only read."""
    count = 2 if shape.read.endswith("two written ones") else 0 if shape.read in (ALL_READ, NONE_WRITTEN) else 1
    if profile == WORKLOG:
        tables = _several(choose, capability, profile, replace(shape, count=shape.count - 1 + count))
        return tables[:count], [QuestionTable(each.engine, each.capability, written=False) for each in tables[count:]]
    free = [Capability(row=choose.yes(), statement=choose.yes()) for _ in range(shape.count - (count > 0))]
    read = [QuestionTable(_engine(choose, profile), each, written=False) for each in free]
    if count != 1:
        return _several(choose, capability, profile, replace(shape, count=count)) if count else (), read
    return (QuestionTable(_engine(choose, profile), capability),), read


def _part(table: QuestionTable) -> QuestionTable:
    """Return a part of a partitioned table with the engine and the flags of a table."""
    return replace(table, written=True)


def _engine(choose: Chooser, profile: str) -> str:
    return choose.one_of(_WORKLOG_ENGINES if profile == WORKLOG else _ENGINES)


def _several(choose: Chooser, capability: Capability, profile: str, shape: SetShape) -> tuple[QuestionTable, ...]:
    """Return several tables, each flag that the set lacks being off in at least one of them."""
    engine = _engine(choose, profile) if shape.same else None
    return tuple(
        QuestionTable(engine or _engine(choose, profile), each)
        for each in _members(shape.count, capability, shape.lacking)
    )


def _members(count: int, capability: Capability, lacking: str) -> list[Capability]:
    """Return the capabilities of the tables of a set; of a set that lacks both flags, different tables lack them.

    The middle of two tables is the last.
    """
    without = {"first": {0}, "last": {count - 1}, "middle": {count // 2}, "all": set(range(count))}[lacking]
    other = {count - 1 - each for each in without}
    rows = set() if capability.row else without
    statements = set() if capability.statement else (without if capability.row else other)
    return [Capability(row=each not in rows, statement=each not in statements) for each in range(count)]


def _partitioned(choose: Chooser, capability: Capability, profile: str, shape: SetShape) -> QuestionTable:
    if profile == WORKLOG and shape.parts > 1:
        several = SetShape(shape="several", count=shape.parts, lacking=shape.lacking, same=shape.same)
        return QuestionTable(PARTITION, parts=_several(choose, capability, profile, several))
    # Shipped servers allow one engine per partitioned table, and its partitions are alike.
    part = QuestionTable(_engine(choose, profile), capability)
    return QuestionTable(PARTITION, parts=(part,) * shape.parts)


def marks_of_set(tables: Sequence[QuestionTable], capability: Capability, profile: str) -> list[str]:
    """Return the requirements that a set of tables with given flags exercises.

    Args:
        tables: The tables.
        capability: The capability of the set under the profile.
        profile: The profile whose rules hold.
    """
    given = [each.capability for each in tables if each.capability is not None]
    written = [each for each in tables if each.written]
    if tables and not written and profile != WORKLOG:
        return ["WL3303-SET-TO-WRITE-TABLES"]
    marks = ["WL3303-ENGINE-MAY-FORBID-ROW", "WL3303-ENGINE-MAY-FORBID-STATEMENT"]
    conditions = {
        "WL3303-TWO-FLAGS": len(tables) == 1 and bool(given),
        "WL3303-CAPABILITY-NOT-PREFERENCE": capability == BOTH and bool(tables),
        "WL3303-FLAGS-PER-TABLE": _flags_are_the_tables(tables),
        "WL3303-FLAGS-PARTITIONED": any(each.parts and (each.written or profile == WORKLOG) for each in tables),
        "WL3303-SET-CAPABLE": len(tables) != 1,
        "WL3303-SET-ROW-RESTRICTED": capability.row_restricted,
        "WL3303-SET-STATEMENT-RESTRICTED": capability.statement_restricted,
        "WL3303-SET-TO-WRITE-TABLES": len(written) > 1,
        "WL3303-SET-ALL-LOCKED-TABLES": profile == WORKLOG and len(written) < len(tables),
        "WL3303-SET-INCOMPATIBLE": capability == NEITHER and len(tables) > 1 and NEITHER not in given,
    }
    return marks + [requirement for requirement, applies in conditions.items() if applies]


def _flags_are_the_tables(tables: Sequence[QuestionTable]) -> bool:
    """Return whether flags belong to tables: they differ from the engine's setting, or within one engine."""
    settings = {engine.names[0]: engine.capability for engine in WORKLOG_ENGINES}
    of_engine: dict[str, Capability] = {}
    for each in tables:
        if each.capability is None:
            continue
        name = usual_name(each.engine)
        first = of_engine.setdefault(name, each.capability)
        if each.capability not in (first, settings.get(name, first)) or first != settings.get(name, first):
            return True
    return False
