"""What an implementation declares, what it is asked, and what it answered."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import Meta

from conformance.binlog.errors import ERROR_KINDS
from conformance.specs.extensions import with_extensions
from conformance.specs.json_schema import meanings
from conformance.specs.profiles import Product, profile_named
from conformance.specs.versions import Profiles

#: Version of the protocol between the kit and an implementation.
PROTOCOL: Final = 1

#: What an implementation can do besides reporting fields. Only what it declares is judged.
_ABILITIES: Final = {
    "framing": "finds by itself where events begin and end; otherwise the adapter cuts the stream into events",
    "checksums": "verifies checksums and refuses an event whose checksum is wrong",
    "error_at": "reports the offset of the event that it refuses",
    "error_code": "reports the number that servers use for the error that it stops with",
    "payloads": "opens Transaction_payload events and refuses one whose contents it cannot read or must not pass over",
    "every_event": "in the role filter, has an entry for every event; otherwise those without one are not judged",
    "profile_strict": "knows exactly what a server of the profile knows, and so refuses what that server refuses",
}
ABILITIES: Final[Mapping[str, str]] = with_extensions(_ABILITIES, "abilities", str)

if TYPE_CHECKING:
    ErrorKind = str
else:
    ErrorKind = Annotated[Literal[tuple(ERROR_KINDS)], Meta(description=meanings(ERROR_KINDS))]

#: The signature of a hang.
LATE: Final = "no answer within the time limit"
#: How asking can fail: the verdict that each kind of trouble becomes.
TroubleStatus = Literal["unsupported", "crash", "hang", "protocol-error", "not-asked"]


@dataclass(frozen=True, slots=True)
class RoleDeclaration:
    """What an implementation declares for one role.

    Attributes:
        fields: The event fields it reports.
        abilities: Which of `ABILITIES` it has.
        profiles: The servers that it claims.
        fields_of: Product -> the fields that it reports of that product's logs, where they are not `fields`.
    """

    fields: frozenset[str]
    abilities: frozenset[str]
    profiles: Profiles
    fields_of: Mapping[Product, frozenset[str]] = field(default_factory=dict)

    def under(self, profile: str) -> "RoleDeclaration":
        """Return what is declared for a profile: the same, with the fields of its product."""
        if not self.fields_of:
            return self
        fields = self.fields_of.get(profile_named(profile).product, self.fields)
        return replace(self, fields=fields, fields_of={})

    @property
    def every_field(self) -> frozenset[str]:
        """The fields that it reports of the logs of any product."""
        return self.fields.union(*self.fields_of.values())


@dataclass(frozen=True, slots=True)
class Declaration:
    """What an implementation declares when it starts."""

    name: str
    version: str
    language: str
    homepage: str = ""
    roles: Mapping[str, RoleDeclaration] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The error with which an implementation stopped reading."""

    at: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="Offset in bytes of the event that it refused, null where it is not known."),
    ]
    kind: ErrorKind
    message: Annotated[str, Meta(description="The implementation's own words.")]
    code: Annotated[
        int | None, Meta(description="The number by which servers know the error, null where it has none.")
    ] = None


@dataclass(frozen=True, slots=True)
class Observation:
    """What an implementation answered.

    Attributes:
        events: The entries of the answer, one for each event it saw or each thing it was asked about.
        error: The error that it stopped with.
        streams: The streams that it made, in the roles that ask for streams; `events` are then those in them.
        memory: By how many bytes the largest size of its process grew while it answered; None if not measured.
        processor_seconds: The processor time that its process took to answer; None if not measured.
        deliveries: How many dumps of the kit's source sent it events of a log, in the role ``client``; None in others.
    """

    events: tuple[Mapping[str, Any], ...]
    error: Refusal | None = None
    streams: tuple[bytes, ...] = field(default=(), repr=False)
    memory: int | None = None
    processor_seconds: float | None = None
    deliveries: int | None = None


_NUMBER: Final = re.compile(r"\b0x[0-9a-fA-F]+\b|\d+")


def without_numbers(text: str) -> str:
    """Return a text with each number replaced by ``#``, so that it is the same for every stream."""
    return _NUMBER.sub("#", text)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why there is no observation.

    Attributes:
        status: The verdict it becomes.
        signature: A short, stable name of this kind of trouble, such as ``exit-status-134`` or ``wrong-seq``,
            without numbers of the run; where the detail has the numbers, it begins with the same words.
        detail: What was seen, such as the raw line or the end of the standard error.
        last_at: Of a crash that an adapter reports: the offset of the last event before it; None where it is not known.
        memory: What a process that declines took first, as in `Observation`; None if not measured.
        processor_seconds: The same.
    """

    status: TroubleStatus
    signature: str
    detail: str
    last_at: int | None = None
    memory: int | None = None
    processor_seconds: float | None = None

    @classmethod
    def hang(cls, seconds: float, last_words: str = "", *, signature: str = LATE) -> "Trouble":
        """Return that no answer came within a number of seconds.

        Args:
            seconds: The time limit.
            last_words: The end of the standard error.
            signature: Its name, where it is not the usual one.
        """
        return cls("hang", signature, f"{LATE} of {seconds:g} s\n{last_words}".rstrip())

    def within(self, seconds: float) -> "Trouble":
        """Return what a hang would have been within a shorter time limit."""
        return Trouble.hang(seconds, self.detail.partition("\n")[2], signature=self.signature)


@dataclass(frozen=True, slots=True)
class Request:
    """One question to an implementation.

    Attributes:
        role: The role of the question.
        profile: The profile whose rules hold.
        stream: The bytes; empty in a role without streams.
        settings: What the question holds besides the stream, in values that JSON has.
        is_measured: Whether the memory and the processor time that the answer takes are measured, where they can be.
        seconds: Time for the answer, where that is shorter than the limit of the implementation.
    """

    role: str
    profile: str
    stream: bytes = field(repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_measured: bool = False
    seconds: float = math.inf

    @property
    def loses_connection(self) -> bool:
        """Whether the source that it is about loses the connection, so that a client has to connect again."""
        return bool(self.settings.get("source", {}).get("cuts"))
