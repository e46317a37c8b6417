"""docs/protocol.md agrees with the code, also beside the tables that tests/generated.py writes."""

import json
import subprocess
import sys
from pathlib import Path

from conformance.implementations.process.limits import DEFAULT_LIMITS

DOCS = Path(__file__).parents[2] / "docs"
ADAPTER = DOCS.parent / "conformance" / "implementations" / "adapters" / "minimal" / "minimal_adapter.py"
PAGE = (DOCS / "protocol.md").read_text(encoding="utf-8")


def test_the_limits_are_the_default_ones():
    assert (DEFAULT_LIMITS.seconds, DEFAULT_LIMITS.start_seconds) == (10, 30)
    assert (DEFAULT_LIMITS.memory_bytes, DEFAULT_LIMITS.declaration_bytes) == (2 << 30, 1 << 20)
    assert (DEFAULT_LIMITS.answer_bytes, DEFAULT_LIMITS.answer_bytes_per_byte) == (4 << 20, 64)
    assert DEFAULT_LIMITS.hangs == 5
    assert "10 seconds" in PAGE
    assert "30 seconds to start" in PAGE
    assert "2 GiB" in PAGE
    assert "at most 1 MiB, an answer at most 4 MiB and 64 bytes for each byte of the stream" in " ".join(PAGE.split())
    assert "After 5 hangs in a role" in PAGE


def test_the_exchange_is_a_real_one():
    lines = PAGE.partition("```text\n")[2].partition("```")[0].splitlines()
    questions = "".join(f"{line[3:]}\n" for line in lines if line.startswith("-> "))
    answers = [json.loads(line[3:]) for line in lines if line.startswith("<- ")]
    command = [sys.executable, str(ADAPTER)]
    done = subprocess.run(command, input=questions, capture_output=True, text=True, check=True, timeout=20)
    assert [json.loads(line) for line in done.stdout.splitlines()] == answers


def test_its_links_lead_somewhere():
    targets = [part.split(")")[0] for part in PAGE.split("](")[1:]]
    assert [each for each in targets if not each.startswith("#") and not (DOCS / each).exists()] == []
