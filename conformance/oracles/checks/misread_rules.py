"""Whether a filter compares the names of tables in another way than as a database and a name, and in which."""

import re
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

#: Whether a rule is for a table, for who compares them carelessly.
_Matches = Callable[[TableName, TableName], bool]
_RULES: Final = ("do_tables", "ignore_tables")


def _same(compared: Callable[[TableName], object]) -> _Matches:
    """Return what matches tables of which the same is compared."""
    return lambda rule, table: compared(rule) == compared(table)


def _without_accents(name: str) -> str:
    return "".join(each for each in normalize("NFD", name) if not combining(each))


def _is_like(rule: TableName, table: TableName) -> bool:
    """Return whether a table matches a rule as a pattern: ``_`` is any character, ``%`` any number of them."""
    parts = ((rule.database, table.database), (rule.name, table.name))
    return all(re.fullmatch(_PATTERN.sub(_as_expression, pattern), text, re.DOTALL) for pattern, text in parts)


_PATTERN: Final = re.compile(r"[\s\S]")


def _as_expression(character: re.Match[str]) -> str:
    return {"_": ".", "%": ".*"}.get(character[0], re.escape(character[0]))


#: How a careless filter compares tables with rules -> what matches. Only ways that no other fault looks like.
_READINGS: Final[Mapping[str, _Matches]] = {
    "by database and name joined with a dot": _same(lambda table: f"{table.database}.{table.name}"),
    "without regard to letter case": _same(lambda table: (table.database.lower(), table.name.lower())),
    "without regard to accents": _same(
        lambda table: (_without_accents(table.database), _without_accents(table.name)),
    ),
    "with rules as patterns": _is_like,
    "with rules as beginnings of names": lambda rule, table: (
        rule.database == table.database and table.name.startswith(rule.name)
    ),
    "with rules as ends of names": lambda rule, table: (
        rule.database == table.database and table.name.endswith(rule.name)
    ),
}


class _Careless(FilterRules):
    """Rules that cover every table that matches one."""

    __slots__ = ()
    matches: _Matches

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        return any(type(self).matches(rule, table) for rule in self.do_tables | self.ignore_tables)


class _AnyTable(FilterRules):
    """Rules that pass a statement if one of its tables passes."""

    __slots__ = ()

    def pass_all(self, tables: Iterable[TableName]) -> bool:
        """See `FilterRules.pass_all`."""
        tables = tuple(tables)
        return any(super(_AnyTable, self).pass_all((each,)) for each in tables) or not tables


def _careless(matches: _Matches) -> type[FilterRules]:
    return type("_Careless", (_Careless,), {"__slots__": (), "matches": staticmethod(matches)})


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def misread_rules(alignment: Alignment) -> Cause | None:
    """Return in which way a filter compares tables if that explains its whole answer; None if no way does.

    Where a statement that passes by one of its tables alone explains as much, nothing is known of the names.
    """
    for how, matches in _READINGS.items():
        if _explains(alignment, _careless(matches)) and not _explains(alignment, _AnyTable):
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
