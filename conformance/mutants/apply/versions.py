"""The mutants of the role `apply`: streams of other versions (WL#7592)."""

from dataclasses import replace
from typing import Final

from conformance.models.replica.applier import Applier, ApplyOutcome
from conformance.models.replica.compatibility import Anonymous
from conformance.models.replica.event_kind import Kind
from conformance.models.replica.groups import State
from conformance.models.replica.own_log import OwnLog
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.models.replica.stop_reason import ApplierStopped, StopReason
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.mutants.apply.faulty_applier import of
from conformance.mutants.mutant import Mutant


class _RefusesGtidsOfNewer(Applier):
    def _opens_group(self, event: ReplicaEvent) -> bool:
        if self.settings.version in ("5.6.5", "5.7.4") and event.gtid != ANONYMOUS:
            raise ApplierStopped(StopReason.UNKNOWN_EVENT)
        return super()._opens_group(event)


class _RequiresGtidsInOldStreams(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.BEGIN and self._state is State.OUTSIDE and not self.settings.version:
            raise ApplierStopped(StopReason.GTID_MISSING)
        return super()._run(event, kind)


class _RefusesLongGtids(Applier):
    def _opens_group(self, event: ReplicaEvent) -> bool:
        if self.settings.version == "5.6.21" and event.gtid != ANONYMOUS:
            raise ApplierStopped(StopReason.UNKNOWN_EVENT)
        return super()._opens_group(event)


class _StopsAtAnonymous(Applier):
    def __init__(self, settings: ReplicaSettings) -> None:
        super().__init__(settings)
        if settings.version == "5.6.22":
            self._rules = replace(self._rules, anonymous=Anonymous.STOPS)


class _StopsAtUnflaggedAnonymous(_StopsAtAnonymous):
    def _opens_group(self, event: ReplicaEvent) -> bool:
        if event.gtid == ANONYMOUS and event.ignorable:
            return False
        return super()._opens_group(event)


class _AcceptsAnonymousTooEarly(Applier):
    #: The versions that should stop but do not.
    versions: tuple[str, ...] = ("5.6.5", "5.6.20", "5.6.21")

    def __init__(self, settings: ReplicaSettings) -> None:
        super().__init__(settings)
        if settings.version in self.versions:
            self._rules = replace(self._rules, anonymous=Anonymous.IGNORED)


class _AcceptsAnonymousInMilestones(_AcceptsAnonymousTooEarly):
    versions = ("5.7.1", "5.7.4", "5.7.5")


class _LogsAnonymousTooEarly(Applier):
    def _new_log(self) -> OwnLog:
        return OwnLog(replace(self._rules, anonymous=Anonymous.OPENS_GROUP))


APPLY_VERSIONS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-own-log-anonymous-too-early",
        "WL7592-APPLY-OWN-LOG-ANONYMOUS",
        "writes Anonymous_gtid events to its own log before 5.7.6",
        answer=of(_LogsAnonymousTooEarly),
    ),
    Mutant(
        "apply-newer-gtid-refused-by-milestones",
        "WL7592-APPLY-ON-56-57",
        "as 5.6.5 or 5.7.4, stops at the Gtid events of a newer source",
        answer=of(_RefusesGtidsOfNewer),
    ),
    Mutant(
        "apply-old-streams-refused",
        "WL7592-COMPAT-OLD-NEW",
        "requires a Gtid event before each BEGIN although gtid_mode is OFF",
        answer=of(_RequiresGtidsInOldStreams),
    ),
    Mutant(
        "apply-newer-gtid-refused",
        "WL7592-COMPAT-ON-5621",
        "as 5.6.21, stops at the Gtid events of a newer source",
        answer=of(_RefusesLongGtids),
    ),
    Mutant(
        "apply-anonymous-refused",
        "WL7592-COMPAT-OFF-5622",
        "as 5.6.22, stops at Anonymous_gtid events",
        answer=of(_StopsAtAnonymous),
    ),
    Mutant(
        "apply-unflagged-anonymous-refused",
        "WL7592-COMPAT-OFF-5622",
        "as 5.6.22, stops at Anonymous_gtid events without the ignorable flag",
        answer=of(_StopsAtUnflaggedAnonymous),
    ),
    Mutant(
        "apply-anonymous-accepted-by-5-6-21",
        "WL7592-COMPAT-OFF-5621",
        "as 5.6.21, ignores Anonymous_gtid events, where that version stops",
        answer=of(_AcceptsAnonymousTooEarly),
    ),
    Mutant(
        "apply-anonymous-accepted-by-5-7-5",
        "WL7592-COMPAT-OFF-575",
        "as 5.7.5, ignores Anonymous_gtid events, where that version stops",
        answer=of(_AcceptsAnonymousInMilestones),
    ),
)
