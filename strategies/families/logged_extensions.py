"""Scenarios for servers with features that never shipped: tables info (WL#40), boundary markers (WL#4162)."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Final

from conformance.binlog.servers import Server
from conformance.models.server.settings import GTID_MODES
from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    Crash,
    CreateDatabase,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    Delete,
    Disconnect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    InsertSelect,
    Maintain,
    RenameTable,
    Restart,
    Rollback,
    RollbackTo,
    Savepoint,
    SetGlobal,
    SetSession,
    SetUserVariable,
    Statement,
    Update,
    UpdateTables,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Number, Value, choices, yes_or_no
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_dimensions import (
    AUTO_INCREMENT,
    BINLOG_CHECKSUM,
    BINLOG_FORMAT,
    ROWS_QUERIES,
)
from conformance.strategies.scenarios.scenario_steps import take_step

_WORKLOG: Final = Profiles("worklog")


_EXTENDED: Final = Dimension("binlog_with_tables_info", {"ON": True, "OFF": False})
_FORMAT: Final = choices("binlog_format", ("ROW", "STATEMENT"))
_USE: Final = yes_or_no("a default database")
_STEP: Final = choices(
    "step",
    (
        *("create", "create like", "create select", "rename", "insert", "other statement"),
        *("next log", "other session", "set the option"),
    ),
)
_STEPS: Final = Number("steps", many=(20, 30))
#: What varies where there are lists of tables.
_LISTED: Final = {"binlog_with_tables_info": ("ON",)}
_SHAPE: Final = Dimension(
    "rename", {each: each for each in ("one", "swap", "chain", "two", "three", "on after others")}, when=_LISTED
)
#: Where a renamed table comes to, or one that is made like another: a new name is that of another table if its database
#: is another one.
_ACROSS: Final = yes_or_no("to another database", when=_LISTED)
_SOURCES: Final = Dimension("different sources", {str(each): each for each in (1, 2, 3, 30)}, when=_LISTED)
#: The other database: one whose name a careless list takes for that of the default one, or one at the limit of names.
_OTHER: Final = choices("other database", ("d2", "d", "d1_", "d11", "x" * 64, "\u6f22" * 64))
#: A table's name by its number: servers take 64 characters, up to 192 bytes.
_TABLE_NAME: Final[Dimension[Callable[[int], str]]] = Dimension(
    "table names",
    {
        "plain": "t{}".format,
        "the last one's and more": lambda number: "t" * number,
        "a backtick": "a`{}".format,
        "all characters": lambda number: f"t{number}".ljust(64, "x"),
        "all characters, three bytes each": lambda number: f"\u8868{number}".ljust(64, "\u6f22"),
    },
)
_NEW: Final = Dimension("new table", {each: each for each in ("base", "temporary")}, when=_LISTED)
_LIKE: Final = Dimension("like", {each: each for each in ("base", "temporary")}, when=_LISTED)
_CONDITION: Final = yes_or_no("IF NOT EXISTS", when=_LISTED)
_TRIED: Final = Dimension("set the option", {"globally": SetGlobal, "for the session": SetSession})
#: A database that cannot be dropped, and enough of the longest names for more than one DROP TABLE.
_LOST: Final = "lost"
_ENOUGH: Final = 20
#: A session that does nothing but end.
_ENDING: Final = 9
_HOW: Final = choices("next log", ("FLUSH", "restart", "crash"))


@asking_family(
    focus="WL40-OPTION-ON-ALL-EXTENDED",
    profiles=_WORKLOG,
    dimensions=(
        _EXTENDED,
        _FORMAT,
        BINLOG_CHECKSUM,
        _USE,
        _STEPS,
        _STEP,
        _SHAPE,
        _ACROSS,
        _SOURCES,
        _OTHER,
        _TABLE_NAME,
        _NEW,
        _LIKE,
        _CONDITION,
        _TRIED,
        _HOW,
    ),
)
def logged_tables_info(choose: Chooser, server: Server) -> Question:
    """Statements before WL#7592 with tables info in every Query event, or in none, over several logs and sessions."""
    profile = server.profile
    extended, binlog_format = choose.vary(_EXTENDED, profile), choose.vary(_FORMAT, profile)
    fixed = {"gtid_mode": "OFF", "binlog_format": binlog_format, "binlog_rows_query_log_events": False}
    settings = settings_of(choose, profile, before_wl7592=True, binlog_with_tables_info=extended, **fixed)
    databases = (DATABASES[0], choose.vary(_OTHER, profile))
    scenario = LogQuestion(choose, settings, databases=databases, table_name=choose.vary(_TABLE_NAME, profile))
    scenario.open(tables=0, use=scenario.vary(_USE))
    scenario.do(CreateDatabase(database=databases[1]))
    for _ in range(3):
        scenario.do(CreateTable(table=scenario.new_name()), *_created(scenario, "PLAIN"))
    scenario.insert(scenario.base_tables()[0].name)
    for _ in scenario.several_of(_STEPS):
        _TABLE_STEPS[scenario.vary(_STEP)](scenario)
    for step in (_rename, _create_like, _create_like_each, _create_select, _set_option, _next_log, _insert):
        step(scenario)
    if extended:
        scenario.mark_everywhere("WL40-OPTION-ON-ALL-EXTENDED", "WL40-OPTION-GLOBAL-READ-ONLY")
    else:
        scenario.mark_everywhere("WL40-OPTION-OFF-USUAL", "WL40-OPTION-GLOBAL-READ-ONLY")
    return scenario.question()


