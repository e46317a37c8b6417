"""Libraries of other projects: what their files hold, and how they are built, here with tools that need no network."""

import json
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from msgspec.structs import replace as with_values

from conformance.cli.implementations import _state
from conformance.implementations import installation
from conformance.implementations.installation import (
    CACHE,
    CannotInstall,
    cache_folder,
    install,
    installed_program,
    installed_versions,
    version_beside_the_kit,
)
from conformance.implementations.library import ADAPTERS, Library, libraries
from conformance.implementations.registry import entry_of, implementation
from conformance.specs.version_order import order_of
from tests.running import forked

DOUBLES = Path(__file__).parents[1] / "doubles"
#: A library in two ranges of versions, which is built by copying.
EXAMPLE = Library(
    name="example",
    package="@acme/example",
    description="a library",
    version="2.0",
    since={"1.0": {"form": "old"}, "1.10": {"form": "new"}},
    steps=(f"{sys.executable} -c \"open('built', 'a').write('{{version}} {{form}}')\"",),
    program="{folder}/run {form}",
)
FAILING = f"{sys.executable} -c \"print('first'); raise SystemExit('error: no such version of {{version}}')\""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache folder."""
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("library", libraries().values(), ids=lambda each: each.name)
def test_the_file_of_a_library_is_complete(library):
    assert "\n" not in library.description
    assert order_of(library.version) >= order_of(next(iter(library.since)))
    assert list(library.since) == sorted(library.since, key=order_of)
    assert not library.adapter or (ADAPTERS / library.adapter / "README.md").is_file()
    assert all(source for source in library.tools.values())
    places = dict.fromkeys(("folder", "scratch", "python", "adapters"), "/place") | {"version": library.version}
    for version in library.since:  # Each name in braces has a value in each range of versions.
        for line in (*library.steps, library.program):
            assert library.words(line, **places, **library.values_for(version))
    entry, rest = entry_of(f"{library.name}@{library.version}")
    assert entry.library is library
    assert library.version_of(rest) == library.version == library.version_of(f"=={library.version}")


@pytest.mark.parametrize(
    ("version", "form"), [("1.0", "old"), ("1.9.9", "old"), ("1.10", "new"), ("1.10.1", "new"), ("2.0-beta", "new")]
)
def test_a_version_has_the_values_of_its_range(version, form):
    assert EXAMPLE.values_for(version) == {"form": form}


def test_a_version_is_built_once_into_the_cache(cache, capfd):
    folder = install(EXAMPLE, "1.9")
    assert folder.parent == cache == cache_folder()
    assert "Installing example 1.9" in capfd.readouterr().err
    assert install(EXAMPLE, "1.9") == folder
    assert (folder / "built").read_text() == "1.9 old"
    assert capfd.readouterr().err == ""
    assert installed_program(EXAMPLE, "1.9") == [f"{folder}/run", "old"]


def test_versions_are_beside_each_other_and_listed_in_their_order():
    for version in ("1.10", "1.9", "2.0"):
        install(EXAMPLE, version)
    assert installed_versions(EXAMPLE) == ["1.9", "1.10", "2.0"]
    assert installed_versions(with_values(EXAMPLE, package="another")) == []


def test_a_library_that_is_installed_beside_the_kit_is_listed_as_ready():
    """Any package of this environment does: the libraries themselves are in extras."""
    library = with_values(EXAMPLE, package="click", module="click")
    assert version_beside_the_kit(library) == metadata.version("click")
    assert (
        _state(replace(entry_of("mysql-replication")[0], library=library))
        == f"ready: {metadata.version('click')} beside the kit"
    )
    assert version_beside_the_kit(with_values(library, module="no_such_module")) is None
    assert version_beside_the_kit(EXAMPLE) is None


def test_a_build_of_other_steps_is_not_used(cache):
    install(EXAMPLE, "1.9")
    changed = with_values(EXAMPLE, steps=(*EXAMPLE.steps, *EXAMPLE.steps))
    assert installed_versions(changed) == []
    assert (install(changed, "1.9") / "built").read_text() == "1.9 old" * 2


def test_a_build_of_another_adapter_is_not_used(tmp_path, monkeypatch):
    code = tmp_path / "adapters" / "mine" / "main.txt"
    code.parent.mkdir(parents=True)
    code.write_text("one")
    monkeypatch.setattr(installation, "ADAPTERS", tmp_path / "adapters")
    library = with_values(EXAMPLE, adapter="mine")
    assert (install(library, "2.0") / "main.txt").read_text() == "one"
    code.write_text("two")
    assert installed_versions(library) == []
    assert (install(library, "2.0") / "main.txt").read_text() == "two"


def test_a_step_that_fails_leaves_nothing_and_is_one_line(cache):
    with pytest.raises(CannotInstall) as raised:
        install(with_values(EXAMPLE, steps=(FAILING,)), "9")
    assert str(raised.value).endswith(" ended with 1: error: no such version of 9")
    assert "\n" not in str(raised.value)
    assert [each.name for each in cache.iterdir() if each.is_dir()] == []


def test_a_tool_that_is_missing_is_named_with_where_to_get_it():
    library = with_values(EXAMPLE, tools={"no-such-tool": "https://example.org"})
    assert library.missing() == "example needs no-such-tool (https://example.org) on the PATH"
    with pytest.raises(CannotInstall, match="no-such-tool"):
        install(library, "2.0")


def test_a_cache_that_cannot_be_made_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE, str(tmp_path / "file" / "cache"))
    with pytest.raises(CannotInstall, match=r"cannot install example 2\.0 into .*Not a directory"):
        install(EXAMPLE, "2.0")


def test_a_version_is_built_when_it_is_started_and_not_before(cache, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    versioned = implementation("mysql-replication@1.0.7")
    assert not cache.exists()
    with pytest.raises(CannotInstall, match=r"cannot install mysql-replication 1\.0\.7: python ended with 1: ERROR"):
        versioned.start()


def test_the_list_names_what_is_missing_and_how_to_get_it(cache, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    listed = forked("implementations")
    assert listed.status == 0
    assert "not usable here: go-mysql needs go (https://go.dev/dl) on the PATH" in listed.output
    entries = {each["name"]: each for each in json.loads(forked("implementations", "--json").output)["implementations"]}
    assert entries["mysql_common"]["missing"] == "mysql_common needs cargo (https://rustup.rs) on the PATH"
    assert entries["go-mysql"] | {"missing": ""} == {
        "name": "go-mysql", "usage": "go-mysql[@VERSION]", "missing": "", "version": "1.16.0", "installed": [],
        "description": "go-mysql's parser of binary logs, in Go", "beside_the_kit": None,
    }  # fmt: skip
    assert entries["reference"]["installed"] is None


def test_the_cache_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE, str(tmp_path / "chosen"))
    prefix, suffix = installation._around_version(libraries()["mysql_common"])
    (tmp_path / "chosen" / f"{prefix}0.38.0{suffix}").mkdir(parents=True)
    monkeypatch.setenv(CACHE, str(tmp_path / "another"))
    for arguments, installed in ((), []), (("--cache", str(tmp_path / "chosen")), ["0.38.0"]):
        listed = json.loads(forked("implementations", *arguments, "--json").output)["implementations"]
        assert [each["installed"] for each in listed if each["name"] == "mysql_common"] == [installed]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("install", "reference"), "'reference' is not a library that the kit builds: write one of"),
        (("install", "go-mysql@1.2"), "go-mysql 1.2 has no adapter: write 1.8.0 or a later version"),
        (("install", "go-mysq"), "'go-mysq' is not a valid implementation: did you mean go-mysql"),
        (
            ("check", "command:no-such-program"),
            "no-such-program cannot start: No such file or directory: no-such-program",
        ),
    ],
)
def test_a_mistake_is_one_line_and_2(arguments, message):
    done = forked("implementations", *arguments)
    assert (done.status, done.output) == (2, "")
    assert message in done.errors
    assert len(done.errors.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.network
def test_a_version_that_the_registry_does_not_have_is_one_line():
    """Asks the package registry of Python, over the network."""
    done = forked("implementations", "install", "mysql-replication@0.1.1")
    assert done.status == 2
    assert "No matching distribution found for mysql-replication==0.1.1" in done.errors
