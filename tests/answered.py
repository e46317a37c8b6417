"""Cases of every family of a role, each with the reference's answer; the first ones are made once."""

from functools import cache

from conformance.oracles.judge import request_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

REFERENCE = ReferenceImplementation()
#: Cases of each family and profile that are kept.
KEPT = 2


def answered_cases(role, most, *, begin=0, only=None):
    """Yield number, case and answer: the first case of each family and profile, then the second ones, and so on."""
    for index in range(begin, most):
        for case, answer in _kept(role, index) if index < KEPT else _made(role, index, only):
            yield index, case, answer


@cache
def _kept(role, index):
    return tuple(_made(role, index))


def _made(role, index, only=None):
    for family in families().values():
        is_asked = role in family.focus and (only is None or family.name in only)
        for profile in family.profiles_of(role) if is_asked else ():
            case = case_of(CaseId(family.name, profile, seed=5, index=index, role=role))
            yield case, REFERENCE.ask(request_of(case))
