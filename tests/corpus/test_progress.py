"""A terminal shows a live line; other outputs get a line from time to time."""

import io
from collections import Counter

from rich.console import Console

from conformance.corpus.progress import CorpusProgress, progress_line
from conformance.corpus.waves import Snapshot

SNAPSHOT = Snapshot(1500, 10_000, 12_000, 25_000.4, Counter({"R-ONE": 3, "R-TWO": 70}), 42, "cases 0 to 1,999")


def test_a_snapshot_is_one_line():
    assert progress_line(SNAPSHOT) == (
        "1,500 of 10,000 cases, 12,000 events, 25,000 events/s, 42 requirements reached; failing: R-TWO 70, R-ONE 3"
    )


def test_only_the_most_frequent_failures_are_named():
    many = Snapshot(1, None, 1, 1.0, Counter({f"R-{number}": number for number in range(1, 9)}), 8, "")
    assert progress_line(many).endswith("R-8 8, R-7 7, R-6 6, R-5 5, R-4 4 and 3 more requirements")


def test_without_a_terminal_a_line_is_printed_from_time_to_time():
    out = io.StringIO()
    with CorpusProgress(console=Console(file=out), period=0) as progress:
        progress(SNAPSHOT)
    assert out.getvalue() == progress_line(SNAPSHOT) + "\n"
    quiet = io.StringIO()
    with CorpusProgress(console=Console(file=quiet), period=3600) as progress:
        progress(SNAPSHOT)
    assert quiet.getvalue() == ""
