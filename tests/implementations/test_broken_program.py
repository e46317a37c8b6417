"""The adapter of the command line readers reports nothing of its own: each change of what is printed shows."""

import os
import sys
from subprocess import CompletedProcess

import pytest

from conformance.implementations.adapters import command_line_reader
from conformance.implementations.adapters.command_line_reader import MYSQL_READERS, READERS, Reader, Unprinted, refusal

HEAD = "# Position  Timestamp   Type   Source ID        Size      Source Pos    Flags\n"


def printed(offset, code, description, text=""):
    """What a program prints of an event of 31 bytes."""
    header = f"05 00 00 00   {code:02x}   01 00 00 00   1f 00 00 00   00 00 00 00   08 00"
    first = f"#700101  0:00:05 server id 1  end_log_pos {offset + 31} CRC32 0x01020304 \n"
    return f"# at {offset}\n{first}{HEAD}# {offset:08x} {header}\n# \t{description}\n{text}"


GTID = (
    "GTID\tlast_committed=1\tsequence_number=2\trbr_only=no\toriginal_committed_timestamp=3\t"
    "immediate_commit_timestamp=4\ttransaction_length=5"
)
SETTINGS = (
    "/*!80001 SET @@session.original_commit_timestamp=3*//*!*/;\n"
    "/*!80014 SET @@session.original_server_version=80026*//*!*/;\n"
    "/*!80014 SET @@session.immediate_server_version=80043*//*!*/;\n"
    "SET @@SESSION.GTID_NEXT= '3e11fa47-71ca-11e1-9e33-c80aa9429562:7'/*!*/;\n"
)
OUTPUT = "".join(
    [
        printed(4, 15, "Start: binlog v 4, server v 8.0.43 created 700101  0:00:05 at startup"),
        printed(35, 35, "Previous-GTIDs", "# 3e11fa47-71ca-11e1-9e33-c80aa9429562:1-6\n"),
        printed(66, 33, GTID, SETTINGS),
        printed(97, 5, "Intvar", "SET INSERT_ID=9/*!*/;\n"),
        printed(128, 13, "Rand", "SET @@RAND_SEED1=10, @@RAND_SEED2=11/*!*/;\n"),
        printed(159, 2, "Query\tthread_id=12\texec_time=13\terror_code=14", "SET TIMESTAMP=5/*!*/;\nDELETE\n/*!*/;\n"),
        printed(190, 19, "Table_map: `d`.`t` mapped to number 15"),
        printed(221, 16, "Xid = 16", "COMMIT/*!*/;\n"),
        printed(252, 4, "Rotate to binlog.000002  pos: 4"),
    ]
)
#: Field -> what is printed of it, and what is printed instead.
DEFECTS = {
    "offset": ("# 000000dd ", "# 000000de "),
    "type": ("05 00 00 00   10   ", "05 00 00 00   03   "),
    "timestamp": ("05 00 00 00   10   ", "06 00 00 00   10   "),
    "server_id": ("server id 1  end_log_pos 252", "server id 2  end_log_pos 252"),
    "length": ("10   01 00 00 00   1f", "10   01 00 00 00   1e"),
    "log_pos": ("end_log_pos 252", "end_log_pos 253"),
    "flags": ("08 00\n# \tXid", "09 00\n# \tXid"),
    "handled": ("\tXid = 16", "\tIgnorable"),
    "binlog_version": ("binlog v 4", "binlog v 3"),
    "server_version": ("server v 8.0.43", "server v 8.0.44"),
    "checksum_algorithm": ("end_log_pos 35 CRC32 0x01020304 ", "end_log_pos 35 "),
    "thread_id": ("thread_id=12", "thread_id=99"),
    "exec_time": ("exec_time=13", "exec_time=99"),
    "error_code": ("error_code=14", "error_code=99"),
    "query": ("DELETE", "INSERT"),
    "xid": ("Xid = 16", "Xid = 99"),
    "next_position": ("pos: 4", "pos: 5"),
    "next_file": ("binlog.000002", "binlog.000003"),
    "intvar_type": ("SET INSERT_ID", "SET LAST_INSERT_ID"),
    "intvar_value": ("INSERT_ID=9", "INSERT_ID=99"),
    "seed1": ("SEED1=10", "SEED1=99"),
    "seed2": ("SEED2=11", "SEED2=99"),
    "table_id": ("number 15", "number 99"),
    "gtid": ("9562:7'", "9562:8'"),
    "last_committed": ("last_committed=1", "last_committed=99"),
    "sequence_number": ("sequence_number=2", "sequence_number=99"),
    "immediate_commit_timestamp": ("immediate_commit_timestamp=4", "immediate_commit_timestamp=99"),
    "original_commit_timestamp": ("session.original_commit_timestamp=3", "session.original_commit_timestamp=99"),
    "transaction_length": ("transaction_length=5", "transaction_length=99"),
    "immediate_server_version": ("immediate_server_version=80043", "immediate_server_version=80044"),
    "original_server_version": ("original_server_version=80026", "original_server_version=80027"),
    "previous_gtids": (":1-6", ":1-5"),
}
#: Field -> what changes with it: an event of another type, or of one that is not known, has no number of a transaction.
CONSEQUENCES = {"type": {"type", "xid"}, "handled": {"handled", "xid"}}


