"""Layouts of events about the log itself, and of those that are kept as bytes.

Sources: the layouts that MySQL 5.0 to 9.7 and MariaDB 10/11 write, checked against files of those servers.
"""

from typing import Final

from conformance.binlog.codecs import U8, U16, U32, U64, Counted, Packed, Padded, Rest
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import Field, Layout

START_V3: Final = Layout(
    post_header=(Field("binlog_version", U16), Field("server_version", Padded(50)), Field("created", U32))
)

FORMAT_DESCRIPTION: Final = Layout(
    body=(
        Field("binlog_version", U16),
        Field("server_version", Padded(50)),
        Field("created", U32),
        Field("header_length", U8),
        Field("post_header_lengths", Rest()),
    ),
    honours_post_header=False,
)

ROTATE: Final = Layout(post_header=(Field("next_position", U64),), body=(Field("next_file", Rest()),))

STOP: Final = Layout()

INCIDENT: Final = Layout(post_header=(Field("incident", U16),), body=(Field("message", Counted(U8)),))

HEARTBEAT: Final = Layout(body=(Field("log_name", Rest()),))

HEARTBEAT_V2: Final = Layout(
    block=Keyed(
        {1: Field("log_name", Rest()), 2: Field("log_position", Packed())},
        key=Packed(),
        length=Packed(),
        end_key=0,
    )
)

#: The base class of ignorable events: a reader skips what it holds.
IGNORABLE: Final = Layout(body=(Field("body", Rest()),))

#: An event that is kept as bytes: no released server writes it, or only one that declares a post-header for it.
OPAQUE: Final = Layout(body=(Field("body", Rest()),), honours_post_header=False)
