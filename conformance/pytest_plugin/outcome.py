"""The run whose results the suite's tests show: done once, for the requirements that were selected."""

import pickle
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.engine.baseline import Baseline
from conformance.engine.certification import Certification, Selection
from conformance.engine.events import RunFinished
from conformance.engine.process_pool import cores
from conformance.engine.record_lines import RecordLines, failure_line
from conformance.engine.run_lock import run_lock
from conformance.engine.workers import Workers
from conformance.implementations import registry
from conformance.implementations.process.limits import Limits
from conformance.oracles.registry import oracles
from conformance.pytest_plugin.failure_text import failure_text
from conformance.pytest_plugin.options import Values
from conformance.reports.outcome import trouble_text
from conformance.specs.catalogue import catalogue, matches
from conformance.specs.run_record import BESIDE_THE_CATALOGUE, NOT_ASKED, TROUBLE, WITHOUT_ANSWERS
from conformance.strategies.grammar.family import families

#: The outcome in a folder that the processes of one pytest run share.
_SHARED: Final = "outcome.pickle"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a run for each requirement.

    Attributes:
        spec: The implementation as the user named it.
        limits: Its limits.
        requirements: The glob that selects requirements.
        roles: The roles that were judged.
        finished: How the run ended.
    """

    spec: str
    limits: Limits
    requirements: str
    roles: frozenset[str]
    finished: RunFinished

    def failures_of(self, requirement: str) -> tuple[list[str], list[str]]:
        """Return the reasons of known failures, and the texts of unknown ones with the commands that replay them."""
        known, unknown = [], []
        for failure in self.finished.failures:
            if requirement not in map(self._test_of, failure.counts.requirements):
                continue
            if failure.known is not None:
                known.append(failure.known)
            else:
                unknown.append(failure_text(failure_line(failure, self.spec, limits=self.limits)))
        return known, unknown

    def _test_of(self, requirement: str) -> str:
        """Return whose test shows a failure: a crash may be charged to a requirement that is not selected."""
        if requirement in BESIDE_THE_CATALOGUE or matches(requirement, self.requirements):
            return requirement
        return TROUBLE

    def unexpected_passes_of(self, requirement: str) -> list[str]:
        """Return what to do about baseline entries that no longer fail."""
        return [
            f"{entry.finding!r} does not occur any more: remove it from the baseline\n{entry.lines()}"
            for entry in (*self.finished.unexpected_passes, *self.finished.stale)
            if requirement in entry.requirements
        ]

    def unanswered(self, requirement: str) -> str | None:
        """Return how many cases of a requirement crashed, with the finding; None if none did, or all are known.

        Cases that were not asked are never known: nobody has looked at them.
        """
        tally = self.finished.tally
        text = trouble_text(tally.statuses(requirement))
        if tally.statuses(requirement)[NOT_ASKED]:
            return f"{text}: {WITHOUT_ANSWERS}"
        new = {failure.finding for failure in self.finished.failures if failure.known is None}
        findings = [finding for finding in tally.obstacles.get(requirement, {}) if finding in new]
        return f"{text}; finding: {', '.join(findings)}" if text and findings else None

    def reason_not_judged(self, requirement: str) -> str | None:
        """Return the reason why a requirement was not judged, None if it passed."""
        if requirement in BESIDE_THE_CATALOGUE:
            return None
        role = catalogue()[requirement].role
        if role not in self.roles:
            return f"the role {role} was not judged: no case of it is selected"
        unanswered = trouble_text(self.finished.tally.statuses(requirement))
        if unanswered:
            return f"not judged in every case, by known failures: {unanswered}"
        verdict = self.finished.tally.verdict(requirement)
        if verdict == "blocked":
            (finding, cases), *_ = self.finished.tally.obstacles[requirement].most_common()
            return f"its events were not reached, in {cases} cases because of the finding: {finding}"
        return None if verdict == "pass" else {"not-reached": "no case exercised it"}.get(verdict, verdict)


def families_for(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the families whose cases are made for some requirements; none if every family may exercise one."""
    wanted: set[str] = set()
    for each in requirements:
        if each in BESIDE_THE_CATALOGUE or "*" in catalogue()[each].families:
            return ()
        if each in oracles():
            wanted.update(catalogue()[each].families)
            wanted.update(name for name, family in families().items() if each in family.focus.values())
    return tuple(name for name in families() if name in wanted)


def outcome_of(config: pytest.Config, values: Values, selected: Iterable[str], shared: Path | None) -> Outcome:
    """Return the outcome of a run for the selected requirements; the processes of one pytest run share it.

    Args:
        config: The configuration of the pytest run.
        values: The values of the options.
        selected: The ids of the requirements whose tests run.
        shared: The folder that the workers of xdist share, None without xdist.

    Raises:
        BaselineError: The baseline cannot be used.
        CannotStart: The implementation does not start.
        NothingToRun: No family exercises what is selected.
        ValueError: The implementation or a value is not valid.
        OSError: The folder for the reports cannot be written.
    """
    # With all requirements of a role, every family; a few, only theirs.
    names = tuple(values["family"]) or families_for(selected)
    if shared is None:
        return _run(values, names, values["jobs"] or cores())
    from filelock import FileLock

    path = shared / _SHARED
    with FileLock(shared / f"{_SHARED}.lock"):
        if path.exists():
            stored: Outcome = pickle.loads(path.read_bytes())
            return stored
        workers: Any = getattr(config, "workerinput", {})
        outcome = _run(values, names, values["jobs"] or workers.get("workercount", 1))
        path.write_bytes(pickle.dumps(outcome))
        return outcome


def _run(values: Values, names: tuple[str, ...], jobs: int) -> Outcome:
    spec, limits = values["implementation"], values.limits()
    baseline = Baseline() if values["baseline"] is None else Baseline.load(Path(values["baseline"]))
    selection = Selection(profiles=values["profile"], requirements=values.requirements, families=names)
    if registry.entry_of(spec)[0].alone:
        jobs = 1
    with ExitStack() as stack:
        listeners = [] if values["report"] is None else [_recorder(Path(values["report"]), stack)]
        workers = stack.enter_context(Workers(partial(registry.implementation, spec, limits=limits), jobs))
        roles = values["role"]
        finished = Certification(
            implementation=workers,
            spec=spec,
            selections=[replace(selection, role=role) for role in roles]
            or selection.in_every_role(workers.declaration),
            budget=values.budget(),
            seed=values["seed"],
            baseline=baseline,
            limits=limits,
            listeners=listeners,
        )
        judged = frozenset(each.role for each in finished.selections)
        return Outcome(spec, limits, selection.requirements, judged, finished.run())


@contextmanager
def _written(record: Path, folder: Path) -> Iterator[None]:
    """Write the reports of a record when it is complete."""
    from conformance.reports.folder import write_reports

    yield
    write_reports(record, folder)


def _recorder(folder: Path, stack: ExitStack) -> RecordLines:
    """Return the listener that writes the record into a folder; when the stack is closed, the reports are written."""
    from conformance.reports.record import RecordWriter

    stack.enter_context(run_lock(folder))
    path = folder / "run.jsonl"
    stack.enter_context(_written(path, folder))
    return RecordLines(stack.enter_context(RecordWriter(path)).append)
