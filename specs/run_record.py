"""The lines of a run record, one struct for each kind: reading, writing, checking and the JSON Schema follow from them.

A run record is a file of JSON lines. Keys that a struct does not name are ignored, so that a later kit can add some.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args

from msgspec import Meta, Struct, field

from conformance.specs.catalogue import Level

#: Version of the record that the kit reads and writes.
SCHEMA: Final = 2

FailureStatus = Literal["fail", "crash", "hang", "protocol-error"]
#: What a case can show of a requirement. "blocked": it was asked, and the answer ended before the requirement's events,
#: or does not know their type. "not-asked": the implementation had hung too often.
Status = Literal["pass", "fail", "crash", "hang", "protocol-error", "unsupported", "blocked", "not-asked"]
#: What a requirement can come to.
Result = Literal[
    "pass",
    "fail",
    "crash",
    "hang",
    "protocol-error",
    "not-asked",
    "blocked",
    "unsupported",
    "not-reached",
    "no-oracle",
    "untestable",
]

#: What an answer, or an entry where the role allows it, has in the place of what was asked: the reason.
DECLINED: Final = "unsupported"
#: The status of a case that was not asked, as hangs, slow crashes and broken protocols had taken too much time.
NOT_ASKED: Final = "not-asked"
#: Why a case was not asked. What ended the asking need not be a hang: a crash takes time too.
WITHOUT_ANSWERS: Final = "too much time passed without an answer"
#: Every status of a verdict, the good one first.
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
#: The statuses that make an implementation non-conforming.
FAILURES: Final[tuple[FailureStatus, ...]] = get_args(FailureStatus)
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
#: How much a case counts in which a requirement is broken, where the one that stands for a finding is chosen: one that
#: is blamed for what no other accounts for (it owns a field) shows less.
WEIGHTS: Final = {False: 1.0, True: 0.5}
TroubleStatus = Literal["crash", "hang", "protocol-error"]
#: The statuses of an implementation that gave no answer that can be judged.
TROUBLES: Final[tuple[TroubleStatus, ...]] = get_args(TroubleStatus)

#: In the place of a requirement: a crash, a hang or a broken protocol where the stream asks for nothing special.
TROUBLE: Final = "TROUBLE"
#: In the place of a requirement: an answer that differs from the expected one, and breaks no requirement. That is a gap
#: in the catalogue, and no pass.
UNEXPLAINED: Final = "UNEXPLAINED"
#: What a failure may name in the place of a requirement, with what it means.
BESIDE_THE_CATALOGUE: Final = {
    TROUBLE: "The implementation crashed, hung or broke the protocol at a stream that asks for nothing special there.",
    UNEXPLAINED: "The answer differs from the expected one, and no requirement of the catalogue accounts for it.",
}

#: The greatest count: reports calculate with counts, which a quotient of longer ones does not survive.
_MOST: Final = 2**63 - 1
#: The greatest time in seconds, some thirty years.
_LONGEST: Final = 1e9
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Offset = Annotated[int, Meta(ge=0, le=_MOST, description="Bytes from the start of the stream.")]
Size = Annotated[int, Meta(ge=0, le=_MOST, description="Bytes.")]
Moment = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
Texts = tuple[str, ...]
Counts = Mapping[str, Count]
#: A name, then a profile, then a number.
CountsByProfile = Mapping[str, Counts]


class Role(Struct, frozen=True):
    """What an implementation declares for one role."""

    fields: Annotated[Texts, Meta(description="The fields that it reports.")]
    abilities: Annotated[Texts, Meta(description="What else it can do, such as 'checksums'.")]
    profiles: Annotated[Texts, Meta(description="The profiles that it claims.")]


class Implementation(Struct, frozen=True):
    """The implementation under test: how it was named on the command line, and what it declares."""

    spec: Annotated[str, Meta(description="As on the command line, such as 'mysql-replication==1.0.17'.")]
    name: str
    version: str
    language: str
    homepage: str | None
    roles: Annotated[Mapping[str, Role], Meta(description="What it declares for each role.")]


class Header(Struct, frozen=True, tag_field="kind", tag="header"):
    """What was run: the implementation, and all that the run depends on."""

    schema: Annotated[Literal[2], Meta(description="Version of the record.")]
    kit: Annotated[str, Meta(description="Version of binlog-conformance.")]
    implementation: Implementation
    roles: Annotated[Texts, Meta(description="The roles of the questions.")]
    profiles: Annotated[Texts, Meta(description="The profiles of the cases.")]
    families: Annotated[Texts, Meta(description="The families of the cases.")]
    requirements: Annotated[str, Meta(description="The glob that selects requirements by id.")]
    seed: int
    examples: Annotated[
        Count | None,
        Meta(
            description="Cases for each family and profile; null where time limits them, or where a family has as many "
            "as all pairs of its variants take."
        ),
    ]
    seconds: Annotated[
        Annotated[float, Meta(ge=0, le=_LONGEST)] | None,
        Meta(description="Time that the run was given, null where the number of cases limits it."),
    ]
    started: Annotated[Moment, Meta(description="When it started, in UTC.")]
    environment: Annotated[
        Texts,
        Meta(
            description="Names of the variables of the environment that the implementation was given besides the usual "
            "ones; their values are not kept."
        ),
    ] = ()
    extensions: Annotated[Texts, Meta(description="The installed extensions of the kit, packages with versions.")] = ()
    platform: Annotated[
        str, Meta(description="The machine that it ran on: system, processor, Python; empty in older records.")
    ] = ""


class FieldSpan(Struct, frozen=True):
    """Where a field is in the stream."""

    offset: Offset
    size: Size
    name: Annotated[str, Meta(description="The field's name, the same as in the answers.")]
    value: Annotated[str, Meta(description="The value as text.")]


class StreamEvent(Struct, frozen=True):
    """An event of the shrunk stream, or its magic number, which is named MAGIC."""

    offset: Offset
    size: Size
    type: Annotated[Count, Meta(description="Event type code, 0 for the magic number.")]
    name: Annotated[str, Meta(description="Name of the event type.")]
    summary: Annotated[str, Meta(description="What the event holds, in a few words.")]
    spans: tuple[FieldSpan, ...]


class Refusal(Struct, frozen=True, omit_defaults=True):
    """The error that ended the reading of a stream."""

    at: Annotated[Count | None, Meta(description="Offset of the refused event, null where it is not reported.")]
    kind: str
    message: str
    code: Annotated[int | None, Meta(description="The number by which servers know the error.")] = None


class Answer(Struct, frozen=True, omit_defaults=True):
    """What an implementation should have answered, or did."""

    events: Annotated[
        tuple[Mapping[str, Any], ...],
        Meta(description="Events as the protocol has them; the two answers are aligned by 'offset'."),
    ]
    error: Refusal | None
    left_out: Annotated[Count, Meta(description="Events that follow and are not kept, as the answer is too long.")] = 0


class Failure(Struct, frozen=True, tag_field="kind", tag="failure"):
    """One finding in one group of profiles, with the smallest stream that shows it.

    Lines with the same signature are one finding: what they break, they break for the same reason.
    """

    requirement: Annotated[
        str,
        Meta(
            description="The most important of the broken requirements, which the shrunk case breaks; TROUBLE for a "
            "crash, a hang or a broken protocol that is not at an "
            "event to be refused, UNEXPLAINED for a difference that no requirement accounts for."
        ),
    ]
    status: FailureStatus
    signature: Annotated[str, Meta(description="The cause in a few words, the stable name of the finding.")]
    group: Annotated[str, Meta(description="The group of profiles, such as 'mysql 5.6 to 8.4'.")]
    requirements: Annotated[
        Counts, Meta(min_length=1, description="Every requirement that is broken, and in how many cases.")
    ]
    profiles: Annotated[Counts, Meta(description="The profiles in which it was shown, and in how many cases.")]
    profile: Annotated[str, Meta(description="The profile of the shrunk case.")]
    family: Annotated[str, Meta(description="The family of the shrunk case.")]
    case: Annotated[str, Meta(description="Id of the shrunk case.")]
    role: Annotated[str, Meta(description="The role of the question.")]
    settings: Annotated[Mapping[str, Any], Meta(description="What the question holds besides the stream.")]
    first_case: Annotated[str, Meta(description="Id of the case of the run that was shrunk.")] = field(name="found")
    count: Annotated[Count, Meta(description="Cases that showed it.")]
    message: Annotated[str, Meta(description="What was expected and what came, in one sentence.")]
    at: Annotated[
        Count | None, Meta(description="Offset of the event concerned in the stream, null where it is not one event.")
    ]
    stream: Annotated[str, Meta(description="The shrunk stream in hexadecimal digits.", pattern="^([0-9a-f]{2})*$")]
    events: Annotated[tuple[StreamEvent, ...], Meta(description="The events of that stream, field by field.")]
    expected: Annotated[Answer, Meta(description="The right answer.")]
    observed: Annotated[Answer | None, Meta(description="The implementation's answer, null where there was none.")]
    type_names: Annotated[
        Mapping[str, str],
        Meta(description="The names of the event types in both answers, by their codes in decimal digits."),
    ]
    detail: Annotated[str, Meta(description="The raw line, or the end of the standard error.")]
    replay: Annotated[str, Meta(description="The command line that shows it again.")]
    known: Annotated[str | None, Meta(description="The reason that the baseline gives, null where it is not listed.")]
    departure: Annotated[
        str | None,
        Meta(description="Why the shrunk stream is not a server's log on purpose, null where it is one."),
    ] = None

    @property
    def stream_bytes(self) -> bytes:
        """The shrunk stream."""
        return bytes.fromhex(self.stream)

    @property
    def departure_note(self) -> str:
        """That the stream is not a server's log on purpose, and why, as a sentence; empty if it is one."""
        return f"This stream is not a server's log on purpose: {self.departure}." if self.departure else ""


