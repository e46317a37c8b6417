"""The cost of large corpora: prints figures and ratios of one run on one machine.

    python benchmarks/corpus.py                 all parts, ten million events
    python benchmarks/corpus.py --events 1000000 --part generation --part cores
    python benchmarks/corpus.py --events 10000000 --part overhead

The parts:

- generation: events for each second of processor time with the seeded chooser, as corpora are made, against the same
  families and profiles with Hypothesis' engine, and as many cases of each. One-time costs, such as imports and the
  first case of each pair, are not counted. The two alternate in rounds of some of the pairs.
- cores, memory: whole runs of the command.
- overhead: the same cases twice, with the same number of processes: in Spark's tasks, whose results are written and
  verified, and in plain processes, which discard them. A forecast of the time of each is printed first.

Ratios are of runs one after the other, so they include whatever else the machine does; those of processor time less so.
"""

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measure import Measure

from conformance.corpus.counts import EVENTS, Counts
from conformance.corpus.judging import CaseJudge, KitErrors, planned_cases
from conformance.corpus.plan import Plan
from conformance.engine.selection import Selection
from conformance.fuzzing.hypothesis_engine import discover
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge

PARTS = ("generation", "cores", "overhead", "memory")
#: The target of each part: name -> (at least or at most, limit).
TARGETS = {
    "generation, grammar / Hypothesis": (">=", 50.0),
    "two cores / one core": (">=", 1.7),
    "Spark / plain processes": ("<=", 1.1),
    "memory, many / few events": ("<=", 1.25),
}


@dataclass(frozen=True)
class Measured:
    """A run: seconds in all, of its waves and of processor time; cases, events; the most memory in MiB.

    `others` is how many cores were busy with something else on average, which a ratio does not include.
    """

    seconds: float
    in_waves: float
    processor: float
    others: float
    cases: int
    events: int
    java: float
    python: float

    def __str__(self) -> str:
        return (
            f"{self.events:,} events in {self.seconds:.1f} s, {self.in_waves:.1f} s of them in waves: "
            f"{self.events / self.in_waves:,.0f} events/s; {self.processor:.1f} s of processor time, "
            f"others kept {self.others:.2f} cores busy; Java {self.java:,.0f} MiB, Python {self.python:,.0f} MiB"
        )


def plan() -> Plan:
    with implementation("reference") as started:
        return Plan(tuple(Selection().pairs(started.declaration)))


def generation_measures(rounds: int, examples: int) -> Iterator[Measure]:
    """Yield how much faster the grammar's own chooser makes cases than Hypothesis' engine makes the same families."""
    cases = plan()
    by_grammar(cases, range(len(cases.pairs)), 1)
    by_hypothesis(cases, [0], 1)
    speeds, ratios = [], []
    for number in range(rounds):
        # A tenth of the pairs is enough for a ratio.
        places = range(number, len(cases.pairs), 10 * rounds)
        made, sought = by_grammar(cases, places, examples), by_hypothesis(cases, places, examples)
        speeds.append(made.speed)
        ratios.append(made.speed / sought.speed)
    named = {"part": "generation", "name": "whole cases"}
    yield Measure(unit="events/s", against="one core of this machine", samples=speeds, **named)
    yield Measure(unit="x", against="Hypothesis' engine", samples=ratios, **named)


def spark_measures(events: int) -> Iterator[Measure]:
    """Yield what Spark costs over plain processes: measured for some events, and calculated for ten times as many.

    The calculation takes start and end as they are, and the waves ten times.
    """
    forecast(events, 2)
    spark = on_spark(events, 2)
    print(f"  Spark: {spark}", flush=True)
    plain, used = in_plain_processes(spark.cases, 2)
    apart = spark.seconds - spark.in_waves
    named = {"part": "Spark", "unit": "x", "against": "the same cases in two plain processes"}
    million = f"{events / 1e6:g} million events"
    yield Measure(name=f"{million}, start included", samples=[spark.seconds / plain], wanted=("<=", 1.15), **named)
    yield Measure(name=f"{million}, processor time", samples=[spark.processor / used], **named)
    far = (apart + 10 * spark.in_waves) / (10 * plain)
    yield Measure(name=f"{events / 1e5:g} million, calculated", samples=[far], wanted=("<=", 1.05), **named)


def print_ratio(name: str, ratio: float) -> str:
    """Print a ratio as soon as it is known, and return the line for the summary."""
    sign, limit = TARGETS[name]
    good = ratio >= limit if sign == ">=" else ratio <= limit
    line = f"{name}: {ratio:.2f} (target {sign} {limit:g}): {'reached' if good else 'MISSED'}"
    print(line, flush=True)
    return line


