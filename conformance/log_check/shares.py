"""Shares of a log that are judged by themselves: what each takes for granted of those before it, and whether it holds.

The state of a checker after a complete transaction hardly depends on what came before the last one. So a share is
begun in the state after the first transaction of the log and the last one before the share, and counts only if the
shares before it lead to the same state. Else its events are judged again, by the checker of those before it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any, BinaryIO, Final

from conformance.log_check.bodies import Bodies
from conformance.log_check.gtids import UsedGtids
from conformance.log_check.log_checker import LogChecker
from conformance.log_check.log_event import Log
from conformance.log_check.seams import Share
from conformance.log_check.verdicts import Note, Verdicts, Violation, nobody

#: Class -> its attributes that are not compared: those that `LogChecker.join` adds up, what is kept to be quick, and
#: who takes the findings. Everything else that a checker and its rules remember is its state.
NOT_COMPARED: Final[Mapping[type, frozenset[str]]] = {
    LogChecker: frozenset({"_checksums", "_not_counted", "_progress", "_wanted"}),
    Log: frozenset({"events", "transactions"}),
    Verdicts: frozenset({"_before", "_counts", "_report", "broken"}),
    Bodies: frozenset({"_bodies", "_post_headers", "_recent"}),
    UsedGtids: frozenset({"executed", "_of_mariadb", "_most"}),
}
_PLAIN: Final = (bool, int, str, bytes, Enum, type(None))


def state_of(thing: object) -> object:
    """Return what a checker, or a part of one, remembers, as a value that can be compared with that of another.

    Raises:
        TypeError: A part is of a kind whose state is not known.
    """
    if isinstance(thing, _PLAIN):
        return thing
    if isinstance(thing, (tuple, list)):
        return (type(thing), *map(state_of, thing))
    if isinstance(thing, Mapping):
        return {key: state_of(value) for key, value in thing.items()}
    if isinstance(thing, (set, frozenset)):
        return frozenset(thing)
    left_out = NOT_COMPARED.get(type(thing), frozenset())
    return (type(thing), {name: state_of(value) for name, value in _attributes(thing) if name not in left_out})


def _attributes(thing: Any) -> list[tuple[str, object]]:
    if is_dataclass(thing):
        return [(each.name, getattr(thing, each.name)) for each in fields(thing) if each.compare]
    if not hasattr(thing, "__dict__") or callable(thing):
        raise TypeError(f"the state of {thing!r} is not known")
    return list(vars(thing).items())


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """A share that was judged.

    Attributes:
        checker: What judged it, as it was at the end of the share.
        begun: The state in which it began; None for the first share, and where that could not be guessed.
    """

    checker: LogChecker
    begun: object

    def follows(self, before: LogChecker) -> bool:
        """Return whether the checker of all shares before this one would have judged this one in the same way."""
        return self.begun is not None and self.begun == state_of(before) and self.checker.can_join(before)


def judge_share(
    checker: LogChecker, stream: BinaryIO, share: Share, report: Callable[[Violation | Note], None]
) -> JudgedShare:
    """Judge one share of a log.

    Args:
        checker: A checker that has read nothing yet.
        stream: The log, at its start, seekable.
        share: The share.
        report: Takes each violation and note at once.
    """
    begun: object = None
    if share.begin:
        checker.report_to(nobody, nobody)
        checker.read(stream, end=share.head)
        if not checker.stopped:
            checker.skip_to(share.before)
            stream.seek(share.before)
            checker.read(stream, end=share.begin)
        # What a relay log may hold depends on more than its last transaction.
        if checker.stopped or checker.log.relay:
            return JudgedShare(checker, None)
        checker.begin_share()
        begun = state_of(checker)
    checker.report_to(report, nobody)
    checker.read(stream, end=share.end)
    return JudgedShare(checker, begun)
