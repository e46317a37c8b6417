"""Cases of every family of a role, each with the reference's answer; the first ones are made once."""

from functools import cache

from conformance.oracles.judge import request_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

REFERENCE = ReferenceImplementation()
#: Cases of each family and profile that are kept.
KEPT = 3


def answered_cases(role, most):
    """Yield number, case and answer: the first case of each family and profile, then the second ones, and so on."""
    for index in range(most):
        for case, answer in _kept(role, index) if index < KEPT else _made(role, index):
            yield index, case, answer


@cache
def _kept(role, index):
    return tuple(_made(role, index))


def _made(role, index):
    for family in families().values():
        for profile in family.profiles_of(role) if role in family.focus else ():
            case = case_of(CaseId(family.name, profile, seed=5, index=index, role=role))
            yield case, REFERENCE.ask(request_of(case))
