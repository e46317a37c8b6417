"""What a session does that crosses another one: it defines databases and tables, which commits what it has open."""

from typing import Final

from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    CreateDatabase,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    Maintain,
    RenameTable,
    Rollback,
    Statement,
    Update,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.strategies.questions.log import LogQuestion

#: The session that crosses the first one, and a third.
OTHER: Final = 2
THIRD: Final = 3


def _do_within(scenario: LogQuestion, table: TableName, number: int, definition: Statement) -> None:
    """Insert a number in a transaction, define, and roll back: the definition has committed the number."""
    scenario.do(Begin(session=OTHER))
    scenario.do(Insert(table=table, values=(number,), session=OTHER))
    scenario.do(definition)
    scenario.do(Rollback(session=OTHER))


def define_tables(scenario: LogQuestion, table: TableName) -> None:
    """Define tables and begin the next log, each of which commits what is open in that session alone."""
    name, last = (scenario.create(engine="innodb", session=OTHER) for _ in range(2))
    scenario.do(DropTable(tables=(last,), session=OTHER))
    scenario.do(Insert(table=name, values=(1,), session=OTHER))
    definitions: tuple[Statement, ...] = (
        CreateTable(table=scenario.new_name(), engine="innodb", session=OTHER),
        CreateTable(table=name, engine="innodb", if_not_exists=True, session=OTHER),
        CreateTableLike(table=scenario.new_name(), like=name, session=OTHER),
        AlterTable(table=name, session=OTHER),
        Maintain(table=name, action="optimize", session=OTHER),
        RenameTable(pairs=((name, last),), session=OTHER),
        FlushLogs(session=OTHER),
    )
    for number, each in enumerate(definitions):
        _do_within(scenario, table, number, each)
    scenario.do(Update(table=last, session=OTHER))


def define_databases(scenario: LogQuestion, table: TableName) -> None:
    """Create and drop databases, also one that is there and one that is missing: each commits what is open.

    The default database is another one, and stays.
    """
    database = scenario.databases[1]
    scenario.do(Use(database=scenario.databases[0], session=OTHER))
    for number, each in enumerate((CreateDatabase, CreateDatabase, DropDatabase, DropDatabase)):
        _do_within(scenario, table, number, each(database=database, session=OTHER))
    scenario.do(Update(table=table, session=OTHER))


def create_again(scenario: LogQuestion, table: TableName) -> None:
    """Create a table that is there with the rows of another: with IF NOT EXISTS nothing is logged, without it fails."""
    name, own = scenario.create(engine="innodb", session=THIRD), scenario.new_name()
    for if_not_exists in (True, False):
        again = CreateTableSelect(table=name, sources=(table,), if_not_exists=if_not_exists, session=OTHER)
        _do_within(scenario, table, int(if_not_exists), again)
    scenario.create(name=own, engine="innodb", temporary=True, session=OTHER)
    scenario.do(CreateTableSelect(table=own, sources=(table,), temporary=True, if_not_exists=True, session=OTHER))
    for each in (table, name, own):
        scenario.do(Update(table=each, session=OTHER))


def create_alike(scenario: LogQuestion, table: TableName) -> None:
    """Create tables like temporary ones, whose columns are logged where they were not, and with the condition."""
    scenario.do(Commit(session=OTHER))
    for engine, auto_increment in (("innodb", False), ("myisam", True)):
        own = scenario.create(engine=engine, auto_increment=auto_increment, temporary=True, session=OTHER)
        for if_not_exists in (False, True):
            name = scenario.new_name()
            scenario.do(CreateTableLike(table=name, like=own, if_not_exists=if_not_exists, session=OTHER))
            scenario.do(Insert(table=name, values=(1,), session=OTHER))
        scenario.do(CreateTableLike(table=name, like=own, if_not_exists=True, session=OTHER))
        scenario.do(Insert(table=name, values=(2,), session=OTHER))
    scenario.do(Insert(table=table, values=(3,), session=OTHER))


def fail_to_define(scenario: LogQuestion, table: TableName) -> None:
    """Rename a missing table, and to a name that is taken; rename into and create in a missing database.

    Tables keep their names, also the one that the statement renames first, and what was open is committed.
    """
    first, missing = scenario.create(engine="innodb", session=THIRD), scenario.new_name()
    nowhere = scenario.new_name(scenario.databases[1])
    renamings = (
        ((first, table),),
        ((first, nowhere),),
        ((first, scenario.new_name()), (missing, scenario.new_name())),
    )
    definitions: list[Statement] = [RenameTable(pairs=pairs, session=OTHER) for pairs in renamings]
    definitions.append(CreateTable(table=nowhere, engine="innodb", session=OTHER))
    definitions.append(CreateTable(table=first, engine="innodb", session=OTHER))
    for number, each in enumerate(definitions):
        _do_within(scenario, table, number, each)
        scenario.do(Insert(table=first, values=(number,), session=OTHER))


def drop_together(scenario: LogQuestion, table: TableName) -> None:
    """Drop a table that does not exist, then a temporary and an ordinary one: each commits what is open."""
    name = scenario.create(engine="innodb", session=THIRD)
    scenario.do(Commit(session=OTHER))
    own = scenario.create(engine="innodb", temporary=True, session=OTHER)
    for number, tables in enumerate(((scenario.new_name(),), (own, name))):
        _do_within(scenario, table, number, DropTable(tables=tables, if_exists=True, session=OTHER))


def create_temporary(scenario: LogQuestion, table: TableName) -> None:
    """Create temporary tables with the rows of another, outside and within a transaction, and go on with them."""
    scenario.do(Commit(session=OTHER))
    for begins in (False, True):
        name = scenario.new_name()
        if begins:
            scenario.do(Begin(session=OTHER))
        scenario.do(Insert(table=table, values=(1,), session=OTHER))
        scenario.do(CreateTableSelect(table=name, sources=(table,), temporary=True, session=OTHER))
        scenario.do(Insert(table=name, values=(2,), session=OTHER))
        scenario.do(Insert(table=table, values=(3,), session=OTHER))
        scenario.do(Commit(session=OTHER))
