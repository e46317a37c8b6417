"""The folder of reports that one run record gives."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from conformance.reports.badge import badge_picture
from conformance.reports.html import html_report
from conformance.reports.junit import junit_report
from conformance.reports.markdown import markdown_report
from conformance.reports.overview import overview_markdown, overview_page
from conformance.reports.record import RunRecord, read_record
from conformance.reports.sarif import sarif_report
from conformance.specs.files import write_text


def write_reports(
    record_path: str | PathLike[str], folder: str | PathLike[str], *, unfinished: bool = False
) -> tuple[Path, ...]:
    """Write ``report.html``, ``junit.xml``, ``summary.md``, ``results.sarif`` and ``badge.svg``; return their paths.

    Args:
        record_path: The run record.
        folder: Where to write; it is made if it does not exist.
        unfinished: Also report a run that was cut off; each report then states that.

    Raises:
        OSError: The record cannot be read, or a report cannot be written.
        RecordError: The file is not a run record, or the run was cut off.
    """
    record = read_record(record_path, unfinished=unfinished)
    reports = {
        "report.html": html_report(record),
        "junit.xml": junit_report(record),
        "summary.md": markdown_report(record),
        "results.sarif": sarif_report(record),
        "badge.svg": badge_picture(record),
    }
    return _written(reports, Path(folder))


def write_overview(records: Sequence[RunRecord], folder: str | PathLike[str]) -> tuple[Path, ...]:
    """Write ``overview.html`` and ``overview.md`` of several runs, and return their paths.

    Args:
        records: The runs, in the order of the columns.
        folder: Where to write; it is made if it does not exist.

    Raises:
        OSError: A file cannot be written.
    """
    reports = {"overview.html": overview_page(records), "overview.md": overview_markdown(records)}
    return _written(reports, Path(folder))


def _written(reports: Mapping[str, str], place: Path) -> tuple[Path, ...]:
    place.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in reports.items():
        path = place / name
        write_text(path, text)
        paths.append(path)
    return tuple(paths)
