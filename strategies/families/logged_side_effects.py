"""Scenarios of what a statement changes besides rows: names, a transaction, a given GTID, the default database."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from conformance.binlog.servers import WITH_ROWS_QUERIES, Server
from conformance.models.server.statements import (
    Begin,
    Commit,
    CreateDatabase,
    CreateTable,
    CreateTableSelect,
    DropDatabase,
    DropTable,
    Insert,
    Maintain,
    Restart,
    Rollback,
    SetSession,
    Statement,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_dimensions import NUMBERED, SETTINGS


class _Names(NamedTuple):
    """The names of a scenario: a table with rows, a name without a table, a table of another database."""

    table: TableName
    new: TableName
    elsewhere: TableName


_Steps = Callable[[_Names], Sequence[Statement]]
_FIRST, _SECOND = DATABASES[:2]


def _shadowed(names: _Names) -> Sequence[Statement]:
    """Create a base table with the name of a temporary one, which the session sees until it is dropped."""
    insert, drop = Insert(table=names.new, values=(7,)), DropTable(tables=(names.new,))
    created = (CreateTable(table=names.new, temporary=True), CreateTable(table=names.new))
    return (*created, insert, drop, insert, drop)


def _dropped_as_temporary(names: _Names) -> Sequence[Statement]:
    """Drop a base table as a temporary one, which it is not: it stays."""
    insert = Insert(table=names.new, values=(7,))
    drops = (DropTable(tables=(names.new,), temporary=True, if_exists=each) for each in (True, False))
    return (CreateTable(table=names.new), *(step for drop in drops for step in (insert, drop)), insert)


def _dropped_with_hidden(names: _Names) -> Sequence[Statement]:
    """Drop a temporary table and another table in one statement: the base table that the first hid stays."""
    created = (CreateTable(table=names.new), CreateTable(table=names.new, temporary=True))
    insert = Insert(table=names.new, values=(7,))
    return (*created, insert, DropTable(tables=(names.new, names.table)), insert)


def _maintained(action: str) -> _Steps:
    """Return the steps of maintenance in a transaction that is then rolled back: most of it commits first."""
    return lambda names: (
        *(Begin(), Insert(table=names.table, values=(7,))),
        *(Maintain(action=action, table=names.table), Insert(table=names.table, values=(8,)), Rollback()),
    )


def _dropped_in_part(names: _Names) -> Sequence[Statement]:
    """Fail to drop the default database, which then is still that of the session."""
    changed = Insert(table=names.elsewhere, values=(7,))
    return (Use(database=_FIRST), DropDatabase(database=_FIRST, obstructed=True), Begin(), changed, Commit())


def _restarted(names: _Names) -> Sequence[Statement]:
    """Start again with two options, both of which hold for the change after it."""
    options = (("binlog_format", "ROW"), ("binlog_rows_query_log_events", "ON"))
    return (Restart(options=options), Use(database=_FIRST), Insert(table=names.table, values=(7,)))


def _from_query(*, exists: bool) -> _Steps:
    """Return the steps of a temporary table made of a query under a GTID that is not for the change after it."""

    def steps(names: _Names) -> Sequence[Statement]:
        made = CreateTableSelect(table=names.new, sources=(names.table,), temporary=True, if_not_exists=exists)
        before = (CreateTable(table=names.new, temporary=True),) if exists else ()
        return (*before, SetSession(variable="gtid_next", value=_GIVEN), made, Insert(table=names.table, values=(7,)))

    return steps


#: In the place of the GTID that a scenario gives.
_GIVEN: Final = "given"
_WITH_GTIDS: Final[Mapping[str, _Steps]] = {
    "a temporary table of a query, GTID given": _from_query(exists=False),
    "the same, of a temporary table that exists": _from_query(exists=True),
}
_TWO_OPTIONS: Final = "a restart with two options"
_DOES: Final = Dimension[_Steps](
    "what is done",
    {
        "a base table of a temporary one's name": _shadowed,
        "ANALYZE in a transaction": _maintained("analyze"),
        "CHECKSUM in a transaction": _maintained("checksum"),
        "OPTIMIZE in a transaction": _maintained("optimize"),
        "a default database dropped in part": _dropped_in_part,
        _TWO_OPTIONS: _restarted,
        **_WITH_GTIDS,
        "DROP TEMPORARY of a base table": _dropped_as_temporary,
        "DROP of a hidden table's name and another": _dropped_with_hidden,
    },
    profiles={_TWO_OPTIONS: WITH_ROWS_QUERIES, **dict.fromkeys(_WITH_GTIDS, NUMBERED)},
)


@asking_family(focus="FORMAT-LOG-STATEMENT", dimensions=(*SETTINGS, _DOES))
def logged_side_effects(choose: Chooser, server: Server) -> Question:
    """What a statement changes besides rows: names, a transaction, a given GTID, the default database."""
    scenario = LogQuestion(choose, settings_of(choose, server.profile))
    scenario.open(tables=0)
    steps = scenario.vary(_DOES)
    table = scenario.create(engine="innodb")
    scenario.do(Insert(table=table, values=(1, 2)))
    scenario.do(CreateDatabase(database=_SECOND))
    elsewhere = scenario.create(name=scenario.new_name(_SECOND), engine="innodb")
    for statement in steps(_Names(table, scenario.new_name(), elsewhere)):
        if isinstance(statement, SetSession) and scenario.server.settings.gtid_mode != "OFF":
            scenario.do(SetSession(variable="gtid_next", value=scenario.given_gtid()))
        elif not isinstance(statement, SetSession):
            scenario.do(statement)
    return scenario.question()
