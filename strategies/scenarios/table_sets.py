"""Sets of tables that a statement locks, made to have a wanted capability in one of many ways."""

from collections.abc import Sequence
from typing import Final

from conformance.models.decision.capability import BOTH, NEITHER, Capability
from conformance.models.decision.engines import WORKLOG_ENGINES, usual_name
from conformance.models.decision.statement import QuestionTable
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.chooser import Chooser

#: The profile under which tables that are only read count too.
WORKLOG: Final = "worklog"

#: Engines of tables whose flags are given. One does not exist; the one that does its own logging is for the worklog
#: only, as shipped servers have a special rule for it.
_ENGINES: Final = ("myisam", "innodb", "archive", "memory", "blackhole", "example", "columns_of_ours")
_WORKLOG_ENGINES: Final = (*_ENGINES, "ndb")

#: The shapes that a set of tables can have.
_SHAPES: Final = ("one", "several", "partitioned", "read")


def tables_for(choose: Chooser, capability: Capability, profile: str) -> tuple[QuestionTable, ...]:
    """Return tables, each with its flags, whose set has a capability under a profile.

    Under the worklog all of them count; in shipped servers only those that are written.
    """
    shape = choose.one_of((*_SHAPES, "none") if capability == BOTH else _SHAPES)
    if shape == "none":
        return ()
    if shape == "one":
        return (QuestionTable(_engine(choose, profile), capability),)
    if shape == "partitioned":
        return (_partitioned(choose, capability, profile),)
    if shape == "several":
        return _several(choose, capability, profile)
    if profile == WORKLOG:
        first, *others = _several(choose, capability, profile)
        return (first, *(QuestionTable(each.engine, each.capability, written=False) for each in others))
    free = Capability(row=choose.yes(), statement=choose.yes())
    return (
        QuestionTable(_engine(choose, profile), capability),
        QuestionTable(_engine(choose, profile), free, written=False),
    )


def _engine(choose: Chooser, profile: str) -> str:
    return choose.one_of(_WORKLOG_ENGINES if profile == WORKLOG else _ENGINES)


def _several(choose: Chooser, capability: Capability, profile: str) -> tuple[QuestionTable, ...]:
    """Return two or three tables, each flag that the set lacks being off in at least one of them."""
    count = choose.integer(2, 3)
    flags = [
        [True] * count if has_flag else _with_some_off(choose, count)
        for has_flag in (capability.row, capability.statement)
    ]
    engine = _engine(choose, profile) if choose.yes() else None
    return tuple(
        QuestionTable(engine or _engine(choose, profile), Capability(row=row, statement=statement))
        for row, statement in zip(*flags, strict=True)
    )


def _with_some_off(choose: Chooser, count: int) -> list[bool]:
    off = choose.integer(0, count - 1)
    return [place != off and not choose.yes(4) for place in range(count)]


def _partitioned(choose: Chooser, capability: Capability, profile: str) -> QuestionTable:
    if profile == WORKLOG:
        return QuestionTable("partition", parts=_several(choose, capability, profile))
    # Shipped servers allow one engine per partitioned table, and its partitions are alike.
    part = QuestionTable(_engine(choose, profile), capability)
    return QuestionTable("partition", parts=(part,) * choose.integer(2, 3))


def marks_of_set(tables: Sequence[QuestionTable], capability: Capability, profile: str) -> list[str]:
    """Return the requirements that a set of tables with given flags exercises.

    Args:
        tables: The tables.
        capability: The capability of the set under the profile.
        profile: The profile whose rules hold.
    """
    given = [each.capability for each in tables if each.capability is not None]
    written = [each for each in tables if each.written]
    marks = ["WL3303-ENGINE-MAY-FORBID-ROW", "WL3303-ENGINE-MAY-FORBID-STATEMENT"]
    conditions = {
        "WL3303-TWO-FLAGS": len(tables) == 1 and bool(given),
        "WL3303-CAPABILITY-NOT-PREFERENCE": capability == BOTH and bool(tables),
        "WL3303-FLAGS-PER-TABLE": _flags_are_the_tables(tables),
        "WL3303-FLAGS-PARTITIONED": any(each.parts for each in tables),
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


def engines_judged(profile: str) -> list[tuple[str, Capability, str]]:
    """Return the engines whose own setting is judged under a profile: name, setting, requirement."""
    return [
        (engine.names[0], engine.capability, engine.requirement)
        for engine in WORKLOG_ENGINES
        if profile in catalogue()[engine.requirement].holds
    ]
