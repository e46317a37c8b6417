"""A child process that exchanges lines, with limits on time, memory and output.

One thread serves all three pipes, so that neither side can block the other: a child that does not read its requests,
floods its standard error or never ends its line reaches the deadline like any other.
"""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO, Final

from conformance.implementations.process.memory import ran_out_of_memory
from conformance.implementations.process.usage import Usage, usage_of

if sys.platform == "linux":
    import resource

#: Bytes that one read takes from a pipe.
_CHUNK: Final = 1 << 16
#: Bytes of standard error that are shown.
STDERR_BYTES: Final = 4096
#: Bytes of standard error that are kept: the reason of a crash may come before the stacks of many threads.
_KEPT_STDERR: Final = 1 << 16
#: Seconds that a child may take to end once its output has ended.
_EXIT_SECONDS: Final = 1.0


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
    """A running child process in its own process group.

    Args:
        command: Program and arguments.
        memory_bytes: Address space that it may reserve, None for no limit. Enforced on Linux only.
        line_bytes: The longest line that it may send.

    Raises:
        OSError: There is no such program, or it cannot be run.
    """

    def __init__(self, command: Sequence[str], *, memory_bytes: int | None, line_bytes: int) -> None:
        self._line_bytes = line_bytes
        self._memory_limited = memory_bytes is not None and sys.platform == "linux"
        self._received = bytearray()
        self._searched = 0
        self._unsent = bytearray()
        self._stderr = bytearray()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
        if memory_bytes is not None and sys.platform == "linux":
            self._limit_memory(memory_bytes)
        self._stdin, self._stdout, self._errors = (
            _opened(pipe) for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._selector = selectors.DefaultSelector()
        for pipe in (self._stdin, self._stdout, self._errors):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._errors, selectors.EVENT_READ)

    def _limit_memory(self, memory_bytes: int) -> None:
        """Limit the address space from outside; a child that has ended already has none."""
        try:
            resource.prlimit(self._process.pid, resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        except ProcessLookupError:
            return

    def send(self, line: bytes) -> None:
        """Queue a line; it is sent while `receive` waits."""
        if not self._unsent and not self._stdin.closed:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._unsent += line

    def receive(self, seconds: float) -> bytes:
        """Return the next line, without its line feed.

        Raises:
            TimedOut: No line came within `seconds`.
            Exited: The child ended before the line did.
            Flooded: The line is too long.
        """
        deadline = time.monotonic() + seconds
        while True:
            line = self._take_line()
            if line is not None:
                return line
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimedOut
            if not self._serve(left):
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
        """The last `STDERR_BYTES` of standard error."""
        return bytes(self._stderr[-STDERR_BYTES:]).decode("utf-8", "backslashreplace")

    def _take_line(self) -> bytes | None:
        end = self._received.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._received)
            if self._searched > self._line_bytes:
                raise Flooded(bytes(self._received[:_CHUNK]))
            return None
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._searched = 0
        if end > self._line_bytes:
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
        deadline = time.monotonic() + _EXIT_SECONDS
        while time.monotonic() < deadline:
            status = self._exit_status()
            if status is not None:
                self._drain_errors(deadline)
                signature = f"exit-status-{status}" if status >= 0 else f"signal-{_signal_name(-status)}"
                refused = self._memory_limited and status != 0 and ran_out_of_memory(bytes(self._stderr))
                return Exited(signature, out_of_memory=refused)
            time.sleep(0.002)
        return Exited("closed-its-output")

    def _exit_status(self) -> int | None:
        """Return the exit status, negative for a signal; None while the child runs."""
        if sys.platform != "linux":
            return self._process.poll()
        # WNOWAIT keeps the child's number reserved, so that it still identifies its process group.
        ended = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

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
        """Kill the child and every process of its group."""
        if self._process.returncode is None:
            # The group first: until the child is waited for, its number cannot be given to another process.
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self._process.kill()
            self._process.wait()
        self._selector.close()
        for pipe in (self._stdin, self._stdout, self._errors):
            pipe.close()


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "every pipe was requested"
    return pipe


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
