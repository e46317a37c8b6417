"""A right implementation conforms under every release, not only under the newest of its series."""

import pytest

from conformance.engine.discovery import discovered
from conformance.oracles.judge import Judge, request_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.family import families

CASES = 3
#: The first release of each series, and those with which a type of event or a value comes or goes.
RELEASES = (
    *("mysql-5.1.30", "mysql-5.5.0", "mysql-5.6.1", "mysql-5.7.6"),
    *("mysql-8.0.0", "mysql-8.0.16", "mysql-8.0.20", "mysql-8.0.26", "mysql-8.3.0", "mysql-9.0.0"),
    *("mariadb-10.0.0", "mariadb-10.1.23", "mariadb-10.2.2", "mariadb-10.2.3", "mariadb-10.5.0", "mariadb-11.0.0"),
)
REFERENCE = ReferenceImplementation()
#: A client is asked over a connection.
ROLES = [role for role in REFERENCE.declaration.roles if role != "client"]


@pytest.mark.parametrize("release", RELEASES)
def test_the_reference_conforms_under_a_release(release):
    judges = {role: Judge(REFERENCE.declaration.roles[role]) for role in ROLES}
    blamed = []
    for name, family in families().items():
        for role in (role for role in ROLES if role in family.focus and release in family.profiles_of(role)):
            for case in discovered(name, release, role=role, seed=0, numbers=range(CASES)):
                verdicts = judges[role].judge(case, REFERENCE.ask(request_of(case)))
                blamed += [(str(case.id), each.requirement) for each in verdicts if each.is_failure]
    assert blamed == []
