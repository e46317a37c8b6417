"""Adapter for the command line readers: MySQL's mysqlbinlog and MariaDB's mariadb-binlog, their output parsed.

Each stream is written to a file, the program prints it with a hex dump of each event, and the output becomes events.
Only what the text shows without doubt is reported: for example, the text of a Rows_query loses its blank lines, and a
column count is not printed at all. In the role `render` the text itself is the answer. In the role `client` the program
reads from the source (--read-from-remote-server), and the adapter starts it again where a lost connection has ended it.
"""

import argparse
import base64
import json
import math
import operator
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Fields = dict[str, Any]

#: The beginning of an event; the hex dump of its header has the offset and then the 19 bytes.
EVENT = re.compile(
    rb"^#\d{6} [ \d]\d:\d\d:\d\d server id (?P<server_id>\d+)  end_log_pos (?P<log_pos>\d+) "
    rb"(?P<checksum>CRC32 0x[0-9a-f]{8} )?\n"
    rb"# Position.*\n(?:#  +\|Timestamp.*\n)?"
    rb"# +(?P<offset>[0-9a-f]+) +(?P<header>\|?[0-9a-f]{2}[0-9a-f |]+)\n",
    re.MULTILINE,
)
#: The description of the event, after the dump of its body.
DESCRIPTION = re.compile(rb"^# (?:Event: )?(\t.*)\n", re.MULTILINE)
#: Events inside a Transaction_payload, which have no offset in the stream.
COMPRESSED = re.compile(rb"^# Start of compressed events\.\n.*?(?:^# End of compressed events\.\n|\Z)", re.M | re.S)
COMPRESSED_BEGIN = b"\n# Start of compressed events.\n"
#: How much is read at once, in bytes.
CHUNK = 1 << 20
#: How much may be printed of a log, and for each of its bytes; how much of a log with a payload, which holds many more.
PRINTED_LIMIT, PRINTED_FOR_BYTE = 16 << 20, 64
IN_PAYLOAD_LIMIT = 64 << 20
#: What is printed after the last event.
FOOTER = re.compile(rb"(?:^.*/\* added by mysqlbinlog \*/.*\n)*^DELIMITER ;\n# End of log file\n(?:.*\n){0,4}\Z", re.M)
#: The offset of the next event; it may come before the header lines of another one.
NEXT = re.compile(rb"(?:^# at \d+\n)+\Z", re.MULTILINE)
#: The event before encrypted ones, of which mariadb-binlog prints no header.
ENCRYPTION = re.compile(rb"^# at (\d+)\n# Encryption scheme: ", re.MULTILINE)
#: Lines before a Query's statement: settings of the session, each ended by the delimiter.
SETTINGS = re.compile(rb"\A(?:(?:use `|SET |/\*!|# Ignored ).*/\*!\*/;\n)*")
HEADER_BYTES = 19
#: Event type codes.
QUERY = 2
ROTATE = 4
TABLE_MAP = 19
#: MySQL's rows events.
ROWS_EVENTS = (20, 21, 22, 23, 24, 25, 30, 31, 32, 39)
#: The rows events that mariadb-binlog dumps unpacked -> the compressed ones that it names, as which it has read them.
UNPACKED_ROWS = {23: 166, 24: 167, 25: 168, 30: 169, 31: 170, 32: 171}
#: The name of a compressed rows event.
PACKED_ROWS = re.compile(r"\t(?:Write|Update|Delete)_compressed_rows\b")
#: Those of Table_map and rows events, to which a rule for a database applies, besides statements.
FILTERED = (TABLE_MAP, *ROWS_EVENTS)
BEGIN_LOAD_QUERY = 17
EXECUTE_LOAD_QUERY = 18
#: The events that use up a file which Begin_load_query began.
FILE_ENDS = (11, EXECUTE_LOAD_QUERY)
PAYLOAD = 40
ANNOTATE_ROWS = 160
#: The events that begin a group of MySQL, and those that end one, besides statements.
GTIDS = (33, 34, 42)
GROUP_ENDS = (16, 38, PAYLOAD)
#: The names of the types of an Intvar; any other one is printed for an unknown type.
INTVARS = {b"LAST_INSERT_ID": 1, b"INSERT_ID": 2}
DELIMITER = b"\n/*!*/;\n"

