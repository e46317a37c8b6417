"""The tally: what was exercised how often, with what verdicts."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from conformance.binlog.event_types import type_name
from conformance.oracles.judge import FAILURES, Status, Verdict
from strategies.case import Case


class Tally:
    """Counts of a run.

    Attributes:
        results: Verdicts by requirement, profile and status.
        families: Cases by family and profile.
        event_types: Expected events by type name and profile.
        cases: Cases in all.
        events: Expected events in all.
    """

    def __init__(self) -> None:
        self.results: dict[str, dict[str, Counter[Status]]] = defaultdict(lambda: defaultdict(Counter))
        self.families: dict[str, Counter[str]] = defaultdict(Counter)
        self.event_types: dict[str, Counter[str]] = defaultdict(Counter)
        self.cases = 0
        self.events = 0

    def add(self, case: Case, verdicts: Iterable[Verdict]) -> None:
        """Count one case and its verdicts."""
        profile = case.id.profile
        self.cases += 1
        self.events += len(case.expected.events)
        self.families[case.id.family][profile] += 1
        for event in case.expected.events:
            self.event_types[type_name(event["type"])][profile] += 1
        for verdict in verdicts:
            self.results[verdict.requirement][profile][verdict.status] += 1

    def verdict(self, requirement: str) -> str:
        """Return the verdict on a requirement over all profiles: the worst status that was met.

        ``not-reached`` where nothing was judged: that is no pass.
        """
        met: Counter[Status] = Counter()
        for statuses in self.results.get(requirement, {}).values():
            met.update(statuses)
        for status in (*FAILURES, "pass", "unsupported"):
            if met[status]:
                return status
        return "not-reached"
