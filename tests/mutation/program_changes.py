"""`python -m tests.mutation.program_changes ROLE [MODULE...]`: wrong programs that a default run would not notice.

Each change of one place in the independent program of a role (`tests/independent`) is a wrong implementation that
shares nothing with the kit. It is asked all that a default run asks, in a process forked for it, until an answer is
wrong and a requirement blames it. What is printed survives: `same` if no answer differs, so that the program is right
or no case meets the change, and `free` if answers differ and nobody is blamed.
"""

import argparse
import ast
import importlib
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from conformance.engine.discovery import discovered, numbers_by_default
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.messages import ProtocolError, decode_answer, encode_request
from conformance.specs.catalogue import ROLES
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families
from tests.independent.test_independent import PROGRAMS
from tests.mutation.syntax_changes import Change, changed, changes

FOLDER: Final = Path("tests/independent").resolve()
#: Seconds that a changed program may take for one answer.
SECONDS: Final = 20
#: Differing answers for which nobody is blamed, after which a change counts as free.
MOST_FREE: Final = 400
#: The exit status of a process -> the outcome of its change; any other is that of a crash.
_OUTCOMES: Final = {0: "same", 1: "free", 3: "blamed"}


@dataclass(frozen=True, slots=True)
class Question:
    """A case with its request as a program gets it, and the right program's answer."""

    case: Case
    request: Mapping[str, Any]
    answer: str


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a syntax tree."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self._name, self._tree = name, tree

    def find_spec(self, name: str, *unused: object) -> Any:
        return importlib.util.spec_from_loader(name, self) if name == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._tree, str(FOLDER / f"{self._name}.py"), "exec"), module.__dict__)


@cache  # A forked process has what this one has read.
def modules_of(program: str) -> list[str]:
    """Return the names of a program's modules, its own first."""
    modules = [program]
    for name in modules:
        tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        modules += [each for each in named if each not in modules and (FOLDER / f"{each}.py").is_file()]
    return modules


def questions_of(role: str, judge: Judge, answer: Callable[[dict[str, Any]], Any]) -> list[Question]:
    """Return what a default run asks a program in a role, in a mixed order, with what the program answers."""
    claimed = judge.role.profiles
    cases: list[Case] = []
    for name, family in families().items():
        if role in family.focus:
            profiles = tuple(each for each in family.profiles_of(role) if each in claimed)
            for profile, numbers in numbers_by_default(name, profiles, role=role).items():
                cases += discovered(name, profile, role=role, seed=0, numbers=numbers)
    random.Random(0).shuffle(cases)
    return [
        Question(each, request := _request(each), _text(answer(request))) for each in cases if not judge.declined(each)
    ]


def _request(case: Case) -> dict[str, Any]:
    request: dict[str, Any] = json.loads(encode_request(request_of(case), 1))
    return {**request, "stream": case.stream}


def _text(answer: Any) -> str:
    return json.dumps(answer, sort_keys=True)


def outcome(
    program: str, module: str, tree: ast.Module, questions: Sequence[Question], judge: Judge
) -> tuple[str, int]:
    """Return what becomes of a changed program, and the index of the question that noticed it, -1 if none did."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 2
        try:
            os.close(reading)
            status = _status(program, module, tree, questions, judge, writing)
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        last = pipe.read()[-4:]
    _, status = os.waitpid(child, 0)
    index = int.from_bytes(last, "big") if last else -1
    return _OUTCOMES.get(os.waitstatus_to_exitcode(status), "crashed"), index


def _status(program: str, module: str, tree: ast.Module, questions: Sequence[Question], judge: Judge, pipe: int) -> int:
    """Return the exit status for a changed program, and write the index of each question that it is asked."""
    signal.alarm(SECONDS)
    for name in modules_of(program):
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Changed(module, tree))
    answer = importlib.import_module(program).answer
    free = 0
    for index, question in enumerate(questions):
        signal.alarm(SECONDS)
        os.write(pipe, index.to_bytes(4, "big"))
        seen = _text(answer(dict(question.request)))
        if seen == question.answer:
            continue
        if _is_blamed(question.case, seen, judge):
            return 3
        free += 1
        if free == MOST_FREE:
            break
    return 1 if free else 0


def _is_blamed(case: Case, answer: str, judge: Judge) -> bool:
    line = json.dumps({"seq": 1, **json.loads(answer)}).encode()
    try:
        observed = decode_answer(line, seq=1, request=request_of(case), role=judge.role)
    except ProtocolError:
        return True
    return any(each.is_failure for each in judge.judge(case, observed))


def survivors(role: str, only: Sequence[str], sample: int | None) -> Iterator[tuple[str, str, Change]]:
    """Yield the outcome and the module of each change that survives, and the change."""
    program = PROGRAMS[role].removesuffix(".py")
    with ProcessImplementation([sys.executable, str(FOLDER / PROGRAMS[role])]) as implementation:
        judge = Judge(implementation.declaration.roles[role])
    sys.path.insert(0, str(FOLDER))
    questions = questions_of(role, judge, importlib.import_module(program).answer)
    modules = modules_of(program)
    for module in only or modules:
        tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
        made = list(changes(tree))
        made = made if sample is None else random.Random(0).sample(made, min(sample, len(made)))
        counts: Counter[str] = Counter()
        for change in made:
            with changed(tree, change):
                result, index = outcome(program, module, tree, questions, judge)
            counts[result] += 1
            if result in ("same", "free"):
                yield result, module, change
            elif index > 0:
                # What noticed one change notices the next one soon.
                questions.insert(0, questions.pop(index))
        print(f"{module}: {len(made)} changes: {dict(counts)}", flush=True)


def main() -> int:
    """Print the changes that survive; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("role", choices=[each for each in ROLES if each in PROGRAMS])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="of the program; default: all")
    parser.add_argument("--sample", type=int, metavar="N", help="how many changes of each module; default: all")
    options = parser.parse_args()
    left = 0
    for result, module, change in survivors(options.role, options.modules, options.sample):
        left += 1
        print(f"{result} {module}.py:{change.line}: {change.words}: {ast.unparse(change.node)[:100]}", flush=True)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
