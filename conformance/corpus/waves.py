"""Waves: Spark jobs in the order of their cases, each verified before it is committed.

The first tasks of a wave already run while the last ones of the previous wave end: no core waits for another.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final, Protocol

from py4j.protocol import Py4JError
from pyspark import Accumulator, AccumulatorParam
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from conformance.corpus.counts import ANSWERED, EVENTS, JUDGED, NOT_CLAIMED, TAKEN, TOTALS, TROUBLED, UNASKED
from conformance.corpus.output import Output, Wave
from conformance.corpus.pace import Pace
from conformance.corpus.repetition import repeated
from conformance.corpus.result_batches import CANNOT_START, KIT_ERRORS, ROWS_DDL
from conformance.corpus.session import reason
from conformance.corpus.worker import FAILED, REACHED, STOPPED, Report, Stretch
from conformance.implementations.process.process_implementation import CannotStart

#: The exceptions of Spark; a connection is refused if its Java process is gone.
_SPARK_ERRORS: Final = (PySparkException, Py4JError, ConnectionError)
#: Waves that run at once.
_AT_ONCE: Final = 2
#: Spark's scheduling pool of the waves, in which earlier ones come first. The jobs that verify a wave are in another
#: pool, so that they need not wait for the next wave.
_POOL: Final = "waves"
#: Seconds between two looks at running jobs.
_LOOK: Final = 0.5


class WaveFailed(Exception):
    """Spark gave up on a wave, or cases of it are missing; the waves before it are committed."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far a run is.

    Attributes:
        cases: Cases done.
        goal: Cases to be done, None if that depends on time.
        events: Expected events in them.
        rate: Events in a second, since this process began.
        failures: Requirement -> failing cases, of this process.
        reached: How many requirements were judged by this process.
        stage: What is being done.
    """

    cases: int
    goal: int | None
    events: int
    rate: float
    failures: Counter[str]
    reached: int
    stage: str


class Watch(Protocol):
    """Takes snapshots of how far a run is."""

    def __call__(self, snapshot: Snapshot) -> None:
        """Take a snapshot."""


class _Sums(AccumulatorParam[Counter[str]]):
    """Adds up what tasks report while a job runs; only for display, as a retried task reports again."""

    def zero(self, value: Counter[str]) -> Counter[str]:
        return Counter()

    def addInPlace(self, value1: Counter[str], value2: Counter[str]) -> Counter[str]:  # noqa: N802
        value1.update(value2)
        return value1


@dataclass(frozen=True, slots=True)
class Verified:
    """The totals of the results of a stretch; see `Wave`."""

    cases: int
    events: int
    hangs: int = 0
    answered: int = 0
    unasked: int = 0


#: From a finished job's folder to its totals, or an error.
Verify = Callable[[Stretch], Verified]


@dataclass(frozen=True, slots=True)
class _RunningWave:
    """A wave that Spark is working on.

    Attributes:
        stretch: Its cases.
        is_asked: Whether they are asked.
        reported: The sums that its tasks reported so far.
        job: Ends when its results are written, or holds the error.
    """

    stretch: Stretch
    is_asked: bool
    reported: Accumulator[Counter[str]]
    job: Future[None]

    @property
    def group(self) -> str:
        """Spark's job group."""
        return _group(self.stretch)

    @property
    def sums(self) -> Counter[str]:
        """The sums that its tasks reported so far; they continue to grow."""
        return Counter(self.reported.value)


