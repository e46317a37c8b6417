"""The role `render`: how logs are printed, as the text of mysqlbinlog or as the rows of SHOW BINLOG EVENTS."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.protocol.observation import RoleDeclaration
from conformance.protocol.role import AnswerField, Role

#: The forms of output.
FORMS: Final = {
    "mysqlbinlog": "the text of mysqlbinlog: one entry, with `text` and `warnings`",
    "events": "the rows of SHOW BINLOG EVENTS: an entry for each, with the other fields",
}

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "text": AnswerField(
        "text", "everything that is printed, with its line ends; bytes that are not UTF-8 may be replaced by anything"
    ),
    "warnings": AnswerField("text", "what is printed to standard error, one warning per line; empty if none"),
    "pos": AnswerField("integer", "where the event starts, in bytes from the start of the log"),
    "event_type": AnswerField("text", "the name of the type"),
    "server_id": AnswerField("integer", "id of the server that logged the event"),
    "end_log_pos": AnswerField("integer", "where the event ends, in bytes, according to its header"),
    "info": AnswerField("text", "the content"),
}
_TEXT: Final = frozenset({"text", "warnings"})
_ROW: Final = frozenset(FIELDS) - _TEXT
#: By this rows are found.
_PLACE: Final = frozenset({"pos"})


def missing(declaration: RoleDeclaration, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that an entry lacks, sorted: those declared of a text or of a row, and the place of a row."""
    required = (_TEXT if _TEXT & entry.keys() else _ROW) & declaration.fields
    if required & _ROW:
        required |= _PLACE
    return tuple(sorted(required - entry.keys()))


#: The role itself.
ROLE: Final = Role(
    name="render",
    question="How is this log printed?",
    fields=FIELDS,
    always=(),
    missing=missing,
    settings={
        "form": f"the form of the output: {'; '.join(f'`{name}` is {meaning}' for name, meaning in FORMS.items())}",
        "verbose": "how many times `--verbose` is given, 0 to 2",
        "base64_output": "`auto` or `decode-rows`",
        "utc_offset": "the time zone in which times are shown, in minutes east of UTC",
        "start_position": "where printing begins: an event's offset in bytes; the format description is always printed",
        "following": "further logs, each in base64, that the same call prints after the stream",
    },
    aligned="sequence",
    kind_of=lambda entry: entry.get("pos", "text"),
    noun="entry",
)
