"""Scenarios of one statement under a given GTID: what uses the GTID up, what gives it back, and what comes next."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from conformance.binlog.servers import Server
from conformance.models.server.session import AUTOMATIC
from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    CreateDatabase,
    CreateTable,
    CreateTableSelect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    Maintain,
    PurgeLogs,
    RenameTable,
    Rollback,
    SetSession,
    Statement,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, choices, yes_or_no
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
_BEFORE: Final = yes_or_no("the GTID was executed before")
#: GTID_NEXT stays as it is unless it was used up or given back; then a change is refused until it is set again.
_NEXT: Final = choices("then comes", ("a change", "the same again", "a definition"))


@asking_family(
    focus=_RULE,
    profiles=NUMBERED,
    dimensions=(_MODE, BINLOG_FORMAT, _WHAT, _BEFORE, _NEXT),
)
def given_gtids(choose: Chooser, server: Server) -> Question:
    """One statement or transaction under a given GTID, which it uses up or gives back, and a change after it."""
    fixed = {"binlog_rows_query_log_events": False, "binlog_checksum": "CRC32"}
    mode = choose.vary(_MODE, server.profile)
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, **fixed))
    tables, gtid = _open(scenario), scenario.given_gtid()
    if scenario.vary(_BEFORE):
        scenario.do(SetSession(variable="gtid_next", value=gtid))
        scenario.do(Insert(table=tables.kept, values=(0,)))
        scenario.do(SetSession(variable="gtid_next", value=AUTOMATIC))
    statements = scenario.vary(_WHAT)(tables)
    scenario.do(SetSession(variable="gtid_next", value=gtid))
    for each in statements:
        _do(scenario, each)
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
