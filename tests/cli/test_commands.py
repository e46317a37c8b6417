"""The command line: arguments, output and exit status."""

import json
import re
import shlex

import click
import pytest

from conformance.cli.main import COMMANDS, cli
from conformance.implementations.process.limits import duration
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.running import forked, run

QUICK = ("--examples", "6", "--profile", "mysql-8.0")
#: The same in one role and family.
QUICKEST = (*QUICK, "--family", "transactions", "--role", "decode")


def test_a_conforming_implementation_exits_0(tmp_path):
    done = run("certify", "reference", *QUICKEST, "--report", str(tmp_path / "report"), check=0)
    assert "conforming" in done.output
    written = {path.name for path in (tmp_path / "report").iterdir()}
    assert written == {".run.lock", "run.jsonl", "report.html", "junit.xml", "summary.md", "results.sarif", "badge.svg"}


def test_a_broken_one_exits_1_and_its_failure_replays(tmp_path):
    done = run(
        "certify", "reference:no-stop", *QUICKEST, "--requirement", "FORMAT-STOP", "--report", str(tmp_path), check=1
    )
    assert "FORMAT-STOP" in done.output
    failures = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    (failure,) = [entry for entry in failures if entry["kind"] == "failure"]
    assert failure["replay"].split()[0] == "binlog-conformance"
    again = run(*failure["replay"].split()[1:], check=1)
    assert "FORMAT-STOP" in again.output
    assert "STOP is not supported" in again.output
    run("replay", failure["case"], "reference", check=0)


def test_the_reports_of_a_record_can_be_written_again(tmp_path):
    run("certify", "reference", *QUICKEST, "--report", str(tmp_path / "first"), check=0)
    run("report", str(tmp_path / "first" / "run.jsonl"), str(tmp_path / "second"), check=0)
    assert (tmp_path / "second" / "report.html").read_text() == (tmp_path / "first" / "report.html").read_text()


