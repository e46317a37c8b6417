"""Scenarios of savepoints: which there are, what a rollback to one leaves, and where that is logged itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from conformance.binlog.servers import Server
from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    Crash,
    CreateDatabase,
    CreateTable,
    Delete,
    Disconnect,
    DropTable,
    Insert,
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
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_dimensions import SETTINGS

_RULE: Final = "FORMAT-LOG-SAVEPOINTS"


class _Names(NamedTuple):
    """The names of a scenario.

    Attributes:
        table: A table that can be rolled back.
        plain: One that cannot.
        empty: Another one that cannot, without rows.
        temporary: That of a temporary table, which is not there.
        first: A savepoint.
        second: Another one.
    """

    table: TableName
    plain: TableName
    empty: TableName
    temporary: TableName
    first: str
    second: str


_Step = Callable[[_Names], Statement]


def _insert(number: int, *, plain: bool = False) -> _Step:
    return lambda names: Insert(table=names.plain if plain else names.table, values=(number,))


def _set_first(names: _Names) -> Statement:
    return Savepoint(name=names.first)


def _set_second(names: _Names) -> Statement:
    return Savepoint(name=names.second)


def _to_first(names: _Names) -> Statement:
    return RollbackTo(name=names.first)


def _to_second(names: _Names) -> Statement:
    return RollbackTo(name=names.second)


def _other_database(names: _Names) -> Statement:
    return Use(database=DATABASES[1])


def _no_row(names: _Names) -> Statement:
    return Delete(table=names.empty)


def _create_temporary(names: _Names) -> Statement:
    return CreateTable(table=names.temporary, temporary=True)


def _drop_temporary(names: _Names) -> Statement:
    return DropTable(tables=(names.temporary,), temporary=True)


def _commit(names: _Names) -> Statement:
    return Commit()


def _begin(names: _Names) -> Statement:
    return Begin()


def _definition(names: _Names) -> Statement:
    return AlterTable(table=names.empty)


#: What is done in the transaction -> its steps. A savepoint that is set again is another one, the last of all.
_WORK: Final[Mapping[str, Sequence[_Step]]] = {
    "back once": (_insert(1), _set_first, _insert(2), _to_first),
    "back before any change": (_set_first, _insert(1), _to_first),
    "back before any change, then a change": (_set_first, _insert(1), _to_first, _insert(2)),
    "back before a plain change, then another": (_set_first, _insert(1, plain=True), _to_first, _insert(2)),
    "back to one that is set again": (
        *(_set_first, _insert(1), _set_second, _insert(2), _set_first, _insert(3), _to_first, _insert(4)),
    ),
    "back to one before one that is set again": (
        *(_set_first, _insert(1), _set_second, _insert(2), _set_first, _insert(3), _to_second, _insert(4), _to_first),
    ),
    "back to one that is set again, then to the other": (
        *(_set_first, _insert(1), _set_second, _insert(2), _set_first, _insert(3), _to_first, _insert(4), _to_second),
        _insert(5),
    ),
    "back to the second, then to the first": (
        *(_set_first, _insert(1), _set_second, _insert(2), _to_second, _insert(3), _to_first, _insert(4)),
    ),
    "back to the first, then to the second": (
        *(_set_first, _insert(1), _set_second, _insert(2), _to_first, _insert(3), _to_second, _insert(4)),
    ),
    "a plain change before the savepoint": (_insert(1, plain=True), _set_first, _insert(2), _to_first, _insert(3)),
    "a change and a plain one before the savepoint": (
        *(_insert(1), _insert(2, plain=True), _set_first, _insert(3), _to_first, _insert(4)),
    ),
    "a plain change after the savepoint": (_insert(1), _set_first, _insert(2, plain=True), _to_first, _insert(3)),
    "a plain change after going back": (_insert(1), _set_first, _insert(2), _to_first, _insert(3, plain=True)),
    "back before a change and a plain one, then a change": (
        *(_set_first, _insert(1), _insert(2, plain=True), _to_first, _insert(3)),
    ),
    "a plain statement that changes no row, later": (_insert(1), _no_row, _set_first, _insert(2), _to_first),
    "a plain statement that changes no row": (_no_row, _insert(1), _set_first, _insert(2), _to_first),
    "another default database before": (_insert(1), _set_first, _insert(2), _other_database, _to_first),
    "another default database after going back": (_set_first, _insert(1), _to_first, _other_database, _insert(2)),
    "back to one of the transaction before": (
        *(_set_first, _insert(1), _commit, _begin, _insert(2), _to_first, _insert(3)),
    ),
    "back to one of a transaction that a definition has ended": (
        *(_set_first, _insert(1), _definition, _begin, _insert(2), _to_first, _insert(3)),
    ),
    "another default database between": (_insert(1), _other_database, _set_first, _insert(2), _to_first, _insert(3)),
    "a plain change between two, then back to the first twice": (
        *(_insert(1), _set_first, _insert(2, plain=True), _set_second, _insert(3), _to_first, _insert(4), _to_first),
    ),
    "a temporary table between two, then back to the first twice": (
        *(_insert(1), _set_first, _create_temporary, _set_second, _insert(2), _to_first, _insert(3), _to_first),
        _drop_temporary,
    ),
    "back to one from before the transaction": (_commit, _set_first, _begin, _insert(1), _to_first, _insert(2)),
}
_DOES: Final = Dimension[Sequence[_Step]]("in the transaction", dict(_WORK))
_ENDS: Final[Sequence[Statement]] = (Commit(), Rollback(), Disconnect())
#: A server that is killed logs nothing of what is open; one that is shut down ends its sessions. 5.5.9 and MariaDB
#: differ in where they log that.
_ENDS_OF_SERVER: Final[Sequence[Statement]] = (Restart(), Crash())
_WITH_END_OF_SERVER: Final = Profiles("worklog", "mysql >= 5.6")
#: Servers write such a name in quotes, with what is a quote in it doubled; up to 5.7 they double it in SAVEPOINT at the
#: most, and no replica can run their ROLLBACK TO.
_NAMED: Final = Dimension[tuple[str, str]](
    "names of the savepoints",
    {"plain": ("a", "b"), "with signs": ("a'b", 'to b c"'), "with backticks": ("a`b", "`")},
    profiles={
        "with signs": Profiles("worklog", "mysql >= 5.6", "mariadb"),
        "with backticks": Profiles("worklog", "mysql >= 8.0", "mariadb"),
    },
)


@asking_family(focus=_RULE, dimensions=(*SETTINGS, _DOES, _NAMED))
def logged_savepoints(choose: Chooser, server: Server) -> Question:
    """A transaction that goes back to savepoints, with each end that it may have, and every other one with one end.

    Where a rollback to a savepoint is logged itself depends on all settings together.
    """
    scenario = LogQuestion(choose, settings_of(choose, server.profile))
    scenario.open(tables=0)
    scenario.do(CreateDatabase(database=DATABASES[1]))
    table, plain, empty = (scenario.create(engine=engine) for engine in ("innodb", "myisam", "myisam"))
    names = _Names(table, plain, empty, scenario.new_name(), *scenario.vary(_NAMED))
    steps = scenario.vary(_DOES)
    other = scenario.create(engine="innodb")
    ends = (*_ENDS, *(_ENDS_OF_SERVER if server.profile in _WITH_END_OF_SERVER else ()))
    others = [(each, choose.one_of(_ENDS)) for each in _WORK.values() if each is not steps]
    for work, end in (*others, *((steps, each) for each in ends)):
        scenario.do(Use(database=DATABASES[0]))
        scenario.do(Begin())
        for step in work:
            scenario.do(step(names), _RULE)
        if isinstance(end, Crash):
            # 5.7.22 and 8.0.15 cut the end of the log off, from a transaction on that ends with ROLLBACK.
            scenario.do(Insert(table=other, values=(0,), session=2))
        scenario.do(end)
    scenario.insert(table, rows=1)
    return scenario.question()
