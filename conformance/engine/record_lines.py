"""Typed events to the lines of a run record."""

import platform
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from conformance import __version__
from conformance.binlog.event_types import type_name
from conformance.engine.coverage import cell_text, tables_of_oracles
from conformance.engine.events import Event, FailureFound, RunFinished, RunStarted
from conformance.engine.failure import Failure
from conformance.engine.kept_answer import kept_events, kept_refusal, kept_text, kept_value
from conformance.engine.replay_line import replay_line
from conformance.engine.stream_dump import dump
from conformance.engine.tally import Tally
from conformance.implementations.process.environment import added_names
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.oracles.registry import oracles
from conformance.protocol.observation import Declaration, Observation, Refusal, Trouble
from conformance.protocol.role import entry_type_name
from conformance.specs import run_record
from conformance.specs.catalogue import Requirement, catalogue, select
from conformance.specs.extensions import extensions
from conformance.specs.witness import sight_of, witnesses
from conformance.strategies.families.departures import departure_of
from conformance.strategies.grammar.family import families

#: Bytes of a stream that a record holds; shrunk streams are far below.
_STREAM_LIMIT: Final = 1 << 20
#: Characters of a verdict's message that a record holds.
_MESSAGE_LIMIT: Final = 4_000


class RecordLines:
    """A listener that turns a run's events into the lines of its record.

    Args:
        append: Takes each line, in the record's order.
    """

    def __init__(self, append: Callable[[run_record.Line], None]) -> None:
        self._append = append
        self._roles: tuple[str, ...] = ()
        self._spec = ""
        self._limits = DEFAULT_LIMITS
        self._requirements = "*"
        self._profiles: tuple[str, ...] = ()
        self._began = time.monotonic()

    def __call__(self, event: Event) -> None:
        """Append the lines of one event."""
        if isinstance(event, RunStarted):
            self._spec = event.spec
            self._limits = event.limits
            self._requirements = event.requirements
            self._roles = event.roles
            self._profiles = _profiles(event)
            self._append(_header(event))
        elif isinstance(event, FailureFound):
            self._append(failure_line(event.failure, self._spec, limits=self._limits))
        elif isinstance(event, RunFinished):
            for line in self._ending(event):
                self._append(line)

    def _ending(self, event: RunFinished) -> Iterator[run_record.Line]:
        tally = event.tally
        wanted = {requirement.id for requirement in select(pattern=self._requirements)}
        # A crash is reported whatever is selected; the requirement that it is charged to has a line too.
        wanted |= {requirement for failure in event.failures for requirement in failure.counts.requirements}
        requirements = [
            _requirement(requirement, event, self._profiles)
            for requirement in catalogue().values()
            if requirement.id in wanted and requirement.role in self._roles
        ]
        yield from requirements
        faults = {name for name, family in families().items() if family.fault}
        yield run_record.Coverage(
            event_types=tally.event_types,
            families=tally.families,
            faults={name: counts for name, counts in tally.families.items() if name in faults},
            tables=dict(_tables(tally)),
            variants=tuple(tally.variants.by_family()),
        )
        yield run_record.Footer(
            cases=tally.cases,
            events=tally.events,
            verdicts=Counter(each.verdict for each in requirements),
            findings=len({failure.finding for failure in event.failures}),
            failures=len(event.failures),
            known_failures=sum(failure.known is not None for failure in event.failures),
            unexpected_passes=tuple(each.finding for each in event.unexpected_passes),
            stale_baseline=tuple(each.finding for each in event.stale),
            conforming=event.conforming,
            elapsed=round(time.monotonic() - self._began, 3),
            troubles={status: tally.troubles[status] for status in run_record.TROUBLES},
            unexplained=tally.unexplained,
            not_asked=tally.not_asked,
            unused=event.unused,
        )


def _tables(tally: Tally) -> Iterator[tuple[str, dict[str, dict[str, int]]]]:
    """Yield the tables that were touched, with the cells that were not."""
    for table in tables_of_oracles():
        met = tally.tables.get(table.name)
        if met:
            cells = dict.fromkeys(map(cell_text, table.every)) | met
            yield table.name, {cell: dict(met.get(cell, {})) for cell in cells}


def _header(event: RunStarted) -> run_record.Header:
    return run_record.Header(
        schema=run_record.SCHEMA,
        kit=__version__,
        implementation=_implementation(event.declaration, event.spec),
        roles=event.roles,
        profiles=_profiles(event),
        families=tuple(dict.fromkeys(family for family, _ in event.plan)),
        requirements=event.requirements,
        seed=event.seed,
        examples=event.examples,
        seconds=event.seconds,
        started=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        environment=added_names(event.limits.environment),
        extensions=tuple(map(str, extensions())),
        platform=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    )


