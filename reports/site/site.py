"""Writing the site: all pages of the kept runs of a folder."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from conformance.reports.badge import badge_picture
from conformance.reports.features import features
from conformance.reports.kept_runs import KeptRun
from conformance.reports.site.catalogue_of_findings import kept_findings
from conformance.reports.site.detail_pages import finding_page, implementation_page, requirement_page
from conformance.reports.site.feeds import feed, feed_address
from conformance.reports.site.front_pages import findings_page, index_page, reads_page, requirements_page
from conformance.reports.site.links import implementation_address, requirement_address
from conformance.reports.site.written_up import WrittenUp
from conformance.reports.status import JUDGED
from conformance.specs.files import write_text

#: Name of an implementation and signature -> what was written up.
Reports = Mapping[tuple[str, str], WrittenUp]


def write_site(
    runs: Sequence[KeptRun],
    folder: Path,
    *,
    reports: Reports = MappingProxyType({}),
    has_log_page: bool = False,
) -> int:
    """Write the site of kept runs to a folder, and return how many files it has.

    Args:
        runs: The runs, in the order of `kept_runs`.
        folder: The folder, which is made if it is not there.
        reports: What was written up, by the implementation's name and the signature.
        has_log_page: Whether the site also has the page that reads logs.

    Raises:
        OSError: A file cannot be written.
    """
    count = 0
    for address, text in pages(runs, reports=reports, has_log_page=has_log_page):
        path = folder / address
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
        count += 1
    return count


def pages(
    runs: Sequence[KeptRun], *, reports: Reports = MappingProxyType({}), has_log_page: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the files of the site: address from its top, and content."""
    findings = kept_findings(runs)
    yield "index.html", index_page(runs, has_log_page=has_log_page)
    yield "reads.html", reads_page(runs)
    yield "requirements.html", requirements_page(runs)
    yield "findings.html", findings_page(findings)
    yield feed_address(), feed(runs, findings)
    for name in dict.fromkeys(run.name for run in runs):
        versions = [run for run in runs if run.name == name]
        own = [each for each in findings if each.name == name]
        yield implementation_address(name), implementation_page(versions, own)
        yield feed_address(name), feed(versions, own, name=name)
        for run in versions:
            yield f"implementations/{run.slug}.svg", badge_picture(run.record)
        for each in own:
            yield each.address, finding_page(each, versions, reports.get((name, each.signature)))
    requirements = {each.id: each for run in runs for each in run.record.requirements}
    linked = {name for each in findings for shown in each.versions.values() for name in shown.requirements}
    linked |= {name for each in features() for name in each.requirements}
    linked |= {
        each.id
        for run in runs
        for each in run.record.requirements
        if each.verdict in (*JUDGED, "blocked", "unsupported")
    }
    for name, requirement in requirements.items():
        if name in linked:
            yield requirement_address(name), requirement_page(requirement, runs, findings)
