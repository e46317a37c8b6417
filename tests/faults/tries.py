"""The tries: which fault of the machine comes over which command, and when. A try is a pure function of its seed."""

from dataclasses import dataclass
from random import Random

#: What is killed with SIGKILL, in the order in which it starts.
VICTIMS = ("driver", "java", "python daemon", "python worker", "implementation")

#: (command, fault) of the seeds in turn: the first twelve are the default of `tox -e slow`.
KINDS = (
    ("corpus", "kill driver"),
    ("certify", "kill driver"),
    ("certify", "full disk"),
    ("certify", "poor environment"),
    ("corpus", "kill implementation"),
    ("certify", "kill implementation"),
    ("certify", "read-only folder"),
    ("certify", "closed descriptors"),
    ("corpus", "full disk"),
    ("certify", "tiny limits"),
    ("certify", "clock step"),
    ("fuzz", "kill driver"),
    ("corpus", "kill java"),
    ("certify", "kill driver"),
    ("fuzz", "full disk"),
    ("corpus", "kill python"),
    ("fuzz", "poor environment"),
    ("certify", "tiny limits"),
    ("corpus", "other fault"),
    ("certify", "poor environment"),
)
#: The faults in the place of "other fault" and "kill python", of which each seed draws one.
OTHERS = {
    "other fault": ("clock step", "read-only folder", "poor environment", "closed descriptors"),
    "kill python": ("kill python daemon", "kill python worker"),
}
#: The phases of a command, each begun by something that is seen from outside, and for how many seconds a fault may wait
#: then: so long that it often comes before the run is over.
PHASES = {
    "certify": {"starting": 0.6, "asking": 1.0, "reporting": 0.1},
    "corpus": {"starting": 5.0, "first wave": 3.0, "later wave": 3.0, "shrinking": 1.0},
    "fuzz": {"starting": 0.6, "asking": 3.0},
}
#: Faults that are there from the start.
FROM_THE_START = ("poor environment", "closed descriptors", "tiny limits")

ENVIRONMENTS = {
    "no locale": {"LC_ALL": None, "LANG": None, "LC_CTYPE": None},
    "C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "output in ASCII": {"PYTHONIOENCODING": "ascii"},
    "a locale that is not there": {"LC_ALL": "xx_YY.UTF-8", "LANG": "xx_YY"},
    "no home": {"HOME": None, "USER": None, "LOGNAME": None},
    "a home that is not there": {"HOME": "/nonexistent/home"},
    "no folder for temporary files": {"TMPDIR": "/nonexistent/tmp"},
}


@dataclass(frozen=True)
class Try:
    """One fault over one command.

    Attributes:
        seed: What it was drawn from.
        command: certify, corpus or fuzz.
        fault: The fault.
        phase: The phase in which it comes.
        delay: Seconds after the phase has begun.
        detail: What the fault needs: descriptors, limits, an environment, a size, a step.
    """

    seed: int
    command: str
    fault: str
    phase: str
    delay: float
    detail: tuple

    def __str__(self):
        detail = " ".join(map(str, self.detail))
        moment = self.phase if self.fault in FROM_THE_START else f"{self.phase} +{self.delay:.2f} s"
        return f"seed {self.seed}: {self.command}, {self.fault} {detail}, {moment}".replace(" ,", ",")


#: Fault -> what is drawn for it.
DETAILS = {
    "full disk": lambda random: (random.choice(("output", "temporary")), random.choice((16, 64, 128, 256, 512)), "KiB"),
    "poor environment": lambda random: tuple(sorted(random.sample(sorted(ENVIRONMENTS), random.randint(1, 3)))),
    "closed descriptors": lambda random: tuple(sorted(random.sample((0, 1, 2), random.randint(1, 3)))),
    "tiny limits": lambda random: random.choice(
        (
            ("nofile", random.randint(8, 48)),
            ("as", random.randint(60, 400) << 20),
            ("fsize", random.randint(0, 200_000)),
        )
    ),
    "clock step": lambda random: (random.choice((-3650, -1, -0.04, 0.04, 1, 3650)), "days"),
}


def draw(seed):
    """Return the try of a seed."""
    random = Random(seed)
    command, fault = KINDS[seed % len(KINDS)]
    fault = random.choice(OTHERS.get(fault, (fault,)))
    phase, delay = "from the start", 0.0
    if fault not in FROM_THE_START:
        phase, longest = random.choice(list(PHASES[command].items()))
        delay = random.uniform(0, longest)
    return Try(seed, command, fault, phase, delay, DETAILS.get(fault, lambda random: ())(random))
