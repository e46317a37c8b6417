"""The cases in which a mutant is blamed by its own requirement, and where late mutants are caught.

    python -m tests.mutants.blame NAME...

writes the places of the named mutants in late_mutants.toml, and removes those of mutants that are caught early.
"""

import json
import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.judge import Judge, request_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

#: Cases in which a mutant is caught by its own requirement, and of each family and profile those in which it is looked
#: for: of the families of its requirement more, and more again until it is caught once.
CAUGHT, LOOKED_AT, OF_OWN_FAMILIES, AT_MOST = 3, 2, 12, 150
#: Cases that exercise its requirement, after which a mutant is late.
LATE: Final = 60
#: Mutant -> the places of the cases in which it is caught, each "family/profile/index".
FILE: Final = Path(__file__).parent / "late_mutants.toml"
SEED: Final = 3


@cache
def late_mutants():
    return {name: tuple(places) for name, places in tomllib.loads(FILE.read_text()).items()}


@cache
def case(family, profile, index, role):
    return case_of(CaseId(family, profile, seed=SEED, index=index, role=role))


@cache
def right_answer(case_id):
    """Return the answer of the reference to a case, which breaks nothing, and its text: true is not 1."""
    made = case(case_id.family, case_id.profile, case_id.index, case_id.role)
    answer = ReferenceImplementation().ask(request_of(made))
    return answer, repr(answer)


def cases(requirement):
    """Yield the cases in which a mutant of a requirement is looked for, those of its own families first."""
    role = requirement.role
    of_role = {name: each for name, each in families().items() if role in each.focus}
    own = [name for name in of_role if {name, "*"} & {*requirement.families}]
    places = [(name, index) for index in range(OF_OWN_FAMILIES) for name in own]
    places += [(name, index) for index in range(LOOKED_AT) for name in of_role if name not in own]
    places += [(name, index) for index in range(OF_OWN_FAMILIES, AT_MOST) for name in own]
    for name, index in places:
        for profile in of_role[name].profiles_of(role):
            if profile in requirement.holds:
                yield case(name, profile, index, role)


def cases_at(places, role):
    return (case(family, profile, int(index), role) for family, profile, index in (each.split("/") for each in places))


def failures_in(mutant, each, implementation, judge):
    """Return the failures of a mutant in a case by requirement, empty unless its own is among them."""
    answer = implementation.ask(request_of(each))
    verdicts = () if (answer, repr(answer)) == right_answer(each.id) else judge.judge(each, answer)
    failures = {verdict.requirement: verdict for verdict in verdicts if verdict.is_failure}
    return failures if mutant.requirement in failures else {}


def catches(mutant, looked_at):
    """Yield the cases that exercise the requirement of a mutant, each with its failures there if it is caught."""
    requirement = catalogue()[mutant.requirement]
    implementation = MutantImplementation(mutant)
    judge = Judge(implementation.declaration.roles[requirement.role])
    for each in looked_at:
        if mutant.requirement in each.marks or requirement.owns:
            yield each, failures_in(mutant, each, implementation, judge)


@cache
def blames(mutant):
    """Return the failures of cases in which a mutant is caught, each by requirement."""
    requirement = catalogue()[mutant.requirement]
    at_places = [
        failures
        for _, failures in catches(mutant, cases_at(late_mutants().get(mutant.name, ()), requirement.role))
        if failures
    ]
    return at_places or [failures for _, failures, _ in search(mutant)]


def search(mutant):
    """Return the first cases in which a mutant is caught, each with its failures and the number of cases before it."""
    caught = []
    for number, (each, failures) in enumerate(catches(mutant, cases(catalogue()[mutant.requirement]))):
        if len(caught) >= CAUGHT or (caught and each.id.index >= OF_OWN_FAMILIES):
            break
        if failures:
            caught.append((each, failures, number))
    return caught


def renew(names):
    """Write the places of mutants again."""
    places = dict(late_mutants())
    for name in names:
        caught = search(mutant_of(name))
        places.pop(name, None)
        if len(caught) < CAUGHT or caught[-1][2] >= LATE:
            places[name] = tuple(f"{each.id.family}/{each.id.profile}/{each.id.index}" for each, _, _ in caught)
        print(name, *(number for _, _, number in caught), flush=True)
    about = re.match(r"(?:#.*\n)*", FILE.read_text())[0]
    rows = (f"{name} = {json.dumps(places[name])}\n" for name in sorted(places))
    FILE.write_text(about + "".join(rows))


if __name__ == "__main__":
    renew(sys.argv[1:])
