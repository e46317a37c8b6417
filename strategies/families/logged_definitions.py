"""Scenarios of statements that servers log in strange ways (WL#7592, plan 13)."""

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
from conformance.specs.profiles import PROFILES
from conformance.strategies.families.logged_transactions import ALWAYS, NUMBERED
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of

#: The profiles of WL#3303, whose mixture CREATE TABLE ... SELECT is.
_MIXTURE: Final = tuple(each for each in PROFILES if not each.startswith(("mariadb", "mysql-5.1")))
#: The profiles whose servers split the DROP TABLE of a failed DROP DATABASE, with Gtid events.
_SPLITTING: Final = ("worklog", "mysql-5.7")


def _engine(choose: Chooser, profile: str) -> str:
    """Return an engine; from 8.0 on one without atomic DDL, as the others are not asked about."""
    return "myisam" if RULES[profile].atomic_ddl else choose.one_of(("innodb", "myisam"))


@asking_family(focus="WL3303-LOG-MIXTURE", profiles=_MIXTURE)
def create_select_splits(choose: Chooser, server: Server) -> Question:
    """CREATE TABLE ... SELECT in each format, allowed or refused, with rows and without, with atomic DDL or not."""
    profile = server.profile
    numbered = RULES[profile].gtid_events in ("numbered", "always") and choose.yes(3)
    mode = "ON" if numbered else "OFF"
    settings = settings_of(choose, profile, gtid_mode=mode, binlog_format=choose.one_of(("ROW", "STATEMENT")))
    asked = LogQuestion(choose, settings)
    asked.open(tables=0)
    sources = [asked.create(engine="innodb") for _ in range(2)]
    if not choose.yes(4):
        asked.insert(sources[0])
    refused = False
    for _ in choose.several(1, 3):
        atomic = RULES[profile].create_select == "atomic" and choose.yes(3)
        engine = "innodb" if atomic else _engine(choose, profile)
        refused |= _create_select(asked, sources, engine, atomic=atomic)
    if refused:
        asked.mark_everywhere("WL7592-LOG-ON-CREATE-SELECT-REFUSED")
    return asked.question()


def _create_select(asked: LogQuestion, sources: list[TableName], engine: str, *, atomic: bool) -> bool:
    """Add one statement, and tell whether it is refused."""
    chosen = tuple(sources[: asked.choose.integer(1, 2)])
    outcome = asked.do(CreateTableSelect(table=asked.new_name(), sources=chosen, engine=engine))
    if outcome.error is not None:
        return True
    settings = asked.server.settings
    if settings.binlog_format == "ROW":
        asked.mark("WL3303-LOG-MIXTURE")
    if settings.gtid_mode == "ON":
        return False
    asked.mark("WL7592-LOG-OFF-CREATE-SELECT-ALLOWED", "WL7592-LOG-OFF-NO-RESTRICTIONS")
    if settings.binlog_format == "STATEMENT":
        asked.mark("WL7592-LOG-CREATE-SELECT-STATEMENT")
    elif not atomic:
        asked.mark("WL7592-LOG-CREATE-SELECT-ROW", "WL7592-LOG-CREATE-NOT-INSIDE")
    return False


@asking_family(focus="WL7592-LOG-DROP-ON-GTID-EACH", profiles=NUMBERED)
def multi_table_drops(choose: Chooser, server: Server) -> Question:
    """DROP TABLE of several tables: temporary or not, with transactions or not, one that is missing among them."""
    mode = choose.one_of(("OFF", "ON"))
    asked = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, binlog_format="STATEMENT"))
    asked.open(tables=0)
    own: list[TableName] = []
    base: list[TableName] = []
    for _ in choose.several(1, 2):
        own.append(asked.create(engine=choose.one_of(("innodb", "myisam")), temporary=True))
        base.append(asked.create(engine=_base_engine(choose, server.profile)))
    for _ in choose.several(0, 2):
        base.append(asked.create(engine=_base_engine(choose, server.profile)))
    asked.insert(base[0])
    tables = tuple(name for pair in zip(own, base, strict=False) for name in pair) + tuple(base[len(own) :])
    missing = (asked.new_name(),) if choose.yes(4) else ()
    asked.do(DropTable(tables=tables + missing, if_exists=bool(missing) or choose.yes()))
    asked.mark("WL7592-LOG-DROP-GROUPS", "WL7592-LOG-DROP-TEMPORARY-FIRST")
    asked.mark_gtids("WL7592-LOG-DROP-ON-GTID-EACH" if mode == "ON" else "WL7592-LOG-DROP-OFF-ANON-EACH")
    if mode == "OFF":
        _drop_inside(asked)
    return asked.question()


def _base_engine(choose: Chooser, profile: str) -> str:
    # By the text tables are parted by having transactions; servers of 5.7 part temporary ones only.
    return choose.one_of(("innodb", "myisam")) if profile != "mysql-5.7" else "innodb"


