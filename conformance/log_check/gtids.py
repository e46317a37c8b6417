"""Rules on GTIDs: Previous_gtids, GTIDs that are used once, and logical timestamps."""

import struct
from functools import lru_cache
from typing import Final

from conformance.binlog.errors import located
from conformance.binlog.event_types import GTID_TYPES, QUERY_TYPES, EventType, type_name
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import version_tuple
from conformance.binlog.gtid_set import uuid_text
from conformance.binlog.layout import TAIL
from conformance.binlog.limits import check_values, current_limits
from conformance.binlog.status_variables import read_status_variables
from conformance.log_check.log_event import Log, LogEvent
from conformance.log_check.verdicts import Verdicts

ON_PREVIOUS_GTIDS: Final = "WL7592-LOG-ON-PREVIOUS-GTIDS"
PREVIOUS_GTIDS: Final = "WL7592-LOG-OFF-PREVIOUS-GTIDS"
RELAY_PREVIOUS_GTIDS: Final = "WL7592-RELAY-PREVIOUS-GTIDS-OWN"
RELAY_FOREIGN_PREVIOUS_GTIDS: Final = "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED"
PREVIOUS_GTIDS_ONCE: Final = "FORMAT-LOG-PREVIOUS-GTIDS-ONCE"
ANON_IGNORABLE: Final = "WL7592-LOG-ANON-IGNORABLE"
GTID_ONCE: Final = "FORMAT-LOG-GTID-ONCE"
SERVER_VERSION: Final = "FORMAT-LOG-GTID-SERVER-VERSION"
LOGICAL_TIMESTAMPS: Final = "WL7592-LOG-LOGICAL-TIMESTAMPS"
NO_QUERY_TIMESTAMPS: Final = "WL7592-LOG-NO-QUERY-TIMESTAMPS"

_PREVIOUS_GTIDS: Final = int(EventType.PREVIOUS_GTIDS)
_ANONYMOUS_GTID: Final = int(EventType.ANONYMOUS_GTID)
_MARIADB_GTID: Final = int(EventType.MARIADB_GTID)
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: Domain and server id of a MariaDB GTID.
_MARIADB_SOURCE: Final = struct.Struct("<II")
#: Events count from 0: the format description is event 0, Previous_gtids is event 1.
_SECOND: Final = 1
_DIRECTLY: Final = "a Previous_gtids event directly after the format description"


class PreviousGtids:
    """Judges that the second event of every log is its own Previous_gtids event, and the only one."""

    requirements = (
        ON_PREVIOUS_GTIDS, PREVIOUS_GTIDS, RELAY_PREVIOUS_GTIDS, RELAY_FOREIGN_PREVIOUS_GTIDS, PREVIOUS_GTIDS_ONCE,
    )  # fmt: skip
    codes = None
    places = None
    inside_payloads = False

    def __init__(self) -> None:
        self._second: LogEvent | None = None
        self._first_at: int | None = None
        self._judged_on = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event; only the first Gtid event shows that the log was written with gtid_mode=ON."""
        previous = seen.code == _PREVIOUS_GTIDS
        if previous and not log.relay:
            self._once(seen, verdicts)
        if log.events == _SECOND:
            self._second = seen
            self._begin(seen, log, verdicts, previous=previous)
        elif previous and log.relay:
            actual = "a second Previous_gtids event, the source's"
            verdicts.bad(RELAY_FOREIGN_PREVIOUS_GTIDS, seen.offset, actual, "only the replica's own, at the beginning")
        elif seen.code in GTID_TYPES and seen.code != _ANONYMOUS_GTID and not log.relay:
            self._first_gtid(verdicts)

    def _once(self, seen: LogEvent, verdicts: Verdicts) -> None:
        if self._first_at is None:
            self._first_at = seen.offset
            verdicts.good(PREVIOUS_GTIDS_ONCE)
        else:
            actual = f"a Previous_gtids event after the one at offset {self._first_at}"
            verdicts.bad(PREVIOUS_GTIDS_ONCE, seen.offset, actual, "one in the log, at its beginning")

    def _begin(self, seen: LogEvent, log: Log, verdicts: Verdicts, *, previous: bool) -> None:
        requirement = RELAY_PREVIOUS_GTIDS if log.relay else PREVIOUS_GTIDS
        if previous:
            verdicts.good(requirement)
            if log.relay:
                verdicts.good(RELAY_FOREIGN_PREVIOUS_GTIDS)
        else:
            verdicts.bad(requirement, seen.offset, type_name(seen.code), _DIRECTLY)

    def _first_gtid(self, verdicts: Verdicts) -> None:
        second = self._second
        if self._judged_on or second is None:
            return
        self._judged_on = True
        if second.code == EventType.PREVIOUS_GTIDS:
            verdicts.good(ON_PREVIOUS_GTIDS)
        elif not verdicts.holds(PREVIOUS_GTIDS):
            # If every log must have the event, its absence was reported when the log began.
            actual = f"{type_name(second.code)} in a log with Gtid events"
            verdicts.bad(ON_PREVIOUS_GTIDS, second.offset, actual, _DIRECTLY)


class AnonymousFlag:
    """Judges the ignorable flag of Anonymous_gtid events, as the worklog defines it."""

    requirements = (ANON_IGNORABLE,)
    codes = frozenset({int(EventType.ANONYMOUS_GTID)})
    places = None
    inside_payloads = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one Anonymous_gtid event."""
        if seen.flags & _IGNORABLE:
            verdicts.good(ANON_IGNORABLE)
        else:
            verdicts.bad(ANON_IGNORABLE, seen.offset, f"the flags {seen.flags:#06x}", "the ignorable flag 0x0080")


