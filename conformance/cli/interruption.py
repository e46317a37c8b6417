"""Signals that end the kit: each ends a command as Ctrl-C does, so that it leaves nothing running."""

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn

from conformance.engine.ending_signals import ENDING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

#: Seconds after which an interrupt that was lost is raised again.
_AGAIN: Final = 0.01
#: Part of Python's words for a signal that came with the first, whose handler it had not called when it was removed.
_TWO_AT_ONCE: Final = "ignored due to race condition"


class Interruption:
    """Turns the signals into `KeyboardInterrupt`, and remembers the first.

    It is remembered so that an exception which a library raises instead is not reported as a bug of the kit. A signal
    that is ignored, as by nohup, stays ignored. After the first, SIGHUP is ignored, which a closing terminal sends
    twice, and any other signal ends the kit at once. A command that has come to its end ignores them.
    """

    def __init__(self) -> None:
        self._signal: signal.Signals | None = None
        for number in ENDING:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._interrupt)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._interrupt_again)
            sys.unraisablehook = self._raise_later

    @property
    def happened(self) -> bool:
        """Whether there was a signal."""
        return self._signal is not None

    def ignore(self) -> None:
        """Ignore signals from now on: the command has a result, and an exit status.

        Python would end without one, as it forgets its handlers before it ends.
        """
        for each in ENDING:
            if signal.getsignal(each) == self._interrupt:
                signal.signal(each, signal.SIG_IGN)
        # Python that is run with -m kills itself in the end if an interrupt came while it ran code that is a string, as
        # dataclasses have, unless it has run such code since.
        exec("")

    def __str__(self) -> str:
        if self._signal in (None, signal.SIGINT):
            return "interrupted"
        return f"interrupted by {self._signal.name}"

    def _interrupt(self, number: int, frame: FrameType | None) -> NoReturn:
        self._signal = signal.Signals(number)
        for each in ENDING:
            if signal.getsignal(each) == self._interrupt:
                signal.signal(each, signal.SIG_IGN if each.name == "SIGHUP" else signal.SIG_DFL)
        raise KeyboardInterrupt

    def _interrupt_again(self, number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    def _raise_later(self, unraisable: "UnraisableHookArgs") -> None:
        """Raise an interrupt again that came during a callback of the garbage collector, where Python drops it.

        Of a second signal at the same moment, which is dropped too, nothing is printed; nor is anything of callbacks
        that run out of memory: the command does so as well, and reports it once.
        """
        if issubclass(unraisable.exc_type, MemoryError):
            return
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        elif not (self.happened and _TWO_AT_ONCE in str(unraisable.exc_value)):
            sys.__unraisablehook__(unraisable)
