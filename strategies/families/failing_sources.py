"""Sources that end a dump with an error, as servers do whose logs are damaged, gone, or not there at all."""

from typing import Final, NamedTuple

from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.servers import WITH_CHECKSUMS
from conformance.strategies.events import gtid_events
from conformance.strategies.families.sent_gtids import WITH_AUTO_POSITION
from conformance.strategies.grammar.dimension import Dimension, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import replica_groups
from conformance.strategies.groups import transactions as groups
from conformance.strategies.questions.send import HOLDINGS, PLACES


class _Failure(NamedTuple):
    """How a source fails.

    Attributes:
        message: Its words, as 5.7.22, 8.0.15, 9.7.4 and MariaDB 10.1.23 and 11.8.9 sent them with error 1236; MariaDB
            sends error 29 where a log is gone.
        at_once: Whether it sends no event.
        whole: Whether the last group that it sends is whole.
        rotates: Whether the last log that it sends names another.
    """

    message: str
    at_once: bool = False
    whole: bool = True
    rotates: bool = False


_FAILS: Final = Dimension(
    "the source fails",
    {
        "after a group": _Failure("bogus data in log event"),
        "in a group": _Failure("binlog truncated in the middle of event", whole=False),
        "after a Rotate": _Failure("Could not open log file", rotates=True),
        "at once": _Failure("Binary log is not open", at_once=True),
    },
)
_LOGS: Final = choices("logs", (1, 2, 3))
_GROUPS: Final = Number("groups of a log")
_ASKED: Final = Dimension(
    "the client asks", {"by position": False, "by GTIDs": True}, profiles={"by GTIDs": WITH_AUTO_POSITION}
)
_HAS: Final = choices("GTIDs that the client has", HOLDINGS[:2], when={_ASKED.name: ("by GTIDs",)})
_IGNORABLE: Final = int(Flag.IGNORABLE)


@family(
    focus="FORMAT-CLIENT-ERROR",
    profiles=WITH_CHECKSUMS,
    dimensions=(_FAILS, _LOGS, _GROUPS, _ASKED, _HAS),
)
def failing_sources(stream: StreamBuilder) -> None:
    """One to three logs of a source that ends the dump with an error: at once, in or after a group, or after a log."""
    failure, count, by_gtids = stream.vary(_FAILS), stream.vary(_LOGS), stream.vary(_ASKED)
    for number in range(1, count + 1):
        stream.describe_format()
        if stream.server.is_mariadb:
            groups.add_gtid_list(stream)
        elif stream.server.gtid_form != "5.6":
            known = stream.executed.gtids() if number > 1 else GtidSet()
            stream.add(gtid_events.previous_gtids(stream, known, flags=_IGNORABLE))
        for _ in stream.several_of(_GROUPS):
            groups.add_group(stream, groups.group(stream), anonymous=not by_gtids)
        if number == count and not failure.whole:
            for event in groups.with_gtid(stream, groups.transaction(stream), anonymous=not by_gtids)[:-1]:
                stream.add(event)
        if number < count or failure.rotates:
            stream.add(replica_groups.rotate(stream, f"binlog.{number + 1:06d}", 4))
    stream.settings.update(logs=count, log="first", place=PLACES[0])
    if by_gtids:
        stream.settings.update(holding=stream.vary(_HAS), foreign=False, gtid_mode="ON")
    stream.settings["failure"] = {"message": failure.message, "at_once": failure.at_once, "whole": failure.whole}
