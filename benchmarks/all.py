"""All benchmarks in one run: ratios, medians and spread; docs/benchmarks.md explains each.

    python benchmarks/all.py                                            every part
    python benchmarks/all.py --part start-up --part reading --rounds 5
    python benchmarks/all.py --before /old/.venv/bin/python             beside another version of the kit
    python benchmarks/all.py --json results.json --plot results.svg

Times are processor time, as other processes change it less, except where a part names the wall clock. What is compared
is measured in turn, round by round, so that both sides meet the same machine.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import corpus
import findings
import kit_share
import reading
import sharing
import start_up
from measure import Measure
from plot import plot

PARTS: Final[dict[str, Callable[[argparse.Namespace], Iterator[Measure]]]] = {
    "start-up": lambda given: start_up.measures(given.rounds, given.before),
    "reading": lambda given: reading.measures(given.rounds, given.events),
    "generation": lambda given: corpus.generation_measures(given.rounds, examples=10),
    "findings": lambda given: findings.measures(given.rounds, given.mutants),
    "kit's share": lambda given: kit_share.measures(given.rounds, given.profiles, given.before),
    "sharing": lambda given: sharing.measures(given.rounds, "mysql-replication", given.profiles),
    "Spark": lambda given: corpus.spark_measures(given.spark_events),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", dest="parts", action="append", choices=PARTS, help="a part; all if none is given")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--profile", dest="profiles", action="append", help="profile of whole runs; all if none")
    parser.add_argument("--events", type=int, default=100_000, help="events of the log that is read")
    parser.add_argument("--mutants", type=int, default=20, help="mutants to be found")
    parser.add_argument("--spark-events", type=int, default=3_000_000, help="events of the corpus")
    parser.add_argument("--before", metavar="PYTHON", help="the Python of an environment with another version")
    parser.add_argument("--json", type=Path, help="write the measures here")
    parser.add_argument("--plot", type=Path, help="draw them here, as SVG")
    given = parser.parse_args()
    given.profiles = tuple(given.profiles or ())
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "load": round(os.getloadavg()[0], 1)}
    print(machine, flush=True)
    every: list[Measure] = []
    for part in given.parts or PARTS:
        for measure in PARTS[part](given):
            every.append(measure)
            print(measure, flush=True)
            # After each, so that a run that is ended leaves what it has.
            if given.json is not None:
                results = {
                    "machine": machine,
                    "arguments": sys.argv[1:],
                    "measures": [each.as_json() for each in every],
                }
                given.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            if given.plot is not None:
                given.plot.write_text(plot(every), encoding="utf-8")


if __name__ == "__main__":
    main()
