"""`python -m tests.mutation MODULE...`: change the code of a module, and list the changes that nothing notices.

With `--tests`, and by default, the tests of the module judge each change: those of its own folder that name it. A
change that survives in a model means that neither the worklogs' tables nor real servers hold that line.

With `--role`, the changed copy of the kit is an implementation, and the oracles judge the answers of its reference in a
role; of a module in `tests/independent` those of the role's program there, which shares nothing with the kit. A change
that survives is a wrong implementation that passes, unless it changes no answer, or nothing that an answer owes.
"""

import argparse
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.specs.catalogue import ROLES
from tests.mutation.code_changes import ROOT, copy_of_tree, outcomes

#: Cases of each family and profile by which a role judges a change.
CASES = 4
#: The programs that share nothing with the kit.
INDEPENDENT = Path("tests/independent")


def tests_of(module: str) -> list[str]:
    """Return the files of tests that name a module, those of its own folder if there are any."""
    words = module.removesuffix(".py").replace("/", ".")
    naming = [path for path in sorted(ROOT.glob("tests/**/test_*.py")) if words in path.read_text(encoding="utf-8")]
    folder = Path(module).parent
    own = ROOT / "tests" / folder.relative_to("conformance") if folder.is_relative_to("conformance") else ROOT / folder
    chosen = [path for path in naming if path.is_relative_to(own)] or naming
    return [path.relative_to(ROOT).as_posix() for path in chosen]


def by_tests(tests: list[str]) -> list[str]:
    """Return the command that judges a change by tests."""
    return [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "'not slow'", *tests]


def by_role(role: str, cases: int, folder: Path, module: str) -> list[str]:
    """Return the command that judges a change of a module by the oracles of a role; write the cases into a folder."""
    from tests.independent.test_independent import PROGRAMS
    from tests.mutation.judged_copy import cases_of

    program = [str(INDEPENDENT / PROGRAMS[role])] if Path(module).is_relative_to(INDEPENDENT) else []
    path = folder / "cases.pickle"
    path.write_bytes(pickle.dumps(cases_of(role, cases)))
    return [sys.executable, str(ROOT / "tests" / "mutation" / "judged_copy.py"), str(path), ".", *program]


def parsed() -> argparse.Namespace:
    """Return the options of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="+", metavar="MODULE", help="such as conformance/models/boundary/marking.py")
    judge = parser.add_mutually_exclusive_group()
    judge.add_argument("--tests", nargs="+", metavar="PATH", help="tests; default: those that name the module")
    judge.add_argument("--role", choices=list(ROLES), help="judge the answers of the changed reference in a role")
    parser.add_argument("--cases", type=int, default=CASES, metavar="N", help="of each family; default: %(default)s")
    parser.add_argument("--sample", type=int, metavar="N", help="how many changes of each module; default: all")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="chooses the sample; default: %(default)s")
    options = parser.parse_args()
    for module in options.modules:
        if not (ROOT / module).is_file():
            parser.error(f"{module} is not a file of the project")
        if not (options.tests or options.role or tests_of(module)):
            parser.error(f"no test names {module}: give --tests or --role")
    return options


def main() -> int:
    """Print the changes that survive; return 1 if there are any."""
    options = parsed()
    left = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_of_tree(Path(folder))
        for module in options.modules:
            tests = options.tests or tests_of(module)
            command = by_role(options.role, options.cases, Path(folder), module) if options.role else by_tests(tests)
            made = list(outcomes(module, command, tree, sample=options.sample, seed=options.seed))
            living = [diff for outcome, diff in made if outcome == "survived"]
            left += len(living)
            print(*living, sep="\n")
            judge = f"the oracles of {options.role}" if options.role else ", ".join(tests)
            print(f"{module}: {len(made)} changes, {len(living)} of them survived {judge}", flush=True)
    return 1 if left else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"not judged: without any change {error.cmd} ends with {error.returncode}")