def _drop_inside(asked: LogQuestion) -> None:
    """Drop a temporary table inside a transaction, which stays open."""
    table = asked.create(engine="innodb")
    own = asked.create(engine="innodb", temporary=True)
    asked.do(Begin())
    marks = ("WL7592-LOG-DROP-TEMPORARY-INSIDE",)
    asked.do(Insert(table=table, values=(1,)), *marks)
    asked.do(DropTable(tables=(own,), temporary=True), *marks)
    asked.do(Insert(table=table, values=(2,)), *marks)
    asked.do(Commit(), *marks)


@asking_family(focus="WL7592-LOG-DROPDB-PARTIAL", profiles=_SPLITTING)
def drop_database_splits(choose: Chooser, server: Server) -> Question:
    """DROP DATABASE that fails half way, of few tables or of so many that several statements name them."""
    mode = choose.one_of(("OFF", "ON"))
    asked = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, binlog_format="ROW"))
    database = DATABASES[1]
    asked.do(CreateDatabase(database=database))
    many = choose.yes()
    for number in range(choose.integer(20, 40) if many else choose.integer(1, 4)):
        name = TableName(database, f"table_{'x' * 50}_{number}"[:64])
        asked.do(CreateTable(table=name, engine=choose.one_of(("innodb", "myisam"))))
    given = server.profile == "worklog" and mode == "ON" and not many
    if given:
        asked.do(SetSession(variable="gtid_next", value=asked.given_gtid()))
    asked.do(DropDatabase(database=database, obstructed=True), "WL7592-LOG-DROPDB-PARTIAL")
    if many:
        asked.mark("WL7592-LOG-DROPDB-SPLIT")
    if given:
        asked.mark_gtids("WL7592-LOG-DROPDB-NAMED-ONE")
    asked.mark_gtids("WL7592-LOG-DROPDB-ON-GTID-EACH" if mode == "ON" else "WL7592-LOG-DROPDB-OFF-ANON-EACH")
    return asked.question()


@asking_family(focus="WL7592-LOG-TEMPORARY-OUTSIDE", profiles=NUMBERED)
def temporary_tables(choose: Chooser, server: Server) -> Question:
    """Temporary tables in statement format: outside transactions, inside them, and when their session ends."""
    mode = choose.one_of(("OFF", "ON")) if RULES[server.profile].gtid_events == "always" else "ON"
    asked = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, binlog_format="STATEMENT"))
    asked.open(tables=0)
    table = asked.create(engine="innodb")
    refused = False
    for _ in choose.several(1, 3):
        if choose.yes():
            asked.do(CreateTable(table=asked.new_name(), temporary=True), "WL7592-LOG-TEMPORARY-OUTSIDE")
            if choose.yes():
                own = next(iter(asked.server.session(1).temporary))
                asked.do(DropTable(tables=(own,), temporary=True), "WL7592-LOG-TEMPORARY-OUTSIDE")
        else:
            refused |= _temporary_inside(asked, table)
    if refused:
        asked.mark_everywhere("WL7592-LOG-ON-TEMPORARY-INSIDE-REFUSED")
    if choose.yes():
        if mode == "OFF" and choose.yes():
            asked.do(SetSession(variable="gtid_next", value="ANONYMOUS"))
        asked.do(Disconnect(), "WL7592-LOG-DISCONNECT-DROPS")
        asked.mark_gtids("WL7592-LOG-DISCONNECT-DROPS")
    return asked.question()


def _temporary_inside(asked: LogQuestion, table: TableName) -> bool:
    """Add a transaction that creates and may drop a temporary table, and tell whether that is refused."""
    choose = asked.choose
    marks = ("WL7592-LOG-TEMPORARY-INSIDE", "WL7592-LOG-OFF-NO-RESTRICTIONS")
    asked.do(Begin())
    asked.do(Insert(table=table, values=(1,)), "WL7592-LOG-TEMPORARY-INSIDE")
    name = asked.new_name()
    outcome = asked.do(CreateTable(table=name, temporary=True), *marks)
    if outcome.error is None and choose.yes():
        asked.do(DropTable(tables=(name,), temporary=True), *marks)
    asked.do(Rollback() if choose.yes() else Commit(), "WL7592-LOG-TEMPORARY-INSIDE")
    return outcome.error is not None


@asking_family(focus="WL7592-LOG-MAINTENANCE-FAILED", profiles=ALWAYS)
def logged_maintenance(choose: Chooser, server: Server) -> Question:
    """OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE, of tables that are there and of such as are not."""
    asked = LogQuestion(choose, settings_of(choose, server.profile))
    asked.open(tables=0)
    table = asked.create(engine="innodb")
    actions = ("optimize", "repair", "analyze", *(("checksum",) if RULES[server.profile].checksum_table else ()))
    for _ in choose.several(1, 4):
        name = asked.new_name() if choose.yes() else table
        asked.do(Maintain(action=choose.one_of(actions), table=name), "WL7592-LOG-MAINTENANCE-FAILED")
        asked.mark_gtids("WL7592-LOG-MAINTENANCE-FAILED")
    return asked.question()
