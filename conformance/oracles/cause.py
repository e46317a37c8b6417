"""The cause of a failure: what failures of several requirements, event types and profiles have in common."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from conformance.binlog.event_types import (
    COMPRESSED_ROWS,
    COMPRESSED_ROWS_V1,
    HEARTBEAT_TYPES,
    PLAIN_GTID_TYPES,
    PRE_GA_ROWS,
    ROWS_TYPES,
    ROWS_V1,
    ROWS_V2,
    EventType,
    type_name,
)
from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.protocol.role import entry_type_name
from conformance.protocol.roles.decode import STATUS_FIELDS

#: How a difference in a field is named where no more is known.
DIFFERS: Final = "differs"
MISSING: Final = "missing"
REFUSED: Final = "refused"
CUT_SHORT: Final = "cut short"
NOT_KNOWN: Final = "not known"
ACCEPTED: Final = "accepted"
WRONG_END: Final = "read to a wrong end"
MISREAD_WHOLE: Final = "misread"
#: Role whose entries are events -> what is wrong with one that is missing.
NOT_MADE: Final = {"relay": "not written", "send": "not sent", "filter": "without an entry"}

#: The names of event types that have none.
_UNNAMED: Final = re.compile(r"\bTYPE_\d+\b")
_NAMED: Final = frozenset(map(int, EventType))
_UNASSIGNED: Final = "event of an unassigned type"
#: Types whose events are read by the same code: they have one layout.
_GROUPS: Final[Mapping[int, str]] = {
    **dict.fromkeys((*ROWS_V1, *ROWS_V2, EventType.PARTIAL_UPDATE_ROWS), "rows event"),
    **dict.fromkeys(PRE_GA_ROWS, "PRE_GA rows event"),
    **dict.fromkeys((*COMPRESSED_ROWS_V1, *COMPRESSED_ROWS), "MARIADB compressed rows event"),
    **dict.fromkeys(PLAIN_GTID_TYPES, "GTID"),
    **dict.fromkeys((EventType.BEGIN_LOAD_QUERY, EventType.APPEND_BLOCK), "load block"),
}
#: Types of such a group whose events mean something of their own: a reader may know the layout and not the type.
_OWN_MEANING: Final = frozenset({EventType.PARTIAL_UPDATE_ROWS})
#: Types that a reader learns together.
_LEARNT: Final[Mapping[int, str]] = {
    **dict.fromkeys((EventType.APPEND_BLOCK, EventType.DELETE_FILE, EventType.BEGIN_LOAD_QUERY), "LOAD DATA event"),
    **dict.fromkeys(
        (*COMPRESSED_ROWS_V1, *COMPRESSED_ROWS, EventType.MARIADB_QUERY_COMPRESSED), "MARIADB compressed event"
    ),
}
#: Field -> the types in whose events the same code reads it, with the name that they share for it.
_SHARED: Final[Mapping[str, Mapping[int, str]]] = {
    **dict.fromkeys(
        ("thread_id", "exec_time", "error_code", "database", *STATUS_FIELDS),
        dict.fromkeys((EventType.EXECUTE_LOAD_QUERY, EventType.MARIADB_QUERY_COMPRESSED), "QUERY"),
    ),
    "query": {EventType.EXECUTE_LOAD_QUERY: "QUERY"},
    "rows_flags": dict.fromkeys((*PRE_GA_ROWS, *COMPRESSED_ROWS_V1, *COMPRESSED_ROWS), "rows event"),
    "table_id": dict.fromkeys((EventType.TABLE_MAP, *ROWS_TYPES), ""),
}
_COLUMNS: Final[Mapping[int, str]] = {
    **dict.fromkeys(INTEGER_BYTES, "integer"),
    **dict.fromkeys((ColumnType.STRING, ColumnType.VARCHAR), "CHAR or VARCHAR"),
}
#: Where a value becomes NULL, its meaning counts and not its encoding: a date with zero parts, a label.
_LOST: Final[Mapping[int, str]] = {
    **dict.fromkeys((ColumnType.DATE, ColumnType.DATETIME, ColumnType.DATETIME2), "date"),
    **dict.fromkeys((ColumnType.ENUM, ColumnType.SET), "ENUM or SET"),
}


@dataclass(frozen=True, slots=True)
class Cause:
    """What is wrong, without anything that varies from case to case; failures with equal causes are one finding.

    Attributes:
        kind: The kind of difference, such as "differs", "refused" or "crash".
        subject: What it is about: a group of event types that have one layout, a kind of column, or a fault.
        field: The field that differs, empty for the whole event.
        reason: The implementation's own words, without numbers, addresses and names of the case.
        role: The role, where the words of the kind mean something in that role only.
    """

    kind: str
    subject: str = ""
    field: str = ""
    reason: str = ""
    role: str = ""

    @property
    def text(self) -> str:
        """The cause on one line: the signature of its finding."""
        what = " of ".join(each for each in (self.field, self.subject) if each)
        head = f"{what} {self.kind}".strip()
        head = f"{self.role}: {head}" if self.role else head
        return f"{head}: {self.reason}" if self.reason else head


#: What a reader misses that takes post-headers for as long as servers write them: it is one fault, whatever the type.
LENGTHS_IGNORED: Final = Cause("misread", "event with a longer post-header")
#: A reader that does not pass over the number of the partition, however that shows.
EXTRA_DATA_MISREAD: Final = Cause("misread", "rows event with extra data")
#: Rows that are read from compressed bytes as if these were rows, and come to words or values that depend on them.
NOT_UNPACKED: Final = Cause(MISREAD_WHOLE, _GROUPS[EventType.MARIADB_WRITE_ROWS_COMPRESSED_V1])


def event_group(code: int) -> str:
    """Return the name of the group of event types that one has the layout of: its own name for most."""
    return _GROUPS.get(code) or exact_name(code)


def group_of_entry(entry: Mapping[str, Any]) -> str:
    """Return the name of the group that the type of an expected entry is in; a vendor's type is a group by itself."""
    name = entry_type_name(entry)
    return event_group(entry["type"]) if name == type_name(entry["type"]) else name


