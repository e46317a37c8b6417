"""The decisions of a wrong answer: entries that an implementation decides about as one, and what follows from them."""

import struct
from itertools import count

from conformance.binlog.errors import MalformedBody
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.boundary_steps import OF_STEP, step_cause
from conformance.oracles.checks.filtered_groups import groups_of
from conformance.oracles.checks.own_gtids import only_follows
from conformance.protocol.observation import Observation, RoleDeclaration
from conformance.strategies.grammar.case import Case


class Decisions:
    """The decisions that a wrong answer to a case consists of.

    A filter decides about a group: its borders, its Table_maps and their rows have the fate of what is between them
    (WL#40, section 4). A boundary parser's wrong step leads to the entries after it, up to its next wrong step
    (WL#4162). A server that logs decides for a whole log how its format description declares events; numbers and sets
    of GTIDs follow from those before them. In the other roles every entry is a decision by itself.

    Args:
        case: The case.
        right: The right answer.
        answer: The wrong answer.
        role: The role's declaration.
    """

    def __init__(self, case: Case, right: Observation, answer: Observation, role: RoleDeclaration) -> None:
        #: For each entry of the right answer the number of its decision; empty where each is one by itself.
        self._numbers: list[int | None] = []
        #: The entries that only follow from others.
        self._following: set[int] = set()
        if case.role == "filter":
            self._numbers = [number for group, number in zip(groups_of(case), count(), strict=False) for _ in group]
        elif case.role == "boundary":
            self._follow_steps(Alignment(case, answer, role))
        elif case.role == "log":
            other = {log for log, each in enumerate(zip(right.streams, answer.streams, strict=False)) if _differ(*each)}
            self._numbers = [log if (log := entry["log"]) in other else None for entry in right.events]
            alignment = Alignment(case, answer, role)
            self._following = {index for index in range(len(right.events)) if only_follows(alignment, index)}

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


def _differ(stream: bytes, other: bytes) -> bool:
    """Return whether two logs declare events in different ways."""
    lengths = []
    for each in (stream, other):
        try:
            size = HEADER.unpack(each[len(MAGIC) : len(MAGIC) + HEADER_BYTES])[3]
            lengths.append(FormatDescription.from_event(each[len(MAGIC) : len(MAGIC) + size]).post_header_lengths)
        except (MalformedBody, struct.error):
            return False
    return lengths[0] != lengths[1]
