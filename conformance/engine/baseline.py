"""The baseline: known failures, each with a reason."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from conformance.engine.events import RunFinished
from conformance.engine.failure import Failure
from conformance.engine.tally import Tally
from conformance.specs.catalogue import catalogue
from conformance.specs.conversion import Malformed, converted, parsed_toml
from conformance.specs.files import read_text
from conformance.specs.profiles import PROFILE_GROUPS
from conformance.specs.run_record import BESIDE_THE_CATALOGUE, NOT_ASKED

NotEmpty = Annotated[str, Meta(min_length=1)]
#: Bytes of a baseline file; one has some hundred for each finding.
BASELINE_BYTES: Final = 1 << 20
#: Any finding that breaks no other requirements.
ANY: Final = "*"
#: The keys of an entry as kits before findings wrote it.
_FORMER: Final = {"requirement", "signature"}


class BaselineError(ValueError):
    """A baseline file that cannot be used; the message names the place and the reason."""


class KnownFailure(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of a baseline.

    Attributes:
        finding: The signature of the finding, ``*`` for any that breaks no other requirements than these.
        groups: The groups of profiles in which it is known; in another one it is new, as its reason may be another.
        requirements: The requirements that it breaks; ``TROUBLE`` for a crash, a hang or a broken protocol that is
            charged to none, ``UNEXPLAINED`` for a difference that none accounts for.
        reason: Why it fails, or who is responsible.
    """

    finding: NotEmpty
    groups: Annotated[tuple[NotEmpty, ...], Meta(min_length=1)]
    requirements: Annotated[tuple[NotEmpty, ...], Meta(min_length=1)]
    reason: NotEmpty

    def covers(self, finding: str, group: str, requirements: Iterable[str]) -> bool:
        """Return whether a failure is the known one.

        Args:
            finding: The signature of its finding.
            group: Its group of profiles.
            requirements: The requirements that it breaks.
        """
        if group not in self.groups:
            return False
        return self.finding == finding or (self.finding == ANY and set(requirements) <= set(self.requirements))

    def lines(self) -> str:
        """Return the entry as the lines of a baseline file."""
        return "\n".join(
            [
                "[[known]]",
                f"finding = {_quoted(self.finding)}",
                f"groups = [{', '.join(map(_quoted, self.groups))}]",
                f"requirements = [{', '.join(map(_quoted, self.requirements))}]",
                f"reason = {_quoted(self.reason)}",
            ]
        )


def entries_for(failures: Iterable[Failure], reason: str) -> list[KnownFailure]:
    """Return the entries that accept failures, one for each finding and reason.

    Args:
        failures: The failures.
        reason: The reason for those that are not known.
    """
    together: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        together.setdefault((failure.finding, failure.known or reason), []).append(failure)
    return [
        KnownFailure(
            finding,
            tuple(dict.fromkeys(each.group for each in alike)),
            tuple(sorted({requirement for each in alike for requirement in each.counts.requirements})),
            why,
        )
        for (finding, why), alike in together.items()
    ]


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
            BaselineError: The file cannot be read or is larger than `BASELINE_BYTES`, an entry lacks a key or has
                another one, or names a requirement or a group of profiles that does not exist.
        """
        try:
            document = parsed_toml(read_text(path, limit=BASELINE_BYTES))
        except OSError as error:
            raise BaselineError(f"{path}: {error.strerror or error}") from error
        except Malformed as error:
            raise BaselineError(f"{path}: {error}") from error
        if _is_former(document):
            raise BaselineError(
                f"{path}: a baseline of an older kit, by requirement and signature; entries now name a finding: "
                "write it again with --write-baseline"
            )
        try:
            entries = converted(document, _File).known
        except Malformed as error:
            raise BaselineError(f"{path}: {error}") from error
        for index, entry in enumerate(entries):
            _check_names(entry, f"{path}: known[{index}]")
        return cls(str(path), entries)

    def reason(self, finding: str, group: str, requirements: Iterable[str]) -> str | None:
        """Return the reason for a known failure, None for an unknown one.

        Args:
            finding: The signature of its finding.
            group: Its group of profiles.
            requirements: The requirements that it breaks.
        """
        broken = tuple(requirements)
        return next((entry.reason for entry in self.entries if entry.covers(finding, group, broken)), None)

    def concluded(self, tally: Tally, failures: Sequence[Failure]) -> RunFinished:
        """Return the end of a run, with its known failures taken into account.

        Args:
            tally: The counts and verdicts of what was exercised.
            failures: Every finding, once for each group of profiles.
        """
        reached = {each for each in tally.results if tally.was_judged(each) or tally.statuses(each)["unsupported"]}
        if tally.cases:
            # Every case can end in a crash, or have an answer with an unexplained difference.
            reached |= set(BESIDE_THE_CATALOGUE)
        unexpected, stale = self.unmet(failures, reached)
        if tally.not_asked:
            # What the cases that were not asked would have shown, nobody knows.
            unasked = {each for each in tally.results if tally.statuses(each)[NOT_ASKED]} | set(BESIDE_THE_CATALOGUE)
            unexpected = [entry for entry in unexpected if unasked.isdisjoint(entry.requirements)]
            stale = [entry for entry in stale if unasked.isdisjoint(entry.requirements)]
        known = all(each.known is not None for each in failures)
        conforming = known and not (unexpected or stale or tally.not_asked)
        return RunFinished(tally, failures, unexpected, stale, conforming)

    def unmet(
        self, failures: Sequence[Failure], reached: Iterable[str]
    ) -> tuple[list[KnownFailure], list[KnownFailure]]:
        """Return the entries that did not occur: those of exercised requirements, and the others, which are stale."""
        exercised = set(reached)
        unmet = [
            entry
            for entry in self.entries
            if not any(entry.covers(each.finding, each.group, each.counts.requirements) for each in failures)
        ]
        return (
            [entry for entry in unmet if not exercised.isdisjoint(entry.requirements)],
            [entry for entry in unmet if exercised.isdisjoint(entry.requirements)],
        )


def _is_former(document: Mapping[str, Any]) -> bool:
    entries = document.get("known")
    return isinstance(entries, list) and any(isinstance(each, dict) and each.keys() >= _FORMER for each in entries)


def _check_names(entry: KnownFailure, where: str) -> None:
    """Check the names in an entry.

    Raises:
        BaselineError: One does not exist.
    """
    for requirement in entry.requirements:
        if requirement not in catalogue() and requirement not in BESIDE_THE_CATALOGUE:
            raise BaselineError(
                f"{where}.requirements: {requirement} is not a requirement of the catalogue, "
                f"nor one of {', '.join(BESIDE_THE_CATALOGUE)}"
            )
    for group in entry.groups:
        if group not in PROFILE_GROUPS:
            raise BaselineError(
                f"{where}.groups: {group!r} is not a group of profiles: write one of {', '.join(PROFILE_GROUPS)}"
            )
