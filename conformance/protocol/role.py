"""What a role is: what is asked, with which settings, and what an answer is made of."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.binlog.event_types import type_name
from conformance.protocol.observation import RoleDeclaration

#: How the entries of an answer find those that are expected.
Aligned = Literal["offset", "order", "sequence"]


@dataclass(frozen=True, slots=True)
class AnswerField:
    """One field that an entry of an answer can have.

    Attributes:
        kind: ``integer``, ``text``, ``word`` for one of `words`, ``value`` for one value in the notation of the
            protocol's page, or ``rows`` for the images of rows.
        meaning: What it is, with its unit.
        words: The values that a ``word`` can have.
    """

    kind: Literal["integer", "text", "word", "value", "rows"]
    meaning: str
    words: tuple[str, ...] = ()


#: The declared fields that an entry owes and does not have, sorted.
MissingFields = Callable[[RoleDeclaration, Mapping[str, Any]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Role:
    """One question that implementations can be asked.

    Attributes:
        name: Its name, one of `conformance.specs.catalogue.ROLES`.
        question: What is asked, in one sentence.
        fields: The fields that an entry of an answer can have.
        always: The fields that every entry has.
        missing: Tells what an entry lacks.
        settings: What a question says besides the stream: name -> meaning.
        has_stream: Whether a question comes with a stream.
        answers_streams: Whether the answer is streams, which the kit reads itself, instead of entries.
        aligned: Entries are aligned by the ``offset`` of their event, by their ``order``, or, where entries may
            be too many or too few, as a ``sequence`` by `kind_of`.
        kind_of: What tells one entry of a sequence from another.
        noun: What an entry is about, such as ``event``.
    """

    name: str
    question: str
    fields: Mapping[str, AnswerField]
    always: tuple[str, ...]
    missing: MissingFields
    settings: Mapping[str, str] = field(default_factory=dict)
    has_stream: bool = True
    answers_streams: bool = False
    aligned: Aligned = "offset"
    kind_of: Callable[[Mapping[str, Any]], Hashable] = lambda entry: entry.get("type")
    noun: str = "event"

    def describe(self, entry: Mapping[str, Any], index: int) -> str:
        """Return the words for an expected entry, such as ``the QUERY event at offset 120``."""
        what = f"the {self.kind(entry)} event" if "type" in entry else f"{self.noun} {index + 1}"
        return f"{what} at offset {entry['offset']}" if "offset" in entry else what

    def kind(self, entry: Mapping[str, Any]) -> str:
        """Return what kind of entry it is, without numbers that vary."""
        return type_name(entry["type"]) if "type" in entry else self.noun


def required(*names: str) -> MissingFields:
    """Return the rule that an entry has each of the named fields that are declared."""
    owed = frozenset(names)

    def missing(declaration: RoleDeclaration, entry: Mapping[str, Any]) -> tuple[str, ...]:
        wanted = owed & declaration.fields
        return () if wanted <= entry.keys() else tuple(sorted(wanted - entry.keys()))

    return missing
