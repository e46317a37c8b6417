"""The mutants of the role `log` of savepoints, and of what is a session's own."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.models.server.execution import run
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.scenario import Scenario
from conformance.models.server.session import ANONYMOUS, AUTOMATIC, UNDEFINED, SavepointPlace, Session
from conformance.models.server.settings import GTID_MODES
from conformance.models.server.statements import (
    REFUSED,
    AlterTable,
    Commit,
    Crash,
    Disconnect,
    DropDatabase,
    FlushLogs,
    InsertGtids,
    InsertSelect,
    Maintain,
    PurgeLogs,
    RenameTable,
    Rollback,
    RollbackTo,
    SetGlobal,
    SetSession,
    SetUserVariable,
    Statement,
)
from conformance.models.server.transactions import commit_open
from conformance.mutants.log.faults import (
    Answer,
    changed,
    is_query,
    other_rules,
    other_scenario,
    set_fields,
    units,
    without,
)
from conformance.mutants.log.gtid_faults import logged_by
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

#: Changes a server before or after a statement.
_Change = Callable[[SourceServer, Statement], None]


def _nothing(server: SourceServer, statement: Statement) -> None:
    pass


def _run_with(*, before: _Change = _nothing, after: _Change = _nothing) -> Answer:
    """Return the answer of a server that is changed before or after each statement."""

    def answer(request: Request) -> Observation:
        scenario: Scenario = scenario_of(request)
        server = SourceServer(scenario.settings)
        for index, each in enumerate(scenario.statements):
            before(server, each)
            run(server, index, each)
            after(server, each)
        return written(request, server.logs)

    return answer


def _begin_in_later_default(server: SourceServer, statement: Statement) -> None:
    """Forget the default database in which an open transaction began."""
    session = server.sessions.get(statement.session)
    if session is not None and session.transaction is not None:
        session.transaction.database = session.database


def _commit_at_purge(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, PurgeLogs):
        commit_open(server, server.session(statement.session))


def _set_once(scenario: Scenario) -> Scenario:
    """Return a scenario in which every SET GLOBAL of the option for the statement's text but the first is refused."""
    option = "binlog_rows_query_log_events"
    all_of_it = [each for each in scenario.statements if isinstance(each, SetGlobal) and each.variable == option]

    def refused(statement: Statement) -> Statement:
        again = any(statement is each for each in all_of_it[1:])
        return SetGlobal(variable=option, value=REFUSED[0], session=statement.session) if again else statement

    return replace(scenario, statements=tuple(map(refused, scenario.statements)))


def _unsigned(event: LoggedEvent) -> LoggedEvent:
    value = int.from_bytes(event.fields["variable_value"], "little", signed=True)
    return set_fields(variable_value=abs(value).to_bytes(8, "little"))(event)


def _has_value(log: PlannedLog, unit: Unit, event: LoggedEvent) -> bool:
    return "variable_value" in event.fields


def _drop_default(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, DropDatabase) and statement.database not in server.databases:
        for each in server.sessions.values():
            each.database = "" if each.database == statement.database else each.database


def _give_numbers_back(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, Rollback):
        for table in (each for tables in server.databases.values() for each in tables.values()):
            table.forget_number()


def _share_variable(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, SetUserVariable):
        for each in server.sessions.values():
            each.user_variable = statement.value


def _share_format(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, SetSession) and statement.variable == "binlog_format":
        for each in server.sessions.values():
            each.binlog_format = server.session(statement.session).binlog_format


def _sets_global_format(statement: Statement) -> bool:
    return isinstance(statement, SetGlobal) and statement.variable == "binlog_format"


def _set_format_of_all(server: SourceServer, statement: Statement) -> None:
    if _sets_global_format(statement):
        for each in server.sessions.values():
            each.binlog_format = server.settings.binlog_format


def _set_format_of_own(server: SourceServer, statement: Statement) -> None:
    if _sets_global_format(statement):
        server.session(statement.session).binlog_format = server.settings.binlog_format


def _keep_first_format(scenario: Scenario) -> Scenario:
    """Have a GTID_NEXT in the place of each global format: the number of statements stays."""
    statements = (
        SetSession(variable="gtid_next", value="AUTOMATIC", session=each.session) if _sets_global_format(each) else each
        for each in scenario.statements
    )
    return replace(scenario, statements=tuple(statements))


