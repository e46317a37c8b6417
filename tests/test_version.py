"""The version policy: the bytes of a version's cases do not change, and the change log names those of the newest."""

import tomllib

import pytest

from conformance import __version__
from tests.case_digest import ROOT, SHORT, case_digest, complaint, pinned_digests, sections

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_generated_bytes_are_those_that_the_version_and_the_change_log_name():
    assert complaint(__version__, CHANGELOG, pinned_digests(), case_digest()) is None


def test_every_version_of_the_change_log_has_its_digest():
    assert list(sections(CHANGELOG)) == list(reversed(pinned_digests()))


def test_the_package_takes_its_version_from_the_kit():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "conformance.__version__"}


OLD, NEW = "a" * 64, "b" * 64
LOG = f"# Changes\n\n## 0.2.0, DATE\n\n- Bytes: `{OLD[:SHORT]}`.\n\n## 0.1.0, 2026-01-31\n\n- Bytes: `{NEW[:SHORT]}`.\n"
PINNED = {"0.1.0": NEW, "0.2.0": OLD}


@pytest.mark.parametrize("date", ["unreleased", "2026-02-28"])
def test_unchanged_bytes_ask_for_nothing(date):
    assert complaint("0.2.0", LOG.replace("DATE", date), PINNED, OLD) is None


def test_changed_bytes_of_a_released_version_ask_for_a_new_version():
    assert "raise __version__" in complaint("0.2.0", LOG.replace("DATE", "2026-02-28"), PINNED, NEW)


def test_changed_bytes_of_an_unreleased_version_ask_for_their_digest():
    assert "run `tox -e regenerate`" in complaint("0.2.0", LOG.replace("DATE", "unreleased"), PINNED, NEW)


def test_changed_bytes_have_to_be_in_the_section_of_their_version():
    pinned = {**PINNED, "0.2.0": NEW}
    assert f"write what changed under 0.2.0 in CHANGELOG.md, with their digest `{NEW[:SHORT]}`" in complaint(
        "0.2.0", LOG.replace("DATE", "unreleased"), pinned, NEW
    )


def test_a_new_version_asks_for_its_section_and_its_digest():
    assert "begin it with '## 0.3.0, unreleased'" in complaint("0.3.0", LOG.replace("DATE", "2026-02-28"), PINNED, NEW)
    begun = LOG.replace("DATE", "2026-02-28").replace("# Changes\n", "# Changes\n\n## 0.3.0, unreleased\n")
    assert "run `tox -e regenerate`" in complaint("0.3.0", begun, PINNED, NEW)
