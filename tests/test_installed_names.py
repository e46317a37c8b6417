"""The installed kit takes one name in site-packages, so a project can have folders with other names of the kit."""

import subprocess
import sys
import sysconfig
from importlib.metadata import distributions
from pathlib import Path

import pytest

#: Folders at the top of the kit's own tree whose names many projects use.
FOLDERS = ("reports", "specs", "strategies")
#: Kinds of such folders.
KINDS = ("packages", "folders without __init__.py")


def installed_folders() -> set[str]:
    """Return the names that the installed kit takes in site-packages, without its metadata."""
    # A build leaves metadata in the tree too, which the tests' path finds first.
    (kit,) = distributions(name="binlog-conformance", path=[sysconfig.get_path("purelib")])
    files = kit.files or ()
    return {file.parts[0] for file in files if file.parts[0] != ".." and not file.parts[0].endswith(".dist-info")}


@pytest.fixture(params=KINDS)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a project whose own folders have the names of the kit's."""
    for name in FOLDERS:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "own.py").write_text(f"OWNER = 'the project'\nNAME = {name!r}\n")
        if request.param == "packages":
            (folder / "__init__.py").write_text("")
    imports = "".join(f"    from {name}.own import OWNER\n    assert OWNER == 'the project'\n" for name in FOLDERS)
    (tmp_path / "test_own.py").write_text(f"def test_the_folders_are_the_project_s_own():\n{imports}")
    return tmp_path


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=project, capture_output=True, text=True, check=False, timeout=300
    )


def test_an_installed_wheel_takes_one_name():
    names = installed_folders()
    if any(name.startswith("__editable__") for name in names):
        pytest.skip("the kit is installed in editable mode; tox installs its wheel")
    assert names == {"conformance"}


def test_the_project_imports_its_own_folders_although_the_kit_is_installed(project):
    # The kit's pytest plugin is loaded as well, as in every run if the kit is installed.
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=prepend")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("project", [KINDS[0], pytest.param(KINDS[1], marks=pytest.mark.slow)], indirect=True)
def test_the_kit_runs_in_the_project_s_folder(project):
    done = run(project, "conformance", "certify", "reference", "--examples", "1", "--requirement", "FORMAT-XID")
    assert done.returncode == 0, done.stdout + done.stderr
    suite = ("--pyargs", "conformance.suite", "--binlog-implementation", "reference", "--binlog-examples", "1")
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider", *suite, "--binlog-requirement", "FORMAT-XID")
    assert done.returncode == 0, done.stdout + done.stderr
