"""Replication clients of their own, written from docs/roles/client.md and docs/serve.md: nobody may blame one.

They differ in what they are free to do: what they ask first, when they move, what they deliver and where they resume.
"""

import struct
import sys
import zlib
from dataclasses import dataclass
from typing import Any

from connection import Connection, Lost, Refused
from watch import statement
from wire import (
    ANONYMOUS,
    ARTIFICIAL,
    CRC,
    FORMAT,
    GTID,
    GTID_TAGGED,
    HEADER,
    HEARTBEAT,
    HEARTBEAT_V2,
    IGNORABLE,
    PREVIOUS_GTIDS,
    QUERY,
    ROTATE,
    STOP,
    XID,
    Event,
    Format,
    GtidSet,
    Source,
    add,
    body_of_set,
    contains,
    event_at,
    gtid_of,
    serve,
    set_of_text,
    text_of_set,
)

_PROFILES = ["worklog", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x", "mariadb-10.x", "mariadb-11.x"]
_EXECUTE_LOAD_QUERY, _ROWS_QUERY, _XA_PREPARE, _PAYLOAD, _MARIADB_GTID = 18, 29, 38, 40, 162
_HEARTBEATS = {HEARTBEAT, HEARTBEAT_V2}
_STARTS = {GTID, ANONYMOUS, GTID_TAGGED, _MARIADB_GTID}
#: Events about a log: format description, Previous_gtids, Rotate, Stop, and MariaDB's checkpoint and list of GTIDs.
_OF_LOG = {FORMAT, PREVIOUS_GTIDS, ROTATE, STOP, 161, 163}
#: Events before the statement that they prepare: Intvar, Rand, User_var, Begin_load_query, texts of statements.
_PREPARING = {5, 9, 13, 14, 17, _ROWS_QUERY, 160}
#: Events that are handled by what they are, whatever their flags: statements, rows, ends of transactions.
_CHANGING = {QUERY, XID, 5, 9, 11, 13, 14, 17, 18, 19, *range(20, 26), *range(30, 33), 38, 39, 40, *range(165, 172)}
_KNOWN = set(range(1, 43)) | set(range(160, 172))
_DUMP, _REGISTER, _DUMP_GTID = 0x12, 0x15, 0x1E


@dataclass(frozen=True)
class Habits:
    """What a client is free to do.

    Attributes:
        first: Statements that it sends first.
        checksum: What it announces that it takes.
        registers: Whether it registers as a replica.
        flags: Those of the command with which it asks for events.
        moves: When it is after an event: at each "event", or at the end of each "group".
        whole: Whether it delivers a group only when it has all of it.
        undoes: Whether it takes back what it delivered of a group that was interrupted.
        shows: What it delivers besides the events of groups: "all" that it is sent, what the "log" has, or "none".
        types: Whether it reports the types of events that it does not know.
        resumes: What it asks for again: "own", the place or the GTIDs that it has; or its "place", although it began
            by GTIDs, and then it leaves out the transactions that it has.
        both: Whether it reports its place and its GTIDs, whichever it began with.
        follows: Whether it goes over to the next log at a Rotate event of a log already, and not at that which the
            source makes.
        sparing: Whether it reports where it would resume only where a group ends.
        insists: How often it asks again where the source answers with an error.
    """

    first: tuple[str, ...] = ()
    checksum: str = "'CRC32'"
    registers: bool = False
    flags: int = 1
    moves: str = "event"
    whole: bool = False
    undoes: bool = False
    shows: str = "log"
    types: bool = True
    resumes: str = "own"
    both: bool = False
    follows: bool = True
    sparing: bool = False
    insists: int = 0


#: What a replica of MySQL 9.7 asks first, but for the variables that older servers do not have.
_OF_REPLICA = (
    "SELECT UNIX_TIMESTAMP()",
    "SELECT @@GLOBAL.SERVER_ID",
    "SELECT @source_binlog_checksum",
    "SET @slave_uuid = '9f2c', @replica_uuid = '9f2c'",
)
HABITS = {
    "plain": Habits(),
    "replica": Habits(first=_OF_REPLICA, checksum="@@global.binlog_checksum", registers=True, flags=2, shows="all"),
    "dump-program": Habits(first=("SELECT VERSION()",), checksum="'NONE'", flags=0, shows="all"),
    "connector": Habits(
        first=("SET NAMES utf8mb4", "SHOW VARIABLES LIKE 'binlog_checksum'", "SHOW BINARY LOGS"),
        registers=True,
        moves="group",
        types=False,
    ),
    "moves-by-group": Habits(moves="group"),
    "whole-groups": Habits(moves="group", whole=True, shows="none", insists=2),
    "takes-back": Habits(moves="group", undoes=True, shows="none"),
    "transactions-only": Habits(shows="none"),
    "by-place": Habits(moves="group", resumes="place"),
    "both": Habits(both=True, flags=4, insists=9),
    "goes-over-late": Habits(follows=False, sparing=True),
    "both-by-group": Habits(both=True, moves="group", whole=True),
}


class _Client:
    def __init__(self, settings: dict[str, Any], habits: Habits, profile: str) -> None:
        self.settings, self.habits = settings, habits
        self.is_mariadb = profile.startswith("mariadb")
        self.by_gtids = settings["gtid_set"] is not None
        self.has: GtidSet = set_of_text(settings["gtid_set"] or "")
        #: Where it is, and where it would resume.
        self.at: tuple[str, int] = (settings["log_name"], settings["log_pos"])
        self.place = self.at
        self.form: Format | None = None
        self.delivered: list[dict[str, Any]] = []
        self.group: list[dict[str, Any]] = []
        self.pending: tuple[Source, int] | None = None
        #: Whether it is in a group, whether that has had its BEGIN, and whether it has it already.
        self.in_group = self.begun = self.leaves_out = False

    def run(self) -> None:
        """Receive everything, however often the connection is lost."""
        tries, refusals = 0, 0
        while tries < 3:
            tries += 1
            try:
                connection = Connection(self.settings)
                self._ask(connection)
                while (packet := connection.receive())[0] != 0xFE or len(packet) >= 9:
                    tries = 0
                    self._receive(event_at(packet, 1))
            except Lost:
                self._lose()
                continue
            except Refused:
                refusals += 1
                if refusals > self.habits.insists:
                    raise
                self._lose()
                continue
            finally:
                self.form = None
            self._deliver_group()
            self.delivered.append({"type": None, "log_pos": 0, **self._state()})
            return
        raise Refused("the source cannot be reached any more")

    def _ask(self, connection: Connection) -> None:
        habits, seconds = self.habits, self.settings["heartbeat_seconds"]
        for words in habits.first:
            connection.query(words)
        connection.query(
            f"SET @master_binlog_checksum = {habits.checksum}, @source_binlog_checksum = {habits.checksum}"
        )
        if seconds is not None:
            connection.query(f"SET @master_heartbeat_period = {seconds}000000000")
        if self.is_mariadb:
            connection.query("SET @mariadb_slave_capability = 4")
        if habits.registers:
            connection.send(struct.pack("<BIBBBHII", _REGISTER, 77, 0, 0, 0, 0, 0, 0))
            connection.receive()
        name, position = self.place
        if self.by_gtids and (habits.resumes == "own" or not name):
            tagged = any(tag for _, tag in self.has)
            gtids = body_of_set(self.has, tagged=tagged)
            head = struct.pack("<BHIIQI", _DUMP_GTID, habits.flags, 77, 0, 4, len(gtids))
            connection.send(head + gtids)
        else:
            connection.send(struct.pack("<BIHI", _DUMP, position, habits.flags, 77) + name.encode())

    def _lose(self) -> None:
        """Go back to where it would resume."""
        is_again = self.by_gtids and self.habits.resumes == "own"
        if self.habits.undoes or self.habits.whole:
            self.group = []
        elif is_again or self.habits.moves == "group":
            self._deliver_group()
        if is_again or self.habits.moves == "group":
            self.pending, self.in_group, self.begun = None, False, False
        self.at = self.place

    def _receive(self, event: Event) -> None:
        if event.type == FORMAT:
            self.form = Format(event)
        # MariaDB 11.4 logs the events within a transaction without a position.
        is_made = bool(event.flags & ARTIFICIAL) or (not event.log_pos and event.type in _OF_LOG)
        if event.type in _HEARTBEATS:
            return
        self._move(event, is_made)
        if event.type in _STARTS or event.type in _OF_LOG:
            self._end_group()
        entry = self._entry(event)
        self._begin(event)
        ends = self._ends(event, entry)
        if ends and self.pending is not None:
            add(self.has, *self.pending)
            self.pending = None
        if ends or not self.in_group or self.habits.moves == "event":
            self.place = self.at
        if self._shows(event, is_made) and not self.leaves_out:
            self.group.append({**entry, **(self._state() if ends or not self.habits.sparing else {})})
        if ends or not self.in_group:
            self._deliver_group()
        if ends:
            self.in_group = self.begun = False

    def _move(self, event: Event, is_made: bool) -> None:
        if event.type == ROTATE and (is_made or self.habits.follows):
            self._end_group()
            self.at = self.place = self._next(event)
        elif event.log_pos:
            self.at = self.at[0], event.log_pos

    def _next(self, event: Event) -> tuple[str, int]:
        end = len(event.raw)
        if self.form.checksummed if self.form is not None else self.habits.checksum == "'CRC32'":
            end -= CRC
        elif self.form is None and self.habits.checksum.startswith("@"):
            # What the source announced for itself is what it does: the last four bytes show it.
            end -= CRC * _is_sealed(event.raw)
        (position,) = struct.unpack_from("<Q", event.raw, HEADER.size)
        return event.raw[HEADER.size + 8 : end].decode(), position

    def _begin(self, event: Event) -> None:
        assert self.form is not None or event.type == ROTATE
        if event.type in (GTID, GTID_TAGGED) and self.form is not None:
            self.pending = gtid_of(event, self.form)
            self.leaves_out = self.habits.resumes == "place" and self.by_gtids and contains(self.has, *self.pending)
        elif event.type in (ANONYMOUS, _MARIADB_GTID) or event.type in _OF_LOG:
            self.pending, self.leaves_out = None, False
        if event.type in _STARTS or event.type in _PREPARING:
            self.in_group = True

    def _ends(self, event: Event, entry: dict[str, Any]) -> bool:
        """Return whether a transaction ends with an event, and note where one begins."""
        words = entry.get("query", "").upper()
        if words == "BEGIN" or words.startswith("XA START "):
            self.in_group = self.begun = True
            return False
        if event.type in (XID, _XA_PREPARE, _PAYLOAD) or words in ("COMMIT", "ROLLBACK"):
            return True
        return event.type in (QUERY, _EXECUTE_LOAD_QUERY) and not self.begun

    def _end_group(self) -> None:
        """Leave a group, where the next one or something else begins."""
        self._deliver_group()
        self.in_group = self.begun = False

    def _deliver_group(self) -> None:
        self.delivered += self.group
        self.group = []

    def _shows(self, event: Event, is_made: bool) -> bool:
        if self.habits.shows == "all":
            return True
        if is_made or event.type == FORMAT:
            return False
        passed_over = event.flags & IGNORABLE and event.type not in _CHANGING
        kept_back = event.type in _OF_LOG | {ANONYMOUS, _ROWS_QUERY, 28, 160} or passed_over
        return self.habits.shows == "log" or not kept_back

    def _entry(self, event: Event) -> dict[str, Any]:
        known = event.type in _KNOWN or self.habits.types
        names = {"timestamp": event.timestamp, "server_id": event.server_id, "flags": event.flags}
        entry = {"type": event.type if known else None, "log_pos": event.log_pos, **names}
        if event.type == QUERY and self.form is not None:
            entry["query"] = (statement(event, self.form) or b"").decode(errors="replace")
        return entry

    def _state(self) -> dict[str, Any]:
        place = {"resume_log": self.place[0], "resume_pos": self.place[1]}
        if self.habits.both or (self.by_gtids and self.habits.resumes == "place"):
            return {**place, "executed_gtids": text_of_set(self.has)}
        return {"executed_gtids": text_of_set(self.has)} if self.by_gtids else place


def _is_sealed(raw: bytes) -> bool:
    return zlib.crc32(raw[:-CRC]) == int.from_bytes(raw[-CRC:], "little")


def client_with(habits: Habits) -> Any:
    """Return what answers for a client with its habits."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        client, error = _Client(request["settings"], habits, request["profile"]), None
        try:
            client.run()
        except Refused as refused:
            error = {"at": None, "kind": "other", "message": str(refused)}
        return {"events": client.delivered, "error": error}

    return answer


if __name__ == "__main__":
    FIELDS = [
        "type",
        "log_pos",
        "timestamp",
        "server_id",
        "flags",
        "query",
        "resume_log",
        "resume_pos",
        "executed_gtids",
    ]
    serve("client", FIELDS, [], client_with(HABITS[sys.argv[1]]), _PROFILES)
