"""Try out seeds, and print how each ended: `python -m tests.faults FIRST END [COMMAND]`."""

import sys
import tempfile
import time
from pathlib import Path

from tests.faults.trial import try_out
from tests.faults.tries import draw


def main():
    """Try out the seeds from FIRST to before END, of one command if it is named."""
    failed = 0
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        each = draw(seed)
        if each.command not in (sys.argv[3:] or [each.command]):
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcome = try_out(seed, Path(folder))
            except AssertionError as error:
                outcome, failed = f"FAILED: {error}", failed + 1
        print(f"{each}: {outcome} ({time.monotonic() - began:.0f} s)", flush=True)
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
