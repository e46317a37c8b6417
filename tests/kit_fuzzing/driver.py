"""Fuzzing of the kit's targets, one after the other, each in a worker process of its own."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Final

from tests.kit_fuzzing.findings import FOUND

#: The engine's line on how far it is: inputs, coverage, features, inputs that it keeps.
_PROGRESS: Final = re.compile(rb"^#(\d+)\s.*?cov: (\d+) ft: (\d+) corp: (\d+)/", re.MULTILINE)
_EXECUTED: Final = re.compile(rb"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
#: Seconds that a worker may take longer than it should, for what Python cannot interrupt.
_GRACE: Final = 120
#: Seconds until a worker has checked the seeds of its target, on a machine that has other work.
_SEEDS: Final = 1_200
#: Seconds below which a worker that ended has not run.
_STARTED: Final = 5


class CannotFuzz(Exception):
    """A worker did not run; the message names its log."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What the fuzzing of one target reached.

    Attributes:
        target: Its name.
        seconds: How long it ran.
        executions: Inputs that were checked.
        coverage: Edges of the kit's code that ran.
        features: The same with how often, as the engine counts them.
        inputs: Inputs that the engine kept.
        findings: Names of the findings, and of inputs that ended the worker.
    """

    target: str
    seconds: float
    executions: int
    coverage: int
    features: int
    inputs: int
    findings: tuple[str, ...]

    def line(self) -> str:
        """Return it as one line."""
        return (
            f"{self.target}: {self.executions:,} inputs in {self.seconds:.0f} s, {self.coverage} edges, "
            f"{self.features} features, {self.inputs} kept; findings: {', '.join(self.findings) or 'none'}"
        )


class Watchdog:
    """Kills a worker that takes too long.

    Args:
        worker: The worker.
        seconds: How long it may take.

    Attributes:
        has_killed: Whether it has taken too long.
    """

    def __init__(self, worker: subprocess.Popen[bytes], seconds: float) -> None:
        self._worker = worker
        self.has_killed = False
        self._timer = Timer(seconds, self._kill)
        self._timer.start()

    def allow(self, seconds: float) -> None:
        """Let the worker take so long from now on."""
        self.cancel()
        self._timer = Timer(seconds, self._kill)
        self._timer.start()

    def cancel(self) -> None:
        """Let the worker take as long as it will."""
        self._timer.cancel()

    def _kill(self) -> None:
        self.has_killed = True
        self._worker.kill()


@dataclass(frozen=True, slots=True)
class Driver:
    """Fuzzes targets.

    Attributes:
        corpus: The folder of all inputs, in which an interrupted run goes on.
        seed: The seed of the engine.
        findings: The folder of findings.
    """

    corpus: Path
    seed: int
    findings: Path = FOUND

    def fuzz(self, target: str, seconds: float) -> Reached:
        """Fuzz one target for some time; a worker that an input ends is started again.

        Raises:
            CannotFuzz: The worker does not run.
        """
        inputs = self.corpus / target
        inputs.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        executions, names, log = 0, list[str](), b""
        while (left := seconds - (time.monotonic() - began)) > 1:
            started = time.monotonic()
            log_path = self.corpus / f"{target}.log"
            names += self._run(target, inputs, left, log_path)
            log = log_path.read_bytes()
            matches = _EXECUTED.findall(log) or [each[0] for each in _PROGRESS.findall(log)]
            executions += int(matches[-1]) if matches else 0
            ended_by = list(self._artifacts(target))
            names += ended_by
            if not ended_by and (not matches or time.monotonic() - started < min(left, _STARTED)):
                raise CannotFuzz(f"the worker of {target} does not run; see {log_path}")
        progress = _PROGRESS.findall(log)
        coverage, features, kept = map(int, progress[-1][1:]) if progress else (0, 0, 0)
        return Reached(target, time.monotonic() - began, executions, coverage, features, kept, tuple(names))

    def _run(self, target: str, inputs: Path, seconds: float, log_path: Path) -> Iterator[str]:
        """Run one worker to its end; yield the names of findings, after printing them."""
        artifacts = self.corpus / f"{target}.artifacts"
        artifacts.mkdir(exist_ok=True)
        job = {
            "target": target,
            "corpus": str(inputs),
            "artifacts": str(artifacts),
            "found": str(self.findings),
            "seconds": seconds,
            "seed": self.seed,
        }
        command = [sys.executable, "-m", "tests.kit_fuzzing.worker"]
        with (
            log_path.open("wb") as log,
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log) as worker,
        ):
            assert worker.stdin is not None, "it was started with pipes"
            assert worker.stdout is not None, "it was started with pipes"
            worker.stdin.write(json.dumps(job).encode() + b"\n")
            worker.stdin.close()
            watchdog = Watchdog(worker, _SEEDS)
            try:
                for line in worker.stdout:
                    if line.startswith(b'{"begun"'):
                        watchdog.allow(seconds + _GRACE)
                    elif line.startswith(b'{"finding"'):
                        message = json.loads(line)
                        print(f"{target}: {message['finding']}\n{message['detail']}\n", flush=True)
                        yield message["finding"]
            finally:
                watchdog.cancel()
                worker.kill()
        if watchdog.has_killed:
            raise CannotFuzz(f"an input of {target} keeps its worker from ending; see {log_path}")

    def _artifacts(self, target: str) -> Iterator[str]:
        """Save the inputs that ended a worker as findings; yield their names."""
        for path in sorted((self.corpus / f"{target}.artifacts").iterdir()):
            name = path.name[:24]
            (self.findings / target).mkdir(parents=True, exist_ok=True)
            shutil.move(path, self.findings / target / name)
            print(f"{target}: {name} ended the worker", flush=True)
            yield name
