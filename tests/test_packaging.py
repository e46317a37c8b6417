"""The packages: a description that renders anywhere, a source distribution with its tests, images of what there is."""

import re
import subprocess
import tomllib
from fnmatch import fnmatch

import pytest

from tests.generated import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
#: The commands of MANIFEST.in that add files.
KINDS = ("graft", "include")
CONTAINERFILES = ("Containerfile", "containers/spark/Containerfile")


def test_the_description_has_no_link_into_the_tree():
    text = (ROOT / PROJECT["readme"]["file"]).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r"(?:src|href)=\"([^\"]+)\"", text)
    assert [each for each in targets if "://" not in each] == []


def test_every_address_of_the_project_is_one_of_its_worklogs():
    numbers = {
        re.fullmatch(r"https://dev\.mysql\.com/worklog/task/\?id=(\d+)", url)[1] for url in PROJECT["urls"].values()
    }
    catalogued = {path.stem.removeprefix("wl") for path in (ROOT / "specs" / "requirements").glob("wl*.toml")}
    assert numbers == catalogued


def test_the_source_distribution_has_every_folder_and_file_of_the_tree():
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    words = {kind: {word for line in lines for word in line.split()[1:] if line.startswith(kind)} for kind in KINDS}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not in a working tree of git: an unpacked distribution has only what it has")
    top = {name.partition("/")[0] for name in listed.stdout.split()}
    folders = {name for name in top if (ROOT / name).is_dir()}
    # The packages are there without being named.
    assert folders - {"conformance"} == words["graft"]
    files = {name for name in top - folders if not any(fnmatch(name, each) for each in words["include"])}
    assert files == {"MANIFEST.in"}


def test_the_packages_have_every_file_that_lies_beside_their_modules():
    listed = subprocess.run(["git", "ls-files", "conformance"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not in a working tree of git: an unpacked distribution has only what it has")
    # A link leads to one of the folders at the top, of which only a part is packaged.
    beside = {ROOT / name for name in listed.stdout.split() if not name.endswith(".py")}
    beside = {path for path in beside if not path.is_symlink()}
    packaged = {
        path
        for package, patterns in SETTINGS["tool"]["setuptools"]["package-data"].items()
        for folder in ([ROOT / "conformance"] if package == "*" else [ROOT / package.replace(".", "/")])
        for pattern in patterns
        for path in folder.glob(pattern)
    }
    assert sorted(beside - packaged) == []


def test_no_text_installs_the_kit_from_an_index_that_does_not_have_it():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "conformance").rglob("*.py")]
    assert [
        each for each in pages if re.search(r"install '?binlog-conformance", each.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.parametrize("name", CONTAINERFILES)
def test_an_image_installs_extras_that_there_are_and_runs_without_root(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    (extras,) = re.findall(r"pip install .*\[([\w,-]+)\]", text)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    assert int(re.findall(r"^USER (\d+)$", text, re.MULTILINE)[-1]) > 0


def test_lint_checks_every_image():
    lint = (ROOT / "tox.ini").read_text(encoding="utf-8").partition("[testenv:lint]")[2].partition("\n[")[0]
    assert f"hadolint {' '.join(CONTAINERFILES)}" in lint
    assert {path.relative_to(ROOT).as_posix() for path in ROOT.glob("containers/**/Containerfile")} < set(
        CONTAINERFILES
    )
