"""`python judged_copy.py CASES.PICKLE TREE [PROGRAM]`: judge the reference of a copy of the kit by this one's oracles.

With a program of the copy, such as `tests/independent/boundary.py`, it is judged instead. The exit status is 1 if a
requirement fails, or if the copy crashes or hangs: the change in it was noticed.
"""

import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import IO

from conformance.binlog.servers import server_of
from conformance.engine.discovery import discovered
from conformance.implementations.process.process_implementation import CannotStart, ProcessImplementation
from conformance.oracles.judge import Judge, Judges, request_of
from conformance.oracles.verdict import Verdict
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.protocol.roles.registry import role_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families

#: In the tree of the copy.
ANSWERING = "tests/mutation/answering_copy.py"


def cases_of(role: str, count: int) -> list[Case]:
    """Return the first cases of every family and profile of a role: first the first one of each."""
    families_of_role = {name: family for name, family in families().items() if role in family.focus}
    pairs = [(name, profile) for name, family in families_of_role.items() for profile in family.profiles_of(role)]
    columns = [discovered(family, profile, role=role, seed=0, numbers=range(count)) for family, profile in pairs]
    return [case for case in chain.from_iterable(zip_longest(*columns)) if case is not None]


def blamed(cases: Sequence[Case], tree: Path) -> str:
    """Return which requirement fails first in a copy, with the case, or how the copy ended; empty if nothing did."""
    judges: dict[str, Judge] = {}
    command = (sys.executable, tree / ANSWERING)
    with subprocess.Popen(command, cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as copy:
        assert copy.stdin is not None
        assert copy.stdout is not None
        try:
            for case, answer in _answered(cases, copy.stdin, copy.stdout):
                role = case.role
                judge = judges.setdefault(role, Judge(ReferenceImplementation().declaration.roles[role]))
                if words := _blame(case, judge.judge(case, answer)):
                    return words
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            return "crashed"
        finally:
            copy.kill()
    return ""


def program_blamed(cases: Sequence[Case], program: Path) -> str:
    """Return the same of a program that speaks the protocol; it is asked what it declares that it can answer."""
    try:
        with ProcessImplementation([sys.executable, str(program)]) as implementation:
            judges = Judges(implementation.declaration)
            for case in cases:
                claimed = implementation.declaration.roles[case.role].profiles
                if case.id.profile not in claimed or judges.declined(case):
                    continue
                if words := _blame(case, judges.judge(case, implementation.ask(request_of(case)))):
                    return words
    except CannotStart as error:
        return str(error)
    return ""


def _blame(case: Case, verdicts: Iterable[Verdict]) -> str:
    return next((f"{each.requirement} at {case.id}" for each in verdicts if each.is_failure), "")


def _answered(
    cases: Sequence[Case], requests: IO[bytes], answers: IO[bytes]
) -> Iterator[tuple[Case, Observation | Trouble]]:
    for case in cases:
        request = request_of(case)
        pickle.dump(request, requests)
        requests.flush()
        yield case, _read_here(request, pickle.load(answers))


def _read_here(request: Request, answer: Observation | Trouble) -> Observation | Trouble:
    """Return an answer with the entries that this copy reads in its streams: the other may read them wrongly."""
    if isinstance(answer, Trouble) or not role_of(request.role).answers_streams:
        return answer
    read = observed_streams(answer.streams, server_of(request.profile).rules)
    return replace(answer, events=read.events, error=read.error)


def main(arguments: Sequence[str]) -> int:
    """Print what is blamed, and return 1 if anything is."""
    path, tree, *program = arguments
    cases = pickle.loads(Path(path).read_bytes())
    words = program_blamed(cases, Path(tree, *program)) if program else blamed(cases, Path(tree))
    print(words or "nothing is blamed")
    return 1 if words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
