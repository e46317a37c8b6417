"""The tally: the counts and verdicts of what was exercised."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Final

from conformance.engine.coverage import cell_text, tables_of_oracles
from conformance.engine.variants import MetVariants
from conformance.oracles.verdict import Verdict, has_unexplained, trouble_of
from conformance.protocol.role import entry_type_name
from conformance.specs.run_record import FAILURES, NOT_ASKED, Result, Status, TroubleStatus
from conformance.strategies.grammar.case import Case

#: The attributes of a tally that are one number.
_NUMBERS: Final = ("cases", "events", "unexplained", "not_asked")
#: Those that are counters by name.
_COUNTERS: Final = ("families", "event_types", "obstacles")


class Tally:
    """Counts of a run.

    Attributes:
        results: Verdicts by requirement, profile and status.
        families: Cases by family and profile.
        event_types: Expected events by type name and profile.
        tables: The counts of the oracles' coverage tables: table -> cell -> profile.
        cases: Cases in all.
        events: Expected events in all.
        troubles: Cases by what ended them, a crash, a hang or a broken protocol, each case once.
        unexplained: Cases whose answer differs in a way that no requirement accounts for.
        not_asked: Cases that were not asked, as too much time had passed without an answer.
        variants: The classes that the cases had.
        obstacles: Requirement -> finding -> cases in which it was not judged because of that finding: a crash, or a
            refusal before its events.
    """

    def __init__(self) -> None:
        self.results: dict[str, dict[str, Counter[Status]]] = defaultdict(partial(defaultdict, Counter))
        self.families: dict[str, Counter[str]] = defaultdict(Counter)
        self.event_types: dict[str, Counter[str]] = defaultdict(Counter)
        self.tables: dict[str, dict[str, Counter[str]]] = defaultdict(partial(defaultdict, Counter))
        self.cases = 0
        self.events = 0
        self.troubles: Counter[TroubleStatus] = Counter()
        self.unexplained = 0
        self.not_asked = 0
        self.variants = MetVariants()
        self.obstacles: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, case: Case, verdicts: Collection[Verdict]) -> None:
        """Count one case and its verdicts."""
        profile = case.id.profile
        self.cases += 1
        self.events += len(case.expected.events)
        self.families[case.id.family][profile] += 1
        for event in case.expected.events:
            if "type" in event:
                self.event_types[entry_type_name(event)][profile] += 1
        for table in tables_of_oracles(case.role):
            for cell in table.cells(case):
                self.tables[table.name][cell_text(cell)][profile] += 1
        self.variants.add(case)
        trouble = trouble_of(verdicts)
        if trouble is not None:
            self.troubles[trouble] += 1
        self.unexplained += has_unexplained(verdicts)
        self.not_asked += any(verdict.status == NOT_ASKED for verdict in verdicts)
        for verdict in verdicts:
            self.results[verdict.requirement][profile][verdict.status] += 1
            if not verdict.charged:
                self.obstacles[verdict.requirement][verdict.finding] += 1

    def reached(self) -> dict[str, tuple[int, int | None]]:
        """Return how many cells of each table in use were reached, and how many there are, None if not countable."""
        return {
            table.name: (len(self.tables[table.name]), len(table.every) or None)
            for table in tables_of_oracles()
            if table.name in self.tables
        }

    def never_reached(self) -> dict[str, list[str]]:
        """Return the cells of each table in use that were not reached, in the order of the table."""
        return {
            table.name: [text for text in map(cell_text, table.every) if text not in self.tables[table.name]]
            for table in tables_of_oracles()
            if table.name in self.tables
        }

    def reached_in_all(self) -> int:
        """Return how many different things were reached: cells of tables, event types and judged requirements.

        It grows with each case that shows something new. Most roles have no table of cells; in these, a case shows
        event types and requirements.
        """
        return sum(map(len, self.tables.values())) + len(self.event_types) + len(self.results)

    def as_json(self) -> dict[str, Any]:
        """Return the counts in values that JSON has."""
        return {name: getattr(self, name) for name in ("results", *_COUNTERS, "tables", *_NUMBERS, "troubles")}

    def add_json(self, counts: Mapping[str, Any]) -> None:
        """Add the counts of `as_json`, of another process."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + counts[name])
        self.troubles.update(counts["troubles"])
        for name in _COUNTERS:
            mine = getattr(self, name)
            for key, numbers in counts[name].items():
                mine[key].update(numbers)
        for name in ("results", "tables"):
            mine = getattr(self, name)
            for key, rows in counts[name].items():
                for row, numbers in rows.items():
                    mine[key][row].update(numbers)

    def join(self, following: "Tally") -> None:
        """Add the counts of the cases that follow, as if they had been added here one by one."""
        self.add_json(following.as_json())
        self.variants.join(following.variants)

    def statuses(self, requirement: str) -> Counter[Status]:
        """Return in how many cases a requirement had which status, over all profiles."""
        return sum(self.results.get(requirement, {}).values(), Counter[Status]())

    @property
    def judged(self) -> bool:
        """Whether any requirement was judged in any case."""
        return any(self.was_judged(requirement) for requirement in self.results)

    def was_judged(self, requirement: str) -> bool:
        """Return whether an answer showed that a requirement holds or that it does not, in any case."""
        statuses = self.statuses(requirement)
        return bool(statuses["pass"] or statuses["fail"])

    def verdict(self, requirement: str) -> Result:
        """Return the verdict on a requirement over all profiles: the worst status.

        ``not-reached`` if nothing was judged, which is not a pass. A requirement that a case with a crash exercises was
        not judged there, so a crash is not a pass either; nor is a case that was not asked.
        """
        met = self.statuses(requirement)
        worst_first: tuple[Status, ...] = (*FAILURES, NOT_ASKED, "pass", "blocked", "unsupported")
        for status in worst_first:
            if met[status]:
                return status
        return "not-reached"
