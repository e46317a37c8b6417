"""docs/pytest.md: its example runs as printed, and its options are those of the plugin."""

import re
import subprocess
import sys

import pytest

from conformance.pytest_plugin.options import OPTIONS
from conformance.suite import binlog_streams
from tests.generated import ROOT

PAGE = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")


def run(folder, text):
    (folder / "test_headers.py").write_text(text)
    arguments = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_headers.py"]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)


def example():
    (text,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    return text


def test_the_example_runs_as_printed(tmp_path):
    done = run(tmp_path, example())
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


@pytest.mark.slow
def test_the_example_fails_for_a_wrong_reader_with_a_case_that_replays(tmp_path):
    done = run(tmp_path, example().replace("yield event_type, length", "yield event_type, length & 0x3F"))
    assert done.returncode == 1, done.stdout
    (case,) = set(re.findall(r"case: (\S+/choices-\S+)", done.stdout))
    assert re.search(rf"^E +case=<{re.escape(case)}, \d+ bytes>", done.stdout, re.MULTILINE)
    assert len(done.stdout.splitlines()) < 60
    replayed = [sys.executable, "-m", "conformance", "replay", case, "reference"]
    assert subprocess.run(replayed, capture_output=True, check=False).returncode == 0


def test_the_page_names_every_option():
    assert set(re.findall(r"`--binlog-([\w-]+)`", PAGE)) == {option.name for option in OPTIONS}
    assert set(re.findall(r"^binlog_(\w+) =", PAGE, re.MULTILINE)) <= {
        option.name.replace("-", "_") for option in OPTIONS
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"family": "transaction"}, "did you mean transactions"),
        ({"family": "transactions", "profile": "mysql-8"}, "no profile 'mysql-8'"),
        ({"family": "unknown_not_ignorable", "profile": "worklog", "role": "cook"}, "no questions in the role 'cook'"),
    ],
)
def test_a_wrong_name_is_refused_when_the_test_is_defined(arguments, message):
    with pytest.raises(ValueError, match=message):
        binlog_streams(**arguments)
