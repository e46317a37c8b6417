"""Results: the sums of all committed waves."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from conformance.corpus.counts import (
    COVERAGE,
    EVENTS,
    JUDGED,
    NOT_CLAIMED,
    TOTALS,
    TROUBLED,
    UNASKED,
    UNEXPLAINED,
    UNREPEATED,
    VERDICTS,
)
from conformance.corpus.failing_cases import CASES, PROFILE, REQUIREMENT, FailingCase
from conformance.corpus.output import Output
from conformance.corpus.result_batches import CLUSTERS, FAILING, KIT_ERRORS, OBSTACLES, ROWS_DDL
from conformance.engine.coverage import EVENT_TYPES, FAMILIES, cell_text, tables_of_oracles
from conformance.engine.failure import Counts, most_important
from conformance.engine.tally import Tally
from conformance.oracles.coverage.coverage_table import Cell
from conformance.specs.run_record import Status

#: Findings that reach the driver, the most frequent ones; an implementation has a few dozen.
_CLUSTERS: Final = 2000
#: Errors of the kit that are reported with their cases.
_KIT_ERRORS: Final = 20


@dataclass(frozen=True, slots=True)
class Cluster:
    """All failing cases of one finding in one group of profiles.

    Attributes:
        first: The first one that breaks the most important requirement.
        counts: How many there are, by requirement and by profile.
    """

    first: FailingCase
    counts: Counts


@dataclass(frozen=True, slots=True)
class KitError:
    """An error of the kit at a case: the case's id, the error, and where it was raised."""

    case: str
    error: str
    where: str


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a run, added up.

    Attributes:
        tables: Table -> cell -> sum, without the tables of failing cases.
        clusters: The findings, by signature and group of profiles.
        kit_errors: The first errors of the kit.
    """

    tables: Mapping[str, Mapping[Cell, int]]
    clusters: tuple[Cluster, ...]
    kit_errors: tuple[KitError, ...]

    @property
    def verdicts(self) -> Mapping[Cell, int]:
        """The verdict table: (requirement, profile, status) -> cases."""
        return self.tables.get(VERDICTS, {})

    @property
    def not_claimed(self) -> int:
        """Cases that were left out because the implementation does not claim their profile."""
        return self.tables.get(TOTALS, {}).get((NOT_CLAIMED,), 0)

    @property
    def unrepeated(self) -> int:
        """Cases at which a process was killed from outside, while a new process answered."""
        return self.tables.get(TOTALS, {}).get((UNREPEATED,), 0)

    @property
    def coverage(self) -> dict[str, Mapping[Cell, int]]:
        """The tables of coverage by name; the last text of a cell is the profile."""
        return {name.removeprefix(COVERAGE): cells for name, cells in self.tables.items() if name.startswith(COVERAGE)}

    def tally(self) -> Tally:
        """Return the sums in the form that every run has."""
        tally = Tally()
        totals = self.tables.get(TOTALS, {})
        tally.cases = totals.get((JUDGED,), 0)
        tally.events = totals.get((EVENTS,), 0)
        tally.troubles += Counter({status: totals.get((name,), 0) for status, name in TROUBLED.items()})
        tally.unexplained = totals.get((UNEXPLAINED,), 0)
        tally.not_asked = totals.get((UNASKED,), 0)
        for (requirement, profile, status), count in self.verdicts.items():
            known: Status = status  # type: ignore[assignment]  # as it was written
            tally.results[requirement][profile][known] += count
        for (requirement, signature), count in self.tables.get(OBSTACLES, {}).items():
            tally.obstacles[requirement][signature] += count
        for (name, _, profile), count in self.coverage.get(EVENT_TYPES.name, {}).items():
            tally.event_types[name][profile] += count
        for (family, profile), count in self.coverage.get(FAMILIES.name, {}).items():
            tally.families[family][profile] += count
        for table in tables_of_oracles():
            for (*cell, profile), count in self.coverage.get(table.name, {}).items():
                tally.tables[table.name][cell_text(tuple(cell))][profile] += count
        return tally


def read_results(spark: SparkSession, output: Output) -> Results:
    """Add up the committed waves of a run."""
    waves = output.committed()
    if not waves:
        return Results({}, (), ())
    spark.sparkContext.setJobGroup("results", "add up the results", interruptOnCancel=True)
    frame = spark.read.schema(ROWS_DDL).parquet(*(output.wave_uri(wave.first, wave.end) for wave in waves))
    tables: dict[str, Counter[Cell]] = defaultdict(Counter)
    sums = frame.where(~sql.col("table").isin(CLUSTERS, FAILING, KIT_ERRORS)).groupBy("table", "cell")
    for row in sums.agg(sql.sum("count").alias("count")).collect():
        tables[row["table"]][tuple(row["cell"])] += row["count"]
    return Results(dict(tables), _clusters(frame), _kit_errors(frame))


def _clusters(frame: DataFrame) -> tuple[Cluster, ...]:
    kind = [sql.col("cell")[0].alias("signature"), sql.col("cell")[1].alias("group")]
    sums = frame.where(sql.col("table") == CLUSTERS).groupBy(*kind, sql.col("cell")[2], sql.col("cell")[3])
    counts = sums.agg(sql.sum("count").alias("count")).toDF("signature", "group", "what", "name", "count")
    largest = counts.where(sql.col("what") == CASES).orderBy(sql.desc("count"), "signature", "group").limit(_CLUSTERS)
    kinds = largest.select("signature", "group")
    numbers: dict[tuple[str, str], dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for row in counts.join(kinds, ["signature", "group"]).collect():
        numbers[row["signature"], row["group"]][row["what"]][row["name"]] = row["count"]
    firsts = (
        frame.where(sql.col("table") == FAILING)
        .groupBy(*kind, sql.col("cell")[2].alias("requirement"))
        .agg(sql.min_by("cell", "number").alias("cell"), sql.min("number").alias("number"))
    )
    first = {
        tuple(row["cell"][:3]): FailingCase(row["number"], *row["cell"])
        for row in firsts.join(kinds, ["signature", "group"]).collect()
    }
    clusters = []
    for (signature, group), of_kind in sorted(numbers.items()):
        requirements = dict(sorted(of_kind[REQUIREMENT].items()))
        together = Counts(
            cases=of_kind[CASES][""], requirements=requirements, profiles=dict(sorted(of_kind[PROFILE].items()))
        )
        clusters.append(Cluster(first[signature, group, most_important(requirements)], together))
    return tuple(clusters)


def _kit_errors(frame: DataFrame) -> tuple[KitError, ...]:
    rows = frame.where(sql.col("table") == KIT_ERRORS).orderBy("cell").limit(_KIT_ERRORS).collect()
    return tuple(KitError(*row["cell"]) for row in rows)