class ServerVersions:
    """Judges that the immediate_server_version of Gtid events is the version of the server that writes the log."""

    requirements = (SERVER_VERSION,)
    codes = frozenset(map(int, GTID_TYPES))
    places = None
    inside_payloads = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one Gtid event; in a relay log the server that wrote it is the source, if the source has the field."""
        shown = seen.fields.get("immediate_server_version")
        version = (0, 0, 0) if log.format is None else version_tuple(log.format.server_version)
        if shown is None or log.relay or not any(version):
            return
        major, minor, patch = version
        own = major * 10_000 + minor * 100 + patch
        if shown == own:
            verdicts.good(SERVER_VERSION)
        else:
            expected = f"{own}, as in the format description"
            verdicts.bad(SERVER_VERSION, seen.offset, f"an immediate_server_version of {shown}", expected)


class UsedGtids:
    """Judges that no GTID is used twice, and keeps the used ones for the next log.

    Attributes:
        executed: The set of the log's Previous_gtids event and the GTIDs of its transactions.
    """

    requirements = (GTID_ONCE,)
    codes = GTID_TYPES | {int(EventType.MARIADB_GTID), int(EventType.PREVIOUS_GTIDS)}
    places = None
    inside_payloads = False

    def __init__(self) -> None:
        self.executed = ExecutedGtids()
        #: Those of MariaDB, with domain and server id in the place of a UUID.
        self._of_mariadb = ExecutedGtids()
        #: The most intervals that both had together.
        self._most = 0

    @property
    def _size(self) -> int:
        return self.executed.size + self._of_mariadb.size

    def begin_counts(self) -> None:
        """Keep the GTIDs from here on only."""
        self.executed, self._of_mariadb, self._most = ExecutedGtids(), ExecutedGtids(), 0

    def can_join(self, before: "UsedGtids") -> bool:
        """Return whether the GTIDs of the part of the log before this one change no verdict on those of this one."""
        return (
            self.executed.is_disjoint(before.executed)
            and self._of_mariadb.is_disjoint(before._of_mariadb)
            and before._size + self._most <= current_limits().values
        )

    def join(self, before: "UsedGtids") -> None:
        """Add the GTIDs of the part of the log before this one."""
        self.executed.add_set(before.executed.gtids())
        self._of_mariadb.add_set(before._of_mariadb.gtids())
        # The next event shows whether the sum is within the limit.
        self._most = 0

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event; a relay log may receive a transaction again if it has only a part of it."""
        size = self._size
        if size > self._most:
            self._most = size
            with located(seen.offset):
                check_values(size, "intervals of GTIDs with those before it")
        if seen.code == _PREVIOUS_GTIDS:
            if "previous_gtids" in seen.fields:
                self.executed.add_set(seen.fields["previous_gtids"])
            return
        is_new = None if seen.code == _ANONYMOUS_GTID or log.relay else self._used_now(seen)
        if is_new:
            verdicts.good(GTID_ONCE)
        elif is_new is not None:
            actual = f"the GTID {_gtid_of(seen)}, which the log or its Previous_gtids already has"
            verdicts.bad(GTID_ONCE, seen.offset, actual, "a GTID that was not used before")

    def _used_now(self, seen: LogEvent) -> bool | None:
        """Add the GTID of an event; return whether it is new, None if the event has none."""
        fields = seen.fields
        if seen.code == _MARIADB_GTID and "gno" in fields:
            key = _MARIADB_SOURCE.pack(fields["domain_id"], seen.event.header.server_id)
            return self._of_mariadb.add(key, "", fields["gno"])
        if "source_uuid" not in fields or "gno" not in fields:
            return None
        return self.executed.add(fields["source_uuid"], _tag(seen), fields["gno"])


