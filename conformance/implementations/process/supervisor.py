"""The supervisor: a program that runs an implementation, and ends every process of it when the kit ends.

It is run by path as ``python -I -S supervisor.py CONTROL MEMORY PROGRAM ARGUMENTS...`` and imports nothing of the kit,
so that it starts in milliseconds. ``CONTROL`` is the number of a socket to the kit:

- ``s``, with three file descriptors, starts the program on them; the answer is ``started PID`` or ``failed ERRNO``;
- ``ended STATUS`` reports that it has ended, a signal as a negative number;
- ``e`` ends every process of it; the answer is ``gone 0``;
- the end of file, which also comes when the kit is killed, ends them too, and the supervisor with them.

The program has a folder of its own for temporary files, named in ``TMPDIR``, which goes with the supervisor: what is
killed cannot remove its files itself.

On Linux it is a subreaper: a process whose parent has ended becomes its child, whatever sessions or groups were made,
so that it finds all. Elsewhere it ends the implementation's process group.
"""

import os
import resource
import select
import signal
import socket
import sys
import time

_LINUX = sys.platform == "linux"
if _LINUX:
    import ctypes

    _LIBC = ctypes.CDLL(None)

# From linux/prctl.h.
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
#: Where temporary files are if no variable names another folder.
_TEMPORARY = "/tmp"
#: Seconds between two looks at processes that take their time to end.
_LOOK = 0.002
#: Seconds after which processes that cannot be killed are left: those of another user, for instance.
_PATIENCE = 30.0
#: The signals, besides the end of file, that end it.
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


class Supervisor:
    """Starts a program again and again, and ends all its processes each time.

    Args:
        control: The socket to the kit.
        memory: Limit on the memory that a process may have, in bytes, 0 for none.
        command: Program and arguments.
    """

    def __init__(self, control: socket.socket, memory: int, command: list[str]) -> None:
        self._control = control
        self._memory = memory
        self._command = command
        #: The process id of the running implementation, None if it has ended.
        self._child: int | None = None
        #: Its folder for temporary files, None if there is none.
        self._folder: str | None = None

    def serve(self) -> None:
        """Obey the kit until it is gone."""
        if _LINUX:
            _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            # An implementation may have stopped it when the kit is killed: it could not see the end of file.
            _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGCONT), 0, 0, 0)
        self._folder = _made_folder()
        woken, wake = os.pipe()
        for end in (woken, wake):
            os.set_blocking(end, False)
        for number in (signal.SIGCHLD, *_ENDING):
            signal.signal(number, lambda *unused: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        control = self._control.fileno()
        while True:
            ready, _, _ = select.select([control, woken], [], [])
            if woken in ready:
                if not set(_ENDING).isdisjoint(os.read(woken, 4096)):
                    break
                self._reap()
            if control in ready and not self._obey():
                break
        self._end()
        if self._folder is not None:
            _remove(self._folder)

    def _obey(self) -> bool:
        """Obey one order of the kit; return False at the end of file."""
        try:
            order, streams, _, _ = socket.recv_fds(self._control, 1, 3)
        except OSError:
            return False
        if order == b"s":
            self._start(streams)
        elif order == b"e":
            self._end()
            self._report("gone 0")
        for stream in streams:
            os.close(stream)  # The implementation has the only copies, so that each pipe ends when it does.
        return bool(order)

    def _start(self, streams: list[int]) -> None:
        """Start the implementation in a session of its own, and report its process id or the error."""
        supervisor = os.getpid()
        failure, report = os.pipe()
        try:
            child = os.fork()
        except OSError as error:
            os.close(failure)
            os.close(report)
            self._report(f"failed {error.errno}")
            return
        if child == 0:
            try:
                self._run(supervisor, streams)
            except OSError as error:
                os.write(report, b"%d" % (error.errno or 0))
            finally:
                os._exit(127)
        os.close(report)
        errno = os.read(failure, 64)
        os.close(failure)
        if errno:
            os.waitpid(child, 0)
            self._report(f"failed {errno.decode()}")
        else:
            self._child = child
            self._report(f"started {child}")

    def _run(self, supervisor: int, streams: list[int]) -> None:
        """Become the implementation; this is a new process."""
        os.setsid()
        if _LINUX:
            _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
            if os.getppid() != supervisor:
                return  # It was killed before the line above.
            if self._memory:
                # Not its address space: the runtimes of Java and Go reserve far more of it than they use. The kit may
                # have a lower limit itself, which it cannot raise.
                _, hard = resource.getrlimit(resource.RLIMIT_DATA)
                memory = self._memory if hard == resource.RLIM_INFINITY else min(self._memory, hard)
                resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored, signal.SIG_DFL)  # Python ignores these, which the program would inherit.
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        if self._folder is not None:
            os.environ["TMPDIR"] = self._folder
        os.execvp(self._command[0], self._command)

    def _reap(self) -> None:
        """Take note of processes that have ended, and report the end of the implementation."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            if process == self._child:
                self._child = None
                if not _LINUX:
                    _kill_group(process)  # Nothing would find them later.
                self._report(f"ended {os.waitstatus_to_exitcode(status)}")

    def _report(self, message: str) -> None:
        try:
            self._control.sendall(message.encode() + b"\n")
        except OSError:
            return  # The kit is gone; the end of file follows.

    def _end(self) -> None:
        """Kill every process of the implementation until none is left."""
        if self._child is not None:
            _kill_group(self._child)
            os.waitpid(self._child, 0)
            self._child = None
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            try:
                if os.waitpid(-1, os.WNOHANG)[0]:
                    continue
            except ChildProcessError:
                return
            # A process cannot leave its descendants: what it has started comes here when it ends.
            for process in _descendants(os.getpid()):
                _kill(process)
            time.sleep(_LOOK)


def _made_folder() -> str | None:
    """Make a folder for temporary files in that of the user, and return its path; None if it cannot be made."""
    name = f"binlog-conformance-{os.getpid()}-{time.time_ns():x}"
    folder = os.path.join(os.environ.get("TMPDIR") or _TEMPORARY, name)
    try:
        os.mkdir(folder, 0o700)
    except OSError:
        return None
    return folder


def _remove(folder: str) -> None:
    # It takes longer to import than the program to start.
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _descendants(ancestor: int) -> list[int]:
    """Return the processes below one, by the parents that /proc shows; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if _LINUX else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # After the name, which may hold spaces and brackets: the state and the parent.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError):
                continue  # It has ended.
            children.setdefault(parent, []).append(int(name))
    below: list[int] = []
    to_visit = [ancestor]
    while to_visit:
        next_ones = children.get(to_visit.pop(), [])
        below += next_ones
        to_visit += next_ones
    return below


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except OSError:
        return  # It has ended, or belongs to another user.


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except OSError:
        return


if __name__ == "__main__":
    Supervisor(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), sys.argv[3:]).serve()
    os._exit(0)
