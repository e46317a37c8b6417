"""A role: its question, the settings of the question, and the fields of an answer."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.binlog.event_types import type_name
from conformance.binlog.vendor_types import vendor_type_name
from conformance.protocol.observation import RoleDeclaration
from conformance.specs.run_record import DECLINED

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


#: Returns the declared fields that an entry lacks, sorted.
MissingFields = Callable[[RoleDeclaration, Mapping[str, Any]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Role:
    """One question that implementations can answer.

    Attributes:
        name: Its name, one of `conformance.specs.catalogue.ROLES`.
        question: The question, in one sentence.
        fields: The fields that an entry of an answer can have.
        always: The fields that every entry has.
        undeclared: What an entry may have besides its fields, without a declaration.
        missing: Returns the declared fields that an entry lacks.
        settings: The settings of a question, besides the stream: name -> meaning.
        has_stream: Whether a question comes with a stream.
        is_served: Whether the kit serves the stream over the network, in the place of sending it.
        answers_streams: Whether the answer is streams, which the kit reads itself, instead of entries.
        aligned: Entries are aligned by the ``offset`` of their event, by their ``order``, or, where entries may
            be too many or too few, as a ``sequence`` by `kind_of`.
        kind_of: Returns what distinguishes one entry of a sequence from another.
        content_of: Returns what distinguishes it from others of its kind; None where kinds are enough.
        may_decline: Whether an entry may have `DECLINED`, why there is no answer about it, in the place of its fields.
        noun: What an entry is about, such as ``event``.
        type_of: Returns the event type of an entry, None if it is not about an event.
    """

    name: str
    question: str
    fields: Mapping[str, AnswerField]
    always: tuple[str, ...]
    missing: MissingFields
    undeclared: Mapping[str, AnswerField] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    has_stream: bool = True
    is_served: bool = False
    answers_streams: bool = False
    aligned: Aligned = "offset"
    kind_of: Callable[[Mapping[str, Any]], Hashable] = lambda entry: entry.get("type")
    content_of: Callable[[Mapping[str, Any]], Hashable] | None = None
    may_decline: bool = False
    noun: str = "event"
    type_of: Callable[[Mapping[str, Any]], int | None] = lambda entry: entry.get("type")

    def declines(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry of an answer has nothing but the reason why there is none."""
        return self.may_decline and DECLINED in entry

    def describe(self, entry: Mapping[str, Any], index: int) -> str:
        """Return the name of an expected entry, such as ``the QUERY event at offset 120``."""
        if entry.get("type") is not None:
            what = f"the {self.kind(entry)} event"
        else:
            code = self.type_of(entry)
            what = f"{self.noun} {index + 1}" + ("" if code is None else f" ({type_name(code)})")
        return f"{what} at offset {entry['offset']}" if "offset" in entry else what

    def kind(self, entry: Mapping[str, Any]) -> str:
        """Return what kind of entry it is, without numbers that vary."""
        return self.noun if entry.get("type") is None else entry_type_name(entry)


def entry_type_name(entry: Mapping[str, Any]) -> str:
    """Return the name of the event type of an expected entry: a vendor's for an event that a reader knows as such."""
    vendors = vendor_type_name(entry["type"]) if entry.get("handled") == "known" else ""
    return vendors or type_name(entry["type"])


def required(*names: str) -> MissingFields:
    """Return the rule that an entry has each of the named fields that are declared."""
    names_required = frozenset(names)

    def missing(declaration: RoleDeclaration, entry: Mapping[str, Any]) -> tuple[str, ...]:
        wanted = names_required & declaration.fields
        return () if wanted <= entry.keys() else tuple(sorted(wanted - entry.keys()))

    return missing
