"""Clusters: the failing cases of a corpus, shrunk to one failure each."""

from types import SimpleNamespace

import pytest

from conformance.corpus.clusters import Clusters
from conformance.corpus.failing_cases import FailingCase
from conformance.corpus.results import Cluster
from conformance.engine.baseline import Baseline
from conformance.engine.events import FailureFound
from conformance.engine.failure import Counts
from conformance.engine.shrinking import Shrinker
from conformance.oracles.judge import Judge
from conformance.oracles.verdict import failures_of
from conformance.protocol.observation import Trouble
from conformance.specs.profiles import group_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.doubles.fails_at_fewer_events import FailsAtFewerEvents

CASE = case_of(CaseId("rows_query_streams", "mysql-8.0", seed=0, index=0))


def clusters_of(shrinker):
    """Return a cluster for each finding that the case shows."""
    counts = Counts(cases=1, requirements={}, profiles={CASE.id.profile: 1})
    findings = {each.finding: each for each in failures_of(shrinker.verdicts(CASE))}
    group = group_of(CASE.id.profile)
    return [
        Cluster(
            FailingCase(0, finding, group, each.requirement, each.status, str(CASE.id), each.message),
            Counts(cases=1, requirements={each.requirement: 1}, profiles=counts.profiles),
        )
        for finding, each in findings.items()
    ]


@pytest.mark.parametrize("shrink", [True, False], ids=["shrunk", "not shrunk"])
def test_trouble_that_only_the_search_for_smaller_cases_meets_is_a_failure(shrink):
    reader = FailsAtFewerEvents(Trouble("crash", "ended", "at a few events"))
    shrinker = Shrinker(reader, Judge(reader.declaration.roles["decode"]))
    made = clusters_of(shrinker)
    source, events = SimpleNamespace(case=lambda number, text: CASE), []
    failures = Clusters(shrinker, source, Baseline(), {}, shrink, events.append).failures(made)
    crashed = [each for each in failures if each.verdict.status == "crash"]
    assert [(each.counts.cases, each.answer.status) for each in crashed] == [(1, "crash")] * shrink
    assert len(failures) == len(made) + len(crashed)
    assert [each.failure for each in events if isinstance(each, FailureFound)] == failures
    assert all(each.met == () for each in failures)
