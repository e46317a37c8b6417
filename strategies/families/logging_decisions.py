"""Logging decisions: statements of all kinds on sets of tables of all kinds, by the table of WL#3303."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from conformance.binlog.servers import Server
from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY, Capability
from conformance.models.decision.decision import MODES, Mode, Safety
from conformance.models.decision.engines import WORKLOG_ENGINES, Engine
from conformance.models.decision.statement import QuestionTable
from conformance.models.decision.worklog_table import DECISION_TABLE, row_for
from conformance.specs.catalogue import catalogue
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.decide import SWITCHES, DecisionQuestion
from conformance.strategies.scenarios.table_sets import (
    ALL_READ,
    LACKING,
    NONE_WRITTEN,
    READ,
    SHAPES,
    SetShape,
    marks_of_set,
    tables_for,
)

#: The profiles that the requirements of WL#3303 are for.
DECIDING: Final = Profiles("worklog", "mysql >= 5.5")

#: First one that a table decides: a case of many tables or parts has the first class.
_CAPABILITY: Final = Dimension(
    "capability", {"row": ROW_ONLY, "statement": STATEMENT_ONLY, "neither": NEITHER, "both": BOTH}
)
_LOGGING: Final = Dimension(
    "logging", dict(zip(("on", "sql_log_bin off", "log closed", "both off"), SWITCHES, strict=True))
)
_SHAPE: Final = choices("set of tables", SHAPES)
_WITH_SEVERAL: Final = ("several", "partitioned among others", "read")
_PARTITIONED: Final = ("partitioned", "partitioned among others")
#: Many of them are not heavy, as a question without a stream is small: any of many may be the one that decides.
_TABLES: Final = Number("tables", fewest=2, few=5, many=(66, 80), heavy=False, when={"set of tables": _WITH_SEVERAL})
_PARTS: Final = Number("parts", few=6, many=(60, 80), heavy=False, when={"set of tables": _PARTITIONED})
_NOT_BOTH: Final = ("row", "statement", "neither")
_LACKING: Final = Dimension(
    "tables without a flag",
    {each: each for each in LACKING},
    when={"set of tables": (*_WITH_SEVERAL, "partitioned"), "capability": _NOT_BOTH},
)
#: A middle is neither the first nor the last.
_NO_MIDDLE: Final = (
    Impossible({"tables": ("2",), "tables without a flag": ("middle",)}, "two tables have none in the middle"),
    Impossible({"parts": ("1", "2"), "tables without a flag": ("middle",)}, "two parts have none in the middle"),
)
_SAME: Final = yes_or_no("one engine", when={"set of tables": (*_WITH_SEVERAL, "partitioned")})
_READ: Final = Dimension(
    "read tables",
    {each: each for each in READ},
    when={"set of tables": ("read",)},
    profiles={ALL_READ: Profiles("worklog"), NONE_WRITTEN: Profiles("mysql >= 5.5")},
)
_SETS: Final = Number("sets", many=(12, 16), heavy=False)


@asking_family(
    focus="WL3303-DECISION-TWO-FORMATS",
    profiles=DECIDING,
    dimensions=(_CAPABILITY, _LOGGING, _SHAPE, _TABLES, _PARTS, _LACKING, _SAME, _READ, _SETS),
    impossible=(
        Impossible(
            {"capability": _NOT_BOTH, "set of tables": ("none",)}, "an empty set of tables has both capabilities"
        ),
        Impossible(
            {"capability": _NOT_BOTH, "read tables": (NONE_WRITTEN,)}, "what is read alone takes no capability away"
        ),
        *_NO_MIDDLE,
    ),
)
def logging_decisions(choose: Chooser, server: Server) -> Question:
    """Sets of tables of all kinds, each under all conditions of the decision table, with logging on or off.

    What is logged is asked a second time after other statements: nothing may be kept between statements.
    """
    profile = server.profile
    decisions = DecisionQuestion(choose)
    capability, switch = choose.vary(_CAPABILITY, profile), choose.vary(_LOGGING, profile)
    shape = choose.vary(_SHAPE, profile)
    lacks = capability != BOTH and shape in (*_WITH_SEVERAL, "partitioned")
    first = SetShape(
        shape=shape,
        count=_number(choose, _TABLES, profile) if shape in _WITH_SEVERAL else 2,
        parts=_number(choose, _PARTS, profile) if shape in _PARTITIONED else 2,
        lacking=choose.vary(_LACKING, profile) if lacks else LACKING[0],
        same=shape in (*_WITH_SEVERAL, "partitioned") and choose.vary(_SAME, profile),
        read=choose.vary(_READ, profile) if shape == "read" else READ[0],
    )
    for number in choose.several_of(_SETS, profile):
        if number:
            # Often the next set has the same capability and is logged, so that other tables meet the same conditions.
            capability = choose.vary(_CAPABILITY, profile) if choose.yes(4) else capability
            switch = choose.vary(_LOGGING, profile) if choose.yes(3) else SWITCHES[0]
        tables = tables_for(choose, capability, profile, None if number else first)
        marks = marks_of_set(tables, capability, profile)
        rows = [row for row in DECISION_TABLE if row.capability == capability]
        while rows:
            row = rows.pop(choose.integer(0, len(rows) - 1))
            for logging in _with_logging(switch):
                decisions.ask(row, tables, *marks, switch=logging)
    decisions.ask_again()
    return decisions.question()


def _with_logging(switch: tuple[bool, bool]) -> Iterator[tuple[bool, bool]]:
    """Yield how logging is switched, and logging on: where it is off, nothing shows which format would be chosen."""
    yield from dict.fromkeys((switch, SWITCHES[0]))


def _number(choose: Chooser, number: Number, profile: str) -> int:
    return len([*choose.several_of(number, profile)])


def _name_of(engine: Engine, choose: Chooser, profile: str) -> str:
    name = engine.names[0]
    return _OTHER_NAMES[name] if name in _OTHER_NAMES and choose.vary(_BY_OTHER_NAME, profile) else name


#: The modes that show the two capabilities separately.
_SHOWING: Final[tuple[Mode, ...]] = ("row", "statement")
_SAFETY: Final = Dimension[Safety]("safety", {"safe": "safe", "unsafe": "unsafe"})
_ENGINE: Final = Dimension(
    "engine",
    {each.names[0]: each for each in WORKLOG_ENGINES},
    profiles={each.names[0]: catalogue()[each.requirement].holds for each in WORKLOG_ENGINES},
)
#: The other names of engines that servers take in SQL.
_OTHER_NAMES: Final = {"ndb": "ndbcluster", "memory": "heap", "merge": "mrg_myisam"}
#: Name of an engine -> the other one that it has.
_SAME_ENGINE: Final = _OTHER_NAMES | {other: name for name, other in _OTHER_NAMES.items()}
_BY_OTHER_NAME: Final = yes_or_no("another name of the engine", when={"engine": tuple(_OTHER_NAMES)})
_MIXED_PARTS: Final = "another engine, in one partitioned table"
_PARTITIONED_ENGINES: Final = ("itself, partitioned", _MIXED_PARTS)
#: Flags belong to a table: those of InnoDB's depend on the isolation level.
_OWN_WITH_FLAGS: Final = "tables of its engine with flags"
_OF_TABLE: Final = ("WL3303-FLAGS-PER-TABLE",)
_GIVEN: Final = ("tables with flags", _OWN_WITH_FLAGS)
#: Shipped servers refuse a table whose parts are of several engines.
_TOGETHER: Final = Dimension(
    "together with",
    {each: each for each in ("nothing", *_GIVEN, "another engine", *_PARTITIONED_ENGINES)},
    profiles={_MIXED_PARTS: Profiles("worklog")},
)
_BESIDE: Final = (*_GIVEN, "another engine")
_PLACE: Final = Dimension("place", {"first": 0, "last": 1, "middle": 2}, when={"together with": _BESIDE})
_LOCK: Final = Dimension(
    "lock of the engine's table",
    {"write": True, "read": False},
    when={"together with": _BESIDE},
    profiles={"read": Profiles("worklog")},
)
_TOGETHER_LOGGING: Final = replace(_LOGGING, when={"together with": (*_BESIDE, *_PARTITIONED_ENGINES)})
_OTHERS: Final = Number("others", few=4, many=(40, 60), when={"together with": (*_BESIDE, *_PARTITIONED_ENGINES)})
_FLAGS: Final = Dimension(
    "flags of the others",
    {"both": BOTH, "row": ROW_ONLY, "statement": STATEMENT_ONLY, "neither": NEITHER},
    when={"together with": _GIVEN},
)


@asking_family(
    focus="WL3303-SET-CAPABLE",
    profiles=DECIDING,
    dimensions=(_SAFETY, _ENGINE, _BY_OTHER_NAME, _TOGETHER, _PLACE, _LOCK, _TOGETHER_LOGGING, _OTHERS, _FLAGS),
)
def engine_capabilities(choose: Chooser, server: Server) -> Question:
    """Tables of engines with their own settings, alone, among others and under partitioned tables."""
    profile = server.profile
    decisions = DecisionQuestion(choose)
    safety, engine = choose.vary(_SAFETY, profile), choose.vary(_ENGINE, profile)
    own = QuestionTable(_name_of(engine, choose, profile))
    together = choose.vary(_TOGETHER, profile)
    engines = [engine]
    if together == "another engine":
        engines.append(choose.vary(_ENGINE, profile))
    elif together == _MIXED_PARTS:
        engines.append(choose.one_of([each for each in WORKLOG_ENGINES if each.capability != engine.capability]))
    for each in engines:
        alone = own if each is engine else QuestionTable(each.names[0])
        for mode in _SHOWING:
            decisions.ask(row_for(safety, mode, each.capability), (alone,), each.requirement)
    if together == "nothing":
        decisions.ask_again()
        return decisions.question()
    place = choose.vary(_PLACE, profile) if together in _BESIDE else 0
    written = together not in _BESIDE or choose.vary(_LOCK, profile)
    switch = choose.vary(_TOGETHER_LOGGING, profile)
    count = _number(choose, _OTHERS, profile)
    sets: list[tuple[QuestionTable, ...]]
    if together in _PARTITIONED_ENGINES:
        firsts = [own.engine, *(each.names[0] for each in engines[1:])]
        if choose.yes():
            firsts.reverse()
        sets = [(_partitioned(firsts, count, names=names),) for names in (slice(1), slice(2), slice(1, 2))]
        capability = Capability.of_set(tuple(each.capability for each in engines))
        marks = ["WL3303-FLAGS-PARTITIONED"]
    else:
        given = choose.vary(_FLAGS, profile) if together in _GIVEN else None
        other = QuestionTable("columns_of_ours" if together == _GIVEN[0] else engines[-1].names[0], given)
        at = (0, count, (count + 1) // 2)[place]
        sets = [(*(other,) * at, replace(own, written=written), *(other,) * (count - at))]
        capability = Capability.of_set((engine.capability, given or engines[-1].capability))
        marks = ["WL3303-SET-CAPABLE", *(_OF_TABLE if together == _OWN_WITH_FLAGS else ())]
    for mode, logging, tables in product(_SHOWING, _with_logging(switch), dict.fromkeys(sets)):
        decisions.ask(row_for(safety, mode, capability), tables, *marks, switch=logging)
        if not written:
            # What is written has both capabilities, so that the table which is read alone decides.
            beside = (replace(own, written=False), QuestionTable("columns_of_ours", BOTH))
            decisions.ask(row_for(safety, mode, engine.capability), beside, *marks, switch=logging)
    if together == _OWN_WITH_FLAGS:
        for mode in _SHOWING:
            decisions.ask(row_for(safety, mode, engine.capability), (own,), engine.requirement, *_OF_TABLE)
    decisions.ask_again()
    return decisions.question()


def _partitioned(engines: Sequence[str], count: int, *, names: slice) -> QuestionTable:
    """Return a partitioned table with some parts of each engine, by some of the two names that it has, in turn."""
    parts = []
    for name in engines:
        used = (name, _SAME_ENGINE.get(name, name))[names]
        parts += [QuestionTable(used[number % len(used)]) for number in range(count)]
    return QuestionTable("partition", parts=tuple(parts))


_UNREPLICATED: Final = QuestionTable("performance_schema")
#: The tables that a statement writes besides those of performance_schema, by what each of them can be logged as.
_WRITTEN_TOO: Final = Dimension[tuple[Capability, ...]](
    "tables that it writes too",
    {
        "none": (),
        "one": (BOTH,),
        "one for rows": (ROW_ONLY,),
        "one for statements": (STATEMENT_ONLY,),
        "one that has no format": (NEITHER,),
        "several": (BOTH, BOTH, BOTH),
        "one for rows, one for statements": (ROW_ONLY, STATEMENT_ONLY),
    },
)
#: A statement that only reads them is logged as any other.
_OF_SCHEMA_READ: Final = Dimension(
    "tables of performance_schema are",
    {"written": False, "read": True},
    when={_WRITTEN_TOO.name: [each for each in _WRITTEN_TOO.classes if each != "none"]},
)
_OTHERS_READ: Final = yes_or_no("another table is read")
_OF_SCHEMA: Final = Number("tables of performance_schema", few=3)
_AMONG: Final = choices("place of the first of these", ("first", "last"))


@asking_family(
    focus="FORMAT-DECIDE-UNREPLICATED",
    profiles=DECIDING & Profiles("mysql"),
    dimensions=(_WRITTEN_TOO, _OF_SCHEMA_READ, _OTHERS_READ, _OF_SCHEMA, _AMONG, _LOGGING),
)
def unreplicated_tables(choose: Chooser, server: Server) -> Question:
    """Statements that use tables of performance_schema, which are not replicated, alone or beside others."""
    profile = server.profile
    decisions = DecisionQuestion(choose)
    others = tuple(QuestionTable("columns_of_ours", each) for each in choose.vary(_WRITTEN_TOO, profile))
    is_read = bool(others) and choose.vary(_OF_SCHEMA_READ, profile)
    if choose.vary(_OTHERS_READ, profile):
        others = (*others, QuestionTable("columns_of_ours", NEITHER, written=False))
    own = (replace(_UNREPLICATED, written=not is_read),) * _number(choose, _OF_SCHEMA, profile)
    tables = (*own, *others) if choose.vary(_AMONG, profile) == "first" else (*others, *own)
    switch = choose.vary(_LOGGING, profile)
    # Nothing but such a table is asked about under each profile, whatever the set is.
    sets = dict.fromkeys((tables, (_UNREPLICATED,)))
    for mode, logging, locked in product(MODES, _with_logging(switch), sets):
        # Servers take every statement that uses performance_schema for unsafe.
        decisions.ask_servers(profile, ("unsafe", mode), locked, "FORMAT-DECIDE-UNREPLICATED", logging)
    decisions.ask_again()
    return decisions.question()
