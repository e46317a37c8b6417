"""The features that people look for in a reader, and what a run shows of each."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Literal

from msgspec import Struct

from conformance.reports.kept_runs import KeptRun
from conformance.reports.record import RunRecord
from conformance.specs.conversion import converted, parsed_toml
from conformance.specs.run_record import TROUBLE, Failure, RequirementResult

#: What a run shows of a feature: "unread" where the reader does not know the events, or refuses the log before them.
State = Literal["yes", "partly", "no", "unread", "not reported", "not judged"]
#: The states, the worst first: that of a feature is the worst of its requirements.
_STATES: Final[tuple[State, ...]] = ("no", "partly", "unread", "not reported", "not judged", "yes")
#: The states in which the events are read -> those that are as good.
_AS_GOOD: Final[Mapping[State, tuple[State, ...]]] = {"yes": ("yes",), "partly": ("yes", "partly")}

#: The end of the message of a crash that an adapter reports: how many entries its answer has before it.
_ENTRIES: Final = re.compile(r"\(after (\d+) entr(?:y|ies)\)")

#: How many entries a log has with one event alone, after the magic number and the format description.
_WITH_ONE_EVENT: Final = 3

#: Families without a fault whose logs are of no server that there is: they declare longer post-headers.
_OF_NO_SERVER: Final = ("post_header_lengths",)


class Feature(Struct, frozen=True, forbid_unknown_fields=True):
    """A feature, as ``features.toml`` has it.

    Attributes:
        name: What people call it.
        requirements: The requirements that a reader with the feature meets.
        profiles: The servers whose logs it is about; empty for all of the requirements.
        events: The events that it is about, as the signatures of findings begin; empty where that shows in the
            requirements.
    """

    name: str
    requirements: tuple[str, ...]
    profiles: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


class _Features(Struct, frozen=True, forbid_unknown_fields=True):
    feature: tuple[Feature, ...]


@cache
def features() -> tuple[Feature, ...]:
    """Return the features, in their order."""
    text = (resources.files("conformance.reports") / "features.toml").read_text(encoding="utf-8")
    return converted(parsed_toml(text), _Features).feature


@dataclass(frozen=True, slots=True)
class Reading:
    """What the certified versions of one implementation show of a feature.

    Attributes:
        state: That of the newest version.
        since: The oldest certified version from which on each has the state ``yes``, or reads the events at least, with
            faults, where the newest does; None where the newest does not.
        before: The certified version before that, which does not; None if there is none.
    """

    state: State
    since: str | None = None
    before: str | None = None


def state_in(record: RunRecord, feature: Feature) -> State:
    """Return what a run shows of a feature."""
    results = [each for each in record.requirements if each.id in feature.requirements]
    profiles = set(feature.profiles) or {profile for each in results for profile in each.profiles}
    states = [_state(record, each, feature.profiles or tuple(each.profiles)) for each in results]
    states += [
        _without(failure, feature, profiles, states) for failure in record.failures if profiles & set(failure.profiles)
    ]
    return min(states, key=_STATES.index, default="not judged")


def _without(failure: Failure, feature: Feature, profiles: Collection[str], states: Sequence[State]) -> State:
    """Return what a finding shows of a feature: that its events are refused, not known or crash, or nothing."""
    # Where the fields are not reported, the events that are not refused may still be read right.
    without: State = "partly" if {"yes", "partly", "not reported"}.intersection(states) else "no"
    if failure.profile in profiles and _crashed_at(failure) in feature.events:
        return without
    for event in feature.events:
        if failure.signature.startswith(f"{event} not known"):
            return "unread"
        # Other events of the type are read: those of other servers, or without what the refused ones have.
        if failure.signature.startswith((f"{event} refused", f"{event} read to a wrong end")):
            return without
    return "yes"


def _crashed_at(failure: Failure) -> str | None:
    """Return the name of the event of a log without faults at which the reader crashed, None of any other log.

    A process that was ended has no answer: the event is known where the smallest log has one alone.
    """
    if TROUBLE not in failure.requirements or failure.family in _OF_NO_SERVER:
        return None
    entries = _ENTRIES.search(failure.message)
    if entries is None:
        return failure.events[-1].name if len(failure.events) == _WITH_ONE_EVENT else None
    at = int(entries[1]) + 1  # After the magic number.
    return failure.events[at].name if at < len(failure.events) else None


def _state(record: RunRecord, requirement: RequirementResult, profiles: Sequence[str]) -> State:
    passed, statuses = 0, set()
    for profile in profiles:
        counts = requirement.results.get(profile, {})
        passed += counts.get("pass", 0)
        statuses |= {status for status, number in counts.items() if number}
    # A case that crashed counts where the crash is charged to the requirement, and not where another one is to blame.
    broken = any(
        requirement.id in failure.requirements and not set(profiles).isdisjoint(failure.profiles)
        for failure in record.failures
    )
    if broken:
        return "partly" if passed else "no"
    if passed:
        return "yes"
    if "blocked" in statuses:
        return "unread"
    return "not reported" if "unsupported" in statuses else "not judged"


def reading_of(versions: Sequence[KeptRun], feature: Feature) -> Reading:
    """Return what the versions of one implementation show of a feature, the oldest version first."""
    states = [state_in(run.record, feature) for run in versions]
    as_good = _AS_GOOD.get(states[-1], ())
    first = len(states)
    while first and states[first - 1] in as_good:
        first -= 1
    if first == len(states):
        return Reading(states[-1])
    return Reading(states[-1], versions[first].version, versions[first - 1].version if first else None)
