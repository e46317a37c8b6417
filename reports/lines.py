"""The lines of a run record, one class for each kind; the published schema says the same in JSON Schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.reports.entry import Entry, Malformed

#: Version of the record that this package reads and writes.
SCHEMA: Final = 1
#: The kinds of lines, in the order in which a record has them.
KINDS: Final = ("header", "failure", "requirement", "coverage", "footer")
#: The statuses that a failure can have, and a result can count beside ``pass`` and ``unsupported``.
FAILURE_STATUSES: Final = ("fail", "crash", "hang", "protocol-error")
#: What a requirement can come to.
VERDICTS: Final = ("pass", *FAILURE_STATUSES, "unsupported", "not-reached", "no-oracle", "untestable")
LEVELS: Final = ("must", "should", "may")

Counts = Mapping[str, int]


def _one_of(entry: Entry, key: str, allowed: tuple[str, ...]) -> str:
    found = entry.text(key)
    if found not in allowed:
        raise Malformed(f"{key} is {found[:80]!r}; it is one of {', '.join(allowed)}")
    return found


@dataclass(frozen=True, slots=True)
class Role:
    """What the implementation declared for one role."""

    fields: tuple[str, ...]
    abilities: tuple[str, ...]
    profiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Implementation:
    """The implementation under test: how it was named on the command line, and what it says of itself."""

    spec: str
    name: str
    version: str
    language: str
    homepage: str | None
    roles: Mapping[str, Role]


@dataclass(frozen=True, slots=True)
class Header:
    """What was run: the implementation, and all that the run depends on."""

    kit: str
    implementation: Implementation
    roles: tuple[str, ...]
    profiles: tuple[str, ...]
    families: tuple[str, ...]
    requirements: str
    seed: int
    examples: int | None
    seconds: float | None
    started: str

    @classmethod
    def read(cls, entry: Entry) -> "Header":
        """Read a header line.

        Raises:
            Malformed: A value is missing, of another type, or of another version of the record.
        """
        if (schema := entry.integer("schema")) != SCHEMA:
            raise Malformed(f"a record of schema {schema}; this kit reads schema {SCHEMA}")
        said = entry.entry("implementation")
        return cls(
            kit=entry.text("kit"),
            implementation=Implementation(
                spec=said.text("spec"),
                name=said.text("name"),
                version=said.text("version"),
                language=said.text("language"),
                homepage=said.optional_text("homepage"),
                roles={
                    name: Role(role.texts("fields"), role.texts("abilities"), role.texts("profiles"))
                    for name, role in said.members("roles")
                },
            ),
            roles=entry.texts("roles"),
            profiles=entry.texts("profiles"),
            families=entry.texts("families"),
            requirements=entry.text("requirements"),
            seed=entry.integer("seed"),
            examples=entry.optional_count("examples"),
            seconds=entry.optional_number("seconds"),
            started=entry.text("started"),
        )


@dataclass(frozen=True, slots=True)
class FieldSpan:
    """Where a field stands, in bytes from the start of the stream, and its value as text."""

    offset: int
    size: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event of the shrunk stream, or its magic number; offset and size in bytes."""

    offset: int
    size: int
    type: int
    name: str
    summary: str
    spans: tuple[FieldSpan, ...]

    @classmethod
    def read(cls, entry: Entry) -> "StreamEvent":
        """Read an event of a failure line.

        Raises:
            Malformed: A value is missing or of another type.
        """
        return cls(
            offset=entry.count("offset"),
            size=entry.count("size"),
            type=entry.count("type"),
            name=entry.text("name"),
            summary=entry.text("summary"),
            spans=tuple(
                FieldSpan(span.count("offset"), span.count("size"), span.text("name"), span.text("value"))
                for span in entry.entries("spans")
            ),
        )


