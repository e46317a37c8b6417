"""What the engine emits while it runs; terminal, run record and tests listen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from conformance.engine.failure import Failure
from conformance.engine.tally import Tally
from conformance.protocol.observation import Declaration


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins.

    Attributes:
        spec: The implementation as the user named it.
        declaration: What it says of itself.
        roles: The roles that are asked.
        plan: The (family, profile) pairs that are run, in their order, one role behind the other.
        requirements: The glob that selects requirements.
        seed: The seed of the run.
        examples: Cases for each pair, None where time limits the run.
        seconds: How long it may take, None where `examples` limits it.
    """

    spec: str
    declaration: Declaration
    roles: tuple[str, ...]
    plan: Sequence[tuple[str, str]]
    requirements: str
    seed: int
    examples: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class PairFinished:
    """All cases of one family under one profile were judged."""

    family: str
    profile: str
    cases: int


@dataclass(frozen=True, slots=True)
class FuzzingWentOn:
    """A moment of a fuzzing run.

    Attributes:
        cases: Cases so far.
        seconds: Seconds so far.
        findings: Kinds of failure so far.
        reached: Table that an oracle names -> how many of its cells were reached, and how many there are, None where
            there is no end to them.
    """

    cases: int
    seconds: float
    findings: int
    reached: Mapping[str, tuple[int, int | None]]


@dataclass(frozen=True, slots=True)
class ShrinkingStarted:
    """A new kind of failure is about to be shrunk; `left` more wait."""

    requirement: str
    signature: str
    left: int


@dataclass(frozen=True, slots=True)
class FailureFound:
    """A kind of failure, shrunk."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over.

    Attributes:
        tally: What was exercised how often, and with what verdicts.
        failures: Every kind of failure.
        unexpected_passes: Baseline entries that no longer fail.
        stale: Baseline entries that name nothing this run could show.
        conforming: Whether nothing failed that the baseline does not know, and the baseline holds.
    """

    tally: Tally
    failures: Sequence[Failure]
    unexpected_passes: Sequence[Any]
    stale: Sequence[Any]
    conforming: bool


Event = RunStarted | PairFinished | FuzzingWentOn | ShrinkingStarted | FailureFound | RunFinished


class Listener(Protocol):
    """Is told what happens in a run."""

    def __call__(self, event: Event) -> None:
        """Take one event."""
