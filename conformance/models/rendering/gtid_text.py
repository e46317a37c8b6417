"""Gtid, Anonymous_gtid, tagged Gtid and Previous_gtids events as mysqlbinlog prints them.

Source: the output of mysqlbinlog 9.7.4; WL#7592 for the words that were removed.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from conformance.binlog.event_info import text
from conformance.binlog.event_types import EventType
from conformance.binlog.gtid_set import GtidSet, uuid_text
from conformance.models.rendering.printer_version import PrinterVersion
from conformance.models.rendering.session_settings import DELIMITER

#: The flag of a transaction that may hold changes logged as statements.
_STATEMENTS: Final = 0x01
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: A transaction with row changes only is applied without gap locks.
_READ_COMMITTED: Final = f"/*!50718 SET TRANSACTION ISOLATION LEVEL READ COMMITTED*/{DELIMITER}"
#: The tag of a GTID without one.
_NO_TAG: Final = b""


def gtid_of(type_code: int, fields: Mapping[str, Any]) -> str:
    """Return the GTID of an event, ``ANONYMOUS`` if it has none.

    Raises:
        KeyError: A tagged Gtid event omits a part of it.
    """
    if type_code == EventType.ANONYMOUS_GTID:
        return "ANONYMOUS"
    tag = text(fields.get("tag", _NO_TAG))
    return f"{uuid_text(fields['source_uuid'])}:{f'{tag}:' if tag else ''}{fields['gno']}"


def gtid_description(version: PrinterVersion, type_code: int, fields: Mapping[str, Any]) -> str:
    """Return the part of a Gtid event's header line after its numbers."""
    name = "Anonymous_GTID" if type_code == EventType.ANONYMOUS_GTID else "GTID"
    if version.gtid_lines == "commit":
        return f"{name} [commit=yes]"
    rows_only = "no" if fields.get("gtid_flags", 0) & _STATEMENTS else "yes"
    parts = [
        name,
        f"last_committed={fields.get('last_committed', 0)}",
        f"sequence_number={fields.get('sequence_number', 0)}",
        f"rbr_only={rows_only}",
    ]
    if version.gtid_lines == "timestamps":
        original, immediate = _timestamps(fields)
        parts += [
            f"original_committed_timestamp={original}",
            f"immediate_commit_timestamp={immediate}",
            f"transaction_length={fields.get('transaction_length', 0)}",
        ]
    return "\t".join(parts)


def gtid_lines(version: PrinterVersion, type_code: int, fields: Mapping[str, Any], zone: tzinfo) -> Iterator[str]:
    """Yield the lines after the header line of a Gtid event."""
    if version.gtid_lines != "commit" and not fields.get("gtid_flags", 0) & _STATEMENTS:
        yield _READ_COMMITTED
    if version.gtid_lines == "timestamps":
        original, immediate = _timestamps(fields)
        yield f"# original_commit_timestamp={original} ({_clock(original, zone)})"
        yield f"# immediate_commit_timestamp={immediate} ({_clock(immediate, zone)})"
        yield f"/*!80001 SET @@session.original_commit_timestamp={original}*/{DELIMITER}"
        immediate_version = fields.get("immediate_server_version", 0)
        original_version = fields.get("original_server_version", immediate_version)
        yield f"/*!80014 SET @@session.original_server_version={original_version}*/{DELIMITER}"
        yield f"/*!80014 SET @@session.immediate_server_version={immediate_version}*/{DELIMITER}"
    yield f"SET @@SESSION.GTID_NEXT= '{gtid_of(type_code, fields)}'{DELIMITER}"


def previous_gtids_lines(gtids: GtidSet) -> Iterator[str]:
    """Yield the comment lines of a Previous_gtids event, one for each source."""
    if not gtids.sources:
        yield "# [empty]"
        return
    yield from f"# {gtids}".replace(",", ",\n# ").split("\n")


def _timestamps(fields: Mapping[str, Any]) -> tuple[int, int]:
    immediate = fields.get("immediate_commit_timestamp", 0)
    return fields.get("original_commit_timestamp", immediate), immediate


def _clock(microseconds: int, zone: tzinfo) -> str:
    moment = (_EPOCH + timedelta(microseconds=microseconds)).astimezone(zone)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond:06d} {moment.tzname()}"
