"""Whether a defect of a library shows through its adapter: the same cases, asked with the defect and without it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.engine.selection import Selection
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Declaration, Observation
from conformance.protocol.roles.decode import HEADER_FIELDS
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

SEED = 14
#: Streams in which parsers read rows without end: see the tests of them.
ENDLESS = "post_header_lengths"


@dataclass(frozen=True)
class WholeLibrary:
    """What an adapter declares and answers with its library as published.

    Attributes:
        declaration: What it declares.
        answers: Cases of every family and profile that it claims, and the answers.
    """

    declaration: Declaration
    answers: Sequence[tuple[Case, Observation]]

    @classmethod
    def of(cls, parser: ProcessImplementation, *, examples: int) -> "WholeLibrary":
        """Ask about some cases of each family and profile; those at which the library fails are left out."""
        cases = [
            case_of(CaseId(family, profile, seed=SEED, index=index))
            for family, profile in Selection().pairs(parser.declaration)
            if family != ENDLESS
            for index in range(examples)
        ]
        answers = zip(cases, parser.ask_many(request_of(case) for case in cases), strict=True)
        return cls(parser.declaration, [(case, each) for case, each in answers if isinstance(each, Observation)])

    def names(self) -> set[str]:
        """Return the fields and abilities that the adapter declares."""
        role = self.declaration.roles["decode"]
        return {*role.fields, *role.abilities}

    def shows(self, broken: ProcessImplementation, name: str, words: str) -> bool:
        """Return whether a failure that there is only with a defect has certain words.

        Args:
            broken: The library with the defect.
            name: The field or the ability that it is a defect of: other fields are not judged, as a requirement that
                the library breaks anyway shows its first failure only.
            words: Words of the failure.
        """
        role = self.declaration.roles["decode"]
        judge = Judge(replace(role, fields=role.fields & {*HEADER_FIELDS, name}))
        answers = broken.ask_many(request_of(case) for case, _ in self.answers)
        for (case, whole), answer in zip(self.answers, answers, strict=True):
            if answer != whole:
                failures = {*judge.judge(case, answer)} - {*judge.judge(case, whole)}
                if any(each.is_failure and words in each.signature for each in failures):
                    return True
        return False
