"""Whatever the machine does to a run, it ends in order, leaves nothing, and the next run has the undisturbed record.

`BINLOG_FAULT_TRIES=100` tries the first hundred seeds, `BINLOG_FAULT_SEED=17` that seed alone.
"""

import os
import sys

import pytest

from tests.extras import require
from tests.faults.trial import try_out
from tests.faults.tries import draw

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]

ONE = os.environ.get("BINLOG_FAULT_SEED")
SEEDS = [int(ONE)] if ONE else range(int(os.environ.get("BINLOG_FAULT_TRIES", "12")))


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: str(draw(seed)))
def test_a_fault_of_the_machine_changes_no_record(seed, tmp_path):
    if draw(seed).command == "corpus":
        require("spark")
    try_out(seed, tmp_path)
