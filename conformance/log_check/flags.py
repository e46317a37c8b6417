"""The rule on the flags word of events in binary logs."""

from collections.abc import Mapping
from typing import Final

from conformance.binlog.event_types import KNOWN_TYPES, QUERY_TYPES, ROWS_TYPES, EventType, Purpose, type_name, types_of
from conformance.binlog.flags import Flag, flag_names
from conformance.log_check.log_event import Log, LogEvent
from conformance.log_check.verdicts import Verdicts

FLAGS: Final = "FORMAT-LOG-FLAGS"

#: Types of ordinary events. Those that readers may ignore can have the ignorable flag.
_ORDINARY: Final = (
    QUERY_TYPES
    | ROWS_TYPES
    | types_of(Purpose.COMMIT)
    | {EventType.GTID, EventType.GTID_TAGGED, EventType.TABLE_MAP, EventType.INTVAR, EventType.RAND, EventType.USER_VAR}
    | {EventType.ROTATE, EventType.STOP}
)
#: The flags of a file, which its first event has; before 5.0 that was a Start_v3.
_OF_FILES: Final = Flag.BINLOG_IN_USE | Flag.RELAY_LOG
#: Type -> the flags that its events have in no binary log.
_FOREIGN: Final[Mapping[int, int]] = {
    **{int(code): int(_OF_FILES) for code in KNOWN_TYPES - {EventType.START_V3}},
    **{int(code): int(_OF_FILES | Flag.IGNORABLE) for code in _ORDINARY},
    int(EventType.FORMAT_DESCRIPTION): int(Flag.IGNORABLE),
}


class Flags:
    """Judges the flags that only events of other types have, or those of relay logs."""

    requirements = (FLAGS,)
    codes = _FOREIGN.keys()
    places = None
    inside_payloads = True

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event; in a relay log some of these flags are the replica's, others its source's."""
        if log.relay:
            return
        foreign = seen.flags & _FOREIGN[seen.code]
        if foreign:
            actual = f"{type_name(seen.code)} with the flag {flag_names(foreign)}{seen.where}"
            verdicts.bad(FLAGS, seen.offset, actual, "the event without it, as servers write it")
        else:
            verdicts.good(FLAGS)
