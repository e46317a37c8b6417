"""Layouts of the events that only MariaDB has, type codes 160 to 172.

Sources: files of MariaDB 10.11; Partial_row_data (12.3) and Start_encryption as MariaDB documents them.
"""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.codecs import U8, U32, U64, Bytes, Record, Repeated, Rest
from conformance.binlog.layout import Field, Layout

#: Bits of `mariadb_gtid_flags`.
STANDALONE: Final = 0x01
GROUP_COMMIT: Final = 0x02
TRANSACTIONAL: Final = 0x04
ALLOW_PARALLEL: Final = 0x08
WAITED: Final = 0x10
DDL: Final = 0x20
PREPARED_XA: Final = 0x40
COMPLETED_XA: Final = 0x80
#: Bits of `mariadb_gtid_extra_flags`.
MULTI_ENGINE: Final = 0x01
START_ALTER: Final = 0x02
COMMIT_ALTER: Final = 0x04
ROLLBACK_ALTER: Final = 0x08
EXTRA_THREAD_ID: Final = 0x10

#: The least bytes of a Gtid body; a shorter one is padded with zeros.
_GTID_BYTES: Final = 19
#: The count of a Gtid_list shares its word with four flags in the highest bits.
_COUNT_MASK: Final = 0x0FFFFFFF
_ORIGINAL_SIZE_FOLLOWS: Final = 0x01


def _flagged(field: str, bits: int) -> Any:
    return lambda values: bool(values.get(field, 0) & bits)


_IS_XA: Final = _flagged("mariadb_gtid_flags", PREPARED_XA | COMPLETED_XA)

#: Optional from the extra flags on: in a body without them the padding zeros are read as flags of which none is set.
_GTID_FIELDS: Final = (
    Field("gno", U64),
    Field("domain_id", U32),
    Field("mariadb_gtid_flags", U8),
    Field("commit_id", U64, when=_flagged("mariadb_gtid_flags", GROUP_COMMIT)),
    Field("xa_format_id", U32, when=_IS_XA),
    Field("xa_gtrid_length", U8, when=_IS_XA),
    Field("xa_bqual_length", U8, when=_IS_XA),
    Field("xa_data", Bytes(lambda values: values["xa_gtrid_length"] + values["xa_bqual_length"]), when=_IS_XA),
    Field("mariadb_gtid_extra_flags", U8, optional=True),
    Field("extra_engines", U8, when=_flagged("mariadb_gtid_extra_flags", MULTI_ENGINE)),
    Field("start_alter_gno", U64, when=_flagged("mariadb_gtid_extra_flags", COMMIT_ALTER | ROLLBACK_ALTER)),
    Field("thread_id", U32, when=_flagged("mariadb_gtid_extra_flags", EXTRA_THREAD_ID)),
)


def _fill(values: Mapping[str, Any]) -> bytes:
    size = sum(
        len(each.codec.write(values[each.name], values))
        for each in _GTID_FIELDS
        if each.name in values and (each.when is None or each.when(values))
    )
    return bytes(max(_GTID_BYTES - size, 0))


#: `gno` is the sequence number within the domain; the server id of a GTID is the header's.
GTID: Final = Layout(
    body=(*_GTID_FIELDS, Field("fill", Rest(), derive=_fill)),
    honours_post_header=False,
)

GTID_LIST: Final = Layout(
    post_header=(Field("gtid_list_head", U32, derive=lambda values: len(values["gtid_list"])),),
    body=(
        Field(
            "gtid_list",
            Repeated(
                Record((("domain_id", U32), ("server_id", U32), ("gno", U64))),
                lambda values: values["gtid_list_head"] & _COUNT_MASK,
            ),
        ),
        # An empty list is padded with zeros.
        Field("fill", Rest(), derive=lambda values: b"" if values["gtid_list"] else bytes(2)),
    ),
)

ANNOTATE_ROWS: Final = Layout(body=(Field("rows_query", Rest()),))

BINLOG_CHECKPOINT: Final = Layout(
    post_header=(Field("log_name_length", U32, derive=lambda values: len(values["log_name"])),),
    body=(Field("log_name", Bytes(lambda values: values["log_name_length"])),),
)

START_ENCRYPTION: Final = Layout(
    body=(Field("encryption_scheme", U8), Field("key_version", U32), Field("nonce", Bytes(12)))
)

#: A piece of a rows event that was too large for one packet; pieces count from 1, and the first holds the whole size.
PARTIAL_ROW_DATA: Final = Layout(
    body=(
        Field("fragment_count", U32),
        Field("fragment_number", U32),
        Field("fragment_flags", U8),
        Field("original_size", U64, when=_flagged("fragment_flags", _ORIGINAL_SIZE_FOLLOWS)),
        Field("fragment", Rest()),
    ),
    honours_post_header=False,
)
