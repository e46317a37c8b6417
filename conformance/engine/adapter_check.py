"""A check of an adapter: whether it declares what it fills, fills what it declares, and answers each question alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from conformance.engine.discovery import discovered
from conformance.engine.selection import NothingToRun, Selection
from conformance.engine.unused import Unused
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import request_of
from conformance.protocol.observation import Observation, Trouble
from conformance.protocol.roles.registry import role_of
from conformance.strategies.grammar.case import Case

#: Cases of each family and profile that are asked.
_EXAMPLES: Final = 2
#: Names that a line lists.
_LISTED: Final = 12


def checked(implementation: Implementation) -> list[str]:
    """Ask an implementation a few questions in each role that it declares, and return what its adapter does wrong.

    Args:
        implementation: The implementation, started.

    Returns:
        A line for each thing that is wrong with the adapter; faults of its library are left out.
    """
    return [line for role in implementation.declaration.roles for line in _Check(implementation, role).lines()]


class _Check:
    """The check of one role."""

    def __init__(self, implementation: Implementation, role: str) -> None:
        self._implementation = implementation
        self._role = role
        self._unused = Unused()
        self._undeclared: dict[str, set[str]] = defaultdict(set)
        self._broken: Counter[str] = Counter()
        #: The first case of each family and profile, with its first answer.
        self._first: list[tuple[Case, Observation]] = []

    def lines(self) -> Iterator[str]:
        """Ask, and yield what was found."""
        try:
            pairs = Selection(role=self._role).pairs(self._implementation.declaration)
        except NothingToRun as error:
            yield f"{self._role}: {error}"
            return
        for family, profile in pairs:
            for case in discovered(family, profile, role=self._role, seed=0, numbers=range(_EXAMPLES)):
                self._ask(case)
        for signature, count in self._broken.most_common():
            yield f"{self._role}: the protocol is broken in {count} answers: {signature}"
        unused = self._unused.names(self._implementation.declaration).get(self._role, ())
        if unused:
            yield f"{self._role}: declared, and in no answer that could have it: {_listed(unused)}"
        for product, names in self._undeclared.items():
            yield f"{self._role}: in answers about logs of {product}, and not declared: {_listed(sorted(names))}"
        again = [str(case.id) for case, answer in reversed(self._first) if self._answers_otherwise(case, answer)]
        if again:
            yield f"{self._role}: answered differently when asked again, in {len(again)} cases, such as {again[0]}"

    def _ask(self, case: Case) -> None:
        answer = self._implementation.ask(request_of(case))
        self._unused.observe(case, answer)
        if isinstance(answer, Trouble):
            if answer.status == "protocol-error":
                self._broken[answer.signature] += 1
            return
        role = role_of(self._role)
        if not role.answers_streams:
            declared = self._implementation.declaration.roles[self._role].under(case.id.profile).fields
            names = {name for entry in answer.events for name in entry if name in role.fields and name not in declared}
            if names:
                self._undeclared[case.id.profile.partition("-")[0]] |= names
        if not case.id.index:
            self._first.append((case, _unmeasured(answer)))

    def _answers_otherwise(self, case: Case, answer: Observation) -> bool:
        again = self._implementation.ask(request_of(case))
        return not isinstance(again, Observation) or _unmeasured(again) != answer


def _unmeasured(answer: Observation) -> Observation:
    """Return an answer without what may vary from one process to another: what it takes, and an error's words."""
    error = None if answer.error is None else replace(answer.error, message="")
    return replace(answer, error=error, memory=None, processor_seconds=None)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
