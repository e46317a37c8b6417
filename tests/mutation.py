"""`python -m tests.mutation MODULE... --tests PATH...`: change the code of a module, and list what no test notices.

cosmic-ray makes the changes: it changes comparisons, numbers and conditions wherever they are, in tables too. mutmut
changes the bodies of functions alone, and cannot run a package whose folders are links. Each change is made in a copy
of the tree, and the tests of the module are run on it: those of its own folder that name it, unless others are given.
A change that survives in a model means that neither the worklogs' tables nor real servers hold that line.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Seconds that the tests may take with a change, after which it counts as noticed.
SECONDS = 300
#: Changes that change nothing here: enumerations, None and booleans are equal where they are identical.
EQUIVALENT = (
    "core/ReplaceComparisonOperator_(Is_Eq|IsNot_NotEq|Eq_Is|NotEq_IsNot)",
    "core/ReplaceBinaryOperator_BitOr_.*",  # types of annotations
    "core/RemoveDecorator",  # caches, and decorators of tests of the kit itself
    "core/ExceptionReplacer",
)
CONFIGURATION = """
[cosmic-ray]
module-path = [{modules}]
timeout = {seconds}
excluded-modules = []
test-command = "{command}"

[cosmic-ray.distributor]
name = "local"

[cosmic-ray.filters.operators-filter]
exclude-operators = [{excluded}]
"""


def tests_of(module: str) -> list[str]:
    """Return the files of tests that name a module, those of its own folder if there are any."""
    words = module.removesuffix(".py").replace("/", ".")
    naming = [path for path in sorted(ROOT.glob("tests/**/test_*.py")) if words in path.read_text(encoding="utf-8")]
    own = ROOT / "tests" / Path(module).parent.relative_to("conformance")
    chosen = [path for path in naming if path.is_relative_to(own)] or naming
    return [path.relative_to(ROOT).as_posix() for path in chosen]


def survivors(modules: Sequence[str], tests: Sequence[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each change to some modules, and its diff.

    Args:
        modules: Paths of modules in the tree.
        tests: Paths of tests in the tree.
        folder: An empty folder for the copy of the tree.
    """
    tree = folder / "tree"
    shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(".*", "__pycache__", "report", "nights"))
    command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider -m 'not slow' {' '.join(tests)}"
    (tree / "mutation.toml").write_text(
        CONFIGURATION.format(
            modules=_listed(modules), seconds=float(SECONDS), command=command, excluded=_listed(EQUIVALENT)
        )
    )
    subprocess.run(command, shell=True, cwd=tree, check=True, stdout=subprocess.DEVNULL)
    _run(tree, "cosmic_ray.cli", "init", "mutation.toml", "session.sqlite")
    _run(tree, "cosmic_ray.tools.filters.operators_filter", "session.sqlite", "mutation.toml")
    _run(tree, "cosmic_ray.cli", "exec", "mutation.toml", "session.sqlite")
    for line in _run(tree, "cosmic_ray.cli", "dump", "session.sqlite").splitlines():
        _, result = json.loads(line)
        if result is not None and result["worker_outcome"] == "normal":
            yield result["test_outcome"], result["diff"]


def _run(tree: Path, module: str, *arguments: str) -> str:
    """Run a command of cosmic-ray in the copy of the tree, and return its output."""
    command = (sys.executable, "-c", f"from {module} import main; main()", *arguments)
    return subprocess.run(command, cwd=tree, check=True, stdout=subprocess.PIPE, text=True).stdout


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts)


def main() -> int:
    """Print the changes that survive; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="+", metavar="MODULE", help="such as conformance/models/boundary/marking.py")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="tests; default: those that name the module")
    options = parser.parse_args()
    left = 0
    for module in options.modules:
        tests = options.tests or tests_of(module)
        if not tests:
            parser.error(f"no test names {module}: give --tests")
        with tempfile.TemporaryDirectory() as folder:
            outcomes = list(survivors([module], tests, Path(folder)))
        living = [diff for outcome, diff in outcomes if outcome == "survived"]
        left += len(living)
        print(*living, sep="\n")
        print(f"{module}: {len(outcomes)} changes, {len(living)} of them survived {', '.join(tests)}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
