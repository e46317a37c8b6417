"""The mutants of the role `apply`: groups without a change, partly undone, of two tables or in two phases."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.gtid_set import GtidSet
from conformance.models.replica.applier import Applier, ApplyOutcome
from conformance.models.replica.event_kind import OF_TRANSACTIONS, Kind
from conformance.models.replica.groups import State
from conformance.models.replica.own_log import OwnLog
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_tables import ReplicaTables
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.mutants.apply.faulty_applier import of
from conformance.mutants.mutant import Mutant

_CREATED: Final = re.compile(r"CREATE TABLE IF NOT EXISTS `(\w+)`")
_TEMPORARY: Final = re.compile(r"(CREATE|DROP) TEMPORARY\b")
_CHANGES: Final = OF_TRANSACTIONS - {Kind.BEGIN, Kind.COMMIT, Kind.PREPARES}


class _ForgetsEmpty(Applier):
    _has_changes = False

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._has_changes = kind in _CHANGES or (self._has_changes and kind is not Kind.GTID)
        return super()._run(event, kind)

    def _commit(self, event: ReplicaEvent) -> None:
        gtid = self._gtid
        if not self._has_changes:
            self._gtid = ANONYMOUS
        super()._commit(event)
        self._gtid = gtid


class _ClosesAtFormat(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.FORMAT and self._state is not State.OUTSIDE:
            self._state, self._gtid, self._executed_before = State.OUTSIDE, "", False
            self._tables.rollback()
        return super()._run(event, kind)


class _ForgetsUnknown(Applier):
    """Takes a group of unknown events alone for none."""

    _kinds: frozenset[Kind] = frozenset()

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._kinds = frozenset() if kind is Kind.BEGIN else self._kinds | {kind}
        return super()._take(event, kind)

    def _commit(self, event: ReplicaEvent) -> None:
        if self._kinds != {Kind.UNKNOWN, Kind.COMMIT}:
            super()._commit(event)


class _EndsAtPreviousGtids(Applier):
    """Takes a Previous_gtids event for the beginning of another log, where no group is open."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.PREVIOUS_GTIDS:
            self._state = State.OUTSIDE
        return super()._take(event, kind)


class _NeedsBegin(Applier):
    """Takes the last event of a statement without BEGIN, of rows or with a file, for one in the midst of a group."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        is_last = kind is Kind.LAST_ROWS or event.type == EventType.EXECUTE_LOAD_QUERY
        return super()._take(event, Kind.ROWS if is_last and self._state is not State.OPEN else kind)


class _EndsPreparedAlone(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        ends = event.query.startswith(("XA COMMIT", "XA ROLLBACK"))
        return super()._take(event, Kind.COMMIT if ends and self._gtid in ("", ANONYMOUS) else kind)


class _LastChangeLog(OwnLog):
    def add(self, event: ReplicaEvent, kind: Kind) -> None:
        if kind in _CHANGES:
            self.begin()
        super().add(event, kind)


class _LogsByLastChange(Applier):
    def _new_log(self) -> OwnLog:
        return _LastChangeLog(self._rules)


class _SkipsFirst(Applier):
    def _reaches_until(self, event: ReplicaEvent) -> bool:
        return not self._skip_counter and super()._reaches_until(event)


class _NeedsPosition(Applier):
    def _reaches_until(self, event: ReplicaEvent) -> bool:
        return bool(event.log_pos) and super()._reaches_until(event)


class _TakesReceived(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.PREVIOUS_GTIDS:
            self._executed.add_set(GtidSet.from_text(event.fields.get("previous_gtids", "")))
        return super()._take(event, kind)


class _BackEndsGroup(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        return super()._take(event, Kind.COMMIT if event.query.startswith("ROLLBACK TO") else kind)


class _EndsAtTemporary(Applier):
    """An applier for which a statement about temporary tables commits implicitly, and ends a group without a GTID."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        ends = _TEMPORARY.match(event.query) and self._state is State.OPEN
        return super()._take(event, Kind.COMMIT if ends else kind)