#: Its words for an event that it refuses inside of a payload.
IN_PAYLOAD = "Error decoding Payload_log_event"
BAD_OFFSET = re.compile(r"Could not read entry at offset (\d+)")
#: Words in the program's message -> the protocol's kind of error.
KINDS = (
    ("truncated", "truncated"),
    ("Found invalid Format description", "malformed"),
    ("crc check failed", "checksum"),
    ("Event too big", "invalid-length"),
    ("Event too small", "invalid-length"),
    ("corrupted data in log event", "invalid-length"),
    ("bogus data in log event", "invalid-length"),
    ("Found invalid event", "unknown-event"),
    ("magic number", "not-a-binlog"),
    ("is not a binary log", "not-a-binlog"),
    # Of a file that has not even the bytes of a magic number.
    ("error reading the header", "not-a-binlog"),
    ("Failed reading header", "not-a-binlog"),
    ("encrypted", "encrypted"),
)

#: The oldest version of mysqlbinlog, the first that refuses rows events of version 1, and the first of a series of
#: innovation releases, which read each other's logs.
OLDEST, WITHOUT_ROWS_V1, INNOVATION = (5, 1), (8, 4), (9, 0)
HOMEPAGES = {
    "mysqlbinlog": "https://dev.mysql.com/doc/refman/en/mysqlbinlog.html",
    "mariadb-binlog": "https://mariadb.com/kb/en/mariadb-binlog/",
}


class Unprinted(Exception):
    """The program read something that it does not print.

    MySQL's program keeps an Intvar, a Rand and a User_var for the statement that should follow, and loses them if
    something else ends it. MariaDB's does so with rows events up to the last one of a statement, and it leaves out
    the first half of a two-phase ALTER TABLE.
    """


class CannotFilter(Exception):
    """The program has no equivalent rule."""


class Printed(NamedTuple):
    """What the program printed for one event.

    Attributes:
        checksum: Whether it printed a checksum.
        description: The event in words.
        text: Everything after the description.
    """

    checksum: bool
    description: str
    text: bytes


def numbers(pattern: str, *names: str) -> Callable[[Printed], Fields]:
    """Return a function that reads integers from the description, one for each group of the pattern."""
    compiled = re.compile(pattern)

    def read(printed: Printed) -> Fields:
        match = compiled.search(printed.description)
        return dict(zip(names, map(int, match.groups()), strict=True)) if match else {}

    return read


def format_description(printed: Printed) -> Fields:
    """Read a format description; its line has a checksum if the algorithm is CRC32."""
    match = re.match(r"\tStart: binlog v (\d+), server v (.*) created \d{6} ", printed.description)
    if not match:
        return {}
    return {
        "binlog_version": int(match[1]),
        "server_version": match[2],
        "checksum_algorithm": "crc32" if printed.checksum else "none",
    }


def query(printed: Printed) -> Fields:
    """Read a Query: its numbers, and the statement up to the delimiter."""
    fields = QUERY_NUMBERS(printed)
    text = SETTINGS.sub(b"", printed.text, count=1)
    statement, delimiter, _ = text.partition(DELIMITER)
    if delimiter:
        fields["query"] = text_of(statement)
    return fields


def rotate(printed: Printed) -> Fields:
    """Read a Rotate, whose name may have several lines."""
    whole = f"{printed.description}\n{text_of(printed.text)}"
    match = re.match(r"\tRotate to (.*?)  pos: (\d+)$", whole, re.DOTALL | re.MULTILINE)
    return {"next_file": match[1], "next_position": int(match[2])} if match else {}


def gtid(printed: Printed) -> Fields:
    """Read a Gtid or Anonymous_gtid of MySQL; where the event lacks the first server's values, those that hold."""
    fields = GTID_NUMBERS(printed)
    for field in ("immediate_server_version", "original_server_version", "original_commit_timestamp"):
        match = re.search(rb"@@session\.%b=(\d+)" % field.encode(), printed.text)
        if match:
            fields[field] = int(match[1])
    match = re.search(rb"GTID_NEXT= '([^']*)'", printed.text)
    if match:
        fields["gtid"] = text_of(match[1])
    return fields


