"""The oracles of WL#40's extended Query events, in the role `decode`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.quoted_names import QUOTED_NAME, unquoted
from conformance.oracles.oracle import GOOD, Check, Oracle, both, delivered, fields, refused, shown
from conformance.protocol.roles.decode import STATUS_FIELDS

_HEADER: Final = ("type", "timestamp", "server_id", "length", "log_pos", "flags")
_TUPLE: Final = re.compile(rf"{QUOTED_NAME}\.{QUOTED_NAME}(?:,|\Z)")

#: The most bytes that a signed length of one byte gives.
_SIGNED_BYTE: Final = 0x7F

#: Tables as pairs of database and name.
_Pairs = list[tuple[str, str]]


def listed_tables(text: Any, database: str) -> _Pairs | None:
    """Return the tables that a text lists, their databases resolved; None if it is not a list."""
    if not isinstance(text, str):
        return None
    pairs: _Pairs = []
    at = 0
    while at < len(text):
        tuple_ = _TUPLE.match(text, at)
        if tuple_ is None:
            return None
        names = [unquoted(name) for name in tuple_.groups()]
        pairs.append((names[0] or database, names[1]))
        at = tuple_.end()
    return pairs


def _tables(requirement: str, blame: Callable[[_Pairs, _Pairs], bool] | None = None) -> Oracle:
    """Return the oracle that compares tables info as resolved pairs: a reader may leave out the default database.

    Args:
        requirement: The requirement's id.
        blame: Returns whether a difference between the expected tables and those seen (an empty list if there is no
            list) breaks this requirement; any difference does if None.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            expected, seen = alignment.case.expected.events[index], alignment.observed(index)
            if seen is None or "tables_info" not in expected or not alignment.asks(index, "tables_info"):
                continue
            wanted = listed_tables(expected["tables_info"], expected["database"]) or []
            # An empty list may be left out.
            pairs = listed_tables(seen.get("tables_info", ""), expected["database"])
            if pairs == wanted or (blame is not None and not blame(wanted, pairs or [])):
                yield GOOD
            else:
                difference = f"{shown(seen.get('tables_info'))}, expected {shown(expected['tables_info'])}"
                message = f"{alignment.describe(index)}: tables_info is {difference}"
                yield Check("tables_info of QUERY differs", message, expected["offset"])

    return Oracle(requirement, examine, any_of=frozenset({"tables_info"}))


def _is_long(expected: str, seen: object) -> bool:
    """Return whether the statement is longer than one length byte can express."""
    return len(expected.encode()) > 0xFF


def _equal_size(expected: str, seen: object) -> bool:
    """Return whether there are as many bytes: they were read at another place."""
    return isinstance(seen, str) and len(seen.encode()) == len(expected.encode())


def _runs_on(expected: str, seen: object) -> bool:
    """Return whether what follows was read as part of it."""
    return isinstance(seen, str) and seen.startswith(expected)


def _ends_elsewhere(expected: str, seen: object) -> bool:
    """Return whether it was read from the right place and to a wrong one."""
    return isinstance(seen, str) and (seen.startswith(expected) or expected.startswith(seen))


def _begin_differs(expected: str, seen: object) -> bool:
    """Return whether it was read at another place."""
    return not _ends_elsewhere(expected, seen)


def _first_byte_lost(expected: str, seen: object) -> bool:
    """Return whether the first byte was read as the end of the database name."""
    return seen == expected[1:]


def _some_left_out(wanted: _Pairs, seen: _Pairs) -> bool:
    return wanted[: len(seen)] == seen


def _not_the_list(wanted: _Pairs, seen: _Pairs) -> bool:
    """Return whether tables are in another order, only the first few are reported, or names of usual length differ."""
    if set(wanted) == set(seen) or (len(seen) < len(wanted) and wanted[: len(seen)] == seen):
        return True
    return not (_long_names_differ(wanted, seen) or _databases_differ(wanted, seen))


def _long_names_differ(wanted: _Pairs, seen: _Pairs) -> bool:
    """Return whether a long name is the first that is wrong: what comes after a wrong length is wrong too."""
    first = next((pair for pair, other in zip_longest(wanted, seen) if pair != other), None)
    return first is not None and any(len(name.encode()) > _SIGNED_BYTE for name in first)


def _databases_differ(wanted: _Pairs, seen: _Pairs) -> bool:
    return [name for _, name in wanted] == [name for _, name in seen]


def _off_by_a_checksum(wanted: _Pairs, seen: _Pairs) -> bool:
    """Return whether the last four bytes, one short tuple, were read as a checksum."""
    lost = wanted[len(seen) :]
    return _some_left_out(wanted, seen) and sum(2 + len(name) for _, name in lost) == CHECKSUM_BYTES


#: Every oracle, in the order of the catalogue.
TABLES_INFO_ORACLES: Final[tuple[Oracle, ...]] = (
    fields("WL40-FORMAT-FROM-FDE", "query"),
    both(delivered("WL40-ONE-FORMAT-PER-LOG"), fields("WL40-ONE-FORMAT-PER-LOG", "query")),
    fields("WL40-POST-HEADER-ORDER", "thread_id", "exec_time", "error_code"),
    fields("WL40-QUERY-LEN", "query", blame=_is_long),
    _tables("WL40-TABLES-INFO-LEN", _some_left_out),
    # Only a reader that reads to the end of the event can check that the lengths fill it.
    replace(refused("WL40-LENGTHS-CONTRADICT"), needs=frozenset({"tables_info"})),
    fields("WL40-DATA-ORDER", "query", blame=_equal_size),
    both(
        fields("WL40-STATUS-VARS-UNCHANGED", *STATUS_FIELDS),
        fields("WL40-STATUS-VARS-UNCHANGED", "database", blame=_begin_differs),
    ),
    fields("WL40-DB-NO-ZERO", "query", blame=_first_byte_lost),
    fields("WL40-DB-BY-LENGTH", "database", blame=_ends_elsewhere),
    fields("WL40-QUERY-STOPS", "query", blame=_runs_on),
    _tables("WL40-TABLES-INFO-LIST", _not_the_list),
    _tables("WL40-TABLES-INFO-NAME-LENGTHS", _long_names_differ),
    _tables("WL40-TABLES-INFO-DEFAULT-DB", _databases_differ),
    delivered("WL40-GOLDEN-EVENT"),
    fields("WL40-GOLDEN-HEADER", *_HEADER),
    fields("WL40-GOLDEN-LOG-POS", "log_pos"),
    fields("WL40-GOLDEN-FLAG", "flags"),
    fields("WL40-GOLDEN-QUERY", "database", "query"),
    _tables("WL40-GOLDEN-TABLES"),
    _tables("WL40-GOLDEN-NO-CHECKSUM", _off_by_a_checksum),
)