class _CommitsAtEngine(Applier):
    """An applier that knows the CREATE TABLE of an atomic CREATE TABLE ... SELECT only if it names no engine."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        names_engine = kind is Kind.ATOMIC_CREATE and not event.query.endswith("START TRANSACTION")
        return super()._take(event, Kind.DDL if names_engine else kind)


class _DropsAgain(Applier):
    """An applier that runs a DROP TABLE again although its GTID is executed."""

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        outcome = super()._run(event, kind)
        if outcome is ApplyOutcome.SKIPPED and event.query.startswith("DROP TABLE"):
            self._tables.execute(event)
            self._tables.commit()
        return outcome


class _LosesLastLine(ReplicaTables):
    """Tables without the last line of a file that no line break ends."""

    def execute(self, event: ReplicaEvent) -> None:
        if event.type == EventType.EXECUTE_LOAD_QUERY and event.fields:
            file_id = event.fields["file_id"]
            lines = self._files.get(file_id, "").splitlines(keepends=True)
            self._files[file_id] = "".join(each for each in lines if each.endswith("\n"))
        super().execute(event)


class _FirstOfId(ReplicaTables):
    """Tables of which the first one keeps its id."""

    def execute(self, event: ReplicaEvent) -> None:
        if event.type != EventType.TABLE_MAP or event.fields.get("table_id") not in self._maps:
            super().execute(event)


class _LastMapped(ReplicaTables):
    """Tables of which the last one that was named gets all rows, whatever their id."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        if event.type == EventType.TABLE_MAP and event.fields:
            name = self._maps[event.fields["table_id"]]
            self._maps = dict.fromkeys((*self._maps, event.fields["table_id"]), name)


class _FirstSavepoint(ReplicaTables):
    """Tables that keep the first savepoint of a name."""

    def execute(self, event: ReplicaEvent) -> None:
        if event.query.startswith("SAVEPOINT") and self._savepoints:
            return
        super().execute(event)


class _SavepointOnce(ReplicaTables):
    """Tables that forget a savepoint after the first ROLLBACK TO it."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        if event.query.startswith("ROLLBACK TO"):
            self._savepoints.clear()


class _OneInsertId(ReplicaTables):
    """Tables for which an INSERT_ID is the last id, too."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        if event.type == EventType.INTVAR and event.fields:
            self._last_insert_id = event.fields["intvar_value"]


class _OneDatabase(ReplicaTables):
    """Tables of which two with one name are one, whatever their databases."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(replace(event, fields={**event.fields, "database": "test"}) if event.fields else event)


class _NullIsZero(ReplicaTables):
    """Tables for which a variable that is NULL is 0."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        self._variables = {name: value or 0 for name, value in self._variables.items()}


class _KeepsOverNull(ReplicaTables):
    """Tables for which a variable that becomes NULL keeps its value."""

    def execute(self, event: ReplicaEvent) -> None:
        before = dict(self._variables)
        super().execute(event)
        unset = {name for name, value in self._variables.items() if value is None}
        self._variables |= {name: before[name] for name in unset & before.keys()}


class _OneVariable(ReplicaTables):
    """Tables for which all user variables are one."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        if event.type == EventType.USER_VAR and event.fields:
            self._variables = dict.fromkeys(self._variables, event.fields["variable_value"])


class _OneSavepoint(ReplicaTables):
    """Tables for which all savepoints are the last one."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        if event.query.startswith("SAVEPOINT"):
            self._savepoints = dict.fromkeys(self._savepoints, self._copy(self._rows))


class _KeepsRowsOfEvents(ReplicaTables):
    """Tables that go back to a savepoint but for the rows of rows events after it."""

    def _change_rows(self, fields: Mapping[str, Any]) -> None:
        now = self._rows
        for rows in (*self._savepoints.values(), now):
            self._rows = rows
            super()._change_rows(fields)


class _EmptiedByCreate(ReplicaTables):
    """Tables that CREATE TABLE IF NOT EXISTS empties."""

    def execute(self, event: ReplicaEvent) -> None:
        if match := _CREATED.match(event.query):
            self._rows.pop(f"test.{match[1]}", None)
        super().execute(event)


class _KeptByDrop(ReplicaTables):
    """Tables whose rows DROP TABLE leaves for the next table of the name."""

    def execute(self, event: ReplicaEvent) -> None:
        if not event.query.startswith("DROP TABLE"):
            super().execute(event)


def _with_tables(made: type[ReplicaTables]) -> type[Applier]:
    class _Applies(Applier):
        def _new_tables(self) -> ReplicaTables:
            return made()

    return _Applies


class _EndsAtStop(Applier):
    _kind = Kind.STOP

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is self._kind and self._state is not State.OUTSIDE:
            self._tables.rollback()
            self._state = State.OUTSIDE
        return super()._run(event, kind)


class _EndsAtRotate(_EndsAtStop):
    _kind = Kind.ROTATE


