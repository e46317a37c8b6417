"""Libraries by name: built with the tools of their languages, from their package registries over the network."""

import pytest

from conformance.engine.adapter_check import checked
from conformance.implementations.installation import install, installed_versions
from conformance.implementations.library import libraries
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge, request_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

pytestmark = [pytest.mark.slow, pytest.mark.network]

#: A library and the versions of it that are tried: the first that has an adapter, and that of its file.
VERSIONS = [
    (library.name, version)
    for library in libraries().values()
    for version in dict.fromkeys((*library.since, library.version))
    if version != "0.1"  # The adapter for Python starts with any version; the oldest ones need an older Python.
]


@pytest.mark.parametrize(("name", "version"), VERSIONS, ids=lambda each: each)
def test_each_range_of_versions_builds_and_starts(name, version):
    library = libraries()[name]
    if library.missing() is not None:
        pytest.skip(library.missing())
    install(library, version)
    assert version in installed_versions(library)
    with implementation(f"{name}@{version}") as built:
        assert (built.declaration.version, "decode" in built.declaration.roles) == (version, True)


@pytest.mark.parametrize(
    "name",
    [
        "asyncmy",
        "mysql_binlog",
        "mysql_cdc",
        "mysql_common",
        "mysql-binlog-connector-rust",
        "@vlasky/zongji",
        "@powersync/mysql-zongji",
        "canal-dbsync",
        "vitess",
    ],
)
def test_an_adapter_declares_what_it_fills_and_nothing_else(name):
    if libraries()[name].missing() is not None:
        pytest.skip(libraries()[name].missing())
    with implementation(name) as built:
        assert checked(built) == []


def test_mysql_common_is_not_blamed_for_a_gtid_and_flags_that_its_adapter_makes():
    """The library has a type of its own for an Anonymous_gtid event, and reports flags that it has no name for."""
    library = libraries()["mysql_common"]
    if library.missing() is not None:
        pytest.skip(library.missing())
    cases = [
        case_of(CaseId("recorded_logs", "mysql-9.x", seed=1, index=0)),
        *(case_of(CaseId("transactions", "mysql-8.0", seed=1, index=index)) for index in range(20)),
    ]
    owed = {"WL7592-ANON-NO-IDENTIFIER", "FORMAT-EVENT-FIELDS"}
    with implementation("mysql_common") as built:
        judge = Judge(built.declaration.roles["decode"])
        verdicts = [each for case in cases for each in judge.judge(case, built.ask(request_of(case)))]
    judged = [each for each in verdicts if each.requirement in owed]
    assert {each.requirement for each in judged} == owed
    assert not [each.message for each in judged if each.is_failure]
