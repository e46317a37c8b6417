"""The role `decide`: how statements are logged, by their safety, the mode and the engines (WL#3303)."""

from collections.abc import Mapping
from typing import Final

from conformance.protocol.role import AnswerField, Role, required

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "format": AnswerField(
        "word",
        "the format in which the statement is logged, ``none`` if it is not",
        ("statement", "row", "mixture", "none"),
    ),
    "message": AnswerField("word", "the kind of the message that the user gets", ("error", "warning", "none")),
    "executed": AnswerField("word", "whether the statement is executed", ("yes", "no")),
    "row_capable": AnswerField("word", "whether the set of tables is row logging capable (RLC)", ("yes", "no")),
    "statement_capable": AnswerField(
        "word", "whether the set of tables is statement logging capable (SLC)", ("yes", "no")
    ),
    "restricted": AnswerField(
        "word",
        "the only format that the set of tables can be logged in (RLR or SLR), ``none`` if there is no such format",
        ("statement", "row", "none"),
    ),
}

#: The role itself.
ROLE: Final = Role(
    name="decide",
    question="How is each of these statements logged, and which message does its user get?",
    fields=FIELDS,
    always=("format", "message"),
    missing=required(*FIELDS),
    settings={
        "statements": "the statements in their order, each with `safety` (safe or unsafe, as given), `mode` "
        "(statement, mixed or row), `log_open` and `sql_log_bin` (true or false), `text` (its SQL, which has no "
        "effect) and `tables`: those that it locks, each with `engine`, `lock` (read or write), and either `row` and "
        "`statement`, the flags of its handler, or `parts`, the tables of a partitioned table; without any of these "
        "the engine's own flags apply",
    },
    has_stream=False,
    aligned="order",
    may_decline=True,
    noun="statement",
)
