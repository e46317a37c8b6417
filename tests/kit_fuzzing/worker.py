"""The process in which the coverage-guided engine drives one target.

The engine (libFuzzer, through Atheris) takes over its process and may end it at any time. The worker writes a JSON
line when it has checked the seeds, and one for each finding, after which it goes on. What the engine itself writes on
standard error is its log.
"""

import json
import random
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tests.kit_fuzzing.findings import Findings
    from tests.kit_fuzzing.target import Target

#: The engine's limit on the whole process, in MiB.
_MEMORY: Final = 3000
#: Seconds that no input takes: the engine's alarm would be SIGALRM, which the command line handles itself. With 0 the
#: alarm comes after a second.
_NEVER: Final = 100_000_000


class Worker:
    """Checks one input after the other.

    Args:
        target: The target.
        findings: Saves inputs that break its invariant.
    """

    def __init__(self, target: "Target", findings: "Findings") -> None:
        self._target = target
        self._findings = findings
        self._messages = sys.stdout

    def begin(self) -> None:
        """Report that the seeds are checked: from here on the time counts."""
        self._report({"begun": self._target.name})

    def check(self, data: bytes) -> None:
        """Check one input; a broken invariant is saved and reported once for each name."""
        broken = self._findings.check(data)
        if broken is not None:
            self._report({"finding": broken.name, "detail": broken.detail[-2000:]})

    def _report(self, message: dict[str, str]) -> None:
        self._messages.write(json.dumps(message) + "\n")
        self._messages.flush()

    def mutate(self, data: bytes, size: int, seed: int) -> bytes:
        """Return another input of at most `size` bytes."""
        import atheris

        return self._target.mutate(data, size, random.Random(seed), atheris.Mutate)[:size]

    def cross(self, one: bytes, other: bytes, size: int, seed: int) -> bytes:
        """Return an input of at most `size` bytes that has something of each."""
        assert self._target.cross is not None, "the engine is given this function only then"
        return self._target.cross(one, other, size, random.Random(seed))[:size]


def main() -> None:
    """Run the engine on the job in the first line of standard input; does not return."""
    job: dict[str, Any] = json.loads(sys.stdin.readline())
    import atheris

    with atheris.instrument_imports(include=["conformance"]):
        from tests.kit_fuzzing.findings import Findings
        from tests.kit_fuzzing.invariant import Broken
        from tests.kit_fuzzing.target import SCRATCH
        from tests.kit_fuzzing.targets import TARGETS

        target = TARGETS[job["target"]]
        scratch = TemporaryDirectory(prefix="kit-fuzzing-", dir=SCRATCH)
        worker = Worker(target, Findings(target, Path(job["found"]), Path(scratch.name)))
        inputs = Path(job["corpus"])
        # Commands import modules late; those must be instrumented too, of which the engine writes on standard error.
        for number, seed in enumerate(target.seeds()):
            with suppress(Broken):
                target.check(seed, Path(scratch.name))
            (inputs / f"seed-{number:04}").write_bytes(seed)
    words = inputs.parent / f"{target.name}.words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words), encoding="ascii")
    options = {
        "max_total_time": max(1, int(job["seconds"])),
        "max_len": target.longest,
        "timeout": _NEVER,
        "rss_limit_mb": _MEMORY,
        "seed": job["seed"] + 1,
        "dict": words,
        "artifact_prefix": f"{job['artifacts']}/",
        "print_final_stats": 1,
    }
    arguments = [f"-{name}={value}" for name, value in options.items()]
    crossover = {} if target.cross is None else {"custom_crossover": worker.cross}
    atheris.Setup([sys.argv[0], str(inputs), *arguments], worker.check, custom_mutator=worker.mutate, **crossover)
    worker.begin()
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    main()
