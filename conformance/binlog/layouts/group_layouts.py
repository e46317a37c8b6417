"""Layouts of the events of group replication: Transaction_context and View_change."""

from typing import Final

from conformance.binlog.codecs import U8, U16, U32, U64, Bytes, Counted, Padded, Record, Repeated
from conformance.binlog.layout import Field, Layout

TRANSACTION_CONTEXT: Final = Layout(
    post_header=(
        Field("server_uuid_length", U8, derive=lambda values: len(values["server_uuid"])),
        Field("thread_id", U32),
        Field("gtid_specified", U8),
        Field("snapshot_version_length", U32, derive=lambda values: len(values["snapshot_version"])),
        Field("write_set_count", U32, derive=lambda values: len(values["write_set"])),
        Field("read_set_count", U32, derive=lambda values: len(values["read_set"])),
    ),
    body=(
        Field("server_uuid", Bytes(lambda values: values["server_uuid_length"])),
        Field("snapshot_version", Bytes(lambda values: values["snapshot_version_length"])),
        Field("write_set", Repeated(Counted(U16), lambda values: values["write_set_count"])),
        Field("read_set", Repeated(Counted(U16), lambda values: values["read_set_count"])),
    ),
)

VIEW_CHANGE: Final = Layout(
    post_header=(
        Field("view_id", Padded(40)),
        Field("sequence_number", U64),
        Field("certification_count", U32, derive=lambda values: len(values["certification"])),
    ),
    body=(
        Field(
            "certification",
            Repeated(
                Record((("key", Counted(U16)), ("value", Counted(U32)))),
                lambda values: values["certification_count"],
            ),
        ),
    ),
)
