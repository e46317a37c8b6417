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
        "do_tables": "the tables that pass, each as a list of database and name; empty if there are ignore rules",
        "ignore_tables": "the tables that are dropped, in the same form; empty if there are do rules",
        "tables": "`literal`: the rules exactly as given; `clever`, with ignore rules only: also ignore a table from "
        "the point where its CREATE TABLE was dropped because of its LIKE or SELECT part",
        "renames": "`name`: a rule applies to the name; `identity`: a rule follows the table when it is renamed; "
        "`list`, with do rules only: as `name`, but a RENAME TABLE is judged by the names that its tables had before "
        "the renamings that passed",
    },
)
