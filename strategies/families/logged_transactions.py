"""Scenarios of transactions: row changes on all engines, committed or rolled back, with and without GTIDs."""

from typing import Final

from conformance.binlog.servers import Server
from conformance.models.server.session import ANONYMOUS
from conformance.models.server.statements import (
    Begin,
    Commit,
    CreateDatabase,
    Delete,
    FlushLogs,
    Insert,
    InsertSelect,
    Rollback,
    RollbackTo,
    Savepoint,
    SetSession,
    SetUserVariable,
    Update,
    UpdateTables,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import settings_of
from conformance.strategies.scenarios.scenario_dimensions import (
    ALWAYS,
    AUTO_INCREMENT,
    BINLOG_CHECKSUM,
    BINLOG_FORMAT,
    CHANGE,
    END,
    GTID_MODE,
    GTIDS,
    NO_ANONYMOUS_NEXT,
    NUMBERED,
    ROWS,
    ROWS_QUERIES,
    SETTINGS,
    STATEMENTS,
)

_TRANSACTIONS: Final = Number("transactions", few=2, many=(40, 60))
#: How often one savepoint is set: the first time before anything is logged, so that it is logged twice.
_SET_AGAIN: Final = 3
#: A savepoint that is set again is another one, in the place of the first: a rollback to one before it deletes it.
_SET_LATER: Final = "one between the two times of another"
_BACK_TO: Final = choices(
    "savepoint",
    ("the first", "the first, twice", "the first, then a later one", "the last", "one set again", _SET_LATER),
    when={"end": ("rollback to a savepoint",)},
)
#: How a transaction ends after a rollback to a savepoint.
_END_AFTER: Final = choices(
    "end after the savepoint", ("commit", "rollback"), when={"end": ("rollback to a savepoint",)}
)
#: BEGIN has the default database of the first statement that is logged, the end that of the end.
_DEFAULT: Final = choices("default database changes", ("never", "before each change", "before the end"))
_ENGINES: Final = Dimension(
    "engines of the two tables",
    {"innodb": ("innodb", "innodb"), "myisam": ("myisam", "myisam"), "both": ("innodb", "myisam")},
)
#: A statement that changes no row of a non-transactional table leaves a transaction one that can be rolled back.
_FILLED: Final = Dimension("tables at the beginning", {"with rows": True, "empty": False})
_ROWS_EVENT: Final = Dimension("binlog_row_event_max_size", {"8192": 8192, "256": 256})


@asking_family(
    focus="FORMAT-LOG-TRANSACTION-ENDS",
    dimensions=(
        *(*SETTINGS, _ROWS_EVENT, _ENGINES, AUTO_INCREMENT, _TRANSACTIONS),
        *(END, _BACK_TO, _END_AFTER, STATEMENTS, CHANGE, ROWS, _DEFAULT, _FILLED),
    ),
)
def logged_transactions(choose: Chooser, server: Server) -> Question:
    """Row changes in and out of transactions, committed or rolled back, on transactional and other tables."""
    profile = server.profile
    size = choose.vary(_ROWS_EVENT, profile)
    scenario = LogQuestion(choose, settings_of(choose, profile, binlog_row_event_max_size=size))
    scenario.open(tables=0)
    engines, auto_increment = scenario.vary(_ENGINES), scenario.vary(AUTO_INCREMENT)
    values = tuple(choose.integer(0, 99) for _ in scenario.several_of(ROWS))
    filled = scenario.vary(_FILLED)
    for engine in engines:
        table = scenario.create(engine=engine, auto_increment=auto_increment)
        if filled:
            scenario.do(Insert(table=table, values=values))
    scenario.do(CreateDatabase(database=scenario.databases[1]))
    for _ in scenario.several_of(_TRANSACTIONS):
        _transaction(scenario, values)
    return scenario.question()


def _transaction(scenario: LogQuestion, values: tuple[int, ...]) -> None:
    """Add a transaction, or as many statements that are each one of their own."""
    end = scenario.vary(END)
    goes_back = end == "rollback to a savepoint"
    back_to = scenario.vary(_BACK_TO) if goes_back else ""
    moves = scenario.vary(_DEFAULT)
    if end != "autocommit":
        scenario.do(Begin())
    names: list[str] = []
    for number in scenario.several_of(STATEMENTS):
        if goes_back and number < (_SET_AGAIN if back_to in ("one set again", _SET_LATER) else 2):
            names.append("s0" if back_to == "one set again" or number == 2 else f"s{number}")
            scenario.do(Savepoint(name=names[-1]))
        if moves == "before each change":
            scenario.do(Use(database=scenario.databases[number % 2]))
        _change(scenario, values)
    if goes_back:
        last = {"the last": names[-1], "one set again": names[-1], _SET_LATER: names[min(1, len(names) - 1)]}
        scenario.do(RollbackTo(name=last.get(back_to, names[0])))
    if back_to == "the first, twice":
        # A savepoint is still there after the first rollback to it.
        _change(scenario, values)
        scenario.do(RollbackTo(name=names[0]))
    if back_to == _SET_LATER:
        _change(scenario, values)
        scenario.do(RollbackTo(name=names[0]))
    if back_to == "the first, then a later one":
        # A rollback to a savepoint deletes those that were set after it.
        _change(scenario, values)
        scenario.do(RollbackTo(name=names[-1]))
    if moves == "before the end":
        scenario.do(Use(database=scenario.choose.one_of(scenario.databases)))
    is_undone = end == "rollback" or (goes_back and scenario.vary(_END_AFTER) == "rollback")
    if end != "autocommit":
        scenario.do(Rollback() if is_undone else Commit())


def _change(scenario: LogQuestion, values: tuple[int, ...]) -> None:
    change = scenario.vary(CHANGE)
    tables = [table.name for table in scenario.base_tables()]
    table, other = tables if scenario.choose.yes() else tables[::-1]
    if change == "insert":
        scenario.do(Insert(table=table, values=values))
    elif change in ("variable", "rand", "uuid"):
        if change == "variable" and scenario.choose.yes():
            scenario.do(SetUserVariable(value=scenario.choose.integer(0, 9)))
        scenario.do(Insert(table=table, computed=change))
    elif change == "insert_select":
        scenario.do(InsertSelect(table=table, source=other))
    elif change == "update_tables":
        scenario.do(UpdateTables(first=table, second=other))
    else:
        scenario.do(Update(table=table) if change == "update" else Delete(table=table))


_STEP: Final = choices("step", ("change", "transaction", "definition", "rotation"))
_STEPS: Final = Number("steps", many=(20, 30))


@asking_family(
    focus="WL7592-LOG-SAME-SKELETON",
    profiles=ALWAYS,
    dimensions=(GTIDS, BINLOG_FORMAT, BINLOG_CHECKSUM, ROWS_QUERIES, _STEPS, _STEP),
)
def logged_modes(choose: Chooser, server: Server) -> Question:
    """The same kinds of statements with gtid_mode=ON and OFF, all of them allowed in both modes."""
    mode = choose.vary(GTIDS, server.profile)
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, enforce_gtid_consistency=True))
    scenario.open(tables=0)
    for _ in range(2):
        scenario.insert(scenario.create(engine="innodb"), rows=1)
    for _ in scenario.several_of(_STEPS):
        step = scenario.vary(_STEP)
        if step == "definition":
            scenario.create(engine="innodb")
        elif step == "rotation":
            scenario.do(FlushLogs())
        else:
            _some_changes(scenario, inside=step == "transaction")
    scenario.mark_everywhere("WL7592-LOG-SAME-SKELETON")
    return scenario.question()


