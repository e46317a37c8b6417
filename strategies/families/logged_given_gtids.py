"""Scenarios of one statement under a given GTID: what uses the GTID up, what gives it back, and what comes next."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from conformance.binlog.servers import Server
from conformance.models.server.session import ANONYMOUS, AUTOMATIC
from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    CreateDatabase,
    CreateTable,
    CreateTableSelect,
    Delete,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    Maintain,
    PurgeLogs,
    RenameTable,
    Rollback,
    SetGlobal,
    SetSession,
    Statement,
    Update,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Impossible, choices, yes_or_no
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_dimensions import ALWAYS, BINLOG_FORMAT, NUMBERED


class _Tables(NamedTuple):
    """The tables of a scenario: one that stays, two of two engines, two temporary ones, and a name without a table."""

    kept: TableName
    other: TableName
    plain: TableName
    temporary: TableName
    plain_temporary: TableName
    missing: TableName


#: The number of another session.
_OTHER: Final = 2
#: The database that does not become the default one by itself.
_SECOND: Final = DATABASES[1]
_RULE: Final = "FORMAT-LOG-GTID-GIVEN"
_Statements = Callable[[_Tables], tuple[Statement, ...]]

#: 5.6.24 refuses it and keeps the GTID for good: the session can neither use it nor set another one.
_CREATES_WITH_ROWS: Final = "CREATE TABLE IF NOT EXISTS ... SELECT of one that is there"
#: What a client does under the GTID -> its statements.
_DOES: Final[Mapping[str, _Statements]] = {
    "INSERT": lambda each: (Insert(table=each.kept, values=(1,)),),
    "INSERT that fails": lambda each: (Insert(table=each.missing, values=(1,)),),
    "a transaction": lambda each: (Begin(), Insert(table=each.kept, values=(1,)), Commit()),
    "a transaction with a failure": lambda each: (Begin(), Insert(table=each.missing, values=(1,)), Commit()),
    "a transaction that is rolled back": lambda each: (Begin(), Insert(table=each.kept, values=(1,)), Rollback()),
    "an empty transaction": lambda each: (Begin(), Commit()),
    "an empty one that is rolled back": lambda each: (Begin(), Rollback()),
    "COMMIT": lambda each: (Commit(),),
    "ROLLBACK": lambda each: (Rollback(),),
    "USE": lambda each: (Use(database=_SECOND),),
    "SET that fails": lambda each: (SetSession(variable="binlog_rows_query_log_events", value="2"),),
    "FLUSH LOGS": lambda each: (FlushLogs(),),
    "ALTER TABLE": lambda each: (AlterTable(table=each.other),),
    "ALTER TABLE that fails": lambda each: (AlterTable(table=each.missing),),
    "RENAME TABLE": lambda each: (RenameTable(pairs=((each.other, each.missing),)),),
    "RENAME TABLE that fails": lambda each: (RenameTable(pairs=((each.missing, each.other),)),),
    "OPTIMIZE TABLE": lambda each: (Maintain(action="optimize", table=each.other),),
    "CREATE TABLE": lambda each: (CreateTable(table=each.missing),),
    "CREATE TABLE that fails": lambda each: (CreateTable(table=each.other),),
    "CREATE TABLE IF NOT EXISTS of one that is there": lambda each: (
        CreateTable(table=each.other, if_not_exists=True),
    ),
    _CREATES_WITH_ROWS: lambda each: (CreateTableSelect(table=each.other, sources=(each.kept,), if_not_exists=True),),
    "CREATE TEMPORARY TABLE": lambda each: (CreateTable(table=each.missing, temporary=True),),
    "CREATE TEMPORARY TABLE IF NOT EXISTS of one that is there": lambda each: (
        CreateTable(table=each.temporary, temporary=True, if_not_exists=True),
    ),
    "ALTER TABLE of a temporary one": lambda each: (AlterTable(table=each.temporary),),
    "DROP TEMPORARY TABLE": lambda each: (DropTable(tables=(each.temporary,), temporary=True),),
    "CREATE DATABASE": lambda each: (CreateDatabase(database="d9"),),
    "CREATE DATABASE that fails": lambda each: (CreateDatabase(database=each.kept.database),),
    "DROP DATABASE that fails": lambda each: (DropDatabase(database="d9"),),
    "DROP TABLE": lambda each: (DropTable(tables=(each.other,)),),
    "DROP TABLE that fails": lambda each: (DropTable(tables=(each.missing,)),),
    "DROP TABLE that fails for one": lambda each: (DropTable(tables=(each.other, each.missing)),),
    "DROP TABLE IF EXISTS of none": lambda each: (DropTable(tables=(each.missing,), if_exists=True),),
    "DROP TABLE of two engines": lambda each: (DropTable(tables=(each.plain, each.other)),),
    "DROP TABLE of a temporary and another": lambda each: (DropTable(tables=(each.temporary, each.other)),),
    "DROP TABLE of temporary ones of two engines": lambda each: (
        DropTable(tables=(each.plain_temporary, each.temporary), temporary=True),
    ),
    "USE that fails": lambda each: (Use(database="d8"),),
    "PURGE that fails": lambda each: (PurgeLogs(to=99),),
    "PURGE": lambda each: (PurgeLogs(to=2),),
    "UPDATE of no rows": lambda each: (Update(table=each.other),),
    "DELETE of no rows": lambda each: (Delete(table=each.other),),
    "a BEGIN in a transaction": lambda each: (
        Begin(),
        Insert(table=each.kept, values=(1,)),
        Begin(),
        Insert(table=each.kept, values=(4,)),
        Commit(),
    ),
}
#: The modes in which servers take a GTID.
_MODE: Final = Dimension(
    "gtid_mode",
    {each: each for each in ("ON", "ON_PERMISSIVE", "OFF_PERMISSIVE")},
    profiles=dict.fromkeys(("ON_PERMISSIVE", "OFF_PERMISSIVE"), ALWAYS),
)
#: Each is several statements without a given GTID. WL#7592 is silent on what becomes of them with one.
_SEVERAL: Final = (
    "DROP TABLE of two engines",
    "DROP TABLE of a temporary and another",
    "DROP TABLE of temporary ones of two engines",
)
_WHAT: Final = Dimension(
    "under the GTID",
    dict(_DOES),
    profiles={_CREATES_WITH_ROWS: ALWAYS, **dict.fromkeys(_SEVERAL, Profiles("mysql"))},
)
#: What GTID_NEXT is set to: a GTID, or the right to be anonymous, which is used up and given up as a GTID is; and
#: whether another session then sets a gtid_mode that is refused while the session has it.
_GTID, _GTID_AND_MODE = "a GTID", "a GTID, and the mode is set"
_RIGHT, _RIGHT_AND_MODE = "ANONYMOUS", "ANONYMOUS, and the mode is set"
_WITH_MODE: Final = Profiles("mysql >= 5.7")
_NEXT_IS: Final = Dimension(
    "gtid_next",
    {
        _GTID: (False, False),
        _GTID_AND_MODE: (False, True),
        _RIGHT: (True, False),
        _RIGHT_AND_MODE: (True, True),
    },
    profiles={_GTID_AND_MODE: _WITH_MODE, _RIGHT: ALWAYS, _RIGHT_AND_MODE: _WITH_MODE},
)
_BEFORE: Final = yes_or_no("the GTID was executed before", when={_NEXT_IS.name: (_GTID, _GTID_AND_MODE)})
#: GTID_NEXT stays as it is unless it was used up or given back; then a change is refused until it is set again.
_NEXT: Final = choices("then comes", ("a change", "the same again", "a definition"))
#: Whether the session may be anonymous -> another session's steps to the mode that this rules out.
_STEPS: Final[Mapping[bool, tuple[str, str]]] = {True: ("ON_PERMISSIVE", "ON"), False: ("OFF_PERMISSIVE", "OFF")}


@asking_family(
    focus=_RULE,
    profiles=NUMBERED,
    dimensions=(_MODE, BINLOG_FORMAT, _WHAT, _NEXT_IS, _BEFORE, _NEXT),
    impossible=(
        Impossible(
            {_MODE.name: ("ON",), _NEXT_IS.name: (_GTID_AND_MODE, _RIGHT, _RIGHT_AND_MODE)},
            "with gtid_mode=ON servers refuse GTID_NEXT=ANONYMOUS, and a given GTID rules no other mode out but OFF",
        ),
    ),
)
def given_gtids(choose: Chooser, server: Server) -> Question:
    """One statement or transaction under a given GTID, which it uses up or gives back, and a change after it."""
    fixed: dict[str, Any] = {"binlog_rows_query_log_events": False, "binlog_checksum": "CRC32"}
    mode = choose.vary(_MODE, server.profile)
    anonymous, then_mode = choose.vary(_NEXT_IS, server.profile)
    if then_mode:
        # Without it the mode ON is refused in any case.
        fixed["enforce_gtid_consistency"] = True
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, **fixed))
    tables, gtid = _open(scenario), ANONYMOUS if anonymous else scenario.given_gtid()
    if not anonymous and scenario.vary(_BEFORE):
        scenario.do(SetSession(variable="gtid_next", value=gtid))
        scenario.do(Insert(table=tables.kept, values=(0,)))
        scenario.do(SetSession(variable="gtid_next", value=AUTOMATIC))
    statements = scenario.vary(_WHAT)(tables)
    if any(isinstance(each, PurgeLogs) for each in statements):
        scenario.do(FlushLogs())
        # Under a GTID that is executed the first log stays.
        scenario.mark(_RULE, statement=0)
    scenario.do(SetSession(variable="gtid_next", value=gtid))
    for each in statements:
        _do(scenario, each)
    if then_mode:
        for step in _STEPS[anonymous]:
            scenario.do(SetGlobal(variable="gtid_mode", value=step, session=_OTHER))
    following = scenario.vary(_NEXT)
    if following == "the same again":
        for each in statements:
            _do(scenario, each)
    elif following == "a definition":
        _do(scenario, CreateTable(table=scenario.new_name()))
    _do(scenario, Insert(table=tables.kept, values=(2,)))
    scenario.do(SetSession(variable="gtid_next", value=AUTOMATIC))
    _do(scenario, Insert(table=tables.kept, values=(3,)))
    return scenario.question()


def _do(scenario: LogQuestion, statement: Statement) -> None:
    scenario.do(statement, _RULE)
    scenario.mark_gtids(_RULE)


def _open(scenario: LogQuestion) -> _Tables:
    scenario.open(tables=0)
    scenario.do(CreateDatabase(database=_SECOND))
    kept, other = (scenario.create(engine="innodb") for _ in range(2))
    plain = scenario.create(engine="myisam")
    temporary = scenario.create(engine="innodb", temporary=True)
    plain_temporary = scenario.create(engine="myisam", temporary=True)
    return _Tables(kept, other, plain, temporary, plain_temporary, scenario.new_name())
