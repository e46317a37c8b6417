"""Families whose streams are not logs of servers on purpose: one table, and a line at each of their failures."""

import io
from collections import Counter

import pytest
from rich.console import Console

from conformance.engine.failure import Counts, Failure
from conformance.engine.record_lines import failure_line
from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Observation
from conformance.reports.finding_card import finding_card
from conformance.reports.findings import Finding
from conformance.reports.markdown import _finding as in_markdown
from conformance.reports.terminal import _print_finding
from conformance.strategies.families.departures import DEPARTURES, departure_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

NOTE = "This stream is not a server's log on purpose: streams of heartbeats have events that a source sends but no log"


def finding_of(family, profile="mysql-8.0"):
    case = case_of(CaseId(family, profile, seed=1, index=0))
    verdict = Verdict("FORMAT-XID", "fail", "xid differs", "xid is 1, expected 2")
    counts = Counts(cases=1, requirements={"FORMAT-XID": 1}, profiles={profile: 1})
    failure = Failure(verdict, case, Observation(()), str(case.id), "mysql 5.6 to 8.4", counts)
    return Finding(1, (failure_line(failure, "reference"),), counts.requirements, counts.profiles, 0)


def test_a_family_and_a_profile_have_one_departure_at_most():
    pairs = Counter((name, profile) for each in DEPARTURES for name in each.families for profile in each.profiles)
    assert {pair for pair, count in pairs.items() if count > 1} == set()


def test_every_departure_is_of_valid_families_that_make_streams():
    named = {name for each in DEPARTURES for name in each.families}
    assert named <= {name for name, each in families().items() if each.production and not each.fault}


def test_a_departure_holds_under_its_profiles_alone():
    assert "self-contained" in departure_of("loaded_files", "worklog")
    assert departure_of("loaded_files", "mysql-8.0") is None


def in_html(finding):
    return str(finding_card(finding, requirement=None, declared=None))


def on_a_terminal(finding):
    file = io.StringIO()
    _print_finding(Console(file=file, width=300), finding)
    return file.getvalue()


@pytest.mark.parametrize("shown", [in_html, on_a_terminal, lambda finding: "\n".join(in_markdown(finding))])
def test_a_report_has_at_a_finding_why_its_stream_is_not_a_servers_log(shown):
    note = NOTE.replace("'", "&#x27;") if shown is in_html else NOTE
    assert note in shown(finding_of("heartbeats"))
    assert "on purpose" not in shown(finding_of("transactions"))
