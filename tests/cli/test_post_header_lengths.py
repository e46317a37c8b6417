"""Format descriptions with wrong post-header lengths: every command ends with one line, whatever the length is."""

import itertools

import pytest
from click.testing import CliRunner

from conformance.binlog.checksum import checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.cli.main import cli
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.extras import require

#: Profiles whose servers, together, write all types; and the most bytes of a stream, as each is read many times.
PROFILES = ("mysql-5.1", "mysql-9.x", "mariadb-11.x")
SMALL = 2500
#: The offset of the first post-header length in a log.
LENGTHS_AT = 4 + 19 + 57
#: What a command reports of a log that is not damaged.
NOTES = ("warning: ", "the SQL parser does not know", "nothing in the log is about")
COMMANDS = {
    "decode": ["decode"],
    "json": ["decode", "--json"],
    "dump": ["decode", "--dump"],
    "check": ["check"],
    "show": ["show", "-vv"],
    "events": ["show", "--format", "events"],
    "filter": ["filter", "--do-database", "test", "--tables", "clever", "--renames", "identity"],
}


def streams(profile):
    """Yield (type codes, stream): small streams with the types that the profile's servers write, each type once."""
    covered = set()
    for index in range(40):
        stream = case_of(CaseId("every_event_type", profile, seed=1, index=index)).stream
        codes = {event.header.type for event in read_events(stream)} - covered
        if len(stream) < SMALL and codes:
            covered |= codes
            yield sorted(codes), stream


def variants(profile):
    """Yield streams with the post-header length of one type set to another value, and the checksum right."""
    for codes, stream in streams(profile):
        described = next(read_events(stream))
        for code, length in itertools.product(codes, (0, 1, 255)):
            at = LENGTHS_AT + code - 1
            if at < described.end - 5:
                changed = bytearray(stream)
                changed[at] = length
                if described.has_checksum:
                    end = described.end
                    changed[end - 4 : end] = checksum(changed[4 : end - 4]).to_bytes(4, "little")
                yield code, length, bytes(changed)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_wrong_post_header_length_is_damage_or_of_no_effect(tmp_path, profile, command):
    if command == "filter":
        require("sql")
    path, out = tmp_path / "bin.000001", tmp_path / "out"
    for code, length, data in variants(profile):
        path.write_bytes(data)
        output = ["--output", str(out)] if command == "filter" else []
        done = CliRunner().invoke(cli, [*COMMANDS[command], *output, str(path)])
        what = (EventType(code).name, length, done.output[-400:])
        assert isinstance(done.exception, SystemExit | None), (*what, done.exception)
        assert done.exit_code in (0, 1), what
        damage = [line for line in done.stderr.splitlines() if not any(word in line for word in NOTES)]
        if command == "check":
            assert not damage, what
        else:
            assert len(damage) == done.exit_code, what
        out.unlink(missing_ok=True)


def test_a_post_header_without_room_for_a_field_breaks_its_requirement(tmp_path):
    path = tmp_path / "bin.000001"
    shown = ""
    for code, length, data in variants("mysql-9.x"):
        if (code, length) in {(EventType.WRITE_ROWS, 0), (EventType.ROTATE, 0)}:
            path.write_bytes(data)
            done = CliRunner().invoke(cli, ["check", str(path)])
            assert done.exit_code == 1
            shown += done.stdout
    for name, field in (("WRITE_ROWS", "extra_data_length"), ("ROTATE", "next_position")):
        assert f"FORMAT-POST-HEADER-LENGTHS: {name}: the event has no field '{field}'" in shown
