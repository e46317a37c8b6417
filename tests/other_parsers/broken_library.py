"""Whether a defect of a library shows through its adapter: the same cases, asked with the defect and without it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.engine.selection import Selection
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Declaration, Observation, Trouble
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

SEED = 14
#: Streams in which parsers read rows without end: see the tests of them.
ENDLESS = "post_header_lengths"


@dataclass(frozen=True)
class WholeLibrary:
    """What the adapter declares and answers with its library as published.

    Attributes:
        declaration: What it declares.
        cases: Cases of every family and profile that it claims.
        answers: The answer to each case.
        failures: What fails in each case.
    """

    declaration: Declaration
    cases: Sequence[Case]
    answers: Sequence[Observation]
    failures: Sequence[set[Verdict]]

    @classmethod
    def of(cls, parser: ProcessImplementation, *, examples: int) -> "WholeLibrary":
        """Ask about some cases of each family and profile; those at which the library fails whole are left out."""
        drawn = [
            case_of(CaseId(family, profile, seed=SEED, index=index))
            for family, profile in Selection().pairs(parser.declaration)
            if family != ENDLESS
            for index in range(examples)
        ]
        pairs = zip(drawn, parser.ask_many(request_of(case) for case in drawn), strict=True)
        cases, answers = zip(*((case, answer) for case, answer in pairs if isinstance(answer, Observation)), strict=True)
        judge = Judge(parser.declaration.roles["decode"])
        failures = [_failures(judge, *each) for each in zip(cases, answers, strict=True)]
        return cls(parser.declaration, cases, answers, failures)

    def names(self) -> set[str]:
        """Return the fields and abilities that the adapter declares."""
        role = self.declaration.roles["decode"]
        return {*role.fields, *role.abilities}

    def shows(self, broken: ProcessImplementation, words: str) -> bool:
        """Return whether some failure that there is with a defect, and not without it, has certain words."""
        return any(words in failure for failure in self._shown(broken))

    def _shown(self, broken: ProcessImplementation) -> Iterator[str]:
        judge = Judge(broken.declaration.roles["decode"])
        answers = broken.ask_many(request_of(case) for case in self.cases)
        for case, answer, whole, before in zip(self.cases, answers, self.answers, self.failures, strict=True):
            if answer != whole:
                for verdict in _failures(judge, case, answer) - before:
                    yield f"{verdict.requirement}: {verdict.signature}"


def _failures(judge: Judge, case: Case, answer: Observation | Trouble) -> set[Verdict]:
    return {each for each in judge.judge(case, answer) if each.is_failure}
