"""The limits of an implementation; the kit stops it when it exceeds one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one implementation under test.

    Attributes:
        seconds: Time for one answer; a later one is a hang.
        start_seconds: Time until it has sent its declaration.
        memory_bytes: Address space that its process may reserve; None for no limit, which programs on the Java
            and Go runtimes need, as they reserve far more than they use.
        answer_bytes: Length of one answer; a longer line is an output flood.
    """

    seconds: float = 10.0
    start_seconds: float = 30.0
    memory_bytes: int | None = 2 << 30
    answer_bytes: int = 64 << 20


#: The default limits.
DEFAULT_LIMITS = Limits()
