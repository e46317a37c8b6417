"""Scenarios of statements that servers log in unusual ways (WL#7592)."""

from typing import Final

from conformance.binlog.servers import Server
from conformance.models.server.logging_rules import RULES
from conformance.models.server.statements import (
    Begin,
    Commit,
    CreateDatabase,
    CreateTable,
    CreateTableSelect,
    Disconnect,
    DropDatabase,
    DropTable,
    Insert,
    Maintain,
    Rollback,
    SetSession,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.families.logged_transactions import ALWAYS, NUMBERED
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of

#: The profiles of WL#3303, for which CREATE TABLE ... SELECT is a mixture of formats.
_MIXTURE: Final = Profiles("worklog", "mysql >= 5.5")
#: The profiles whose servers split the DROP TABLE of a failed DROP DATABASE, with Gtid events.
_SPLITTING: Final = Profiles("worklog", "mysql >= 5.7, < 8.0")
#: The worklog separates tables by whether they are transactional; these servers do so only for temporary ones.
_SEPARATING_TEMPORARY: Final = Profiles("mysql >= 5.7, < 8.0")


def _engine(choose: Chooser, profile: str) -> str:
    """Return an engine; from 8.0 on one without atomic DDL, as the others are not judged."""
    return "myisam" if RULES[profile].atomic_ddl else choose.one_of(("innodb", "myisam"))


@asking_family(focus="WL3303-LOG-MIXTURE", profiles=_MIXTURE)
def create_select_splits(choose: Chooser, server: Server) -> Question:
    """CREATE TABLE ... SELECT in each format, allowed or refused, with rows and without, with atomic DDL or not."""
    profile = server.profile
    numbered = RULES[profile].gtid_events in ("numbered", "always") and choose.yes(3)
    mode = "ON" if numbered else "OFF"
    settings = settings_of(choose, profile, gtid_mode=mode, binlog_format=choose.one_of(("ROW", "STATEMENT")))
    scenario = LogQuestion(choose, settings)
    scenario.open(tables=0)
    sources = [scenario.create(engine="innodb") for _ in range(2)]
    if not choose.yes(4):
        scenario.insert(sources[0])
    refused = False
    for _ in choose.several(1, 3):
        atomic = RULES[profile].create_select == "atomic" and choose.yes(3)
        engine = "innodb" if atomic else _engine(choose, profile)
        refused |= _create_select(scenario, sources, engine, atomic=atomic)
    if refused:
        scenario.mark_everywhere("WL7592-LOG-ON-CREATE-SELECT-REFUSED")
    return scenario.question()


def _create_select(scenario: LogQuestion, sources: list[TableName], engine: str, *, atomic: bool) -> bool:
    """Add one statement, and return whether it is refused."""
    chosen = tuple(sources[: scenario.choose.integer(1, 2)])
    outcome = scenario.do(CreateTableSelect(table=scenario.new_name(), sources=chosen, engine=engine))
    if outcome.error is not None:
        return True
    settings = scenario.server.settings
    if settings.binlog_format == "ROW":
        scenario.mark("WL3303-LOG-MIXTURE")
    if settings.gtid_mode == "ON":
        return False
    scenario.mark("WL7592-LOG-OFF-CREATE-SELECT-ALLOWED", "WL7592-LOG-OFF-NO-RESTRICTIONS")
    if settings.binlog_format == "STATEMENT":
        scenario.mark("WL7592-LOG-CREATE-SELECT-STATEMENT")
    elif not atomic:
        scenario.mark("WL7592-LOG-CREATE-SELECT-ROW", "WL7592-LOG-CREATE-NOT-INSIDE")
    return False


@asking_family(focus="WL7592-LOG-DROP-ON-GTID-EACH", profiles=NUMBERED)
def multi_table_drops(choose: Chooser, server: Server) -> Question:
    """DROP TABLE of several tables: temporary or not, transactional or not, one of them perhaps missing."""
    mode = choose.one_of(("OFF", "ON"))
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, binlog_format="STATEMENT"))
    scenario.open(tables=0)
    own: list[TableName] = []
    base: list[TableName] = []
    for _ in choose.several(1, 2):
        own.append(scenario.create(engine=choose.one_of(("innodb", "myisam")), temporary=True))
        base.append(scenario.create(engine=_base_engine(choose, server.profile)))
    for _ in choose.several(0, 2):
        base.append(scenario.create(engine=_base_engine(choose, server.profile)))
    scenario.insert(base[0])
    tables = tuple(name for pair in zip(own, base, strict=False) for name in pair) + tuple(base[len(own) :])
    missing = (scenario.new_name(),) if choose.yes(4) else ()
    scenario.do(DropTable(tables=tables + missing, if_exists=bool(missing) or choose.yes()))
    scenario.mark("WL7592-LOG-DROP-GROUPS", "WL7592-LOG-DROP-TEMPORARY-FIRST")
    scenario.mark_gtids("WL7592-LOG-DROP-ON-GTID-EACH" if mode == "ON" else "WL7592-LOG-DROP-OFF-ANON-EACH")
    if mode == "OFF":
        _drop_inside(scenario)
    return scenario.question()


