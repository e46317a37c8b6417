"""Waves: one Spark job after the other, each verified before it counts."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Final, Protocol

from py4j.protocol import Py4JError
from pyspark import AccumulatorParam, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from conformance.corpus.counts import EVENTS, JUDGED, NOT_CLAIMED, TAKEN, TOTALS
from conformance.corpus.output import Output, Wave
from conformance.corpus.pace import Pace
from conformance.corpus.rows import CANNOT_START, KIT_ERRORS, ROWS_DDL
from conformance.corpus.session import reason
from conformance.corpus.worker import FAILED, REACHED, STOPPED, Report, Stretch
from conformance.implementations.process import CannotStart

#: Seconds between two looks at a running job.
_LOOK: Final = 0.5


class WaveFailed(Exception):
    """Spark gave a wave up, or its cases are not all there; the waves before it stand."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far a run is.

    Attributes:
        cases: Cases done.
        goal: Cases to be done, None where time decides.
        events: Expected events in them.
        rate: Events in a second, since this process began.
        failures: Requirement -> failing cases, of this process.
        reached: How many requirements some case judged, of this process.
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
    """Is shown how far a run is."""

    def __call__(self, snapshot: Snapshot) -> None:
        """Look."""


class _Sums(AccumulatorParam[Counter[str]]):
    """Adds up what tasks report while a job runs; for the eye only, as a task that is tried again reports again."""

    def zero(self, value: Counter[str]) -> Counter[str]:
        return Counter()

    def addInPlace(self, value1: Counter[str], value2: Counter[str]) -> Counter[str]:  # noqa: N802
        value1.update(value2)
        return value1


#: From a finished job's folder to (cases, events), or an error.
Verify = Callable[[Stretch], tuple[int, int]]


