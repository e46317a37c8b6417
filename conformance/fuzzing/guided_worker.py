"""The process in which a coverage-guided engine drives the grammar against Python code.

The engine (libFuzzer, through Atheris) takes over its process and may end it at any time, so it has one of its own.
The worker writes JSON lines: ``case`` for one that reached a new cell or failed in a new way, ``went_on`` every second,
and ``tally`` at the end. Before each case its bytes are written to a file, so that the case of a crash is known.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from conformance.oracles.verdict import failures_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import BytesChooser, RecordingChooser
from conformance.strategies.grammar.family import families

#: Bytes of the longest input.
_LONGEST: Final = 4096
#: The file with the bytes of the current case, in the corpus' folder.
CURRENT_CASE: Final = "under-way"
#: The folder of the engine's inputs, in the corpus' folder.
INPUTS: Final = "inputs"


def case_of_bytes(data: bytes, role: str, pairs: Sequence[tuple[str, str]]) -> Case:
    """Return the case of some bytes: the first two choose family and profile, the others are the grammar's choices."""
    family, profile = pairs[int.from_bytes(data[:2], "little") % len(pairs)]
    chooser = RecordingChooser(BytesChooser(data[2:]))
    case = families()[family].build(chooser, profile, CaseId(family, profile, choices=(), role=role))
    return case.with_id(CaseId(family, profile, choices=tuple(chooser.choices), role=role))


@dataclass(slots=True)
class GuidedWorker:
    """Judges one input after the other.

    Attributes:
        job: The parent's job: ``spec``, ``role``, ``pairs``, ``requirements``, ``seconds``, ``folder``.
        shrinker: Asks and judges.
        tally: Counts what was exercised.
    """

    job: dict[str, Any]
    shrinker: Any
    tally: Any
    _began: float = field(default_factory=time.monotonic)
    _reported: float = 0.0
    _reached: int = 0
    _failures: set[tuple[str, str]] = field(default_factory=set)
    _current_case: int = field(init=False)

    def __post_init__(self) -> None:
        path = Path(self.job["folder"]) / CURRENT_CASE
        self._current_case = os.open(path, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o644)

    def judge(self, data: bytes) -> None:
        """Judge the case of one input, and end the process when the time is up."""
        os.pwrite(self._current_case, len(data).to_bytes(4, "little") + data, 0)
        case = case_of_bytes(data, self.job["role"], self.job["pairs"])
        verdicts = self.shrinker.verdicts(case)
        new = self._new_failures(verdicts)
        if not new:
            # The parent judges the first case of each kind of failure again, and counts it.
            self.tally.add(case, verdicts)
        reached = self.tally.reached_in_all()
        if new or reached > self._reached:
            self._reached = reached
            send({"case": str(case.id), "failures": new})
        seconds = time.monotonic() - self._began
        if seconds - self._reported > 1:
            self._reported = seconds
            send({"went_on": self.tally.cases, "reached": self.tally.reached()})
        if seconds > self.job["seconds"]:
            send({"tally": self.tally.as_json()})
            os._exit(0)

    def _new_failures(self, verdicts: Sequence[Any]) -> list[list[str]]:
        keys = {(each.requirement, each.finding) for each in failures_of(verdicts)} - self._failures
        self._failures |= keys
        return [list(key) for key in sorted(keys)]


def send(message: dict[str, Any]) -> None:
    """Write one JSON line to the parent."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Run the engine on the job in the first line of standard input; does not return."""
    job = json.loads(sys.stdin.readline())
    import atheris

    sys.path.insert(0, "")
    with atheris.instrument_imports(include=job["instrumented"]):
        from conformance.engine.shrinking import Shrinker
        from conformance.engine.tally import Tally
        from conformance.implementations import registry
        from conformance.oracles.judge import Judge

        implementation = registry.implementation(job["spec"])
        declaration = implementation.start()
        job["pairs"] = [tuple(pair) for pair in job["pairs"]]
        shrinker = Shrinker(implementation, Judge(declaration.roles[job["role"]]), job["requirements"])
        worker = GuidedWorker(job, shrinker, Tally())
        # Modules that are imported late, by the first question, must be instrumented too.
        for index in range(len(job["pairs"])):
            worker.shrinker.verdicts(case_of_bytes(index.to_bytes(2, "little"), job["role"], job["pairs"]))
    inputs = Path(job["folder"]) / INPUTS
    inputs.mkdir(parents=True, exist_ok=True)
    options = {
        "max_len": _LONGEST,
        "len_control": 10,
        "seed": job["seed"] + 1,
        "timeout": 60,
        "rss_limit_mb": 0,
        "artifact_prefix": f"{job['folder']}/",
    }
    arguments = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], str(inputs), *arguments], worker.judge)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
