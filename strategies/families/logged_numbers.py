"""Scenarios of AUTO_INCREMENT: which number the next row has after numbers were used, lost, reserved or moved."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from conformance.binlog.servers import Server
from conformance.models.server.statements import (
    Begin,
    Commit,
    CreateTableLike,
    Delete,
    Disconnect,
    DropTable,
    FlushLogs,
    Insert,
    InsertSelect,
    RenameTable,
    Restart,
    Rollback,
    RollbackTo,
    Savepoint,
    Statement,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, choices
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_dimensions import SETTINGS

_RULE: Final = "FORMAT-LOG-FIELDS"


class _Names(NamedTuple):
    """The names of a scenario: the table with numbers, a name without a table, and a table of some rows."""

    table: TableName
    other: TableName
    source: TableName


_Steps = Callable[[_Names], Sequence[Statement]]


def _two(names: _Names) -> Statement:
    return Insert(table=names.table, values=(1, 2))


def _delete(names: _Names) -> Statement:
    return Delete(table=names.table)


def _renamed(names: _Names) -> Sequence[Statement]:
    away, back = ((names.table, names.other),), ((names.other, names.table),)
    return (
        *(_two(names), _delete(names), RenameTable(pairs=away)),
        *(Insert(table=names.other, values=(3,)), RenameTable(pairs=back)),
    )


_OF_OTHERS: Final = "after a restart, all rows deleted"
#: What is done with the table -> its statements; a row is inserted after them.
_WORK: Final[Mapping[str, _Steps]] = {
    "all rows deleted": lambda names: (_two(names), _delete(names)),
    "rolled back": lambda names: (Begin(), _two(names), Rollback()),
    "rolled back in part": lambda names: (
        *(Begin(), Savepoint(name="a"), _two(names), RollbackTo(name="a")),
        *(Insert(table=names.table, values=(3,)), Commit()),
    ),
    "its session ended": lambda names: (Begin(), _two(names), Disconnect(), Use(database=DATABASES[0])),
    "inserted by another session": lambda names: (
        Use(database=DATABASES[0], session=2),
        Insert(table=names.table, values=(1, 2), session=2),
    ),
    "renamed, all rows deleted": _renamed,
    "rows of another table": lambda names: (InsertSelect(table=names.table, source=names.source),),
    "another log": lambda names: (_two(names), _delete(names), FlushLogs()),
    "another like it": lambda names: (
        *(_two(names), CreateTableLike(table=names.other, like=names.table)),
        *(Insert(table=names.other, values=(3,)), DropTable(tables=(names.other,))),
    ),
    "after a restart": lambda names: (_two(names), Restart(), Use(database=DATABASES[0])),
    _OF_OTHERS: lambda names: (_two(names), _delete(names), Restart(), Use(database=DATABASES[0])),
}
_DOES: Final = Dimension[_Steps](
    "with the table",
    dict(_WORK),
    # WL#7592 leaves open whether the numbers that no row has any more survive a restart.
    profiles={_OF_OTHERS: Profiles("mysql", "mariadb")},
)
_ENGINE: Final = choices("engine", ("innodb", "myisam"))
#: Where their number is not known before, InnoDB reserves numbers in steps.
_ROWS: Final = choices("rows of the other table", (1, 2, 3, 4, 8), when={_DOES.name: ("rows of another table",)})


@asking_family(focus=_RULE, dimensions=(*SETTINGS, _DOES, _ENGINE, _ROWS))
def logged_numbers(choose: Chooser, server: Server) -> Question:
    """A table with numbers of AUTO_INCREMENT, which are used, lost, reserved or moved, and then the next row."""
    scenario = LogQuestion(choose, settings_of(choose, server.profile))
    scenario.open(tables=0)
    work = scenario.vary(_DOES)
    table = scenario.create(engine=scenario.vary(_ENGINE), auto_increment=True)
    source = scenario.create(engine="innodb")
    scenario.do(Insert(table=source, values=tuple(range(scenario.vary(_ROWS)))))
    for statement in work(_Names(table, scenario.new_name(), source)):
        scenario.do(statement)
    scenario.do(Insert(table=table, values=(4, 5)))
    return scenario.question()
