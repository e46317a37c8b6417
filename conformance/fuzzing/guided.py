"""Coverage-guided fuzzing of Python code: runs a worker process under the engine, and reads its messages."""

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance.fuzzing.guided_worker import CURRENT_CASE, case_of_bytes
from conformance.strategies.grammar.case import Case

#: The log of the engine, in the corpus' folder.
_LOG: Final = "engine.log"


class EngineFailed(Exception):
    """The engine did not run; the message says why, and where its log is."""


def available() -> bool:
    """Return whether the engine is installed (the extra `fuzz`)."""
    return importlib.util.find_spec("atheris") is not None


@dataclass(frozen=True, slots=True)
class WorkerCrashed:
    """The worker process ended unexpectedly at this case."""

    case: Case


@dataclass(frozen=True, slots=True)
class GuidedEngine:
    """Runs the worker for some time.

    Attributes:
        spec: The implementation, as the user named it.
        role: The role of the cases.
        pairs: The (family, profile) pairs.
        requirements: A glob over the ids of the requirements to judge.
        seed: The seed of the engine.
        folder: The corpus' folder.
        instrumented: The packages whose lines guide the engine.
    """

    spec: str
    role: str
    pairs: Sequence[tuple[str, str]]
    requirements: str
    seed: int
    folder: Path
    instrumented: tuple[str, ...]

    def run(self, seconds: float) -> Iterator[dict[str, Any] | WorkerCrashed]:
        """Yield the worker's messages; after a case that crashes it, the worker is restarted while there is time.

        Raises:
            EngineFailed: The engine does not start.
        """
        deadline = time.monotonic() + seconds
        has_answered = True
        while (left := deadline - time.monotonic()) > 0:
            if not has_answered:
                raise EngineFailed(f"the fuzzing engine does not run; see {self.folder / _LOG}")
            has_answered = False
            finished = False
            for message in self._messages(left):
                has_answered = True
                finished = finished or "tally" in message
                yield message
            if finished:
                return
            if has_answered:
                yield WorkerCrashed(self._current_case())

    def _messages(self, seconds: float) -> Iterator[dict[str, Any]]:
        job = {
            "spec": self.spec,
            "role": self.role,
            "pairs": list(self.pairs),
            "requirements": self.requirements,
            "seed": self.seed,
            "seconds": seconds,
            "folder": str(self.folder),
            "instrumented": list(self.instrumented),
        }
        with (self.folder / _LOG).open("wb") as log:
            command = [sys.executable, "-m", "conformance.fuzzing.guided_worker"]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log) as worker:
                assert worker.stdin is not None, "it was started with pipes"
                assert worker.stdout is not None, "it was started with pipes"
                worker.stdin.write(json.dumps(job).encode() + b"\n")
                worker.stdin.close()
                try:
                    for line in worker.stdout:
                        # Other lines are output of the code under test.
                        if line.startswith(b'{"'):
                            yield json.loads(line)
                finally:
                    worker.kill()

    def _current_case(self) -> Case:
        kept = (self.folder / CURRENT_CASE).read_bytes()
        return case_of_bytes(kept[4 : 4 + int.from_bytes(kept[:4], "little")], self.role, self.pairs)
