"""Families: every one makes what the catalogue says, and the reference reader agrees with its expectations."""

from collections import defaultdict

import pytest

from conformance.binlog.errors import ERROR_KINDS
from conformance.implementations.observation import Request
from conformance.implementations.reference import DECODE_FIELDS, ReferenceImplementation
from conformance.oracles.judge import Judge
from conformance.oracles.registry import oracles
from specs.catalogue import catalogue
from strategies.case_id import CaseId
from strategies.family import case_of, families

PAIRS = [(name, profile) for name, family in sorted(families().items()) for profile in family.profiles]


def sample(name, profile, count):
    return [case_of(CaseId(name, profile, seed=11, index=index)) for index in range(count)]


@pytest.mark.parametrize(("name", "profile"), PAIRS)
def test_the_reference_makes_the_expected_observation(name, profile):
    reference = ReferenceImplementation()
    judge = Judge(reference.declaration.roles["decode"])
    for case in sample(name, profile, 15):
        verdicts = judge.judge(case, reference.ask(Request("decode", profile, case.stream)))
        assert verdicts, "a case that exercises nothing"
        assert [each for each in verdicts if each.status != "pass"] == []


@pytest.mark.parametrize(("name", "profile"), PAIRS)
def test_a_case_knows_what_it_is(name, profile):
    for case in sample(name, profile, 3):
        assert case.focus in catalogue()
        assert set(case.marks) <= set(catalogue())
        assert case.expected.refused_kind in {"", *ERROR_KINDS}
        reported = {field for event in case.expected.events for field in event}
        assert reported <= DECODE_FIELDS


@pytest.mark.parametrize(("name", "profile"), PAIRS)
def test_expected_events_tile_the_stream(name, profile):
    for case in sample(name, profile, 5):
        at = 4
        for event in case.expected.events:
            assert event["offset"] == at
            at += event["length"]
        if case.expected.refused_at is None:
            assert at == len(case.stream)


def test_every_family_reaches_what_the_catalogue_says():
    reached = defaultdict(set)
    for name, profile in PAIRS:
        for case in sample(name, profile, 25):
            for requirement in case.marks:
                reached[requirement].add(name)
    missing = {
        requirement.id: wanted
        for requirement in catalogue().values()
        if requirement.id in oracles()
        and (wanted := (set(requirement.families) & set(families())) - reached[requirement.id])
    }
    assert missing == {}
    assert set(oracles()) <= set(reached), "an oracle that no family exercises"


def test_only_faults_are_refused():
    for name, profile in PAIRS:
        refused = {case.expected.refused_at is not None for case in sample(name, profile, 3)}
        assert refused == {families()[name].fault}
