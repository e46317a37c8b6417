"""Sharing: how much sooner `certify` ends on several cores, and how long a user waits for it.

*Wall time* is that of whole commands, -j 1 against -j 2, in turn, and needs an idle machine; so do the seconds that
whole runs take on two cores.
The *forecast* is made from the processor time that each share of a run takes in one process: the shares begin in the
order in which `Workers` begins them, each on the core that is free first.
"""

import heapq
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from kit_share import spent_so_far
from measure import Measure

from conformance.engine import certification
from conformance.engine.crew import Alone, ShareT
from conformance.engine.events import PairFinished
from conformance.engine.patience import Patience
from conformance.engine.selection import Selection
from conformance.engine.share import Asking
from conformance.engine.workers import in_order_of_beginning
from conformance.implementations.registry import implementation
from conformance.oracles.registry import oracles
from conformance.strategies.grammar.family import families

CORES: Final = (2, 4, 8)
#: What is certified on two cores, in all its roles -> the seconds that it may take.
WANTED_SECONDS: Final = {"mysql-replication": 22.0, "reference": 35.0}


class Timed(Alone):
    """Does the shares alone, and notes what each takes.

    Attributes:
        phases: For each call of `do`, the seconds of its shares in the order in which workers begin them.
    """

    phases: list[list[float]]

    def do(
        self,
        shares: Iterable[ShareT],
        patience: Patience,
        *,
        settle: Callable[[ShareT, Any], bool],
        needed: Callable[[ShareT], bool] = lambda share: True,
        progress: Callable[[PairFinished], None] = lambda event: None,
    ) -> Patience:
        """Do shares, as `Alone.do`."""
        asking = Asking(implementation=self._implementation, judges=self._judges, progress=progress)
        shares = list(shares)
        seconds = []
        for share in shares:
            before = sum(spent_so_far())
            settle(share, share.done(asking, patience) if needed(share) else None)
            seconds.append(sum(spent_so_far()) - before)
        self.phases.append([seconds[number] for number, _ in in_order_of_beginning(shares, workers=2)])
        return patience


def phases_of(spec: str, profiles: tuple[str, ...]) -> list[list[float]]:
    """Return the seconds of each share of a run, phase by phase, in the order in which workers begin them."""
    families()
    oracles()
    Timed.phases = []
    certification.Alone = Timed  # type: ignore[attr-defined, misc]
    with implementation(spec) as started:
        selections = Selection(profiles=profiles).in_every_role(started.declaration)
        certification.Certification(implementation=started, spec=spec, selections=selections).run()
    return Timed.phases


def forecast(phases: Iterable[Sequence[float]], cores: int) -> float:
    """Return how much sooner a run ends on some cores, if nothing but the order of its shares keeps them idle."""
    phases = list(phases)
    return sum(map(sum, phases)) / sum(_length(each, cores) for each in phases)


def _length(seconds: Iterable[float], cores: int) -> float:
    free_at = [0.0] * cores
    for each in seconds:
        heapq.heapreplace(free_at, free_at[0] + each)
    return max(free_at)


def measures(rounds: int, spec: str, profiles: tuple[str, ...]) -> Iterator[Measure]:
    """Yield the forecast for some numbers of cores, and the ratio of wall times on this machine."""
    command = [sys.executable, __file__, spec, *profiles]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    phases = json.loads(done.stdout)
    against = f"certify {spec} -j 1"
    for cores in CORES:
        wanted = (">=", 1.8) if cores == CORES[0] else None
        samples = [forecast(phases, cores)]
        yield Measure(
            part="sharing", name=f"forecast, {cores} cores", unit="x", against=against, samples=samples, wanted=wanted
        )
    pairs = [tuple(_wall_seconds(spec, profiles, jobs) for jobs in (1, 2)) for _ in range(rounds)]
    load = f"load {os.getloadavg()[0]:.1f}"
    ratios = [one / two for one, two in pairs]
    yield Measure(
        part="sharing", name=f"wall time, 2 cores, {load}", unit="x", against=against, samples=ratios,
        wanted=(">=", 1.8),
    )  # fmt: skip
    for each, seconds in WANTED_SECONDS.items():
        samples = [two for _, two in pairs] if each == spec else [_wall_seconds(each, profiles, 2)]
        against = f"this machine, {load}, profiles: {' and '.join(profiles) or 'all'}"
        yield Measure(
            part="sharing", name=f"certify {each}, wall time, 2 cores", unit="s", against=against, samples=samples,
            wanted=("<=", seconds),
        )  # fmt: skip


def _wall_seconds(spec: str, profiles: tuple[str, ...], jobs: int) -> float:
    chosen = [text for each in profiles for text in ("--profile", each)]
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-P", "-m", "conformance", "certify", spec, *chosen, "-q", "-j", str(jobs)],
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(phases_of(sys.argv[1], tuple(sys.argv[2:]))))
