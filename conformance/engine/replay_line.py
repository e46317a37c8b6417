"""The command line that judges one case again, with the same limits."""

import shlex
from collections.abc import Iterator
from decimal import Decimal

from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.strategies.grammar.case_id import CaseId


def replay_line(case: CaseId, spec: str, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return the command that reproduces the verdict on a case, quoted for a shell.

    Args:
        case: The case.
        spec: The implementation as the user named it.
        limits: Its limits; those that differ from the defaults are part of the command.
    """
    return shlex.join(["binlog-conformance", "replay", str(case), spec, *_options(limits)])


def _options(limits: Limits) -> Iterator[str]:
    if limits.seconds != DEFAULT_LIMITS.seconds:
        # Without an exponent, which the option does not take.
        yield f"--answer-time={Decimal(str(limits.seconds)).normalize():f}s"
    if limits.memory_bytes != DEFAULT_LIMITS.memory_bytes:
        yield f"--memory={(limits.memory_bytes or 0) >> 20}"
    for name in limits.environment:
        yield f"--pass-env={name}"
