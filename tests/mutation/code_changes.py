"""Changes of modules of the kit: made by cosmic-ray, each in a copy of the tree, in which a command judges it.

cosmic-ray changes comparisons, numbers and conditions wherever they are, in tables too. mutmut changes the bodies of
functions alone, and cannot run a package whose folders are links.
"""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Seconds that the command may take with a change, after which it counts as noticed.
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


def copy_of_tree(folder: Path) -> Path:
    """Return a copy of the tree in a folder that exists."""
    tree = folder / "tree"
    ignored = shutil.ignore_patterns(".*", "__pycache__", "report", "nights")
    shutil.copytree(ROOT, tree, symlinks=True, ignore=ignored)
    return tree


def outcomes(
    module: str, command: Sequence[str], tree: Path, *, sample: int | None = None, seed: int = 0
) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each change to a module, and its diff.

    Args:
        module: Path of the module in the tree.
        command: Run in the tree; its exit status is 0 if it notices nothing, as it must without a change.
        tree: A copy of the tree.
        sample: How many of the changes to make; all if None.
        seed: Chooses the sample.

    Raises:
        subprocess.CalledProcessError: The command does not end with 0 without a change.
    """
    text = " ".join(command)
    (tree / "mutation.toml").write_text(
        CONFIGURATION.format(modules=f'"{module}"', seconds=float(SECONDS), command=text, excluded=_listed(EQUIVALENT))
    )
    subprocess.run(text, shell=True, cwd=tree, check=True, stdout=subprocess.DEVNULL)
    (tree / "session.sqlite").unlink(missing_ok=True)
    _run(tree, "cosmic_ray.cli", "init", "mutation.toml", "session.sqlite")
    _run(tree, "cosmic_ray.tools.filters.operators_filter", "session.sqlite", "mutation.toml")
    if sample is not None:
        _leave_out(tree / "session.sqlite", sample, seed)
    _run(tree, "cosmic_ray.cli", "exec", "mutation.toml", "session.sqlite")
    for line in _run(tree, "cosmic_ray.cli", "dump", "session.sqlite").splitlines():
        _, result = json.loads(line)
        if result is not None and result["worker_outcome"] == "normal":
            yield result["test_outcome"], result["diff"]


def _leave_out(session: Path, sample: int, seed: int) -> None:
    """Mark all but some of the changes of a session as skipped."""
    # Only this environment has the library.
    from cosmic_ray.work_db import WorkDB, use_db
    from cosmic_ray.work_item import WorkerOutcome, WorkResult

    with use_db(session, WorkDB.Mode.open) as changes:
        pending = sorted(each.job_id for each in changes.pending_work_items)
        random.Random(seed).shuffle(pending)
        for job in pending[sample:]:
            changes.set_result(job, WorkResult(WorkerOutcome.SKIPPED))


def _run(tree: Path, module: str, *arguments: str) -> str:
    """Run a command of cosmic-ray in the copy of the tree, and return its output."""
    command = (sys.executable, "-c", f"from {module} import main; main()", *arguments)
    return subprocess.run(command, cwd=tree, check=True, stdout=subprocess.PIPE, text=True).stdout


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts)
