"""Families: each makes what the catalogue requires, and the reference reader agrees with its expectations."""

import json
import subprocess
import sys
from collections import defaultdict

import pytest

from conformance.binlog.errors import ERROR_KINDS
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import oracles
from conformance.protocol.roles.registry import role_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

ROLES_AND_FAMILIES = [
    (role, name, profile)
    for name, family in sorted(families().items())
    for role in family.focus
    for profile in family.profiles_of(role)
]
DECODED = [(name, profile) for role, name, profile in ROLES_AND_FAMILIES if role == "decode"]


def sample(name, profile, count, role="decode"):
    return [case_of(CaseId(name, profile, seed=11, index=index, role=role)) for index in range(count)]


def test_families_have_one_order_whichever_module_is_imported_first():
    code = (
        "import conformance.strategies.families.logging_decisions\n"
        "from conformance.strategies.grammar.family import families\n"
        "print(*families())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == [*families()]


@pytest.mark.parametrize(("role", "name", "profile"), ROLES_AND_FAMILIES)
def test_the_reference_makes_the_expected_observation(role, name, profile):
    require_role(role)
    reference = ReferenceImplementation()
    judge = Judge(reference.declaration.roles[role])
    for case in sample(name, profile, 6, role):
        verdicts = judge.judge(case, reference.ask(request_of(case)))
        assert verdicts, "the case exercises no requirement"
        # Memory is measured of a process only, and this reference has none of its own.
        judged = [each for each in verdicts if not oracles()[each.requirement].is_measured]
        assert [each for each in judged if each.status != "pass"] == []


@pytest.mark.parametrize("name", sorted(families()))
def test_a_family_has_cases_under_each_profile_that_it_declares(name):
    made = families()[name]
    under = {profile for role in made.focus for profile in made.profiles_of(role)}
    assert [each for each in made.profiles if each not in under] == [], "no requirement in its `focus` holds there"
    assert [role for role in made.focus if not list(made.profiles_of(role))] == [], (
        "the focus of this role holds nowhere"
    )


@pytest.mark.parametrize(("role", "name", "profile"), ROLES_AND_FAMILIES)
def test_the_parts_of_a_case_agree(role, name, profile):
    for case in sample(name, profile, 3, role):
        assert {catalogue()[each].role for each in (case.focus, *case.marks)} == {role}
        assert case.expected.refused_kind in {"", *ERROR_KINDS}
        assert json.loads(json.dumps(case.settings)) == case.settings, "JSON does not preserve the settings"
        marked = {index for indices in case.marks.values() for index in indices}
        assert max(marked) <= len(case.expected.events)
        if role == "decode":
            assert {field for event in case.expected.events for field in event} <= set(role_of(role).fields)


@pytest.mark.parametrize(("name", "profile"), DECODED)
def test_expected_events_tile_the_stream(name, profile):
    for case in sample(name, profile, 5):
        at = 4
        for event in case.expected.events:
            assert event["offset"] == at
            at += event["length"]
        if case.expected.refused_at is None:
            assert at == len(case.stream)


#: Cases of each family and profile; one in twenty exercises the rarest requirements.
REACHING = 30
#: The same, where they show more rarely under a single profile.
REACHING_RARELY = 300


@pytest.fixture(scope="module")
def reached():
    """Return the requirements that cases exercise, as pairs with their family, and as pairs with their profile."""
    of_family = defaultdict(list)
    for requirement in catalogue().values():
        for name in requirement.families if requirement.id in oracles() else ():
            of_family[requirement.role, name].append(requirement)
    by_family, by_profile = set(), set()

    def is_missing(requirement, name, profile):
        is_new = name in requirement.families and (requirement.id, name) not in by_family
        return profile in requirement.holds and (is_new or (requirement.id, profile) not in by_profile)

    for index in range(REACHING):
        for role, name, profile in ROLES_AND_FAMILIES:
            if any(is_missing(each, name, profile) for each in (*of_family[role, name], *of_family[role, "*"])):
                marks = case_of(CaseId(name, profile, seed=11, index=index, role=role)).marks
                by_family |= {(requirement, name) for requirement in marks}
                by_profile |= {(requirement, profile) for requirement in marks}
    return by_family, by_profile


def test_every_family_exercises_the_requirements_that_name_it(reached):
    missing = {
        (requirement.id, name)
        for requirement in catalogue().values()
        if requirement.id in oracles()
        for name in set(requirement.families) & set(families())
        if (requirement.id, name) not in reached[0] and not exercised_by(name, requirement)
    }
    assert missing == set()
    unreached = [catalogue()[each] for each in oracles().keys() - {requirement for requirement, _ in reached[0]}]
    alone = [each.id for each in unreached if not any(exercised_by(name, each) for name in each.families)]
    assert alone == [], "no family exercises these oracles"


def exercised_by(name, requirement):
    """Return whether a family exercises a requirement under any profile, if late."""
    return any(family_exercises(name, requirement, profile) for profile in requirement.holds)


def family_exercises(name, requirement, profile):
    """Return whether a pair of classes that comes late in the rows of a family exercises a requirement."""
    if name not in families() or profile not in families()[name].profiles_of(requirement.role):
        return False
    ids = (CaseId(name, profile, seed=11, index=index, role=requirement.role) for index in range(REACHING_RARELY))
    return any(requirement.id in case_of(each).marks for each in ids)


def exercised_rarely(requirement, profile):
    """Return whether later cases exercise a requirement, or those of a family that it does not name."""
    of_catalogue = catalogue()[requirement]
    named = of_catalogue.families
    others = [name for role, name, under in ROLES_AND_FAMILIES if (role, under) == (of_catalogue.role, profile)]
    return any(family_exercises(name, of_catalogue, profile) for name in (*named, *others))


def test_every_requirement_is_exercised_under_each_profile_for_which_it_holds(reached):
    unreached = {
        (requirement, profile)
        for requirement in oracles()
        for profile in catalogue()[requirement].holds
        if (requirement, profile) not in reached[1] and not exercised_rarely(requirement, profile)
    }
    assert unreached == set(), (
        "these requirements hold under profiles for which no family exercises them, so that they are never judged: let "
        "a family of the requirement make cases under the profile, or end its `holds` before it"
    )


#: The families that users of WL#4033 and WL#7592 look for -> roles that they must have.
WELL_KNOWN = {
    "ignorable_events": {"decode", "send", "relay", "apply"},
    "rows_query_streams": {"decode", "render", "send", "relay"},
    "gtid_streams": {"decode", "boundary", "render", "relay"},
    "anonymous_gtid_streams": {"decode", "boundary", "render", "relay"},
    "cross_version_streams": {"decode", "relay", "apply"},
    "sent_logs": {"send", "client"},
    "sent_marked_logs": {"send"},
    "sent_gtids": {"send", "client"},
    "relay_logs": {"relay"},
    "skip_and_until": {"apply"},
    "create_select_splits": {"log"},
    "drop_database_splits": {"log"},
    "multi_table_drops": {"log"},
    "temporary_tables": {"log"},
    "gtid_missing": {"apply"},
    "gtid_after_begin": {"apply"},
    "gtid_doubled": {"relay", "boundary"},
    "previous_gtids_missing": {"relay"},
    "previous_gtids_doubled": {"relay"},
    "previous_gtids_misplaced": {"relay"},
    "create_select_not_split": {"apply"},
    "drops_not_split": {"apply"},
    "rows_before_rows_query": {"apply"},
}


@pytest.mark.parametrize("name", WELL_KNOWN)
def test_a_family_that_users_look_for_exists_with_its_roles(name):
    assert WELL_KNOWN[name] <= families()[name].focus.keys()


def test_every_family_that_the_catalogue_names_exists():
    # "*" is every family; logs that the command `check` judges are not generated.
    named = {each for requirement in catalogue().values() for each in requirement.families}
    assert named - set(families()) == {"*", "checked_logs"}


def test_only_faults_are_refused():
    for name, profile in DECODED:
        refused = {case.expected.refused_at is not None for case in sample(name, profile, 3)}
        assert refused == {families()[name].fault}
