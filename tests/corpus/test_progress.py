"""A terminal shows a live line; elsewhere a line comes now and then."""

import io
from collections import Counter

from rich.console import Console

from conformance.corpus.progress import CorpusProgress, told
from conformance.corpus.waves import Snapshot

SNAPSHOT = Snapshot(1500, 10_000, 12_000, 25_000.4, Counter({"R-ONE": 3, "R-TWO": 70}), 42, "cases 0 to 1,999")


def test_a_snapshot_is_told_in_one_line():
    assert told(SNAPSHOT) == (
        "1,500 of 10,000 cases, 12,000 events, 25,000 events/s, 42 requirements reached; failing: R-TWO 70, R-ONE 3"
    )


def test_only_the_most_frequent_failures_are_named():
    many = Snapshot(1, None, 1, 1.0, Counter({f"R-{number}": number for number in range(1, 9)}), 8, "")
    assert told(many).endswith("R-8 8, R-7 7, R-6 6, R-5 5, R-4 4 and 3 requirements more")


def test_where_there_is_no_terminal_a_line_comes_now_and_then():
    out = io.StringIO()
    with CorpusProgress(console=Console(file=out), period=0) as progress:
        progress(SNAPSHOT)
    assert out.getvalue() == told(SNAPSHOT) + "\n"
    quiet = io.StringIO()
    with CorpusProgress(console=Console(file=quiet), period=3600) as progress:
        progress(SNAPSHOT)
    assert quiet.getvalue() == ""