def _extended(scenario: LogQuestion) -> bool:
    return scenario.server.settings.binlog_with_tables_info


def _vary(scenario: LogQuestion, dimension: Dimension[Value]) -> Value:
    """Return what the grammar takes for a class of a dimension of lists of tables; the simplest without them."""
    return scenario.vary(dimension) if _extended(scenario) else next(iter(dimension.classes.values()))


def _created(scenario: LogQuestion, shape: str) -> tuple[str, ...]:
    """Return the requirements on the list of a CREATE TABLE of a shape."""
    if not _extended(scenario):
        return ()
    if scenario.server.settings.binlog_format == "STATEMENT":
        return (f"WL40-CREATE-SBR-{shape}", "WL40-CREATE-SBR-AS-IS", "WL40-CREATE-SHAPES", "WL40-LIST-EACH-TABLE")
    return (f"WL40-CREATE-RBR-{shape}",)


def _create(scenario: LogQuestion) -> None:
    choose = scenario.choose
    name = scenario.new_name()
    temporary = choose.yes(3)
    statement = CreateTable(table=name, temporary=temporary, if_not_exists=choose.yes(3))
    scenario.do(statement, *(() if _is_unlogged(scenario, temporary=temporary) else _created(scenario, "PLAIN")))


def _is_unlogged(scenario: LogQuestion, *, temporary: bool) -> bool:
    """Return whether a statement is not logged because it creates a temporary table in row format."""
    unlogged = temporary and scenario.server.settings.binlog_format == "ROW"
    if unlogged and _extended(scenario):
        scenario.mark_everywhere("WL40-CREATE-RBR-TEMPORARY-NOT-LOGGED", "WL40-CREATE-RBR-TEMPORARY")
    return unlogged


def _create_like(scenario: LogQuestion) -> None:
    temporary, condition = _vary(scenario, _NEW) == "temporary", _vary(scenario, _CONDITION)
    _add_like(scenario, of_temporary=_vary(scenario, _LIKE) == "temporary", temporary=temporary, condition=condition)


def _create_like_each(scenario: LogQuestion) -> None:
    """Create tables like a base table and like a temporary one, with a condition and without."""
    for of_temporary, condition in product((False, True), repeat=2):
        _add_like(scenario, of_temporary=of_temporary, temporary=False, condition=condition)


