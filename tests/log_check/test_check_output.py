"""What `binlog-conformance check` prints of logs with a known fault."""

import json

import pytest
from broken_logs import BROKEN
from click.testing import CliRunner
from written_log import WrittenLog, gtid_set

from conformance.cli.main import cli


def run(*arguments):
    return CliRunner().invoke(cli, ["check", *map(str, arguments)])


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.make.__name__)
def test_a_broken_requirement_fails_the_command(tmp_path, broken):
    log = broken.make()
    path = tmp_path / "bin.000001"
    path.write_bytes(log.data)
    done = run("--profile", broken.profile or "auto", *["--rows"] * broken.rows, path)
    assert done.exit_code == 1
    assert f"{path}:{log.offsets[broken.event]}: {broken.requirements[0]}: " in done.stdout


def chain(tmp_path, *, rotate_to):
    first = WrittenLog().begin().gtid(1).insert().rotate(rotate_to)
    second = WrittenLog().begin(gtid_set((1, 1))).gtid(2).insert()
    paths = []
    for number, log in enumerate((first, second), 1):
        path = tmp_path / f"bin.{number:06d}"
        path.write_bytes(log.data)
        paths.append(path)
    return paths, first.last


def test_files_that_follow_each_other_are_judged_as_a_chain(tmp_path):
    paths, _ = chain(tmp_path, rotate_to="bin.000002")
    done = run(*paths)
    assert done.exit_code == 0
    assert "FORMAT-LOG-ROTATE-NEXT" in done.stdout.split("not judged, as")[0]


def test_a_broken_chain_names_the_rotate(tmp_path):
    paths, offset = chain(tmp_path, rotate_to="bin.000009")
    done = run(*paths)
    assert done.exit_code == 1
    assert f"{paths[0]}:{offset}: FORMAT-LOG-ROTATE-NEXT: " in done.stdout


def test_a_chain_is_one_json_line_that_names_both_of_its_files(tmp_path):
    paths, _ = chain(tmp_path, rotate_to="bin.000002")
    entries = [json.loads(line) for line in run("--json", *paths).stdout.splitlines()]
    (line,) = [each for each in entries if each["kind"] == "chain"]
    assert [line["before"], line["after"]] == list(map(str, paths))


def test_many_violations_of_one_kind_are_counted_and_not_all_printed(tmp_path):
    log = WrittenLog().begin().anonymous()
    for _ in range(50):
        log.query("COMMIT")
    path = tmp_path / "bin.000001"
    path.write_bytes(log.data)
    done = run(path)
    assert done.stdout.count(": FORMAT-LOG-END-NEEDS-BEGIN: QUERY") == 20
    assert f"{path}: FORMAT-LOG-END-NEEDS-BEGIN: 30 more of these" in done.stdout
