"""The tables of a stream for filters: their rules, and the default databases of the statements on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES
from conformance.models.filtering.table_name import TableName
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, choices, yes_or_no
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import rules_of, set_rules
from conformance.strategies.scenarios.spelled_statements import SPELLINGS
from conformance.strategies.scenarios.table_names import CASTS, DATABASE, LONG_CASTS, Cast

DOES: Final = Dimension("rules", {"ignore": False, "do": True})
MARKERS: Final = yes_or_no("Gtid events")
#: The tables of the cast with a rule, by their places in it, and how many more rules there are, for other tables.
RULED: Final = Dimension(
    "tables with a rule",
    {
        "one": ((0,), 0),
        "two": ((0, 1), 0),
        "three": ((0, 1, 2), 0),
        "the same name in both databases": ((0, 3), 0),
        "a whole database": ((0, 1, 2, 4), 0),
        "hundreds": ((0,), 300),
    },
    heavy=("hundreds",),
)
DEFAULT: Final = choices(
    "default database", ("of the tables", "another with a table of the same name", "other", "none")
)
NAMES: Final = Dimension("names", {**CASTS, **LONG_CASTS})
#: How definitions are written, which matters to a filter that reads them.
SPELLING: Final = Dimension("spelling of the statements", SPELLINGS)
SOME_NAMES: Final = Dimension(
    "names",
    {
        name: CASTS[name]
        for name in (
            "plain",
            "a pattern of one character",
            "a dot",
            "a backtick",
            "letter case",
            "all characters, three bytes each",
        )
    },
)


@dataclass(frozen=True, slots=True)
class RuledTables:
    """The tables of a stream, by what the rules do with them.

    Attributes:
        passing: Those that the rules let pass, further ones included.
        failing: Those that they do not.
    """

    passing: tuple[TableName, ...]
    failing: tuple[TableName, ...]

    def listed(self, choose: Chooser, count: int, place: str) -> list[TableName]:
        """Return the tables of one statement: all pass, or all but the one at some place."""
        if not self.passing:
            return [choose.one_of(self.failing)]
        start = choose.integer(0, len(self.passing) - 1)
        listed = [*self.passing[start:], *self.passing[:start]][:count]
        if place != "none" and self.failing:
            at = {"first": 0, "middle": len(listed) // 2, "last": len(listed) - 1}[place]
            listed[at] = choose.one_of(self.failing)
        return listed

    def some(self, choose: Chooser, passes: Sequence[bool]) -> list[TableName]:
        """Return tables of which these pass, and the others do not."""
        return [choose.one_of(self.passing if each else self.failing) for each in passes]


def passes(which: str, count: int) -> list[bool]:
    """Return for each of several whether it passes, by words such as `all`, `the last alone`, `all but the first`."""
    if which in ("none", "all"):
        return [which == "all"] * count
    at = {"last": count - 1, "first": 0, "middle": count // 2}
    place = next(index for word, index in at.items() if word in which)
    return [(number == place) != which.startswith("all but") for number in range(count)]


def default_database(cast: Cast, which: str) -> str:
    """Return the default database of one class of `DEFAULT`."""
    first, elsewhere = cast.first.database, cast.elsewhere.database
    named = {"of the tables": first, "another with a table of the same name": elsewhere, "other": "unused"}
    return named.get(which, "")


def ruled_tables(stream: StreamBuilder, cast: Cast, further: int, *, does: bool) -> RuledTables:
    """Give rules to some tables of a cast; further ones pass.

    Args:
        stream: The stream.
        cast: The tables with a part of their own.
        further: How many others there are: with a rule each if they are do rules, without one otherwise.
        does: Whether they are do rules.
    """
    places, unused = stream.vary(RULED)
    others = tuple(TableName(DATABASE, f"n{number}") for number in range(further))
    # A filter that has room for some rules only loses the last ones.
    ruled = [*(TableName(DATABASE, f"unused{each}") for each in range(unused)), *(cast[place] for place in places)]
    ruled += others if does else ()
    set_rules(stream, ruled, does=does, tables=TABLES_MODES[0], renames=RENAMES_MODES[0])
    return _by_rules(rules_of(stream.settings), cast, others)


def _by_rules(rules: FilterRules, cast: Cast, further: Sequence[TableName]) -> RuledTables:
    every = (*cast, *further)
    passing = tuple(each for each in every if rules.pass_all((each,)))
    return RuledTables(passing, tuple(each for each in every if each not in passing))