def _tag(seen: LogEvent) -> str:
    tag: bytes = seen.fields.get("tag", b"")
    return tag.decode("ascii", "replace")


def _gtid_of(seen: LogEvent) -> str:
    """Return the GTID of an event that has one, as text."""
    fields = seen.fields
    if seen.code == _MARIADB_GTID:
        return f"{fields['domain_id']}-{seen.event.header.server_id}-{fields['gno']}"
    return ":".join(filter(None, (uuid_text(fields["source_uuid"]), _tag(seen), str(fields["gno"]))))


class LogicalTimestamps:
    """Judges the logical timestamps of Gtid events."""

    requirements = (LOGICAL_TIMESTAMPS,)
    codes = GTID_TYPES
    places = None
    inside_payloads = False

    def __init__(self) -> None:
        self._last = 0

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one Gtid event; a relay log holds the numbers of several logs of its source."""
        numbers = seen.fields.get("last_committed"), seen.fields.get("sequence_number")
        last_committed, number = numbers
        if last_committed is None or number is None:
            expected = "last_committed and sequence_number"
            verdicts.bad(LOGICAL_TIMESTAMPS, seen.offset, "no logical timestamps", expected)
            return
        actual = f"last_committed={last_committed} sequence_number={number}"
        if not 0 <= last_committed < number:
            expected = "a sequence number above last_committed, which is 0 at least"
            verdicts.bad(LOGICAL_TIMESTAMPS, seen.offset, actual, expected)
        elif number <= self._last and not log.relay:
            verdicts.bad(LOGICAL_TIMESTAMPS, seen.offset, actual, f"a sequence number above {self._last}")
        else:
            verdicts.good(LOGICAL_TIMESTAMPS)
        self._last = number


#: Status codes of the logical timestamps that development releases wrote into Query events.
_TIMESTAMP_CODES: Final = frozenset({14, 15})


@lru_cache(maxsize=1024)
def _unknown_code(status_variables: bytes) -> int | None:
    """Return the first status code that this kit does not know; cached, as connections repeat their blocks."""
    left = read_status_variables(status_variables).get(TAIL)
    return left[0] if left else None


class QueryTimestamps:
    """Judges that no Query event carries a logical timestamp."""

    requirements = (NO_QUERY_TIMESTAMPS,)
    codes = QUERY_TYPES
    places = None
    inside_payloads = True

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one Query event."""
        block = seen.fields.get("status_variables", b"")
        code = _unknown_code(block) if block else None
        if code in _TIMESTAMP_CODES:
            actual = f"the status variable {code}{seen.where}"
            verdicts.bad(NO_QUERY_TIMESTAMPS, seen.offset, actual, "no logical timestamp in a Query event")
        else:
            verdicts.good(NO_QUERY_TIMESTAMPS)
