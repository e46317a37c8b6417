"""The baseline: known failures, each with a reason."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from conformance.engine.events import RunFinished
from conformance.engine.failure import Failure
from conformance.engine.tally import Tally
from conformance.specs.catalogue import catalogue
from conformance.specs.conversion import Malformed, converted
from conformance.specs.run_record import BESIDE_THE_CATALOGUE

NotEmpty = Annotated[str, Meta(min_length=1)]
#: Any signature of the requirement.
ANY: str = "*"


class BaselineError(ValueError):
    """A baseline file that cannot be used; the message names the place and the reason."""


class KnownFailure(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of a baseline.

    Attributes:
        requirement: The requirement that is known to fail; ``TROUBLE`` for a crash, a hang or a broken protocol that is
            charged to none, ``UNEXPLAINED`` for a difference that none accounts for.
        signature: The signature of the failure, ``*`` for any.
        reason: Why it fails, or who is responsible.
    """

    requirement: NotEmpty
    signature: NotEmpty
    reason: NotEmpty

    def covers(self, requirement: str, signature: str) -> bool:
        """Return whether a failure is the known one."""
        return self.requirement == requirement and self.signature in (ANY, signature)

    def lines(self) -> str:
        """Return the entry as the lines of a baseline file."""
        return "\n".join(
            ["[[known]]"]
            + [f"{name} = {_quoted(getattr(self, name))}" for name in ("requirement", "signature", "reason")]
        )


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """A baseline file."""

    known: tuple[KnownFailure, ...] = ()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in escaped) + '"'


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known failures of an implementation.

    Attributes:
        path: The file, for messages.
        entries: Its entries.
    """

    path: str = ""
    entries: tuple[KnownFailure, ...] = ()

    @classmethod
    def load(cls, path: Path) -> "Baseline":
        """Read a baseline file (TOML, one ``[[known]]`` table for each entry).

        Raises:
            BaselineError: The file cannot be read, or an entry lacks its requirement, signature or reason, or has
                another key.
        """
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise BaselineError(f"{path}: {error}") from error
        try:
            entries = converted(document, _File).known
        except Malformed as error:
            raise BaselineError(f"{path}: {error}") from error
        for index, entry in enumerate(entries):
            if entry.requirement not in catalogue() and entry.requirement not in BESIDE_THE_CATALOGUE:
                raise BaselineError(
                    f"{path}: known[{index}].requirement: {entry.requirement} is not a requirement of the catalogue, "
                    f"nor one of {', '.join(BESIDE_THE_CATALOGUE)}"
                )
        return cls(str(path), entries)

    def reason(self, requirement: str, signature: str) -> str | None:
        """Return the reason for a known failure, None for an unknown one."""
        return next((entry.reason for entry in self.entries if entry.covers(requirement, signature)), None)

    def concluded(self, tally: Tally, failures: Sequence[Failure]) -> RunFinished:
        """Return the end of a run, with its known failures taken into account.

        Args:
            tally: The counts and verdicts of what was exercised.
            failures: Every kind of failure.
        """
        reached = {each for each in tally.results if tally.was_judged(each) or tally.statuses(each)["unsupported"]}
        if tally.cases:
            # Every case can end in a crash, or have an answer with an unexplained difference.
            reached |= set(BESIDE_THE_CATALOGUE)
        unexpected, stale = self.unmet(failures, reached)
        conforming = not unexpected and not stale and all(each.known is not None for each in failures)
        return RunFinished(tally, failures, unexpected, stale, conforming)

    def unmet(
        self, failures: Sequence[Failure], reached: Iterable[str]
    ) -> tuple[list[KnownFailure], list[KnownFailure]]:
        """Return the entries that did not fail: those of exercised requirements, and the others, which are stale."""
        exercised = set(reached)
        silent = [
            entry
            for entry in self.entries
            if not any(entry.covers(each.verdict.requirement, each.verdict.signature) for each in failures)
        ]
        return (
            [entry for entry in silent if entry.requirement in exercised],
            [entry for entry in silent if entry.requirement not in exercised],
        )