class Waves:
    """Runs waves until there is no further one.

    Args:
        spark: The session.
        output: The run's folder.
        next_stretch: Returns the stretch behind the committed waves, None at the end.
        frame: Returns the results of a stretch, not yet computed.
        verify: Looks at the results of a stretch, and returns how many cases and events they are about.
        goal: Returns how many cases there are to be.
        pace: Is told how long each wave took.
        watch: Is shown how far the run is.
    """

    def __init__(
        self,
        spark: SparkSession,
        output: Output,
        *,
        next_stretch: Callable[[Sequence[Wave]], Stretch | None],
        frame: Callable[[Stretch, Report], DataFrame],
        verify: Verify,
        goal: Callable[[Sequence[Wave]], int | None],
        pace: Pace,
        watch: Watch,
    ) -> None:
        self._spark = spark
        self._output = output
        self._next_stretch = next_stretch
        self._frame = frame
        self._verify = verify
        self._goal = goal
        self._pace = pace
        self._watch = watch
        self._failures: Counter[str] = Counter()
        self._reached: Counter[str] = Counter()
        self._began = time.monotonic()
        self._events = 0

    def run(self) -> list[Wave]:
        """Run what is left, and return all committed waves.

        Raises:
            CannotStart: The implementation does not start on a worker.
            WaveFailed: A wave cannot be finished.
            StorageError: The folder cannot be reached.
        """
        self._output.discard_uncommitted()
        done = self._output.committed()
        while (stretch := self._next_stretch(done)) is not None:
            began = time.monotonic()
            self._compute(stretch, done)
            cases, events = self._verify(stretch)
            if cases != stretch.end - stretch.first:
                self._output.discard(stretch.first, stretch.end)
                where = "" if cases else f": do all workers reach {self._output.storage.uri}?"
                raise WaveFailed(f"cases {stretch.first} to {stretch.end - 1}: {cases} came back{where}")
            seconds = time.monotonic() - began
            wave = Wave(stretch.first, stretch.end, cases, events, round(seconds, 3))
            self._output.commit(wave)
            self._pace.done(cases, seconds)
            self._events += events
            done.append(wave)
        return done

    def _compute(self, stretch: Stretch, done: Sequence[Wave]) -> None:
        context = self._spark.sparkContext
        sums = context.accumulator(Counter[str](), _Sums())
        group = f"cases {stretch.first:,} to {stretch.end - 1:,}"
        uri = self._output.wave_uri(stretch.first, stretch.end)
        context.setJobGroup(group, f"{group}: generate, ask, judge", interruptOnCancel=True)
        error: Exception | None = None
        with self._watched(context, group, lambda: Counter(sums.value), done):
            try:
                self._frame(stretch, sums.add).write.mode("overwrite").parquet(uri)
            except (PySparkException, Py4JError) as failed:
                error = failed
        context.setJobGroup(f"{group}, verified", f"{group}: verify", interruptOnCancel=True)
        self._failures += _of(FAILED, sums.value)
        self._reached += _of(REACHED, sums.value)
        stopped = _stopped(sums.value)
        if error is not None and stopped:
            raise CannotStart(stopped) from error
        if error is not None:
            raise WaveFailed(f"{group}: {reason(error)}") from error

    @contextmanager
    def _watched(
        self, context: SparkContext, group: str, sums: Callable[[], Counter[str]], done: Sequence[Wave]
    ) -> Iterator[None]:
        """Show progress from another thread while a job runs, and cancel the job when no worker can begin."""
        ended = Event()
        goal = self._goal(done)
        cases, events = (done[-1].end, sum(wave.events for wave in done)) if done else (0, 0)

        def look() -> None:
            while not ended.wait(_LOOK):
                met = sums()
                if _stopped(met):
                    # No worker will begin where one cannot; Spark would try each task again.
                    context.cancelJobGroup(group)
                rate = (self._events + met[EVENTS]) / max(time.monotonic() - self._began, 0.001)
                self._watch(
                    Snapshot(
                        cases=cases + met[TAKEN],
                        goal=goal,
                        events=events + met[EVENTS],
                        rate=rate,
                        failures=self._failures + _of(FAILED, met),
                        reached=len(self._reached + _of(REACHED, met)),
                        stage=group,
                    )
                )

        thread = Thread(target=look, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _of(prefix: str, sums: Counter[str]) -> Counter[str]:
    return Counter({name.removeprefix(prefix): sums[name] for name in sums if name.startswith(prefix)})


def _stopped(sums: Counter[str]) -> str | None:
    return next((name.removeprefix(STOPPED) for name in sums if name.startswith(STOPPED)), None)


def verified_results(spark: SparkSession, output: Output, stretch: Stretch) -> tuple[int, int]:
    """Return (cases, events) of the results of a stretch.

    Raises:
        CannotStart: A worker could not begin; its results do not stay.
        WaveFailed: Cases are counted in that were not judged.
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
    met: Counter[str] = Counter()
    for row in rows:
        if row["table"] == CANNOT_START:
            output.discard(stretch.first, stretch.end)
            host, message = row["cell"]
            raise CannotStart(f"on {host}: {message}")
        met["mishaps" if row["table"] == KIT_ERRORS else row["cell"][0]] += row["count"]
    if met[TAKEN] != met[JUDGED] + met["mishaps"] + met[NOT_CLAIMED]:
        output.discard(stretch.first, stretch.end)
        raise WaveFailed(
            f"cases {stretch.first} to {stretch.end - 1}: {met[TAKEN]} in, {met[JUDGED]} judged, "
            f"{met['mishaps']} broke the kit, {met[NOT_CLAIMED]} not claimed"
        )
    return met[TAKEN], met[EVENTS]


def verified_corpus(spark: SparkSession, output: Output, stretch: Stretch) -> tuple[int, int]:
    """Return (cases, events) of the stored cases of a stretch."""
    frame = spark.read.parquet(output.wave_uri(stretch.first, stretch.end))
    (row,) = frame.agg(
        sql.countDistinct("number").alias("cases"),
        sql.coalesce(sql.sum("events"), sql.lit(0)).alias("events"),
    ).collect()
    return row["cases"], row["events"]
