"""Layouts of Gtid, Anonymous_gtid, tagged Gtid and Previous_gtids events.

MySQL 5.6 to 8.0 appended fields to the untagged events, so each field after the first three may be missing.
"""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.codecs import I64, U8, U32, U64, Bytes, FlaggedInt, Gtids, Int, Packed
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import Field, Layout
from conformance.binlog.varlen import Varlen, VarlenText, VarlenUuid, varlen_width

#: The only typecode of logical timestamps; with any other one the rest of a Gtid body is ignored.
LOGICAL_TIMESTAMP_TYPECODE: Final = 2


def _has_logical_timestamps(values: Mapping[str, Any]) -> bool:
    return values.get("logical_timestamp_typecode") == LOGICAL_TIMESTAMP_TYPECODE


def _has(name: str) -> Any:
    return lambda values: values.get(f"has_{name}", name in values)


GTID: Final = Layout(
    post_header=(
        Field("gtid_flags", U8),
        Field("source_uuid", Bytes(16)),
        Field("gno", I64),
        Field("logical_timestamp_typecode", U8, optional=True),
        Field("last_committed", I64, optional=True, when=_has_logical_timestamps),
        Field("sequence_number", I64, optional=True, when=_has_logical_timestamps),
    ),
    body=(
        Field(
            "immediate_commit_timestamp",
            FlaggedInt(7, "original_commit_timestamp"),
            optional=True,
            when=_has_logical_timestamps,
        ),
        Field("original_commit_timestamp", Int(7), when=_has("original_commit_timestamp"), optional=True),
        Field("transaction_length", Packed(), optional=True, when=_has_logical_timestamps),
        Field(
            "immediate_server_version",
            FlaggedInt(4, "original_server_version"),
            optional=True,
            when=_has_logical_timestamps,
        ),
        Field("original_server_version", U32, when=_has("original_server_version"), optional=True),
        Field("commit_group_ticket", U64, optional=True, when=_has_logical_timestamps),
    ),
)

_TAGGED_FIELDS: Final = Keyed(
    {
        0: Field("gtid_flags", Varlen()),
        1: Field("source_uuid", VarlenUuid()),
        2: Field("gno", Varlen(signed=True)),
        3: Field("tag", VarlenText()),
        4: Field("last_committed", Varlen(signed=True)),
        5: Field("sequence_number", Varlen(signed=True)),
        6: Field("immediate_commit_timestamp", Varlen()),
        7: Field("original_commit_timestamp", Varlen()),
        8: Field("transaction_length", Varlen()),
        9: Field("immediate_server_version", Varlen()),
        10: Field("original_server_version", Varlen()),
        11: Field("commit_group_ticket", Varlen()),
    },
    key=Varlen(),
    ascending=True,
)


def _message_size(values: Mapping[str, Any]) -> int:
    """Return the size that servers write: the width of the size itself is computed from the rest alone."""
    rest = varlen_width(values["message_version"]) + varlen_width(values.get("last_non_ignorable_field", 0))
    rest += len(_TAGGED_FIELDS.write(values))
    return rest + varlen_width(rest)


GTID_TAGGED: Final = Layout(
    post_header=(
        Field("message_version", Varlen(), derive=lambda values: 1),
        Field("message_size", Varlen(), derive=_message_size),
        Field("last_non_ignorable_field", Varlen(), derive=lambda values: 0),
    ),
    block=_TAGGED_FIELDS,
    honours_post_header=False,
)

PREVIOUS_GTIDS: Final = Layout(body=(Field("previous_gtids", Gtids()),))
