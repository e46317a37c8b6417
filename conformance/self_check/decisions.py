"""The decisions of a wrong answer: entries that an implementation decides about as one, and what follows from them."""

from itertools import count

from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.boundary_steps import OF_STEP, step_cause
from conformance.oracles.filter import groups_of
from conformance.protocol.observation import Observation, RoleDeclaration
from conformance.strategies.grammar.case import Case


class Decisions:
    """The decisions that a wrong answer to a case consists of.

    A filter decides about a group: its borders, its Table_maps and their rows have the fate of what is between them
    (WL#40, section 4). A boundary parser's wrong step leads to the entries after it, up to its next wrong step
    (WL#4162). In the other roles every entry is a decision by itself.

    Args:
        case: The case.
        answer: The wrong answer.
        role: The role's declaration.
    """

    def __init__(self, case: Case, answer: Observation, role: RoleDeclaration) -> None:
        #: For each entry of the right answer the number of its decision; empty where each is one by itself.
        self._numbers: list[int] = []
        #: The entries that only follow from others.
        self._following: set[int] = set()
        if case.role == "filter":
            self._numbers = [number for group, number in zip(groups_of(case), count(), strict=False) for _ in group]
        elif case.role == "boundary":
            self._follow_steps(Alignment(case, answer, role))

    def _follow_steps(self, alignment: Alignment) -> None:
        number = 0
        for index, expected in enumerate(alignment.case.expected.events):
            seen = alignment.observed(index)
            differs = {name for name in expected if seen is None or seen.get(name) != expected[name]}
            if not differs <= set(OF_STEP) or step_cause(alignment, index) is not None:
                number = index
            elif differs:
                self._following.add(index)
            self._numbers.append(number)

    def of(self, entry: int) -> int | None:
        """Return the number of the decision that an entry of the right answer is a part of, None for one by itself."""
        return self._numbers[entry] if entry < len(self._numbers) else None

    def leads(self, entry: int) -> bool:
        """Return whether an entry does not only follow from an earlier one."""
        return entry not in self._following