@dataclass(frozen=True, slots=True)
class Refusal:
    """The error that ended the reading of a stream; `at` is the offset of the refused event, if that is told."""

    at: int | None
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What an implementation should have answered, or did: events by field, and the error that ended the reading."""

    events: tuple[Mapping[str, Any], ...]
    error: Refusal | None

    @classmethod
    def read(cls, entry: Entry) -> "Answer":
        """Read the expected or the observed answer of a failure line.

        Raises:
            Malformed: A value is missing or of another type.
        """
        error = entry.optional_entry("error")
        return cls(
            events=tuple(event.values for event in entry.entries("events")),
            error=None
            if error is None
            else Refusal(error.optional_count("at"), error.text("kind"), error.text("message")),
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """One way in which one requirement was broken, with the smallest stream that shows it.

    Attributes:
        requirement: The requirement's id.
        status: One of `FAILURE_STATUSES`.
        signature: A short, stable name of this way of breaking it.
        profile: The profile of the shrunk case.
        family: The family of the shrunk case.
        case: Id of the shrunk case.
        role: What was asked.
        settings: What the question said besides the stream.
        found: Id of the case that showed it first.
        count: Cases that showed it.
        message: What was expected and what came, in one sentence.
        at: Offset of the event concerned in the stream, None where it is not one event.
        stream: The shrunk stream.
        events: Its events, field by field.
        expected: The right answer.
        observed: The implementation's, None where there was none.
        type_names: Event type code, in decimal digits -> the name of the type, for the events of both answers.
        detail: The raw line or the end of the standard error.
        replay: The command line that shows it again.
        known: The reason that the baseline gives, None where it is not listed.
    """

    requirement: str
    status: str
    signature: str
    profile: str
    family: str
    case: str
    role: str
    settings: Mapping[str, Any]
    found: str
    count: int
    message: str
    at: int | None
    stream: bytes
    events: tuple[StreamEvent, ...]
    expected: Answer
    observed: Answer | None
    type_names: Mapping[str, str]
    detail: str
    replay: str
    known: str | None

    @classmethod
    def read(cls, entry: Entry) -> "Failure":
        """Read a failure line.

        Raises:
            Malformed: A value is missing or of another type.
        """
        observed = entry.optional_entry("observed")
        return cls(
            requirement=entry.text("requirement"),
            status=_one_of(entry, "status", FAILURE_STATUSES),
            signature=entry.text("signature"),
            profile=entry.text("profile"),
            family=entry.text("family"),
            case=entry.text("case"),
            role=entry.text("role"),
            settings=entry.entry("settings").values,
            found=entry.text("found"),
            count=entry.count("count"),
            message=entry.text("message"),
            at=entry.optional_count("at"),
            stream=entry.octets("stream"),
            events=tuple(map(StreamEvent.read, entry.entries("events"))),
            expected=Answer.read(entry.entry("expected")),
            observed=None if observed is None else Answer.read(observed),
            type_names=entry.entry("type_names").named_texts(),
            detail=entry.text("detail"),
            replay=entry.text("replay"),
            known=entry.optional_text("known"),
        )


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """One requirement of the catalogue and what the run found of it.

    Attributes:
        oracle: Whether the kit can judge it yet.
        results: Status -> number of cases, for each profile it was exercised under.
        verdict: One of `VERDICTS`.
    """

    id: str
    worklog: str
    level: str
    role: str
    text: str
    section: str
    interpretation: str | None
    untestable: str | None
    profiles: tuple[str, ...]
    families: tuple[str, ...]
    oracle: bool
    results: Mapping[str, Counts]
    verdict: str

    @classmethod
    def read(cls, entry: Entry) -> "RequirementResult":
        """Read a requirement line.

        Raises:
            Malformed: A value is missing or of another type.
        """
        return cls(
            id=entry.text("id"),
            worklog=entry.text("worklog"),
            level=_one_of(entry, "level", LEVELS),
            role=entry.text("role"),
            text=entry.text("text"),
            section=entry.text("section"),
            interpretation=entry.optional_text("interpretation"),
            untestable=entry.optional_text("untestable"),
            profiles=entry.texts("profiles"),
            families=entry.texts("families"),
            oracle=entry.flag("oracle"),
            results={profile: counts.counts() for profile, counts in entry.members("results")},
            verdict=_one_of(entry, "verdict", VERDICTS),
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the streams held: name -> profile -> events, cases, and cases with a fault.

    `tables` are those that oracles name: table -> cell -> profile -> how often it was exercised.
    """

    event_types: Mapping[str, Counts]
    families: Mapping[str, Counts]
    faults: Mapping[str, Counts]
    tables: Mapping[str, Mapping[str, Counts]]

    @classmethod
    def read(cls, entry: Entry) -> "Coverage":
        """Read a coverage line.

        Raises:
            Malformed: A value is missing or of another type.
        """
        event_types, families, faults = (
            {name: counts.counts() for name, counts in entry.members(key)}
            for key in ("event_types", "families", "faults")
        )
        found = entry.entry("tables")
        tables = {name: {cell: counts.counts() for cell, counts in found.members(name)} for name in found.values}
        return cls(event_types=event_types, families=families, faults=faults, tables=tables)


@dataclass(frozen=True, slots=True)
class Footer:
    """How the run ended.

    Attributes:
        cases: Cases run.
        events: Events in their streams.
        verdicts: Verdict -> number of requirements.
        failures: Failure lines of this record, known ones included.
        known_failures: Those of them that the baseline lists.
        unexpected_passes: Requirements that the baseline lists and that passed.
        stale_baseline: Baseline entries that match nothing of this run.
        conforming: Whether the implementation conforms, the baseline considered.
        elapsed: Seconds.
    """

    cases: int
    events: int
    verdicts: Counts
    failures: int
    known_failures: int
    unexpected_passes: tuple[str, ...]
    stale_baseline: tuple[str, ...]
    conforming: bool
    elapsed: float

    @classmethod
    def read(cls, entry: Entry) -> "Footer":
        """Read a footer line.

        Raises:
            Malformed: A value is missing or of another type.
        """
        return cls(
            cases=entry.count("cases"),
            events=entry.count("events"),
            verdicts=entry.entry("verdicts").counts(),
            failures=entry.count("failures"),
            known_failures=entry.count("known_failures"),
            unexpected_passes=entry.texts("unexpected_passes"),
            stale_baseline=entry.texts("stale_baseline"),
            conforming=entry.flag("conforming"),
            elapsed=entry.number("elapsed"),
        )
