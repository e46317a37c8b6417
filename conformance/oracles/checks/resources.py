"""The memory and the processor time that an answer takes, as measured by the kit."""

from collections.abc import Iterator
from typing import Final

from conformance.binlog.header import LENGTH_AT
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.oracle import GOOD, Check, Oracle

#: By how many bytes a process may grow at a stream of some kilobytes: a runtime that collects garbage holds several
#: times what it needs, and a reader may unpack an event of 64 MiB.
ALLOWED_BYTES: Final = 256 << 20
#: The processor time that it may take, in seconds: ten times what a reader in Python needs to open all that is packed.
ALLOWED_SECONDS: Final = 8.0
_CLAIMS: Final = " that claims "


def within_limits(requirement: str, *any_of: str) -> Oracle:
    """Return the oracle that checks what a reader takes for a stream that claims or holds far more than it should.

    Args:
        requirement: The requirement's id.
        *any_of: Fields of which one must be declared: a reader that reports none of them need not look so far.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        expected, seen = alignment.case.expected, alignment.observation
        if seen.memory is None or seen.processor_seconds is None or not alignment.marked(requirement):
            return
        took: list[tuple[str, str]] = []
        if seen.memory > ALLOWED_BYTES:
            took.append((f"the process grew by {seen.memory >> 20} MiB", f"more than {ALLOWED_BYTES >> 20} MiB"))
        if seen.processor_seconds > ALLOWED_SECONDS:
            time = f"{seen.processor_seconds:.1f} s of processor time"
            took.append((f"the answer took {time}", f"more than {ALLOWED_SECONDS:.0f} s of processor time"))
        for observed, limit in took:
            words = f"{limit} taken: {_burden(expected.burden)}"
            message = f"{observed} at a {expected.burden}, in a stream of {len(alignment.case.stream)} bytes"
            yield Check(words, message, expected.refused_at, Cause(words))
        if not took:
            yield GOOD

    return Oracle(requirement, examine, any_of=frozenset(any_of), asks_more=True, is_measured=True)


def _burden(name: str) -> str:
    """Return what a stream claims or holds too much of; how much it claims makes no other cause."""
    what, claims, _ = name.partition(_CLAIMS)
    return f"{what}{claims}too much" if claims else name


def less_than_claimed(requirement: str) -> Oracle:
    """Return the oracle that checks that the process does not grow by the length that a header claims.

    Half of it leaves room for what else the process does.
    """
    return Oracle(requirement, _less_than_claimed, abilities=frozenset({"framing"}), asks_more=True, is_measured=True)


def _less_than_claimed(alignment: Alignment, requirement: str) -> Iterator[Check]:
    at, grown = alignment.case.expected.refused_at, alignment.observation.memory
    if at is None or grown is None or not alignment.marked(requirement):
        return
    stream = alignment.case.stream
    claimed = int.from_bytes(stream[at + LENGTH_AT : at + LENGTH_AT + 4], "little")
    if 2 * grown < claimed:
        yield GOOD
    else:
        message = (
            f"the process grew by {grown >> 20} MiB at an event length of {claimed} in a stream of {len(stream)} bytes"
        )
        words = "as much memory asked for as the length of an event claims"
        yield Check(words, message, at, Cause(words))
