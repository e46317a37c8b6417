"""Scenarios of statements that servers log in unusual ways (WL#7592)."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from conformance.binlog.servers import Server
from conformance.models.server.logging_rules import RULES
from conformance.models.server.settings import NUMBERED_MODES
from conformance.models.server.statements import (
    Begin,
    Commit,
    CreateDatabase,
    CreateTable,
    CreateTableSelect,
    Disconnect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    Maintain,
    Restart,
    Rollback,
    SetSession,
    Statement,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_dimensions import (
    ALWAYS,
    BINLOG_CHECKSUM,
    BINLOG_FORMAT,
    ENGINE,
    GTID_MODE,
    GTIDS,
    NO_ANONYMOUS_NEXT,
    NUMBERED,
    ROWS_QUERIES,
    TABLE_NAMES,
)

#: The profiles of WL#3303, for which CREATE TABLE ... SELECT is a mixture of formats.
_MIXTURE: Final = Profiles("worklog", "mysql >= 5.5")
#: The profiles whose servers split the DROP TABLE of a failed DROP DATABASE, with Gtid events.
_SPLITTING: Final = Profiles("worklog", "mysql >= 5.7, < 8.0")
#: The worklog separates tables by whether they are transactional; these servers do so only for temporary ones.
_SEPARATING_TEMPORARY: Final = Profiles("mysql >= 5.7, < 8.0")
_ATOMIC: Final = RULES.where(lambda rules: rules.create_select == "atomic")
_NOT_ATOMIC: Final = RULES.where(lambda rules: not rules.atomic_ddl)

_CREATE_FORMAT: Final = choices("binlog_format", ("ROW", "STATEMENT"))
#: From 8.0 on the rules are those of engines without atomic DDL; with it, the creation is one transaction.
_CREATE_ENGINE: Final = Dimension(
    "engine",
    {"myisam": "myisam", "innodb": "innodb", "innodb with atomic DDL": "innodb"},
    profiles={"innodb": _NOT_ATOMIC, "innodb with atomic DDL": _ATOMIC},
)
_SOURCES: Final = Number("sources")
_ROWS_OF_SOURCE: Final = Number("rows of the first source", fewest=0, many=(60, 90))
_CREATIONS: Final = Number("creations", many=(20, 30))
#: With ON_PERMISSIVE a client that asks for no GTID may do what GTIDs forbid.
_CREATE_MODE: Final = Dimension(
    GTIDS.name,
    {**GTIDS.classes, "ON_PERMISSIVE": "ON_PERMISSIVE"},
    profiles={**GTIDS.profiles, "ON_PERMISSIVE": ALWAYS},
)
#: A GTID that is given for a creation which is refused stays given.
_GIVEN_TO_CREATION: Final = Dimension(
    "gtid_next",
    {"AUTOMATIC": "AUTOMATIC", "given": "given", "ANONYMOUS": "ANONYMOUS"},
    when={"gtid_mode": ("ON", "ON_PERMISSIVE")},
    # 5.6.24 refuses the next change and the next SET GTID_NEXT, too.
    profiles={"given": Profiles("mysql >= 5.7"), "ANONYMOUS": ALWAYS},
)


_CREATED_IF_NEW: Final = yes_or_no("IF NOT EXISTS")
#: In which database the creation is looked for, if it did not name its own.
_CREATED_IN: Final = choices("default database", ("that of the table", "another", "none"))
_FROM_TEMPORARY: Final = yes_or_no("the first source is temporary")
#: The creation commits an open transaction, which would use up what GTID_NEXT gave.
_WITHIN: Final = yes_or_no("a transaction is open before it")


@asking_family(
    focus="WL3303-LOG-MIXTURE",
    profiles=_MIXTURE,
    dimensions=(
        _CREATE_MODE, _CREATE_FORMAT, BINLOG_CHECKSUM, ROWS_QUERIES, _ROWS_OF_SOURCE, _CREATIONS, _CREATE_ENGINE,
        _SOURCES, _GIVEN_TO_CREATION, _CREATED_IF_NEW, _CREATED_IN, _FROM_TEMPORARY, _WITHIN, TABLE_NAMES,
    ),
    impossible=(NO_ANONYMOUS_NEXT,),
)  # fmt: skip
def create_select_splits(choose: Chooser, server: Server) -> Question:
    """CREATE TABLE ... SELECT in each format, allowed or refused, with rows and without, with atomic DDL or not."""
    profile = server.profile
    mode = choose.vary(_CREATE_MODE, profile)
    fixed = {"gtid_mode": mode, "binlog_format": choose.vary(_CREATE_FORMAT, profile)}
    names = choose.vary(TABLE_NAMES, profile)
    scenario = LogQuestion(choose, settings_of(choose, profile, **fixed), table_name=names)
    gtid_next = scenario.vary(_GIVEN_TO_CREATION) if mode != "OFF" else "AUTOMATIC"
    database = scenario.vary(_CREATED_IN)
    scenario.open(tables=0, use=database == "that of the table")
    if database == "another":
        scenario.do(CreateDatabase(database=DATABASES[1]))
        scenario.do(Use(database=DATABASES[1]))
    temporary = scenario.vary(_FROM_TEMPORARY)
    sources = [scenario.create(engine="innodb", temporary=temporary and not number) for number in range(3)]
    for _ in scenario.several_of(_ROWS_OF_SOURCE):
        scenario.do(Insert(table=sources[0], values=(choose.integer(0, 9),)))
    within = scenario.vary(_WITHIN) and gtid_next == "AUTOMATIC"
    for _ in scenario.several_of(_CREATIONS):
        engine = scenario.vary(_CREATE_ENGINE)
        chosen = tuple(sources[: len([*scenario.several_of(_SOURCES)])])
        if gtid_next != "AUTOMATIC":
            _set_gtid_next(scenario, gtid_next)
        if within:
            scenario.do(Begin())
            scenario.do(Insert(table=sources[1], values=(2,)))
        create = CreateTableSelect(
            table=scenario.new_name(), sources=chosen, engine=engine, if_not_exists=scenario.vary(_CREATED_IF_NEW)
        )
        scenario.do(create)
        if gtid_next == "ANONYMOUS":
            _set_gtid_next(scenario, "AUTOMATIC")
        if gtid_next != "AUTOMATIC":
            scenario.do(Insert(table=sources[1], values=(1,)))
    return scenario.question()


_OWN: Final = Number("temporary tables", fewest=0, many=(20, 30))
_BASE: Final = Number("other tables", many=(20, 30))
#: The engines of tables, in turn.
_ENGINES: Final = Dimension("engines", {"one": ("innodb",), "both": ("innodb", "myisam"), "the other": ("myisam",)})
_MISSING: Final = yes_or_no("a table is missing")
_IF_EXISTS: Final = yes_or_no("IF EXISTS")
_ORDER: Final = choices("order", ("temporary first", "temporary last", "in turn"))
#: A given GTID can be that of one class of tables only; the worklog does not say what becomes of several.
_GIVEN_TO_ALL: Final = Dimension(
    "gtid_next",
    {"AUTOMATIC": "AUTOMATIC", "given": "given", "ANONYMOUS": "ANONYMOUS"},
    when={"gtid_mode": ("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON")},
    profiles={"given": Profiles("mysql >= 5.6"), "ANONYMOUS": ALWAYS},
)
#: The databases of the tables, in turn: only the default database may be left out before the name of a table.
_DATABASES: Final = Dimension("databases of the tables", {"the default": (0,), "both": (0, 1), "the other": (1,)})
_SECOND_DATABASE: Final = Dimension(
    "second database",
    {"plain": DATABASES[1], "a backtick": "d`2", "a space": "d 2"},
    when={_DATABASES.name: ("both", "the other")},
)


@asking_family(
    focus="WL7592-LOG-DROP-ON-GTID-EACH",
    profiles=NUMBERED,
    dimensions=(
        *(GTID_MODE, BINLOG_CHECKSUM, _OWN, _BASE, _ENGINES, _ORDER, _DATABASES, _MISSING, _IF_EXISTS),
        *(_GIVEN_TO_ALL, TABLE_NAMES, _SECOND_DATABASE),
    ),
    impossible=(NO_ANONYMOUS_NEXT,),
)
def multi_table_drops(choose: Chooser, server: Server) -> Question:
    """DROP TABLE of several tables, in one database or two: temporary or not, transactional or not, or missing."""
    profile = server.profile
    mode = choose.vary(GTID_MODE, profile)
    fixed = {"gtid_mode": mode, "binlog_format": "STATEMENT", "binlog_rows_query_log_events": False}
    at, names = choose.vary(_DATABASES, profile), choose.vary(TABLE_NAMES, profile)
    both = (DATABASES[0], choose.vary(_SECOND_DATABASE, profile) if 1 in at else DATABASES[1])
    scenario = LogQuestion(choose, settings_of(choose, profile, **fixed), databases=both, table_name=names)
    scenario.open(tables=0)
    own_count, base_count = len([*scenario.several_of(_OWN)]), len([*scenario.several_of(_BASE)])
    engines, order = scenario.vary(_ENGINES), scenario.vary(_ORDER)
    databases = [scenario.databases[each] for each in at]
    if scenario.databases[1] in databases:
        scenario.do(CreateDatabase(database=scenario.databases[1]))

    def create(number: int, engine: str, *, temporary: bool) -> TableName:
        name = scenario.new_name(databases[number % len(databases)])
        return scenario.create(name=name, engine=engine, temporary=temporary)

    own = [create(each, engines[each % len(engines)], temporary=True) for each in range(own_count)]
    # A database's temporary and base tables alternate from another engine on, so that every class may have one table.
    base = [
        create(each, _base_engine(profile, engines[(each + 1) % len(engines)]), temporary=False)
        for each in range(base_count)
    ]
    scenario.insert(base[0])
    missing = (scenario.new_name(),) if scenario.vary(_MISSING) else ()
    if_exists = scenario.vary(_IF_EXISTS)
    gtid_next = scenario.vary(_GIVEN_TO_ALL) if mode != "OFF" else "AUTOMATIC"
    given = gtid_next == "given"
    if gtid_next != "AUTOMATIC":
        _set_gtid_next(scenario, gtid_next)
    scenario.do(DropTable(tables=(*_ordered(own, base, order), *missing), if_exists=if_exists))
    numbered = mode in NUMBERED_MODES and gtid_next == "AUTOMATIC"
    if not given:
        scenario.mark("WL7592-LOG-DROP-GROUPS", "WL7592-LOG-DROP-TEMPORARY-FIRST")
        scenario.mark_gtids("WL7592-LOG-DROP-ON-GTID-EACH" if numbered else "WL7592-LOG-DROP-OFF-ANON-EACH")
    if not numbered and not given:
        _drop_inside(scenario)
    return scenario.question()


def _ordered(own: Sequence[TableName], base: Sequence[TableName], order: str) -> list[TableName]:
    if order == "temporary first":
        return [*own, *base]
    if order == "temporary last":
        return [*base, *own]
    shorter = min(len(own), len(base))
    in_turn = [name for pair in zip(own, base, strict=False) for name in pair]
    return [*in_turn, *own[shorter:], *base[shorter:]]


def _base_engine(profile: str, engine: str) -> str:
    return "innodb" if profile in _SEPARATING_TEMPORARY else engine


def _drop_inside(scenario: LogQuestion) -> None:
    """Drop a temporary table inside a transaction, which stays open."""
    table = scenario.create(engine="innodb")
    own = scenario.create(engine="innodb", temporary=True)
    scenario.do(Begin())
    marks = ("WL7592-LOG-DROP-TEMPORARY-INSIDE",)
    scenario.do(Insert(table=table, values=(1,)), *marks)
    scenario.do(DropTable(tables=(own,), temporary=True), *marks)
    scenario.do(Insert(table=table, values=(2,)), *marks)
    scenario.do(Commit(), *marks)


class _Names(NamedTuple):
    """The names of the tables that are dropped.

    Attributes:
        form: The form of a name, for its number.
        more: How many there are besides a number that varies; None for six in all.
        first: The form of the first.
    """

    form: str
    more: int | None = 20
    first: str | None = None


#: With six of these names a statement would be one byte too long.
_LONG: Final = "\u1e01" * 50 + "x" * 10 + "{:04}"
#: Names so long that some twenty make several statements, or short ones.
_NAMES: Final = Dimension(
    "names",
    {
        "short": _Names("t{}", more=0),
        "a backtick": _Names("a`{}", more=0),
        "words of SQL and spaces": _Names("drop table {}", more=0),
        "64 characters": _Names("x" * 60 + "{:04}"),
        "64 characters of three bytes": _Names("\u1e01" * 60 + "{:04}"),
        "64 characters of 164 bytes": _Names(_LONG),
        "six, one byte too long": _Names(_LONG, more=None),
        "six that just fit": _Names(_LONG, more=None, first=_LONG.replace("x", "", 1)),
    },
)
_DROPPED: Final = Number(
    "tables of the database",
    fewest=0,
    many=(60, 80),
    when={"names": [name for name, names in _NAMES.classes.items() if names.more is not None]},
)
_GIVEN: Final = yes_or_no("a GTID is given", when={"gtid_mode": ("ON", "OFF_PERMISSIVE", "ON_PERMISSIVE")})
_DROP_ENGINES: Final = Dimension(
    "engines", {"innodb": ("innodb",), "myisam": ("myisam",), "both": ("innodb", "myisam")}
)


@asking_family(
    focus="WL7592-LOG-DROPDB-PARTIAL",
    profiles=_SPLITTING,
    dimensions=(GTID_MODE, BINLOG_FORMAT, BINLOG_CHECKSUM, _GIVEN, _NAMES, _DROPPED, _DROP_ENGINES),
)
def drop_database_splits(choose: Chooser, server: Server) -> Question:
    """DROP DATABASE that fails halfway, in one or in several statements, with a given GTID or without."""
    profile = server.profile
    mode = choose.vary(GTID_MODE, profile)
    settings = settings_of(choose, profile, gtid_mode=mode, binlog_rows_query_log_events=False)
    scenario = LogQuestion(choose, settings)
    given = scenario.given_gtid() if mode != "OFF" and scenario.vary(_GIVEN) else ""
    names, database = scenario.vary(_NAMES), DATABASES[1]
    count = 6 if names.more is None else len([*scenario.several_of(_DROPPED)]) + names.more
    engines = scenario.vary(_DROP_ENGINES)
    scenario.do(CreateDatabase(database=database))
    tables = []
    for number in range(count):
        form = names.form if number or names.first is None else names.first
        tables.append(TableName(database, form.format(number)))
        scenario.do(CreateTable(table=tables[-1], engine=engines[number % len(engines)]))
    if not tables:
        # It fails without having dropped anything; of a given GTID the worklog says nothing then.
        scenario.do(DropDatabase(database=database, obstructed=True))
        scenario.do(CreateTable(table=TableName(database, names.form.format(1))))
        return scenario.question()
    if given:
        scenario.do(SetSession(variable="gtid_next", value=given))
    before = len(scenario.server.log.units)
    scenario.do(DropDatabase(database=database, obstructed=True), "WL7592-LOG-DROPDB-PARTIAL")
    logged = len(scenario.server.log.units) - before
    if logged > 1:
        scenario.mark("WL7592-LOG-DROPDB-SPLIT")
    if not given:
        numbered = mode in NUMBERED_MODES
        scenario.mark_gtids("WL7592-LOG-DROPDB-ON-GTID-EACH" if numbered else "WL7592-LOG-DROPDB-OFF-ANON-EACH")
    elif logged:
        scenario.mark_gtids("WL7592-LOG-DROPDB-NAMED-ONE")
    else:
        _drop_again(scenario, tables, given)
        return scenario.question()
    _create_again(scenario, tables)
    return scenario.question()


def _create_again(scenario: LogQuestion, tables: Sequence[TableName]) -> None:
    """Create the first and the last of the tables again: that is logged only where they have gone."""
    _set_gtid_next(scenario, "AUTOMATIC")
    for table in dict.fromkeys((tables[0], tables[-1])):
        scenario.do(CreateTable(table=table, engine="innodb"))


def _drop_again(scenario: LogQuestion, tables: Sequence[TableName], gtid: str) -> None:
    """Do what the error asks for: the GTID is given again, as it is not given any more, and the database is dropped."""
    scenario.do(FlushLogs())
    _create_again(scenario, tables)
    scenario.do(SetSession(variable="gtid_next", value=gtid))
    scenario.do(DropDatabase(database=tables[0].database), "WL7592-LOG-DROPDB-NAMED-SEVERAL")
    scenario.mark_gtids("WL7592-LOG-DROPDB-NAMED-SEVERAL")


#: Where temporary tables are created and dropped, and what GTID_NEXT is then.
_PLACE: Final = Dimension(
    "place, gtid_next",
    {
        f"{place}, {gtid_next}": (place, gtid_next)
        for place, gtid_next in (
            ("outside", "AUTOMATIC"),
            ("inside", "AUTOMATIC"),
            ("outside", "ANONYMOUS"),
            ("inside", "ANONYMOUS"),
            ("outside", "given"),
        )
    },
)
_TABLES: Final = Number("temporary tables", many=(20, 30))
#: The engines of other temporary tables that the statement drops too; None if it is not dropped.
_DROPPED_AGAIN: Final[Dimension[tuple[str, ...] | None]] = Dimension(
    "dropped", {"no": None, "alone": (), "with another": ("innodb",), "with two others": ("myisam", "innodb")}
)
#: What a transaction begins with may decide which cache the rest of it is in.
_FIRST: Final = choices("first of the transaction", ("a change", "the temporary table"))
_END: Final = choices("end", ("commit", "rollback"))
#: A server that is shut down ends the sessions that there are.
_SHUT_DOWN: Final = "by a shutdown"
_LEAVES: Final = choices("disconnect", ("no", "yes", _SHUT_DOWN))
#: What GTID_NEXT is when the client leaves.
_LEFT: Final = Dimension(
    "gtid_next",
    {"AUTOMATIC": "AUTOMATIC", "ANONYMOUS": "ANONYMOUS", "given": "given"},
    when={_LEAVES.name: ("yes", _SHUT_DOWN)},
)
#: The client that leaves: the first, or one that has done nothing else.
_LEAVING: Final = Dimension(
    "client that leaves", {"the first": 1, "another": 2}, when={_LEAVES.name: ("yes", _SHUT_DOWN)}
)
#: Each of its tables is dropped in its own database, whatever the default database of the client is.
_TWO_DATABASES: Final = yes_or_no("tables of another database too", when={_LEAVES.name: ("yes", _SHUT_DOWN)})
_TEMPORARY_MODES: Final = Dimension(
    "gtid_mode",
    {mode: mode for mode in ("ON", "OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE")},
    profiles={"OFF": ALWAYS, "OFF_PERMISSIVE": ALWAYS, "ON_PERMISSIVE": ALWAYS},
)
_NOT_ANONYMOUS: Final = Impossible(
    {"gtid_mode": ("ON",), "place, gtid_next": ("outside, ANONYMOUS", "inside, ANONYMOUS")},
    "servers refuse GTID_NEXT=ANONYMOUS with gtid_mode=ON",
)
_NOT_GIVEN: Final = Impossible(
    {"gtid_mode": ("OFF",), "place, gtid_next": ("outside, given",)}, "servers refuse a GTID with gtid_mode=OFF"
)


@asking_family(
    focus="WL7592-LOG-TEMPORARY-OUTSIDE",
    profiles=NUMBERED,
    dimensions=(
        *(_TEMPORARY_MODES, BINLOG_CHECKSUM, _TABLES, _PLACE, ENGINE),
        *(_DROPPED_AGAIN, _FIRST, _END, _LEAVES, _LEFT, _LEAVING, _TWO_DATABASES, TABLE_NAMES),
    ),
    impossible=(_NOT_ANONYMOUS, _NOT_GIVEN),
)
def temporary_tables(choose: Chooser, server: Server) -> Question:
    """Temporary tables in statement format: outside transactions, inside them, and when their session ends."""
    profile = server.profile
    mode = choose.vary(_TEMPORARY_MODES, profile)
    fixed = {"gtid_mode": mode, "binlog_format": "STATEMENT", "binlog_rows_query_log_events": False}
    names = choose.vary(TABLE_NAMES, profile)
    scenario = LogQuestion(choose, settings_of(choose, profile, **fixed), table_name=names)
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    for _ in scenario.several_of(_TABLES):
        (place, gtid_next), engine = scenario.vary(_PLACE), scenario.vary(ENGINE)
        dropped, first, end = scenario.vary(_DROPPED_AGAIN), scenario.vary(_FIRST), scenario.vary(_END)
        if place == "outside":
            _temporary_outside(scenario, gtid_next, engine=engine, dropped=dropped)
        else:
            last = Rollback() if end == "rollback" else Commit()
            _set_gtid_next(scenario, gtid_next)
            # WL#7592 leaves open whether the transaction then has begun.
            changed = first == "a change" or (profile == "worklog" and engine == "myisam")
            _temporary_inside(scenario, table, last, changed=changed, engine=engine, dropped=dropped)
        # What was set holds for later transactions too.
        scenario.do(Insert(table=table, values=(2,)))
        _set_gtid_next(scenario, "AUTOMATIC")
    if (leaves := scenario.vary(_LEAVES)) != "no":
        # At least one table is left to be dropped.
        client = scenario.vary(_LEAVING)
        scenario.create(temporary=True, session=client)
        if scenario.vary(_TWO_DATABASES):
            scenario.do(CreateDatabase(database=DATABASES[1], session=client))
            scenario.create(name=scenario.new_name(DATABASES[1]), temporary=True, session=client)
        _set_gtid_next(scenario, scenario.vary(_LEFT), client=client)
        leaving: Statement = Disconnect(session=client)
        if leaves == _SHUT_DOWN:
            # The order in which sessions end is the server's: there is one left.
            for number in sorted({*scenario.server.sessions} - {client}):
                scenario.do(Disconnect(session=number))
            leaving = Restart(session=client)
        scenario.do(leaving, "WL7592-LOG-DISCONNECT-DROPS")
        scenario.mark_gtids("WL7592-LOG-DISCONNECT-DROPS")
    return scenario.question()


def _set_gtid_next(scenario: LogQuestion, gtid_next: str, *, client: int = 1) -> None:
    """Set GTID_NEXT if it has another value; what the mode does not allow is refused, and it stays as it was."""
    value = scenario.given_gtid() if gtid_next == "given" else gtid_next
    if scenario.server.session(client).gtid_next != value:
        scenario.do(SetSession(variable="gtid_next", value=value, session=client))


def _temporary_outside(scenario: LogQuestion, gtid_next: str, *, engine: str, dropped: tuple[str, ...] | None) -> None:
    name = scenario.new_name()
    statements: list[CreateTable | DropTable] = [CreateTable(table=name, engine=engine, temporary=True)]
    statements += [] if dropped is None else [DropTable(tables=(name,), temporary=True)]
    for statement in statements:
        _set_gtid_next(scenario, gtid_next)
        scenario.do(statement, "WL7592-LOG-TEMPORARY-OUTSIDE")
        if gtid_next == "given":
            # It is used up.
            _set_gtid_next(scenario, "AUTOMATIC")


def _temporary_inside(
    scenario: LogQuestion,
    table: TableName,
    last: Commit | Rollback,
    *,
    changed: bool,
    engine: str,
    dropped: tuple[str, ...] | None,
) -> None:
    """Add a transaction with a change that creates and may drop a temporary table, if that is not refused."""
    # Servers log a table that is not transactional at once where nothing of the transaction is logged before.
    marks = ("WL7592-LOG-TEMPORARY-INSIDE",) if changed or engine == "innodb" else ()
    change = Insert(table=table, values=(1,))
    scenario.do(Begin())
    if changed:
        scenario.do(change, *marks)
    name = scenario.new_name()
    outcome = scenario.do(CreateTable(table=name, engine=engine, temporary=True), *marks)
    if outcome.error is None and dropped is not None:
        is_held = bool(marks) and scenario.server.settings.profile in ALWAYS
        own = ("WL7592-LOG-DROP-TEMPORARY-INSIDE",) if is_held else ()
        others = [scenario.create(engine=each, temporary=True) for each in dropped]
        scenario.do(DropTable(tables=(name, *others), temporary=True), *marks, *own)
    if not changed:
        scenario.do(change, *marks)
    scenario.do(last, *marks)
    scenario.mark_gtids(*marks)


_ACTION: Final = Dimension(
    "action",
    {"OPTIMIZE": "optimize", "REPAIR": "repair", "ANALYZE": "analyze", "CHECKSUM": "checksum"},
    profiles={"CHECKSUM": RULES.where(lambda rules: rules.checksum_table)},
)
_FAILS: Final = Dimension("table", {"exists": False, "is missing": True})
_NEXT: Final = Dimension("gtid_next", {"AUTOMATIC": "AUTOMATIC", "ANONYMOUS": "ANONYMOUS", "given": "given"})
_ACTIONS: Final = Number("actions", many=(20, 30))
_EVERY: Final = yes_or_no("then each action on either table with each gtid_next")


@asking_family(
    focus="WL7592-LOG-MAINTENANCE-FAILED",
    profiles=ALWAYS,
    dimensions=(GTID_MODE, BINLOG_FORMAT, BINLOG_CHECKSUM, _ACTIONS, _ACTION, _FAILS, ENGINE, _NEXT, _EVERY),
)
def logged_maintenance(choose: Chooser, server: Server) -> Question:
    """OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE, of tables that exist and of tables that do not."""
    settings = settings_of(choose, server.profile, binlog_rows_query_log_events=False)
    scenario = LogQuestion(choose, settings)
    scenario.open(tables=0)
    mode = settings.gtid_mode
    varied: tuple[Dimension[Any], ...] = (_ACTION, _FAILS, _NEXT)
    steps = [tuple(scenario.vary(each) for each in varied) for _ in scenario.several_of(_ACTIONS)]
    if scenario.vary(_EVERY):
        steps += product(*([each.classes[name] for name in each.names(server.profile)] for each in varied))
    for action, fails, gtid_next in steps:
        engine = scenario.vary(ENGINE)
        table = scenario.new_name() if fails else scenario.create(engine=engine)
        allowed = {"ANONYMOUS": mode != "ON", "given": mode != "OFF"}.get(gtid_next, False)
        if allowed:
            value = scenario.given_gtid() if gtid_next == "given" else gtid_next
            scenario.do(SetSession(variable="gtid_next", value=value))
        scenario.do(Maintain(action=action, table=table), "WL7592-LOG-MAINTENANCE-FAILED")
        scenario.mark_gtids("WL7592-LOG-MAINTENANCE-FAILED", "WL7592-LOG-MAINTENANCE-KEEPS-GTID")
        if allowed:
            scenario.do(SetSession(variable="gtid_next", value="AUTOMATIC"))
    return scenario.question()
