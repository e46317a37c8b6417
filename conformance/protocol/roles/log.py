"""The role `log`: which binary logs a server writes for a scenario (WL#7592, WL#4033, WL#40, WL#4162)."""

import re
from collections.abc import Hashable, Mapping
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, QUERY_TYPES, EventType
from conformance.binlog.rows.images import rows_kind
from conformance.protocol.role import AnswerField, Role, required
from conformance.protocol.roles.decode import FIELDS as DECODE_FIELDS

#: Every field by name: those of decoded events, and the log that contains the event.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "log": AnswerField("integer", "the number of the log that contains the event, from 0"),
    **DECODE_FIELDS,
}

#: What the words that identify a statement leave out: comments, and clauses that servers write differently.
_NOISE: Final = re.compile(
    r"/\*.*?\*/|(?:--(?=\s|\Z)|#)[^\n]*|\bTEMPORARY\b|\bIF (NOT )?EXISTS\b", re.IGNORECASE | re.DOTALL
)
#: All ends of transactions are of one kind: whether it is a Query or an Xid event depends on the engine.
END: Final = "COMMIT"


def words_of(query: str) -> str:
    """Return the words that identify a statement, such as ``CREATE TABLE`` or ``INSERT``, in upper case."""
    words = _NOISE.sub(" ", query).upper().split()
    return " ".join(words[:2] if words[:1] in (["CREATE"], ["DROP"], ["ALTER"], ["RENAME"]) else words[:1])


def kind_of(entry: Mapping[str, Any]) -> Hashable:
    """Return what distinguishes one event of a server's logs from another."""
    code: int = entry.get("type", 0)
    if code in GTID_TYPES:
        return "gtid"
    if code == EventType.XID:
        return END
    if code in QUERY_TYPES:
        return words_of(str(entry.get("query", "")))
    rows = rows_kind(code)
    # A statement may have the same word.
    return code if rows is None else f"{rows} rows"


#: What distinguishes one event from another of its kind: what a statement gives it, not what the server adds.
_CONTENT: Final = ("query", "rows_query", "table", "gtid", "rows")


def content_of(entry: Mapping[str, Any]) -> Hashable:
    """Return the kind of an event and what it holds of its statement."""
    return kind_of(entry), *(repr(entry.get(name)) for name in _CONTENT)


#: The role itself.
ROLE: Final = Role(
    name="log",
    question="Which binary logs does a server write in this scenario?",
    fields=FIELDS,
    always=("log", "type"),
    missing=required(),
    settings={"scenario": "the server's settings and the statements, see docs/roles/log.md"},
    has_stream=False,
    answers_streams=True,
    aligned="sequence",
    kind_of=kind_of,
    content_of=content_of,
    noun="logged event",
)
