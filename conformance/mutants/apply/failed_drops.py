"""The mutants of the role `apply`: a DROP DATABASE that fails (WL#7592)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.executed_gtids import gtid_parts
from conformance.models.replica.applier import Applier
from conformance.models.replica.failed_drop import CANNOT_REMOVE_DIRECTORY, drop_statements
from conformance.models.replica.groups import State
from conformance.models.replica.own_log import LoggedGroup
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.stop_reason import ApplierStopped, StopReason
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.mutants.apply.faulty_applier import of
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.apply import answer_with


class _LogsNoSingleDrop(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.DIRECTORY_REMAINS_ONE_DROP:
                stopped.logged = ()
            raise


class _KnowsNoSchemas(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        if "SCHEMA" not in event.query:
            super()._fail_drop(event)


class _DropsEmptyDatabases(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        if any(self.settings.leftovers.values()):
            super()._fail_drop(event)


class _KnowsFirstLeftovers(Applier):
    """Knows one database of which something remains, the first."""

    def _fail_drop(self, event: ReplicaEvent) -> None:
        if next(iter(self.settings.leftovers), "") in event.query:
            super()._fail_drop(event)


class _FailsByPrefix(Applier):
    """Takes a database for one with leftovers whose name begins with its name."""

    def _fail_drop(self, event: ReplicaEvent) -> None:
        query = event.query
        for name in self.settings.leftovers:
            query = query.replace(f"`{name[:-1]}`", f"`{name}`")
        super()._fail_drop(replace(event, query=query))


class _FillsBuffer(Applier):
    def _drop_statements(self, tables: Sequence[str]) -> Iterable[str]:
        return drop_statements(tables, limit=1025)


class _CountsCharacters(Applier):
    def _drop_statements(self, tables: Sequence[str]) -> Iterable[str]:
        return drop_statements([each.encode("ascii", "replace").decode() for each in tables])


class _LogsUnnamedWithoutGtids(Applier):
    """Logs the DROPs of a statement that no Gtid event precedes as the source did, without one."""

    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            if self._state is State.OUTSIDE:
                stopped.logged = tuple(replace(each, gtid="") for each in stopped.logged)
            raise


class _LogsDropsTogether(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            first, *rest = stopped.logged or (LoggedGroup("", ""),)
            together = tuple(LoggedGroup("", each.statement) for each in rest)
            stopped.logged = (first, *together) if stopped.logged else ()
            raise


class _LogsDropsWithGtid(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.PARTIAL_DROP:
                stopped.logged = (LoggedGroup(self._gtid, "DROP TABLE"), LoggedGroup(self._gtid, "DROP TABLE"))
            raise


class _LogsInPermissiveModes(Applier):
    """With a GTID, too, logs every DROP of a failed DROP DATABASE, without GTIDs, unless gtid_mode is ON."""

    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.PARTIAL_DROP and self.settings.gtid_mode != "ON":
                drops = (LoggedGroup(ANONYMOUS, "DROP TABLE"), LoggedGroup(ANONYMOUS, "DROP TABLE"))
                raise ApplierStopped(StopReason.DIRECTORY_REMAINS, logged=drops) from stopped
            raise


class _FailedDropUsesGtid(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.PARTIAL_DROP:
                self._executed.add(*gtid_parts(self._gtid))
            raise


def _at_drops(**changed: Any) -> Callable[[Request], Observation]:
    """Return the answer with another error for a DROP DATABASE that cannot be logged."""

    def answer(request: Request) -> Observation:
        observed = answer_with(Applier, request)
        error = observed.error
        if error is None or StopReason.PARTIAL_DROP.value in error.message or "leftovers" not in request.settings:
            return observed
        return replace(observed, error=replace(error, **changed))

    return answer


_ALSO: Final = (
    "WL7592-APPLY-DROPDB-ERROR-CODE",
    "WL7592-APPLY-DROPDB-ERROR-TEXT",
    "WL7592-APPLY-DROPDB-GTID-UNUSED",
    "WL7592-APPLY-DROPDB-ONE-WITH-GTID",
    "WL7592-APPLY-DROPDB-OFF-ANON-EACH",
)
APPLY_FAILED_DROPS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-drop-without-gtid-as-the-source",
        "WL7592-APPLY-DROPDB-OFF-ANON-EACH",
        "logs a failed DROP DATABASE that no Gtid event precedes without Anonymous_gtid events",
        answer=of(_LogsUnnamedWithoutGtids),
    ),
    Mutant(
        "apply-drop-fills-buffer",
        "WL7592-APPLY-DROPDB-ON-ERROR",
        "names as many tables in one DROP as leave no byte of the buffer free",
        answer=of(_FillsBuffer),
        also=_ALSO,
    ),
    Mutant(
        "apply-drop-counts-characters",
        "WL7592-APPLY-DROPDB-ON-ERROR",
        "counts the characters of the names of dropped tables, not their bytes",
        answer=of(_CountsCharacters),
        also=_ALSO,
    ),
    Mutant(
        "apply-drop-schema-unknown",
        "WL7592-APPLY-DROPDB-OFF-ANON-EACH",
        "does not take DROP SCHEMA for DROP DATABASE",
        answer=of(_KnowsNoSchemas),
        also=(
            "WL7592-APPLY-DROPDB-ON-ERROR",
            "WL7592-APPLY-DROPDB-ERROR-CODE",
            "WL7592-APPLY-DROPDB-ERROR-TEXT",
            "WL7592-APPLY-DROPDB-GTID-UNUSED",
            "WL7592-APPLY-DROPDB-ONE-WITH-GTID",
        ),
    ),
    Mutant(
        "apply-empty-database-dropped",
        "WL7592-APPLY-DROPDB-OFF-ANON-EACH",
        "drops a database without tables although a file remains in its directory",
        answer=of(_DropsEmptyDatabases),
        also=(
            "WL7592-APPLY-DROPDB-ON-ERROR",
            "WL7592-APPLY-DROPDB-ERROR-CODE",
            "WL7592-APPLY-DROPDB-ERROR-TEXT",
            "WL7592-APPLY-DROPDB-GTID-UNUSED",
        ),
    ),
    Mutant(
        "apply-drop-fails-for-first",
        "WL7592-APPLY-DROPDB-OFF-ANON-EACH",
        "fails to drop one database with a file in its directory, the first of those that have one",
        answer=of(_KnowsFirstLeftovers),
    ),
    Mutant(
        "apply-drop-fails-by-prefix",
        "FORMAT-APPLY-OUTCOME",
        "fails to drop a database whose name begins the name of one with a file in its directory",
        answer=of(_FailsByPrefix),
        also=("WL7592-APPLY-OFF-GTID-NOT-MISSED",),
    ),
    Mutant(
        "apply-drops-share-anonymous-gtid",
        "WL7592-APPLY-DROPDB-OFF-ANON-EACH",
        "logs the DROP statements of a failed DROP DATABASE after one Anonymous_gtid event",
        answer=of(_LogsDropsTogether),
    ),
    Mutant(
        "apply-drops-share-gtid",
        "WL7592-APPLY-DROPDB-ON-ERROR",
        "logs the DROP statements of a failed DROP DATABASE, each with the same GTID",
        answer=of(_LogsDropsWithGtid),
    ),
    Mutant(
        "apply-drops-in-permissive-modes",
        "WL7592-APPLY-DROPDB-ON-ERROR",
        "in the permissive modes logs the DROP statements of a failed DROP DATABASE that has a GTID without one",
        answer=of(_LogsInPermissiveModes),
        also=_ALSO,
    ),
    Mutant(
        "apply-drop-error-number",
        "WL7592-APPLY-DROPDB-ERROR-CODE",
        "reports the error of the directory, not that of the log",
        answer=_at_drops(code=CANNOT_REMOVE_DIRECTORY),
    ),
    Mutant(
        "apply-drop-error-text",
        "WL7592-APPLY-DROPDB-ERROR-TEXT",
        "reports only that DROP DATABASE failed, not why",
        answer=_at_drops(message="DROP DATABASE failed on slave"),
    ),
    Mutant(
        "apply-failed-drop-uses-gtid",
        "WL7592-APPLY-DROPDB-GTID-UNUSED",
        "counts the GTID of a failed DROP DATABASE as executed",
        answer=of(_FailedDropUsesGtid),
    ),
    Mutant(
        "apply-single-drop-not-logged",
        "WL7592-APPLY-DROPDB-ONE-WITH-GTID",
        "logs nothing of a failed DROP DATABASE with a GTID, though one DROP names all tables",
        answer=of(_LogsNoSingleDrop),
    ),
)
