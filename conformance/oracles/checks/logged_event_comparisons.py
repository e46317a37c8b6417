"""Comparisons of a logged event that is expected with one that is there."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.flags import Flag
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.oracles.oracle import shown
from conformance.protocol.roles.log import QUERY_TYPES, words_of

Entry = Mapping[str, Any]


#: Compares what is expected of an event with what is there; returns what is wrong, empty where nothing is.
Compare = Callable[[Entry, Entry], str]

IGNORABLE: Final = int(Flag.IGNORABLE)
_NAMES: Final = re.compile(r"`([^`]*)`(?:\.`([^`]*)`)?")


_COMMENT: Final = re.compile(r"\s*/\*.*?\*/\s*", re.DOTALL)


def name_of(entry: Entry) -> str:
    """Return the words for what an entry is."""
    if entry["type"] in QUERY_TYPES:
        return words_of(str(entry.get("query", ""))) or "QUERY"
    return type_name(entry["type"])


def tables_of(entry: Entry) -> frozenset[str]:
    """Return the tables that a statement names, with their databases, quoted names only."""
    text = str(entry.get("query", ""))
    database = str(entry.get("database", ""))
    return frozenset(f"{first}.{second}" if second else f"{database}.{first}" for first, second in _NAMES.findall(text))


def same(*names: str) -> Compare:
    """Return the comparison of fields, as they stand."""

    def compare(wanted: Entry, found: Entry) -> str:
        for name in names:
            if name in wanted and found.get(name) != wanted[name]:
                return f"{name} is {shown(found.get(name))}, expected {shown(wanted[name])}"
        return ""

    return compare


def same_statement(wanted: Entry, found: Entry) -> str:
    """Compare two statements; of one that the server writes itself only what it says, not how."""
    if wanted["type"] not in QUERY_TYPES or found["type"] not in QUERY_TYPES:
        return ""
    if words_of(wanted["query"]) == "DROP TABLE":
        if tables_of(wanted) != tables_of(found):
            return f"it drops {', '.join(sorted(tables_of(found)))}, expected {', '.join(sorted(tables_of(wanted)))}"
        return ""
    if wanted["query"].startswith("CREATE TABLE"):
        return _same_creation(wanted, found)
    texts = [_COMMENT.sub("", each["query"]).casefold() for each in (wanted, found)]
    return "" if texts[0] == texts[1] else f"it is {shown(found['query'])}, expected {shown(wanted['query'])}"


def _same_creation(wanted: Entry, found: Entry) -> str:
    """Compare a CREATE TABLE that the server wrote itself: which table it is, and that nothing is selected."""
    names = [_NAMES.search(each["query"]) for each in (wanted, found)]
    tables = [(each[2] or each[1]) if each else "" for each in names]
    if tables[0] != tables[1]:
        return f"it creates {tables[1]}, expected {tables[0]}"
    unwanted = re.search(r"\bSELECT\b|\bLIKE\b", found["query"], re.IGNORECASE)
    return f"it still has {unwanted[0].upper()}" if unwanted else ""


def flagged(bits: int, *, alone: bool = False) -> Compare:
    """Return the comparison that asks for flags; `alone` for no others, boundary markers left out."""

    def compare(wanted: Entry, found: Entry) -> str:
        flags = found["flags"] & ~MARKER_BITS.mask
        good = flags == bits if alone else flags & bits == bits
        return "" if good else f"the flags are {flags:#06x}, expected {bits:#06x}"

    return compare


def same_marker(wanted: Entry, found: Entry) -> str:
    """Compare boundary markers."""
    markers = [MARKER_BITS.stored(each["flags"]) for each in (wanted, found)]
    return "" if markers[0] == markers[1] else f"the marker is {markers[1]}, expected {markers[0]}"


def same_other_flags(wanted: Entry, found: Entry) -> str:
    """Compare the flags but for boundary markers, of events that have one that every server sets."""
    if not wanted["flags"] & IGNORABLE:
        return ""
    return "" if found["flags"] & IGNORABLE else f"the flags are {found['flags']:#06x}, without the ignorable one"


def same_list(wanted: Entry, found: Entry) -> str:
    """Compare tables info, the default database filled in."""
    if wanted.get("tables_info") is None:
        return ""
    lists = [_listed(each) for each in (wanted, found)]
    return "" if lists[0] == lists[1] else f"tables_info is {shown(found.get('tables_info'))}, expected {lists[0]}"


def _listed(entry: Entry) -> list[str]:
    pairs = _NAMES.findall(str(entry.get("tables_info") or ""))
    return list(dict.fromkeys(f"{first or entry.get('database', '')}.{second}" for first, second in pairs))


def same_gtid_kind(wanted: Entry, found: Entry) -> str:
    """Compare whether a Gtid event is anonymous, and where it is not, its GTID."""
    if (wanted["type"] == EventType.ANONYMOUS_GTID) != (found["type"] == EventType.ANONYMOUS_GTID):
        return f"it is {type_name(found['type'])}, expected {type_name(wanted['type'])}"
    return same("gtid")(wanted, found)


def place_of(entry: Entry) -> str:
    """Return the words for an entry and where it stands."""
    where = f" at offset {entry['offset']}" if "offset" in entry else ""
    return f"{name_of(entry)} in log {entry['log'] + 1}{where}"