def _implementation(declaration: Declaration, spec: str) -> run_record.Implementation:
    return run_record.Implementation(
        spec=spec,
        name=declaration.name,
        version=declaration.version,
        language=declaration.language,
        homepage=declaration.homepage or None,
        roles={
            name: run_record.Role(tuple(sorted(role.every_field)), tuple(sorted(role.abilities)), tuple(role.profiles))
            for name, role in declaration.roles.items()
        },
    )


def _profiles(event: RunStarted) -> tuple[str, ...]:
    return tuple(dict.fromkeys(profile for _, profile in event.plan))


def _requirement(requirement: Requirement, event: RunFinished, profiles: Sequence[str]) -> run_record.RequirementResult:
    has_oracle = requirement.id in oracles()
    results = event.tally.results.get(requirement.id, {})
    verdict: run_record.Result
    if requirement.untestable is not None:
        verdict = "untestable"
    elif not has_oracle:
        verdict = "no-oracle"
    else:
        verdict = event.tally.verdict(requirement.id)
    return run_record.RequirementResult(
        id=requirement.id,
        worklog=requirement.worklog,
        level=requirement.level,
        role=requirement.role,
        text=requirement.text,
        section=requirement.section,
        interpretation=requirement.interpretation,
        untestable=requirement.untestable,
        # Single releases are profiles of a run that asks for them.
        profiles=tuple(dict.fromkeys((*requirement.holds, *filter(requirement.holds.__contains__, profiles)))),
        families=requirement.families,
        oracle=has_oracle,
        results={
            profile: {status: counts[status] for status in run_record.STATUSES} for profile, counts in results.items()
        },
        verdict=verdict,
        obstacles=dict(event.tally.obstacles.get(requirement.id, {})),
        pairs=event.tally.variants.pairs_of(requirement.id),
        witnesses=sight_of(witnesses().get(requirement.id, ())),
        anchor=next((each.anchor for each in requirement.statements), ""),
        owns=bool(requirement.owns),
    )


def failure_line(failure: Failure, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> run_record.Failure:
    """Return the line of a failure: its shrunk case as hex and as events, expected beside observed.

    Args:
        failure: The failure.
        spec: The implementation as the user named it.
        limits: Its limits, which the command that reproduces the failure repeats.

    Raises:
        ValueError: The verdict is not one of a failure.
    """
    case, verdict = failure.case, failure.verdict
    if verdict.status not in run_record.FAILURES:
        raise ValueError(f"a verdict of {verdict.requirement} is {verdict.status!r}, which is not a failure")
    expected = case.expected
    refusal = None
    if expected.refused_at is not None:
        refusal = Refusal(expected.refused_at, expected.refused_kind, "", expected.refused_code)
    stream = case.stream[:_STREAM_LIMIT]
    return run_record.Failure(
        requirement=verdict.requirement,
        status=verdict.status,
        signature=failure.finding,
        group=failure.group,
        requirements=failure.counts.requirements,
        profiles=failure.counts.profiles,
        profile=case.id.profile,
        family=case.id.family,
        case=str(case.id),
        role=case.role,
        settings=kept_value(case.settings),
        first_case=failure.first_case,
        count=failure.counts.cases,
        message=kept_text(verdict.message, _MESSAGE_LIMIT),
        at=_kept_integer(verdict.at),
        stream=stream.hex(),
        events=tuple(dump(stream)),
        expected=_answer(expected.events, refusal),
        observed=None
        if isinstance(failure.answer, Trouble)
        else _answer(failure.answer.events, failure.answer.error, failure.left_out),
        type_names=_type_names(expected.events, failure.answer),
        detail=kept_text(failure.answer.detail) if isinstance(failure.answer, Trouble) else "",
        replay=replay_line(case.id, spec, limits),
        known=failure.known,
        departure=departure_of(case.id.family, case.id.profile),
    )


def _kept_integer(value: int | None) -> int | None:
    """Return an integer of an answer, None where it is larger than a record holds."""
    return value if value is not None and value.bit_length() < 64 else None


def _type_names(expected: Sequence[Mapping[str, Any]], answer: Observation | Trouble) -> dict[str, str]:
    """Return the names of the event types that are in the answers, by their codes in digits."""
    observed = () if isinstance(answer, Trouble) else answer.events
    codes = {entry.get("type") for entry in (*expected, *observed)}
    names = {code: type_name(code) for code in sorted(each for each in codes if type(each) is int)}
    names |= {entry["type"]: entry_type_name(entry) for entry in expected if type(entry.get("type")) is int}
    return {str(code): name for code, name in names.items()}


def _answer(events: Sequence[Mapping[str, Any]], error: Refusal | None, left_out: int = 0) -> run_record.Answer:
    kept, error = kept_events(events), kept_refusal(error)
    return run_record.Answer(
        events=kept.events,
        error=None
        if error is None
        else run_record.Refusal(_kept_integer(error.at), error.kind, error.message, _kept_integer(error.code)),
        left_out=kept.left_out + left_out,
    )
