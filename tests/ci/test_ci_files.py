"""The action, the GitLab job and the examples fit the schemas of their services, and their steps work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.engine.baseline import Baseline
from tests.extras import require
from tests.generated import ROOT

EXAMPLES = ROOT / "docs" / "ci"
LANGUAGES = ("go", "java", "python", "rust")
FEW = "--examples 3 --profile mysql-8.0 --requirement FORMAT-XID"


@pytest.fixture(scope="module")
def yaml():
    """A reader of YAML that keeps GitLab's tags."""
    require("dev")
    from ruamel.yaml import YAML

    return YAML(typ="rt")


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("github-actions", ROOT / "action.yml"),
        ("gitlab-ci", ROOT / "ci" / "gitlab.yml"),
        *(("github-workflows", EXAMPLES / language / "github.yml") for language in LANGUAGES),
        *(("gitlab-ci", EXAMPLES / language / "gitlab.yml") for language in LANGUAGES),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.relative_to(ROOT)),
)
def test_a_file_fits_the_schema_of_its_service(schema: str, path: Path):
    require("dev")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    command += ["--data-transform", "gitlab-ci"] if schema == "gitlab-ci" else []
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder in which the kit is where the steps install it."""
    for place in (tmp_path / "temp" / "binlog-conformance" / "bin", tmp_path / ".binlog-conformance" / "bin"):
        place.mkdir(parents=True)
        program = place / "binlog-conformance"
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m conformance "$@"\n')
        program.chmod(0o755)
    return tmp_path


def shell(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step as both services do: a failing line ends it."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **variables}
    command = ["bash", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("implementation", "status"), [("reference", 0), ("reference:xid-as-double", 1), ("no-such-thing", 2)]
)
def test_the_action_ends_with_the_status_of_certify(yaml, workspace: Path, implementation: str, status: int):
    action = yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))
    [step] = [each for each in action["runs"]["steps"] if each.get("id") == "certify"]
    names = {name: (workspace / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    given = {"IMPLEMENTATION": implementation, "ARGUMENTS": FEW, "BASELINE": "", "REPORT": "out"}
    assert set(step["env"]) == set(given)
    done = shell(
        step["run"],
        workspace,
        RUNNER_TEMP=str(workspace / "temp"),
        **given,
        **{name: str(path) for name, path in names.items()},
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert names["GITHUB_OUTPUT"].read_text() == f"exit-status={status}\n"
    assert names["GITHUB_STEP_SUMMARY"].exists() == (status < 2)
    if status == 1:
        assert "::error title=1. xid of XID differs::" in done.stdout
        assert "xid of XID differs" in names["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    assert (workspace / "out" / "run.jsonl").exists() == (status < 2)


def test_the_action_takes_a_baseline_whose_name_has_a_space(yaml, workspace: Path):
    action = yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))
    [step] = [each for each in action["runs"]["steps"] if each.get("id") == "certify"]
    baseline = workspace / "known findings.toml"
    kit = workspace / "temp" / "binlog-conformance" / "bin" / "binlog-conformance"
    bad = "reference:xid-as-double"
    subprocess.run([kit, "certify", bad, *FEW.split(), "--write-baseline", baseline], check=False, capture_output=True)
    variables = {"IMPLEMENTATION": bad, "ARGUMENTS": FEW, "BASELINE": str(baseline), "REPORT": "out"}
    files = {name: str(workspace / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = shell(step["run"], workspace, RUNNER_TEMP=str(workspace / "temp"), **variables, **files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "::notice" in done.stdout
    assert "::error" not in done.stdout


def test_no_input_of_the_action_is_pasted_into_a_script(yaml):
    action = yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert len(scripts) == 2
    assert not [script for script in scripts if "${{" in script]


@pytest.mark.parametrize(("implementation", "status"), [("reference", 0), ("reference:xid-as-double", 1)])
def test_the_gitlab_job_ends_with_the_status_of_certify(yaml, workspace: Path, implementation: str, status: int):
    job = yaml.load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))[".binlog-conformance"]
    variables = {name: str(value) for name, value in job["variables"].items() if "$" not in str(value)}
    variables |= {"BINLOG_IMPLEMENTATION": implementation, "BINLOG_ARGUMENTS": FEW}
    done = shell("\n".join(job["script"]), workspace, **variables)
    assert done.returncode == status, done.stdout + done.stderr
    artifacts = [job["artifacts"]["reports"]["junit"], *job["artifacts"]["paths"]]
    for artifact in artifacts:
        assert (workspace / artifact.replace("$BINLOG_REPORT", variables["BINLOG_REPORT"])).exists()


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_example_uses_inputs_and_variables_that_exist(yaml, language: str):
    action = yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))
    job = yaml.load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))[".binlog-conformance"]
    workflow = yaml.load((EXAMPLES / language / "github.yml").read_text(encoding="utf-8"))
    [step] = [each for each in workflow["jobs"]["certify"]["steps"] if "OWNER" in each.get("uses", "")]
    assert set(step["with"]) <= set(action["inputs"])
    extending = yaml.load((EXAMPLES / language / "gitlab.yml").read_text(encoding="utf-8"))["conformance"]
    assert set(extending["variables"]) <= set(job["variables"])
    assert step["with"]["implementation"] == extending["variables"]["BINLOG_IMPLEMENTATION"]
    baseline = Baseline.load(EXAMPLES / language / "known.toml")
    assert baseline.entries == ()
