"""What the engine emits while it runs; terminal, run record and tests listen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from conformance.engine.failure import Failure
from conformance.engine.tally import Tally
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.protocol.observation import Declaration


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins.

    Attributes:
        spec: The implementation as the user named it.
        declaration: What it declares.
        roles: The roles that are asked.
        plan: The (family, profile) pairs of the run, in their order, role by role.
        requirements: The glob that selects requirements.
        seed: The seed of the run.
        examples: Cases for each pair; None if time limits the run, or if each family has as many as its array needs.
        seconds: How long it may take, None if the number of cases limits it.
        limits: The limits of the implementation.
    """

    spec: str
    declaration: Declaration
    roles: tuple[str, ...]
    plan: Sequence[tuple[str, str]]
    requirements: str
    seed: int
    examples: int | None
    seconds: float | None
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class PairFinished:
    """All cases of one family under one profile were judged."""

    family: str
    profile: str
    cases: int


@dataclass(frozen=True, slots=True)
class FuzzingProgressed:
    """The progress of a fuzzing run.

    Attributes:
        cases: Cases so far.
        seconds: Seconds so far.
        findings: Findings so far, once for each group of profiles.
        reached: Table of an oracle -> how many of its cells were reached, and how many there are, None if they cannot
            be counted.
    """

    cases: int
    seconds: float
    findings: int
    reached: Mapping[str, tuple[int, int | None]]


@dataclass(frozen=True, slots=True)
class ShrinkingStarted:
    """The shrinking of a finding in a group of profiles begins; `left` is the number of those still to shrink."""

    finding: str
    group: str
    left: int


@dataclass(frozen=True, slots=True)
class FailureFound:
    """A finding in a group of profiles, shrunk."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over.

    Attributes:
        tally: The counts and verdicts of what was exercised.
        failures: Every finding, once for each group of profiles.
        unexpected_passes: Baseline entries that no longer fail.
        stale: Baseline entries whose requirement the run did not exercise.
        conforming: Whether exactly the failures of the baseline occurred.
        unused: Role -> the declared fields and abilities that no answer had, although one could have.
    """

    tally: Tally
    failures: Sequence[Failure]
    unexpected_passes: Sequence[Any]
    stale: Sequence[Any]
    conforming: bool
    unused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


Event = RunStarted | PairFinished | FuzzingProgressed | ShrinkingStarted | FailureFound | RunFinished


class Listener(Protocol):
    """A function that is called with each event of a run."""

    def __call__(self, event: Event) -> None:
        """Handle one event."""
