"""Layouts of events that end a transaction, announce one or hold one.

Sources: the layouts that MySQL 5.0 to 9.7 write, checked against files of those servers.
"""

from typing import Final

from conformance.binlog.codecs import U8, U32, U64, Bytes, Packed, Rest
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import Field, Layout

XID: Final = Layout(body=(Field("xid", U64),))

XA_PREPARE: Final = Layout(
    body=(
        Field("one_phase", U8),
        Field("xa_format_id", U32),
        Field("xa_gtrid_length", U32),
        Field("xa_bqual_length", U32),
        Field("xa_data", Bytes(lambda values: values["xa_gtrid_length"] + values["xa_bqual_length"])),
    )
)

#: Every server declares a wrong post-header length for this type: the type code.
TRANSACTION_PAYLOAD: Final = Layout(
    block=Keyed(
        {
            1: Field("payload_size", Packed()),
            2: Field("compression_type", Packed()),
            3: Field("uncompressed_size", Packed()),
        },
        key=Packed(),
        length=Packed(),
        end_key=0,
    ),
    body=(Field("payload", Rest()),),
    honours_post_header=False,
)

LARGE_TRANSACTION_HEADER: Final = Layout(
    body=(
        Field("header_version", U8),
        Field("terminating_offset", U64),
        Field("terminating_type", U8),
        Field("fill", Rest(), derive=lambda values: b""),
    )
)
