"""What is declared and never reported is named; what no case could show is not."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

DOUBLE = Path(__file__).parents[1] / "doubles" / "declares_too_much.py"


def certified(folder, spec):
    command = [sys.executable, "-m", "conformance", "certify", spec, "--examples", "4", "--report", str(folder)]
    families = ["--family", "transactions", "--family", "bad_magic", "--profile", "mysql-8.0", "--role", "decode"]
    done = subprocess.run([*command, *families], capture_output=True, text=True, timeout=120, check=False)
    footer = json.loads((folder / "run.jsonl").read_text().splitlines()[-1])
    return footer["unused"], done.stdout


def test_declared_fields_and_abilities_that_no_answer_had_are_named(tmp_path):
    # No case of mysql-8.0 has tables info, so the field may well be there in others.
    unused, output = certified(tmp_path, "command:" + shlex.join([sys.executable, str(DOUBLE)]))
    assert unused == {"decode": ["error_at", "position"]}
    assert "Declared in the role decode and never reported" in output.replace("\n", " ")


def test_an_implementation_that_reports_all_that_it_declares_has_no_such_note(tmp_path):
    unused, output = certified(tmp_path, "reference")
    assert unused == {}
    assert "never reported" not in output
