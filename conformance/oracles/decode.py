"""The oracles of the role `decode`: one row for each requirement."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import PLAIN_GTID_TYPES, EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.checks.events_held_back import not_held_back
from conformance.oracles.checks.governing_formats import LATEST_GOVERNS, later_governs
from conformance.oracles.checks.kept_lengths import latest_lengths
from conformance.oracles.checks.malformed_bodies import known_in_spite_of_flag, malformed
from conformance.oracles.checks.misread_texts import BY_LENGTH_BYTE, cause_of_refused_text, is_read_by_length_byte
from conformance.oracles.checks.reader_state import READER_STATE_ORACLES
from conformance.oracles.checks.resources import less_than_claimed, within_limits
from conformance.oracles.checks.row_values import (
    null_values,
    partial_values,
    row_images,
    row_values,
    unsigned_values,
    whole_rows,
)
from conformance.oracles.checks.signed_numbers import is_read_as_signed
from conformance.oracles.checks.skipped_events import Reason, either_way, future_format, not_ignored_for_flag, skipped
from conformance.oracles.checks.tables_info import TABLES_INFO_ORACLES
from conformance.oracles.oracle import GOOD, Check, Oracle, both, delivered, field_cause, fields, refused, wrong_end
from conformance.oracles.reasons import OF_CHECKSUM
from conformance.protocol.roles.decode import STATUS_FIELDS
from conformance.strategies.events.columns import VALUE_REQUIREMENTS

_HEADER: Final = ("type", "timestamp", "server_id", "length", "log_pos", "flags")
_LOAD_QUERY: Final = ("thread_id", "exec_time", "error_code", "database", "query")


def _no_phantoms(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Events are reported where they start and nowhere else, each once and in order."""
    refused_at = alignment.case.expected.refused_at
    phantoms = [at for at in alignment.phantoms if refused_at is None or at < refused_at]
    if phantoms:
        message = f"an event is reported at offset {phantoms[0]}, where none starts"
        yield Check("event where none starts", message, phantoms[0], wrong_end(alignment))
    elif alignment.disordered is not None:
        at = alignment.disordered
        yield Check("event repeated or out of order", f"the event at offset {at} is repeated or out of order", at)
    elif alignment.observation.events:
        yield GOOD


