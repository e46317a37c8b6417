"""docs/protocol.md agrees with the code."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.binlog.errors import ERROR_KINDS
from conformance.binlog.event_types import EventType
from conformance.implementations.process.limits import DEFAULT_LIMITS
from conformance.protocol.observation import ABILITIES
from conformance.protocol.roles.decode import FIELDS, FIELDS_OF_TYPE
from conformance.specs.profiles import PROFILES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MINIMAL = ROOT / "conformance" / "implementations" / "adapters" / "minimal" / "minimal_adapter.py"
PAGE = (DOCS / "protocol.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")]


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_explained(name):
    field = FIELDS[name]
    kind = " or ".join(f"`{word}`" for word in field.words) or field.kind
    assert [f"`{name}`", kind, field.meaning] in ROWS


@pytest.mark.parametrize(("name", "meaning"), [*ABILITIES.items(), *ERROR_KINDS.items()])
def test_every_ability_and_kind_of_error_is_explained(name, meaning):
    assert [f"`{name}`", meaning] in ROWS


@pytest.mark.parametrize("code", FIELDS_OF_TYPE)
def test_every_type_has_its_fields(code):
    name = f"{int(code)} {EventType(code).name}"
    (row,) = [row for row in ROWS if name in row[0].split(", ")]
    row_fields = [[each.strip("`") for each in cell.split(", ") if each] for cell in row[1:]]
    assert row_fields == [list(FIELDS_OF_TYPE[code].required), list(FIELDS_OF_TYPE[code].optional)]


def test_every_profile_is_named():
    assert all(f"`{profile}`" in PAGE for profile in PROFILES)


def test_the_limits_are_the_default_ones():
    assert (DEFAULT_LIMITS.seconds, DEFAULT_LIMITS.start_seconds) == (10, 30)
    assert (DEFAULT_LIMITS.memory_bytes, DEFAULT_LIMITS.answer_bytes) == (2 << 30, 64 << 20)
    assert "10 seconds" in PAGE
    assert "30 seconds to start" in PAGE
    assert "2 GiB" in PAGE
    assert "64 MiB" in PAGE


def test_the_exchange_is_a_real_one():
    lines = PAGE.partition("```text\n")[2].partition("```")[0].splitlines()
    questions = "".join(f"{line[3:]}\n" for line in lines if line.startswith("-> "))
    answers = [json.loads(line[3:]) for line in lines if line.startswith("<- ")]
    command = [sys.executable, str(MINIMAL)]
    done = subprocess.run(command, input=questions, capture_output=True, text=True, check=True, timeout=20)
    assert [json.loads(line) for line in done.stdout.splitlines()] == answers


def test_its_links_lead_somewhere():
    targets = [part.split(")")[0] for part in PAGE.split("](")[1:]]
    assert [each for each in targets if not each.startswith("#") and not (DOCS / each).exists()] == []
