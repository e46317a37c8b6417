"""Mutants that misread one event type."""

from collections.abc import Callable
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import COMPRESSED_ROWS_V1, PRE_GA_ROWS, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import TYPE_AT
from conformance.binlog.status_variables import read_status_variables
from conformance.binlog.transaction_payload import inner_events
from conformance.mutants.mutant import Mutant, Reported, change, drop, has_field, low_half, of_type, refuse
from conformance.specs.catalogue import catalogue


def _holds_ignorable(event: Event, reported: Reported) -> bool:
    if not event.recognised or event.header.type != EventType.TRANSACTION_PAYLOAD:
        return False
    return any(each.header.flags & Flag.IGNORABLE for each in inner_events(event))


def _without_later_variables(event: Event, reported: Reported) -> Reported:
    if "status_variables" not in reported:
        return reported
    variables = read_status_variables(event.fields()["status_variables"])
    if "mariadb_character_set_collations" not in variables:
        return reported
    return {name: value for name, value in reported.items() if name not in _LATER_VARIABLES}


def _first_values(number: int) -> Callable[[list[Any]], list[Any]]:
    """Return the change that has the values of the first row in rows after some."""
    return lambda rows: [*rows[:number], *(rows[0] for _ in rows[number:])]


def _of_two_bytes(text: str) -> str:
    data = text.encode()
    return data[: len(data) & 0xFFFF].decode("utf-8", "replace")


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


#: What a reader reports of the variables after the collations.
_LATER_VARIABLES: Final = ("character_set_client", "collation_connection", "collation_server", "time_zone")
#: The requirements on the values of rows.
_ROW_VALUES: Final = (
    *(each for each in catalogue() if each.startswith("FORMAT-ROWS-VALUES-") and each != "FORMAT-ROWS-VALUES-INTEGER"),
    "FORMAT-ROWS-NULL",
    "FORMAT-ROWS-PARTIAL-UPDATE",
)

