"""Scenarios: settings and statements for a server that logs, from the answers of a chooser.

The builder runs each statement on the model at once, so it knows what there is to insert into, to drop and to commit.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from conformance.source.execution import Outcome, run
from conformance.source.rules import RULES
from conformance.source.scenario import Scenario
from conformance.source.settings import BINLOG_FORMATS, GTID_MODES, Settings
from conformance.source.source_server import SourceServer
from conformance.source.statements import (
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
from conformance.source.tables import Table, TableName
from strategies.chooser import Chooser

#: UUIDs of other sources, for GTIDs that are given.
_GIVEN: Final = ("00000000-0000-0000-0000-000000000001", "12345678-1234-1234-1234-123456789abc")
_ENGINES: Final = ("innodb", "myisam")
#: The databases that a scenario may use; the first is there from its beginning.
DATABASES: Final = ("d1", "d2")


def settings_of(choose: Chooser, profile: str, **fixed: Any) -> Settings:
    """Return settings that fit a profile; what is named in `fixed` is not chosen."""
    chosen: dict[str, Any] = {"profile": profile}
    rules = RULES[profile]
    if rules.gtid_events not in ("never", "mariadb") and "gtid_mode" not in fixed:
        modes = GTID_MODES if rules.gtid_events == "always" else ("OFF", "ON")
        chosen["gtid_mode"] = choose.one_of(modes)
    if {**chosen, **fixed}.get("gtid_mode") == "ON":
        chosen["enforce_gtid_consistency"] = True
    if "binlog_format" not in fixed:
        chosen["binlog_format"] = choose.one_of(BINLOG_FORMATS)
    if "binlog_checksum" not in fixed:
        chosen["binlog_checksum"] = choose.one_of(("CRC32", "NONE"))
    if rules.rows_queries and "binlog_rows_query_log_events" not in fixed:
        chosen["binlog_rows_query_log_events"] = choose.yes()
    return Settings(**{**chosen, **fixed})


class ScenarioBuilder:
    """Builds a scenario, statement by statement.

    Attributes:
        choose: The chooser that answers the grammar's questions.
        server: The model after the statements so far.
        statements: The statements so far.
        outcomes: What became of each.

    Args:
        choose: The chooser.
        settings: The scenario's settings.
    """

    def __init__(self, choose: Chooser, settings: Settings) -> None:
        self.choose = choose
        self.server = SourceServer(settings)
        self.statements: list[Statement] = []
        self.outcomes: list[Outcome] = []
        self._settings = settings
        self._names = 0

    @property
    def scenario(self) -> Scenario:
        """The scenario so far."""
        return Scenario(self._settings, tuple(self.statements))

    def do(self, statement: Statement) -> Outcome:
        """Add a statement."""
        outcome = run(self.server, len(self.statements), statement)
        self.statements.append(statement)
        self.outcomes.append(outcome)
        return outcome

    # --- what there is

    def new_name(self, database: str = DATABASES[0]) -> TableName:
        """Return a name that no table had yet."""
        self._names += 1
        return TableName(database, f"t{self._names}")

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
        """Begin: a database, and some tables in it with a row each."""
        self.do(CreateDatabase(database=DATABASES[0]))
        if use:
            self.do(Use(database=DATABASES[0]))
        for _ in range(tables):
            self.do(Insert(table=self.create(), values=(self.choose.integer(0, 9),)))

    def create(self, *, engine: str | None = None, session: int = 1, **more: Any) -> TableName:
        """Create a table without rows and return its name."""
        name = self.new_name()
        chosen = engine or self.choose.one_of(_ENGINES)
        self.do(CreateTable(table=name, engine=chosen, session=session, **more))
        return name

    def insert(self, table: TableName, *, session: int = 1, rows: int | None = None) -> Outcome:
        """Insert some rows, few in most cases."""
        count = rows or (self.choose.integer(1, 3) if not self.choose.yes(8) else self.choose.integer(40, 90))
        values = tuple(self.choose.integer(0, 99) for _ in range(count))
        return self.do(Insert(table=table, values=values, session=session))

    def change(self, tables: Sequence[Table], *, session: int = 1) -> None:
        """Change rows of some of these tables."""
        choose = self.choose
        table = choose.one_of(tables)
        kind = choose.integer(0, 6)
        if kind == 0:
            self.insert(table.name, session=session)
        elif kind == 1:
            self.do(Update(table=table.name, session=session))
        elif kind == 2:
            self.do(Delete(table=table.name, session=session))
        elif kind == 3:
            if choose.yes(3):
                self.do(SetUserVariable(value=choose.integer(0, 9), session=session))
            how = choose.one_of(("variable", "rand", "uuid"))
            self.do(Insert(table=table.name, computed=how, session=session))
        elif kind == 4 and len(tables) > 1:
            source = choose.one_of([each for each in tables if each is not table])
            self.do(InsertSelect(table=table.name, source=source.name, session=session))
        elif kind == 5 and len(tables) > 1:
            same = [each for each in tables if each is not table and _alike(each, table)]
            if same:
                second = choose.one_of(same).name
                self.do(UpdateTables(first=table.name, second=second, session=session))
        else:
            self.insert(table.name, session=session)

    def given_gtid(self) -> str:
        """Return a GTID of another source, with a tag in some cases where servers have tags."""
        uuid = self.choose.one_of(_GIVEN)
        tag = "tag:" if self.server.server.gtid_form == "8.3" and self.choose.yes(3) else ""
        return f"{uuid}:{tag}{self.choose.integer(1, 6)}"


def _alike(one: Table, other: Table) -> bool:
    """Tell whether two tables can be changed by one statement without a mix of engines in one transaction."""
    return (one.engine, one.temporary) == (other.engine, other.temporary)


# --- productions of a random scenario, each one step of it


def _transaction(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    builder.do(Begin())
    names: list[str] = []
    for number in choose.several(0, 5):
        tables = builder.tables(1)
        step = choose.integer(0, 7)
        if step == 0:
            names.append(f"s{number % 2}")
            builder.do(Savepoint(name=names[-1]))
        elif step == 1 and names:
            builder.do(RollbackTo(name=choose.one_of(names)))
        elif step == 2:
            _temporary(builder)
        elif tables:
            builder.change(tables)
    builder.do(Rollback() if choose.yes(3) else Commit())


def _change(builder: ScenarioBuilder) -> None:
    session = builder.choose.one_of((1, 2))
    tables = builder.tables(session)
    if tables:
        builder.change(tables, session=session)


def _create(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    tables = builder.base_tables()
    if tables and choose.yes(4):
        existing = choose.one_of(tables)
        builder.do(CreateTable(table=existing.name, engine=existing.engine, if_not_exists=choose.yes()))
    else:
        builder.create(auto_increment=choose.yes(3), if_not_exists=choose.yes(4))


def _create_like(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    tables = builder.tables(1)
    if tables:
        builder.do(CreateTableLike(table=builder.new_name(), like=choose.one_of(tables).name, temporary=choose.yes(4)))


def _create_select(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    tables = builder.base_tables()
    if tables:
        sources = tuple(choose.one_of(tables).name for _ in choose.several(1, 2))
        builder.do(CreateTableSelect(table=builder.new_name(), sources=sources, engine=choose.one_of(_ENGINES)))


def _temporary(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    own = list(builder.server.session(1).temporary)
    if own and choose.yes():
        builder.do(DropTable(tables=(choose.one_of(own),), temporary=True, if_exists=choose.yes()))
    else:
        builder.create(temporary=True)


def _drop(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    names = [table.name for table in builder.tables(1)]
    if not names:
        return
    chosen = [choose.one_of(names) for _ in choose.several(1, 5)]
    missing = [builder.new_name()] if choose.yes(4) else []
    # The order in which a server looks for tables does not matter to what is logged of them.
    tables = tuple(dict.fromkeys([*chosen, *missing]))
    builder.do(DropTable(tables=tables, if_exists=choose.yes()))


def _rename(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    names = [table.name for table in builder.base_tables() if table.name not in builder.server.session(1).temporary]
    if len(names) > 1 and choose.yes(3):
        one, two = names[:2]
        middle = builder.new_name()
        builder.do(RenameTable(pairs=((one, middle), (two, one), (middle, two))))
    elif names:
        builder.do(RenameTable(pairs=((choose.one_of(names), builder.new_name()),)))


def _alter(builder: ScenarioBuilder) -> None:
    names = [table.name for table in builder.base_tables() if table.name not in builder.server.session(1).temporary]
    if names:
        builder.do(AlterTable(table=builder.choose.one_of(names)))


def _maintain(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    names = [table.name for table in builder.base_tables() if table.name not in builder.server.session(1).temporary]
    missing = builder.new_name()
    action = choose.one_of(("optimize", "analyze", "repair", "checksum"))
    builder.do(Maintain(action=action, table=choose.one_of([missing, *names])))


def _second_database(builder: ScenarioBuilder) -> None:
    choose, name = builder.choose, DATABASES[1]
    if name in builder.server.databases:
        builder.do(DropDatabase(database=name, obstructed=choose.yes()))
        return
    builder.do(CreateDatabase(database=name))
    for _ in choose.several(0, 3):
        table = builder.new_name(name)
        builder.do(CreateTable(table=table, engine=choose.one_of(_ENGINES)))


def _session_variable(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    if choose.yes() and builder.server.rules.rows_queries:
        builder.do(SetSession(variable="binlog_rows_query_log_events", value=choose.one_of(("ON", "OFF"))))
    elif not builder.server.session(1).temporary:
        builder.do(SetSession(variable="binlog_format", value=choose.one_of(BINLOG_FORMATS)))


def _given_gtid(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    if builder.server.rules.gtid_events in ("never", "mariadb"):
        return
    next_gtid = builder.given_gtid() if choose.yes() else "ANONYMOUS"
    builder.do(SetSession(variable="gtid_next", value=next_gtid))
    choose.one_of((_change_alone, _create, _transaction, _alter))(builder)
    builder.do(SetSession(variable="gtid_next", value="AUTOMATIC"))


def _change_alone(builder: ScenarioBuilder) -> None:
    tables = builder.base_tables()
    if tables:
        builder.insert(builder.choose.one_of(tables).name)


def _next_gtid_mode(builder: ScenarioBuilder) -> None:
    rules, mode = builder.server.rules, builder.server.settings.gtid_mode
    if rules.gtid_events != "always":
        return
    at = GTID_MODES.index(mode)
    step = builder.choose.one_of((1, -1))
    builder.do(SetGlobal(variable="gtid_mode", value=GTID_MODES[min(max(at + step, 0), len(GTID_MODES) - 1)]))


def _checksum(builder: ScenarioBuilder) -> None:
    if builder.server.server.checksums:
        builder.do(SetGlobal(variable="binlog_checksum", value=builder.choose.one_of(("CRC32", "NONE"))))


def _flush(builder: ScenarioBuilder) -> None:
    builder.do(FlushLogs())


def _end_session(builder: ScenarioBuilder) -> None:
    builder.do(Disconnect())
    builder.do(Use(database=DATABASES[0]))


def _start_again(builder: ScenarioBuilder) -> None:
    # What a server that ends makes of temporary tables is not the subject.
    for number in list(builder.server.sessions):
        builder.do(Disconnect(session=number))
    builder.do(Crash() if builder.choose.yes() else Restart())
    builder.do(Use(database=DATABASES[0]))


#: The steps of a random scenario, the commonest named more than once.
_STEPS: Final[tuple[Callable[[ScenarioBuilder], None], ...]] = (
    _change, _change, _change, _transaction, _transaction, _transaction, _create, _create_like, _create_select,
    _create_select, _temporary, _temporary, _drop, _drop, _rename, _alter, _maintain, _second_database,
    _session_variable, _session_variable, _given_gtid, _given_gtid, _next_gtid_mode, _checksum, _flush, _end_session,
)  # fmt: skip


def take_step(builder: ScenarioBuilder) -> None:
    """Add one step of a random scenario."""
    builder.choose.one_of(_STEPS)(builder)


def random_scenario(choose: Chooser, settings: Settings, *, steps: int = 12, restarts: bool = False) -> Scenario:
    """Return a scenario of everything that the model knows.

    Args:
        choose: The chooser.
        settings: What the server is told.
        steps: The most steps; a step is one statement or some that belong together.
        restarts: Whether the server may be started again in it.
    """
    builder = ScenarioBuilder(choose, settings)
    builder.open(tables=2)
    for _ in choose.several(1, steps):
        take_step(builder)
        if restarts and choose.yes(6):
            _start_again(builder)
    return builder.scenario