def _add_like(scenario: LogQuestion, *, of_temporary: bool, temporary: bool, condition: bool) -> None:
    if of_temporary:
        name = scenario.create(engine="innodb", temporary=True)
        scenario.mark(*(() if _is_unlogged(scenario, temporary=True) else _created(scenario, "PLAIN")))
        like = scenario.server.session(1).temporary[name]
    else:
        like = scenario.choose.one_of(scenario.base_tables())
    name = _elsewhere(scenario, like.name) if _vary(scenario, _ACROSS) else scenario.new_name()
    scenario.do(CreateTableLike(table=name, like=like.name, temporary=temporary, if_not_exists=condition))
    if _is_unlogged(scenario, temporary=temporary):
        return
    if scenario.server.settings.binlog_format == "ROW" and like.temporary and _extended(scenario):
        scenario.mark("WL40-CREATE-RBR-LIKE-TRANSFORMED", "WL40-CREATE-RBR-LIKE-TEMPORARY")
    else:
        scenario.mark(*_created(scenario, "LIKE"))


def _create_select(scenario: LogQuestion) -> None:
    count = _vary(scenario, _SOURCES)
    while len(tables := [table.name for table in scenario.base_tables()]) < count:
        scenario.do(CreateTable(table=scenario.new_name()), *_created(scenario, "PLAIN"))
    tables.sort(key=lambda each: (each.table, each.database))
    temporary, condition = _vary(scenario, _NEW) == "temporary", _vary(scenario, _CONDITION)
    name, sources = scenario.new_name(), tuple(tables[:count])
    scenario.do(CreateTableSelect(table=name, sources=sources, temporary=temporary, if_not_exists=condition))
    if _is_unlogged(scenario, temporary=temporary):
        return
    scenario.mark(*_created(scenario, "SELECT"))
    if scenario.server.settings.binlog_format == "ROW" and _extended(scenario):
        scenario.mark(
            "WL40-CREATE-RBR-SELECT-TRANSFORMED",
            "WL40-CREATE-SELECT-SEQUENCE",
            "WL40-CREATE-SELECT-SAME-LIST",
            "WL40-CREATE-SELECT-TABLE-MAP",
        )


def _rename(scenario: LogQuestion) -> None:
    own = scenario.server.session(1).temporary
    names = [table.name for table in scenario.base_tables() if table.name not in own]
    marks = ("WL40-RENAME-LEFT-SIDE",) if _extended(scenario) else ()
    shape, across = _vary(scenario, _SHAPE), _vary(scenario, _ACROSS)
    one, two, three = names[:3]
    # A list that compares names without their databases takes the next table for one that an earlier pair renamed.
    new, last, further = (_elsewhere(scenario, each) if across else scenario.new_name() for each in (two, three, one))
    pairs = {
        "one": ((one, new),),
        "two": ((one, new), (two, last)),
        "three": ((one, new), (two, last), (three, further)),
        "chain": ((one, new), (new, last)),
        "swap": ((one, new), (two, one), (new, two)),
        # What an early pair renamed goes on in the last one, with others in between.
        "on after others": ((one, new), (two, last), (three, further), (last, one), (new, two)),
    }[shape]
    scenario.do(RenameTable(pairs=pairs), *marks)
    if marks and (shape in ("chain", "swap", "on after others") or (across and shape != "one")):
        scenario.mark("WL40-RENAME-SKIP-TARGETS", *(("WL40-RENAME-SWAP",) if shape == "swap" else ()))


def _elsewhere(scenario: LogQuestion, table: TableName) -> TableName:
    """Return a name in another database: that of a table, or a new one if it is taken."""
    database = scenario.databases[table.database == scenario.databases[0]]
    name = TableName(database, table.table)
    return scenario.new_name(database) if name in scenario.server.databases[database] else name


def _set_option(scenario: LogQuestion) -> None:
    """Try to change the option while the server runs: it is read-only."""
    value = "OFF" if _extended(scenario) else "ON"
    scenario.do(scenario.vary(_TRIED)(variable="binlog_with_tables_info", value=value))


def _insert(scenario: LogQuestion) -> None:
    scenario.insert(scenario.choose.one_of(scenario.base_tables()).name)
    if scenario.server.settings.binlog_format == "STATEMENT" and _extended(scenario):
        scenario.mark("WL40-LIST-EACH-TABLE")


def _next_log(scenario: LogQuestion) -> None:
    how = scenario.vary(_HOW)
    scenario.do({"FLUSH": FlushLogs, "restart": Restart, "crash": Crash}[how]())
    if scenario.choose.yes():
        scenario.do(Use(database=scenario.databases[0]))


