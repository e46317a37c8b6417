"""The facets by which a page filters its findings and requirements, as the data attributes of their elements."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from conformance.reports.element import Html
from conformance.reports.filter_bar import facet, filter_bar
from conformance.reports.findings import Finding
from conformance.reports.record import RunRecord
from conformance.reports.status import BROKEN, STATUSES
from conformance.specs.run_record import Failure, RequirementResult

#: In the facet of verdicts: whether the baseline lists a finding.
_KNOWN: Final = {True: "known", False: "new"}

Attributes = dict[str, str | bool]


def finding_facets(finding: Finding, requirements: Mapping[str, RequirementResult]) -> Attributes:
    """Return the data attributes of an element that shows a finding.

    Args:
        finding: The finding.
        requirements: The requirements of the run by their ids.
    """
    broken = [requirements[name] for name in finding.requirements if name in requirements]
    return {
        "data_item": True,
        "data_failing": True,
        "data_verdict": facet((finding.status, _KNOWN[finding.known is not None])),
        "data_worklog": facet(each.worklog for each in broken),
        "data_role": facet(failure.role for failure in finding.failures),
        "data_profile": facet(finding.profiles),
        "data_type": facet(_types(finding)),
    }


def requirement_facets(requirement: RequirementResult) -> Attributes:
    """Return the data attributes of an element that shows a requirement."""
    return {
        "data_item": True,
        "data_failing": requirement.verdict in BROKEN,
        "data_verdict": requirement.verdict,
        "data_worklog": requirement.worklog,
        "data_role": requirement.role,
        "data_profile": facet(requirement.results or requirement.profiles),
    }


def filter_of(record: RunRecord, findings: Collection[Finding]) -> Html:
    """Return the bar that filters the findings and requirements of a run."""
    known = {finding.known is not None for finding in findings}
    present = {each.verdict for each in record.requirements} | {finding.status for finding in findings}
    verdicts = [status for status in STATUSES if status in present]
    return filter_bar(
        {
            "verdict": [*verdicts, *(word for state, word in _KNOWN.items() if len(known) > 1 and state in known)],
            "worklog": [each.worklog for each in record.requirements],
            "role": record.header.roles,
            "profile": record.header.profiles,
            "type": sorted({name for finding in findings for name in _types(finding)}),
        }
    )


def _types(finding: Finding) -> Iterable[str]:
    """Return the names of the event types that a finding is about: those at which it was shown, otherwise all."""
    return dict.fromkeys(name for failure in finding.failures for name in _types_of(failure))


def _types_of(failure: Failure) -> Iterable[str]:
    at = [event.name for event in failure.events if event.offset == failure.at]
    return at or failure.type_names.values()
