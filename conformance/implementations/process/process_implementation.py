"""An implementation in its own process, which speaks the protocol."""

import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from conformance.implementations.process.conversation import ANOTHER_DECLARATION, CANNOT_RUN, Conversation, Failed
from conformance.implementations.process.environment import environment_of
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.implementations.process.supervision import Supervision
from conformance.protocol.observation import Declaration, Observation, Request, Trouble

#: After this many failed starts in a row, no other is tried.
RESTARTS: Final = 3
#: Seconds in which a suspect that has answered may still write too much, or end.
_GRACE_SECONDS: Final = 0.05
#: The words of runtimes that do not have enough memory, Java's and Go's among them.
_OUT_OF_MEMORY: Final = re.compile("memory|heap|alloc|reserve|mmap|initialization of VM", re.IGNORECASE)


class CannotStart(Exception):
    """An implementation that did not start, or whose declaration breaks the protocol."""


@dataclass(slots=True, eq=False)
class _OpenRequest:
    request: Request
    answer: Observation | Trouble | None = None


class ProcessImplementation:
    """A program that speaks the protocol, kept running from request to request.

    Whatever it does becomes an answer: a crash, a hang and a protocol error are `Trouble`, and the next request
    goes to a new process.

    Args:
        command: Program and arguments, or a function that prepares and returns them at the first start, and raises
            `CannotStart` if it cannot.
        limits: What it may use.
    """

    def __init__(
        self, command: Sequence[str] | Callable[[], Sequence[str]], *, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._command = command
        self._limits = limits
        self._declaration: Declaration | None = None
        self._supervision: Supervision | None = None
        self._conversation: Conversation | None = None
        self._failed_starts: list[Trouble] = []
        self._started_elsewhere = False

    @property
    def declaration(self) -> Declaration:
        """What it declared when it was first started.

        Raises:
            RuntimeError: It has not been started.
        """
        if self._declaration is None:
            raise RuntimeError("the implementation has not been started")
        return self._declaration

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        if any(error):
            self._discard()  # There is no time to wait for it: the kit was interrupted.
        self.stop()

    def expect(self, declaration: Declaration) -> None:
        """Take what it declared in another process of the kit, before it is started in this one.

        If it declares something else here, every question ends in the same trouble as after a restart.
        """
        self._declaration = declaration
        self._started_elsewhere = True

    def start(self) -> Declaration:
        """Start the process, if none is running, and return what it declares, or is expected to declare.

        Raises:
            CannotStart: There is no such program, or it does not declare itself in time.
        """
        self._failed_starts.clear()
        if callable(self._command):
            self._command = self._command()
        try:
            self._declaration = self._running().declaration
        except Failed as failed:
            if self._declaration is not None and failed.trouble.signature == ANOTHER_DECLARATION:
                return self._declaration
            self._end_supervision()
            reason = failed.trouble.detail if failed.trouble.signature == CANNOT_RUN else failed
            message = f"{' '.join(self._command)} cannot start: {reason}"
            if self._limits.memory_bytes is not None and _may_lack_memory(failed.trouble):
                message += (
                    f"\n(its memory is limited to {self._limits.memory_bytes >> 20} MiB; --memory sets another limit)"
                )
            if self._started_elsewhere:
                message += "\n(it has started in another process of the kit; -j 1 starts it once)"
            raise CannotStart(message) from failed
        return self._declaration

    def stop(self) -> None:
        """Send a stop message, and end the process; what it then does is not judged."""
        if self._conversation is not None:
            self._conversation.stop()
            self._conversation = None
        self._end_supervision()

    def ask(self, request: Request) -> Observation | Trouble:
        """Return the answer to one request.

        Raises:
            ValueError: The implementation does not declare the role.
        """
        (answer,) = self.ask_many((request,))
        return answer

    def ask_many(self, requests: Iterable[Request], window: int = 16) -> Generator[Observation | Trouble]:
        """Yield the answers to many requests, in their order.

        Up to `window` requests are open at a time. If one of them ends in trouble, the open ones are sent again
        one by one, so that the one that caused it is named and the others get their answers. Other requests may
        be made in between; the open ones are then sent again, too.

        Args:
            requests: The requests; each is taken when it is sent.
            window: How many may be open.

        Raises:
            ValueError: The implementation does not declare the role.
        """
        coming = iter(requests)
        again: deque[Request] = deque()
        # Only the first may have an answer: it is kept until the next line shows that nothing else belongs to it.
        sent: deque[_OpenRequest] = deque()
        conversation = self._conversation
        try:
            while True:
                if conversation is not self._conversation:
                    _requeue(sent, again)
                try:
                    while len(sent) <= window:
                        request = again.popleft() if again else next(coming, None)
                        if request is None:
                            break
                        if sent and (request.is_measured or sent[-1].request.is_measured):
                            again.appendleft(request)  # What an answer takes shows only if nothing else is asked.
                            break
                        others_open = any(each.answer is None for each in sent)
                        sent.append(_OpenRequest(request))
                        self._send(request, others_open=others_open)
                    conversation = self._conversation
                    if not sent:
                        return
                    settled = self._receive(sent)
                except Failed as failed:
                    answers = self._find_cause(list(sent), failed.trouble)
                    again.extendleft(each.request for each in reversed(list(sent)[len(answers) :]))
                    sent.clear()
                    conversation = self._conversation
                    yield from answers
                    continue
                for _ in range(settled):
                    answer = sent.popleft().answer
                    assert answer is not None
                    yield answer
        finally:
            if conversation is self._conversation and any(each.answer is None for each in sent):
                self._discard()  # These answers are no longer needed.

    def _running(self) -> Conversation:
        """Return the conversation; start one if there is none.

        Raises:
            Failed: It does not start, or did not start the last `RESTARTS` times.
        """
        if self._conversation is None:
            if len(self._failed_starts) >= RESTARTS:
                raise Failed(self._failed_starts[-1])
            assert not callable(self._command), "start() has prepared it"
            if self._supervision is None:
                self._supervision = Supervision(
                    self._command,
                    memory_bytes=self._limits.memory_bytes,
                    environment=environment_of(self._limits.environment),
                )
            try:
                self._conversation = Conversation(self._supervision, limits=self._limits, declared=self._declaration)
            except Failed as failed:
                self._failed_starts.append(failed.trouble)
                raise
            self._failed_starts.clear()
        return self._conversation

    def _discard(self) -> None:
        if self._conversation is not None:
            self._conversation.kill()
            self._conversation = None

    def _end_supervision(self) -> None:
        if self._supervision is not None:
            self._supervision.close()
            self._supervision = None

    def _send(self, request: Request, *, others_open: bool) -> None:
        """Send a request; `others_open` is whether the same iterator has other open requests."""
        if self._declaration is None:
            self.start()
        if request.role not in self.declaration.roles:
            raise ValueError(f"{self.declaration.name} does not declare the role {request.role!r}")
        if not others_open and self._conversation is not None:
            if self._conversation.open_requests:
                self._discard()  # Another iterator has open requests; it sends them again.
            else:
                self._conversation.listen(0)
                if request.is_measured and self._conversation.has_grown:
                    self._discard()
        self._running().ask(request)

    def _receive(self, sent: deque[_OpenRequest]) -> int:
        """Receive an answer, and return how many requests at the front it completes.

        Raises:
            Failed: See `Conversation.answer`.
        """
        conversation = self._running()
        for place, each in enumerate(sent):
            if each.answer is None:
                each.answer = conversation.answer()
                return place
        conversation.listen(_GRACE_SECONDS if conversation.answered == 1 else 0)
        return len(sent)

    def _find_cause(self, suspects: list[_OpenRequest], trouble: Trouble) -> list[Observation | Trouble]:
        """Send requests again, one by one, up to the one that fails again; return the answers.

        If none fails again, the failure is the answer to the one that was to be answered next, unless it was a hang:
        then the machine was too slow.

        Args:
            suspects: The requests that were open when it failed.
            trouble: The failure.
        """
        answered = sum(each.answer is not None for each in suspects)
        earlier = 0 if self._conversation is None else self._conversation.answered - answered
        self._discard()
        if len(suspects) == 1 and (not earlier or trouble.status == "hang"):
            return [trouble]
        answers: list[Observation | Trouble] = []
        for suspect in suspects:
            answer = self._ask_alone(suspect.request)
            answers.append(answer)
            if self._conversation is None:
                return answers
        if trouble.status != "hang":
            waiting = next((place for place, each in enumerate(suspects) if each.answer is None), len(suspects) - 1)
            detail = f"only after other requests, not when sent alone\n{trouble.detail}"
            answers[waiting] = replace(trouble, detail=detail)
        return answers

    def _ask_alone(self, request: Request) -> Observation | Trouble:
        try:
            self._send(request, others_open=False)
            conversation = self._running()
            answer = conversation.answer()
            conversation.listen(_GRACE_SECONDS)
        except Failed as failed:
            self._discard()
            return failed.trouble
        return answer


def _may_lack_memory(trouble: Trouble) -> bool:
    """Return whether a process that did not start may have had too little memory, by its message or its signal."""
    if trouble.status not in ("crash", "protocol-error") or trouble.signature == CANNOT_RUN:
        return False
    # Java reports it on its standard output, where it breaks the protocol.
    return trouble.signature.startswith("signal-") or _OUT_OF_MEMORY.search(trouble.detail) is not None


def _requeue(sent: deque[_OpenRequest], again: deque[Request]) -> None:
    """Move the unanswered requests of a lost process back to those to send."""
    lost = [each for each in sent if each.answer is None]
    again.extendleft(each.request for each in reversed(lost))
    for each in lost:
        sent.remove(each)
