"""Sources of the cases of a run: a plan, or a stored corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from conformance.corpus.giving_up import next_decision
from conformance.corpus.manifest import CORPUS_SCHEMA
from conformance.corpus.output import Output, Wave
from conformance.corpus.pace import Pace
from conformance.corpus.plan import Plan, Size
from conformance.corpus.result_batches import ROWS_DDL
from conformance.corpus.stored_case import CORPUS, MEANING, cases_of_batch
from conformance.corpus.worker import Job, Report, Stretch, Work, generated_work, planned_work, stored_work
from conformance.strategies.grammar.case import Case


class CaseSource(Protocol):
    """A source of cases."""

    def next(self, done: Sequence[Wave], first: int, pace: Pace, seconds_left: float | None) -> Stretch | None:
        """Return the stretch from a case on, None at the end and if further waves have to be committed first.

        Args:
            done: The committed waves.
            first: The number of its first case; the waves between them and it are running.
            pace: Chooses how many cases a wave takes.
            seconds_left: The time that is left for the run, None for no limit.
        """

    def goal(self, done: Sequence[Wave]) -> int | None:
        """Return how many cases there will be, None if that is not known."""

    def results(self, spark: SparkSession, stretch: Stretch, job: Job, report: Report) -> DataFrame:
        """Return the results of a stretch, not yet computed."""

    def case(self, number: int, case_id: str) -> Case:
        """Return a case by number and id."""


def task_numbers(spark: SparkSession, stretch: Stretch) -> DataFrame:
    """Return the numbers of a stretch's tasks, each in a partition of its own."""
    return spark.range(0, stretch.tasks, 1, stretch.tasks)


@dataclass(frozen=True, slots=True)
class PlannedCases:
    """Cases that workers make and judge.

    Attributes:
        plan: The sequence of cases.
        size: How much of it is run.
    """

    plan: Plan
    size: Size

    def next(self, done: Sequence[Wave], first: int, pace: Pace, seconds_left: float | None) -> Stretch | None:
        """See `Source.next`.

        Raises:
            ValueError: The plan's cases have no events to count by.
        """
        goal = self.goal(done)
        if goal is not None and first >= goal:
            return None
        running = first - (done[-1].end if done else 0)
        if seconds_left is not None:
            seconds_left -= pace.seconds_of(running)
            if (seconds_left <= 0 and first) or (running and not pace.rate):
                return None
        decided = next_decision(first)
        return pace.stretch(first, goal=decided if goal is None else min(goal, decided), seconds_left=seconds_left)

    def goal(self, done: Sequence[Wave]) -> int | None:
        """Return how many cases there will be, None if that depends on time.

        Raises:
            ValueError: The plan's cases have no events to count by.
        """
        sums = {0: (0, 0)}
        events = 0
        for wave in done:
            events += wave.events
            sums[wave.end] = (wave.end, events)
        # From goal to goal: no wave extends beyond one, so the sums there do not depend on how cases were divided.
        reached = 0
        while True:
            cases, events = sums[reached]
            goal = self.size.goal(self.plan, cases=cases, events=events)
            if goal is None or goal == reached or goal not in sums:
                return goal
            reached = goal

    def results(self, spark: SparkSession, stretch: Stretch, job: Job, report: Report) -> DataFrame:
        """Return the results of a stretch, not yet computed."""
        return _in_arrow(task_numbers(spark, stretch), planned_work(job, self.plan, stretch, report), ROWS_DDL)

    def case(self, number: int, case_id: str) -> Case:
        """Return a case by number and id."""
        return self.plan.case(number)

    def corpus(self, spark: SparkSession, stretch: Stretch, report: Report) -> DataFrame:
        """Return the cases of a stretch as rows of a corpus, not yet computed."""
        return _in_arrow(task_numbers(spark, stretch), generated_work(self.plan, stretch, report), corpus_columns())


@dataclass(frozen=True, slots=True)
class StoredCases:
    """Cases of a stored corpus.

    Attributes:
        spark: The session.
        corpus: The corpus' folder.
        waves: Its waves.
    """

    spark: SparkSession
    corpus: Output
    waves: tuple[Wave, ...]

    def next(self, done: Sequence[Wave], first: int, pace: Pace, seconds_left: float | None) -> Stretch | None:
        """See `Source.next`; the waves are those of the corpus."""
        wave = next((each for each in self.waves if each.first == first), None)
        return Stretch(wave.first, wave.end, wave.end - wave.first) if wave is not None else None

    def goal(self, done: Sequence[Wave]) -> int | None:
        """Return how many cases the corpus has."""
        return self.waves[-1].end if self.waves else 0

    def results(self, spark: SparkSession, stretch: Stretch, job: Job, report: Report) -> DataFrame:
        """Return the results of a stretch, not yet computed."""
        return _in_arrow(self._read(stretch.first, stretch.end), stored_work(job, report), ROWS_DDL)

    def case(self, number: int, case_id: str) -> Case:
        """Return a case by number and id, with the stored bytes."""
        wave = next(wave for wave in self.waves if wave.first <= number < wave.end)
        rows = self._read(wave.first, wave.end).where(f"number = {number}").toArrow()
        batch = rows.cast(CORPUS).combine_chunks().to_batches()[0]
        return next(case for _, case in cases_of_batch(batch))

    def _read(self, first: int, end: int) -> DataFrame:
        return self.spark.read.schema(corpus_columns()).parquet(self.corpus.wave_uri(first, end)).select(*CORPUS.names)


def corpus_columns() -> StructType:
    """Return the columns of a corpus for Spark, with their meaning and the version in their metadata."""
    from pyspark.sql.pandas.types import from_arrow_schema

    columns = from_arrow_schema(CORPUS)
    for column in columns:
        column.metadata = {"comment": MEANING[column.name], "corpus_schema": CORPUS_SCHEMA}
    return columns


def _in_arrow(frame: DataFrame, work: Work, columns: str | StructType) -> DataFrame:
    return frame.mapInArrow(work, columns)