class RequirementResult(Struct, frozen=True, tag_field="kind", tag="requirement"):
    """One requirement of the catalogue, and the run's results for it; each selected one has a line, reached or not."""

    id: str
    worklog: str
    level: Level
    role: str
    text: Annotated[str, Meta(description="What must hold.")]
    section: Annotated[str, Meta(description="The section of the worklog.")]
    interpretation: Annotated[
        str | None, Meta(description="The reading the kit takes where the worklog leaves one open.")
    ]
    untestable: Annotated[str | None, Meta(description="Why no outside kit can test it.")]
    profiles: Annotated[Texts, Meta(description="The profiles under which it holds.")]
    families: Annotated[Texts, Meta(description="The families that exercise it.")]
    oracle: Annotated[bool, Meta(description="Whether the kit can judge it.")]
    results: Annotated[
        Mapping[str, Mapping[Status, Count]],
        Meta(description="For each profile under which it was exercised, how many cases came to which status."),
    ]
    verdict: Annotated[
        Result,
        Meta(
            description="'not-reached' has an oracle, but no case exercised it; like 'no-oracle', 'untestable' and "
            "'unsupported' it is never counted as a pass. 'blocked' was asked, but every answer ended before its "
            "events, or does not know their type. 'not-asked' was not asked in every case, as the implementation had "
            "hung too often."
        ),
    ]
    obstacles: Annotated[
        Counts,
        Meta(description="Signatures of the findings because of which it was not judged, and in how many cases."),
    ]
    pairs: Annotated[Count, Meta(description="Different pairs of variants in the cases that exercised it.")] = 0
    witnesses: Annotated[str, Meta(description="Which servers were seen to keep it, and which do otherwise.")] = ""
    anchor: Annotated[str, Meta(description="The words of the document at which its first statement is.")] = ""
    owns: Annotated[bool, Meta(description="Whether it is blamed for what no other requirement accounts for.")] = False


