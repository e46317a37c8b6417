"""A fuzzing run: certification that continues until the time is up, and keeps the cases that reach something new."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.engine.certification import Certification
from conformance.engine.crew import Crew
from conformance.engine.events import FailureFound, FuzzingProgressed
from conformance.engine.failure import Counts, Failure, Sighting
from conformance.engine.patience import Patience
from conformance.engine.share import Terms
from conformance.engine.shrinking import Shrinker
from conformance.engine.workers import Workers
from conformance.fuzzing.guided import GuidedEngine, WorkerCrashed
from conformance.fuzzing.kept_cases import KeptCases
from conformance.fuzzing.rounds import Stop, discover_in_rounds
from conformance.oracles.causes import cause_of_trouble
from conformance.oracles.judge import Judges
from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Trouble
from conformance.specs.profiles import group_of
from conformance.specs.run_record import TROUBLE
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of


@dataclass(slots=True)
class Fuzzing(Certification):
    """One fuzzing run of one implementation.

    Args:
        seconds: How long it looks for failures; the time to shrink them comes on top.
        kept: The cases of the corpus.
        engine: The coverage-guided engine; None for rounds of the seeded chooser and of Hypothesis.
    """

    seconds: float = field(kw_only=True)
    kept: KeptCases = field(kw_only=True)
    engine: GuidedEngine | None = field(default=None, kw_only=True)
    _reached: int = field(default=0, init=False)
    _began: float = field(default_factory=time.monotonic, init=False)
    _notified: float = field(default=0.0, init=False)
    _fatal: list[Failure] = field(default_factory=list, init=False)
    _shrinker: Shrinker = field(init=False)

    @property
    def failures_so_far(self) -> list[tuple[str, str, str]]:
        """Signature, group of profiles and case id of each finding so far, not shrunk."""
        return sorted((*key, str(seen.shown_by[0].id)) for key, seen in self._sightings.items())

    @property
    def _sightings(self) -> dict[tuple[str, str], Sighting]:
        return self._discoveries.sightings

    def _discover(self, crew: Crew, terms: Terms, plan: Sequence[tuple[str, str, str]]) -> Patience:
        assert not isinstance(self.implementation, Workers), "fuzzing is one process"
        self._began = time.monotonic()
        self._shrinker = Shrinker(
            self.implementation,
            Judges(crew.declaration),
            terms.requirements,
            observe=self._discoveries.unused.observe,
            patience=Patience.of_run(self.limits, self.budget.seconds, roles=len({role for role, _, _ in plan})),
        )
        self._look(plan)
        return self._shrinker.patience

    def _look(self, plan: Sequence[tuple[str, str, str]]) -> None:
        try:
            if self.engine is not None:
                # It keeps inputs of its own, and a crash ends its process, not this one.
                self._run_guided(self.engine)
                return
            for role in dict.fromkeys(role for role, _, _ in plan):
                pairs = [(family, profile) for other, family, profile in plan if other == role]
                for case in self.kept.cases(role, pairs):
                    self._visit_and_keep(case)
            discover_in_rounds(plan, seed_value=self.seed, visit=self._visit_and_keep)
        except Stop:
            return

    def _visit(self, case: Case) -> None:
        self._discoveries.add(case, self._shrinker.verdicts(case))
        if self.budget.first_failure and self._discoveries.fails(self.baseline):
            raise Stop

    def _visit_and_keep(self, case: Case) -> None:
        failures = len(self._sightings)
        self._visit(case)
        reached = self.tally.reached_in_all()
        if len(self._sightings) > failures or reached > self._reached:
            self._reached = reached
            self.kept.keep(str(case.id))
        self._notify_progress(self.tally.cases)
        if time.monotonic() - self._began > self.seconds or (
            self._shrinker.patience.exhausted and self.tally.not_asked
        ):
            raise Stop

    def _run_guided(self, engine: GuidedEngine) -> None:
        left = self.seconds - (time.monotonic() - self._began)
        for message in engine.run(max(left, 1.0)):
            if isinstance(message, WorkerCrashed):
                crash = _crash(message.case)
                self._fatal.append(crash)
                self.tally.add(message.case, [crash.verdict])
            elif "case" in message:
                self.kept.keep(message["case"])
                if message["failures"]:
                    self._visit(case_of(CaseId.parse(message["case"])))
            elif "went_on" in message:
                reached = {name: (cells[0], cells[1]) for name, cells in message["reached"].items()}
                self._emit(
                    FuzzingProgressed(message["went_on"], time.monotonic() - self._began, len(self._sightings), reached)
                )
            else:
                self.tally.add_json(message["tally"])

    def _shrink(self, crew: Crew, terms: Terms, patience: Patience) -> list[Failure]:
        # A case that crashed the worker could crash this process too, so it is not asked again.
        for failure in self._fatal:
            self._emit(FailureFound(failure))
        return [*super(Fuzzing, self)._shrink(crew, terms, patience), *self._fatal]

    def _notify_progress(self, cases: int) -> None:
        seconds = time.monotonic() - self._began
        if seconds - self._notified > 1:
            self._notified = seconds
            self._emit(FuzzingProgressed(cases, seconds, len(self._sightings), self.tally.reached()))


def _crash(case: Case) -> Failure:
    trouble = Trouble("crash", "ended-the-process", "the process of the fuzzing engine ended at this case")
    cause = cause_of_trouble(case, trouble, TROUBLE)
    verdict = Verdict(TROUBLE, trouble.status, trouble.signature, trouble.detail, cause=cause)
    counts = Counts(cases=1, requirements={TROUBLE: 1}, profiles={case.id.profile: 1})
    return Failure(verdict, case, trouble, str(case.id), group_of(case.id.profile), counts)
