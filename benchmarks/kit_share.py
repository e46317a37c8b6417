"""The kit's share: how much of the processor time of a run is not the implementation's.

    python benchmarks/kit_share.py mysql-replication mysql-8.0     prints one run as JSON

A library that is not installed is left out (`binlog-conformance implementations install go-mysql`).

A run is `certify` in one process, which asks an implementation in another: discovery and shrinking, start-up left out.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final

from measure import Measure
from processes import of_children

from conformance.engine.certification import Certification, Selection
from conformance.engine.events import Event, FailureFound, RunFinished, ShrinkingStarted
from conformance.implementations.registry import implementation
from conformance.oracles.registry import oracles
from conformance.strategies.grammar.family import families

#: What is certified -> the part of the processor time that the kit may take.
WANTED: Final = {"mysql-replication": 0.2, "go-mysql": 0.5}
#: What is run so often at the most: go-mysql's client sleeps for twenty minutes of a run, beside its processor time.
MOST_ROUNDS: Final = {"go-mysql": 1}


@dataclass(frozen=True, slots=True)
class Spent:
    """Processor time of a run, in seconds: the kit's and the implementation's, in discovery and in shrinking."""

    kit_discovery: float
    kit_shrinking: float
    implementation_discovery: float
    implementation_shrinking: float
    cases: int
    events: int

    @property
    def share(self) -> float:
        """The kit's part of all."""
        kit = self.kit_discovery + self.kit_shrinking
        return kit / (kit + self.implementation_discovery + self.implementation_shrinking)

    @property
    def share_of_discovery(self) -> float:
        """The kit's part in discovery."""
        return self.kit_discovery / (self.kit_discovery + self.implementation_discovery)


def spent_so_far() -> tuple[float, float]:
    """Return the processor time of this process, and of those that it started."""
    return time.process_time(), of_children()


def run(spec: str, profiles: tuple[str, ...]) -> Spent:
    """Certify an implementation under some profiles, all if there are none, and return what was spent."""
    families()
    oracles()
    after_discovery: list[tuple[float, float]] = []

    def listen(event: Event) -> None:
        if isinstance(event, ShrinkingStarted | FailureFound | RunFinished) and not after_discovery:
            after_discovery.append(spent_so_far())

    with implementation(spec) as started:
        selections = Selection(profiles=profiles).in_every_role(started.declaration)
        certification = Certification(implementation=started, spec=spec, selections=selections, listeners=(listen,))
        began = spent_so_far()
        certification.run()
        ended = spent_so_far()
    ((kit, implementation_s),) = after_discovery
    tally = certification.tally
    return Spent(
        kit - began[0],
        ended[0] - kit,
        implementation_s - began[1],
        ended[1] - implementation_s,
        tally.cases,
        tally.events,
    )


def measures(rounds: int, profiles: tuple[str, ...], before: str | None) -> Iterator[Measure]:
    """Yield the kit's share of runs, and its own time against that of another version of the kit.

    Args:
        rounds: How often each is run, unless `MOST_ROUNDS` has fewer.
        profiles: The profiles of the runs.
        before: The Python of an environment that has the other version, with the same families.
    """
    for spec, limit in WANTED.items():
        now, then = [], []
        for _ in range(min(rounds, MOST_ROUNDS.get(spec, rounds))):
            try:
                now.append(_run_by(sys.executable, spec, profiles))
            except subprocess.CalledProcessError as error:
                _leave_out(spec, error)
                break
            if before is not None:
                try:
                    then.append(_run_by(before, spec, profiles))
                except subprocess.CalledProcessError as error:
                    _leave_out(before, error)
                    before = None
        if not now:
            continue
        against = (
            f"all processor time of certify {spec}, {now[0].cases:,} cases under {' and '.join(profiles) or 'all'}"
        )
        named = {"part": "kit's share", "against": against, "unit": "of all"}
        yield Measure(name=f"a run of {spec}", samples=[each.share for each in now], wanted=("<=", limit), **named)
        yield Measure(name=f"discovery of {spec} alone", samples=[each.share_of_discovery for each in now], **named)
        for name in ("kit_discovery", "kit_shrinking") if then else ():
            ratios = [getattr(old, name) / getattr(new, name) for old, new in zip(then, now, strict=True)]
            text = f"{name.replace('_', ' in ')}, before / now"
            yield Measure(part="kit's share", name=text, unit="x", against=before or "", samples=ratios)


def _leave_out(what: str, error: subprocess.CalledProcessError) -> None:
    reason = error.stderr.strip().rpartition("\n")[2]
    print(f"  {what} is left out of the kit's share, it cannot run this benchmark: {reason}", flush=True)


def _run_by(python: str, spec: str, profiles: tuple[str, ...]) -> Spent:
    command = [python, __file__, spec, *profiles]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Spent(**json.loads(done.stdout))


if __name__ == "__main__":
    print(json.dumps(asdict(run(sys.argv[1], tuple(sys.argv[2:])))))
