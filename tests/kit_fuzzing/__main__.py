"""Coverage-guided fuzzing of the kit's own entrances: `tox -e fuzz-kit -- --target wire --time 1h`."""

import argparse
import re
import sys
from pathlib import Path
from typing import Final

from tests.kit_fuzzing.driver import CannotFuzz, Driver
from tests.kit_fuzzing.kept_inputs import keep
from tests.kit_fuzzing.targets import TARGETS

_ROOT: Final = Path(__file__).parent.parent.parent
_UNITS: Final = {"s": 1, "m": 60, "h": 3600}


def _seconds(text: str) -> int:
    match = re.fullmatch(r"([1-9]\d*)([smh])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid time: write 90s, 10m or 1h")
    return int(match[1]) * _UNITS[match[2]]


def main() -> int:
    """Fuzz the targets; return 1 if there are findings, 2 if the engine does not run."""
    parser = argparse.ArgumentParser(prog="python -m tests.kit_fuzzing", description="Fuzz the kit's own entrances.")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; may be repeated")
    parser.add_argument("--time", type=_seconds, default=120, help="time for each target: 90s, 10m, 1h (default: 2m)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the engine")
    parser.add_argument(
        "--corpus", type=Path, default=_ROOT / "fuzzing-corpus" / "kit", help="folder of all inputs, to go on with"
    )
    parser.add_argument("--keep", action="store_true", help="then choose the inputs that the tests replay")
    arguments = parser.parse_args()
    driver = Driver(arguments.corpus, arguments.seed)
    findings = 0
    for name in arguments.target or TARGETS:
        try:
            reached = driver.fuzz(name, arguments.time)
        except CannotFuzz as error:
            print(error, file=sys.stderr)
            return 2
        print(reached.line(), flush=True)
        findings += len(reached.findings)
        if arguments.keep:
            kept = keep(TARGETS[name], arguments.corpus)
            print(f"{name}: {len(kept)} inputs of {sum(path.stat().st_size for path in kept):,} bytes kept", flush=True)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