def _type_reported(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """A reader that reports type codes reports that of every event that it must report.

    A code that is lost is one finding for all.
    """
    for index in alignment.marked(requirement):
        seen = alignment.observed(index)
        if seen is None or "type" not in alignment.role.fields:
            continue
        if seen.get("type") is None and alignment.may_be_dropped(index):
            continue
        if seen.get("type") is None:
            message = f"{alignment.describe(index)}: its type code is not reported"
            yield Check("type code not reported", message, alignment.case.expected.events[index]["offset"])
        else:
            yield GOOD


def _position_chain(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """An event's log_pos is its offset plus its length, and the offset of the next event."""
    for index in alignment.marked(requirement):
        expected, seen = alignment.case.expected.events[index], alignment.observed(index)
        in_chain = expected["log_pos"] == expected["offset"] + expected["length"]
        if seen is None or not in_chain or "log_pos" not in alignment.role.fields:
            continue
        if seen.get("log_pos") == expected["log_pos"]:
            yield GOOD
        else:
            reported, end = seen.get("log_pos"), expected["log_pos"]
            message = f"the event at offset {seen['offset']} has log_pos {reported}, but ends at {end}"
            cause = field_cause(alignment, index, "log_pos", reported)
            yield Check("log_pos is not the event's end", message, expected["offset"], cause)


def _unknown_event_message(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """The error names the type code; it may have read it as a signed byte."""
    words, at = alignment.refusal(alignment.count), alignment.case.expected.refused_at
    if not words or at is None or not alignment.marked(requirement):
        return
    code = alignment.case.stream[at + 4]
    texts = {f"Unknown event code: {code}", f"Unknown event code: {code - 256 if code > 127 else code}"}
    if any(text in words for text in texts):
        yield GOOD
    else:
        yield Check("wrong message", f"the message is {words!r}, expected 'Unknown event code: {code}'", at)


def _stops_inside_payload(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """A reader stops at the payload that holds the fault; it may have reported the payload itself before."""
    expected = alignment.case.expected
    at = expected.refused_at
    if at is None or alignment.fate(len(expected.events)) is Fate.UNREACHED:
        return
    beyond = [offset for offset in alignment.phantoms if offset > at]
    if beyond:
        message = f"an event is delivered at offset {beyond[0]}, after the payload with the fault"
        yield Check("reading continues after a faulty payload", message, at)
    elif alignment.observation.error is None and not alignment.refuses_fault:
        yield Check("faulty payload not reported", f"no error at offset {at}, where the payload with the fault is", at)
    else:
        yield GOOD


def _is_refused_for_its_body(alignment: Alignment, index: int) -> bool:
    """Return whether an event with a checksum is refused, and not for that: others that have one are read."""
    words = alignment.refusal(index)
    if not words or OF_CHECKSUM.search(words):
        return False
    events = alignment.case.expected.events
    others = (at for at in range(alignment.count) if at != index and events[at]["type"] != EventType.FORMAT_DESCRIPTION)
    return any(alignment.observed(at) is not None for at in others)


def _is_refused_for_its_type(alignment: Alignment, index: int) -> bool:
    """Return whether an event that is not known is refused, and not for its checksum."""
    is_format = alignment.case.expected.events[index]["type"] == EventType.FORMAT_DESCRIPTION
    words = alignment.refusal(index)
    return bool(words) and not is_format and not OF_CHECKSUM.search(words)


def _length_byte_ignored(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """The length byte of a Rows_query is ignored: no text ends where it has it, and no event is refused for it."""
    for index in alignment.marked(requirement):
        expected, seen = alignment.case.expected.events[index], alignment.observed(index)
        words = alignment.refusal(index)
        is_blamed = words and index not in alignment.case.expected.tolerated
        if seen is None and is_blamed and cause_of_refused_text(alignment, index, words) == BY_LENGTH_BYTE:
            message = (
                f"{alignment.describe(index)} is refused, as its length byte is not the length of its text: {words}"
            )
            yield Check("length byte used", message, expected["offset"], BY_LENGTH_BYTE)
        if seen is None or not isinstance(text := seen.get("rows_query"), str):
            continue
        if is_read_by_length_byte(alignment, index, "rows_query", text):
            end = alignment.case.stream[expected["offset"] + HEADER_BYTES]
            message = f"the text ends after {end} bytes, the value of the length byte, not at the event's end"
            yield Check("length byte used", message, expected["offset"], BY_LENGTH_BYTE)
        else:
            yield GOOD


def _off_by_a_checksum(expected: str, seen: object) -> bool:
    """Return whether four bytes are too many or too few: the checksum was read as text, or text as a checksum."""
    return isinstance(seen, str) and abs(len(expected.encode()) - len(seen.encode())) == CHECKSUM_BYTES


def _begin_differs(expected: str, seen: object) -> bool:
    """Return whether the first byte differs: the body was not read directly after the header."""
    return not isinstance(seen, str) or (seen != "" and seen[:1] != expected[:1])


def _is_long(expected: str, seen: object) -> bool:
    """Return whether the text is longer than one length byte can express."""
    return len(expected.encode()) > 255


#: Every oracle of the role, in the order of the catalogue.
ORACLES: Final[tuple[Oracle, ...]] = (
    # Delivery and framing
    delivered("FORMAT-EVENT-DELIVERED", handled="known"),
    Oracle("FORMAT-EVENT-START", _no_phantoms, abilities=frozenset({"framing"})),
    both(Oracle(LATEST_GOVERNS, later_governs), Oracle(LATEST_GOVERNS, latest_lengths)),
    # A source sends the format description without this flag.
    replace(delivered("FORMAT-IN-USE-CHECKSUM", unless=_is_refused_for_its_type), abilities=frozenset({"framing"})),
    # The common header
    both(fields("FORMAT-HEADER-TYPE", "type"), Oracle("FORMAT-HEADER-TYPE", _type_reported)),
    fields("FORMAT-HEADER-TIMESTAMP", "timestamp"),
    fields("FORMAT-HEADER-SERVER-ID", "server_id"),
    fields("FORMAT-HEADER-LENGTH", "length"),
    fields("FORMAT-HEADER-LOG-POS", "log_pos"),
    fields("FORMAT-HEADER-FLAGS", "flags"),
    *READER_STATE_ORACLES,
    # The format description
    fields("FORMAT-DESCRIPTION-FIELDS", "binlog_version", "server_version", "created"),
    fields("FORMAT-TYPE-COUNT", "event_types"),
    fields("FORMAT-CHECKSUM-ALGORITHM", "checksum_algorithm"),
    fields(
        "FORMAT-POST-HEADER-LENGTHS",
        "database", "query", "next_file", "table", "column_count", "xid", "intvar_type", "intvar_value", "seed1",
        "seed2", "variable_name", "block_data", "message", "rows_query", "previous_gtids", "xa_format_id",
        "server_uuid",
        blame=lambda expected, seen: not is_read_as_signed(expected, seen),
    ),
    # Checksums
    fields("FORMAT-CHECKSUM-NOT-BODY", "query", "next_file", "rows_query", blame=_off_by_a_checksum),
    refused("FORMAT-CHECKSUM-WRONG", abilities=("checksums",)),
    # Bodies
    fields("FORMAT-QUERY", "thread_id", "exec_time", "error_code", "database"),
    fields("FORMAT-QUERY-STATUS-VARIABLES", *STATUS_FIELDS),
    fields("FORMAT-ROTATE", "next_position", "next_file"),
    delivered("FORMAT-STOP"),
    fields("FORMAT-XID", "xid"),
    fields("FORMAT-INTVAR", "intvar_type", "intvar_value"),
    fields("FORMAT-RAND", "seed1", "seed2"),
    fields("FORMAT-TABLE-MAP", "table_id", "database", "table", "column_count"),
    fields("FORMAT-ROWS", "table_id", "rows_flags"),
    fields(
        "FORMAT-GTID-COMMIT-FIELDS",
        "immediate_commit_timestamp", "original_commit_timestamp", "transaction_length",
        "immediate_server_version", "original_server_version",
    ),
    fields("FORMAT-GTID-TAGGED", "gtid", "gtid_flags", "last_committed", "sequence_number"),
    # Statements and their context
    fields("FORMAT-USER-VAR", "variable_name", "variable_type", "variable_charset"),
    fields("FORMAT-USER-VAR-VALUE", "variable_value"),
    fields("FORMAT-LOAD-BLOCK", "file_id", "block_data"),
    both(
        fields("FORMAT-EXECUTE-LOAD-QUERY", "file_id", "file_name_start", "file_name_end", "duplicate_handling"),
        fields("FORMAT-EXECUTE-LOAD-QUERY", *_LOAD_QUERY, where_reported=True),
    ),
    fields("FORMAT-DELETE-FILE", "file_id"),
    # What servers write about themselves
    fields("FORMAT-INCIDENT", "incident", "message"),
    fields("FORMAT-HEARTBEAT", "log_name"),
    fields("FORMAT-HEARTBEAT-V2", "log_name", "log_position"),
    # A reader may report a thread or a number for other events and not for these.
    fields(
        "FORMAT-TRANSACTION-CONTEXT",
        "server_uuid", "thread_id", "gtid_specified", "snapshot_version", "write_set_count", "read_set_count",
        where_reported=True,
    ),
    fields("FORMAT-VIEW-CHANGE", "view_id", "sequence_number", "certification_count", where_reported=True),
    fields("FORMAT-XA-PREPARE", "one_phase", "xa_format_id", "xa_gtrid", "xa_bqual"),
    fields("FORMAT-TRANSACTION-PAYLOAD", "compression_type", "uncompressed_size", "payload_size"),
    both(
        delivered("FORMAT-TRANSACTION-PAYLOAD-UNKNOWN", reported=False),
        Oracle(
            "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN", _stops_inside_payload, abilities=frozenset({"payloads"})
        ),
    ),
    fields("FORMAT-LARGE-TRANSACTION-HEADER", "header_version", "terminating_offset", "terminating_type"),
    # MariaDB
    fields("FORMAT-MARIADB-GTID", "gtid", "mariadb_gtid_flags", "commit_id"),
    fields("FORMAT-MARIADB-GTID-LIST", "gtid_list"),
    both(
        delivered("FORMAT-MARIADB-GTID-LIST-FLAGS"),
        fields("FORMAT-MARIADB-GTID-LIST-FLAGS", "gtid_list", where_reported=True),
    ),
    fields("FORMAT-MARIADB-BINLOG-CHECKPOINT", "log_name"),
    fields("FORMAT-MARIADB-ANNOTATE-ROWS", "rows_query"),
    both(
        delivered("FORMAT-MARIADB-START-ENCRYPTION", reported=False),
        refused("FORMAT-MARIADB-START-ENCRYPTION"),
    ),
    fields("FORMAT-MARIADB-QUERY-COMPRESSED", "thread_id", "exec_time", "error_code", "database", "query"),
    both(
        fields("FORMAT-MARIADB-ROWS-COMPRESSED", "table_id", "rows_flags"),
        whole_rows("FORMAT-MARIADB-ROWS-COMPRESSED"),
    ),
    # Rows and their values
    row_images("FORMAT-ROWS-IMAGES"),
    null_values("FORMAT-ROWS-NULL"),
    both(
        delivered("FORMAT-ROWS-PRE-GA"),
        fields("FORMAT-ROWS-PRE-GA", "table_id", "rows_flags", where_reported=True),
    ),
    both(delivered("FORMAT-ROWS-EXTRA-DATA"), whole_rows("FORMAT-ROWS-EXTRA-DATA")),
    both(
        fields("FORMAT-ROWS-PARTIAL-UPDATE", "table_id", "rows_flags"),
        partial_values("FORMAT-ROWS-PARTIAL-UPDATE"),
    ),
    unsigned_values("FORMAT-ROWS-VALUES-UNSIGNED"),
    *(row_values(name, *codes) for name, codes in VALUE_REQUIREMENTS.items() if not name.endswith("-UNSIGNED")),
    # Refusals
    Oracle("FORMAT-EVENTS-BEFORE-FAULT", not_held_back),
    refused("FORMAT-TYPE-NOT-DECLARED"),
    refused("FORMAT-TRUNCATED-HEADER", abilities=("framing",)),
    refused("FORMAT-TRUNCATED-BODY", abilities=("framing",)),
    refused("FORMAT-LENGTH-TOO-SMALL", abilities=("framing",)),
    refused("FORMAT-LENGTH-TOO-LARGE", abilities=("framing",)),
    less_than_claimed("FORMAT-LENGTH-MEMORY"),
    within_limits("FORMAT-COUNT-LIMITS"),
    within_limits("FORMAT-TRANSACTION-PAYLOAD-LIMITS"),
    within_limits("FORMAT-MARIADB-COMPRESSED-LIMITS", "query", "rows"),
    within_limits("FORMAT-JSON-LIMITS", "rows"),
    malformed("FORMAT-BODY-MALFORMED"),
    refused("FORMAT-LENGTH-NO-CHECKSUM", abilities=("checksums",)),
    refused("FORMAT-NO-FORMAT-DESCRIPTION", abilities=("framing",)),
    refused("FORMAT-BAD-MAGIC", abilities=("framing",)),
    # WL#4033: ignorable events
    skipped("WL4033-READ-UNKNOWN-SKIPPED", Reason.NONE),
    future_format("WL4033-READ-FUTURE-FORMAT"),
    skipped("WL4033-READ-UNKNOWN-ANY-CODE", Reason.CODE),
    skipped("WL4033-READ-UNKNOWN-ANY-BODY", Reason.BODY),
    both(skipped("WL4033-READ-FLAG-BIT", Reason.FLAGS), refused("WL4033-READ-FLAG-BIT")),
    skipped("WL4033-READ-IGNORABLE-TYPE-CODE", Reason.TYPE_CODE),
    fields("WL4033-READ-UNKNOWN-AS-IGNORABLE", "handled", *_HEADER),
    both(
        both(not_ignored_for_flag("WL4033-READ-KNOWN-FLAGGED"), either_way("WL4033-READ-KNOWN-FLAGGED")),
        known_in_spite_of_flag("WL4033-READ-KNOWN-FLAGGED"),
    ),
    fields("WL4033-READ-IGNORABLE-POST-HEADER", "rows_query", blame=_begin_differs),
    refused("WL4033-READ-UNKNOWN-REFUSED"),
    Oracle("WL4033-READ-UNKNOWN-MESSAGE", _unknown_event_message, asks_more=True),
    fields("WL4033-READ-ROWS-QUERY-TYPE", "type", "handled"),
    fields("WL4033-READ-ROWS-QUERY-TEXT", "rows_query"),
    Oracle("WL4033-READ-ROWS-QUERY-LENGTH-BYTE", _length_byte_ignored, any_of=frozenset({"rows_query"})),
    delivered("WL4033-READ-ROWS-QUERY-SEVERAL-ROWS"),
    Oracle("WL4033-READ-POSITION-CHAIN", _position_chain, any_of=frozenset({"log_pos"})),
    fields("WL4033-GOLDEN-ROWS-QUERY-BYTES", *_HEADER, "rows_query"),
    fields("WL4033-GOLDEN-TABLE-MAP-BYTES", *_HEADER, "table_id", "database", "table", "column_count"),
    fields("WL4033-GOLDEN-WRITE-ROWS-BYTES", *_HEADER, "table_id", "rows_flags"),
    fields("WL4033-GOLDEN-NO-CHECKSUM", "rows_query", blame=_off_by_a_checksum),
    refused("WL4033-CROSS-NEW-TO-OLD", abilities=("profile_strict",)),
    delivered("WL4033-CROSS-OLD-TO-NEW"),
    delivered("WL4033-CROSS-NEW-TO-NEW", reported=False),
    delivered("WL4033-CROSS-OLD-TO-OLD"),
    # WL#40: Query events in the usual format, and in the extended one
    fields("WL40-USUAL-QUERY-TO-END", "query"),
    *TABLES_INFO_ORACLES,
    # WL#7592: Gtid, Anonymous_gtid and Previous_gtids events
    fields("WL7592-TYPE-CODES-DISTINCT", "type", types=PLAIN_GTID_TYPES),
    fields("WL7592-ANON-CODE-DECLARED-EARLY", "event_types"),
    fields("WL7592-BODY-SHARED-LAYOUT", "gtid_flags"),
    fields("WL7592-GTID-IDENTIFIER-READ", "gtid"),
    fields("WL7592-ANON-NO-IDENTIFIER", "gtid"),
    delivered("WL7592-BODY-SIZES-DIFFER"),
    delivered("WL7592-BODY-UNKNOWN-TAIL"),
    fields("WL7592-BODY-LOGICAL-TIMESTAMPS", "last_committed", "sequence_number"),
    fields("WL7592-ANON-TIMESTAMPS-ALIKE", "last_committed", "sequence_number"),
    fields("WL7592-BODY-NO-TIMESTAMPS", "gtid_flags", absent=("last_committed", "sequence_number")),
    delivered("WL7592-BODY-COMMIT-FIELD"),
    delivered("WL7592-BODY-57-BYTES"),
    both(fields("WL7592-ANON-FLAG-EITHER-WAY", "handled"), either_way("WL7592-ANON-FLAG-EITHER-WAY")),
    delivered("WL7592-ANON-SKIPPED-BY-FLAG", reported=False),
    fields("WL7592-PREVIOUS-GTIDS-EMPTY-READ", "previous_gtids"),
    fields("WL7592-PREVIOUS-GTIDS-SET-READ", "previous_gtids"),
    both(
        fields("WL7592-PREVIOUS-GTIDS-FLAG-EITHER-WAY", "handled"),
        either_way("WL7592-PREVIOUS-GTIDS-FLAG-EITHER-WAY"),
    ),
    delivered("WL7592-OLD-STREAMS-READ"),
    delivered("WL7592-OLD-CREATE-SELECT-READ"),
    fields("WL7592-OLD-QUERY-TIMESTAMPS-READ", "query"),
    fields("WL7592-HEADER-19-BYTES", "type", "length", "flags"),
    fields("WL7592-LOG-POS-CHAIN", "log_pos"),
    delivered("WL7592-GTID-CHECKSUM", unless=_is_refused_for_its_body),
    refused("WL7592-GTID-CHECKSUM-WRONG", abilities=("checksums",)),
    fields("WL7592-LARGE-EVENTS-WHOLE", "length", "table_id"),
    fields("WL7592-XID-SIZE", "length"),
    fields("WL7592-QUERY-SIZE-GROWS", "query", blame=_is_long),
    refused("WL7592-COMPAT-NEW-55", abilities=("profile_strict",)),
    fields("WL7592-COMPAT-ON-56-57", "gtid", "last_committed", "sequence_number", types=(EventType.GTID,)),
)  # fmt: skip
