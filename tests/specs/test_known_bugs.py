"""Known bugs of the field: each is noticed by a requirement that can be tested, and by the mutant it names."""

import json
import tomllib
from collections import Counter
from importlib import resources
from itertools import pairwise

import jsonschema
import pytest

from conformance.mutants.registry import mutants
from conformance.specs.catalogue import catalogue
from conformance.specs.known_bugs import known_bugs

MUTANTS = {each.name: each for each in mutants()}
FOLDER = resources.files("conformance.specs")


def test_the_file_follows_its_schema():
    schema = json.loads((FOLDER / "schemas" / "known-bugs.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(tomllib.loads((FOLDER / "known_bugs.toml").read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize("bug", known_bugs(), ids=lambda bug: f"{bug.name} {bug.requirement}")
def test_a_bug_is_noticed(bug):
    assert catalogue()[bug.requirement].families
    if bug.mutant:
        mutant = MUTANTS[bug.mutant]
        assert bug.requirement in (mutant.requirement, *mutant.also)


def test_a_bug_is_there_once_for_each_role():
    assert max(Counter((bug.link, bug.role) for bug in known_bugs()).values()) == 1


def test_the_bugs_of_a_role_are_together():
    roles = [bug.role for bug in known_bugs()]
    assert sum(first != second for first, second in pairwise(roles)) == len(set(roles)) - 1


def test_a_bug_has_a_short_name():
    names = {bug.link: bug.name for bug in known_bugs()}
    assert names["https://bugs.mysql.com/bug.php?id=39701"] == "MySQL #39701"
    assert names["https://issues.redhat.com/browse/DBZ-7905"] == "Debezium DBZ-7905"
