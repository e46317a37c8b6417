"""Rules on MariaDB's Gtid and Gtid_list events."""

from typing import Final

from conformance.binlog.event_types import EventType, type_name
from conformance.log_check.log_event import Break, Log, LogEvent
from conformance.log_check.transaction_rules import shown
from conformance.log_check.verdicts import Verdicts

GTID_FIRST: Final = "FORMAT-LOG-MARIADB-GTID-FIRST"
GTID_LIST: Final = "FORMAT-LOG-MARIADB-GTID-LIST"

#: The number of the event after the format description, from 0.
_SECOND: Final = 1


class MariadbGtids:
    """Judges that a log of MariaDB begins with one Gtid_list event, and each of its groups with a Gtid event."""

    requirements = (GTID_FIRST, GTID_LIST)
    codes = None
    places = None
    inside_payloads = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event; a relay log may begin anywhere in its source's."""
        if log.relay:
            return
        self._list(seen, log, verdicts)
        if seen.broken in (Break.SECOND_MARKER, Break.LONE_MARKER) and seen.transaction is not None:
            actual = f"{type_name(seen.code)} after the Gtid event at offset {seen.transaction.start}"
            verdicts.bad(GTID_FIRST, seen.offset, actual, "the group that the Gtid event begins")
        elif (begun := seen.begun) is not None:
            if begun.marker is not None:
                verdicts.good(GTID_FIRST)
            else:
                verdicts.bad(GTID_FIRST, seen.offset, shown(seen), "a Gtid event directly before it")

    def _list(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        is_list, is_second = seen.code == EventType.MARIADB_GTID_LIST, log.events == _SECOND
        if is_second and seen.code == EventType.MARIADB_START_ENCRYPTION:
            return
        if is_list and is_second:
            verdicts.good(GTID_LIST)
        elif is_list or is_second:
            place = "directly after the format description" if is_second else "after other events"
            expected = "one Gtid_list event, directly after the format description"
            verdicts.bad(GTID_LIST, seen.offset, f"{type_name(seen.code)} {place}", expected)
