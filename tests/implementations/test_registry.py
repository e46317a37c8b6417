"""The names of implementations, and the errors about wrong names."""

import sys
import zipfile

import pytest

from conformance.implementations.library_venv import CannotInstall, cache_folder, library_python
from conformance.implementations.process.process_implementation import CannotStart
from conformance.implementations.registry import catalogue, implementation
from conformance.protocol.observation import Observation, Request

REQUEST = Request("decode", "mysql-8.0", b"\xfebin")


def test_every_name_has_a_description_and_reports_whether_it_can_be_used():
    names = [entry.name for entry in catalogue()]
    assert set(names) == {
        "reference", "mysql-replication", "mysql-replication-default-filter", "mariadb-binlog", "mysqlbinlog",
        "python", "command", "server", "mysql",
    }  # fmt: skip
    for entry in catalogue():
        assert entry.usage.startswith(entry.name)
        assert "\n" not in entry.description
        assert entry.available() is None or entry.name in entry.available()


def test_the_reference_answers():
    with implementation("reference") as reference:
        assert isinstance(reference.ask(REQUEST), Observation)


def test_a_mutant_is_made_by_its_name():
    with implementation("reference:text-cut-at-255") as mutant:
        assert mutant.declaration.name == "reference:text-cut-at-255"


def test_a_command_with_an_open_quotation_is_shown():
    with pytest.raises(ValueError, match=r"unclosed.*is not a valid command line: No closing quotation"):
        implementation("command:'unclosed")


def test_a_command_is_split_like_a_shell_would():
    script = "import sys; sys.exit(' '.join(sys.argv[1:]))"
    with pytest.raises(CannotStart, match="exit-status-1\none two words"):
        implementation(f"command:{sys.executable} -c \"{script}\" one 'two words'").start()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "mysql_replication",
            "'mysql_replication' is not a valid implementation: did you mean mysql-replication or",
        ),
        ("referenceX", "'referenceX' is not a valid implementation"),
        ("reference==1", "the reference has no version"),
        ("reference:no-such-mutant", "no mutant 'no-such-mutant'"),
        ("mysql-replication==", "is not a valid version"),
        ("mysql-replication==../../x", "is not a valid version"),
        ("mysql-replication:1.0.7", "':1.0.7' is not a valid version: write mysql-replication==VERSION"),
        ("mysqlbinlog==8.0", "a program of this machine"),
        ("command:", "'command' needs a program"),
        ("command", "'command' needs a program"),
    ],
)
def test_the_error_about_a_wrong_name_gives_the_right_form(spec, message):
    with pytest.raises(ValueError, match=message):
        implementation(spec)


@pytest.fixture
def a_library(tmp_path, monkeypatch):
    """A package index of one library in one version, and an empty cache folder."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    info = "binlog_example-1.2.dist-info"
    with zipfile.ZipFile(wheels / "binlog_example-1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr("binlog_example.py", "VERSION = '1.2'\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: binlog-example\nVersion: 1.2\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return wheels


def test_a_library_is_installed_once_into_the_cache(a_library, capfd):
    python = library_python("binlog-example", "1.2")
    assert python.is_relative_to(cache_folder())
    assert "Installing binlog-example==1.2" in capfd.readouterr().err
    assert len(list(cache_folder().iterdir())) == 1
    assert (next(python.parent.parent.glob("lib/*/site-packages/binlog_example.py"))).read_text() == "VERSION = '1.2'\n"

    assert library_python("binlog-example", "1.2") == python
    assert capfd.readouterr().err == ""


def test_a_version_that_does_not_exist_leaves_no_environment(a_library):
    with pytest.raises(CannotInstall, match="binlog-example==9"):
        library_python("binlog-example", "9")
    assert list(cache_folder().iterdir()) == []


def test_a_version_is_installed_when_it_is_started_and_not_before(a_library):
    versioned = implementation("mysql-replication==1.0.7")
    with pytest.raises(CannotStart, match=r"cannot install mysql-replication==1\.0\.7"):
        versioned.start()
