"""Run records on a command line: the file, or the folder that a run wrote it to."""

from pathlib import Path
from typing import Final

from conformance.cli.main import UserError
from conformance.reports.record import RecordError, RunRecord, read_record

#: The run record's name in a report folder, and in the folder of a corpus run.
RECORD: Final = "run.jsonl"


def record_path(place: Path) -> Path:
    """Return the path of a record, from itself or from its folder."""
    return place / RECORD if place.is_dir() else place


def record_at(place: Path) -> RunRecord:
    """Read a record, from its path or from its folder.

    Raises:
        UserError: It cannot be read.
    """
    try:
        return read_record(record_path(place))
    except OSError as error:
        raise UserError(f"{error.filename or place}: {error.strerror or error}") from error
    except RecordError as error:
        raise UserError(str(error)) from error
