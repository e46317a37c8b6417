"""`binlog-conformance requirements ID`: one requirement in full, and where everything made for it is defined."""

import ast
import json
from functools import cache

import pytest
from click.testing import CliRunner

from conformance.cli import requirement_life
from conformance.cli.main import cli
from conformance.cli.requirement_life import entry_of, life_of
from conformance.mutants.registry import mutants
from conformance.specs.catalogue import catalogue
from conformance.specs.witness import without_witness, witnesses
from conformance.strategies.grammar.family import families

JUDGED = [each for each in catalogue().values() if each.untestable is None]


@cache
def places():
    return requirement_life.places()


@cache
def source(file):
    return file.read_text(encoding="utf-8")


@cache
def spans(file, kind):
    """Return the first and last lines of the nodes of some kinds, decorators included."""
    nodes = [node for node in ast.walk(ast.parse(source(file))) if isinstance(node, kind)]
    heads = [[node, *getattr(node, "decorator_list", ())] for node in nodes]
    return [(min(each.lineno for each in head), head[0].end_lineno) for head in heads]


def run(*arguments):
    return CliRunner().invoke(cli, ["requirements", *arguments])


@pytest.mark.parametrize("requirement", JUDGED, ids=lambda each: each.id)
def test_a_judged_requirement_has_an_entry_families_an_oracle_and_mutants(requirement):
    entry = entry_of(requirement)
    assert source(entry.file).splitlines()[entry.line - 1] == f'id = "{requirement.id}"'
    assert "*" in requirement.families or any(name in places()["family"] for name in requirement.families)
    assert requirement.id in places()["oracle"]
    assert [each for each in mutants() if each.requirement == requirement.id]


@pytest.mark.parametrize("name", families())
def test_a_family_is_where_its_production_begins(name):
    place = places()["family"][name]
    assert place.line in [first for first, _ in spans(place.file, ast.FunctionDef)]
    assert f"def {name}(" in source(place.file)


@pytest.mark.parametrize("kind", ["oracle", "mutant"])
def test_a_row_is_in_a_table_of_its_module(kind):
    for name, place in places()[kind].items():
        tables = spans(place.file, ast.Assign | ast.AnnAssign)
        assert any(first <= place.line <= last for first, last in tables), (name, place)


@pytest.mark.parametrize("kind", ["oracle", "mutant"])
def test_a_row_has_its_name_or_is_made_in_a_loop(kind):
    for name, place in places()[kind].items():
        # A long row begins with its constructor.
        row = "".join(source(place.file).splitlines()[place.line - 1 : place.line + 1])
        loops = spans(place.file, ast.GeneratorExp)
        last_words = {name.split("-", count)[-1] for count in range(name.count("-") + 1)}
        assert any(f'"{each}"' in row for each in last_words) or any(
            first <= place.line <= last for first, last in loops
        ), (name, place)


def test_the_catalogue_and_the_tables_have_the_same_oracles_and_mutants():
    assert set(places()["oracle"]) == {each.id for each in JUDGED}
    assert set(places()["mutant"]) == {each.name for each in mutants()}


def test_one_requirement_is_printed_in_full():
    done = run("WL4033-READ-UNKNOWN-SKIPPED")
    life = life_of(catalogue()["WL4033-READ-UNKNOWN-SKIPPED"])
    assert done.exit_code == 0
    words = done.output.split()
    for name in ("text", "section", "oracle", "entry"):
        assert " ".join(life[name].split()) in " ".join(words)
    assert {each["id"] + ":" for each in life["statements"]} <= set(words)
    assert {each["name"] + ":" for each in life["families"] + life["mutants"]} <= set(words)
    assert max(map(len, done.output.splitlines())) <= 120


def test_a_requirement_of_all_families_does_not_list_them():
    done = run("FORMAT-EVENT-DELIVERED")
    assert "of the role decode exercises it" in done.output
    assert len(done.output.splitlines()) < 25


def test_a_requirement_that_recorded_logs_show_names_the_command():
    assert "`binlog-conformance check` judges them against it" in run("FORMAT-LOG-BODY").output


def test_known_bugs_that_it_notices_are_listed_or_counted():
    assert "known bugs      go-mysql #623: An old TIME lost its sign." in run("FORMAT-ROWS-VALUES-OLD-TIME").output
    assert "of them: docs/known-bugs.md" in run("FORMAT-EVENT-DELIVERED").output
    assert "known bugs" not in run("WL3303-MESSAGE-TEXTS").output


def test_an_untestable_requirement_gives_the_reason_and_lacks_nothing():
    done = run("WL3303-MESSAGE-TEXTS")
    assert "not testable" in done.output
    assert "none yet" not in done.output


def test_one_requirement_as_json_is_what_is_printed():
    done = run("WL4162-TT-SELF-START", "--json")
    assert json.loads(done.output) == life_of(catalogue()["WL4162-TT-SELF-START"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("WL4033-READ-FOO",), "did you mean WL4033-READ-"),
        (("wl4033-read-unknown-skiped",), "did you mean WL4033-READ-UNKNOWN-SKIPPED"),
        (("nonsense",), "`binlog-conformance requirements` lists the ids"),
    ],
)
def test_a_wrong_id_is_refused_with_close_ones(arguments, message):
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.output
    assert f"no requirement '{arguments[0]}'" in done.output


def test_an_id_is_not_filtered():
    assert run("WL4033-READ-FLAG-BIT", "--role", "decode").exit_code == 2


def test_it_shows_which_servers_were_seen_to_keep_it_and_which_do_otherwise():
    text = " ".join(run("WL7592-LOG-DROP-ON-GTID-EACH").stdout.split())
    assert "servers seen on mysql-5.7.22, mysql-8.0.15, mysql-9.7.4" in text
    assert "mysql-5.6.24 does otherwise" in text
    assert "tests/log_check/test_real_logs.py::test_a_real_log: mysql-9.7.4 keeps it (" in text


def test_a_requirement_on_servers_that_none_was_seen_to_keep_is_a_gap():
    gap = next(each for each in without_witness() if each.id not in witnesses())
    assert "servers         none was seen yet" in run(gap.id).stdout
    assert f"no server was seen to keep {len(list(without_witness()))} of them" in run().stdout
    assert "none was seen yet" not in run("WL4033-READ-UNKNOWN-SKIPPED").stdout
