"""The work of a Spark task: one implementation, started once, is judged on one shard of cases after another."""

import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

import pyarrow as pa

from conformance.corpus.counts import EVENTS, JUDGED, NOT_CLAIMED, TAKEN, Counts
from conformance.corpus.failing_cases import REQUIREMENT, SHARD
from conformance.corpus.judging import CaseJudge, KitErrors, NumberedCase, planned_cases
from conformance.corpus.plan import Plan
from conformance.corpus.result_batches import CANNOT_START, KIT_ERRORS, batch_of, batches_of, failing_row
from conformance.corpus.stored_case import batch_of_cases, cases_of_batch
from conformance.implementations import registry
from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import CannotStart
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judge
from conformance.protocol.observation import RoleDeclaration

#: The function that Spark's mapInArrow takes.
Work = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
#: Takes sums that the driver shows while a job runs.
Report = Callable[[Counter[str]], None]

#: Failing cases that a task holds before it writes them.
_HELD: Final = 5000
#: Attempts of a worker to start the implementation, which may be killed from outside while it starts.
_STARTS: Final = 2
#: The runs whose implementation did not start in this Python worker, and the reasons. Spark gives a worker the next
#: task before the driver knows how the last one ended: that task must not start it again.
_cannot_start: Final[dict[str, str]] = {}
#: In the sums for the driver: the prefix of the message of a worker that could not begin.
STOPPED: Final = "stopped: "
#: In the sums for the driver: the prefix of a requirement that failed.
FAILED: Final = "failed: "
#: In the sums for the driver: the prefix of a requirement that was judged.
REACHED: Final = "reached: "


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to judge.

    Attributes:
        spec: The implementation as the user named it.
        limits: Its limits.
        role: The role of the cases.
        declaration: What it declared for the role when the driver started it.
        requirements: A glob over requirement ids.
        window: How many questions may wait for an answer.
        asks: Whether anything is asked; not if too much time has passed without an answer in the run.
        run: Id of this run of the command; a resumed run has another one.
    """

    spec: str
    limits: Limits
    role: str
    declaration: RoleDeclaration
    requirements: str = "*"
    window: int = 16
    asks: bool = True
    run: str = field(default_factory=lambda: uuid4().hex)


@dataclass(frozen=True, slots=True)
class Stretch:
    """The case numbers of one wave, divided into tasks of the same size.

    Attributes:
        first: The first number.
        end: The number after the last.
        size: How many numbers one task has.
    """

    first: int
    end: int
    size: int

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return -(-(self.end - self.first) // self.size)

    def shards(self, task: int) -> Iterator[tuple[int, int]]:
        """Yield (first, end) of each shard of a task."""
        at = self.first + task * self.size
        end = min(at + self.size, self.end)
        while at < end:
            following = min((at // SHARD + 1) * SHARD, end)
            yield at, following
            at = following


def planned_work(job: Job, plan: Plan, stretch: Stretch, report: Report) -> Work:
    """Return the work on planned cases; each row of the input is the number of a task."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        def shards(kit_errors: KitErrors) -> Iterator[tuple[int, Iterable[NumberedCase]]]:
            for batch in batches:
                for task in batch.column(0).to_pylist():
                    for first, end in stretch.shards(task):
                        yield end - first, planned_cases(plan, first, end, kit_errors=kit_errors)

        yield from _judged(job, shards, report)
        _read_to_the_end(batches)

    return work


def stored_work(job: Job, report: Report) -> Work:
    """Return the work on stored cases; the input is a corpus that `generated_work` wrote."""
    claimed = job.declaration.profiles

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        skipped: Counter[str] = Counter()

        def shards(kit_errors: KitErrors) -> Iterator[tuple[int, Iterable[NumberedCase]]]:
            for batch in batches:
                cases = list(cases_of_batch(batch))
                wanted = [(number, case) for number, case in cases if case.id.profile in claimed]
                skipped[NOT_CLAIMED] += len(cases) - len(wanted)
                yield len(cases), wanted

        yield from _judged(job, shards, report, also=skipped)
        _read_to_the_end(batches)

    return work


def generated_work(plan: Plan, stretch: Stretch, report: Report) -> Work:
    """Return the work that makes cases and stores them; each row of the input is the number of a task."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                for first, end in stretch.shards(task):
                    # An error of the kit ends the task here, as a stored corpus has every case.
                    cases = [(number, plan.case(number)) for number in range(first, end)]
                    yield batch_of_cases(cases)
                    events = sum(len(case.expected.events) for _, case in cases)
                    report(Counter({TAKEN: len(cases), JUDGED: len(cases), EVENTS: events}))

    return work


def _judged(
    job: Job,
    shards: Callable[[KitErrors], Iterator[tuple[int, Iterable[NumberedCase]]]],
    report: Report,
    *,
    also: Counter[str] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the results of a task's shards."""
    implementation = registry.implementation(job.spec, limits=job.limits)
    error = _start(implementation, job.run)
    if error is not None:
        yield _stopped(error, report)
        return
    try:
        if implementation.declaration.roles.get(job.role) != job.declaration:
            yield _stopped("the implementation declares other fields, abilities or profiles than on the driver", report)
            return
        kit_errors = KitErrors()
        judge = CaseJudge(
            implementation, Judge(job.declaration), job.requirements, job.window, kit_errors, job.limits, job.asks
        )
        counts = Counts()
        for taken, cases in shards(kit_errors):
            judge.count(cases, counts)
            counts.totals[TAKEN] += taken
            if len(counts.failing.kept) >= _HELD:
                yield batch_of([failing_row(case) for case in counts.failing])
                counts.failing.kept.clear()
        counts.totals.update(also or {})
        yield from batches_of(counts)
        if kit_errors.entries:
            yield batch_of([(KIT_ERRORS, each, 1, None) for each in kit_errors.entries])
        report(_sums(counts))
    finally:
        implementation.stop()


def _read_to_the_end(batches: Iterator[pa.RecordBatch]) -> None:
    """Read what a task that cannot begin has left: Spark ends a Python worker with unread input."""
    for _ in batches:
        pass


def _start(implementation: Implementation, run: str) -> str | None:
    """Start an implementation; return the reason if it does not start, or did not before in this run."""
    if run not in _cannot_start:
        for _ in range(_STARTS):
            try:
                implementation.start()
                return None
            except CannotStart as error:
                reason = str(error)
        _cannot_start[run] = reason
    return _cannot_start[run]


def _sums(counts: Counts) -> Counter[str]:
    sums = Counter(counts.totals)
    for (requirement, _, status), number in counts.verdicts.items():
        if status != "unsupported":
            sums[REACHED + requirement] += number
    for (_, _, what, name), number in counts.failing.counts.items():
        if what == REQUIREMENT:
            sums[FAILED + name] += number
    return sums


def _stopped(message: str, report: Report) -> Any:
    host = socket.gethostname()
    report(Counter({f"{STOPPED}on {host}: {message}": 1}))
    return batch_of([(CANNOT_START, (host, message), 1, None)])