def previous_gtids(printed: Printed) -> Fields:
    """Read a Previous_gtids: a set over several comment lines."""
    match = re.match(rb"# ((?:.*,\n# )*.*)", printed.text)
    if not match:
        return {}
    text = text_of(match[1]).replace("\n# ", "").replace(" ", "")
    return {"previous_gtids": "" if text == "[empty]" else text}


def intvar(printed: Printed) -> Fields:
    """Read an Intvar."""
    match = re.match(rb"SET (\w+)=(-?\d+)", printed.text)
    return {"intvar_type": INTVARS.get(match[1], 0), "intvar_value": int(match[2])} if match else {}


def rand(printed: Printed) -> Fields:
    """Read a Rand."""
    match = re.match(rb"SET @@RAND_SEED1=(-?\d+), @@RAND_SEED2=(-?\d+)", printed.text)
    return {"seed1": int(match[1]), "seed2": int(match[2])} if match else {}


QUERY_NUMBERS = numbers(
    r"\tQuery\tthread_id=(\d+)\texec_time=(\d+)\terror_code=(\d+)", "thread_id", "exec_time", "error_code"
)
GTID_NUMBERS = numbers(
    r"last_committed=(-?\d+)\tsequence_number=(-?\d+)"
    r"(?=.*\timmediate_commit_timestamp=(\d+))(?=.*\ttransaction_length=(\d+))",
    "last_committed",
    "sequence_number",
    "immediate_commit_timestamp",
    "transaction_length",
)
TABLE_ID = numbers(r" mapped to number (\d+)", "table_id")
ROWS = numbers(r": table id (\d+)", "table_id")
XID = numbers(r"\tXid = (\d+)", "xid")

#: Event type code -> the function that reads its text, for both programs.
READERS: dict[int, Callable[[Printed], Fields]] = {
    QUERY: query,
    ROTATE: rotate,
    5: intvar,
    13: rand,
    15: format_description,
    16: XID,
    TABLE_MAP: TABLE_ID,  # A backtick may belong to either name, so the names are not reported.
    **dict.fromkeys(ROWS_EVENTS, ROWS),
}
#: The same, for MySQL's program only.
MYSQL_READERS = {33: gtid, 34: gtid, 35: previous_gtids, 42: gtid}


def text_of(data: bytes) -> str:
    """Return text in the notation of the protocol."""
    return data.decode("utf-8", "replace")


#: What is reported of an event in the role `client`. The program prints events, and keeps no position of its own.
OF_CLIENT = ("type", "log_pos", "timestamp", "server_id", "flags", "query")
#: Its words where the source has gone.
LOST = re.compile(r"Lost connection|Can't connect|server has gone away")
#: How often it is started again in a row without an event.
TRIES = 3
#: Its words where it lacks what an older source takes for the password: a plugin, which is a file of its own.
NO_PLUGIN = re.compile(r"Authentication plugin '(\w+)' cannot be loaded")


class Place:
    """Where the program is to begin: at a position, or after the GTIDs of whole groups that it has printed.

    Args:
        settings: Those of a question in the role `client`.
    """

    def __init__(self, settings: Fields) -> None:
        self._log, self._position = settings["log_name"], settings["log_pos"]
        self._gtids: str | None = settings["gtid_set"]
        self._pending = ""
        self._in_transaction = False

    def options(self) -> list[str]:
        """Return the options and the argument that name the place."""
        if self._gtids is None:
            return ["--read-from-remote-server", f"--start-position={self._position}", self._log]
        # The source finds the log in which to begin.
        return ["--read-from-remote-source=BINLOG-DUMP-GTIDS", f"--exclude-gtids={self._gtids}", ""]

    def move(self, event: Fields) -> None:
        """Move to after an event."""
        if event["type"] == ROTATE and "next_file" in event:
            self._log, self._position = event["next_file"], event["next_position"]
        elif event["log_pos"]:
            self._position = event["log_pos"]
        if event["type"] in GTIDS:
            self._pending, self._in_transaction = event.get("gtid", ""), False
        words = event.get("query", "").upper()
        if words == "BEGIN" or words.startswith("XA START "):
            self._in_transaction = True
        elif self._ends_group(event["type"], words) and ":" in self._pending and self._gtids is not None:
            self._gtids = ",".join(filter(None, (self._gtids, self._pending)))
            self._pending = ""

    def _ends_group(self, event_type: int, words: str) -> bool:
        is_statement = event_type in (QUERY, EXECUTE_LOAD_QUERY) and not self._in_transaction
        return event_type in GROUP_ENDS or words in ("COMMIT", "ROLLBACK") or is_statement


