"""The role `filter`: which events of a stream pass rules for tables (WL#40)."""

from collections.abc import Mapping
from typing import Final

from conformance.protocol.role import AnswerField, Role, required

#: What becomes of an event.
FATES: Final = ("kept", "dropped")

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "offset": AnswerField("integer", "where the event starts, in bytes from the start of the stream"),
    "type": AnswerField("integer", "event type code"),
    "fate": AnswerField("word", "what becomes of the event", FATES),
}

#: The role itself.
ROLE: Final = Role(
    name="filter",
    question="Which events of this stream pass these rules for tables?",
    fields=FIELDS,
    always=("offset",),
    missing=required("fate"),
    settings={
        "do_tables": "the tables that pass, each as a list of database and name; empty where there are ignore rules",
        "ignore_tables": "the tables that are dropped, in the same form; empty where there are do rules",
        "tables": "`literal`: the rules as they stand; `clever`: a table whose CREATE TABLE was dropped because of its "
        "LIKE or SELECT part is ignored from then on",
        "renames": "`name`: a rule speaks of the name; `identity`: it follows the table through its renamings",
    },
)