def _other_session(scenario: LogQuestion) -> None:
    table: TableName = scenario.choose.one_of(scenario.base_tables()).name
    scenario.do(Insert(table=table, values=(3,), session=2))


def _other_statement(scenario: LogQuestion) -> None:
    """Run a statement of another kind, which names one table or two."""
    own = scenario.server.session(1).temporary
    one, two, *_ = [table.name for table in scenario.base_tables() if table.name not in own]
    statements: tuple[Statement, ...] = (
        InsertSelect(table=one, source=two),
        UpdateTables(first=one, second=two),
        Update(table=one),
        Delete(table=two),
        AlterTable(table=one),
        Maintain(table=two, action="optimize"),
        DropTable(tables=tuple(scenario.create(engine=each) for each in ("innodb", "myisam", "innodb"))),
        *_lost(scenario),
    )
    marks = ("WL40-LIST-EACH-TABLE",) if _extended(scenario) else ()
    as_rows = scenario.server.settings.binlog_format == "ROW"
    for each in statements:
        is_logged = not (as_rows and isinstance(each, InsertSelect | UpdateTables | Update | Delete))
        scenario.do(each, *(marks if is_logged else ()))
        if isinstance(each, DropDatabase):
            scenario.mark("WL7592-LOG-DROPDB-SPLIT")


def _lost(scenario: LogQuestion) -> Iterator[Statement]:
    """Yield the statements that make a database, and drop its tables, by several statements, but not itself."""
    if _LOST in scenario.server.databases:
        return
    yield CreateDatabase(database=_LOST)
    for number in range(_ENOUGH):
        yield CreateTable(table=TableName(_LOST, f"t{number}".ljust(64, "x")))
    yield DropDatabase(database=_LOST, obstructed=True)


_TABLE_STEPS: Final[Mapping[str, Callable[[LogQuestion], None]]] = {
    "create": _create,
    "create like": _create_like,
    "create select": _create_select,
    "rename": _rename,
    "insert": _insert,
    "next log": _next_log,
    "other session": _other_session,
    "other statement": _other_statement,
    "set the option": _set_option,
}

#: What a marked log shows as a whole.
_MARKED: Final = (
    "WL4162-MARKER-EVERY-EVENT",
    "WL4162-MARKER-IN-FILE",
    "WL4162-ALWAYS-ENABLED",
    "WL4162-VALUES-SIX-OF-EIGHT",
    "WL4162-MARKER-OTHER-FLAGS-KEPT",
)


_OLD: Final = yes_or_no("before WL#7592")
_MODE: Final = Dimension("gtid_mode", {each: each for each in GTID_MODES}, when={"before WL#7592": ("no",)})
_MARKED_STEP: Final = choices(
    "step",
    (
        "change", "transaction", "rolled back", "rolled back, with a plain table", "savepoint", "context before DDL",
        "context before a change", "DDL", "rotation", "restart", "other", "drops of several kinds", "end of a session",
        "long transaction",
    ),
)  # fmt: skip
#: The context events before a lone statement: none, a variable, a seed, both.
_CONTEXT: Final = Dimension(
    "context",
    {"variable": (True, False), "seed": (False, True), "both": (True, True)},
    when={"step": ("context before DDL",)},
)
#: Further statements of a long transaction.
_LONG: Final = 20
_MARKED_STEPS: Final = Number("steps", many=(30, 40))