def group_of_field(entry: Mapping[str, Any], field: str) -> str:
    """Return the name of the types in whose events a field is read as in an expected entry; empty for all that have it.

    A Query and an Execute_load_query event have the same head, and a table id is the same in a Table_map and its rows.
    """
    shared = _SHARED.get(field, {}).get(entry["type"])
    return group_of_entry(entry) if shared is None else shared


def group_of_refusal(code: int, group: str, reason: str) -> tuple[str, str]:
    """Return the name of the types of which events are refused for a reason, and the reason without the name of one.

    Implementations name a type as the kit does, or as their own code does: `GtidEvent`, `gtid_event`. The reason is the
    same for all types of a group, but that a type with a meaning of its own is not supported is about that type.

    Args:
        code: The type code.
        group: The name of the group of types that it is in.
        reason: The implementation's own words, without what varies from case to case.
    """
    if group == _UNASSIGNED or code not in _GROUPS:
        return group, reason
    name = _name_in_words(code)
    if code in _OWN_MEANING and name.search(reason):
        return exact_name(code), reason
    return group, name.sub(group, reason)


@cache
def _name_in_words(code: int) -> re.Pattern[str]:
    """Return the pattern of a type's name, as the names of constants and of classes have it, with their modules."""
    parts = type_name(code).split("_")
    forms = ("_".join(parts), "_".join(parts).lower(), "".join(each.capitalize() for each in parts))
    suffix = "(?:_?(?:LOG_?)?EVENT|_?(?:log_?)?event|(?:Log)?Event)?"
    return re.compile(rf"(?<![A-Za-z])(?:\w+(?:::|\.))*(?:{'|'.join(forms)}){suffix}(?![a-z])")


def known_as(entry: Mapping[str, Any]) -> str:
    """Return the name under which a reader knows or does not know an entry's type: those learnt together share one."""
    code = entry["type"]
    if code in _LEARNT:
        return _LEARNT[code]
    shares = code in ROWS_TYPES and code not in _OWN_MEANING
    return group_of_entry(entry) if shares or code not in _NAMED else exact_name(code)


def exact_name(code: int) -> str:
    """Return the name of an event type; all those without a name share one."""
    return type_name(code) if code in _NAMED else _UNASSIGNED


def passed_on_name(code: int, known: Collection[int] = _NAMED) -> str:
    """Return the name of the type of an event that is sent or written: heartbeats share one, and all unknown types.

    Args:
        code: The type code.
        known: The codes that who passes the event on knows.
    """
    if code in HEARTBEAT_TYPES:
        return "heartbeat"
    if code not in known or code == EventType.IGNORABLE:
        return "event of an unknown type"
    return event_group(code) if code in ROWS_TYPES else type_name(code)


def without_codes(text: str) -> str:
    """Return a text in which all event types without a name share one."""
    return _UNNAMED.sub(_UNASSIGNED, text)


def column_group(code: int, kind: str) -> str:
    """Return the name of the kind of column that a type code belongs to.

    Args:
        code: The type code.
        kind: How the value differs: types of one encoding share a name, and those of one meaning where it is lost.
    """
    lost = _LOST.get(code) if kind == "is null" else None
    return lost or _COLUMNS.get(code) or ColumnType(code).name
