from pathlib import Path

import pytest
from example_record import example_lines, write_lines

from conformance.reports.record import RunRecord, read_record


@pytest.fixture
def example_path(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "run.jsonl", example_lines())


@pytest.fixture
def example(example_path: Path) -> RunRecord:
    return read_record(example_path)
