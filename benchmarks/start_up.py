"""Start-up: processor time of whole commands, from the start of Python to its end."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from measure import Measure

_SMALLEST: Final = "certify reference --role decode --family ignorable_events --profile worklog --examples 1 -q"
#: What is run -> the arguments, and the seconds that are wanted on an idle machine.
COMMANDS: Final[Mapping[str, tuple[Sequence[str], float]]] = {
    "--help": (("--help",), 0.15),
    "the smallest certify": (_SMALLEST.split(), 0.6),
}


def seconds_of(command: Sequence[str]) -> float:
    """Return the processor time of a command and of all that it starts, in seconds.

    Compiled modules are kept, as on a user's machine, whatever this shell has.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measures(rounds: int, before: str | None) -> Iterator[Measure]:
    """Yield the seconds of each command; beside another version of the kit also the ratio to it.

    Args:
        rounds: How often each is run; one more run of each comes first, which may have to compile the modules.
        before: The Python of an environment that has the other version.
    """
    for name, (arguments, limit) in COMMANDS.items():
        now, then = [], []
        for number in range(rounds + 1):
            for python, seconds in ((sys.executable, now), (before, then)):
                if python is not None:
                    spent = seconds_of([python, "-P", "-m", "conformance", *arguments])
                    if number:
                        seconds.append(spent)
        against = "nothing: processor time of this machine"
        yield Measure(part="start-up", name=name, unit="s", against=against, samples=now, wanted=("<=", limit))
        if then:
            ratios = [old / new for old, new in zip(then, now, strict=True)]
            yield Measure(part="start-up", name=f"{name}, before / now", unit="x", against=before or "", samples=ratios)