@dataclass(frozen=True)
class Made:
    """Cases that were made: how many, their expected events, seconds of processor time."""

    cases: int
    events: int
    seconds: float

    @property
    def speed(self) -> float:
        """Events in a second of one core."""
        return self.events / self.seconds

    def __add__(self, other: "Made") -> "Made":
        return Made(self.cases + other.cases, self.events + other.events, self.seconds + other.seconds)

    def __str__(self) -> str:
        return f"{self.speed:,.0f} events/s, {self.cases / self.seconds:,.0f} cases/s, one core"


def by_grammar(cases: Plan, places: Sequence[int], examples: int) -> Made:
    """Make cases of the pairs at some places of a plan, as corpora are made."""
    events, began = 0, time.process_time()
    for place in places:
        for index in range(examples):
            events += len(cases.case(index * len(cases.pairs) + place).expected.events)
    return Made(len(places) * examples, events, time.process_time() - began)


def by_hypothesis(cases: Plan, places: Sequence[int], examples: int) -> Made:
    """Make cases of the same pairs as `fuzz` makes them, which includes the start of the engine for each pair."""
    seen: list[int] = []
    began = time.process_time()
    for place in places:
        family, profile = cases.pairs[place]
        discover(
            family,
            profile,
            examples=examples,
            seed_value=0,
            visit=lambda case: seen.append(len(case.expected.events)),
        )
    return Made(len(seen), sum(seen), time.process_time() - began)


def generation(rounds: int, examples: int) -> str:
    """Make as many cases of every pair in both ways, a part of the pairs in each round.

    Both make complete cases: the bytes, the expected observation, the marks and the id. Only processor time is counted,
    so that other processes can affect it only through caches; the two ways take turns to share that effect.
    """
    cases = plan()
    by_grammar(cases, range(len(cases.pairs)), 1)
    by_hypothesis(cases, [0], 1)
    grammar = hypothesis = Made(0, 0, 0.0)
    ratios = []
    for number in range(rounds):
        places = range(number, len(cases.pairs), rounds)
        made, sought = by_grammar(cases, places, examples), by_hypothesis(cases, places, examples)
        ratios.append(made.speed / sought.speed)
        grammar, hypothesis = grammar + made, hypothesis + sought
    print(f"grammar: {grammar}")
    print(f"Hypothesis: {hypothesis}")
    print(f"ratios of {rounds} rounds: {min(ratios):.1f} to {max(ratios):.1f}, median {median(ratios):.1f}")
    return print_ratio("generation, grammar / Hypothesis", grammar.speed / hypothesis.speed)


TICKS = os.sysconf("SC_CLK_TCK")


def busy() -> float:
    """Return the seconds that all cores were busy since the machine started."""
    user, nice, system, _idle, _wait, *rest = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + sum(rest)) / TICKS


def below(root: int, processor: dict[int, float]) -> tuple[float, float]:
    """Return the memory of a process and its descendants in MiB: (Java, Python).

    Args:
        root: The process.
        processor: Takes the seconds of processor time of each.
    """
    parents, sizes, names, times = {}, {}, {}, {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                number = int(entry.name)
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[number] = int(stat[1])
                times[number] = (int(stat[11]) + int(stat[12])) / TICKS
                # Shared pages are counted once for each process that maps them, in equal parts.
                pss = next(
                    line for line in (entry / "smaps_rollup").read_text().splitlines() if line.startswith("Pss:")
                )
                sizes[number] = int(pss.split()[1]) / 1024
                names[number] = (entry / "comm").read_text().strip()
        except (OSError, StopIteration):
            continue
    tree = {root}
    while more := {each for each, parent in parents.items() if parent in tree} - tree:
        tree |= more
    processor.update({each: times[each] for each in tree if each in times})
    java = sum(sizes.get(each, 0) for each in tree if names.get(each) == "java")
    return java, sum(sizes.get(each, 0) for each in tree) - java


def on_spark(events: int, cores: int, spec: str = "reference") -> Measured:
    """Run the command in a process of its own, and measure it."""
    with tempfile.TemporaryDirectory() as folder:
        code = "from conformance.cli import main; main()"
        arguments = ["corpus", "run", spec, "--events", str(events), "--output", f"{folder}/run"]
        arguments += ["--master", f"local[{cores},4]", "--no-shrink", "--conf", "spark.driver.memory=1g"]
        began, busy_before = time.perf_counter(), busy()
        most, processor = [0.0, 0.0], {}
        with subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL) as process:
            ended = threading.Event()

            def look() -> None:
                while not ended.wait(3.0):
                    for place, size in enumerate(below(process.pid, processor)):
                        most[place] = max(most[place], size)

            watcher = threading.Thread(target=look)
            watcher.start()
            process.wait()
            ended.set()
            watcher.join()
        seconds = time.perf_counter() - began
        used = sum(processor.values())
        others = (busy() - busy_before - used) / seconds
        if process.returncode == 2:
            sys.exit("the run did not finish")
        waves = [json.loads(path.read_text()) for path in Path(folder).glob("run/waves/*/_COMMITTED")]
    cases, judged_events = sum(wave["cases"] for wave in waves), sum(wave["events"] for wave in waves)
    in_waves = sum(wave["seconds"] for wave in waves)
    return Measured(seconds, in_waves, used, others, cases, judged_events, *most)