@pytest.fixture
def reader():
    made = object.__new__(Reader)
    made.name, made._readers = "mysqlbinlog", {**READERS, **MYSQL_READERS}
    return made


@pytest.mark.parametrize("field", DEFECTS)
def test_a_change_of_what_is_printed_shows_in_its_field_alone(reader, field):
    right, wrong = DEFECTS[field]
    assert OUTPUT.count(right) == 1
    before, after = (reader.events(text.encode(), whole=False) for text in (OUTPUT, OUTPUT.replace(right, wrong)))
    pairs = zip(before, after, strict=True)
    changed = {name for one, other in pairs for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    assert changed == CONSEQUENCES.get(field, {field})


def test_every_declared_field_has_a_change(reader):
    assert set(reader.fields) == DEFECTS.keys()


def test_an_error_of_the_program_is_at_the_offset_that_it_names():
    assert refusal(0, "") is None
    assert refusal(1, "ERROR: Could not read entry at offset 35: crc check failed")["at"] == 35
    assert refusal(1, "ERROR: Could not read entry at offset 66: crc check failed")["at"] == 66


SETTING = "SET TIMESTAMP=5/*!*/;\n"
WITHOUT_STATEMENT = printed(35, 2, "Query\tthread_id=12\texec_time=13\terror_code=14", SETTING)


@pytest.fixture
def decode(reader, tmp_path, monkeypatch):
    """Decode what a program printed before it ended with an error."""

    def decoded(output, errors):
        reader._file, reader._command = tmp_path / "binlog.000001", []
        done = CompletedProcess([], 1, output.encode(), errors.encode())
        monkeypatch.setattr(reader, "_read", lambda command, limit: done)
        return reader.decode(b"")

    return decoded


@pytest.mark.parametrize("after", [printed(66, 16, "Xid = 16", "COMMIT/*!*/;\n"), ""])
def test_a_statement_left_out_before_an_error_elsewhere_takes_no_event_away(decode, after):
    """MariaDB's leaves out the first half of a two-phase ALTER TABLE, and reads on."""
    with pytest.raises(Unprinted, match="offset 35 is not printed"):
        decode(
            OUTPUT[: OUTPUT.index("# at 35")] + WITHOUT_STATEMENT + after, "ERROR: Could not read entry at offset 97: x"
        )


@pytest.mark.parametrize("errors", ["ERROR: Out of memory", "ERROR: Could not read entry at offset 35: x"])
def test_a_statement_in_whose_middle_the_program_ended_is_not_delivered(decode, errors):
    events, error = decode(OUTPUT[: OUTPUT.index("# at 35")] + WITHOUT_STATEMENT, errors)
    assert [each["offset"] for each in events] == [4]
    assert error is not None


def test_an_error_before_any_event_is_the_whole_answer(decode):
    assert decode("", "ERROR: The input file is not a binary log")[0] == []


DUMP = "import sys; sys.stdout.buffer.write(sys.argv[1].encode()); sys.stdout.buffer.write(bytes(100_000))"


@pytest.mark.parametrize(
    ("begin", "limit"),
    [("# at 4\n# Start of compressed events.\n", 200_000), ("# at 4\n# Write_compressed_rows_v1\n", 50_000)],
)
def test_a_hex_dump_of_what_is_compressed_is_not_read_without_end(reader, monkeypatch, begin, limit):
    monkeypatch.setattr(command_line_reader, "IN_PAYLOAD_LIMIT", 50_000)
    monkeypatch.setattr(command_line_reader, "CHUNK", 4096)
    reader._environment = dict(os.environ)
    with pytest.raises(Unprinted, match="hex dump of what is compressed"):
        reader._read([sys.executable, "-c", DUMP, begin], limit)


def test_a_hex_dump_within_the_limit_is_read_whole(reader):
    reader._environment = dict(os.environ)
    assert len(reader._read([sys.executable, "-c", DUMP, "# at 4\n# Table_map\n"], 200_000).stdout) > 100_000
