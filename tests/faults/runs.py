"""The runs that a fault comes over: their commands, their processes, the phases seen from outside, their records."""

import json
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

READER = Path(__file__).parent.parent / "corpus" / "reader.py"
SPEC = shlex.join([f"command:{sys.executable}", str(READER), "mutant=text-cut-at-255"])
FEW = ("--profile", "mysql-8.0", "--family", "rows_query_streams", "--family", "transactions")
CASES = 1000
LOGS = tuple(map(str, sorted((Path(__file__).parent.parent / "golden").glob("*.bin"))))
#: Command -> its arguments, for a folder in which it writes everything.
COMMANDS = {
    "certify": ("certify", SPEC, *FEW, "--examples", "30", "--report", "out"),
    "fuzz": (
        *("fuzz", "decode", "--implementation", SPEC, *FEW),
        *("--engine", "property", "--time", "3s", "--corpus", "out/cases", "--report", "out"),
    ),
    "corpus": (
        *("corpus", "run", SPEC, *FEW, "--cases", str(CASES), "--output", "out"),
        *("--master", "local[1,4]", "--conf", "spark.ui.enabled=false"),
    ),
    "two workers": ("certify", SPEC, *FEW, "--examples", "30", "--report", "out", "--jobs", "2"),
    "check": ("check", "--jobs", "2", *LOGS),
    "decode": ("decode", "--json", *LOGS),
    "self-check": (
        *("self-check", "--role", "boundary", "--mutant", "b*", "--trigger", "log*"),
        *("--cases", "2", "--jobs", "2"),
    ),
    "serve": ("serve", LOGS[0], "--time", "3s"),
}
#: Quick to start, and small.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
#: Entries of a record that are times.
TIMES = ("started", "elapsed")
#: Seconds for anything that must end.
LONGEST = 300
#: Seconds in which every process of a run has to end after it.
GONE = 30


@dataclass
class Run:
    """A run of a command in a folder of its own.

    Attributes:
        command: Its name.
        folder: The folder in which it is run; it writes to `out` there.
        environment: Variables to set, or to unset where None.
        prefix: A program and arguments that start the command.
    """

    command: str
    folder: Path
    environment: dict = field(default_factory=dict)
    prefix: tuple = ()
    process: subprocess.Popen | None = None

    def start(self, *options):
        """Start the command."""
        # A module that is compiled onto a full disk is cut short, and stays so after the fault.
        variables = os.environ | {"JDK_JAVA_OPTIONS": JAVA, "PYTHONDONTWRITEBYTECODE": "1"} | self.environment
        with (self.folder / "stdout").open("wb") as output, (self.folder / "stderr").open("wb") as errors:
            self.process = subprocess.Popen(
                [*self.prefix, sys.executable, "-m", "conformance", *COMMANDS[self.command], *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                cwd=self.folder,
                env={name: value for name, value in variables.items() if value is not None},
            )

    def end(self):
        """Wait for the end, and return the exit status."""
        return self.process.wait(timeout=LONGEST)

    @property
    def out(self):
        """The folder in which it writes."""
        return self.folder / "out"

    @property
    def errors(self):
        """The lines of standard error, without Java's own."""
        lines = (self.folder / "stderr").read_text(encoding="utf-8", errors="replace").splitlines()
        return [line for line in lines if not line.startswith("NOTE: Picked up JDK_JAVA_OPTIONS")]

    def record(self):
        """Return the lines of its record, without times."""
        text = (self.out / "run.jsonl").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        return [{key: value for key, value in line.items() if key not in TIMES} for line in lines]

    def processes(self):
        """Return the command line of each process that runs in the folder, by process id in the order of start."""
        processes = {}
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and Path(os.readlink(entry / "cwd")) == self.folder:
                    stat = (entry / "stat").read_text().rpartition(")")[2].split()
                    if stat[0] != "Z":
                        command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                        processes[int(entry.name)] = (int(stat[19]), command)
            except OSError:
                continue  # It has already ended.
        return {each: command for each, (_, command) in sorted(processes.items(), key=lambda item: item[1][0])}

    def committed(self):
        """Return how many cases are in committed waves."""
        marks = self.out.glob("waves/*/_COMMITTED")
        return sum(json.loads(mark.read_text() or '{"cases": 0}')["cases"] for mark in marks)

    def has(self, phase):
        """Return whether a phase has begun."""
        return PHASE_BEGINS[phase](self)

    def wait_for(self, condition):
        """Wait until a condition is true; return False if the run ends before."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            if condition():
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.02)
        raise AssertionError(f"{self.command} does not get so far: {self.errors[-1:]}")

    def is_gone(self):
        """Return whether all its processes end soon."""
        deadline = time.monotonic() + GONE
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.1)
        return not self.processes()


def _record_text(run):
    record = run.out / "run.jsonl"
    return record.read_text(encoding="utf-8", errors="replace") if record.exists() else ""


#: Phase -> what shows that it has begun.
PHASE_BEGINS = {
    "starting": lambda run: True,
    "asking": lambda run: _record_text(run) and any("reader.py" in each for each in list(run.processes().values())[1:]),
    "reporting": lambda run: '"kind":"footer"' in _record_text(run),
    "first wave": lambda run: any(run.out.glob("waves/*")),
    "later wave": lambda run: run.committed() > 0,
    "shrinking": lambda run: run.committed() == CASES,
}
