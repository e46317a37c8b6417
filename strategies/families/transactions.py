"""Transactions, rotation and checksums: ordinary streams."""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_CHECKSUMS, WITH_SERVER_ID_ZERO
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Dimension, Number, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import EPOCH, StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Transactions and statements that are one, in a log.
_GROUPS: Final = Number("groups", many=(200, 240))
#: What servers log of a statement as it was issued.
_TEXT: Final = Dimension(
    "text of a statement",
    {
        "any": "",
        "a NUL within": "insert into t1 values('a\0b')",
        "NULs at its end": "insert into t1 values('a') -- \0\0",
        "white space around it": " \n insert into t1 values('a') \t\n",
    },
)

_SERVER_ID: Final = Dimension(
    "server id",
    {"1": 1, "2^31": 1 << 31, "the largest": (1 << 32) - 1, "0": 0},
    profiles={"0": WITH_SERVER_ID_ZERO},
)
#: From 2038 on times are negative in 32 bits with a sign; older servers end before.
_TIME: Final = Dimension(
    "time of the events",
    {"2010": EPOCH, "from 2038": 1 << 31},
    profiles={"from 2038": Profiles("mysql >= 8.0.28", "mariadb >= 11.5")},
)


@family(focus=("FORMAT-EVENT-DELIVERED", "FORMAT-SEND-EVENT"), dimensions=(_GROUPS, _TEXT, _SERVER_ID, _TIME))
def transactions(stream: StreamBuilder) -> None:
    """Transactions and DDL statements in statement and row format, as the profile's server logs them."""
    stream.server_id, stream.timestamp = stream.vary(_SERVER_ID), stream.vary(_TIME)
    groups.begin_log(stream)
    for _ in stream.several_of(_GROUPS):
        groups.add_group(stream, groups.group(stream))
    text = stream.vary(_TEXT)
    if text:
        begin, end = mysql_events.query(stream, "BEGIN"), mysql_events.xid(stream)
        groups.add_group(stream, [begin, mysql_events.query(stream, text), end])
    if stream.choose.yes(6):
        groups.add_create_select(stream)
    groups.end_log(stream)
    if not stream.server.rules.ignorable:
        stream.mark("WL4033-CROSS-OLD-TO-OLD", "WL7592-OLD-STREAMS-READ")


_RELAY_LOG: Final = yes_or_no("relay log")
_FEW_GROUPS: Final = Number("groups")


@family(focus="FORMAT-ROTATE", dimensions=(_RELAY_LOG, _FEW_GROUPS))
def rotations(stream: StreamBuilder) -> None:
    """Logs that end with a Rotate; and relay logs: an artificial Rotate, then a second format description."""
    groups.begin_log(stream)
    if stream.vary(_RELAY_LOG):
        stream.add(mysql_events.rotate(stream, flags=int(Flag.ARTIFICIAL)))
        stream.checksummed = stream.server.checksums and stream.choose.yes()
        stream.describe_format(flags=int(Flag.RELAY_LOG), marks=("FORMAT-LATEST-GOVERNS",))
        stream.mark_following("FORMAT-LATEST-GOVERNS")
    for _ in stream.several_of(_FEW_GROUPS):
        groups.add_group(stream, groups.group(stream))
    stream.add(mysql_events.rotate(stream))


_IN_USE: Final = yes_or_no("log in use")
_END: Final = Dimension(
    "end of the log", {each: each for each in ("none", "Rotate", "Stop")}, when={"log in use": ("no",)}
)


@family(focus="FORMAT-CHECKSUM-NOT-BODY", profiles=WITH_CHECKSUMS, dimensions=(_IN_USE, _FEW_GROUPS, _END))
def checksum_streams(stream: StreamBuilder) -> None:
    """Streams with and without checksums, closed or still in use."""
    in_use = stream.vary(_IN_USE)
    groups.begin_log(stream, flags=int(Flag.BINLOG_IN_USE) if in_use else 0)
    for _ in stream.several_of(_FEW_GROUPS):
        groups.add_group(stream, groups.group(stream))
    end = "none" if in_use else stream.vary(_END)
    if end != "none":
        stream.add(mysql_events.rotate(stream) if end == "Rotate" else mysql_events.stop(stream))
    stream.mark("FORMAT-CHECKSUM-NOT-BODY")