def judge_stretch(stretch: tuple[int, int]) -> int:
    """Judge a stretch of cases as a worker does, and return its events."""
    cases, counts, kit_errors = plan(), Counts(), KitErrors()
    with implementation("reference") as started:
        judge = CaseJudge(started, Judge(started.declaration.roles["decode"]), kit_errors=kit_errors)
        judge.count(planned_cases(cases, *stretch, kit_errors=kit_errors), counts)
    return counts.totals[EVENTS]


def forecast(events: int, cores: int, cases: int = 2000) -> None:
    """Print how long each side of the overhead will take, from the rate of a few cases in this process."""
    began = time.perf_counter()
    rate = judge_stretch((0, cases)) / (time.perf_counter() - began)
    print(
        f"{rate:,.0f} events/s in one process: about {events / rate / cores / 60:.1f} minutes for each side", flush=True
    )


def in_plain_processes(cases: int, cores: int) -> tuple[float, float]:
    """Return the seconds, and those of processor time, that the same cases take in processes without Spark."""
    busy_before = busy()
    used_before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    step = min(5000, -(-cases // (cores * 4)))  # at least as many tasks for each core as a wave has
    stretches = [(first, min(first + step, cases)) for first in range(0, cases, step)]
    events = 0
    began = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        for done, judged in enumerate(pool.imap_unordered(judge_stretch, stretches), 1):
            events += judged
            if done * 20 // len(stretches) > (done - 1) * 20 // len(stretches):
                rate = events / (time.perf_counter() - began)
                print(
                    f"  {done:,} of {len(stretches):,} stretches, {events:,} events, {rate:,.0f} events/s", flush=True
                )
        pool.close()
        pool.join()
    seconds = time.perf_counter() - began
    used = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - used_before
    print(
        f"{cores} plain processes: {events:,} events in {seconds:.1f} s: {events / seconds:,.0f} events/s; "
        f"{used:.1f} s of processor time, others kept {(busy() - busy_before - used) / seconds:.2f} cores busy",
        flush=True,
    )
    return seconds, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000_000, help="the large corpus")
    parser.add_argument("--few", type=int, help="the small corpus; a tenth of the large one if not given")
    parser.add_argument("--rounds", type=int, default=12, help="rounds of the generation part")
    parser.add_argument("--examples", type=int, default=50, help="cases of each pair there; 50 as `certify` has it")
    parser.add_argument("--part", action="append", choices=PARTS, help="a part; all if none is given")
    given = parser.parse_args()
    parts, few, cores = given.part or PARTS, given.few or given.events // 10, 2
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    ratios = []
    if "generation" in parts:
        ratios.append(generation(given.rounds, given.examples))
    small = large = None
    if "cores" in parts or "memory" in parts:
        small = on_spark(few, cores)
        print(f"{cores} cores: {small}", flush=True)
    if "cores" in parts and small is not None:
        one = on_spark(few, 1)
        print(f"1 core: {one}", flush=True)
        ratios.append(
            print_ratio("two cores / one core", (small.events / small.in_waves) / (one.events / one.in_waves))
        )
    if "overhead" in parts or "memory" in parts:
        forecast(given.events, cores)
        large = on_spark(given.events, cores)
        print(f"{cores} cores: {large}", flush=True)
    if "overhead" in parts and large is not None:
        plain, used = in_plain_processes(large.cases, cores)
        ratios.append(print_ratio("Spark / plain processes", large.in_waves / plain))
        ratios.append(f"  with Spark's start and the report: {large.seconds / plain:.2f}")
        ratios.append(f"  of processor time, start and report included: {large.processor / used:.2f}")
    if "memory" in parts and small is not None and large is not None:
        ratios.append(
            print_ratio("memory, many / few events", (large.java + large.python) / (small.java + small.python))
        )
        ratios.append(f"  Python alone: {large.python / small.python:.2f}")
    print("", *ratios, sep="\n")


if __name__ == "__main__":
    main()
