"""docs/schedules.md: its script runs a night, and its units and its Airflow file are sound."""

import ast
import os
import re
import shutil
import subprocess

import pytest

from tests.generated import ROOT

PAGE = (ROOT / "docs" / "schedules.md").read_text(encoding="utf-8")
FILES = {name: text for name, text in re.findall(r"```(?:bash|ini|python)\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)}


@pytest.fixture
def nights(tmp_path):
    (tmp_path / "night.sh").write_text(FILES["night.sh"])
    for day in range(1, 33):
        (tmp_path / f"2026-01-{day:02}").mkdir()
    (tmp_path / "history").mkdir()
    return tmp_path


def night(nights, status):
    """Run the script with a program in the place of the kit, which notes its arguments and ends with a status."""
    (nights / "bin").mkdir()
    program = nights / "bin" / "binlog-conformance"
    program.write_text(f'#!/bin/sh\necho "$@" > {nights}/arguments\nexit {status}\n')
    program.chmod(0o755)
    return subprocess.run(
        ["sh", "night.sh"],
        cwd=nights,
        env={
            "PATH": f"{nights}/bin{os.pathsep}{os.environ['PATH']}",
            "NIGHTS": str(nights),
            "NIGHT_IMPLEMENTATION": "command:a",
        },
        check=False,
    )


@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_script_ends_with_the_status_of_the_night(nights, status):
    assert night(nights, status).returncode == status


def test_the_script_keeps_thirty_nights_and_the_history(nights):
    night(nights, 0)
    kept = sorted(each.name for each in nights.iterdir() if each.is_dir() and each.name != "bin")
    assert len([name for name in kept if name.startswith("20")]) == 30
    assert kept[0] == "2026-01-03"
    assert "history" in kept


def test_the_script_gives_options_that_the_command_has(nights):
    from conformance.cli.corpus import run

    (nights / "known.toml").write_text("")
    night(nights, 0)
    words = (nights / "arguments").read_text().split()
    options = {name for param in run.params for name in param.opts}
    assert {word for word in words if word.startswith("--")} <= options
    assert "--baseline" in words


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_the_units_are_accepted(tmp_path):
    for name, text in FILES.items():
        if name.endswith((".service", ".timer")):
            (tmp_path / name).write_text(text)
    units = [str(tmp_path / name) for name in ("binlog-night.service", "binlog-night.timer")]
    done = subprocess.run(
        ["systemd-analyze", "verify", *units],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "binlog-night" not in done.stderr


def test_the_airflow_file_names_the_script_and_one_alert():
    tree = ast.parse(FILES["binlog_night.py"])
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    operator = next(each for each in calls if each.func.id == "BashOperator")
    arguments = {each.arg: ast.unparse(each.value) for each in operator.keywords}
    # Airflow takes a command that ends with .sh for the name of a template.
    assert not arguments["bash_command"].endswith(".sh'")
    assert arguments["retries"] == "0"
    assert "on_failure_callback" in ast.unparse(tree)


def test_the_script_is_sound():
    assert subprocess.run(["sh", "-n"], input=FILES["night.sh"], text=True, check=False).returncode == 0