def before_gap(events: list[Fields]) -> list[Fields]:
    """Return the events of a source's logs before the first that is missing.

    MySQL's program keeps what belongs to a statement, such as Rand, until it prints the statement: where the connection
    is lost before that, it has printed what comes between them.
    """
    end = 0
    for number, event in enumerate(events):
        if event["type"] == ROTATE:
            end = 0
        elif event["log_pos"]:
            if end and event["log_pos"] - event["length"] > end:
                return events[:number]
            end = event["log_pos"]
    return events


def before_open_file(events: list[Fields]) -> list[Fields]:
    """Return the events before a file of LOAD DATA that is not executed yet.

    Where the program begins within a file, it prints nothing for the event that executes it.
    """
    for number in range(len(events) - 1, -1, -1):
        if events[number]["type"] in FILE_ENDS:
            break
        if events[number]["type"] == BEGIN_LOAD_QUERY:
            return events[:number]
    return events


class Reader:
    """One of the two programs.

    Args:
        program: Its name or path.
        folder: The folder for its files.
    """

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._file = folder / "binlog.000001"
        self._environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C"}
        usage = self._run("--help")
        self.name = "mariadb-binlog" if "MariaDB" in usage else "mysqlbinlog"
        # MariaDB's also has a version of its own, which is the same in many releases, and some print nothing else.
        versions = self._run("--version")
        match = re.search(r"(?:Distrib|from) ([\d.]+)", versions) or re.search(r"Ver ([\d.]+)", versions)
        if match is None:
            sys.exit(f"{program} names no version: it is neither mysqlbinlog nor mariadb-binlog")
        self.version = match[1]
        self._readers = {**READERS, **MYSQL_READERS} if self.name == "mysqlbinlog" else READERS
        # Without -vv MySQL's program prints no Rows_query events; with it MariaDB's stops at columns it cannot print.
        # Newer programs of MariaDB refuse GTIDs out of order, which servers log, and logs that do not follow on one
        # another, unless an option asks for them.
        self._unordered = ["--skip-gtid-strict-mode"] if "gtid-strict-mode" in usage else []
        # Files of LOAD DATA are written to the folder, and deleted with it.
        self._options = [
            *(["-vv"] if self.name == "mysqlbinlog" else []), "--hexdump",
            "--base64-output=decode-rows", "--verify-binlog-checksum",
            *self._unordered, f"--local-load={folder}",
        ]  # fmt: skip
        self._command = [program, "--no-defaults", *self._options, str(self._file)]
        self._knows_gtids = "BINLOG-DUMP-GTIDS" in usage
        # Newer programs of MariaDB refuse a source without TLS unless an option asks for one.
        self._without_tls = self.name == "mariadb-binlog" and "--ssl" in usage

    def _run(self, option: str) -> str:
        try:
            done = subprocess.run([self._program, option], capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"{self._program} {option}: {error}")
        return done.stdout.decode("utf-8", "replace")

    @property
    def fields(self) -> list[str]:
        """The fields that its text shows."""
        common = [
            "offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled", "binlog_version",
            "server_version", "checksum_algorithm", "thread_id", "exec_time", "error_code", "query", "xid",
            "next_position", "next_file", "intvar_type", "intvar_value", "seed1", "seed2", "table_id",
        ]  # fmt: skip
        if self.name == "mariadb-binlog":
            return common
        return [
            *common, "gtid", "last_committed", "sequence_number", "immediate_commit_timestamp",
            "transaction_length", "immediate_server_version", "original_server_version", "original_commit_timestamp",
            "previous_gtids",
        ]  # fmt: skip

    @property
    def abilities(self) -> list[str]:
        """What it can do; MySQL's program opens payloads since it knows them."""
        return ["framing", "checksums", "error_at", *(["payloads"] if self.name == "mysqlbinlog" else [])]

    @property
    def profiles(self) -> list[str]:
        """The servers that it claims, as ranges of versions."""
        if self.name == "mariadb-binlog":
            return ["mysql < 8.0", "mariadb"]
        version = tuple(int(part) for part in re.findall(r"\d+", self.version)[:2])
        if version < OLDEST:
            return []
        major, minor = version
        newer = f"{major + 1}.0" if version >= INNOVATION else f"{major}.{minor + 1}"
        return [f"mysql >= 5.6, < {newer}" if version >= WITHOUT_ROWS_V1 else f"mysql < {newer}"]

    @property
    def printed_profiles(self) -> list[str]:
        """The servers of its own product: MariaDB's program does not print MySQL's own events as MySQL's does."""
        return [name for name in self.profiles if name.startswith("mariadb") == (self.name == "mariadb-binlog")]

    def decode(self, stream: bytes) -> tuple[list[Fields], Fields | None]:
        """Return the events that the program prints, and the error that it ends with.

        Raises:
            Unprinted: The program leaves out what it cannot print.
        """
        self._file.write_bytes(stream)
        done = self._read(self._command, PRINTED_LIMIT + PRINTED_FOR_BYTE * len(stream))
        events, error = self.events(done.stdout), refusal(done.returncode, text_of(done.stderr))
        if error is not None and IN_PAYLOAD in error["message"] and events and events[-1]["type"] == PAYLOAD:
            # It names no offset, and has printed the beginning of the payload already.
            error["at"] = events.pop()["offset"]
        unprinted = [
            each["offset"]
            for each in events
            if each["type"] == QUERY and each["handled"] == "known" and "query" not in each
        ]
        in_last = unprinted == [each["offset"] for each in events[-1:]]
        if unprinted and in_last and error is not None and (error["at"] or 0) <= unprinted[0]:
            events.pop()  # It ended in the middle of this one.
        elif unprinted:
            raise Unprinted(f"the statement of the Query event at offset {unprinted[0]} is not printed")
        return events, error

    def _read(self, command: list[str], limit: float = math.inf) -> subprocess.CompletedProcess[bytes]:
        """Run the program.

        Args:
            command: Its path and its arguments.
            limit: How much it may print of a log without a payload, in bytes.

        Raises:
            Unprinted: It prints too much of what an event holds: the dump takes many times what the program takes for
                the event itself, both in time and in room.
        """
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=self._environment) as process,
        ):
            assert process.stdout is not None, "the output is a pipe"
            chunks, size, has_payload = [b""], 0, False
            while chunk := process.stdout.read(CHUNK):
                has_payload = has_payload or COMPRESSED_BEGIN in chunks[-1][-len(COMPRESSED_BEGIN) :] + chunk
                chunks.append(chunk)
                size += len(chunk)
                most = IN_PAYLOAD_LIMIT if has_payload else limit
                if size > most:
                    process.kill()
                    raise Unprinted(f"the hex dump of what is compressed is larger than {int(most) >> 20} MiB")
            process.wait()
            errors.seek(0)
            done = subprocess.CompletedProcess(command, process.returncode, b"".join(chunks), errors.read())
        if done.returncode < 0:
            # It was killed by a signal. The adapter ends in the same way, so that the kit sees the crash.
            sys.stderr.write(text_of(done.stderr))
            sys.stderr.flush()
            signal.signal(-done.returncode, signal.SIG_DFL)
            os.kill(os.getpid(), -done.returncode)
        return done

    def replicate(self, settings: Fields) -> tuple[list[Fields], Fields | None]:
        """Return the events that the program prints of a source's logs, and the error that it ends with.

        Raises:
            Unprinted: The program leaves out what it cannot print, or cannot ask by GTIDs.
        """
        if settings["gtid_set"] is not None and not self._knows_gtids:
            raise Unprinted("the program does not ask by sets of GTIDs")
        options = self._folder / "source.cnf"
        names = ("host", "port", "user", "password")
        lines = [*(f'{name} = "{settings[name]}"' for name in names), *(["skip-ssl"] if self._without_tls else [])]
        options.write_text("\n".join(("[client]", *lines, "")), encoding="utf-8")
        command = [self._program, f"--defaults-file={options}", *self._options, "--to-last-log"]
        place, delivered, tries = Place(settings), [], 0
        # MariaDB's sources leave events out, and so do all that are asked by GTIDs.
        has_no_gaps = self.name == "mysqlbinlog" and settings["gtid_set"] is None
        while True:
            done = self._read([*command, *place.options()])
            events = self.printed(done.stdout)
            error = refusal(done.returncode, text_of(done.stderr))
            is_lost = error is not None and LOST.search(error["message"])
            if is_lost and settings["gtid_set"] is None:
                events = before_open_file(events)
            for event in before_gap(events) if has_no_gaps else events:
                place.move(event)
            delivered += events
            if plugin := NO_PLUGIN.search(text_of(done.stderr)):
                raise Unprinted(f"the program has no {plugin[1]} here, with which the source authenticates")
            tries = 0 if any(event["log_pos"] for event in events) else tries + 1
            if tries == TRIES or not is_lost:
                break
        entries = [{name: event[name] for name in OF_CLIENT if name in event} for event in delivered]
        if error is None:
            entries.append({"type": None, "log_pos": 0})
        return entries, error

    def printed(self, output: bytes) -> list[Fields]:
        """Return the events that the program printed of a source's logs, those of each log in their order there.

        Raises:
            Unprinted: The program does not print the statement of a Query event.
        """
        output = FOOTER.sub(b"", COMPRESSED.sub(b"", output))
        starts = list(EVENT.finditer(output))
        ends = [each.start() for each in starts[1:]] + [len(output)]
        events: list[tuple[int, int, Fields]] = []
        log = position = 0
        for start, end in zip(starts, ends, strict=False):
            event = self._event(start, NEXT.sub(b"", output[start.end() : end]))
            if event["type"] == QUERY and event["handled"] == "known" and "query" not in event:
                raise Unprinted(f"the statement of the Query event that ends at {event['log_pos']} is not printed")
            if event["type"] == ROTATE and not event["log_pos"]:
                log, position = log + 1, 0  # The source's own, at the beginning of each log.
            # Some events are printed only after their successor.
            position = event["log_pos"] or position
            events.append((log, position, event))
        return [event for _, _, event in sorted(events, key=operator.itemgetter(0, 1))]

    def render(self, streams: list[bytes], settings: Fields) -> tuple[list[Fields], Fields | None]:
        """Return what the program prints for some logs in one call, and the error that it ends with."""
        files = [self._folder / f"render.{number:06d}" for number in range(1, len(streams) + 1)]
        for file, stream in zip(files, streams, strict=True):
            file.write_bytes(stream)
        east = settings["utc_offset"]
        # In the notation of TZ, hours west of UTC are positive.
        zone = f"KIT{'-' if east >= 0 else '+'}{abs(east) // 60:02d}:{abs(east) % 60:02d}"
        command = [
            self._program, "--no-defaults", *self._unordered, *["-v"] * settings["verbose"],
            f"--base64-output={settings['base64_output']}", f"--start-position={settings['start_position']}",
            f"--local-load={self._folder}", *map(str, files),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, env={**self._environment, "TZ": zone}, check=False)
        errors = text_of(done.stderr)
        warnings = "\n".join(line for line in errors.splitlines() if "WARNING" in line)
        return [{"text": text_of(done.stdout), "warnings": warnings}], refusal(done.returncode, errors)

    def filter(self, stream: bytes, settings: Fields) -> tuple[list[Fields], Fields | None]:
        """Return the fate of the events to which the rule for a database applies, and of the other printed ones.

        Raises:
            CannotFilter: It has no equivalent rule, or takes an event for an ignorable one, to which it applies none.
        """
        self._file.write_bytes(stream)
        command = [*self._command[:-1], f"--database={database_of(settings, stream)}", self._command[-1]]
        done = subprocess.run(command, capture_output=True, env=self._environment, check=False)
        error = refusal(done.returncode, text_of(done.stderr))
        printed = self.events(done.stdout, whole=False)
        ignored = [each["offset"] for each in printed if each["handled"] == "ignored" and each["type"] in FILTERED]
        if ignored:
            raise CannotFilter(f"the event at offset {ignored[0]} is printed as an ignorable one, whatever the rule")
        kept = {each["offset"] for each in printed}
        fates = []
        for offset, event in cut(stream):
            if error is not None and error["at"] is not None and offset >= error["at"]:
                break
            if offset in kept or event[4] in FILTERED:
                fate = "kept" if offset in kept else "dropped"
                fates.append({"offset": offset, "type": event[4], "fate": fate})
        return fates, error

    def events(self, output: bytes, *, whole: bool = True) -> list[Fields]:
        """Return the events of the program's output, in the order of the stream.

        Args:
            output: What it printed.
            whole: Whether it should have printed every event that it read.

        Raises:
            Unprinted: The program prints the offset of an event and nothing else, or nothing of its header.
        """
        output = FOOTER.sub(b"", COMPRESSED.sub(b"", output))
        if whole and (encryption := ENCRYPTION.search(output)) is not None:
            raise Unprinted(f"the event at offset {int(encryption[1])} is printed without its header")
        starts = list(EVENT.finditer(output))
        ends = [each.start() for each in starts[1:]] + [len(output)]
        events: list[Fields] = []
        announced = places(output[: ends[0] if starts else 0])
        for start, end in zip(starts, ends, strict=False):
            text = output[start.end() : end]
            event = self._event(start, NEXT.sub(b"", text))
            if event["type"] == ANNOTATE_ROWS and announced:
                event["offset"] = announced[0]  # It is printed late, with the offset of its successor in its dump.
            announced = [each for each in announced if each != event["offset"]] + places(text)
            events.append(event)
        if announced and whole:
            raise Unprinted(f"the event at offset {announced[0]} is read but not printed")
        # Some events are printed only after their successor.
        return sorted(events, key=operator.itemgetter("offset"))

    def _event(self, start: re.Match[bytes], rest: bytes) -> Fields:
        header = bytes.fromhex(start["header"].decode().replace("|", ""))
        description = DESCRIPTION.search(rest)
        printed = Printed(
            checksum=start["checksum"] is not None,
            description=text_of(description[1]) if description else "",
            text=rest[description.end() :] if description else b"",
        )
        fields: Fields = {
            "offset": int(start["offset"], 16),
            "type": header[4],
            "timestamp": int.from_bytes(header[0:4], "little"),
            "server_id": int(start["server_id"]),
            "length": int.from_bytes(header[9:13], "little"),
            "log_pos": int(start["log_pos"]),
            "flags": int.from_bytes(header[17:19], "little"),
            "handled": "ignored" if printed.description == "\tIgnorable" else "known",
        }
        if fields["handled"] == "known" and header[4] in self._readers:
            fields.update(self._readers[header[4]](printed))
        if PACKED_ROWS.match(printed.description) and header[4] in UNPACKED_ROWS:
            fields["type"] = UNPACKED_ROWS[header[4]]
            packed = fields["log_pos"] - fields["offset"]
            fields["length"] = packed if packed >= HEADER_BYTES else fields["length"]
        return fields