class _FollowsOwnRotates(Applier):
    def _advance(self, event: ReplicaEvent, kind: Kind) -> None:
        is_own = kind is Kind.ROTATE and event.server_id == self.settings.server_id
        super()._advance(replace(event, server_id=event.server_id + 1) if is_own else event, kind)


class _FollowsRotatesWithin(Applier):
    def _advance(self, event: ReplicaEvent, kind: Kind) -> None:
        super()._advance(event, kind)
        is_own = event.of_relay_log or event.server_id == self.settings.server_id
        if kind is Kind.ROTATE and self._state is not State.OUTSIDE and not is_own:
            self._source_log, self._source_log_pos = event.next_file, event.next_position


class _EndsAtUnknown(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        outcome = super()._take(event, kind)
        if outcome is ApplyOutcome.IGNORED and self._state is State.STATEMENT:
            self._state = State.OUTSIDE
        return outcome


class _KeepsTornRows(Applier):
    """An applier that keeps the rows of a group whose end never came, and commits them with the next one."""

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.GTID:
            self._state = State.OUTSIDE
        return super()._run(event, kind)


#: What else shows that a group ends elsewhere.
_OF_ENDS: Final = (
    "FORMAT-APPLY-POSITION",
    "FORMAT-APPLY-GTID",
    "WL7592-APPLY-OWN-LOG-ANONYMOUS",
    "WL7592-APPLY-OWN-LOG-GTID",
)
#: A mutant's name, its tables, and what it does.
_OF_TABLES: Final = (
    ("apply-database-of-table-ignored", _OneDatabase, "takes a table of another database for that of its name in test"),
    ("apply-null-variable-is-zero", _NullIsZero, "takes a user variable that is NULL for 0"),
    ("apply-null-keeps-value", _KeepsOverNull, "keeps the value of a user variable that becomes NULL"),
    ("apply-one-variable", _OneVariable, "gives all user variables the value of the last one"),
    ("apply-one-savepoint", _OneSavepoint, "goes back to the last savepoint, whatever its name"),
    ("apply-rows-stay-at-savepoint", _KeepsRowsOfEvents, "goes back to a savepoint but for rows events after it"),
    ("apply-create-empties", _EmptiedByCreate, "empties a table at CREATE TABLE IF NOT EXISTS"),
    ("apply-last-line-lost", _LosesLastLine, "loads no line of a file that ends without a line break"),
    ("apply-drop-keeps-rows", _KeptByDrop, "has the rows of a dropped table in the next one of its name"),
)
APPLY_ODD_GROUPS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-format-closes-group",
        "FORMAT-APPLY-POSITION",
        "takes a format description within a group for its end, as if the rest never came",
        answer=of(_ClosesAtFormat),
        also=("FORMAT-APPLY-GROUP", "FORMAT-APPLY-EXECUTED"),
    ),
    Mutant(
        "apply-unknown-group-forgotten",
        "FORMAT-APPLY-GROUP",
        "does not execute a group that has nothing but unknown events",
        answer=of(_ForgetsUnknown),
    ),
    Mutant(
        "apply-group-ends-at-previous-gtids",
        "FORMAT-APPLY-GROUP",
        "leaves a group at the Previous_gtids event of the relay log in which it goes on",
        answer=of(_EndsAtPreviousGtids),
    ),
    *(Mutant(name, "FORMAT-APPLY-DATA", what, answer=of(_with_tables(made))) for name, made, what in _OF_TABLES),
    Mutant(
        "apply-group-ends-at-temporary",
        "FORMAT-APPLY-GROUP",
        "ends a group at a CREATE or DROP TEMPORARY TABLE",
        answer=of(_EndsAtTemporary),
        also=_OF_ENDS,
    ),
    Mutant(
        "apply-rows-need-begin",
        "FORMAT-APPLY-GROUP",
        "waits for a COMMIT after rows, or after a loaded file, that have no BEGIN before them",
        answer=of(_NeedsBegin),
        also=_OF_ENDS,
    ),
    Mutant(
        "apply-engine-not-atomic",
        "FORMAT-APPLY-OUTCOME",
        "commits at a CREATE TABLE ... START TRANSACTION with an engine",
        answer=of(_CommitsAtEngine),
        also=("WL7592-APPLY-OWN-LOG-ANONYMOUS",),
    ),
    Mutant(
        "apply-drop-executed-again",
        "FORMAT-APPLY-DATA",
        "runs a DROP TABLE again although its GTID is executed",
        answer=of(_DropsAgain),
    ),
    Mutant(
        "apply-group-ends-at-stop",
        "FORMAT-APPLY-GROUP",
        "rolls back a group at the Stop event at the end of its relay log",
        answer=of(_EndsAtStop),
        also=_OF_ENDS,
    ),
    Mutant(
        "apply-group-ends-at-rotate",
        "FORMAT-APPLY-GROUP",
        "rolls back a group at the Rotate event at the end of its relay log",
        answer=of(_EndsAtRotate),
        also=_OF_ENDS,
    ),
    Mutant(
        "apply-own-rotate-followed",
        "FORMAT-APPLY-POSITION",
        "takes the Rotate event at the end of a relay log for one of the source",
        answer=of(_FollowsOwnRotates),
    ),
    Mutant(
        "apply-rotate-followed-in-group",
        "FORMAT-APPLY-POSITION",
        "takes the position of the source's Rotate event in the midst of a group, where a connection began",
        answer=of(_FollowsRotatesWithin),
    ),
    Mutant(
        "apply-unknown-ends-statement",
        "WL4033-APPLY-UNKNOWN-IGNORED",
        "ends a statement without BEGIN at an unknown event between it and its variable",
        answer=of(_EndsAtUnknown),
        also=("FORMAT-APPLY-POSITION", "FORMAT-APPLY-GROUP", "FORMAT-APPLY-GTID"),
    ),
    Mutant(
        "apply-empty-group-forgotten",
        "FORMAT-APPLY-GTID",
        "does not take the GTID of a group without changes as executed",
        answer=of(_ForgetsEmpty),
    ),
    Mutant(
        "apply-xa-commit-no-group",
        "WL7592-APPLY-OWN-LOG-ANONYMOUS",
        "takes the statement that commits a prepared XA transaction for the end of one without a change",
        answer=of(_EndsPreparedAlone),
    ),
    Mutant(
        "apply-rollback-to-ends-group",
        "FORMAT-APPLY-GROUP",
        "ends a group at a ROLLBACK TO SAVEPOINT",
        answer=of(_BackEndsGroup),
        also=("FORMAT-APPLY-POSITION", "FORMAT-APPLY-GTID", "WL7592-APPLY-OWN-LOG-ANONYMOUS"),
    ),
    Mutant(
        "apply-first-table-of-id",
        "FORMAT-APPLY-DATA",
        "keeps the first table of a table id",
        answer=of(_with_tables(_FirstOfId)),
    ),
    Mutant(
        "apply-first-savepoint-of-name",
        "FORMAT-APPLY-DATA",
        "goes back to the first savepoint of a name that is set again",
        answer=of(_with_tables(_FirstSavepoint)),
    ),
    Mutant(
        "apply-savepoint-used-once",
        "FORMAT-APPLY-DATA",
        "does not go back to a savepoint a second time",
        answer=of(_with_tables(_SavepointOnce)),
    ),
    Mutant(
        "apply-insert-id-is-last",
        "FORMAT-APPLY-DATA",
        "takes an INSERT_ID for the value of LAST_INSERT_ID()",
        answer=of(_with_tables(_OneInsertId)),
    ),
    Mutant(
        "apply-torn-rows-kept",
        "FORMAT-APPLY-DATA",
        "commits the rows of a group whose end never came with the next group",
        answer=of(_KeepsTornRows),
    ),
    Mutant(
        "apply-last-table-mapped",
        "FORMAT-APPLY-DATA",
        "changes the table of the last Table_map event, whatever the id in the rows event",
        answer=of(_with_tables(_LastMapped)),
    ),
    Mutant(
        "apply-until-not-while-skipping",
        "FORMAT-APPLY-UNTIL",
        "does not look for the stop position as long as the skip counter is not 0",
        answer=of(_SkipsFirst),
        also=("WL7592-APPLY-SKIP-NOT-MID-GROUP",),
    ),
    Mutant(
        "apply-until-needs-position",
        "FORMAT-APPLY-UNTIL",
        "does not stop before an event without a position, although the last group ends at the stop position",
        answer=of(_NeedsPosition),
        also=("WL7592-APPLY-SKIP-NOT-MID-GROUP",),
    ),
    Mutant(
        "apply-own-log-by-last-change",
        "WL7592-APPLY-OWN-LOG-ANONYMOUS",
        "does not log a group whose last statement is about a temporary table",
        answer=of(_LogsByLastChange),
    ),
    Mutant(
        "apply-received-is-executed",
        "FORMAT-APPLY-EXECUTED",
        "takes the GTIDs in a Previous_gtids event as executed",
        answer=of(_TakesReceived),
        also=("WL4033-APPLY-KNOWN-HANDLED",),
    ),
)
