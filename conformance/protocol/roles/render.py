"""The role `render`: how logs are printed, as the text of mysqlbinlog or as the rows of SHOW BINLOG EVENTS."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.protocol.observation import RoleDeclaration
from conformance.protocol.role import AnswerField, Role

#: What can be asked for.
FORMS: Final = {
    "mysqlbinlog": "the text of mysqlbinlog: one entry, with `text` and `warnings`",
    "events": "the rows of SHOW BINLOG EVENTS: an entry for each, with the other fields",
}

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "text": AnswerField(
        "text", "everything that is printed, line ends and all; bytes that are no UTF-8 may be anything"
    ),
    "warnings": AnswerField("text", "what goes to the error stream, one warning a line; empty for none"),
    "pos": AnswerField("integer", "where the event starts, in bytes from the start of the log"),
    "event_type": AnswerField("text", "the name of the type"),
    "server_id": AnswerField("integer", "id of the server that logged the event"),
    "end_log_pos": AnswerField("integer", "where the event ends, as its header says, in bytes"),
    "info": AnswerField("text", "the content"),
}
_TEXT: Final = frozenset({"text", "warnings"})
_ROW: Final = frozenset(FIELDS) - _TEXT


def missing(declaration: RoleDeclaration, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the declared fields that an entry owes and does not have, sorted: those of a text or those of a row."""
    owed = _TEXT if "text" in entry else _ROW
    return tuple(sorted((owed & declaration.fields) - entry.keys()))


#: The role itself.
ROLE: Final = Role(
    name="render",
    question="How is this log printed?",
    fields=FIELDS,
    always=(),
    missing=missing,
    settings={
        "form": f"what is asked for: {'; '.join(f'`{name}` is {meaning}' for name, meaning in FORMS.items())}",
        "verbose": "how often `--verbose` is given, 0 to 2",
        "base64_output": "`auto` or `decode-rows`",
        "utc_offset": "the time zone in which times are shown, in minutes east of UTC",
        "start_position": "where printing begins, in bytes: an event's start; the format description is printed anyway",
        "following": "further logs, each in base64, that the same call prints behind the stream",
    },
    aligned="sequence",
    kind_of=lambda entry: entry.get("pos", "text"),
    noun="entry",
)
