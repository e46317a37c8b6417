"""Scenarios of two sessions whose statements come in between each other: each has its own transaction and settings."""

from collections.abc import Callable, Mapping
from typing import Final

from conformance.binlog.servers import WITH_ROWS_QUERIES, WITH_TAGGED_GTIDS, Server
from conformance.models.server.settings import BINLOG_FORMATS, GTID_MODES
from conformance.models.server.statements import (
    Begin,
    Commit,
    CreateDatabase,
    CreateTable,
    CreateTableSelect,
    Disconnect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    InsertSelect,
    PurgeLogs,
    Rollback,
    RollbackTo,
    Savepoint,
    SetGlobal,
    SetSession,
    SetUserVariable,
    Update,
    UpdateTables,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, choices
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios import session_definitions
from conformance.strategies.scenarios.scenario import settings_of
from conformance.strategies.scenarios.scenario_dimensions import NUMBERED, SETTINGS
from conformance.strategies.scenarios.session_definitions import OTHER, THIRD


def _commits(scenario: LogQuestion, table: TableName) -> None:
    scenario.do(Insert(table=table, values=(-1, 0), session=OTHER))
    scenario.do(Update(table=table, session=OTHER))
    scenario.do(Commit(session=OTHER))


def _rolls_back(scenario: LogQuestion, table: TableName) -> None:
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(Rollback(session=OTHER))


def _ends(scenario: LogQuestion, table: TableName) -> None:
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(Disconnect(session=OTHER))


def _ends_with_temporary(scenario: LogQuestion, table: TableName) -> None:
    """End with a temporary table that was created in the transaction: its creation is logged, and is not undone."""
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.create(engine="innodb", temporary=True, session=OTHER)
    scenario.do(Disconnect(session=OTHER))


def _goes_back(scenario: LogQuestion, table: TableName) -> None:
    """Set a savepoint of a name that the first session has too, and go back to it.

    After a first one from before anything was logged the next is as if nothing had been.
    """
    scenario.do(Savepoint(name="u", session=OTHER))
    scenario.do(Insert(table=table, values=(0,), session=OTHER))
    scenario.do(RollbackTo(name="u", session=OTHER))
    scenario.do(Savepoint(name="v", session=OTHER))
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(Savepoint(name="s", session=OTHER))
    scenario.do(Insert(table=table, values=(2,), session=OTHER))
    scenario.do(RollbackTo(name="s", session=OTHER))
    scenario.do(Insert(table=table, values=(3,), session=OTHER))
    scenario.do(Commit(session=OTHER))


def _loses_default(scenario: LogQuestion, table: TableName) -> None:
    """Drop the default database of the other session, which keeps it: the name is in its statements as before.

    Then it takes another one within a transaction, whose beginning is in the first.
    """
    lost = scenario.databases[1]
    scenario.do(CreateDatabase(database=lost, session=THIRD))
    scenario.do(Use(database=lost, session=OTHER))
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(DropDatabase(database=lost, session=THIRD))
    scenario.do(Insert(table=table, values=(2,), session=OTHER))
    scenario.do(Commit(session=OTHER))
    scenario.do(Begin(session=OTHER))
    scenario.do(Insert(table=table, values=(3,), session=OTHER))
    scenario.do(Use(database=scenario.databases[0], session=OTHER))
    scenario.do(Insert(table=table, values=(4,), session=OTHER))
    scenario.do(Commit(session=OTHER))


def _drops_default(scenario: LogQuestion, table: TableName) -> None:
    """Drop its own default database, and go on without one; its temporary table in it stays."""
    lost = scenario.databases[1]
    scenario.do(Commit(session=OTHER))
    scenario.do(CreateDatabase(database=lost, session=OTHER))
    scenario.do(Use(database=lost, session=OTHER))
    own = scenario.create(name=scenario.new_name(lost), engine="innodb", temporary=True, session=OTHER)
    scenario.do(DropDatabase(database=lost, session=OTHER))
    for each in (table, own):
        scenario.do(Insert(table=each, values=(1,), session=OTHER))


def _ends_irrevocably(scenario: LogQuestion, table: TableName) -> None:
    """End with an open transaction that has changed a table which cannot be rolled back: it is logged as such."""
    plain = scenario.create(engine="myisam", session=THIRD)
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(Insert(table=plain, values=(2,), session=OTHER))
    scenario.do(Disconnect(session=OTHER))


def _hides_table(scenario: LogQuestion, table: TableName) -> None:
    """Have a temporary table with the name of an ordinary one, which the other sessions see."""
    name = scenario.create(engine="innodb", session=THIRD)
    scenario.do(Commit(session=OTHER))
    scenario.create(name=name, engine="innodb", temporary=True, session=OTHER)
    for session in (OTHER, THIRD):
        scenario.do(Insert(table=name, values=(session,), session=session))
    scenario.do(DropTable(tables=(name,), temporary=True, session=OTHER))
    scenario.do(Update(table=name, session=OTHER))


def _works_on_temporary(scenario: LogQuestion, table: TableName) -> None:
    """Read its temporary table, which hides one with other rows, and change it together with another table."""
    name = scenario.create(engine="innodb", session=THIRD)
    scenario.do(Insert(table=name, values=(8, 9), session=THIRD))
    scenario.do(Commit(session=OTHER))
    scenario.create(name=name, engine="innodb", temporary=True, session=OTHER)
    scenario.do(Insert(table=name, values=(4,), session=OTHER))
    scenario.do(InsertSelect(table=table, source=name, session=OTHER))
    scenario.do(UpdateTables(first=table, second=name, session=OTHER))
    scenario.do(CreateTableSelect(table=scenario.new_name(), sources=(name,), session=OTHER))
    dropped = (name, scenario.new_name())
    scenario.do(DropTable(tables=dropped, temporary=True, if_exists=True, session=OTHER))
    scenario.do(Insert(table=table, values=(1,), session=OTHER))


def _reads_others(scenario: LogQuestion, table: TableName) -> None:
    """Insert the rows of a table that cannot be rolled back and of an empty one, and join one that has only NULL."""
    plain, empty, nulls = (scenario.create(engine=each, session=THIRD) for each in ("myisam", "innodb", "innodb"))
    numbered = scenario.create(engine="innodb", auto_increment=True, session=THIRD)
    scenario.do(Insert(table=plain, values=(2, 3, 4, 5, 6), session=THIRD))
    # Its user variable has not been set.
    scenario.do(Insert(table=nulls, computed="variable", session=OTHER))
    scenario.do(CreateTableSelect(table=scenario.new_name(), sources=(plain,), with_variable=True, session=THIRD))
    # Numbers are reserved in blocks of 1, 2 and 4, which three rows fill and five do not.
    filling = scenario.create(engine="innodb", session=THIRD)
    scenario.do(Insert(table=filling, values=(7, 8, 9), session=THIRD))
    for source in (plain, empty, filling, plain):
        scenario.do(InsertSelect(table=numbered, source=source, session=OTHER))
    scenario.do(InsertSelect(table=table, source=plain, session=OTHER))
    scenario.do(UpdateTables(first=table, second=nulls, session=OTHER))
    scenario.do(Commit(session=OTHER))


def _sets_option(scenario: LogQuestion, table: TableName) -> None:
    """Set the option for the statement's text in a transaction: it holds from the next statement on."""
    own = scenario.server.session(OTHER).binlog_rows_query_log_events
    variable = "binlog_rows_query_log_events"
    scenario.do(Insert(table=table, values=(0,), session=OTHER))
    for number, is_on in enumerate((not own, own, not own)):
        scenario.do(SetSession(variable=variable, value="ON" if is_on else "OFF", session=OTHER))
        scenario.do(Insert(table=table, values=(1 + number,), session=OTHER))
    scenario.do(Commit(session=OTHER))


def _same_name(scenario: LogQuestion, table: TableName) -> None:
    """Have a temporary table with the name of one of another session, which outlives it."""
    name = scenario.new_name()
    scenario.do(Commit(session=OTHER))
    for session in (OTHER, THIRD):
        scenario.create(name=name, engine="innodb", temporary=True, session=session)
        scenario.do(Insert(table=name, values=(session,), session=session))
    scenario.do(Disconnect(session=OTHER))
    scenario.do(Insert(table=name, values=(4,), session=THIRD))


def _variable(scenario: LogQuestion, table: TableName) -> None:
    """Compute values with a user variable that the first session has set too; one that stays is logged again."""
    for value in (-3, 0, (1 << 31) - 1, -1 << 31):
        scenario.do(SetUserVariable(value=value, session=OTHER))
        scenario.do(Insert(table=table, computed="variable", session=OTHER))
    for session in (OTHER, THIRD):
        scenario.do(Insert(table=table, computed="variable", session=session))
    scenario.do(Commit(session=OTHER))


def _other_format(scenario: LogQuestion, step: int = 1) -> str:
    """Return the format some steps after that of the server, as often around as it takes."""
    own = scenario.server.settings.binlog_format
    return BINLOG_FORMATS[(BINLOG_FORMATS.index(own) + step) % len(BINLOG_FORMATS)]


def _insert_in_format(scenario: LogQuestion, table: TableName, session: int) -> None:
    """Change rows by a safe statement and by an unsafe one: no two formats log both in the same way."""
    scenario.do(Insert(table=table, values=(1,), session=session))
    scenario.do(Insert(table=table, computed="uuid", session=session))


#: A way through the three formats, from the first, that goes from each to each, and ends in another one.
_EACH_AFTER_EACH: Final = (1, 2, 0, 2, 1, 0, 1)


def _format(scenario: LogQuestion, table: TableName) -> None:
    """Log in each format after each other one: nothing is left of the format before."""
    scenario.do(Commit(session=OTHER))
    _insert_in_each_format(scenario, table)


def _insert_in_each_format(scenario: LogQuestion, table: TableName) -> None:
    for step in _EACH_AFTER_EACH:
        scenario.do(SetSession(variable="binlog_format", value=_other_format(scenario, step), session=OTHER))
        _insert_in_format(scenario, table, OTHER)


def _comes_back(scenario: LogQuestion, table: TableName) -> None:
    """End, and come back as a new session: nothing is left of its database, user variable, option and format."""
    scenario.do(Commit(session=OTHER))
    scenario.do(Use(database=scenario.databases[0], session=OTHER))
    scenario.do(SetUserVariable(value=5, session=OTHER))
    settings = scenario.server.settings
    if settings.profile in WITH_ROWS_QUERIES:
        value = "OFF" if settings.binlog_rows_query_log_events else "ON"
        scenario.do(SetSession(variable="binlog_rows_query_log_events", value=value, session=OTHER))
    scenario.do(SetSession(variable="binlog_format", value=_other_format(scenario), session=OTHER))
    for _ in range(2):
        _insert_in_format(scenario, table, OTHER)
        scenario.do(Insert(table=table, computed="variable", session=OTHER))
        scenario.do(Disconnect(session=OTHER))


def _comes_back_to_another_format(scenario: LogQuestion, table: TableName) -> None:
    """End, and come back after the format of sessions that begin later was set: it has that one."""
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(Disconnect(session=OTHER))
    scenario.do(SetGlobal(variable="binlog_format", value=_other_format(scenario), session=THIRD))
    _insert_in_format(scenario, table, OTHER)


def _global_format(scenario: LogQuestion, table: TableName) -> None:
    """Set the format of sessions that begin later, and set it back: those that are open keep theirs."""
    scenario.do(Commit(session=OTHER))
    own = scenario.server.settings.binlog_format
    for value, session in ((_other_format(scenario), THIRD), (own, _LAST)):
        scenario.do(SetGlobal(variable="binlog_format", value=value, session=OTHER))
        for each in (OTHER, session):
            _insert_in_format(scenario, table, each)


def _sets_what_is_refused(scenario: LogQuestion, table: TableName) -> None:
    """Set in a transaction what can be set outside only: the format and GTID_NEXT stay as they are.

    So does the default database, where the new one does not exist.
    """
    scenario.do(Use(database=scenario.databases[0], session=OTHER))
    scenario.do(Insert(table=table, values=(0,), session=OTHER))
    scenario.do(Use(database=scenario.databases[1], session=OTHER))
    for value in BINLOG_FORMATS:
        scenario.do(SetSession(variable="binlog_format", value=value, session=OTHER))
    if scenario.server.rules.gtid_events in ("numbered", "always"):
        scenario.do(SetSession(variable="gtid_next", value=scenario.given_gtid(), session=OTHER))
    if scenario.server.rules.gtid_events == "always":
        settings = scenario.server.settings
        mode = GTID_MODES.index(settings.gtid_mode)
        for variable, value in (
            ("gtid_mode", GTID_MODES[mode - 1 if mode else 1]),
            ("binlog_checksum", "NONE" if settings.binlog_checksum == "CRC32" else "CRC32"),
            ("enforce_gtid_consistency", "OFF" if settings.enforce_gtid_consistency else "ON"),
        ):
            scenario.do(SetGlobal(variable=variable, value=value, session=OTHER))
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(Commit(session=OTHER))
    _insert_in_format(scenario, table, OTHER)


def _ends_in_another_format(scenario: LogQuestion, table: TableName) -> None:
    """End with a temporary table that was created in one format, in another one where the format could be set."""
    scenario.do(Commit(session=OTHER))
    for step in range(1, len(BINLOG_FORMATS)):
        scenario.create(engine="innodb", temporary=True, session=OTHER)
        scenario.do(SetSession(variable="binlog_format", value=_other_format(scenario, step), session=OTHER))
        _insert_in_format(scenario, table, OTHER)
        scenario.do(Disconnect(session=OTHER))


def _has_plain_temporary(scenario: LogQuestion, table: TableName) -> None:
    """Change a temporary table that cannot be rolled back: in a transaction it is safe, and unsafe ones come after."""
    scenario.do(Commit(session=OTHER))
    own = scenario.create(engine="myisam", temporary=True, session=OTHER)
    scenario.do(CreateTable(table=own, engine="myisam", temporary=True, if_not_exists=True, session=OTHER))
    scenario.do(Begin(session=OTHER))
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(Insert(table=own, values=(2,), session=OTHER))
    scenario.do(Commit(session=OTHER))
    _insert_in_format(scenario, table, OTHER)
    scenario.do(Insert(table=table, values=(3,), session=OTHER))
    scenario.do(DropTable(tables=(own,), temporary=True, session=OTHER))
    scenario.do(Insert(table=table, values=(4,), session=OTHER))


#: GTIDs that no other statement has.
_TWO_GIVEN: Final = ("12345678-1234-1234-1234-123456789abc:11", "12345678-1234-1234-1234-123456789abc:12")
#: One with a tag, which servers before 8.3 take for no GTID.
_WITH_TAG: Final = "12345678-1234-1234-1234-123456789abc:a_tag:10"


def _sets_gtid_again(scenario: LogQuestion, table: TableName) -> None:
    """Set GTID_NEXT to a GTID while it has another one, with a gtid_mode without GTIDs, or to one of later releases.

    The value stays.
    """
    scenario.do(Commit(session=OTHER))
    of_later = () if scenario.server.settings.profile in WITH_TAGGED_GTIDS else (_WITH_TAG,)
    for gtid in (*of_later, *_TWO_GIVEN):
        scenario.do(SetSession(variable="gtid_next", value=gtid, session=OTHER))
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(SetSession(variable="gtid_next", value="AUTOMATIC", session=OTHER))
    scenario.do(Insert(table=table, values=(2,), session=OTHER))


def _format_with_temporary(scenario: LogQuestion, table: TableName) -> None:
    """Set the format while it has a temporary table, which servers refuse: always, or on the way out of ROW."""
    scenario.do(Commit(session=OTHER))
    own = scenario.create(engine="innodb", temporary=True, session=OTHER)
    _insert_in_each_format(scenario, table)
    scenario.do(DropTable(tables=(own,), temporary=True, session=OTHER))
    scenario.do(SetSession(variable="binlog_format", value=_other_format(scenario), session=OTHER))
    _insert_in_format(scenario, table, OTHER)


def _keeps_to_rows(scenario: LogQuestion, table: TableName) -> None:
    """Log in rows in mode MIXED as long as one of its temporary tables is left, which servers of today do not.

    It comes from ROW to MIXED with a temporary table too, which servers before 8.0 let it do.
    """
    scenario.do(Commit(session=OTHER))
    scenario.do(SetSession(variable="binlog_format", value="MIXED", session=OTHER))
    first, second = (scenario.create(engine="innodb", temporary=True, session=OTHER) for _ in range(2))
    scenario.do(Begin(session=OTHER))
    scenario.do(Insert(table=table, computed="uuid", session=OTHER))
    scenario.do(Commit(session=OTHER))
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    for own in (first, second):
        scenario.do(DropTable(tables=(own,), temporary=True, session=OTHER))
        scenario.do(Insert(table=table, values=(2,), session=OTHER))
    scenario.do(SetSession(variable="binlog_format", value="ROW", session=OTHER))
    own = scenario.create(engine="innodb", temporary=True, session=OTHER)
    scenario.do(Insert(table=table, values=(3,), session=OTHER))
    scenario.do(SetSession(variable="binlog_format", value="MIXED", session=OTHER))
    scenario.do(Insert(table=table, values=(4,), session=OTHER))
    scenario.do(DropTable(tables=(own,), temporary=True, session=OTHER))
    scenario.do(Insert(table=table, values=(5,), session=OTHER))


def _flushes(scenario: LogQuestion, table: TableName) -> None:
    """Begin another log while both have open transactions, one perhaps with a given GTID, and delete the first log."""
    if scenario.server.settings.gtid_mode != "OFF":
        scenario.do(Commit(session=OTHER))
        scenario.do(SetSession(variable="gtid_next", value=scenario.given_gtid(), session=OTHER))
        scenario.do(Begin(session=OTHER))
    scenario.do(Insert(table=table, values=(1,), session=OTHER))
    scenario.do(FlushLogs(session=THIRD))
    if scenario.server.settings.profile in _PURGED_AT_ONCE:
        scenario.do(PurgeLogs(to=2, session=OTHER))
    scenario.do(Insert(table=table, values=(2,), session=OTHER))
    scenario.do(Commit(session=OTHER))


#: MariaDB keeps a log until it knows that its transactions are durable, which takes a while: 10.1.23, 10.2.11
#: and 10.11.18 did.
_PURGED_AT_ONCE: Final = Profiles("worklog", "mysql")
#: A fourth session.
_LAST: Final = 4
_WITH_OPTION: Final = "sets the option in a transaction"
_AGAIN: Final = "sets GTID_NEXT again"
_DOES: Final[Mapping[str, Callable[[LogQuestion, TableName], None]]] = {
    "commits": _commits,
    "rolls back": _rolls_back,
    "ends": _ends,
    "ends with a temporary table": _ends_with_temporary,
    "goes back to a savepoint": _goes_back,
    "ends after what cannot be undone": _ends_irrevocably,
    "loses its default database": _loses_default,
    "drops its default database": _drops_default,
    "hides a table": _hides_table,
    _WITH_OPTION: _sets_option,
    "has a temporary table of the same name": _same_name,
    "has a user variable": _variable,
    "logs in another format": _format,
    "sets the format globally": _global_format,
    "ends and comes back": _comes_back,
    "works on its temporary table": _works_on_temporary,
    "reads other tables": _reads_others,
    "commits by definitions": session_definitions.define_tables,
    "commits by databases": session_definitions.define_databases,
    "sets what is refused": _sets_what_is_refused,
    "creates a table that is there": session_definitions.create_again,
    "creates tables like a temporary one": session_definitions.create_alike,
    "fails to define": session_definitions.fail_to_define,
    "drops tables of several kinds": session_definitions.drop_together,
    "has a plain temporary table": _has_plain_temporary,
    _AGAIN: _sets_gtid_again,
    "sets the format with a temporary table": _format_with_temporary,
    "ends with a temporary table in another format": _ends_in_another_format,
    "creates temporary tables by queries": session_definitions.create_temporary,
    "goes on in the next log": _flushes,
    "ends, and comes back to another format": _comes_back_to_another_format,
    "keeps to rows for its temporary tables": _keeps_to_rows,
}
_OTHER_DOES: Final = Dimension(
    "the other session", dict(_DOES), profiles={_WITH_OPTION: WITH_ROWS_QUERIES, _AGAIN: NUMBERED}
)
_FIRST: Final = choices("the first session", ("is in a transaction", "is not"))
_THEN: Final = choices("then it", ("commits", "rolls back"), when={"the first session": ("is in a transaction",)})


@asking_family(focus="FORMAT-LOG-TRANSACTION-ENDS", dimensions=(*SETTINGS, _FIRST, _THEN, _OTHER_DOES))
def crossed_sessions(choose: Chooser, server: Server) -> Question:
    """Statements of several sessions in turn, each in its own transaction, database, format and variables."""
    scenario = LogQuestion(choose, settings_of(choose, server.profile))
    scenario.open(tables=0)
    own, other = (scenario.create(engine="innodb") for _ in range(2))
    is_inside = scenario.vary(_FIRST) == "is in a transaction"
    scenario.do(SetUserVariable(value=7))
    if is_inside:
        scenario.do(Begin())
    scenario.do(Insert(table=own, values=(5,)))
    if is_inside:
        scenario.do(Savepoint(name="s"))
    scenario.do(Begin(session=OTHER))
    scenario.vary(_OTHER_DOES)(scenario, other)
    scenario.do(Insert(table=own, computed="variable"))
    if is_inside:
        scenario.do(Commit() if scenario.vary(_THEN) == "commits" else Rollback())
    scenario.insert(own, rows=1)
    return scenario.question()
