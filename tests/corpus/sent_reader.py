"""An implementation that is sent to a cluster as an archive, and the expected results of a run of it."""

import tarfile
from collections import Counter
from pathlib import Path

import pytest
from plain_judging import add_rows, judged, sums
from pyarrow.parquet import read_table

from conformance.corpus.failing_cases import SHARD
from conformance.corpus.plan import Plan
from conformance.engine.selection import Selection
from conformance.implementations.process.limits import DEFAULT_LIMITS
from conformance.implementations.registry import implementation

ADAPTER = Path(__file__).parents[2] / "conformance" / "implementations" / "adapters" / "minimal" / "minimal_adapter.py"
SPEC = "command:reader/bin/reader"


def write_reader(folder, program=None):
    """Make a folder with an implementation in it, and return the option that sends it to workers as `reader`."""
    reader = folder / "bin" / "reader"
    reader.parent.mkdir(parents=True)
    reader.write_text(program or ADAPTER.read_text(encoding="utf-8"), encoding="utf-8")
    reader.chmod(0o755)
    archive = folder.with_suffix(".tar.gz")
    with tarfile.open(archive, "w:gz") as file:
        file.add(folder, arcname=".")
    return f"--conf=spark.archives={archive}#reader"


def undisturbed_results(home, cases):
    """Return the results of cases that are judged one after the other in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        with implementation(SPEC) as started:
            plan = Plan(tuple(Selection(repeated=True).pairs(started.declaration)))
        # One shard after the other, as tasks do: what is not asked of an implementation is counted ahead of answers.
        shards = [(first, min(first + SHARD, cases)) for first in range(0, cases, SHARD)]
        counts = judged(SPEC, *shards, plan=plan, limits=DEFAULT_LIMITS)
    counts.totals["cases taken"] = cases
    return sums(counts)


def results_of(output):
    """Add up all results of a run: verdicts, coverage, kinds of failure and failing cases."""
    totals = Counter()
    for part in output.glob("waves/*/*.parquet"):
        assert (part.parent / "_COMMITTED").exists()
        add_rows(totals, read_table(part))
    return totals
