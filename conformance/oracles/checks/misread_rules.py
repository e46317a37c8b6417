"""Whether a filter compares the names of tables in another way than as a database and a name, and in which."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final
from unicodedata import combining, normalize

from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.models.filtering.event_part import EventParts
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import Fate, GroupFilter
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.strategies.grammar.case import Case

#: How a careless filter compares tables -> what it compares of each. Only ways that no other fault looks like.
_READINGS: Final[Mapping[str, Callable[[TableName], object]]] = {
    "by database and name joined with a dot": lambda table: f"{table.database}.{table.name}",
    "without regard to letter case": lambda table: (table.database.lower(), table.name.lower()),
    "without regard to accents": lambda table: (_without_accents(table.database), _without_accents(table.name)),
}

_RULES: Final = ("do_tables", "ignore_tables")


def _without_accents(name: str) -> str:
    return "".join(each for each in normalize("NFD", name) if not combining(each))


class _Careless(FilterRules):
    """Rules that cover every table of which the same is compared."""

    __slots__ = ()
    compared: Callable[[TableName], object]

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        compared = type(self).compared
        return compared(table) in set(map(compared, self.do_tables | self.ignore_tables))


class _AnyTable(FilterRules):
    """Rules that pass a statement if one of its tables passes."""

    __slots__ = ()

    def pass_all(self, tables: Iterable[TableName]) -> bool:
        """See `FilterRules.pass_all`."""
        tables = tuple(tables)
        return any(super(_AnyTable, self).pass_all((each,)) for each in tables) or not tables


def _careless(compared: Callable[[TableName], object]) -> type[FilterRules]:
    return type("_Careless", (_Careless,), {"__slots__": (), "compared": staticmethod(compared)})


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def misread_rules(alignment: Alignment) -> Cause | None:
    """Return in which way a filter compares tables if that explains its whole answer; None if no way does.

    Where a statement that passes by one of its tables alone explains as much, nothing is known of the names.
    """
    for how, compared in _READINGS.items():
        if _explains(alignment, _careless(compared)) and not _explains(alignment, _AnyTable):
            return Cause(f"compared {how}", "tables", role="filter")
    return None


def _explains(alignment: Alignment, kind: type[FilterRules]) -> bool:
    """Return whether an answer is that of a filter with rules of another kind."""
    case = alignment.case
    does, ignores = (frozenset(TableName(*each) for each in case.settings[name]) for name in _RULES)
    try:
        fates = _fates(case, kind(do_tables=does, ignore_tables=ignores))
    except ImportError:
        # Statements cannot be read without the package sqlglot.
        return False
    return all(
        seen.get("fate", word) == word
        for index, word in enumerate(fates)
        if "fate" in case.expected.events[index] and (seen := alignment.observed(index)) is not None
    )


def _fates(case: Case, rules: FilterRules) -> list[str]:
    decides = TableFilter(rules, tables=case.settings["tables"], renames=case.settings["renames"])
    parts, groups = EventParts(statements=decides.wants_statements), GroupFilter(decides)
    decided: list[Fate] = []
    for event in read_events(case.stream, server_of(case.id.profile).rules):
        decided += (fate for group in groups.add(parts.part(event)) for fate in group)
    return ["kept" if fate.kept else "dropped" for fate in (*decided, *groups.finish())]
