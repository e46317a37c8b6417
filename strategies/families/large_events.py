"""Events that do not fit into one packet of a connection, which holds 16 MiB less one byte (WL#4033)."""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.servers import WITH_CHECKSUMS
from conformance.strategies.events import gtid_events, mysql_events, statement_events
from conformance.strategies.grammar.dimension import Dimension, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import replica_groups
from conformance.strategies.groups import transactions as groups
from conformance.strategies.questions.send import PLACES

#: The bytes of an event with which its packet is full: there is one byte before it, which shows that no error follows.
_FULL: Final = (1 << 24) - 2
#: The bytes of the event, and those with which it ends: alone in a packet of their own, they are like an error, or like
#: the end of what is sent.
_LENGTH: Final = Dimension[tuple[int, bytes]](
    "length of the event",
    {
        "64 kB": (1 << 16, b""),
        "a packet is full": (_FULL, b""),
        "one byte more": (_FULL + 1, b"\xff"),
        "two bytes more": (_FULL + 2, b"\xfe\x00"),
    },
    heavy=("a packet is full", "one byte more", "two bytes more"),
)
_LOGS: Final = choices("logs", (1, 2, 3))
_FILE_ID_BYTES: Final = 4
_IGNORABLE: Final = int(Flag.IGNORABLE)


@family(
    focus="FORMAT-CLIENT-PACKETS",
    profiles=WITH_CHECKSUMS,
    checksums=False,
    few=True,
    dimensions=(_LENGTH, _LOGS),
)
def large_events(stream: StreamBuilder) -> None:
    """One to three logs, of which the first has an event of 16 MiB, the block of a file, that just fills a packet."""
    (length, end), count = stream.vary(_LENGTH), stream.vary(_LOGS)
    for number in range(1, count + 1):
        stream.describe_format()
        if stream.server.is_mariadb:
            groups.add_gtid_list(stream)
        elif stream.server.gtid_form != "5.6":
            stream.add(gtid_events.previous_gtids(stream, stream.executed.gtids(), flags=_IGNORABLE))
        if number == 1:
            size = length - HEADER_BYTES - _FILE_ID_BYTES
            block = statement_events.load_block(stream, 1, first=True, size=size, end=end)
            planned = [
                mysql_events.query(stream, "BEGIN"),
                block.marked("FORMAT-CLIENT-PACKETS"),
                statement_events.executed_text(stream, "LOAD DATA INFILE 'a' INTO TABLE `t1`", clause="INFILE 'a'"),
                mysql_events.xid(stream).marked("FORMAT-CLIENT-PACKETS"),
            ]
            groups.add_group(stream, planned, anonymous=True)
        groups.add_group(stream, groups.ddl(stream), anonymous=True)
        if number < count:
            stream.add(replica_groups.rotate(stream, f"binlog.{number + 1:06d}", 4))
    stream.settings.update(logs=count, log="first", place=PLACES[0])
