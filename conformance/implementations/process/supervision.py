"""Processes under a supervisor: they end with the kit however it ends, and what they have started ends with them."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

#: The supervisor's program, run by path: the kit may lie in a folder of a cluster's worker.
_PROGRAM: Final = Path(__file__).with_name("supervisor.py")
#: Seconds that processes may take to end when they are killed, for instance while a disk does not answer.
_KILL_SECONDS: Final = 5.0
#: Seconds after which a supervisor that has not ended yet is woken again.
_CONTINUE_SECONDS: Final = 0.2
#: The status of a process whose supervisor was killed: the system kills it then.
_KILLED: Final = -int(signal.SIGKILL)


class Supervision:
    """Runs a program under a supervisor, one process after another.

    The supervisor is started with the first process, and again if it was killed.

    Args:
        command: Program and arguments.
        memory_bytes: Address space that each of its processes may reserve, None for no limit. Enforced on Linux only.
        environment: Its environment.
    """

    def __init__(self, command: Sequence[str], *, memory_bytes: int | None, environment: Mapping[str, str]) -> None:
        self._command = command
        self._memory_bytes = memory_bytes
        self._environment = environment
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._received = b""

    def start(self) -> "SupervisedProcess":
        """Start the program; the process before must have been ended.

        Raises:
            OSError: There is no such program, or it cannot be run.
        """
        if self._supervisor is not None and self._supervisor.poll() is not None:
            self.close()
        if self._supervisor is None:
            self._launch()
        assert self._control is not None, "launched above"
        pipes = [os.pipe(), os.pipe(), os.pipe()]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        stdin, stdout, stderr = pipes[0][1], pipes[1][0], pipes[2][0]
        try:
            socket.send_fds(self._control, [b"s"], theirs)
        finally:
            for end in theirs:
                os.close(end)
        process = SupervisedProcess(
            self, os.fdopen(stdin, "wb", 0), os.fdopen(stdout, "rb", 0), os.fdopen(stderr, "rb", 0)
        )
        word, number = self.message(None) or ("", 0)
        if word != "started":
            process.close()
            if not word:
                raise OSError(f"{sys.executable} does not run {_PROGRAM}, which starts it")
            raise OSError(number, os.strerror(number), self._command[0])
        process.pid = number
        return process

    def _launch(self) -> None:
        self._control, theirs = socket.socketpair()
        self._received = b""
        with theirs:
            arguments = [str(theirs.fileno()), str(self._memory_bytes or 0), *self._command]
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                env=self._environment,
            )

    def end_process(self) -> None:
        """Kill the process and every process that it started; return when they have ended."""
        if self._control is None:
            return
        try:
            self._control.sendall(b"e")
            for _ in self._waking():
                with suppress(TimeoutError, BlockingIOError):
                    while (message := self.message(_CONTINUE_SECONDS)) is not None:
                        if message[0] == "gone":
                            return
                    break
        except OSError:
            pass  # It was killed, or some processes take longer: it goes on until the last one has ended.
        self.close()

    def close(self) -> None:
        """End the supervisor, and with it every process."""
        if self._control is not None and self._supervisor is not None:
            self._control.close()
            # One that takes longer goes on until the last process has ended.
            for _ in self._waking():
                with suppress(subprocess.TimeoutExpired):
                    self._supervisor.wait(_CONTINUE_SECONDS)
                    break
        self._control = self._supervisor = None

    def _waking(self) -> Iterator[None]:
        """Wake the supervisor again and again while it may take to end: an implementation may have stopped it."""
        for _ in range(int(_KILL_SECONDS / _CONTINUE_SECONDS)):
            if self._supervisor is not None:
                self._supervisor.send_signal(signal.SIGCONT)
            yield

    def message(self, seconds: float | None) -> tuple[str, int] | None:
        """Return the next word and number from the supervisor, None if it has ended.

        Args:
            seconds: How long to wait; None for as long as it takes.

        Raises:
            TimeoutError, BlockingIOError: None came in time.
        """
        if self._control is None:
            return None
        self._control.settimeout(seconds)
        while b"\n" not in self._received:
            try:
                chunk = self._control.recv(64)
            except ConnectionError:
                chunk = b""
            if not chunk:
                return None
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        word, _, number = line.decode("ascii").partition(" ")
        return word, int(number)


class SupervisedProcess:
    """A running process and its pipes.

    Attributes:
        pid: Its process id.
        stdin: The pipe to its standard input.
        stdout: The pipe from its standard output.
        stderr: The pipe from its standard error.
    """

    def __init__(self, supervision: Supervision, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        self._supervision = supervision
        self._status: int | None = None
        self.pid = 0
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr

    def exit_status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal; None if the process still runs after some seconds."""
        if self._status is None:
            try:
                message = self._supervision.message(max(seconds, 0))
            except (TimeoutError, BlockingIOError):
                return None
            self._status = _KILLED if message is None else message[1]
        return self._status

    def end(self) -> None:
        """Kill the process and every process that it started, and close the pipes."""
        self._supervision.end_process()
        self.close()

    def close(self) -> None:
        """Close the pipes."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()
