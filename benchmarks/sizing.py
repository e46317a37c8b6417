"""How many cores a corpus needs, and where more of them stop helping: measured on this machine, then simulated.

    python benchmarks/sizing.py reference mysql-replication command:./adapter
    python benchmarks/sizing.py reference --cores 1 100 1000 --events 1000000000

Measured are, for each implementation, the processor time of shards of 500 cases, in one process as a Spark task has
it, and the most memory; for the driver, the time in which Spark starts a job of many tasks, and that in which a wave of
many result files is read back and verified. The simulation then runs the waves of a corpus on any number of cores, with
the kit's own choice of their sizes: two waves at once, one driver, which verifies them one after the other.
"""

import argparse
import heapq
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.corpus.counts import EVENTS, TAKEN, Counts
from conformance.corpus.failing_cases import SHARD
from conformance.corpus.judging import CaseJudge, KitErrors, planned_cases
from conformance.corpus.output import Output
from conformance.corpus.pace import Pace
from conformance.corpus.plan import Plan
from conformance.corpus.result_batches import ROWS_DDL, batches_of
from conformance.corpus.session import spark_session
from conformance.corpus.storage import Storage
from conformance.corpus.waves import verified_results
from conformance.corpus.worker import Stretch
from conformance.engine.selection import Selection
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge

sys.path.insert(0, str(Path(__file__).parent))
from corpus import below

#: Result files of the waves whose verification is measured.
FILES = (8, 64, 512)
#: Tasks of the jobs whose start is measured.
TASKS = (16, 2048)
#: Seconds in which a task's process and its implementation start, once for each core.
START = 3.0


@dataclass(frozen=True)
class Shards:
    """The shards of one implementation: seconds of processor time and events of each, the most memory in MiB."""

    spec: str
    seconds: tuple[float, ...]
    events: float
    memory: float

    @property
    def rate(self) -> float:
        """Events in a second of one core."""
        return self.events / mean(self.seconds)


@dataclass(frozen=True)
class Driver:
    """What a wave costs the driver, in seconds: once, for each task, and for each result file."""

    wave: float
    task: float
    file: float


def measure_shards(spec: str, number: int, output: Path | None = None) -> Shards:
    """Judge shards of the sequence of cases as a task does; the first one warms up and is not counted."""
    seconds, events, memory = [], 0, 0.0
    with implementation(spec) as started:
        role = started.declaration.roles["decode"]
        plan = Plan(tuple(Selection(repeated=True).pairs(started.declaration)))
        errors = KitErrors()
        judge = CaseJudge(started, Judge(role), kit_errors=errors)
        for shard in range(number + 1):
            before: dict[int, float] = {}
            below(os.getpid(), before)
            counts = Counts()
            judge.count(planned_cases(plan, shard * SHARD, (shard + 1) * SHARD, kit_errors=errors), counts)
            counts.totals[TAKEN] += SHARD
            after: dict[int, float] = {}
            memory = max(memory, sum(below(os.getpid(), after)))
            if shard:
                seconds.append(sum(after.values()) - sum(before.get(each, 0.0) for each in after))
                events += counts.totals[EVENTS]
            elif output is not None:
                pq.write_table(pa.Table.from_batches(list(batches_of(counts))), output)
    return Shards(spec, tuple(seconds), events / number, memory)


def measure_driver(results: Path) -> Driver:
    """Measure what starting and verifying a wave costs, from waves of few and of many files."""
    with spark_session(master="local[2]") as spark, tempfile.TemporaryDirectory() as folder:
        output = Output(Storage(spark, folder))
        verify = []
        for number in FILES:
            stretch = Stretch(0, number * SHARD, SHARD)
            wave = Path(output.wave_uri(stretch.first, stretch.end).removeprefix("file:"))
            wave.mkdir(parents=True)
            for each in range(number):
                shutil.copy(results, wave / f"part-{each:05}.parquet")
            spark.read.schema(ROWS_DDL).parquet(str(wave)).count()  # the first job of a session is slow
            verify.append(fastest(partial(verified_results, spark, output, stretch)))
        start = [fastest(spark.range(0, tasks, 1, tasks).count) for tasks in TASKS]
    per_file = (verify[-1] - verify[0]) / (FILES[-1] - FILES[0])
    per_task = (start[-1] - start[0]) / (TASKS[-1] - TASKS[0])
    for number, seconds in zip(FILES, verify, strict=True):
        print(f"driver: a wave of {number:,} files is verified in {seconds:.2f} s")
    print(f"driver: {per_file * 1000:.1f} ms a file, {per_task * 1000:.1f} ms a task")
    return Driver(max(verify[0] - per_file * FILES[0], 0.0) + start[0], per_task, per_file)