@asking_family(
    focus="WL4162-MARKER-EVERY-EVENT",
    profiles=_WORKLOG,
    dimensions=(
        _OLD, _MODE, BINLOG_FORMAT, BINLOG_CHECKSUM, ROWS_QUERIES, AUTO_INCREMENT, _MARKED_STEP, _CONTEXT,
        _MARKED_STEPS,
    ),
)  # fmt: skip
def logged_markers(choose: Chooser, server: Server) -> Question:
    """Scenarios of all kinds, under every setting, on a server that marks transaction boundaries in the flags."""
    profile = server.profile
    old = choose.vary(_OLD, profile)
    mode = "OFF" if old else choose.vary(_MODE, profile)
    settings = settings_of(choose, profile, boundary_markers=True, before_wl7592=old, gtid_mode=mode)
    scenario = LogQuestion(choose, settings)
    scenario.open(tables=0)
    auto_increment = scenario.vary(AUTO_INCREMENT)
    for engine in ("innodb", "innodb", "myisam"):
        scenario.insert(scenario.create(engine=engine, auto_increment=auto_increment), rows=1)
    step = scenario.vary(_MARKED_STEP)
    context = scenario.vary(_CONTEXT) if step == "context before DDL" else (True, False)
    _marked_step(scenario, step, context)
    for number in scenario.several_of(_MARKED_STEPS):
        if number:
            _marked_step(scenario, choose.one_of([*_MARKED_STEP.classes]), choose.one_of([*_CONTEXT.classes.values()]))
    scenario.mark_everywhere(*_MARKED)
    scenario.mark_boundaries()
    return scenario.question()


def _marked_step(scenario: LogQuestion, step: str, context: tuple[bool, bool]) -> None:
    tables = scenario.base_tables(engine="innodb")
    if step == "other" or not tables:
        take_step(scenario)
    elif step == "context before DDL":
        settings = scenario.server.settings
        # In the row format there is no context; only one without a Gtid event before it changes what follows.
        by_rows = settings.binlog_format == "ROW" and not scenario.server.session(1).temporary
        if by_rows and (settings.before_wl7592 or scenario.choose.yes()):
            scenario.do(SetSession(variable="binlog_format", value="STATEMENT"))
        scenario.do(SetUserVariable(value=7))
        variable, rand = context
        statement = CreateTableSelect(
            table=scenario.new_name(), sources=(tables[0].name,), with_variable=variable, with_rand=rand
        )
        scenario.do(statement)
        if by_rows:
            scenario.do(SetSession(variable="binlog_format", value="ROW"))
    elif step == "context before a change":
        scenario.do(Insert(table=tables[0].name, values=(1,), computed=scenario.choose.one_of(("variable", "rand"))))
    elif step == "DDL":
        scenario.create(engine="innodb")
    elif step in ("rotation", "restart"):
        scenario.do(FlushLogs() if step == "rotation" else Restart())
    elif step == "change":
        scenario.insert(tables[0].name)
    elif step in ("drops of several kinds", "end of a session"):
        _marked_drops(scenario, step)
    else:
        _marked_transaction(scenario, step)


def _marked_drops(scenario: LogQuestion, step: str) -> None:
    """Drop tables of two kinds by one statement, or a temporary one by the end of its session."""
    if step == "drops of several kinds":
        kinds = [scenario.create(engine="innodb", temporary=each) for each in (True, False)]
        scenario.do(DropTable(tables=tuple(kinds)))
    else:
        scenario.create(engine="innodb", temporary=True, session=_ENDING)
        scenario.do(Disconnect(session=_ENDING))


def _marked_transaction(scenario: LogQuestion, step: str) -> None:
    """Add a transaction; with a temporary table in it, a rollback of it is logged in statement format."""
    table = scenario.base_tables(engine="innodb")[0].name
    if step == "transaction" and scenario.server.settings.gtid_mode != "OFF":
        # A given GTID is used up by a transaction without changes.
        scenario.do(SetSession(variable="gtid_next", value=scenario.given_gtid()))
        scenario.do(Begin())
        scenario.do(Commit())
        scenario.do(SetSession(variable="gtid_next", value="AUTOMATIC"))
    scenario.do(Begin())
    scenario.do(Insert(table=table, values=(1,)))
    for _ in range(_LONG if step == "long transaction" else 0):
        scenario.do(Insert(table=table, values=(1,)))
    if step == "savepoint":
        scenario.do(Savepoint(name="s1"))
        scenario.do(Insert(table=table, values=(2,)))
    if step in ("rolled back, with a plain table", "savepoint"):
        scenario.do(CreateTable(table=scenario.new_name(), engine="myisam", temporary=True))
    if step == "savepoint":
        scenario.do(RollbackTo(name="s1"))
    scenario.do(Rollback() if step.startswith("rolled back") else Commit())
