"""From clusters to failures: the first case of each finding, shrunk on the driver, once for all later runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.corpus.case_source import CaseSource
from conformance.corpus.results import Cluster
from conformance.engine.baseline import Baseline
from conformance.engine.events import FailureFound, ShrinkingStarted
from conformance.engine.failure import ROUNDS_OF_MET, Failure, Sighting, add_met
from conformance.engine.shrinking import Shrinker, cost_of_shrinking, shown_again
from conformance.oracles.cause import Cause
from conformance.oracles.verdict import Verdict
from conformance.specs.run_record import FailureStatus
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import Choice
from conformance.strategies.grammar.family import case_of, recorded


@dataclass(frozen=True, slots=True)
class Clusters:
    """Turns clusters into failures.

    Attributes:
        shrinker: Asks the implementation, which must be started.
        source: The source of the cases.
        baseline: The known failures; they are not shrunk.
        shrunk: (signature, group of profiles) -> id of the case that an earlier run shrunk to.
        shrink: Whether other failures are shrunk.
        notify: Takes an event for each shrinking that starts, and for each failure.
    """

    shrinker: Shrinker
    source: CaseSource
    baseline: Baseline
    shrunk: Mapping[tuple[str, str], str]
    shrink: bool
    notify: Callable[[ShrinkingStarted | FailureFound], None]

    def failures(self, clusters: Sequence[Cluster]) -> list[Failure]:
        """Return a failure for each cluster, and for other trouble that the search for smaller cases met."""
        failures: list[Failure] = []
        met: dict[tuple[str, str], Sighting] = {}
        ordered = sorted(clusters, key=lambda each: cost_of_shrinking(each.first.status))
        for number, cluster in enumerate(ordered):
            failure = self._failure(cluster, failures, left=len(clusters) - number)
            failures.append(add_met(met, failure))
            self.notify(FailureFound(failures[-1]))
        done = {(each.first.signature, each.first.group) for each in clusters}
        for _ in range(ROUNDS_OF_MET):
            keys = sorted(met.keys() - done)
            done.update(keys)
            for key in keys:
                failures.append(add_met(met, self._of_met(*key, met[key])))
                self.notify(FailureFound(failures[-1]))
        return failures

    def _of_met(self, finding: str, group: str, seen: Sighting) -> Failure:
        case, verdict = seen.shown_by
        known = self.baseline.reason(finding, group, seen.requirements)
        choices = choices_of(case) if known is None else None
        return self.shrinker.failure(case, verdict, seen.counts, choices=choices, known=known)

    def _failure(self, cluster: Cluster, before: Sequence[Failure], *, left: int) -> Failure:
        first = cluster.first
        finding = Cause(first.signature)
        status: FailureStatus = first.status  # type: ignore[assignment]  # as it was written
        verdict = Verdict(first.requirement, status, "", first.message, cause=finding)
        known = self.baseline.reason(first.signature, first.group, cluster.counts.requirements)
        if known is None and self.shrink:
            again = self._earlier(cluster, verdict) or shown_again(
                self.shrinker.judge,
                self.shrinker.requirements,
                before,
                verdict,
                first_case=first.case,
                group=first.group,
                counts=cluster.counts,
            )
            if again is not None:
                return again
        case = self.source.case(first.number, first.case)
        choices = choices_of(case) if known is None and self.shrink else None
        if choices is not None:
            self.notify(ShrinkingStarted(first.signature, first.group, left=left))
        return self.shrinker.failure(case, verdict, cluster.counts, choices=choices, known=known)

    def _earlier(self, cluster: Cluster, verdict: Verdict) -> Failure | None:
        """Return the failure on the case that an earlier run shrunk to, None if that no longer shows it."""
        stored = self.shrunk.get((verdict.finding, cluster.first.group))
        if stored is None:
            return None
        try:
            case = case_of(CaseId.parse(stored))
        except ValueError:
            return None  # The choices are those of another version of the grammar.
        if not self.shrinker.still_fails(case, verdict.requirement, verdict.finding):
            return None
        failure = self.shrinker.failure(case, verdict, cluster.counts, choices=None)
        return replace(failure, first_case=cluster.first.case)


def choices_of(case: Case) -> Sequence[Choice] | None:
    """Return the choices that make a case, None if this kit makes another stream from its id."""
    try:
        again = recorded(case.id)
    except ValueError:
        return None
    return again.id.choices if again.stream == case.stream else None
