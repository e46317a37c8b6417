"""The README: its adapter, commands, picture and links work."""

import re
import shlex
import sys
from pathlib import Path

from conformance.cli.main import cli
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.protocol.observation import Request
from conformance.specs.catalogue import ROLES
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

README = Path(__file__).parent.parent / "README.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_adapter_in_the_readme_reads_a_stream(tmp_path):
    (tmp_path / "mine.py").write_text(blocks("python")[0], encoding="utf-8")
    case = case_of(CaseId.parse("transactions/mysql-8.0/1/1"))
    with ProcessImplementation([sys.executable, str(tmp_path / "mine.py")]) as mine:
        answer = mine.ask(Request("decode", "mysql-8.0", case.stream))
    assert [event["log_pos"] for event in answer.events] == [event["log_pos"] for event in case.expected.events]


def test_every_command_in_the_readme_exists():
    named = {
        shlex.split(line)[1]
        for block in blocks("")
        for line in block.replace("&&", "\n").splitlines()
        if line.strip().startswith("binlog-conformance ")
    }
    commands = README.read_text(encoding="utf-8").partition("## Commands")[2]
    table = set(re.findall(r"^\| `([a-z-]+)", commands, re.MULTILINE))
    assert named | table <= set(cli.list_commands(None))
    assert "certify" in named


def test_the_picture_in_the_readme_exists():
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", README.read_text(encoding="utf-8"))
    assert (README.parent / picture).read_bytes().startswith(b"\x89PNG")


def test_every_role_has_its_row_and_its_page():
    text = README.read_text(encoding="utf-8")
    for role in ROLES:
        (page,) = re.findall(rf"^\| `{role}` \|.*\((docs/[^)]*)\) \|$", text, re.MULTILINE)
        assert f"`{role}`" in (README.parent / page).read_text(encoding="utf-8")