def _some_changes(scenario: LogQuestion, *, inside: bool) -> None:
    choose = scenario.choose
    if inside:
        scenario.do(Begin())
    for _ in choose.several(1, 4 if inside else 1):
        scenario.change(scenario.base_tables(engine="innodb"))
    if inside:
        scenario.do(Rollback() if choose.yes(3) else Commit())


#: A statement that changes no row of a plain table leaves a transaction one that can be rolled back.
_NO_ROW: Final = "without a row of the plain one, rolled back"
#: How the tables of two engines come together.
_TOGETHER: Final = choices(
    "together",
    (
        *("in one statement", "in a transaction, plain last", "in a transaction, plain first", "plain alone"),
        *("not at all", "rolled back", "in the next log", "in no transaction", _NO_ROW),
    ),
)
_ENFORCED: Final = yes_or_no("enforce_gtid_consistency", when={"gtid_mode": ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE")})
_PLAIN_FIRST: Final = yes_or_no("plain table named first", when={"together": ("in one statement",)})
_NEXT: Final = Dimension(
    "gtid_next",
    {"AUTOMATIC": "AUTOMATIC", "given": "given", "ANONYMOUS": ANONYMOUS},
    when={"gtid_mode": ("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON")},
    profiles={"ANONYMOUS": ALWAYS},
)


@asking_family(
    focus="WL7592-LOG-ON-MIXED-ENGINES-REFUSED",
    profiles=NUMBERED,
    dimensions=(GTID_MODE, _ENFORCED, _NEXT, BINLOG_FORMAT, BINLOG_CHECKSUM, ROWS_QUERIES, _TOGETHER, _PLAIN_FIRST),
    impossible=(NO_ANONYMOUS_NEXT,),
)
def mixed_engines(choose: Chooser, server: Server) -> Question:
    """Changes of transactional and of other tables in one statement or one transaction, allowed or refused."""
    profile = server.profile
    mode = choose.vary(GTID_MODE, profile)
    enforced = mode == "ON" or choose.vary(_ENFORCED, profile)
    gtid_next = choose.vary(_NEXT, profile) if mode != "OFF" else "AUTOMATIC"
    scenario = LogQuestion(choose, settings_of(choose, profile, gtid_mode=mode, enforce_gtid_consistency=enforced))
    scenario.open(tables=0)
    kept, plain = (scenario.create(engine=engine) for engine in ("innodb", "myisam"))
    together = scenario.vary(_TOGETHER)
    for table in (kept,) if together == _NO_ROW else (kept, plain):
        scenario.insert(table, rows=1)
    if gtid_next != "AUTOMATIC":
        value = scenario.given_gtid() if gtid_next == "given" else gtid_next
        scenario.do(SetSession(variable="gtid_next", value=value))
    _mix(scenario, kept, plain, together)
    return scenario.question()


def _mix(scenario: LogQuestion, kept: TableName, plain: TableName, together: str) -> None:
    """Change both tables; where that is allowed without GTIDs, it is one of the liberties of gtid_mode=OFF."""
    marks = ("WL7592-LOG-OFF-NO-RESTRICTIONS",) if scenario.server.settings.gtid_mode == "OFF" else ()
    if together == "in one statement":
        tables = (plain, kept) if scenario.vary(_PLAIN_FIRST) else (kept, plain)
        scenario.do(UpdateTables(first=tables[0], second=tables[1]), *marks)
        return
    if together == "plain alone":
        scenario.do(Insert(table=plain, values=(1,)), *marks)
        return
    if together == "in the next log":
        # To begin a log uses a given GTID up, as a transaction without changes.
        scenario.do(FlushLogs(), *marks)
        scenario.do(Insert(table=kept, values=(1,)), *marks)
        return
    if together == "in no transaction":
        # A COMMIT uses a given GTID up where no transaction is open, too.
        scenario.do(Commit(), *marks)
        _go_on(scenario, kept, marks)
        return
    if together in ("not at all", "rolled back"):
        _use_up(scenario, kept, marks, is_rolled_back=together == "rolled back")
        return
    if together == _NO_ROW:
        for statement in (Begin(), Insert(table=kept, values=(1,)), Delete(table=plain), Rollback()):
            scenario.do(statement, *marks)
        _go_on(scenario, kept, marks)
        return
    order = (plain, kept) if together == "in a transaction, plain first" else (kept, plain)
    scenario.do(Begin())
    for value, table in enumerate(order):
        scenario.do(Insert(table=table, values=(value,)), *marks)
    scenario.do(Commit(), *marks)


def _use_up(scenario: LogQuestion, table: TableName, marks: tuple[str, ...], *, is_rolled_back: bool) -> None:
    """End a transaction that logs no change; a given GTID is then of an empty one, or goes with what is rolled back."""
    scenario.do(Begin(), *marks)
    if not is_rolled_back:
        scenario.do(Savepoint(name="s"), *marks)
    scenario.do(Insert(table=table, values=(1,)), *marks)
    if not is_rolled_back:
        scenario.do(RollbackTo(name="s"), *marks)
    scenario.do(Rollback() if is_rolled_back else Commit(), *marks)
    _go_on(scenario, table, marks)


def _go_on(scenario: LogQuestion, table: TableName, marks: tuple[str, ...]) -> None:
    """Change a table once more: refused where a GTID was given, as it has to be followed by another one.

    A session that may be anonymous need not be so any more, and goes back to the GTIDs of the server.
    """
    if scenario.server.session(1).gtid_next == ANONYMOUS:
        scenario.do(SetSession(variable="gtid_next", value="AUTOMATIC"))
    scenario.do(Insert(table=table, values=(2,)), *marks)