def _base_engine(choose: Chooser, profile: str) -> str:
    return "innodb" if profile in _SEPARATING_TEMPORARY else choose.one_of(("innodb", "myisam"))


def _drop_inside(scenario: LogQuestion) -> None:
    """Drop a temporary table inside a transaction, which stays open."""
    table = scenario.create(engine="innodb")
    own = scenario.create(engine="innodb", temporary=True)
    scenario.do(Begin())
    marks = ("WL7592-LOG-DROP-TEMPORARY-INSIDE",)
    scenario.do(Insert(table=table, values=(1,)), *marks)
    scenario.do(DropTable(tables=(own,), temporary=True), *marks)
    scenario.do(Insert(table=table, values=(2,)), *marks)
    scenario.do(Commit(), *marks)


@asking_family(focus="WL7592-LOG-DROPDB-PARTIAL", profiles=_SPLITTING)
def drop_database_splits(choose: Chooser, server: Server) -> Question:
    """DROP DATABASE that fails halfway, with few tables or with so many that several statements name them."""
    mode = choose.one_of(("OFF", "ON"))
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, binlog_format="ROW"))
    database = DATABASES[1]
    scenario.do(CreateDatabase(database=database))
    many = choose.yes()
    for number in range(choose.integer(20, 40) if many else choose.integer(1, 4)):
        name = TableName(database, f"table_{'x' * 50}_{number}"[:64])
        scenario.do(CreateTable(table=name, engine=choose.one_of(("innodb", "myisam"))))
    given = server.profile == "worklog" and mode == "ON" and not many
    if given:
        scenario.do(SetSession(variable="gtid_next", value=scenario.given_gtid()))
    scenario.do(DropDatabase(database=database, obstructed=True), "WL7592-LOG-DROPDB-PARTIAL")
    if many:
        scenario.mark("WL7592-LOG-DROPDB-SPLIT")
    if given:
        scenario.mark_gtids("WL7592-LOG-DROPDB-NAMED-ONE")
    scenario.mark_gtids("WL7592-LOG-DROPDB-ON-GTID-EACH" if mode == "ON" else "WL7592-LOG-DROPDB-OFF-ANON-EACH")
    return scenario.question()


@asking_family(focus="WL7592-LOG-TEMPORARY-OUTSIDE", profiles=NUMBERED)
def temporary_tables(choose: Chooser, server: Server) -> Question:
    """Temporary tables in statement format: outside transactions, inside them, and when their session ends."""
    mode = choose.one_of(("OFF", "ON")) if RULES[server.profile].gtid_events == "always" else "ON"
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, binlog_format="STATEMENT"))
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    refused = False
    for _ in choose.several(1, 3):
        if choose.yes():
            scenario.do(CreateTable(table=scenario.new_name(), temporary=True), "WL7592-LOG-TEMPORARY-OUTSIDE")
            if choose.yes():
                own = next(iter(scenario.server.session(1).temporary))
                scenario.do(DropTable(tables=(own,), temporary=True), "WL7592-LOG-TEMPORARY-OUTSIDE")
        else:
            refused |= _temporary_inside(scenario, table)
    if refused:
        scenario.mark_everywhere("WL7592-LOG-ON-TEMPORARY-INSIDE-REFUSED")
    if choose.yes():
        if mode == "OFF" and choose.yes():
            scenario.do(SetSession(variable="gtid_next", value="ANONYMOUS"))
        scenario.do(Disconnect(), "WL7592-LOG-DISCONNECT-DROPS")
        scenario.mark_gtids("WL7592-LOG-DISCONNECT-DROPS")
    return scenario.question()


def _temporary_inside(scenario: LogQuestion, table: TableName) -> bool:
    """Add a transaction that creates and may drop a temporary table, and return whether that is refused."""
    choose = scenario.choose
    marks = ("WL7592-LOG-TEMPORARY-INSIDE", "WL7592-LOG-OFF-NO-RESTRICTIONS")
    scenario.do(Begin())
    scenario.do(Insert(table=table, values=(1,)), "WL7592-LOG-TEMPORARY-INSIDE")
    name = scenario.new_name()
    outcome = scenario.do(CreateTable(table=name, temporary=True), *marks)
    if outcome.error is None and choose.yes():
        scenario.do(DropTable(tables=(name,), temporary=True), *marks)
    scenario.do(Rollback() if choose.yes() else Commit(), "WL7592-LOG-TEMPORARY-INSIDE")
    return outcome.error is not None


@asking_family(focus="WL7592-LOG-MAINTENANCE-FAILED", profiles=ALWAYS)
def logged_maintenance(choose: Chooser, server: Server) -> Question:
    """OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE, of tables that exist and of tables that do not."""
    scenario = LogQuestion(choose, settings_of(choose, server.profile))
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    actions = ("optimize", "repair", "analyze", *(("checksum",) if RULES[server.profile].checksum_table else ()))
    for _ in choose.several(1, 4):
        name = scenario.new_name() if choose.yes() else table
        scenario.do(Maintain(action=choose.one_of(actions), table=name), "WL7592-LOG-MAINTENANCE-FAILED")
        scenario.mark_gtids("WL7592-LOG-MAINTENANCE-FAILED")
    return scenario.question()