class Waves:
    """Runs waves until there are no more.

    Args:
        spark: The session.
        output: The run's folder.
        next_stretch: Returns the stretch from a case on, given the committed waves; None at the end, and if further
            waves have to be committed first.
        frame: Returns the results of a stretch, not yet computed, given whether its cases are asked.
        verify: Reads the results of a stretch, and returns their totals.
        goal: Returns how many cases there will be.
        pace: Records how long each wave took.
        watch: Takes snapshots of how far the run is.
        is_asked: Returns whether the cases of a wave are asked, given the committed waves and its first case; a running
            wave for which that changes is begun again.
    """

    def __init__(
        self,
        spark: SparkSession,
        output: Output,
        *,
        next_stretch: Callable[[Sequence[Wave], int], Stretch | None],
        frame: Callable[[Stretch, bool, Report], DataFrame],
        verify: Verify,
        goal: Callable[[Sequence[Wave]], int | None],
        pace: Pace,
        watch: Watch,
        is_asked: Callable[[Sequence[Wave], int], bool],
    ) -> None:
        self._spark = spark
        self._output = output
        self._next_stretch = next_stretch
        self._frame = frame
        self._verify = verify
        self._goal = goal
        self._pace = pace
        self._watch = watch
        self._is_asked = is_asked
        self._done: list[Wave] = []
        self._running: deque[_RunningWave] = deque()
        self._failures: Counter[str] = Counter()
        self._reached: Counter[str] = Counter()
        self._began = self._committed = time.monotonic()
        self._events = 0

    def run(self) -> list[Wave]:
        """Run the remaining waves, and return all committed ones.

        Raises:
            CannotStart: The implementation does not start on a worker.
            WaveFailed: A wave cannot be finished.
            StorageError: The folder cannot be reached.
        """
        self._output.discard_uncommitted()
        self._done = self._output.committed()
        self._began = self._committed = time.monotonic()
        with ThreadPoolExecutor(_AT_ONCE, "wave") as threads, repeated(self._look, seconds=_LOOK, name="progress"):
            try:
                while self._begin(threads):
                    self._finish(self._running[0])
                    self._running.popleft()
                    self._drop_outdated()
            except BaseException:
                self._cancel()
                raise
        return self._done

    def _begin(self, threads: ThreadPoolExecutor) -> bool:
        """Begin as many waves as may run at once, and return whether any is running."""
        while len(self._running) < _AT_ONCE and not _stopped(self._sums()):
            before = self._running[-1].stretch if self._running else self._done[-1] if self._done else None
            stretch = self._next_stretch(self._done, before.end if before else 0)
            if stretch is None:
                break
            reported = self._spark.sparkContext.accumulator(Counter[str](), _Sums())
            is_asked = self._is_asked(self._done, stretch.first)
            job = threads.submit(self._compute, stretch, is_asked, reported.add)
            self._running.append(_RunningWave(stretch, is_asked, reported, job))
        return bool(self._running)

    def _drop_outdated(self) -> None:
        """Cancel the running waves if they were begun before it was known whether their cases are asked."""
        if any(wave.is_asked != self._is_asked(self._done, wave.stretch.first) for wave in self._running):
            self._cancel()
            for wave in self._running:
                self._output.discard(wave.stretch.first, wave.stretch.end)
            self._running.clear()

    def _compute(self, stretch: Stretch, is_asked: bool, report: Report) -> None:
        context = self._spark.sparkContext
        context.setJobGroup(_group(stretch), f"{_group(stretch)}: generate, ask, judge", interruptOnCancel=True)
        context.setLocalProperty("spark.scheduler.pool", _POOL)
        frame = self._frame(stretch, is_asked, report)
        frame.write.mode("overwrite").parquet(self._output.wave_uri(stretch.first, stretch.end))

    def _finish(self, wave: _RunningWave) -> None:
        """Wait for a wave, verify it and commit it."""
        stretch = wave.stretch
        error = wave.job.exception()
        # A worker of the next wave may have been the first that could not begin, so that all waves were cancelled.
        stopped = _stopped(self._sums())
        if stopped and error is not None:
            raise CannotStart(stopped) from error
        if isinstance(error, _SPARK_ERRORS):
            raise WaveFailed(f"{wave.group}: {reason(error)}") from error
        if error is not None:
            raise error
        self._spark.sparkContext.setJobGroup(f"{wave.group}, verified", f"{wave.group}: verify", interruptOnCancel=True)
        totals = self._verify(stretch)
        if totals.cases != stretch.end - stretch.first:
            self._output.discard(stretch.first, stretch.end)
            where = "" if totals.cases else f": do all workers reach {self._output.storage.uri}?"
            raise WaveFailed(f"cases {stretch.first} to {stretch.end - 1}: {totals.cases} were returned{where}")
        seconds = time.monotonic() - self._committed
        self._committed += seconds
        committed = Wave(stretch.first, stretch.end, seconds=round(seconds, 3), **asdict(totals))
        self._output.commit(committed)
        self._pace.done(totals.cases, seconds)
        self._events += totals.events
        self._failures += _of(FAILED, wave.sums)
        self._reached += _of(REACHED, wave.sums)
        self._done.append(committed)

    def _sums(self, first: int = 0) -> Counter[str]:
        """Return the sums that the running waves from a case on reported so far."""
        return sum((wave.sums for wave in tuple(self._running) if wave.stretch.first >= first), Counter())

    def _cancel(self) -> None:
        """Cancel the running waves, and wait until they end: nobody will read their results."""
        jobs = [wave.job for wave in self._running]
        # A job that is about to be submitted cannot be cancelled yet, so this is repeated.
        while futures.wait(jobs, timeout=0).not_done:
            self._cancel_jobs()
            futures.wait(jobs, timeout=_LOOK)

    def _cancel_jobs(self) -> None:
        for wave in tuple(self._running):
            # Spark may be gone, and the waves with it.
            with suppress(*_SPARK_ERRORS):
                self._spark.sparkContext.cancelJobGroup(wave.group)

    def _look(self) -> None:
        """Show progress, and cancel the waves when no worker can begin."""
        done, running = tuple(self._done), tuple(self._running)
        if not running:
            return  # The number of cases is being estimated, or all are done.
        sums = self._sums(done[-1].end if done else 0)
        if _stopped(sums):
            # If one worker cannot begin, none can; Spark would retry each task.
            self._cancel_jobs()
        rate = (self._events + sums[EVENTS]) / max(time.monotonic() - self._began, 0.001)
        self._watch(
            Snapshot(
                cases=(done[-1].end if done else 0) + sums[TAKEN],
                goal=self._goal(done),
                events=sum(wave.events for wave in done) + sums[EVENTS],
                rate=rate,
                failures=self._failures + _of(FAILED, sums),
                reached=len(self._reached + _of(REACHED, sums)),
                stage=", ".join(wave.group for wave in running),
            )
        )


