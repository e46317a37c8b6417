"""CONTRIBUTING.md names what there is, its example of an adapter can be started, and hooks check what lint checks."""

import configparser
import re
import textwrap

import pytest

from conformance.implementations.library import Library
from conformance.specs.conversion import converted, parsed_toml
from tests.extras import MODULES
from tests.generated import ROOT

PAGES = ("CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "docs/style.md")
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TOX = configparser.ConfigParser()
TOX.read(ROOT / "tox.ini", encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name):
    path = ROOT / name
    targets = re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8"))
    assert [each for each in targets if "://" not in each and not (path.parent / each).exists()] == []


def test_every_file_that_is_named_is_there():
    paths = re.findall(r"`((?:conformance|docs|specs|strategies|reports|tests)/[\w./-]+)`", PAGE)
    assert len(paths) > 10
    assert [each for each in paths if "acme" not in each and not (ROOT / each).exists()] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_environment_of_tox_that_is_named_is_there(name):
    named = set(re.findall(r"tox -e ([a-z-]+)", (ROOT / name).read_text(encoding="utf-8")))
    assert [each for each in sorted(named) if f"testenv:{each}" not in TOX] == []


def test_the_set_up_installs_every_extra():
    (extras,) = re.findall(r"pip install -e '\.\[(.*?)\]'", PAGE)
    assert set(extras.split(",")) == {"dev", *MODULES}


def test_the_extras_are_those_of_the_project():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = project.partition("[project.optional-dependencies]")[2].partition("\n[project.")[0]
    assert set(re.findall(r"^([a-z-]+) = \[", section, re.MULTILINE)) == {"dev", *MODULES}


def test_the_library_of_the_example_can_be_installed():
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    acme = converted(parsed_toml(textwrap.dedent(text)), Library)
    assert acme.version_of("@1.2") == "1.2"
    assert acme.words(acme.program, folder="/built", adapters="/adapters") == [
        "/built/bin/python",
        "/adapters/acme_binlog.py",
    ]
    with pytest.raises(ValueError, match=r"acme-binlog 0\.9 has no adapter"):
        acme.version_of("@0.9")


#: Checks of the packages and images, which take too long before each commit.
OF_PACKAGES = ("python -m build", "twine", "hadolint", "{[docs]commands}")


def test_the_hooks_run_what_lint_runs():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = [" ".join(line.split()[1:]) for line in hooks.splitlines() if line.strip().startswith("entry:")]
    for command in TOX["testenv:lint"]["commands"].strip().splitlines():
        if command.startswith(OF_PACKAGES):
            continue
        program = command.split(" .")[0].replace(" --check", "")
        assert [each for each in entries if each.startswith(program)], f"no hook runs {command}"
