"""The limits of an implementation; the kit stops it when it exceeds one."""

import re
from dataclasses import dataclass
from typing import Final

#: Seconds of the units of a time.
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "": 1}
#: The longest time in seconds, as the system waits no longer than 2**31 ms, and the most memory in MiB.
_LONGEST: Final = 20 * 24 * 3600
MOST_MEMORY: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one implementation under test.

    Attributes:
        seconds: Time for one answer; a later one is a hang.
        start_seconds: Time until it has sent its declaration.
        memory_bytes: Memory that each of its processes may have to write to; None for no limit. What a runtime
            reserves and does not use, as those of Java and Go do, does not count.
        hangs: How often it may hang in one run before nothing more is asked.
        answer_bytes: Length of an answer about an empty stream; a longer line is an output flood.
        answer_bytes_per_byte: What each byte of the stream adds to that. The longest answers of all roles, the text of
            rows, have 18 bytes for each byte of the stream.
        declaration_bytes: Length of a declaration.
        environment: Names or globs of the variables of the environment that it sees besides the usual ones.
    """

    seconds: float = 10.0
    start_seconds: float = 30.0
    memory_bytes: int | None = 2 << 30
    hangs: int = 5
    answer_bytes: int = 4 << 20
    answer_bytes_per_byte: int = 64
    declaration_bytes: int = 1 << 20
    environment: tuple[str, ...] = ()

    def answer_length(self, stream: bytes) -> int:
        """Return how many bytes an answer about a stream may have."""
        return self.answer_bytes + self.answer_bytes_per_byte * len(stream)


#: The default limits.
DEFAULT_LIMITS = Limits()


def duration(text: str) -> float:
    """Return the seconds of ``90``, ``90s``, ``10m`` or ``8h``.

    Raises:
        ValueError: The text is not a valid duration.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    seconds = float(match[1]) * _UNITS[match[2]] if match is not None else 0.0
    if not 0 < seconds <= _LONGEST:
        raise ValueError(f"{text!r} is not a valid time; write 90s, 10m or 8h, at most {_LONGEST // 3600}h")
    return seconds


def limits_of(answer_time: float, memory: int, hangs: int, environment: tuple[str, ...]) -> Limits:
    """Return the limits that a user's options set.

    Args:
        answer_time: Seconds for one answer.
        memory: Memory of each of its processes in MiB, 0 for no limit.
        hangs: After how many hangs nothing more is asked.
        environment: Names or globs of further variables of the environment.
    """
    memory_bytes = memory << 20 if memory else None
    return Limits(seconds=answer_time, memory_bytes=memory_bytes, hangs=hangs, environment=environment)
