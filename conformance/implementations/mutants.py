"""The mutants: every requirement that has an oracle has at least one, and its oracle catches it.

A check that no mutant breaks checks nothing.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final
from uuid import UUID

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.layout import TAIL
from conformance.binlog.servers import server_of
from conformance.implementations.apply_mutants import APPLY_MUTANTS
from conformance.implementations.boundary_mutants import BOUNDARY_MUTANTS
from conformance.implementations.column_type_mutants import COLUMN_TYPE_MUTANTS
from conformance.implementations.decide_mutants import DECIDE_MUTANTS
from conformance.implementations.event_type_mutants import EVENT_TYPE_MUTANTS
from conformance.implementations.filter_mutants import FILTER_MUTANTS
from conformance.implementations.log_mutants import LOG_MUTANTS
from conformance.implementations.mutation import (
    Mutant,
    Reported,
    all_of,
    change,
    checksummed,
    drop,
    flagged,
    has_field,
    invent,
    of_type,
    of_version,
    refuse,
    unknown,
)
from conformance.implementations.reference import report
from conformance.implementations.relay_mutants import RELAY_MUTANTS
from conformance.implementations.render_mutants import RENDER_MUTANTS
from conformance.implementations.shipped_boundary_mutants import SHIPPED_BOUNDARY_MUTANTS
from conformance.implementations.tables_info_mutants import TABLES_INFO_MUTANTS

_T: Final = EventType
_GTIDS: Final = (_T.GTID, _T.ANONYMOUS_GTID)
_IGNORABLE: Final = int(Flag.IGNORABLE)
_TYPE_AT: Final = 4


def _fixed_post_headers(event: Event, reported: Reported) -> Reported:
    """Report an event as if every post-header had the length of 5.7."""
    lengths = server_of("mysql-5.7").post_header_lengths
    if event.format.event_types < len(lengths) or not event.recognised or event.header.type == _T.FORMAT_DESCRIPTION:
        return reported
    fixed = replace(event, format=replace(event.format, post_header_lengths=lengths))
    try:
        return report(fixed)
    except MalformedBody:
        return reported


def _with_checksum(event: Event, reported: Reported) -> Reported:
    """Report a query with the checksum behind it."""
    if event.has_checksum and "query" in reported:
        return {**reported, "query": reported["query"] + event.data[-4:].decode("latin-1")}
    return reported


def _cut_to_length_byte(event: Event, reported: Reported) -> Reported:
    """Believe the length byte of a Rows_query, not the length of the event."""
    if "rows_query" not in reported:
        return reported
    text = reported["rows_query"].encode()[: event.fields()["length_byte"]]
    return {**reported, "rows_query": text.decode("utf-8", "replace")}


def _as_double(value: int) -> int:
    return int(float(value))


def _low_half(value: int) -> int:
    return value & 0xFFFFFFFF


def _gtid_as_double(value: str) -> str:
    uuid, _, gno = value.rpartition(":")
    return f"{uuid}:{int(float(gno))}"


def _length_said(error: BinlogError) -> int | None:
    found = re.match(r"an event length of (\d+)", error.message)
    return int(found.group(1)) if found else None


def _minus(number: int) -> Callable[[Any], Any]:
    return lambda value: value - number


def _to(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


#: Every mutant, in the order of the catalogue's themes.
MUTANTS: Final[tuple[Mutant, ...]] = (
    # Delivery and framing
    Mutant("drops-intvar", "FORMAT-EVENT-DELIVERED", "Intvar events are lost", drop(of_type(_T.INTVAR))),
    Mutant(
        "xid-elsewhere",
        "FORMAT-EVENT-START",
        "Xid events are seen one byte late",
        change("offset", _minus(-1), of_type(_T.XID)),
    ),
    Mutant(
        "one-format-description",
        "FORMAT-LATEST-GOVERNS",
        "a second format description is refused",
        refuse(all_of(of_type(_T.FORMAT_DESCRIPTION), flagged(Flag.RELAY_LOG))),
    ),
    Mutant(
        "in-use-is-damage",
        "FORMAT-IN-USE-CHECKSUM",
        "the checksum of a log in use is found wrong",
        refuse(all_of(of_type(_T.FORMAT_DESCRIPTION), flagged(Flag.BINLOG_IN_USE))),
    ),
    # The common header
    Mutant("rand-type", "FORMAT-HEADER-TYPE", "Rand has the type of Intvar", change("type", _to(5), of_type(_T.RAND))),
    Mutant(
        "late-timestamp",
        "FORMAT-HEADER-TIMESTAMP",
        "timestamps are an hour late",
        change("timestamp", _minus(-3600)),
    ),
    Mutant("server-id-byte", "FORMAT-HEADER-SERVER-ID", "the server id is 0", change("server_id", _to(0))),
    Mutant(
        "length-without-checksum",
        "FORMAT-HEADER-LENGTH",
        "the length of a Rotate leaves its checksum out",
        change("length", _minus(4), all_of(of_type(_T.ROTATE), checksummed)),
    ),
    Mutant(
        "log-pos-of-rotate",
        "FORMAT-HEADER-LOG-POS",
        "a Rotate has no log_pos",
        change("log_pos", _to(7), of_type(_T.ROTATE)),
    ),
    Mutant(
        "low-flags",
        "FORMAT-HEADER-FLAGS",
        "the high byte of the flags is lost",
        change("flags", lambda flags: flags & 0xFF),
    ),
    # The format description
    Mutant(
        "padded-version",
        "FORMAT-DESCRIPTION-FIELDS",
        "the server version keeps its padding",
        change("server_version", lambda text: text.ljust(50, "\0")),
    ),
    Mutant(
        "types-with-checksum",
        "FORMAT-TYPE-COUNT",
        "the checksum counts as event types",
        change("event_types", _minus(-5)),
    ),
    Mutant(
        "never-checksums",
        "FORMAT-CHECKSUM-ALGORITHM",
        "the checksum algorithm is always none",
        change("checksum_algorithm", _to("none")),
    ),
    Mutant(
        "fixed-post-headers", "FORMAT-POST-HEADER-LENGTHS", "post-headers have the lengths of 5.7", _fixed_post_headers
    ),
    # Checksums
    Mutant("checksum-in-query", "FORMAT-CHECKSUM-NOT-BODY", "a query ends with its checksum", _with_checksum),
    Mutant(
        "no-verification",
        "FORMAT-CHECKSUM-WRONG",
        "wrong checksums pass",
        rules=lambda rules: replace(rules, verify_checksums=False),
    ),
    # Bodies
    Mutant(
        "error-code-byte", "FORMAT-QUERY", "the error code has one byte", change("error_code", lambda code: code & 0xFF)
    ),
    Mutant(
        "file-with-nul",
        "FORMAT-ROTATE",
        "the next file ends with a zero byte",
        change("next_file", lambda name: name + "\0"),
    ),
    Mutant("no-stop", "FORMAT-STOP", "Stop is refused", refuse(of_type(_T.STOP))),
    Mutant("xid-as-double", "FORMAT-XID", "an Xid goes through a double", change("xid", _as_double)),
    Mutant("intvar-32-bits", "FORMAT-INTVAR", "an Intvar has 32 bits", change("intvar_value", _low_half)),
    Mutant("seed-32-bits", "FORMAT-RAND", "a seed has 32 bits", change("seed2", _low_half)),
    Mutant(
        "short-table-name",
        "FORMAT-TABLE-MAP",
        "a table name is cut at 63 characters",
        change("table", lambda name: name[:63]),
    ),
    Mutant("rows-flags-lost", "FORMAT-ROWS", "rows flags are 0", change("rows_flags", _to(0))),
    Mutant(
        "commit-timestamp-bit",
        "FORMAT-GTID-COMMIT-FIELDS",
        "bit 55 of the commit timestamp is not taken off",
        change(
            "immediate_commit_timestamp", lambda time: time | 1 << 55, has_field("has_original_commit_timestamp", True)
        ),
    ),
    Mutant(
        "tag-lost",
        "FORMAT-GTID-TAGGED",
        "the tag of a GTID is lost",
        change("gtid", lambda gtid: gtid[:36] + gtid[gtid.rindex(":") :], of_type(_T.GTID_TAGGED)),
    ),
    *APPLY_MUTANTS,
    *RELAY_MUTANTS,
    *RENDER_MUTANTS,
    *LOG_MUTANTS,
    *EVENT_TYPE_MUTANTS,
    *BOUNDARY_MUTANTS,
    *SHIPPED_BOUNDARY_MUTANTS,
    *DECIDE_MUTANTS,
    *COLUMN_TYPE_MUTANTS,
    # Refusals
    Mutant(
        "undeclared-ends-quietly",
        "FORMAT-TYPE-NOT-DECLARED",
        "an undeclared type ends the log quietly",
        swallow=lambda error, stream: "does not declare" in error.message,
    ),
    Mutant(
        "torn-header-ends-quietly",
        "FORMAT-TRUNCATED-HEADER",
        "a torn header ends the log quietly",
        swallow=lambda error, stream: error.kind == "truncated" and len(stream) - error.at < HEADER_BYTES,
    ),
    Mutant(
        "torn-body-ends-quietly",
        "FORMAT-TRUNCATED-BODY",
        "a torn body ends the log quietly",
        swallow=lambda error, stream: error.kind == "truncated" and len(stream) - error.at >= HEADER_BYTES,
    ),
    Mutant(
        "small-length-ends-quietly",
        "FORMAT-LENGTH-TOO-SMALL",
        "a length below a header ends the log quietly",
        swallow=lambda error, stream: (_length_said(error) or HEADER_BYTES) < HEADER_BYTES or _length_said(error) == 0,
    ),
    Mutant(
        "large-length-ends-quietly",
        "FORMAT-LENGTH-TOO-LARGE",
        "a length beyond any event ends the log quietly",
        swallow=lambda error, stream: (_length_said(error) or 0) > HEADER_BYTES,
    ),
    Mutant(
        "headless-ends-quietly",
        "FORMAT-NO-FORMAT-DESCRIPTION",
        "a log without format description is empty",
        swallow=lambda error, stream: error.kind == "no-format-description",
    ),
    Mutant(
        "any-magic",
        "FORMAT-BAD-MAGIC",
        "a file that is no binary log is empty",
        swallow=lambda error, stream: error.kind == "not-a-binlog",
    ),
    # WL#4033: ignorable events
    Mutant("no-ignorable-rule", "WL4033-READ-UNKNOWN-SKIPPED", "an ignorable event stops the reader", refuse(unknown)),
    Mutant(
        "todays-types-only",
        "WL4033-READ-FUTURE-FORMAT",
        "logs that declare more types than 64 are refused",
        refuse(lambda event, reported: 64 < event.format.event_types < 160),
    ),
    Mutant(
        "listed-codes-only",
        "WL4033-READ-UNKNOWN-ANY-CODE",
        "only codes up to 99 are skipped",
        refuse(lambda event, reported: not event.recognised and event.header.type > 99),
    ),
    Mutant(
        "no-empty-ignorable",
        "WL4033-READ-UNKNOWN-ANY-BODY",
        "an ignorable event without a body is refused",
        refuse(lambda event, reported: not event.recognised and event.body_end == HEADER_BYTES),
    ),
    Mutant(
        "flag-alone",
        "WL4033-READ-FLAG-BIT",
        "other flags beside the ignorable one make an event unreadable",
        refuse(lambda event, reported: not event.recognised and event.header.flags != _IGNORABLE),
    ),
    Mutant(
        "no-type-28",
        "WL4033-READ-IGNORABLE-TYPE-CODE",
        "type 28 is refused",
        refuse(lambda event, reported: event.header.type == _T.IGNORABLE),
    ),
    Mutant(
        "ignorable-is-known",
        "WL4033-READ-UNKNOWN-AS-IGNORABLE",
        "ignorable events are told as known ones",
        change("handled", _to("known"), unknown),
    ),
    Mutant(
        "flag-before-type",
        "WL4033-READ-KNOWN-FLAGGED",
        "the flag makes known events ignored",
        change("handled", _to("ignored"), all_of(of_type(_T.QUERY, _T.XID, _T.TABLE_MAP), flagged(Flag.IGNORABLE))),
    ),
    Mutant(
        "post-header-of-one",
        "WL4033-READ-IGNORABLE-POST-HEADER",
        "the first byte of the text is lost",
        change("rows_query", lambda text: text[1:]),
    ),
    Mutant(
        "unknown-is-known",
        "WL4033-READ-UNKNOWN-REFUSED",
        "events of unknown types are taken for known ones",
        rules=lambda rules: replace(rules, known=frozenset(range(256))),
    ),
    Mutant(
        "another-message",
        "WL4033-READ-UNKNOWN-MESSAGE",
        "the error does not name the type",
        message="something is wrong",
    ),
    Mutant(
        "rows-query-is-28",
        "WL4033-READ-ROWS-QUERY-TYPE",
        "Rows_query has the type of its base class",
        change("type", _to(28), of_type(_T.ROWS_QUERY)),
    ),
    Mutant(
        "text-of-255",
        "WL4033-READ-ROWS-QUERY-TEXT",
        "the text is cut at 255 characters",
        change("rows_query", lambda text: text[:255]),
    ),
    Mutant(
        "believes-length-byte", "WL4033-READ-ROWS-QUERY-LENGTH-BYTE", "the length byte decides", _cut_to_length_byte
    ),
    Mutant(
        "one-rows-event",
        "WL4033-READ-ROWS-QUERY-SEVERAL-ROWS",
        "a rows event that does not end its statement is refused",
        refuse(has_field("rows_flags", 0)),
    ),
    Mutant(
        "log-pos-is-start",
        "WL4033-READ-POSITION-CHAIN",
        "a Query's log_pos is its start",
        change("log_pos", _minus(1), of_type(_T.QUERY)),
    ),
    Mutant(
        "strips-prefix",
        "WL4033-GOLDEN-ROWS-QUERY-BYTES",
        "a stored '# ' is taken off",
        change("rows_query", lambda text: text.removeprefix("# ")),
    ),
    Mutant(
        "three-columns",
        "WL4033-GOLDEN-TABLE-MAP-BYTES",
        "a table of three columns has four",
        change("column_count", _to(4), has_field("column_count", 3)),
    ),
    Mutant(
        "rows-v1-table",
        "WL4033-GOLDEN-WRITE-ROWS-BYTES",
        "rows of version 1 have another table id",
        change("table_id", _minus(1), of_type(_T.WRITE_ROWS_V1)),
    ),
    Mutant(
        "always-a-checksum",
        "WL4033-GOLDEN-NO-CHECKSUM",
        "four bytes are taken off where there is no checksum",
        change("rows_query", lambda text: text[:-4], lambda event, reported: not event.has_checksum),
    ),
    Mutant(
        "new-rule-in-old-reader",
        "WL4033-CROSS-NEW-TO-OLD",
        "a reader of 5.5 skips ignorable events",
        rules=lambda rules: replace(rules, ignorable=True),
    ),
    Mutant(
        "anonymous-known-too-early",
        "WL7592-COMPAT-NEW-55",
        "a reader of 5.5 knows Anonymous_gtid events",
        rules=lambda rules: replace(rules, known=rules.known | {int(_T.ANONYMOUS_GTID)}),
    ),
    Mutant("no-5.5-logs", "WL4033-CROSS-OLD-TO-NEW", "logs of 5.5 are refused", refuse(of_version("5.5"))),
    Mutant(
        "one-ignorable-event",
        "WL4033-CROSS-NEW-TO-NEW",
        "ignorable events beyond the first 600 bytes are refused",
        refuse(lambda event, reported: not event.recognised and event.offset > 600),
    ),
    Mutant("no-5.1-logs", "WL4033-CROSS-OLD-TO-OLD", "logs of 5.1 are refused", refuse(of_version("5.1"))),
    # WL#40
    Mutant(
        "query-loses-nul",
        "WL40-USUAL-QUERY-TO-END",
        "the last byte of a query is taken for a terminator",
        change("query", lambda text: text[:-1], lambda event, reported: len(reported["query"]) > 5),
    ),
    *TABLES_INFO_MUTANTS,
    *FILTER_MUTANTS,
    # WL#7592
    Mutant(
        "anonymous-is-gtid",
        "WL7592-TYPE-CODES-DISTINCT",
        "Anonymous_gtid has the type of Gtid",
        change("type", _to(33), of_type(_T.ANONYMOUS_GTID)),
    ),
    Mutant(
        "types-up-to-33",
        "WL7592-ANON-CODE-DECLARED-EARLY",
        "33 event types at most",
        change("event_types", lambda count: min(count, 33)),
    ),
    Mutant(
        "anonymous-flags",
        "WL7592-BODY-SHARED-LAYOUT",
        "the flags of Anonymous_gtid are 2",
        change("gtid_flags", _to(2), of_type(_T.ANONYMOUS_GTID)),
    ),
    Mutant(
        "gno-as-double",
        "WL7592-GTID-IDENTIFIER-READ",
        "a GTID's number goes through a double",
        change("gtid", _gtid_as_double, of_type(_T.GTID)),
    ),
    Mutant(
        "zero-gtid",
        "WL7592-ANON-NO-IDENTIFIER",
        "Anonymous_gtid has the GTID of zeros",
        change("gtid", _to(f"{UUID(int=0)}:0"), of_type(_T.ANONYMOUS_GTID)),
    ),
    Mutant(
        "even-gtids-only",
        "WL7592-BODY-SIZES-DIFFER",
        "a Gtid event of an odd length is refused",
        refuse(lambda event, reported: event.header.type in _GTIDS and event.body_end % 2 == 1),
    ),
    Mutant(
        "no-tail",
        "WL7592-BODY-UNKNOWN-TAIL",
        "bytes behind the known fields are refused",
        refuse(lambda event, reported: event.header.type in _GTIDS and TAIL in event.fields()),
    ),
    Mutant(
        "last-committed-32-bits",
        "WL7592-BODY-LOGICAL-TIMESTAMPS",
        "last committed has 32 bits",
        change("last_committed", _low_half, of_type(_T.GTID)),
    ),
    Mutant(
        "anonymous-sequence-lost",
        "WL7592-ANON-TIMESTAMPS-ALIKE",
        "Anonymous_gtid has no sequence number",
        change("sequence_number", _to(0), of_type(_T.ANONYMOUS_GTID)),
    ),
    Mutant(
        "timestamps-invented",
        "WL7592-BODY-NO-TIMESTAMPS",
        "a body without logical timestamps has some",
        invent("last_committed", 1, of_type(*_GTIDS)),
    ),
    Mutant(
        "no-commit-field",
        "WL7592-BODY-COMMIT-FIELD",
        "the one-byte commit field is refused",
        refuse(has_field("logical_timestamp_typecode", 1)),
    ),
    Mutant(
        "no-57-bytes",
        "WL7592-BODY-57-BYTES",
        "a Gtid event of 57 bytes is refused",
        refuse(lambda event, reported: event.header.type in _GTIDS and event.header.length == 57),
    ),
    Mutant(
        "flagged-anonymous-ignored",
        "WL7592-ANON-FLAG-EITHER-WAY",
        "a flagged Anonymous_gtid is ignored",
        change("handled", _to("ignored"), all_of(of_type(_T.ANONYMOUS_GTID), flagged(Flag.IGNORABLE))),
    ),
    Mutant(
        "flagged-anonymous-refused",
        "WL7592-ANON-SKIPPED-BY-FLAG",
        "a flagged Anonymous_gtid is refused",
        refuse(all_of(of_type(_T.ANONYMOUS_GTID), flagged(Flag.IGNORABLE))),
    ),
    Mutant(
        "empty-set-is-none",
        "WL7592-PREVIOUS-GTIDS-EMPTY-READ",
        "the empty GTID set is nothing",
        change("previous_gtids", lambda text: text or None),
    ),
    Mutant(
        "last-number-excluded",
        "WL7592-PREVIOUS-GTIDS-SET-READ",
        "the last digit of a GTID set is lost",
        change("previous_gtids", lambda text: text[:-1]),
    ),
    Mutant(
        "relay-previous-gtids",
        "WL7592-PREVIOUS-GTIDS-FLAG-EITHER-WAY",
        "a Previous_gtids of a relay log is ignored",
        change("handled", _to("ignored"), all_of(of_type(_T.PREVIOUS_GTIDS), flagged(Flag.RELAY_LOG))),
    ),
    Mutant(
        "gtids-wanted",
        "WL7592-OLD-STREAMS-READ",
        "a Query is refused where no Gtid type is declared",
        refuse(lambda event, reported: event.header.type == _T.QUERY and event.format.event_types < 33),
    ),
    Mutant(
        "no-create-in-group",
        "WL7592-OLD-CREATE-SELECT-READ",
        "CREATE inside a transaction is refused",
        refuse(has_field("query", b"CREATE TABLE `t2` (`a` int(11))")),
    ),
    Mutant(
        "old-timestamps-spill",
        "WL7592-OLD-QUERY-TIMESTAMPS-READ",
        "a query behind logical timestamps is lost",
        change("query", _to(""), lambda event, reported: event.fields()["status_variables"][:1] == b"\x0e"),
    ),
    Mutant(
        "header-of-20",
        "WL7592-HEADER-19-BYTES",
        "a Table_map's length counts one byte more",
        change("length", _minus(-1), of_type(_T.TABLE_MAP)),
    ),
    Mutant(
        "gtid-log-pos",
        "WL7592-LOG-POS-CHAIN",
        "the log_pos of a Gtid event leaves its checksum out",
        change("log_pos", _minus(4), of_type(*_GTIDS)),
    ),
    Mutant(
        "gtid-checksum-body",
        "WL7592-GTID-CHECKSUM",
        "a Gtid event with a checksum is refused",
        refuse(all_of(of_type(*_GTIDS), checksummed)),
    ),
    Mutant(
        "gtid-unverified",
        "WL7592-GTID-CHECKSUM-WRONG",
        "a wrong checksum of a Gtid event ends the log quietly",
        swallow=lambda error, stream: error.kind == "checksum" and stream[error.at + _TYPE_AT] in _GTIDS,
    ),
    Mutant(
        "large-rows",
        "WL7592-LARGE-EVENTS-WHOLE",
        "rows events beyond 8 KiB have another table id",
        change("table_id", _minus(1), lambda event, reported: event.header.length > 8192),
    ),
    Mutant(
        "xid-of-27",
        "WL7592-XID-SIZE",
        "an Xid has 27 bytes, whatever its checksum",
        change("length", _to(27), of_type(_T.XID)),
    ),
    Mutant(
        "query-64k", "WL7592-QUERY-SIZE-GROWS", "a query is cut at 64 KiB", change("query", lambda text: text[:65535])
    ),
    Mutant(
        "tail-hides-gtid",
        "WL7592-COMPAT-ON-56-57",
        "a Gtid with a newer tail has no GTID",
        change("gtid", _to(""), lambda event, reported: TAIL in event.fields()),
    ),
)


def mutant_of(name: str) -> Mutant:
    """Return a mutant by its name.

    Raises:
        ValueError: There is no such mutant.
    """
    for mutant in MUTANTS:
        if mutant.name == name:
            return mutant
    close = get_close_matches(name, [each.name for each in MUTANTS])
    hint = f"; close to it are {', '.join(close)}" if close else ""
    raise ValueError(f"no mutant {name!r}{hint}; `binlog-conformance implementations --mutants` lists them")
