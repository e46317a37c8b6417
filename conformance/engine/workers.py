"""Workers: processes of the kit that do the shares of a run, each with an implementation of its own."""

import multiprocessing
import os
import signal
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from ctypes import c_bool
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawValue
from types import FrameType
from typing import Any, Final, Generic, NoReturn, Self

from conformance.engine.crew import Share, ShareT
from conformance.engine.events import PairFinished
from conformance.engine.patience import Patience
from conformance.engine.process_pool import can_fork, end_with_parent, signals_held, take_signals
from conformance.engine.share import Asking
from conformance.implementations.registry import Implementation, Restarting
from conformance.oracles.judge import Judges
from conformance.oracles.registry import oracles
from conformance.protocol.observation import Declaration
from conformance.strategies.grammar.family import families

#: Seconds that a worker may take to end.
_END_SECONDS: Final = 5.0


class WorkerLost(Exception):
    """A process of the kit ended by itself, as the system's lack of memory makes it; the message is one line."""


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of a share, with the patience at its beginning and at its end."""

    result: object
    begun: Patience
    ended: Patience


class _Worker:
    """A worker, and the pipe to it."""

    def __init__(self, make: Callable[[], Implementation], stopped: Any, others: Iterable["_Worker"]) -> None:
        forks = can_fork()
        context = multiprocessing.get_context("fork" if forks else "spawn")
        self.pipe, theirs = context.Pipe()
        not_theirs = [self.pipe, *(each.pipe for each in others)] if forks else []
        self._process = context.Process(target=_serve, args=(theirs, make, stopped, os.getpid(), not_theirs))  # type: ignore[attr-defined]  # of each context
        self._process.start()
        theirs.close()

    def send(self, message: object) -> None:
        with suppress(BrokenPipeError):  # What has happened shows when its answer is read.
            self.pipe.send(message)

    def receive(self) -> Any:
        """Return the next message.

        Raises:
            WorkerLost: The process has ended.
            Exception: What was raised there.
        """
        try:
            kind, content, *lines = self.pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join(_END_SECONDS)
            raise WorkerLost(
                f"a process of the kit ended with status {self._process.exitcode}: use fewer, -j 1"
            ) from None
        if kind is Exception:
            content.add_note(lines[0])
            raise content
        return kind, content

    def end(self, *, at_once: bool) -> None:
        if at_once:
            self._process.terminate()
        else:
            self.send(None)

    def join(self) -> None:
        self._process.join(_END_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()


class Workers:
    """Processes that do shares beside each other, with the results of one process.

    As a context manager it starts them. Begin it before any thread, so that they can be forks of this process.

    Args:
        make: Makes the implementation; each process calls it, and starts what it returns before its first share.
        number: How many processes work at the same time.
        most: How many there are where their shares mostly wait; `number` if it is None.

    Raises:
        ValueError: There are fewer at the most.
    """

    def __init__(self, make: Callable[[], Implementation], number: int, most: int | None = None) -> None:
        self._make = make
        self._number = number
        self._most = number if most is None else most
        if self._most < number:
            raise ValueError(f"of {number} processes there are at the most {most}")
        self._stopped = RawValue(c_bool, False)
        self._workers: list[_Worker] = []
        self._declaration: Declaration | None = None

    def __enter__(self) -> Self:
        # Forks then share what every share needs, and need not import it themselves.
        families()
        oracles()
        try:
            for _ in range(self._most):
                with signals_held():  # Nothing would end one that has begun and is not in the list.
                    self._workers.append(_Worker(self._make, self._stopped, self._workers))
        except BaseException:
            self.__exit__(True)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.end(at_once=any(error))
        for worker in self._workers:
            worker.join()
        self._workers.clear()

    @property
    def declaration(self) -> Declaration:
        """What the implementation declares; the first worker starts it.

        Raises:
            CannotStart: It does not start.
        """
        if self._declaration is None:
            self._workers[0].send(Declaration)
            _, self._declaration = self._workers[0].receive()
        assert self._declaration is not None, "what a worker sends"
        return self._declaration

    def do(
        self,
        shares: Iterable[ShareT],
        patience: Patience,
        *,
        settle: Callable[[ShareT, Any], bool],
        needed: Callable[[ShareT], bool] = lambda share: True,
        progress: Callable[[PairFinished], None] = lambda event: None,
    ) -> Patience:
        """Do shares, as `Crew.do`.

        A share begins before those before it are settled, with the patience that is left so far. Where it would have
        gone another way after them, which only trouble can cause, it is done again.
        """
        self._stopped.value = False
        order = _Order(in_order_of_beginning(shares, workers=self._most), patience, settle, needed)
        idle = list(self._workers)
        busy: dict[Connection, tuple[_Worker, int, ShareT, Patience]] = {}
        while True:
            while self._has_room([share for _, _, share, _ in busy.values()]) and (begun := order.begin()) is not None:
                number, share, of_share = begun
                worker = idle.pop()
                worker.send((share, of_share, self.declaration))
                busy[worker.pipe] = worker, number, share, of_share
            if not busy:
                return order.patience
            for pipe in wait(list(busy)):
                worker, number, _, of_share = busy[pipe]  # type: ignore[index]  # the pipes that were given
                kind, content = worker.receive()
                if kind is PairFinished:
                    progress(content)
                    continue
                del busy[worker.pipe]
                idle.append(worker)
                order.end(number, _Result(content[0], of_share, content[1]))
            self._stopped.value = order.stopped

    def _has_room(self, busy: Collection[Share[Any]]) -> bool:
        """Return whether another share may begin: one that waits takes a smaller part of the cores than others."""
        waiting = sum(share.waits for share in busy)
        return (len(busy) - waiting) * self._most + waiting * self._number < self._number * self._most


def in_order_of_beginning(shares: Iterable[ShareT], *, workers: int) -> Iterator[tuple[int, ShareT]]:
    """Return shares with their numbers, in the order in which they begin.

    A long share that begins last leaves the other workers idle at the end, and those that wait leave room for others.
    One worker has no use for another order. The first begins first, as it shows whether there are answers at all.
    """
    if workers > 1 and isinstance(shares, Sequence):
        return iter(sorted(enumerate(shares), key=lambda each: (each[0] > 0, not each[1].waits, -each[1].cost)))
    return enumerate(shares)


class _Order(Generic[ShareT]):
    """Settles shares in their order, whatever order they are begun and done in.

    Once the implementation hangs, they also begin in their order. Those of a role in which shares before them have
    hung, and are not settled, are passed over: they may not be asked any more. If it has never answered, no other
    begins until those hangs count.

    Attributes:
        patience: The patience that is left after the shares that are settled.
        stopped: Whether no other share begins.
    """

    def __init__(
        self,
        shares: Iterator[tuple[int, ShareT]],
        patience: Patience,
        settle: Callable[[ShareT, Any], bool],
        needed: Callable[[ShareT], bool],
    ) -> None:
        self.patience = patience
        self.stopped = False
        self._shares = shares
        self._settle = settle
        self._needed = needed
        self._in_order = patience.has_waited
        self._has_answered = patience.has_answered
        self._next = 0
        #: Shares that others begin before.
        self._later: dict[int, ShareT] = {}
        self._open: dict[int, ShareT] = {}
        self._ended: dict[int, _Result | None] = {}
        #: Shares to be done again, each with the patience at the end of its first try.
        self._again: deque[tuple[int, Patience]] = deque()

    def begin(self) -> tuple[int, ShareT, Patience] | None:
        """Return a share to do, with its number and its patience; None if there is none now."""
        while not self.stopped:
            before = None
            if self._again:
                number, before = self._again.popleft()
            elif self._waits():
                return None
            elif (begun := self._other()) is not None:
                number, share = begun
                self._open[number] = share
            else:
                return None
            if self._needed(self._open[number]):
                patience = self._before(number).copied(assuming_answer=number != self._next, again=before)
                return number, self._open[number], patience
            self.end(number, None)
        return None

    def _before(self, number: int) -> Patience:
        """Return the patience that is left before a share, as far as shares before it have ended."""
        patience = self.patience
        for each in sorted(ended for ended in self._ended if ended < number):
            if (result := self._ended[each]) is not None:
                share = self._open[each]
                patience = patience.after(share.role, share.family, result.begun, result.ended) or patience
        return patience

    def _waits(self) -> bool:
        """Return whether hangs without any answer are not counted yet: their share waits for those before it."""
        return self._in_order and not self._has_answered and self._next in self._open and bool(self._ended)

    def _other(self) -> tuple[int, ShareT] | None:
        """Return the next share to begin for the first time, None if there is none now."""
        if not self._in_order:
            return next(self._shares, None)
        hangs: dict[str, float] = defaultdict(float)
        for number in count(self._next):
            if number in self._open:
                if (result := self._ended.get(number)) is not None:
                    role = self._open[number].role
                    hangs[role] += result.ended.hangs_since(result.begun, role)
                continue
            while number not in self._later:
                if (drawn := next(self._shares, None)) is None:
                    return None
                self._later[drawn[0]] = drawn[1]
            if hangs[self._later[number].role] < self.patience.few:
                return number, self._later.pop(number)
        return None

    def end(self, number: int, result: _Result | None) -> None:
        """Take the result of a share, and settle those that can be."""
        self._ended[number] = result
        if result is not None:
            self._in_order |= result.ended.has_waited
            self._has_answered |= result.ended.has_answered
        while self._next in self._ended:
            result, share = self._ended.pop(self._next), self._open[self._next]
            if result is not None and not self._needed(share):
                # One process would not have done it, after those that have been settled since it began.
                result = None
            if result is not None:
                after = self.patience.after(share.role, share.family, result.begun, result.ended)
                if after is None:
                    if not self.stopped:
                        self._again.append((self._next, result.ended))
                    return
                self.patience = after
            del self._open[self._next]
            self._next += 1
            if self._settle(share, None if result is None else result.result):
                self.stopped = True


def _serve(
    pipe: Connection, make: Callable[[], Implementation], stopped: Any, parent: int, not_theirs: Iterable[Connection]
) -> None:
    """Do shares until the kit sends None, or is gone."""
    for each in not_theirs:
        each.close()
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        # Those of a terminal go to every process of it; the kit ends its workers itself.
        take_signals({signal.SIGTERM: _interrupt}, others=signal.SIG_IGN)
        end_with_parent(parent)
        with ExitStack() as stack:
            _serve_with(stack, pipe, make, stopped)
        # The kit may end this process while it ends by itself.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """End a worker in order; a second signal must not keep it from ending its implementation."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _serve_with(stack: ExitStack, pipe: Connection, make: Callable[[], Implementation], stopped: Any) -> None:
    """Do shares with an implementation that is stopped with a stack."""
    try:
        asking = None
        while (message := pipe.recv()) is not None:
            if message is Declaration:
                asking = _started(make(), stack, pipe, stopped)
                pipe.send((Declaration, asking.implementation.declaration))
                continue
            share, patience, declaration = message
            if asking is None:
                implementation = make()
                if isinstance(implementation, Restarting):
                    implementation.expect(declaration)
                asking = _started(implementation, stack, pipe, stopped)
            pipe.send((None, (share.done(asking, patience), patience)))
    except (EOFError, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001 - the kit raises it again
        pipe.send((Exception, error, traceback.format_exc()))


def _started(implementation: Implementation, stack: ExitStack, pipe: Connection, stopped: Any) -> Asking:
    stack.enter_context(implementation)
    return Asking(
        implementation=implementation,
        judges=Judges(implementation.declaration),
        progress=lambda event: pipe.send((PairFinished, event)),
        stopped=lambda: bool(stopped.value),
    )