def test_a_baseline_makes_a_known_failure_acceptable(tmp_path):
    baseline = tmp_path / "baseline.toml"
    arguments = ("certify", "reference:xid-as-double", *QUICKEST, "--requirement", "FORMAT-XID")
    run(*arguments, "--write-baseline", str(baseline), check=1)
    run(*arguments, "--baseline", str(baseline), check=0)
    fixed = run("certify", "reference", *arguments[2:], "--baseline", str(baseline), check=1)
    assert "unexpected pass: 'xid of XID differs' does not occur any more" in fixed.output
    assert str(baseline) in fixed.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("certify", "nonsense"), "nonsense"),
        (
            ("certify", "reference:nonsense"),
            "no mutant 'nonsense'; `binlog-conformance implementations --mutants` lists",
        ),
        (("certify", "reference", "--profile", "mysql-3.23"), "no profile 'mysql-3.23'"),
        (("certify", "reference", "--examples", "5", "--time", "5s"), "exclude each other"),
        (("certify", "reference", "--quiet", "--verbose"), "--quiet and --verbose exclude each other"),
        (("certify", "reference", "--time", "soon"), "write 90s, 10m or 8h"),
        (("certify", "reference", "--baseline", "nowhere.toml"), "nowhere.toml"),
        (("certify", "command:/nonexistent/program"), "/nonexistent/program"),
        (("replay", "nonsense", "reference"), "is not a case id"),
        (("replay", "nonsense/mysql-8.0/1/1", "reference"), "no family 'nonsense'"),
        (("report", "nowhere.jsonl", "folder"), "nowhere.jsonl"),
        (("requirements", "--worklog", "99"), "no worklog '99'"),
        (("requirements", "--role", "cook"), "no role 'cook'"),
        (("nonsense",), "nonsense"),
        (("certify",), "Missing argument 'IMPLEMENTATION'"),
        (("fuzz",), "Missing argument"),
        (("fuzz", "cook", "--implementation", "reference"), "no role 'cook'; the roles are decode, boundary"),
        (("certfy",), "no command 'certfy'; the commands are certify, fuzz"),
        (("certify", "mysql-replicaton"), "did you mean mysql-replication"),
        (("certify", "reference:text-cut-at-25"), "did you mean text-cut-at-255"),
        (("certify", "reference", "--family", "transaction"), "did you mean transactions or"),
        (("certify", "reference", "--role", "decod"), "did you mean decode or decide?"),
        (("certify", "reference", "--profile", "mysql-8"), "did you mean mysql-8."),
        (("certify", "reference", "--requirement", "FORMAT-STOPS"), "did you mean FORMAT-STOP"),
        (("requirements", "format-stops"), "did you mean FORMAT-STOP"),
        (("decide",), "--statement safe|unsafe|row-injection; the value of BINLOG_FORMAT, --mode statement|mixed|row"),
        (("certify", "reference", "--report", ""), "'--report': a path that is empty"),
        (("filter", "binlog.000001", "--output", ""), "'--output': a path that is empty"),
        (("report", "run.jsonl", ""), "'FOLDER': a path that is empty"),
        (("certify", "reference", "--requirement", ""), "a glob that is empty"),
        (
            ("corpus", "runn"),
            "no command 'runn'; the commands are check, compare, generate, report, run; did you mean run?",
        ),
        (("--settings",), "binlog-conformance: Option '--settings' requires an argument."),
        (("certify", "mysqlbinlog:/bin/true"), "/bin/true names no version"),
        (("certify", "reference", "--examples", "0"), "not in the range"),
        (("certify", "reference", "--examples", "many"), "'many' is not a valid integer."),
        (("certify", "reference", "--write-baseline", "nowhere/baseline.toml"), "nowhere/baseline.toml"),
        (("replay", "transactions/mysql-8.0/1/0", "reference", "--save", "nowhere/log"), "nowhere/log"),
        (("check", "--profile", "mysql-3.23", "log"), "no profile 'mysql-3.23'; the profiles are worklog, mysql-5.1"),
        (("show", "--profile", "mysql-8.0.99", "log"), "the releases of mysql are 5.1.30 to 5.1.73, 5.5.0 to"),
        (("fuzz", "log", "--implementation", "reference", "--profile", "oracle"), "no profile 'oracle'"),
        (("replay", "transactions/mysql-8.0.99/1/0", "reference"), "no profile 'mysql-8.0.99'"),
        (("replay", "boundary_flags/worklog/1/0", "reference"), "such as boundary:boundary_flags/worklog/0/0"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(arguments, message):
    done = forked(*arguments)
    assert done.status == 2
    assert message in done.errors
    assert len(done.errors.splitlines()) == 1
    assert done.output == ""


def test_a_record_without_a_footer_is_refused(tmp_path):
    run("certify", "reference", *QUICKEST, "--report", str(tmp_path), check=0)
    record = tmp_path / "run.jsonl"
    record.write_text("".join(record.read_text().splitlines(keepends=True)[:-1]))
    done = run("report", str(record), str(tmp_path / "again"), check=2)
    assert "no footer" in done.errors


def test_requirements_are_listed_with_what_can_judge_them():
    done = run("requirements", "--worklog", "4033", "--role", "decode", "--json", check=0)
    listed = {entry["id"]: entry for entry in json.loads(done.output)}
    text = listed["WL4033-READ-ROWS-QUERY-TEXT"]
    assert text["oracle"] is True
    assert text["mutants"] == [
        "rows-query-by-first-format",
        "byte-order-mark-lost",
        "text-cut-at-255",
        "text-ends-at-nul",
    ]
    assert {"name": "rows_query_streams", "exists": True} in text["families"]
    assert set(text) >= {"id", "level", "role", "text", "statements", "profiles", "families", "untestable"}


def test_the_list_of_requirements_shows_every_gap():
    done = run("requirements", "--worklog", "3303", check=0)
    assert "not testable from outside" in done.output
    assert "0 still without oracle, family or mutant" in done.output


def test_implementations_are_listed_with_what_they_lack():
    done = run("implementations", "--mutants", check=0)
    assert "mysql-replication" in done.output
    assert "reference:text-cut-at-255" in done.output


def test_implementations_and_families_are_printed_as_json():
    listed = json.loads(run("implementations", "--json", "--mutants", check=0).output)
    assert {"name", "usage", "description", "missing", "version", "installed", "beside_the_kit"} == set(
        listed["implementations"][0]
    )
    assert "reference:text-cut-at-255" in {each["name"] for each in listed["mutants"]}
    (transactions,) = [
        each for each in json.loads(run("families", "--json", check=0).output) if each["name"] == "transactions"
    ]
    assert "mysql-8.0" in transactions["roles"]["decode"]["profiles"]


def test_the_list_of_commands_has_a_line_for_each():
    lines = run("--help", check=0).output.splitlines()
    listed = lines[lines.index("Commands:") + 1 :]
    assert [line.split()[0] for line in listed[: listed.index("")]] == list(COMMANDS)


def commands_within(command, words=()):
    """The commands of a group, and those of its groups, each with the words that call it."""
    for name in command.list_commands(click.Context(command)):
        each = command.get_command(click.Context(command), name)
        yield (*words, name), each
        if isinstance(each, click.Group):
            yield from commands_within(each, (*words, name))


ALL_COMMANDS = dict(commands_within(cli))
CASE_ID = re.compile(r"(\w+:)?\w+/[\w.-]+/\d+/\d+")


@pytest.mark.parametrize("name", ALL_COMMANDS, ids="-".join)
def test_the_help_of_each_command_has_examples_with_its_own_options(name):
    lines = re.findall(r"^  binlog-conformance (.*)$", ALL_COMMANDS[name].epilog or "", re.MULTILINE)
    assert lines
    for line in lines:
        words = shlex.split(line.partition(" | ")[0])
        called, known = (), set()
        for word in words:
            if (*called, word) in ALL_COMMANDS:
                called = (*called, word)
                known |= {
                    option for each in ALL_COMMANDS[called].params for option in (*each.opts, *each.secondary_opts)
                }
        assert called[: len(name)] == name
        assert [each for each in words if each.startswith("-") and len(each) > 1 and each not in known] == []
        for case_id in (each for each in words if CASE_ID.fullmatch(each)):
            assert case_of(CaseId.parse(case_id)).stream


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("1.5m", 90), ("8h", 28800)])
def test_times_are_read_with_their_units(text, seconds):
    assert duration(text) == seconds