def cut(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each event of a valid stream with its offset."""
    at = 4
    while at < len(stream):
        length = int.from_bytes(stream[at + 9 : at + 13], "little")
        yield at, stream[at : at + length]
        at += length


def database_of(settings: Fields, stream: bytes) -> str:
    """Return the one database whose rule is equivalent: the program's rule applies to all tables of a database.

    Raises:
        CannotFilter: There is none for the tables of this stream.
    """
    wanted = {(database, name) for database, name in settings["do_tables"]}
    databases = {database for database, _ in wanted}
    plain = settings["tables"] == "literal" and settings["renames"] == "name"
    if not plain or len(databases) != 1:
        raise CannotFilter("the program's only rule is for one database")
    present = {named_table(event) for _, event in cut(stream) if event[4] == TABLE_MAP}
    if not {each for each in present if each[0] in databases} <= wanted:
        raise CannotFilter("the program's rule for a database applies to all of its tables")
    return str(databases.pop())


def named_table(event: bytes) -> tuple[str, str]:
    """Return the database and the table of a Table_map event whose table id has six bytes."""
    at = HEADER_BYTES + 8
    names = []
    for _ in range(2):
        size = event[at]
        names.append(text_of(event[at + 1 : at + 1 + size]))
        at += size + 2
    return names[0], names[1]


def places(text: bytes) -> list[int]:
    """Return the offsets in the ``# at`` lines at the end of a text."""
    match = NEXT.search(text)
    return [int(each) for each in re.findall(rb"\d+", match[0])] if match else []


def refusal(status: int, errors: str) -> Fields | None:
    """Return the error that the program ended with; its exit status alone does not always show one."""
    if status == 0 and not re.search("^ERROR:", errors, re.MULTILINE):
        return None
    match = BAD_OFFSET.search(errors)
    kind = next((kind for words, kind in KINDS if words in errors), "other")
    message = " ".join(line for line in errors.splitlines() if "WARNING" not in line)
    at = int(match[1]) if match else 0 if kind in ("not-a-binlog", "encrypted") else None
    return {"at": at, "kind": kind, "message": message}


def stream_of(request: Fields) -> bytes:
    """Return the stream of a request."""
    if "stream" in request:
        return base64.b64decode(request["stream"])
    with open(request["path"], "rb") as file:
        file.seek(request["offset"])
        return file.read(request["length"])


def serve(reader: Reader) -> None:
    """Answer the requests on standard input."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "stop":
            return
        if request["cmd"] == "start":
            role = {
                "fields": reader.fields,
                "abilities": reader.abilities,
                "profiles": reader.profiles,
            }
            about = {"name": reader.name, "version": reader.version, "language": "C++"}
            answer = {
                "protocol": 1,
                "implementation": {**about, "homepage": HOMEPAGES[reader.name]},
                "roles": {
                    "decode": role,
                    "render": {
                        "fields": ["text", "warnings"],
                        "abilities": ["error_at"],
                        "profiles": reader.printed_profiles,
                    },
                    "filter": {
                        "fields": ["offset", "type", "fate"],
                        "abilities": ["error_at"],
                        "profiles": reader.profiles,
                    },
                    "client": {"fields": OF_CLIENT, "abilities": [], "profiles": reader.profiles},
                },
            }
        elif request["cmd"] == "decode":
            try:
                events, error = reader.decode(stream_of(request))
                answer = {"seq": request["seq"], "events": events, "error": error}
            except Unprinted as unprinted:
                answer = {"seq": request["seq"], "unsupported": str(unprinted)}
        elif request["cmd"] == "client":
            try:
                events, error = reader.replicate(request["settings"])
                answer = {"seq": request["seq"], "events": events, "error": error}
            except Unprinted as unprinted:
                answer = {"seq": request["seq"], "unsupported": str(unprinted)}
        elif request["cmd"] == "filter":
            try:
                events, error = reader.filter(stream_of(request), request["settings"])
                answer = {"seq": request["seq"], "events": events, "error": error}
            except CannotFilter as reason:
                answer = {"seq": request["seq"], "unsupported": str(reason)}
        elif request["cmd"] == "render" and request["settings"]["form"] == "mysqlbinlog":
            streams = [stream_of(request), *map(base64.b64decode, request["settings"]["following"])]
            events, error = reader.render(streams, request["settings"])
            answer = {"seq": request["seq"], "events": events, "error": error}
        elif request["cmd"] == "render":
            answer = {"seq": request["seq"], "unsupported": "the program does not list rows of SHOW BINLOG EVENTS"}
        else:
            answer = {"seq": request["seq"], "unsupported": f"the role {request['cmd']} is not supported"}
        print(json.dumps(answer, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="mysqlbinlog, mariadb-binlog, or the path of one of them")
    program = parser.parse_args().program
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="binlog-conformance-") as temporary:
        serve(Reader(program, Path(temporary)))
