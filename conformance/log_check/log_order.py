"""How a log ends."""

from typing import Final

from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.flags import Flag
from conformance.log_check.log_event import Log, LogEvent, is_artificial
from conformance.log_check.verdicts import Verdicts

END_LAST: Final = "FORMAT-LOG-END-LAST"

_RELAY_LOG: Final = int(Flag.RELAY_LOG)
_ENDS: Final = frozenset({int(EventType.ROTATE), int(EventType.STOP)})


class EndLast:
    """Judges that nothing follows the Rotate or Stop that ends a log."""

    requirements = (END_LAST,)
    codes = None
    places = None
    inside_payloads = False

    def __init__(self) -> None:
        self.last: LogEvent | None = None

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event; a relay log holds Rotate events of its source, which do not end it."""
        if self.last is not None:
            actual = f"{type_name(seen.code)} after the {type_name(self.last.code)} event at offset {self.last.offset}"
            verdicts.bad(END_LAST, seen.offset, actual, "the end of the file")
            self.last = None
        if seen.code in _ENDS and (seen.flags & _RELAY_LOG if log.relay else not is_artificial(seen)):
            self.last = seen
            verdicts.good(END_LAST)
