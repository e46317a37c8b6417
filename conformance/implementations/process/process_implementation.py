"""An implementation in a process of its own, asked over the protocol."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from conformance.implementations.process.conversation import Conversation, Failed
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.protocol.observation import Declaration, Observation, Request, Trouble

#: After this many failed starts in a row, none is tried any more.
RESTARTS: Final = 3
#: Seconds in which a suspect that has answered may still say too much, or end.
_GRACE_SECONDS: Final = 0.05
#: The words of a runtime that got too little memory, Java's and Go's among them.
_OUT_OF_MEMORY: Final = re.compile("memory|heap|alloc|reserve|mmap", re.IGNORECASE)


class CannotStart(Exception):
    """An implementation that did not start, or does not declare itself as the protocol wants."""


@dataclass(slots=True, eq=False)
class _Question:
    request: Request
    answer: Observation | Trouble | None = None


class ProcessImplementation:
    """A program that speaks the protocol, kept running from question to question.

    Whatever it does becomes an answer: a crash, a hang and a broken protocol are `Trouble`, and the next question
    finds a new process.

    Args:
        command: Program and arguments, or what makes them ready when it is first started and raises `CannotStart`
            where it cannot.
        limits: What it may use up.
    """

    def __init__(
        self, command: Sequence[str] | Callable[[], Sequence[str]], *, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._command = command
        self._limits = limits
        self._declaration: Declaration | None = None
        self._talk: Conversation | None = None
        self._failed_starts: list[Trouble] = []

    @property
    def declaration(self) -> Declaration:
        """What it said of itself when it was first started.

        Raises:
            RuntimeError: It was not started yet.
        """
        if self._declaration is None:
            raise RuntimeError("the implementation was not started yet")
        return self._declaration

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.stop()

    def start(self) -> Declaration:
        """Start the process, where none is running, and return what it declares.

        Raises:
            CannotStart: There is no such program, or it does not declare itself in time.
        """
        self._failed_starts.clear()
        if callable(self._command):
            self._command = self._command()
        try:
            self._declaration = self._running().declaration
        except Failed as failed:
            message = f"{' '.join(self._command)} cannot start: {failed}"
            if self._limits.memory_bytes is not None and _may_lack_memory(failed.trouble):
                message += (
                    f"\n(its address space is limited to {self._limits.memory_bytes >> 20} MiB;"
                    " a program on the Java or Go runtime may need that limit switched off)"
                )
            raise CannotStart(message) from failed
        return self._declaration

    def stop(self) -> None:
        """Ask the process to end, and end it; what it then does is not judged."""
        if self._talk is not None:
            self._talk.stop()
            self._talk = None

    def ask(self, request: Request) -> Observation | Trouble:
        """Return the answer to one question.

        Raises:
            ValueError: The implementation does not declare the role.
        """
        (answer,) = self.ask_many((request,))
        return answer

    def ask_many(self, requests: Iterable[Request], window: int = 16) -> Iterator[Observation | Trouble]:
        """Yield the answers to many questions, in their order.

        Up to `window` questions are under way at once. Where one of them ends in trouble, those under way are
        asked again one by one, so that the one that did it is named and the others get their answers. Other
        questions may be asked in between; those under way are then asked again, too.

        Args:
            requests: The questions; they are drawn as they are asked.
            window: How many may be under way.

        Raises:
            ValueError: The implementation does not declare the role.
        """
        coming = iter(requests)
        again: deque[Request] = deque()
        # Without an answer yet, but for the first: its answer waits for the next line, which shows that it was all.
        under_way: deque[_Question] = deque()
        talk = self._talk
        try:
            while True:
                if talk is not self._talk:
                    _requeue(under_way, again)
                try:
                    while len(under_way) <= window:
                        request = again.popleft() if again else next(coming, None)
                        if request is None:
                            break
                        behind = any(each.answer is None for each in under_way)
                        under_way.append(_Question(request))
                        self._send(request, behind=behind)
                    talk = self._talk
                    if not under_way:
                        return
                    settled = self._receive(under_way)
                except Failed as failed:
                    answers = self._name_the_culprit(list(under_way), failed.trouble)
                    again.extendleft(each.request for each in reversed(list(under_way)[len(answers) :]))
                    under_way.clear()
                    talk = self._talk
                    yield from answers
                    continue
                for _ in range(settled):
                    answer = under_way.popleft().answer
                    assert answer is not None
                    yield answer
        finally:
            if talk is self._talk and any(each.answer is None for each in under_way):
                self._discard()  # Nobody waits for these answers any more.

    def _running(self) -> Conversation:
        """Return the conversation, after starting one where there is none.

        Raises:
            Failed: It does not start, or did not start the last few times.
        """
        if self._talk is None:
            if len(self._failed_starts) >= RESTARTS:
                raise Failed(self._failed_starts[-1])
            assert not callable(self._command), "it is made ready by start()"
            try:
                self._talk = Conversation(self._command, limits=self._limits)
            except Failed as failed:
                self._failed_starts.append(failed.trouble)
                raise
            self._failed_starts.clear()
        return self._talk

    def _discard(self) -> None:
        if self._talk is not None:
            self._talk.kill()
            self._talk = None

    def _send(self, request: Request, *, behind: bool) -> None:
        """Send a question; `behind` tells that the same iterator has others under way."""
        if self._declaration is None:
            self.start()
        if request.role not in self.declaration.roles:
            raise ValueError(f"{self.declaration.name} does not declare the role {request.role!r}")
        if not behind and self._talk is not None:
            if self._talk.owed:
                self._discard()  # Another iterator's questions are under way; it asks them again.
            else:
                self._talk.listen(0)
        self._running().ask(request)

    def _receive(self, under_way: deque[_Question]) -> int:
        """Take an answer in, and return how many questions at the front are settled by it.

        Raises:
            Failed: See `Conversation.answer`.
        """
        talk = self._running()
        for place, question in enumerate(under_way):
            if question.answer is None:
                question.answer = talk.answer()
                return place
        talk.listen(_GRACE_SECONDS if talk.answered == 1 else 0)
        return len(under_way)

    def _name_the_culprit(self, suspects: list[_Question], trouble: Trouble) -> list[Observation | Trouble]:
        """Ask questions again, one by one, up to the one that does it again; return the answers.

        Where none does it again, the one that was to be answered is charged, unless it was a hang: that was the
        machine, then.

        Args:
            suspects: What was under way when it happened.
            trouble: What happened.
        """
        earlier = 0 if self._talk is None else self._talk.answered - sum(each.answer is not None for each in suspects)
        self._discard()
        if len(suspects) == 1 and (not earlier or trouble.status == "hang"):
            return [trouble]
        answers: list[Observation | Trouble] = []
        for suspect in suspects:
            answer = self._ask_alone(suspect.request)
            answers.append(answer)
            if isinstance(answer, Trouble) and answer.status != "unsupported":
                return answers
        if trouble.status != "hang":
            waiting = next((place for place, each in enumerate(suspects) if each.answer is None), len(suspects) - 1)
            detail = f"not when asked alone, only behind other questions\n{trouble.detail}"
            answers[waiting] = replace(trouble, detail=detail)
        return answers

    def _ask_alone(self, request: Request) -> Observation | Trouble:
        try:
            self._send(request, behind=False)
            talk = self._running()
            answer = talk.answer()
            talk.listen(_GRACE_SECONDS)
        except Failed as failed:
            self._discard()
            return failed.trouble
        return answer


def _may_lack_memory(trouble: Trouble) -> bool:
    """Tell whether a process that did not start may have ended for want of memory: runtimes that do say so, or die."""
    if trouble.status != "crash" or trouble.signature == "cannot-run":
        return False
    return trouble.signature.startswith("signal-") or _OUT_OF_MEMORY.search(trouble.detail) is not None


def _requeue(under_way: deque[_Question], again: deque[Request]) -> None:
    """Take back the questions whose process is gone."""
    lost = [each for each in under_way if each.answer is None]
    again.extendleft(each.request for each in reversed(lost))
    for each in lost:
        under_way.remove(each)
