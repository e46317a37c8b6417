"""Programs that share nothing with the kit and answer as its pages say: whoever blames one accuses falsely.

The controls beside the mutants are the reference with one difference: they cannot show what the reference and the
oracles have in common. These programs were written from `docs` alone, with their own decoding.
"""

import ast
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli.main import cli

HERE = Path(__file__).parent
PROGRAMS = {"send": "sender.py", "relay": "receiver.py", "apply": "applier.py"}


@pytest.mark.parametrize("role", PROGRAMS)
def test_nobody_blames_an_independent_program_that_is_right(role, tmp_path):
    program = f"command:{sys.executable} {HERE / PROGRAMS[role]}"
    result = CliRunner().invoke(cli, ["certify", program, "--role", role, "--report", str(tmp_path / "report")])
    assert result.exit_code == 0, result.output
    assert f"independent {role} 1: conforming" in result.output


@pytest.mark.parametrize("module", sorted(HERE.glob("[!t]*.py")), ids=lambda path: path.stem)
def test_a_program_imports_nothing_of_the_kit(module):
    imported = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    assert not {name for name in imported if name.startswith(("conformance", "tests"))}
