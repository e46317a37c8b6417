"""Settings in pyproject.toml or binlog-conformance.toml: what they set, what wins, and what is refused."""

import json
import os
from functools import partial
from importlib import import_module

import jsonschema
import msgspec
import pytest

from conformance.cli.main import COMMANDS as ENTRIES
from conformance.cli.settings import form_of, settings_schema
from conformance.specs.catalogue import catalogue
from conformance.specs.conversion import Malformed, converted, parsed_toml
from tests.running import forked

COMMANDS = {name: import_module(module).command for name, (module, _) in ENTRIES.items()}
QUICK = 'implementation = "reference"\nfamily = ["rotations"]\nprofile = ["mysql-8.0"]\nexamples = 3\njobs = 1\n'


def certify(folder, *arguments, name="pyproject.toml", table="tool.binlog-conformance.certify", text=QUICK, file=()):
    (folder / name).write_text(f"[{table}]\n{text}" if table else text)
    report = folder / "report"
    done = forked(*file, "certify", *arguments, "--report", str(report), prepare=partial(os.chdir, folder))
    record = report / "run.jsonl"
    return done, json.loads(record.read_text().partition("\n")[0]) if record.exists() else None


@pytest.mark.parametrize(
    ("name", "table"),
    [("pyproject.toml", "tool.binlog-conformance.certify"), ("binlog-conformance.toml", "certify")],
)
def test_a_file_sets_the_options_and_the_implementation(name, table, tmp_path):
    done, header = certify(tmp_path, name=name, table=table)
    assert done.status == 0, done.errors
    assert (header["examples"], header["profiles"], header["families"]) == (3, ["mysql-8.0"], ["rotations"])


def test_the_command_line_wins(tmp_path):
    _, header = certify(tmp_path, "--profile", "mysql-5.7", "--time", "1s")
    assert (header["profiles"], header["examples"], header["seconds"]) == (["mysql-5.7"], None, 1.0)


def test_requirements_are_repeated_as_other_names_are(tmp_path):
    both = ("--requirement", "FORMAT-ROTATE*", "--requirement", "FORMAT-XID")
    text = 'implementation = "reference"\nprofile = ["mysql-8.0"]\nexamples = 2\n'
    done, _ = certify(tmp_path, *both, text=text)
    assert done.status == 0, done.errors
    record = (tmp_path / "report" / "run.jsonl").read_text().splitlines()
    judged = {
        line["id"] for line in map(json.loads, record) if line["kind"] == "requirement" and line["verdict"] == "pass"
    }
    assert "FORMAT-XID" in judged
    assert any(each.startswith("FORMAT-ROTATE") for each in judged)
    assert all(each == "FORMAT-XID" or each.startswith("FORMAT-ROTATE") for each in judged)


def test_many_requirements_may_be_named(tmp_path):
    many = [word for name in list(catalogue())[:60] for word in ("--requirement", name)]
    done, _ = certify(tmp_path, *many)
    assert done.status == 0, done.errors


def test_a_named_file_takes_the_place_of_the_others(tmp_path):
    (tmp_path / "other.toml").write_text("[certify]\n" + QUICK.replace("8.0", "8.4"))
    _, header = certify(tmp_path, file=("--settings", "other.toml"))
    assert header["profiles"] == ["mysql-8.4"]


@pytest.mark.parametrize(
    ("table", "text", "message"),
    [
        ("tool.binlog-conformance.certify", 'memory = "2G"', "certify.memory: expected an integer of at least 0"),
        ("tool.binlog-conformance.certify", "memry = 2", "certify.memry: there is no such key; there are implement"),
        ("tool.binlog-conformance.certify", 'profile = ["mysql-9"]', "no profile 'mysql-9'; the profiles are worklog"),
        ("tool.binlog-conformance.certify", 'time = "soon"', "'soon' is not a valid time; write 90s, 10m or 8h"),
        ("tool.binlog-conformance.certfy", "memory = 2", "no command 'certfy'; the commands are certify"),
        ("tool.binlog-conformance", "certify = 3", "tool.binlog-conformance.certify: expected an object, found 3"),
        ("tool", "binlog-conformance = 3", "tool.binlog-conformance: expected a table, found 3"),
        ("", "[", "not TOML"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_file_key_and_what_was_expected(table, text, message, tmp_path):
    done, _ = certify(tmp_path, "reference", table=table, text=text)
    assert (done.status, len(done.errors.splitlines())) == (2, 1), done.errors
    assert done.errors.startswith("binlog-conformance: pyproject.toml: ")
    assert message in done.errors


def test_a_project_without_settings_is_left_alone(tmp_path):
    done, _ = certify(tmp_path, table="tool.other", text="certify = 3")
    assert "Missing argument 'IMPLEMENTATION'" in done.errors


def test_every_option_of_every_command_is_a_key():
    for name, command in COMMANDS.items():
        for each in getattr(command, "commands", {"": command}).values():
            options = {
                option.removeprefix("--")
                for param in each.params
                for option in param.opts[:1] + [long for long in param.opts if long.startswith("--")][:1]
                if option.startswith("--")
            }
            keys = {field.encode_name for field in msgspec.structs.fields(form_of(each))}
            assert options - {"help"} <= keys, name


def test_the_schema_and_the_reader_agree():
    schema = settings_schema(COMMANDS)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for text, is_valid in (
        ("[certify]\nmemory = 0\nprofile = ['mysql-8.0']\nexitfirst = true\ntime = '10m'", True),
        ("[certify]\nmemory = -1", False),
        ("[certify]\nprofile = 'mysql-8.0'", False),
        ("[show]\nformat = 'json'\nverbose = 2", True),
        ("[show]\nformat = 'yaml'", False),
        ("[corpus.run]\nshrink = false\ncases = 10", True),
        ("[corpus.run]\nshrinks = false", False),
    ):
        document = parsed_toml(text)
        assert validator.is_valid(document) == is_valid, text
        (name,) = document
        if is_valid:
            converted(document[name], form_of(COMMANDS[name]))
        else:
            with pytest.raises(Malformed):
                converted(document[name], form_of(COMMANDS[name]))
