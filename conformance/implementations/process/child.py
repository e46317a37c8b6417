"""A child process that exchanges lines, with limits on time, memory and output.

One thread serves all three pipes, so that neither side can block the other: a child that does not read its requests,
floods its standard error or never ends its line reaches the deadline like any other.
"""

import os
import re
import selectors
import signal
import sys
import time
from typing import IO, Final

from conformance.implementations.process.deadline import Deadline
from conformance.implementations.process.memory import ran_out_of_memory
from conformance.implementations.process.supervision import Supervision
from conformance.implementations.process.usage import Usage, usage_of

#: Bytes that one read takes from a pipe.
_CHUNK: Final = 1 << 16
#: Bytes of standard error that are shown.
STDERR_BYTES: Final = 4096
#: Bytes of standard error that are kept: the reason of a crash may come before the stacks of many threads.
_KEPT_STDERR: Final = 1 << 16
#: The line with which a runtime gives the reason for its end, and the bytes of it that are shown.
_REASON: Final = re.compile(
    rb"^(?:panic: |fatal error: |FATAL ERROR: |Exception in thread |terminate called )[^\n]*", re.M
)
_LONGEST_REASON: Final = 1024
#: Seconds that a child may take to end once its output has ended.
EXIT_SECONDS: Final = 1.0
#: How a child ends that closes its output and runs on.
CLOSED_OUTPUT: Final = "closed-its-output"


class Exited(Exception):
    """The child has ended, or closed its output.

    Attributes:
        signature: ``exit-status-N``, ``signal-NAME`` or ``closed-its-output``.
        out_of_memory: Whether it had a limit on memory, and ended because it was refused more.
    """

    def __init__(self, signature: str, *, out_of_memory: bool = False) -> None:
        super().__init__(signature)
        self.signature = signature
        self.out_of_memory = out_of_memory


class TimedOut(Exception):
    """No line came in time."""


class Flooded(Exception):
    """A line is longer than it may be.

    Attributes:
        start: The beginning of the line.
    """

    def __init__(self, start: bytes) -> None:
        super().__init__("a line without end")
        self.start = start


class Child:
    """A running child process under a supervisor.

    Args:
        supervision: Starts and ends it.
        memory_limited: Whether it has a limit on memory.

    Raises:
        OSError: There is no such program, or it cannot be run.
    """

    def __init__(self, supervision: Supervision, *, memory_limited: bool) -> None:
        self._memory_limited = memory_limited and sys.platform == "linux"
        self._received = bytearray()
        self._searched = 0
        self._unsent = bytearray()
        self._stderr = bytearray()
        self._process = supervision.start()
        self._stdin, self._stdout, self._errors = self._process.stdin, self._process.stdout, self._process.stderr
        self._selector = selectors.DefaultSelector()
        for pipe in (self._stdin, self._stdout, self._errors):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._errors, selectors.EVENT_READ)

    def send(self, line: bytes) -> None:
        """Queue a line; it is sent while `receive` waits."""
        if not self._unsent and not self._stdin.closed:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._unsent += line

    def receive(self, seconds: float, length: int) -> bytes:
        """Return the next line, without its line feed.

        Args:
            seconds: How long to wait, without the time in which the child waits for a processor.
            length: How many bytes it may have.

        Raises:
            TimedOut: No line came within `seconds`.
            Exited: The child ended before the line did.
            Flooded: The line is too long.
        """
        deadline = Deadline(seconds, self._process.pid)
        while True:
            line = self._take_line(length)
            if line is not None:
                return line
            if deadline.has_passed():
                raise TimedOut
            if not self._serve(deadline.step()):
                raise self._exit()

    def leftover(self, seconds: float) -> bytes:
        """Return what the child writes within `seconds` although no request is open; 0 does not wait.

        Raises:
            Exited: It ends.
        """
        deadline = time.monotonic() + seconds
        while not self._received:
            if not self._serve(max(deadline - time.monotonic(), 0)):
                raise self._exit()
            if time.monotonic() >= deadline:
                break
        return bytes(self._received[:_CHUNK])

    def forget_errors(self) -> None:
        """Drop the standard error received so far."""
        self._stderr.clear()

    @property
    def usage(self) -> Usage | None:
        """What the process has used so far, None where that is not known; its own children do not count."""
        return usage_of(self._process.pid)

    @property
    def errors(self) -> str:
        """The last lines of standard error, `STDERR_BYTES` at the most, after the line that has the reason if any has.

        A runtime that prints the stacks of all its threads begins with the reason.
        """
        everything = bytes(self._stderr)
        end = everything[-STDERR_BYTES:]
        if len(end) < len(everything):
            end = end[end.find(b"\n") + 1 :]
            reason = _REASON.search(everything, 0, len(everything) - len(end))
            end = reason[0][:_LONGEST_REASON] + b"\n...\n" + end if reason else end
        return end.decode("utf-8", "backslashreplace")

    def _take_line(self, length: int) -> bytes | None:
        end = self._received.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._received)
            if self._searched > length:
                raise Flooded(bytes(self._received[:_CHUNK]))
            return None
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._searched = 0
        if end > length:
            raise Flooded(line[:_CHUNK])
        return line

    def _serve(self, seconds: float) -> bool:
        """Read and write what is ready, waiting at most `seconds`; return False after the end of standard output."""
        if self._stdout not in self._selector.get_map():
            return False
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._stdin:
                self._write()
            elif key.fileobj is self._errors:
                self._read(self._errors, self._stderr)
                del self._stderr[:-_KEPT_STDERR]
            elif not self._read(self._stdout, self._received):
                return False
        return True

    def _read(self, pipe: IO[bytes], into: bytearray) -> bool:
        try:
            chunk = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return True
        if not chunk:
            self._selector.unregister(pipe)
        into += chunk
        return bool(chunk)

    def _write(self) -> None:
        try:
            sent = os.write(self._stdin.fileno(), self._unsent[:_CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:
            sent = len(self._unsent)  # The child does not read it; its output will end, or not come.
        del self._unsent[:sent]
        if not self._unsent:
            self._selector.unregister(self._stdin)

    def _exit(self) -> Exited:
        """Return how the child ended, after the end of its output."""
        if self._unsent:
            self._unsent.clear()
            self._selector.unregister(self._stdin)
        deadline = time.monotonic() + EXIT_SECONDS
        status = self._process.exit_status(EXIT_SECONDS)
        if status is None:
            return Exited(CLOSED_OUTPUT)
        self._drain_errors(deadline)
        signature = f"exit-status-{status}" if status >= 0 else f"signal-{_signal_name(-status)}"
        refused = self._memory_limited and status != 0 and ran_out_of_memory(bytes(self._stderr))
        return Exited(signature, out_of_memory=refused)

    def _drain_errors(self, deadline: float) -> None:
        """Read standard error to its end, or to the deadline, as a grandchild may hold it open."""
        while self._errors in self._selector.get_map() and time.monotonic() < deadline:
            if self._selector.select(max(deadline - time.monotonic(), 0)):
                self._read(self._errors, self._stderr)
                del self._stderr[:-_KEPT_STDERR]

    def stop(self, line: bytes, seconds: float) -> None:
        """Send a last line, close standard input, and give the child `seconds` to end before it is killed."""
        self.send(line)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._serve(max(deadline - time.monotonic(), 0)):
            self._received.clear()
            self._searched = 0
            if not self._unsent and not self._stdin.closed:
                self._stdin.close()
        if self._stdout not in self._selector.get_map():
            self._exit()
        self.kill()

    def kill(self) -> None:
        """Kill the child and every process that it started, in whatever session."""
        self._process.end()
        self._selector.close()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
