"""What a pair shows of its servers, once all that it did agrees with the models."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pair_plans import PairPlan
from pair_runs import PairRun

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.binlog.servers import server_of
from conformance.log_check.log_checker import LogChecker
from conformance.log_check.verdicts import Violation
from conformance.models.handshake.announcement import ANNOUNCEMENTS
from conformance.servers.products import SERVERS
from conformance.specs.catalogue import catalogue
from conformance.specs.versions import Profiles
from tests.witnesses import witnessed, witnessed_in_log

_READ_FAILURES: Final = (1594, 13121)
_SINCE_5_7: Final = Profiles("mysql >= 5.7")
_GTID_EVENTS: Final = frozenset({*GTID_TYPES, EventType.PREVIOUS_GTIDS})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a pair did, in the terms in which requirements speak of it.

    Attributes:
        plan: The servers and their options.
        run: What they did.
    """

    plan: PairPlan
    run: PairRun

    @property
    def source(self) -> str:
        """The source's release."""
        return SERVERS[self.plan.source]

    @property
    def replica(self) -> str:
        """The replica's release."""
        return SERVERS[self.plan.replica]

    def sent(self, *types: int) -> bool:
        """Return whether an event of one of these types was sent."""
        return any(code in types for code, _ in self.events())

    def events(self) -> list[tuple[int, bool]]:
        """Return the type of each event that was sent, and whether it has the ignorable flag."""
        headers = (HEADER.unpack(each[:HEADER_BYTES]) for each in self.run.connection.events)
        return [(code, bool(flags & Flag.IGNORABLE)) for _, code, _, _, _, flags in headers]

    def unknown(self) -> bool:
        """Return whether an event was sent that the replica does not know, and must not skip."""
        known = server_of(self.replica).rules.known
        return any(code not in known and not ignorable for code, ignorable in self.events())

    @property
    def applied(self) -> bool:
        """Whether everything was applied."""
        return self.run.applier[0] == 0

    @property
    def unreadable(self) -> bool:
        """Whether the applier stopped at an event that it cannot read."""
        return self.run.applier[0] in _READ_FAILURES


def _new_source(each: Evidence) -> bool:
    return each.source in _SINCE_5_7


def _understood(each: Evidence) -> bool:
    """Return whether the source sends its events as they are, from a position."""
    own = ANNOUNCEMENTS[each.source].capability
    return each.plan.position == "file" and own <= ANNOUNCEMENTS[each.replica].capability


#: Requirement on a replica -> whether a pair shows it.
_OF_REPLICAS: Final[dict[str, Callable[[Evidence], bool]]] = {
    "FORMAT-RELAY-EVENT": lambda each: True,
    "WL4033-RELAY-EVENTS-AS-USUAL": lambda each: True,
    "WL4033-RELAY-UNKNOWN-NOT-LOST": Evidence.unknown,
    "WL4033-RELAY-IGNORABLE-COPIED": lambda each: any(
        ignorable and code != EventType.PREVIOUS_GTIDS for code, ignorable in each.events()
    ),
    "FORMAT-RELAY-MARIADB-LEFT-OUT": lambda each: each.sent(*_GTID_EVENTS),
    "FORMAT-APPLY-DATA": lambda each: True,
    "WL4033-APPLY-UNKNOWN-REFUSED": lambda each: each.unreadable and each.unknown(),
    "WL4033-APPLY-CROSS-NEW-TO-OLD": lambda each: (
        each.unreadable and each.sent(EventType.ROWS_QUERY) and not each.sent(*_GTID_EVENTS)
    ),
    "WL7592-APPLY-NEW-55": lambda each: each.unreadable and each.sent(*_GTID_EVENTS),
    "WL7592-COMPAT-OLD-NEW": lambda each: (
        each.applied
        and each.plan.replica_mode == "OFF"
        and not each.sent(EventType.ANONYMOUS_GTID, EventType.PREVIOUS_GTIDS)
    ),
    "WL7592-APPLY-ON-56-57": lambda each: each.applied and _new_source(each) and each.plan.source_mode == "ON",
    "WL7592-COMPAT-OFF-5622": lambda each: each.applied and _new_source(each) and each.plan.source_mode == "OFF",
}
#: The same on a source.
_OF_SOURCES: Final[dict[str, Callable[[Evidence], bool]]] = {
    "FORMAT-SEND-EVENT": _understood,
    "FORMAT-SEND-ROTATE": _understood,
    "FORMAT-SEND-FORMAT": _understood,
    "FORMAT-SEND-POSITION": _understood,
    "FORMAT-SEND-ANNOTATE-ROWS": lambda each: _understood(each) and each.plan.texts,
    "WL7592-SEND-PREVIOUS-GTIDS": lambda each: _understood(each) and each.sent(EventType.PREVIOUS_GTIDS),
    "WL7592-SEND-ANONYMOUS-GTIDS": lambda each: _understood(each) and each.sent(EventType.ANONYMOUS_GTID),
    "WL4033-SEND-IGNORABLE": lambda each: _understood(each) and each.sent(EventType.ROWS_QUERY),
}


def witness_pair(plan: PairPlan, run: PairRun) -> None:
    """Record what a pair shows: a pair that agrees with the models in everything."""
    evidence = Evidence(plan, run)
    for table, server in ((_OF_REPLICAS, evidence.replica), (_OF_SOURCES, evidence.source)):
        for requirement, shows in table.items():
            if server in catalogue()[requirement].holds and shows(evidence):
                witnessed(server, requirement, kept=True)


def check_logs(logs: tuple[bytes, ...]) -> list[tuple[int, Violation]]:
    """Return what `check` finds in logs of a pair, each with the number of its log, and record what the logs show."""
    violations: list[tuple[int, Violation]] = []
    for number, log in enumerate(logs, 1):
        broken: list[Violation] = []
        checked = LogChecker(f"log {number}", report=broken.append).check(io.BytesIO(log))
        violations += ((number, each) for each in broken)
        assert checked.unreadable is None, checked.unreadable
        witnessed_in_log(checked)
    return violations
