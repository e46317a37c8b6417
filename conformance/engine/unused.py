"""What an implementation declares and never shows: a lint of adapters."""

from collections import defaultdict
from collections.abc import Mapping

from conformance.protocol.observation import Declaration, Observation, Trouble
from conformance.protocol.roles.registry import role_of
from conformance.strategies.grammar.case import Case


class Unused:
    """Collects from the answers of a run which declared fields and abilities they have, where there is an occasion."""

    def __init__(self) -> None:
        # Both by role: the names that an answer could have had, and those that one had.
        self._possible: dict[str, set[str]] = defaultdict(set)
        self._shown: dict[str, set[str]] = defaultdict(set)

    def observe(self, case: Case, answer: Observation | Trouble) -> None:
        """Take note of one answer."""
        if isinstance(answer, Trouble) or role_of(case.role).answers_streams:
            return
        possible, shown = self._possible[case.role], self._shown[case.role]
        for entry in case.expected.events:
            possible.update(entry)
        for entry in answer.events:
            shown.update(name for name, value in entry.items() if value is not None)
        if answer.error is not None:
            possible.add("error_at")
            if answer.error.at is not None:
                shown.add("error_at")

    def join(self, following: "Unused") -> None:
        """Take note of what other answers of the run have."""
        for role in following._possible:
            self._possible[role] |= following._possible[role]
            self._shown[role] |= following._shown[role]

    def names(self, declaration: Declaration) -> Mapping[str, tuple[str, ...]]:
        """Return by role the declared fields and abilities that answers could have had and none had, sorted."""
        unused = {
            name: (role.every_field | role.abilities) & (self._possible[name] - self._shown[name])
            for name, role in declaration.roles.items()
        }
        return {name: tuple(sorted(each)) for name, each in unused.items() if each}
