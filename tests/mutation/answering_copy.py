"""A copy of the kit as an implementation: its reference answers requests that come pickled, one after the other.

Run as a file of the copy, so that the modules of the copy answer.
"""

import pickle
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from conformance.reference.implementation import ReferenceImplementation


def main() -> None:
    """Answer until the requests end; an exception ends it, as it ends any implementation."""
    reference = ReferenceImplementation()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while requests.peek(1):
        pickle.dump(reference.ask(pickle.load(requests)), answers)
        answers.flush()


if __name__ == "__main__":
    main()
