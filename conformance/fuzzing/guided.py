"""Coverage-guided fuzzing of Python code: a worker process under the engine, and what it says."""

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance.fuzzing.guided_worker import UNDER_WAY, case_of_bytes
from conformance.strategies.grammar.case import Case

#: The log of the engine, in the corpus' folder.
_LOG: Final = "engine.log"


class EngineFailed(Exception):
    """The engine did not run; the message says why, and where its log is."""


def available() -> bool:
    """Tell whether the engine is installed (the extra `fuzz`)."""
    return importlib.util.find_spec("atheris") is not None


@dataclass(frozen=True, slots=True)
class BroughtDown:
    """The case at which the worker process ended without being told to."""

    case: Case


@dataclass(frozen=True, slots=True)
class GuidedEngine:
    """Runs the worker for some time.

    Attributes:
        spec: The implementation, as the user named it.
        role: What is asked.
        pairs: The (family, profile) pairs.
        requirements: A glob over the ids of the requirements that count.
        seed: What the engine's chances depend on.
        folder: The corpus' folder.
        instrumented: The packages whose lines lead the engine.
    """

    spec: str
    role: str
    pairs: Sequence[tuple[str, str]]
    requirements: str
    seed: int
    folder: Path
    instrumented: tuple[str, ...]

    def run(self, seconds: float) -> Iterator[dict[str, Any] | BroughtDown]:
        """Yield what the worker says; it is started again behind a case that brings it down, while there is time.

        Raises:
            EngineFailed: It does not start.
        """
        deadline = time.monotonic() + seconds
        said = True
        while (left := deadline - time.monotonic()) > 0:
            if not said:
                raise EngineFailed(f"the fuzzing engine does not run; see {self.folder / _LOG}")
            said = False
            finished = False
            for message in self._messages(left):
                said = True
                finished = finished or "tally" in message
                yield message
            if finished:
                return
            if said:
                yield BroughtDown(self._under_way())

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
                assert worker.stdin is not None, "a pipe was asked for"
                assert worker.stdout is not None, "a pipe was asked for"
                worker.stdin.write(json.dumps(job).encode() + b"\n")
                worker.stdin.close()
                try:
                    for line in worker.stdout:
                        # What foreign code prints is no message.
                        if line.startswith(b'{"'):
                            yield json.loads(line)
                finally:
                    worker.kill()

    def _under_way(self) -> Case:
        kept = (self.folder / UNDER_WAY).read_bytes()
        return case_of_bytes(kept[4 : 4 + int.from_bytes(kept[:4], "little")], self.role, self.pairs)
