"""Completion, as docs/command-line.md has it: a shell gets its script, and the names that a word can become."""

import os
import re
import subprocess
import sys

import pytest

from tests.generated import ROOT

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
SHELLS = re.findall(r"_BINLOG_CONFORMANCE_COMPLETE=(\w+)_source binlog-conformance", PAGE)


def response(instruction, **variables):
    """What the program answers to a shell."""
    code = "import sys; sys.argv[0] = 'binlog-conformance'; from conformance.cli import main; main()"
    environment = os.environ | {"_BINLOG_CONFORMANCE_COMPLETE": instruction} | variables
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_gets_a_script_that_asks_the_program(shell):
    assert f"_BINLOG_CONFORMANCE_COMPLETE={shell}_complete" in response(f"{shell}_source")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("bound", {"boundaries"}),
        ("corpus gen", {"generate"}),
        ("certify --exitf", {"--exitfirst"}),
        ("certify vit", {"vitess"}),
        ("replay 73852288 vit", {"vitess"}),
        ("corpus run vit", {"vitess"}),
        ("implementations install vit", {"vitess"}),
        ("certify reference --role de", {"decode", "decide"}),
        ("certify reference --profile mysql-8", {"mysql-8.0", "mysql-8.4"}),
        ("corpus run reference --profile mysql-8", {"mysql-8.0", "mysql-8.4"}),
        ("certify reference --family xa_t", {"xa_transactions"}),
        ("corpus generate --family xa_t", {"xa_transactions"}),
        ("certify reference --requirement FORMAT-XI", {"FORMAT-XID"}),
        ("corpus run reference --requirement FORMAT-XI", {"FORMAT-XID"}),
        ("requirements FORMAT-XI", {"FORMAT-XID"}),
    ],
)
def test_a_word_is_completed(line, names):
    words = f"binlog-conformance {line}"
    answer = response("bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(line.split())))
    assert {each.removeprefix("plain,") for each in answer.split()} == names