def _forget_savepoint(server: SourceServer, statement: Statement) -> None:
    transaction = server.session(statement.session).transaction
    if isinstance(statement, RollbackTo) and transaction is not None:
        transaction.savepoints = [each for each in transaction.savepoints if each.name != statement.name]


def _end_silently(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, Disconnect) and (transaction := server.session(statement.session).transaction):
        transaction.irrevocable = False


def _keep_own_default(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, DropDatabase) and statement.database not in server.databases:
        session = server.session(statement.session)
        session.database = session.database or statement.database


def _rotate_at_same_mode(server: SourceServer, statement: Statement) -> None:
    if (
        isinstance(statement, SetGlobal)
        and statement.variable == "gtid_mode"
        and server.settings.gtid_mode == statement.value
    ):
        server.rotate()


def _stand_beside(server: SourceServer, statement: Statement) -> None:
    """Take the mode beside the one that is set, so that it is a step away wherever the server was."""
    if isinstance(statement, SetGlobal) and statement.variable == "gtid_mode":
        step = GTID_MODES.index(statement.value) - GTID_MODES.index(server.settings.gtid_mode)
        if abs(step) > 1:
            beside = GTID_MODES[GTID_MODES.index(statement.value) - step // abs(step)]
            server.settings = replace(server.settings, gtid_mode=beside)


def _own_anonymous_again(server: SourceServer, statement: Statement) -> None:
    session = server.session(statement.session)
    if isinstance(statement, Rollback) and session.gtid_next == ANONYMOUS:
        session.owns_anonymous = True


def _late_mixed(request: Request) -> Observation:
    """Answer as a server on which SET SESSION binlog_format from ROW to MIXED holds one statement too late."""
    scenario: Scenario = scenario_of(request)
    server = SourceServer(scenario.settings)
    late: set[int] = set()
    for index, each in enumerate(scenario.statements):
        session = server.session(each.session)
        before = session.binlog_format
        if each.session in late:
            session.binlog_format = "ROW"
        run(server, index, each)
        if each.session in late:
            session.binlog_format = before
        late.discard(each.session)
        if isinstance(each, SetSession) and (before, session.binlog_format) == ("ROW", "MIXED"):
            late.add(each.session)
    return written(request, server.logs)


def _idle_commits_silent(request: Request) -> Observation:
    """Answer as a server whose COMMIT outside transactions gives a given GTID up without a transaction for it."""
    scenario: Scenario = scenario_of(request)
    server = SourceServer(scenario.settings)
    for index, each in enumerate(scenario.statements):
        session = server.session(each.session)
        if isinstance(each, Commit) and session.transaction is None:
            session.release()
        else:
            run(server, index, each)
    return written(request, server.logs)


class _AnonymousOnce(SourceServer):
    """A server that takes GTID_NEXT=ANONYMOUS for the first group of a CREATE TABLE ... SELECT alone."""

    def log_alone(self, session: Session, *logged: LoggedEvent) -> None:
        """Write the statement; what it goes on with has an automatic GTID."""
        super().log_alone(session, *logged)
        last = logged[-1]
        if last.generated and last.fields["query"].startswith(b"CREATE TABLE") and session.gtid_next == ANONYMOUS:
            session.gtid_next = AUTOMATIC


def _keep_at_crash(server: SourceServer, statement: Statement) -> None:
    """Forget the open transactions of all sessions but the first before a crash, so that they are not undone."""
    if isinstance(statement, Crash):
        for each in server.sessions.values():
            each.transaction = each.transaction if each.number == 1 else None


def _refuse_in_transaction(server: SourceServer, statement: Statement) -> None:
    """Keep the option as it was where it is set in a transaction."""
    session = server.session(statement.session)
    is_option = isinstance(statement, SetSession) and statement.variable == "binlog_rows_query_log_events"
    if is_option and session.transaction is not None:
        session.binlog_rows_query_log_events = not session.binlog_rows_query_log_events


def _while(types: tuple[type[Statement], ...], name: str, value: Any) -> Answer:
    """Return the answer of a server whose sessions have another value of an attribute while they run statements."""
    kept: dict[int, Any] = {}

    def hide(server: SourceServer, statement: Statement) -> None:
        if isinstance(statement, types):
            session = server.session(statement.session)
            kept[statement.session] = getattr(session, name)
            setattr(session, name, value)

    def show(server: SourceServer, statement: Statement) -> None:
        if isinstance(statement, types):
            setattr(server.session(statement.session), name, kept.pop(statement.session))

    return _run_with(before=hide, after=show)


def _keep_later_savepoints() -> Answer:
    kept: list[SavepointPlace] = []

    def note(server: SourceServer, statement: Statement) -> None:
        transaction = server.session(statement.session).transaction
        kept[:] = transaction.savepoints if isinstance(statement, RollbackTo) and transaction else []

    def restore(server: SourceServer, statement: Statement) -> None:
        transaction = server.session(statement.session).transaction
        if isinstance(statement, RollbackTo) and transaction is not None:
            transaction.savepoints = [*kept]

    return _run_with(before=note, after=restore)


def _executing_at_once() -> Answer:
    """Return the answer of a server that takes a given GTID as executed from the first statement on."""
    kept: dict[str, Any] = {}

    def execute(server: SourceServer, statement: Statement) -> None:
        session = server.session(statement.session)
        reads = isinstance(statement, InsertGtids) and session.transaction is not None and session.has_given_gtid
        if not reads or server.skips(session):
            return
        kept.update(executed=server.executed, gtid_next=session.gtid_next)
        server.executed = ExecutedGtids(server.executed.gtids())
        server.executed.add(*gtid_parts(session.gtid_next))
        # With its GTID the statement would be skipped as executed.
        session.gtid_next = AUTOMATIC

    def restore(server: SourceServer, statement: Statement) -> None:
        if kept:
            server.executed = kept.pop("executed")
            server.session(statement.session).gtid_next = kept.pop("gtid_next")

    return _run_with(before=execute, after=restore)


def _forget_given(server: SourceServer, statement: Statement) -> None:
    """Log nothing of a transaction without changes that has a given GTID."""
    session = server.session(statement.session)
    is_empty = session.transaction is not None and not session.transaction.events
    if isinstance(statement, Commit) and session.has_given_gtid and is_empty:
        session.gtid_next = UNDEFINED


def _go_on(server: SourceServer, statement: Statement) -> None:
    """Have automatic GTIDs after a given one that went with what was rolled back."""
    session = server.session(statement.session)
    if isinstance(statement, Rollback) and session.gtid_next == UNDEFINED:
        session.gtid_next = AUTOMATIC


def _commit_at_end(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, Disconnect):
        run(server, server.at or 0, Commit(session=statement.session))


def _first_of_name(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Leave out each SAVEPOINT of a transaction whose name it has already."""
    texts = [event.fields.get("query", b"") for event in unit.events]
    kept = [at for at, text in enumerate(texts) if not text.lower().startswith(b"savepoint") or text not in texts[:at]]
    yield replace(unit, events=tuple(unit.events[at] for at in kept))


def _not_dropped(request: Request) -> Observation:
    """Have the tables of a database after its DROP has failed, whatever was logged."""
    scenario: Scenario = scenario_of(request)
    server = SourceServer(scenario.settings)
    for index, each in enumerate(scenario.statements):
        tables = dict(server.databases.get(each.database, {})) if isinstance(each, DropDatabase) else {}
        run(server, index, each)
        if isinstance(each, DropDatabase) and each.database in server.databases:
            server.databases[each.database] = tables
    return written(request, server.logs)


LOG_SESSION_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-rename-keeps-transaction",
        "WL3303-LOG-AS-ROWS",
        "RENAME TABLE does not commit the open transaction",
        answer=_while((RenameTable,), "transaction", None),
        also=("WL3303-LOG-AS-STATEMENT",),
    ),
    Mutant(
        "logs-partial-drop-undone",
        "WL7592-LOG-DROPDB-PARTIAL",
        "the tables that a failed DROP DATABASE dropped are there again",
        answer=_not_dropped,
        also=("FORMAT-LOG-STATEMENT",),
    ),
    Mutant(
        "logs-given-gtid-executed-at-once",
        "WL7592-LOG-PURGED-KEPT",
        "GTID_EXECUTED has a given GTID before its transaction is committed",
        answer=_executing_at_once(),
    ),
    Mutant(
        "logs-default-of-others-dropped",
        "FORMAT-LOG-STATEMENT",
        "a database that is dropped is no longer the default of other sessions",
        answer=_run_with(after=_drop_default),
    ),
    Mutant(
        "logs-numbers-given-back",
        "FORMAT-LOG-FIELDS",
        "a rollback gives the numbers of AUTO_INCREMENT back",
        answer=_run_with(after=_give_numbers_back),
    ),
    Mutant(
        "logs-numbers-forgotten",
        "FORMAT-LOG-FIELDS",
        "a restart forgets the numbers of AUTO_INCREMENT that no row has, where servers keep them",
        answer=other_rules(numbers_kept=False),
    ),
    Mutant(
        "logs-numbers-kept",
        "FORMAT-LOG-FIELDS",
        "a restart keeps the numbers of AUTO_INCREMENT that no row has, where servers forget them",
        answer=other_rules(numbers_kept=True),
    ),
    Mutant(
        "logs-variable-shared",
        "FORMAT-LOG-FIELDS",
        "a user variable that one session sets is set in all",
        answer=_run_with(after=_share_variable),
    ),
    Mutant(
        "logs-format-shared",
        "WL3303-LOG-AS-ROWS",
        "the format that one session sets holds in all",
        answer=_run_with(after=_share_format),
        also=("WL3303-LOG-AS-STATEMENT",),
    ),
    Mutant(
        "logs-global-format-at-once",
        "WL3303-LOG-AS-ROWS",
        "a format that is set globally holds in all open sessions",
        answer=_run_with(after=_set_format_of_all),
        also=("WL3303-LOG-AS-STATEMENT",),
    ),
    Mutant(
        "logs-global-format-of-own",
        "WL3303-LOG-AS-ROWS",
        "a format that is set globally holds in the session that sets it",
        answer=_run_with(after=_set_format_of_own),
        also=("WL3303-LOG-AS-STATEMENT",),
    ),
    Mutant(
        "logs-global-format-kept",
        "WL3303-LOG-AS-ROWS",
        "a session begins with the format with which the server was started",
        answer=other_scenario(_keep_first_format),
        also=("WL3303-LOG-AS-STATEMENT",),
    ),
    Mutant(
        "logs-first-savepoint-of-name",
        "FORMAT-LOG-SAVEPOINTS",
        "a SAVEPOINT that is set again in a transaction is not written",
        answer=units(_first_of_name),
    ),
    Mutant(
        "logs-savepoint-used-once",
        "WL3303-LOG-AS-ROWS",
        "a savepoint is gone after the first ROLLBACK TO it",
        answer=_run_with(after=_forget_savepoint),
    ),
    Mutant(
        "logs-disconnect-silent",
        "FORMAT-LOG-EVENTS",
        "a session that ends in a transaction which cannot be undone logs nothing of it",
        answer=_run_with(before=_end_silently),
        also=("WL3303-LOG-AS-STATEMENT", "WL7592-LOG-OFF-NO-RESTRICTIONS"),
    ),
    Mutant(
        "logs-dropped-default-kept",
        "FORMAT-LOG-STATEMENT",
        "a session keeps the database that it has dropped as its default",
        answer=_run_with(after=_keep_own_default),
    ),
    Mutant(
        "logs-same-mode-rotates",
        "FORMAT-LOG-EVENTS",
        "the gtid_mode that is set again begins another log",
        answer=_run_with(before=_rotate_at_same_mode),
        also=("FORMAT-LOG-FIELDS", "WL3303-LOG-AS-ROWS"),
    ),
    Mutant(
        "logs-crash-commits",
        "WL3303-LOG-AS-ROWS",
        "a crash undoes the open transaction of the first session alone",
        answer=_run_with(before=_keep_at_crash),
    ),
    Mutant(
        "logs-option-kept-in-transaction",
        "WL4033-LOG-ROWS-QUERY-WRITTEN",
        "the option for the statement's text cannot be set in a transaction",
        answer=_run_with(after=_refuse_in_transaction),
        also=("FORMAT-LOG-EVENTS",),
    ),
    Mutant(
        "logs-definitions-commit-nothing",
        "WL3303-LOG-AS-ROWS",
        "FLUSH LOGS, ALTER TABLE and OPTIMIZE TABLE do not commit the open transaction",
        answer=_while((FlushLogs, AlterTable, Maintain), "transaction", None),
        also=("WL3303-LOG-AS-STATEMENT",),
    ),
    Mutant(
        "logs-hidden-table-read",
        "WL3303-LOG-AS-ROWS",
        "INSERT ... SELECT reads the table that a temporary one hides",
        answer=_while((InsertSelect,), "temporary", {}),
    ),
    Mutant(
        "logs-later-savepoints-kept",
        "WL3303-LOG-AS-ROWS",
        "ROLLBACK TO leaves the savepoints that were set after its own",
        answer=_keep_later_savepoints(),
    ),
    Mutant(
        "logs-empty-commit-silent",
        "FORMAT-LOG-EVENTS",
        "a COMMIT without changes logs nothing for a given GTID",
        answer=_run_with(before=_forget_given),
    ),
    Mutant(
        "logs-goes-on-after-rolled-back-gtid",
        "FORMAT-LOG-GTID-UNDEFINED",
        "a session whose given GTID was rolled back goes on with automatic ones",
        answer=_run_with(after=_go_on),
    ),
    Mutant(
        "logs-no-rollback-to",
        "FORMAT-LOG-SAVEPOINTS",
        "ROLLBACK TO is not written",
        answer=without(is_query(b"ROLLBACK TO")),
    ),
    Mutant(
        "logs-commit-at-disconnect",
        "FORMAT-LOG-EVENTS",
        "a session that ends commits its open transaction",
        answer=_run_with(before=_commit_at_end),
    ),
    Mutant(
        "logs-begin-in-later-default",
        "FORMAT-LOG-STATEMENT",
        "BEGIN has the default database that the session has at the end of the transaction",
        answer=_run_with(before=_begin_in_later_default),
    ),
    Mutant(
        "logs-mixed-one-statement-late",
        "WL3303-LOG-AS-STATEMENT",
        "a change of binlog_format from ROW to MIXED holds from the second statement on",
        answer=_late_mixed,
        also=("FORMAT-LOG-EVENTS",),
    ),
    Mutant(
        "logs-idle-commit-silent",
        "FORMAT-LOG-EVENTS",
        "a COMMIT outside transactions writes no empty transaction for a given GTID",
        answer=_idle_commits_silent,
    ),
    Mutant(
        "logs-rollback-keeps-anonymous",
        "WL7592-LOG-ON-GTID-FIRST",
        "after a ROLLBACK with GTID_NEXT=ANONYMOUS it cannot be set to anything else",
        answer=_run_with(after=_own_anonymous_again),
    ),
    Mutant(
        "logs-mode-in-two-steps",
        "FORMAT-LOG-EVENTS",
        "gtid_mode can be set to a mode that is two steps away",
        answer=_run_with(before=_stand_beside),
    ),
    Mutant(
        "logs-created-rows-automatic",
        "WL7592-LOG-OFF-ANON-FIRST",
        "with GTID_NEXT=ANONYMOUS, the rows of a CREATE TABLE ... SELECT have an automatic GTID",
        answer=logged_by(_AnonymousOnce),
    ),
    Mutant(
        "logs-purge-commits",
        "FORMAT-LOG-EVENTS",
        "PURGE BINARY LOGS commits the open transaction",
        answer=_run_with(before=_commit_at_purge),
    ),
    Mutant(
        "logs-first-global-kept",
        "WL4033-LOG-OPTION-NAME",
        "a global value of the option for the statement's text can be set only once",
        also=("WL4033-LOG-OPTION-SCOPE", "WL4033-LOG-ROWS-QUERY-PER-STATEMENT"),
        answer=other_scenario(_set_once),
    ),
    Mutant(
        "logs-user-variable-unsigned",
        "FORMAT-LOG-FIELDS",
        "a negative user variable is written without its sign",
        answer=changed(_has_value, _unsigned),
    ),
    Mutant(
        "logs-error-of-statement",
        "FORMAT-LOG-FIELDS",
        "every INSERT that is logged as a statement has the number of an error",
        answer=changed(is_query(b"INSERT"), set_fields(error_code=1051)),
    ),
)
