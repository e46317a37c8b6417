"""Scenarios: settings and statements for a server that logs, from the answers of a chooser.

The builder runs each statement on the model at once, so it knows which tables and transactions exist.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from conformance.binlog.servers import WITH_ROWS_QUERIES
from conformance.models.server.execution import ExecutionOutcome, run
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.statements import (
    CreateDatabase,
    CreateTable,
    Delete,
    Insert,
    InsertSelect,
    SetUserVariable,
    Statement,
    Update,
    UpdateTables,
    Use,
)
from conformance.models.server.tables import Table, TableName
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Number, Value
from conformance.strategies.scenarios.scenario_dimensions import SETTINGS

#: UUIDs of other sources, for given GTIDs.
_GIVEN: Final = ("00000000-0000-0000-0000-000000000001", "12345678-1234-1234-1234-123456789abc")
#: Comments in statements that change rows: usually none, of every kind, of one byte and of several for a character.
COMMENTS: Final = (
    "", "", "", "", "/* a comment */", "/* of two\n\tlines, 'with' \"quotes\" and `ticks` */", "/**/",
    "-- to the end\n",
    "# to the end\n", "/* caf\u00e9 \u6f22\u5b57 \U0001f642 */",
)  # fmt: skip
#: The engines of its tables, transactional and not.
ENGINES: Final = ("innodb", "myisam")
#: The databases of most scenarios; the first exists from the beginning.
DATABASES: Final = ("d1", "d2")


def settings_of(choose: Chooser, profile: str, **fixed: Any) -> Settings:
    """Return settings that fit a profile; those in `fixed` are not chosen."""
    chosen = {each.name: choose.vary(each, profile) for each in SETTINGS if each.name not in fixed}
    if {**chosen, **fixed}.get("gtid_mode") == "ON":
        chosen["enforce_gtid_consistency"] = True
    return Settings(**{"profile": profile, **chosen, **fixed})


class ScenarioBuilder:
    """Builds a scenario, statement by statement.

    Attributes:
        choose: The chooser that answers the grammar's questions.
        databases: The databases that it may use; the first exists from the beginning.
        server: The model after the statements so far.
        statements: The statements so far.
        outcomes: The outcome of each.

    Args:
        choose: The chooser.
        settings: The scenario's settings.
        databases: The databases that it may use.
        table_name: Returns a table's name, given its number.
    """

    def __init__(
        self,
        choose: Chooser,
        settings: Settings,
        *,
        databases: tuple[str, str] = DATABASES,
        table_name: Callable[[int], str] = "t{}".format,
    ) -> None:
        self.choose = choose
        self.databases = databases
        self.server = SourceServer(settings)
        self.statements: list[Statement] = []
        self.outcomes: list[ExecutionOutcome] = []
        self._settings = settings
        self._table_name = table_name
        self._names = 0

    @property
    def scenario(self) -> Scenario:
        """The scenario so far."""
        return Scenario(self._settings, tuple(self.statements))

    def vary(self, dimension: Dimension[Value]) -> Value:
        """Return what the grammar takes for a class of a dimension."""
        return self.choose.vary(dimension, self._settings.profile)

    def several_of(self, number: Number) -> Iterator[int]:
        """Yield 0, 1, 2, ... as many times as a class of a dimension of numbers has it."""
        return self.choose.several_of(number, self._settings.profile)

    @property
    def computed(self) -> tuple[str, ...]:
        """The kinds of value that an INSERT may compute on this server."""
        options = ("session_option", "global_option") if self._settings.profile in WITH_ROWS_QUERIES else ()
        return ("variable", "rand", "uuid", *options)

    def do(self, statement: Statement) -> ExecutionOutcome:
        """Add a statement."""
        outcome = run(self.server, len(self.statements), statement)
        self.statements.append(statement)
        self.outcomes.append(outcome)
        return outcome

    # --- tables

    def new_name(self, database: str = "") -> TableName:
        """Return a name that no table has had, in a database, empty for the first."""
        self._names += 1
        return TableName(database or self.databases[0], self._table_name(self._names))

    def base_tables(self, *, engine: str | None = None) -> list[Table]:
        """Return the tables that all sessions see."""
        tables = [table for each in self.server.databases.values() for table in each.values()]
        return [table for table in tables if engine is None or table.engine == engine]

    def tables(self, session: int) -> list[Table]:
        """Return the tables that a session sees, its temporary ones last."""
        temporary = self.server.session(session).temporary
        base = [table for table in self.base_tables() if table.name not in temporary]
        return [*base, *temporary.values()]

    # --- statements

    def open(self, *, tables: int = 2, use: bool = True) -> None:
        """Begin the scenario: a database, and some tables in it with a row each."""
        self.do(CreateDatabase(database=self.databases[0]))
        if use:
            self.do(Use(database=self.databases[0]))
        for _ in range(tables):
            self.do(Insert(table=self.create(), values=(self.choose.integer(0, 9),)))

    def create(
        self, *, name: TableName | None = None, engine: str | None = None, session: int = 1, **more: Any
    ) -> TableName:
        """Create a table without rows and return its name."""
        name = name or self.new_name()
        chosen = engine or self.choose.one_of(ENGINES)
        self.do(CreateTable(table=name, engine=chosen, session=session, **more))
        return name

    def insert(self, table: TableName, *, session: int = 1, rows: int | None = None) -> ExecutionOutcome:
        """Insert some rows, usually few."""
        count = rows or (self.choose.integer(1, 3) if not self.choose.yes(8) else self.choose.integer(40, 90))
        values = tuple(self.choose.integer(0, 99) for _ in range(count))
        return self.do(Insert(table=table, values=values, session=session, **self.comment()))

    def comment(self) -> dict[str, Any]:
        """Return the comment of a statement, usually none."""
        comment = self.choose.one_of(COMMENTS)
        return {"comment": comment, "comment_first": self.choose.yes()} if comment else {}

    def change(self, tables: Sequence[Table], *, session: int = 1) -> None:
        """Change rows of one or two of these tables."""
        choose = self.choose
        table = choose.one_of(tables)
        kind = choose.integer(0, 6)
        if kind == 0:
            self.insert(table.name, session=session)
        elif kind == 1:
            self.do(Update(table=table.name, session=session, **self.comment()))
        elif kind == 2:
            self.do(Delete(table=table.name, session=session, **self.comment()))
        elif kind == 3:
            if choose.yes(3):
                self.do(SetUserVariable(value=choose.integer(0, 9), session=session))
            self.do(Insert(table=table.name, computed=choose.one_of(self.computed), session=session))
        elif kind == 4 and len(tables) > 1:
            source = choose.one_of([each for each in tables if each is not table])
            self.do(InsertSelect(table=table.name, source=source.name, session=session, **self.comment()))
        elif kind == 5 and len(tables) > 1:
            same = [each for each in tables if each is not table and _alike(each, table)]
            if same:
                second = choose.one_of(same).name
                self.do(UpdateTables(first=table.name, second=second, session=session))
        else:
            self.insert(table.name, session=session)

    def given_gtid(self) -> str:
        """Return a GTID of another source, sometimes with a tag if servers have tags."""
        uuid = self.choose.one_of(_GIVEN)
        tag = "tag:" if self.server.server.gtid_form == "8.3" and self.choose.yes(3) else ""
        return f"{uuid}:{tag}{self.choose.integer(1, 6)}"

    def change_both_engines(self, *, session: int = 1) -> None:
        """Change two tables by one statement, a transactional one and another, if both exist."""
        tables = [self.base_tables(engine=engine) for engine in ENGINES]
        if all(tables):
            first, second = (self.choose.one_of(each).name for each in tables)
            if self.choose.yes():
                first, second = second, first
            self.do(UpdateTables(first=first, second=second, session=session))


def _alike(one: Table, other: Table) -> bool:
    """Return whether one statement can change two tables without mixing engines in one transaction."""
    return (one.engine, one.temporary) == (other.engine, other.temporary)
