"""The relay logs of a replica of each release: healthy, and known as relay logs from any one of them alone."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from judged_log import judge

from conformance.cli.main import cli

FOLDERS = sorted((Path(__file__).parent.parent / "golden" / "relay_logs").iterdir())
LOGS = [log for folder in FOLDERS for log in sorted(folder.iterdir())]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda each: each.name)
@pytest.mark.parametrize("options", [[], ["--rows"]], ids=["alone", "with rows"])
def test_the_relay_logs_of_a_release_are_healthy(folder, options):
    result = CliRunner().invoke(cli, ["check", *options, *map(str, sorted(folder.iterdir()))])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("path", LOGS, ids=lambda each: f"{each.parent.name} {each.suffix[-1]}")
def test_a_relay_log_is_known_as_one(path):
    checked, violations, _ = judge(path.read_bytes())
    assert checked.log.relay
    assert violations == []
