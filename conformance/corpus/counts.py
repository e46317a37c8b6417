"""Counts: what workers keep of the cases they judged; the order does not affect the sums."""

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Final

from conformance.corpus.failing_cases import FailingCases
from conformance.engine.coverage import coverage_tables
from conformance.oracles.coverage.coverage_table import Cell
from conformance.oracles.verdict import Verdict, has_unexplained, trouble_of
from conformance.specs.run_record import NOT_ASKED, TROUBLES
from conformance.strategies.grammar.case import Case

#: Table of verdicts: requirement, profile, status.
VERDICTS: Final = "verdicts"
#: Table of totals; their names follow.
TOTALS: Final = "totals"
#: Cases of the plan that a worker took.
TAKEN: Final = "cases taken"
#: Cases that were judged.
JUDGED: Final = "cases judged"
#: Expected events of the judged cases.
EVENTS: Final = "events"
#: Cases of a stored corpus whose profile the implementation does not claim.
NOT_CLAIMED: Final = "cases of profiles not claimed"
#: Cases at which a process was killed from outside, while a new process answered.
UNREPEATED: Final = "cases with a killed process, which a new one answered"
#: Cases by what ended them: a crash, a hang or a broken protocol.
TROUBLED: Final = {status: f"cases with {status}" for status in TROUBLES}
#: Cases that the implementation answered.
ANSWERED: Final = "cases answered"
#: Cases that were not asked, as too much time had passed without an answer.
UNASKED: Final = "cases not asked"
#: Cases whose answer differs in a way that no requirement accounts for.
UNEXPLAINED: Final = "cases with an unexplained difference"
#: What comes before the name of a table of coverage in a row.
COVERAGE: Final = "coverage: "


class Counts:
    """The results of some cases.

    Attributes:
        totals: Cases and events.
        verdicts: Cases by (requirement, profile, status).
        coverage: Table of coverage -> profile -> cell -> how often it was exercised.
        failing: The failing cases of each finding.
    """

    def __init__(self) -> None:
        self.totals: Counter[str] = Counter()
        self.verdicts: Counter[tuple[str, str, str]] = Counter()
        self.coverage: dict[str, dict[str, Counter[Cell]]] = {
            table.name: defaultdict(Counter) for table in coverage_tables()
        }
        self.failing = FailingCases()

    def add(self, number: int, case: Case, verdicts: Collection[Verdict]) -> None:
        """Count one judged case.

        Args:
            number: Its number in the plan.
            case: The case.
            verdicts: The judge's verdicts on it.
        """
        profile = case.id.profile
        for table in coverage_tables(case.role):
            self.coverage[table.name][profile].update(table.cells(case))
        counts = self.verdicts
        for verdict in verdicts:
            counts[verdict.requirement, profile, verdict.status] += 1
        self.failing.add(number, case.id, verdicts)
        trouble = trouble_of(verdicts)
        if trouble is not None:
            self.totals[TROUBLED[trouble]] += 1
        self.totals[UNASKED] += any(verdict.status == NOT_ASKED for verdict in verdicts)
        self.totals[UNEXPLAINED] += has_unexplained(verdicts)
        # Last, so that a case at which the kit fails is not counted as judged.
        self.totals[JUDGED] += 1
        self.totals[EVENTS] += len(case.expected.events)