def fastest(job: partial[object]) -> float:
    """Return the seconds of the fastest of three: others use this machine too."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        job()
        times.append(time.perf_counter() - began)
    return min(times)


@dataclass(frozen=True)
class Simulated:
    """A corpus on some cores: its seconds, its waves, the share of time in which cores worked, and the driver did."""

    cores: int
    seconds: float
    waves: int
    cores_busy: float
    driver_busy: float


def simulate(shards: Shards, driver: Driver, *, cores: int, events: int) -> Simulated:
    """Run the waves of a corpus in simulated time."""
    draw = random.Random(0)
    pace = Pace(cores)
    goal = int(events / shards.events * SHARD)
    free = [START] * cores
    committed = [0.0, 0.0]  # of the wave before and the one before that: two waves run at once
    first = waves = 0
    worked = verified = 0.0
    while first < goal:
        stretch = pace.stretch(first, goal=goal)
        begins = committed[-2]
        ended = begins
        launched = begins
        for seconds in task_times(stretch, shards, draw):
            launched += driver.task
            at = max(heapq.heappop(free), launched)
            heapq.heappush(free, at + seconds)
            ended, worked = max(ended, at + seconds), worked + seconds
        cost = driver.wave + driver.file * stretch.tasks
        verified += cost + driver.task * stretch.tasks
        done = max(ended, committed[-1]) + cost
        pace.done(stretch.end - first, done - committed[-1])
        committed.append(done)
        first, waves = stretch.end, waves + 1
    return Simulated(cores, committed[-1], waves, worked / cores / committed[-1], verified / committed[-1])


def task_times(stretch: Stretch, shards: Shards, draw: random.Random) -> Iterator[float]:
    """Yield the seconds of each task of a wave: each of its shards takes as long as one that was measured."""
    for task in range(stretch.tasks):
        yield sum(draw.choice(shards.seconds) * (end - first) / SHARD for first, end in stretch.shards(task))


def print_table(shards: Shards, driver: Driver, cores: Sequence[int], events: int) -> None:
    """Print a row for each number of cores."""
    print(f"\n{shards.spec}: {shards.rate:,.0f} events/s a core, {shards.memory:,.0f} MiB a task, {events:,} events\n")
    print("| cores | time | events/s | of the cores' time used | of the driver's | waves |\n|---|---|---|---|---|---|")
    for number in cores:
        done = simulate(shards, driver, cores=number, events=events)
        hours = f"{done.seconds / 86400:.1f} days" if done.seconds > 172800 else f"{done.seconds / 3600:.2f} h"
        rate = events / done.seconds
        used = f"{done.cores_busy:.0%} | {done.driver_busy:.0%}"
        print(f"| {number:,} | {hours} | {rate:,.0f} | {used} | {done.waves:,} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=["reference"], help="implementations, as for `corpus run`")
    parser.add_argument("--shards", type=int, default=20, help="shards of 500 cases that are measured of each")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 10, 100, 1000, 2000, 4000, 10000])
    parser.add_argument("--events", type=int, default=1_000_000_000, help="the corpus that is simulated")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.parquet"
        measured = [
            measure_shards(spec, given.shards, None if index else results) for index, spec in enumerate(given.specs)
        ]
        for shards in measured:
            print(f"{shards.spec}: {shards.rate:,.0f} events/s a core, {shards.memory:,.0f} MiB", flush=True)
        driver = measure_driver(results)
    for shards in measured:
        print_table(shards, driver, given.cores, given.events)


if __name__ == "__main__":
    main()