def _group(stretch: Stretch) -> str:
    return f"cases {stretch.first:,} to {stretch.end - 1:,}"


def _of(prefix: str, sums: Counter[str]) -> Counter[str]:
    return Counter({name.removeprefix(prefix): sums[name] for name in sums if name.startswith(prefix)})


def _stopped(sums: Counter[str]) -> str | None:
    return next((name.removeprefix(STOPPED) for name in sums if name.startswith(STOPPED)), None)


def verified_results(spark: SparkSession, output: Output, stretch: Stretch) -> Verified:
    """Return the totals of the results of a stretch.

    Raises:
        CannotStart: A worker could not begin; its results are deleted.
        WaveFailed: Cases were taken but not judged.
    """
    frame = spark.read.schema(ROWS_DDL).parquet(output.wave_uri(stretch.first, stretch.end))
    rows = (
        frame.where(sql.col("table").isin(TOTALS, CANNOT_START, KIT_ERRORS))
        .withColumn("cell", sql.when(sql.col("table") == KIT_ERRORS, sql.array(sql.lit(""))).otherwise(sql.col("cell")))
        .groupBy("table", "cell")
        .agg(sql.sum("count").alias("count"))
        .limit(100)
        .collect()
    )
    sums: Counter[str] = Counter()
    for row in rows:
        if row["table"] == CANNOT_START:
            output.discard(stretch.first, stretch.end)
            host, message = row["cell"]
            raise CannotStart(f"on {host}: {message}")
        sums["kit errors" if row["table"] == KIT_ERRORS else row["cell"][0]] += row["count"]
    if sums[TAKEN] != sums[JUDGED] + sums["kit errors"] + sums[NOT_CLAIMED]:
        output.discard(stretch.first, stretch.end)
        raise WaveFailed(
            f"cases {stretch.first} to {stretch.end - 1}: {sums[TAKEN]} taken, {sums[JUDGED]} judged, "
            f"{sums['kit errors']} errors of the kit, {sums[NOT_CLAIMED]} not claimed"
        )
    return Verified(sums[TAKEN], sums[EVENTS], sums[TROUBLED["hang"]], sums[ANSWERED], sums[UNASKED])


def verified_corpus(spark: SparkSession, output: Output, stretch: Stretch) -> Verified:
    """Return the totals of the stored cases of a stretch."""
    frame = spark.read.parquet(output.wave_uri(stretch.first, stretch.end))
    (row,) = frame.agg(
        sql.countDistinct("number").alias("cases"),
        sql.coalesce(sql.sum("events"), sql.lit(0)).alias("events"),
    ).collect()
    return Verified(row["cases"], row["events"])
