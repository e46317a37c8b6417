"""The role `boundary`: what a transaction boundary parser does with each event of a stream (WL#4162)."""

from collections.abc import Mapping
from typing import Final

from conformance.models.boundary.boundary_type import BoundaryType
from conformance.protocol.role import AnswerField, Role, required

_TYPES: Final = tuple(each.heading for each in BoundaryType)

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "offset": AnswerField("integer", "where the event starts, in bytes from the start of the stream"),
    "type": AnswerField("integer", "event type code"),
    "marker": AnswerField("word", "the boundary type in the event's header", _TYPES),
    "answers": AnswerField(
        "text", "which of the worklog's answers a) to h) the header gives, as letters in their order, such as ``aeg``"
    ),
    "boundary_type": AnswerField(
        "word", "the boundary type that the parser used: the marker, or its guess if there is none", _TYPES
    ),
    "state": AnswerField("word", "the parser's own type after the event", _TYPES),
    "within_transaction": AnswerField(
        "word", "whether the stream is within a transaction after the event", ("yes", "no")
    ),
    "warning": AnswerField("text", "the warning that the event causes, empty if none"),
}

#: The role itself.
ROLE: Final = Role(
    name="boundary",
    question="What does a transaction boundary parser do with each event of this stream?",
    fields=FIELDS,
    always=("offset",),
    # Only the parser of the worklog knows markers and boundary types.
    missing=required("within_transaction", "warning"),
    settings={
        "resets": "offsets of the events, in bytes from the start of the stream, before which another event stream "
        "begins, so the parser is reset there",
        "uses": "for each of those event streams, the first one included, `receiver` if a replica receives it or "
        "`dump` if mysqlbinlog reads it from a file",
    },
)