class Variants(Struct, frozen=True):
    """The pairs of variants that the cases of a family had in one role, added up over the groups of profiles."""

    family: str
    role: str
    dimensions: Annotated[Counts, Meta(description="The ways in which its cases vary, and the classes of each.")]
    pairs: Annotated[Count, Meta(description="Pairs of classes that cases had.")]
    possible: Annotated[Count, Meta(description="Pairs of classes that can occur.")]
    triples: Annotated[Count, Meta(description="Triples of classes that cases had under any profile.")]
    possible_triples: Annotated[
        Count, Meta(description="Triples of classes that can occur; 0 where the run did not count them.")
    ]
    uncovered: Annotated[Texts, Meta(description="The first of the pairs, then of the triples, that no case had.")]
    impossible: Annotated[
        Mapping[str, str], Meta(description="Pairs that cannot occur although each class can, and why.")
    ]


class Coverage(Struct, frozen=True, tag_field="kind", tag="coverage"):
    """What the streams of the run held: a name, then a profile, then a number."""

    event_types: Annotated[CountsByProfile, Meta(description="Events of each type.")]
    families: Annotated[CountsByProfile, Meta(description="Cases of each family.")]
    faults: Annotated[CountsByProfile, Meta(description="Cases with each fault.")]
    tables: Annotated[
        Mapping[str, CountsByProfile],
        Meta(
            description="The tables that oracles name, such as the cells of the transition table: how often each cell "
            "was exercised."
        ),
    ]
    variants: Annotated[tuple[Variants, ...], Meta(description="The variants of each family and role.")] = ()


class Footer(Struct, frozen=True, tag_field="kind", tag="footer"):
    """How the run ended; its numbers agree with the lines before it."""

    cases: Annotated[Count, Meta(description="Cases run.")]
    events: Annotated[Count, Meta(description="Events in their streams.")]
    verdicts: Annotated[Counts, Meta(description="Requirement lines of each verdict.")]
    findings: Annotated[Count, Meta(description="Different signatures of the failure lines.")]
    failures: Annotated[Count, Meta(description="Failure lines, known ones included.")]
    known_failures: Annotated[Count, Meta(description="Failure lines that the baseline lists.")]
    unexpected_passes: Annotated[Texts, Meta(description="Findings that the baseline lists and that do not occur.")]
    stale_baseline: Annotated[Texts, Meta(description="Baseline entries that match nothing of this run.")]
    conforming: Annotated[bool, Meta(description="Whether the implementation conforms, the baseline considered.")]
    elapsed: Annotated[float, Meta(description="Seconds.", ge=0, le=_LONGEST)]
    troubles: Annotated[
        Mapping[TroubleStatus, Count],
        Meta(description="Cases at which it crashed, hung or broke the protocol, each counted once."),
    ] = {}
    unexplained: Annotated[
        Count, Meta(description="Cases whose answer differs in a way that no requirement accounts for.")
    ] = 0
    not_asked: Annotated[
        Count, Meta(description="Cases that were not asked, as the implementation had hung too often.")
    ] = 0
    unused: Annotated[
        Mapping[str, Texts],
        Meta(description="Role -> declared fields and abilities that no answer had, although one could have had them."),
    ] = {}


Line = Header | Failure | RequirementResult | Coverage | Footer

#: Kind of a line -> its struct, in the order in which a record has them.
LINES: Final[Mapping[str, type[Line]]] = {
    "header": Header,
    "failure": Failure,
    "requirement": RequirementResult,
    "coverage": Coverage,
    "footer": Footer,
}
