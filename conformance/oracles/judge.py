"""The judge: takes a case and its answer, and returns a verdict for each requirement that the case exercises.

Every verdict, from `certify` to a corpus on a cluster, is made here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.oracles.alignment import Alignment
from conformance.oracles.oracle import Oracle
from conformance.oracles.registry import oracles
from conformance.protocol.observation import Declaration, Observation, Request, RoleDeclaration, Trouble
from conformance.protocol.roles.registry import role_of
from conformance.specs.run_record import Status
from conformance.strategies.grammar.case import Case


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one case for one requirement.

    Attributes:
        requirement: The requirement's id.
        status: One of `conformance.specs.run_record.STATUSES`.
        signature: What is wrong, in a short text without numbers that vary; with the requirement it identifies
            one kind of failure. Empty for a pass.
        message: What was expected and what was observed.
        at: Offset in bytes of the event concerned.
    """

    requirement: str
    status: Status
    signature: str = ""
    message: str = ""
    at: int | None = None


def request_of(case: Case) -> Request:
    """Return the request for a case; it holds no part of the expected answer."""
    return Request(case.role, case.id.profile, case.stream, case.settings)


class Judge:
    """Judges the answers of one implementation in one role.

    Args:
        role: What the implementation declares for the role.
    """

    def __init__(self, role: RoleDeclaration) -> None:
        self._role = role
        self._oracles = oracles()
        self._supported = {requirement for requirement, oracle in self._oracles.items() if self._can_show(oracle)}
        self._good = {requirement: self._good_verdict(requirement) for requirement in self._oracles}
        self._asks_more = {requirement for requirement, oracle in self._oracles.items() if oracle.asks_more}

    def _good_verdict(self, requirement: str) -> Verdict:
        """Return the verdict on a requirement that the answer satisfies."""
        return Verdict(requirement, "pass" if requirement in self._supported else "unsupported")

    def _can_show(self, oracle: Oracle) -> bool:
        shown = not oracle.any_of or bool(oracle.any_of & self._role.fields)
        return shown and oracle.needs <= self._role.fields and oracle.abilities <= self._role.abilities

    def supports(self, requirement: str) -> bool:
        """Return whether the implementation declares what a requirement's oracle needs."""
        return requirement in self._supported

    def declined(self, case: Case) -> list[Verdict]:
        """Return the verdicts on a case that is not sent to the implementation, none if it must be sent.

        A fault is not sent to an implementation that does not declare the ability it tests: an adapter that cuts the
        stream into events itself would be judged by its own loop.
        """
        if case.expected.refused_at is None or case.focus in self._supported:
            return []
        refused = len(case.expected.events)
        return [
            Verdict(requirement, "unsupported")
            for requirement, indices in case.marks.items()
            if refused in indices and requirement in self._oracles
        ]

    def judge(self, case: Case, answer: Observation | Trouble) -> list[Verdict]:
        """Return a verdict for each requirement that the case exercises and that was reached.

        A crash, a hang or a protocol error leaves nothing to judge: the case's focus gets that verdict.
        """
        if isinstance(answer, Trouble):
            return [Verdict(case.focus, answer.status, answer.signature, answer.detail)]
        if self._as_expected(case, answer):
            return [self._good[requirement] for requirement in case.marks if requirement in self._good]
        return self._examine(case, answer)

    def _as_expected(self, case: Case, answer: Observation) -> bool:
        """Return whether the answer equals the expected one; then it satisfies every requirement."""
        expected = case.expected
        error = answer.error
        if (error is None) != (expected.refused_at is None) or len(answer.events) != len(expected.events):
            return False
        if error is not None and (error.at, error.code) != (expected.refused_at, expected.refused_code):
            return False
        if not self._asks_more.isdisjoint(case.marks):
            return False
        pairs = zip(expected.events, answer.events, strict=True)
        if role_of(case.role).answers_streams:
            # The kit has read these streams itself, with every field; only some of the fields are expected.
            return all(all(seen.get(name) == value for name, value in wanted.items()) for wanted, seen in pairs)
        declared = self._role.fields
        return all(_projected(seen, declared) == _projected(wanted, declared) for wanted, seen in pairs)

    def _examine(self, case: Case, answer: Observation) -> list[Verdict]:
        alignment = Alignment(case, answer, self._role)
        verdicts: list[Verdict] = []
        for requirement in case.marks:
            oracle = self._oracles.get(requirement)
            if oracle is None:
                continue
            if requirement not in self._supported:
                verdicts.append(self._good[requirement])
                continue
            checks = list(oracle.examine(alignment, requirement))
            wrong = next((check for check in checks if check.signature), None)
            if wrong is not None:
                message = wrong.message[:1].upper() + wrong.message[1:]
                verdicts.append(Verdict(requirement, "fail", wrong.signature, message, wrong.at))
            elif checks:
                verdicts.append(self._good[requirement])
        return verdicts


class Judges:
    """Judges the answers of one implementation in every role that it declares.

    Args:
        declaration: What the implementation declares.
    """

    def __init__(self, declaration: Declaration) -> None:
        self._judges = {name: Judge(role) for name, role in declaration.roles.items()}

    def declined(self, case: Case) -> list[Verdict]:
        """Return the verdicts on a case that is not sent to the implementation, none if it must be sent."""
        return self._judges[case.role].declined(case)

    def judge(self, case: Case, answer: Observation | Trouble) -> list[Verdict]:
        """Return a verdict for each requirement that the case exercises and that was reached."""
        return self._judges[case.role].judge(case, answer)


def _projected(event: Mapping[str, Any], declared: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name in declared}