EVENT_TYPE_MUTANTS: Final[tuple[Mutant, ...]] = (
    # Statements and their context
    Mutant(
        "variable-with-at",
        "FORMAT-USER-VAR",
        "the name of a user variable begins with @",
        change("variable_name", lambda name: f"@{name}"),
    ),
    Mutant(
        "collation-in-a-byte",
        "FORMAT-USER-VAR",
        "the collation of a user variable has 8 bits",
        change("variable_charset", lambda collation: collation & 0xFF),
    ),
    Mutant(
        "variable-signed",
        "FORMAT-USER-VAR-VALUE",
        "an integer variable always has a sign",
        change("variable_value", _signed, has_field("variable_type", 2)),
    ),
    Mutant("block-lost", "FORMAT-LOAD-BLOCK", "the piece of the file is lost", change("block_data", lambda data: "")),
    Mutant(
        "file-name-end-early",
        "FORMAT-EXECUTE-LOAD-QUERY",
        "the clause that names the file ends a byte early",
        change("file_name_end", lambda end: end - 1),
    ),
    Mutant(
        "file-id-16-bits",
        "FORMAT-DELETE-FILE",
        "the number of a deleted file has 16 bits",
        change("file_id", lambda number: number & 0xFFFF, of_type(EventType.DELETE_FILE)),
    ),
    # What servers write about themselves
    Mutant("no-incident-message", "FORMAT-INCIDENT", "an incident has no message", change("message", lambda text: "")),
    Mutant(
        "heartbeat-name-short",
        "FORMAT-HEARTBEAT",
        "a heartbeat loses the last character of its log",
        change("log_name", lambda name: name[:-1], of_type(EventType.HEARTBEAT)),
    ),
    Mutant(
        "heartbeat-32-bits",
        "FORMAT-HEARTBEAT-V2",
        "the position of a heartbeat has 32 bits",
        change("log_position", low_half),
    ),
    Mutant(
        "context-thread-16-bits",
        "FORMAT-TRANSACTION-CONTEXT",
        "the thread of a Transaction_context has 16 bits",
        change("thread_id", lambda number: number & 0xFFFF, of_type(EventType.TRANSACTION_CONTEXT)),
    ),
    Mutant(
        "view-cut-at-colon",
        "FORMAT-VIEW-CHANGE",
        "the name of a view ends at its colon",
        change("view_id", lambda name: name.partition(":")[0]),
    ),
    Mutant(
        "certification-in-a-byte",
        "FORMAT-VIEW-CHANGE",
        "the number of keys in a View_change has 8 bits",
        change("certification_count", lambda count: count & 0xFF),
    ),
    Mutant("branch-lost", "FORMAT-XA-PREPARE", "an XA transaction has no branch", change("xa_bqual", lambda part: "")),
    Mutant(
        "payload-never-compressed",
        "FORMAT-TRANSACTION-PAYLOAD",
        "the compression type of a payload is always none",
        change("compression_type", lambda kind: 255),
    ),
    Mutant(
        "unknown-in-payload-ends-quietly",
        "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN",
        "an unknown event inside a payload ends the log quietly",
        swallow=lambda error, stream: (
            error.kind == "unknown-event" and stream[error.at + TYPE_AT] == EventType.TRANSACTION_PAYLOAD
        ),
    ),
    Mutant(
        "ignorable-in-payload-refused",
        "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN",
        "an ignorable event inside a payload is refused",
        refuse(_holds_ignorable),
    ),
    Mutant(
        "terminating-type-zero",
        "FORMAT-LARGE-TRANSACTION-HEADER",
        "a large transaction ends with type 0",
        change("terminating_type", lambda code: 0),
    ),
    # MariaDB
    Mutant(
        "domain-lost",
        "FORMAT-MARIADB-GTID",
        "the domain of a GTID is 0",
        change("gtid", lambda gtid: "0" + gtid[gtid.index("-") :], of_type(EventType.MARIADB_GTID)),
    ),
    Mutant(
        "first-gtid-only",
        "FORMAT-MARIADB-GTID-LIST",
        "a list of GTIDs ends after the first",
        change("gtid_list", lambda text: text.partition(",")[0]),
    ),
    Mutant(
        "gtid-list-with-flags-lost",
        "FORMAT-MARIADB-GTID-LIST-FLAGS",
        "a list of GTIDs with flags is lost",
        drop(lambda event, reported: "gtid_list" in reported and event.fields()["gtid_list_head"] >> 28 > 0),
    ),
    Mutant(
        "checkpoint-with-length",
        "FORMAT-MARIADB-BINLOG-CHECKPOINT",
        "the name of a checkpoint's log begins with its length",
        change("log_name", lambda name: f"\r{name}", of_type(EventType.MARIADB_BINLOG_CHECKPOINT)),
    ),
    Mutant(
        "annotation-cut-at-100",
        "FORMAT-MARIADB-ANNOTATE-ROWS",
        "an annotation is cut at 100 characters",
        change("rows_query", lambda text: text[:100], of_type(EventType.MARIADB_ANNOTATE_ROWS)),
    ),
    Mutant(
        "encrypted-ends-quietly",
        "FORMAT-MARIADB-START-ENCRYPTION",
        "encrypted events end the log quietly",
        swallow=lambda error, stream: error.kind == "encrypted",
    ),
    Mutant(
        "compressed-query-lost",
        "FORMAT-MARIADB-QUERY-COMPRESSED",
        "a compressed statement is lost",
        change("query", lambda text: "", of_type(EventType.MARIADB_QUERY_COMPRESSED)),
    ),
    Mutant(
        "compressed-query-cut-at-64k",
        "FORMAT-MARIADB-QUERY-COMPRESSED",
        "the size of a compressed statement is read as two bytes",
        change("query", _of_two_bytes, of_type(EventType.MARIADB_QUERY_COMPRESSED)),
    ),
    Mutant(
        "no-compressed-rows",
        "FORMAT-MARIADB-ROWS-COMPRESSED",
        "compressed rows are lost",
        change("rows", lambda rows: [], of_type(*COMPRESSED_ROWS_V1)),
    ),
    Mutant(
        "gtid-list-counted-in-one-byte",
        "FORMAT-MARIADB-GTID-LIST",
        "of more than 255 GTIDs in a Gtid_list only some are reported",
        change("gtid_list", lambda text: ",".join(text.split(",")[: len(text.split(",")) % 256])),
    ),
    Mutant(
        "collations-not-known",
        "FORMAT-QUERY-STATUS-VARIABLES",
        "status variables after MariaDB's collations of character sets are lost",
        _without_later_variables,
    ),
    # Rows events
    Mutant(
        "first-row-only",
        "FORMAT-ROWS-IMAGES",
        "rows after the first are lost",
        change("rows", lambda rows: rows[:1]),
    ),
    Mutant(
        "rows-after-sixteen-lost",
        "FORMAT-ROWS-IMAGES",
        "rows after the sixteenth are lost",
        change("rows", lambda rows: rows[:16]),
        also=("FORMAT-ROWS-PARTIAL-UPDATE",),
    ),
    Mutant(
        "rows-after-sixteen-again",
        "FORMAT-ROWS-VALUES-INTEGER",
        "rows after the sixteenth have the values of the first",
        change("rows", _first_values(16)),
        also=_ROW_VALUES,
    ),
    Mutant(
        "rows-after-256-again",
        "FORMAT-ROWS-VALUES-INTEGER",
        "rows after the 256th have the values of the first",
        change("rows", _first_values(256)),
        also=_ROW_VALUES,
    ),
    Mutant(
        "no-rows-after-extra-data",
        "FORMAT-ROWS-EXTRA-DATA",
        "rows after extra data are lost",
        change("rows", lambda rows: [], lambda event, reported: bool(event.fields().get("extra_data"))),
    ),
    Mutant(
        "no-rows-after-ndb-data",
        "FORMAT-ROWS-EXTRA-DATA",
        "rows after extra data of NDB are lost",
        change("rows", lambda rows: [], lambda event, reported: event.fields().get("extra_data", b"")[:1] == b"\0"),
    ),
    Mutant(
        "beta-rows-dropped",
        "FORMAT-ROWS-PRE-GA",
        "rows events of 5.1's betas are lost",
        drop(of_type(*PRE_GA_ROWS)),
    ),
    Mutant(
        "partial-after-is-before",
        "FORMAT-ROWS-PARTIAL-UPDATE",
        "the image after a partial update is the one before it",
        change(
            "rows",
            lambda rows: [{**row, "after": row["before"]} for row in rows],
            of_type(EventType.PARTIAL_UPDATE_ROWS),
        ),
    ),
)
