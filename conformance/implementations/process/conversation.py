"""A conversation with one running process, from its declaration to its end."""

from collections import deque
from dataclasses import replace
from typing import Final, NoReturn

from conformance.implementations.process.child import Child, Exited, Flooded, TimedOut
from conformance.implementations.process.limits import Limits
from conformance.implementations.process.supervision import Supervision
from conformance.implementations.process.usage import Usage
from conformance.protocol.messages import (
    ProtocolError,
    changed_parts,
    decode_answer,
    decode_declaration,
    encode_request,
    encode_start,
    encode_stop,
    shortened,
)
from conformance.protocol.observation import LATE, Declaration, Observation, Request, Trouble
from conformance.protocol.roles.registry import role_of
from conformance.wire.shared_listener import begin, end

#: Seconds that a process has to exit after a stop message.
_STOP_SECONDS: Final = 2.0
#: A process that has grown by more bytes is started again before memory is measured: a peak hides lower ones.
_UNSEEN_BYTES: Final = 64 << 20
#: The signature of what the kit's own limit ended; the detail has the limit itself.
_OUT_OF_MEMORY: Final = "killed by the memory limit"


#: The signature of the trouble that a program cannot be run at all.
CANNOT_RUN: Final = "cannot-run"
#: The signature of the trouble that it declares something else than when it was started before.
ANOTHER_DECLARATION: Final = "another-declaration"


class Failed(Exception):
    """The process failed to answer, and cannot be used any more.

    Attributes:
        trouble: The failure as an answer.
    """

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(f"{trouble.signature}\n{trouble.detail}".rstrip())
        self.trouble = trouble


class Conversation:
    """A running process that has declared itself.

    Args:
        supervision: Starts and ends the process.
        limits: What it may use.
        declared: What it declared when it was started before, which must be the same now.

    Attributes:
        declaration: What it declares.
        answered: How many requests it has answered.

    Raises:
        Failed: There is no such program, or it does not declare itself in time, or in another way than before.
    """

    def __init__(self, supervision: Supervision, *, limits: Limits, declared: Declaration | None = None) -> None:
        self._limits = limits
        self._seq = 0
        self._open: deque[tuple[int, Request]] = deque()
        #: The ports at which questions are served that have no answer yet.
        self._ports: dict[int, int] = {}
        self._before: Usage | None = None
        self.answered = 0
        try:
            limited = limits.memory_bytes is not None
            self._child = Child(supervision, memory_limited=limited)
        except OSError as error:
            reason = f"{error.strerror}: {error.filename}" if error.filename else str(error)
            raise Failed(Trouble("crash", CANNOT_RUN, reason)) from error
        self._child.send(encode_start())
        line = self._receive(limits.start_seconds, limits.declaration_bytes, late="silent-at-start")
        try:
            self.declaration: Declaration = decode_declaration(line)
        except ProtocolError as error:
            self._break(error.signature, f"{error.detail}\n{shortened(line)}")
        if declared is not None and self.declaration != declared:
            changed = ", ".join(changed_parts(declared, self.declaration))
            self._break(ANOTHER_DECLARATION, f"started again, it declares something else: {changed}")
        self._started = self._child.usage

    @property
    def has_grown(self) -> bool:
        """Whether the process has been so large that what another answer takes may not show any more."""
        now, started = self._child.usage, self._started
        return now is not None and started is not None and now.peak.growth(started.peak) > _UNSEEN_BYTES

    @property
    def open_requests(self) -> int:
        """How many requests have no answer yet."""
        return len(self._open)

    def ask(self, request: Request) -> None:
        """Send a request in a role that is declared."""
        if not self._open:
            self._child.forget_errors()
        self._before = self._child.usage if request.is_measured else None
        self._seq += 1
        self._open.append((self._seq, request))
        sent = request
        if role_of(request.role).is_served:
            sent, self._ports[self._seq] = begin(request)
        self._child.send(encode_request(sent, self._seq))

    def answer(self) -> Observation | Trouble:
        """Return the answer to the oldest open request.

        Raises:
            Failed: The process ended, hangs, or breaks the protocol.
        """
        seq, request = self._open[0]
        seconds = min(self._limits.seconds, request.seconds)
        line = self._receive(seconds, self._limits.answer_length(request.stream), late=LATE)
        after = self._child.usage if request.is_measured else None
        try:
            answer = decode_answer(line, seq=seq, request=request, role=self.declaration.roles[request.role])
        except ProtocolError as error:
            self._break(error.signature, f"{error.detail}\n{shortened(line)}")
        if after is not None and self._before is not None:
            answer = replace(
                answer,
                memory=after.peak.growth(self._before.peak),
                processor_seconds=after.processor_seconds - self._before.processor_seconds,
            )
        self._open.popleft()
        if seq in self._ports:
            deliveries = end(self._ports.pop(seq))
            if isinstance(answer, Observation):
                answer = replace(answer, deliveries=deliveries)
        self.answered += 1
        return answer

    def _end_serving(self) -> None:
        """Serve nothing more for the open questions."""
        for port in self._ports.values():
            end(port)
        self._ports.clear()

    def listen(self, seconds: float) -> None:
        """Check that the process, which has no open request, is silent and keeps running for some seconds.

        Raises:
            Failed: It writes something, or ends.
        """
        try:
            line = self._child.leftover(seconds)
        except Exited as exited:
            self._crash(exited)
        if line:
            self._break("unsolicited-output", shortened(line))

    def stop(self) -> None:
        """Send a stop message, and end the process."""
        self._end_serving()
        self._child.stop(encode_stop(), _STOP_SECONDS)

    def kill(self) -> None:
        """Kill the process."""
        self._end_serving()
        self._child.kill()

    def _receive(self, seconds: float, length: int, *, late: str) -> bytes:
        try:
            return self._child.receive(seconds, length)
        except TimedOut:
            self._fail(Trouble.hang(seconds, self._child.errors, signature=late))
        except Exited as exited:
            self._crash(exited)
        except Flooded as flooded:
            detail = f"a line is longer than the {length:,} bytes that it may have"
            self._break("output-flood", f"{detail}\n{shortened(flooded.start)}")

    def _crash(self, exited: Exited) -> NoReturn:
        if exited.out_of_memory and self._limits.memory_bytes is not None:
            limit = f"{_OUT_OF_MEMORY} of {self._limits.memory_bytes >> 20} MiB ({exited.signature})"
            self._fail(Trouble("crash", _OUT_OF_MEMORY, f"{limit}\n{self._child.errors}"))
        self._fail(Trouble("crash", exited.signature, self._child.errors))

    def _break(self, signature: str, detail: str) -> NoReturn:
        self._fail(Trouble("protocol-error", signature, detail))

    def _fail(self, trouble: Trouble) -> NoReturn:
        self.kill()
        raise Failed(trouble)
