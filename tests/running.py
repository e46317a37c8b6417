"""The command line in a fork of this process, which has its modules already: exit status, output and errors."""

import os
import pty
import select
import shlex
import signal
import sys
import time
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

#: Seconds that a command may take.
SECONDS = 240


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended; on a terminal `output` is all that it showed."""

    status: int
    output: str
    errors: str = ""


@cache
def _preload():
    """Import what commands import, once: each fork then has it."""
    from conformance.cli.main import COMMANDS
    from conformance.mutants.registry import mutants
    from conformance.oracles.registry import oracles
    from conformance.strategies.grammar.family import families

    for entry in COMMANDS.values():
        import_module(entry.module)
    families()
    oracles()
    mutants()


def forked(*arguments, prepare=lambda: None):
    """Run a command with pipes; `prepare` is called in the child, with the standard streams in place."""
    _preload()
    ends = [os.pipe(), os.pipe()]
    pid = os.fork()
    if not pid:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, (reader, writer) in enumerate(ends, start=1):
            os.dup2(writer, number)
            os.close(reader)
            os.close(writer)
        _child(arguments, prepare)
    for _, writer in ends:
        os.close(writer)
    output, errors = _read([reader for reader, _ in ends], pid)
    return Done(_status(pid), output, errors)


def run(*arguments, check=None):
    """Run a command with pipes; it shows no traceback, and ends with the status `check` if that is given."""
    done = forked(*arguments)
    assert "Traceback" not in done.errors
    if check is not None:
        assert done.status == check, done.output + done.errors
    return done


def on_terminal(*arguments, prepare=lambda: None):
    """Run a command on a terminal of its own, with all three standard streams."""
    _preload()
    pid, master = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm-256color"
        _child(arguments, prepare)
    (output,) = _read([master], pid)
    return Done(_status(pid), output.replace("\r\n", "\n"))


def _child(arguments, prepare):
    status = 99
    try:
        # Pytest has put its own streams in their place.
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        sys.argv = ["binlog-conformance", *map(str, arguments)]
        prepare()
        from conformance.cli.main import main

        main()
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                status = 120
        os._exit(status)


def _read(descriptors, pid):
    parts = {descriptor: bytearray() for descriptor in descriptors}
    left = set(descriptors)
    deadline = time.monotonic() + SECONDS
    while left:
        ready, _, _ = select.select(list(left), [], [], 1.0)
        for descriptor in ready:
            try:
                data = os.read(descriptor, 1 << 16)
            except OSError:  # the other end of a terminal is closed
                data = b""
            parts[descriptor] += data
            if not data:
                left.discard(descriptor)
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            break
    for descriptor in descriptors:
        os.close(descriptor)
    return [part.decode("utf-8", "surrogateescape") for part in parts.values()]


def _status(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def double(name, *arguments):
    """Return the spec of a test double."""
    program = Path(__file__).parent / "doubles" / f"{name}.py"
    return "command:" + shlex.join([sys.executable, str(program), *arguments])
