"""The run record: `report` writes reports of a file that anybody may have changed."""

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Final

from tests.kit_fuzzing import command
from tests.kit_fuzzing.invariant import Broken, Outcome, check_end, check_html, check_text, check_xml
from tests.reports.example_record import Line, crash, example_lines, failure, finished, refusal, requirement

#: The reports of a record.
_REPORTS: Final = ("report.html", "junit.xml", "summary.md", "results.sarif", "badge.svg")


def read(data: bytes, folder: Path) -> None:
    """Check `report`."""
    path = folder / "run.jsonl"
    path.write_bytes(data)
    check_report(path, folder)


def check_report(record: Path, folder: Path) -> Outcome:
    """Write the reports of a record, and check them.

    Raises:
        Broken: The command or a report is not as it must be.
    """
    reports = folder / "report"
    if reports.exists():
        rmtree(reports)
    outcome = command.run("report", str(record), str(reports))
    check_end(outcome)
    check_text(outcome)
    if outcome.status == 2 and outcome.errors:
        if reports.exists() and any(reports.iterdir()):
            raise Broken("report half written", outcome.errors)
        return outcome
    texts = {name: (reports / name).read_bytes() for name in _REPORTS}
    for name, raw in texts.items():
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Broken(f"{name} is not UTF-8", str(error)) from error
        if name == "report.html":
            check_html(text)
        elif name == "results.sarif":
            _check_json(text, name)
        elif name != "summary.md":
            check_xml(text, name)
    _check_comparison(record, reports)
    return outcome


def _check_comparison(record: Path, folder: Path) -> None:
    """Compare a record with itself, and check the page: it is the same, and not worse."""
    page = folder / "comparison.html"
    outcome = command.run("compare", str(record), str(record), "--format", "json", "--page", str(page))
    check_end(outcome)
    if outcome.status != 0:
        raise Broken("a record is worse than itself", outcome.errors)
    _check_json(outcome.output, "a comparison")
    check_html(page.read_text(encoding="utf-8"))


def _check_json(text: str | bytes, what: str) -> None:
    try:
        json.loads(text)
    except ValueError as error:
        raise Broken(f"{what} is not JSON", str(error)) from error


def records() -> Iterator[bytes]:
    """Yield records: of a run with failures of each kind, of one without, and of one that was cut off."""
    whole = example_lines()
    yield _record(whole)
    for each in (failure(), crash(), refusal()):
        yield _record(finished(each, requirement(each["requirement"], each["status"])))
    yield _record(finished(requirement(verdict="pass")))
    yield _record(finished())
    yield _record(whole[:3])


def _record(lines: list[Line]) -> bytes:
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
