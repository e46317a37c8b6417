"""Mutants that misread ignorable events, Rows_query among them (WL#4033)."""

from dataclasses import replace
from typing import Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER_BYTES
from conformance.mutants.mutant import (
    Mutant,
    Reported,
    all_of,
    change,
    flagged,
    has_field,
    minus,
    of_type,
    of_version,
    refuse,
    to,
    unknown,
)

_IGNORABLE: Final = int(Flag.IGNORABLE)


def _cut_to_length_byte(event: Event, reported: Reported) -> Reported:
    """Use the length byte of a Rows_query instead of the length of the event."""
    if "rows_query" not in reported:
        return reported
    text = reported["rows_query"].encode()[: event.fields()["length_byte"]]
    return {**reported, "rows_query": text.decode("utf-8", "replace")}


#: Every mutant about ignorable events, in the order of the catalogue.
IGNORABLE_EVENT_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant("no-ignorable-rule", "WL4033-READ-UNKNOWN-SKIPPED", "an ignorable event stops the reader", refuse(unknown)),
    Mutant(
        "no-ignorable-of-server-0",
        "WL4033-READ-UNKNOWN-SKIPPED",
        "an ignorable event with the server id 0 stops the reader",
        refuse(lambda event, reported: not event.recognised and event.header.server_id == 0),
    ),
    Mutant(
        "todays-types-only",
        "WL4033-READ-FUTURE-FORMAT",
        "logs that declare more types than 64 are refused",
        refuse(lambda event, reported: 64 < event.format.event_types < 160),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "listed-codes-only",
        "WL4033-READ-UNKNOWN-ANY-CODE",
        "only codes up to 99 are skipped",
        refuse(lambda event, reported: not event.recognised and event.header.type > 99),
        also=("WL4033-READ-UNKNOWN-SKIPPED",),
    ),
    Mutant(
        "no-empty-ignorable",
        "WL4033-READ-UNKNOWN-ANY-BODY",
        "an ignorable event without a body is refused",
        refuse(lambda event, reported: not event.recognised and event.body_end == HEADER_BYTES),
        also=("WL4033-READ-UNKNOWN-SKIPPED",),
    ),
    Mutant(
        "flag-alone",
        "WL4033-READ-FLAG-BIT",
        "other flags beside the ignorable one make an event unreadable",
        refuse(lambda event, reported: not event.recognised and event.header.flags != _IGNORABLE),
        also=("WL4033-READ-UNKNOWN-SKIPPED",),
    ),
    Mutant(
        "no-type-28",
        "WL4033-READ-IGNORABLE-TYPE-CODE",
        "type 28 is refused",
        refuse(lambda event, reported: event.header.type == EventType.IGNORABLE),
    ),
    Mutant(
        "ignorable-is-known",
        "WL4033-READ-UNKNOWN-AS-IGNORABLE",
        "ignorable events are reported as known ones",
        change("handled", to("known"), unknown),
        also=("FORMAT-TYPE-KNOWN",),
    ),
    Mutant(
        "flag-before-type",
        "WL4033-READ-KNOWN-FLAGGED",
        "the flag makes known events ignored",
        change(
            "handled",
            to("ignored"),
            all_of(of_type(EventType.QUERY, EventType.XID, EventType.TABLE_MAP), flagged(Flag.IGNORABLE)),
        ),
        also=("FORMAT-TYPE-KNOWN",),
    ),
    Mutant(
        "post-header-of-one",
        "WL4033-READ-IGNORABLE-POST-HEADER",
        "the first byte of the text is lost",
        change("rows_query", lambda text: text[1:]),
        also=("WL4033-READ-ROWS-QUERY-TEXT",),
    ),
    Mutant(
        "unknown-is-known",
        "WL4033-READ-UNKNOWN-REFUSED",
        "events of unknown types are read as known ones",
        rules=lambda rules: replace(rules, known=frozenset(range(256))),
        also=(
            "WL4033-READ-UNKNOWN-AS-IGNORABLE",
            "FORMAT-TYPE-KNOWN",
        ),
    ),
    Mutant(
        "wrong-message",
        "WL4033-READ-UNKNOWN-MESSAGE",
        "the error does not name the type",
        message="something is wrong",
    ),
    Mutant(
        "rows-query-is-28",
        "WL4033-READ-ROWS-QUERY-TYPE",
        "Rows_query has the type of its base class",
        change("type", to(28), of_type(EventType.ROWS_QUERY)),
    ),
    Mutant(
        "text-cut-at-255",
        "WL4033-READ-ROWS-QUERY-TEXT",
        "the text is cut at 255 characters",
        change("rows_query", lambda text: text[:255]),
    ),
    Mutant(
        "text-ends-at-nul",
        "WL4033-READ-ROWS-QUERY-TEXT",
        "the text ends before its first NUL",
        change("rows_query", lambda text: text.partition("\0")[0]),
    ),
    Mutant(
        "uses-length-byte",
        "WL4033-READ-ROWS-QUERY-LENGTH-BYTE",
        "the length byte is used",
        _cut_to_length_byte,
        also=("WL4033-READ-ROWS-QUERY-TEXT",),
    ),
    Mutant(
        "one-rows-event",
        "WL4033-READ-ROWS-QUERY-SEVERAL-ROWS",
        "a rows event that does not end its statement is refused",
        refuse(has_field("rows_flags", 0)),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "query-log-pos-early",
        "WL4033-READ-POSITION-CHAIN",
        "a Query's log_pos is one byte too small",
        change("log_pos", minus(1), of_type(EventType.QUERY)),
    ),
    Mutant(
        "strips-prefix",
        "WL4033-GOLDEN-ROWS-QUERY-BYTES",
        "a stored '# ' is removed",
        change("rows_query", lambda text: text.removeprefix("# ")),
        also=("WL4033-READ-ROWS-QUERY-TEXT",),
    ),
    Mutant(
        "three-columns",
        "WL4033-GOLDEN-TABLE-MAP-BYTES",
        "a table of three columns has four",
        change("column_count", to(4), has_field("column_count", 3)),
        also=("FORMAT-TABLE-MAP",),
    ),
    Mutant(
        "rows-v1-table",
        "WL4033-GOLDEN-WRITE-ROWS-BYTES",
        "rows of version 1 have a wrong table id",
        change("table_id", minus(1), of_type(EventType.WRITE_ROWS_V1)),
        also=("FORMAT-ROWS",),
    ),
    Mutant(
        "always-a-checksum",
        "WL4033-GOLDEN-NO-CHECKSUM",
        "four bytes are removed although there is no checksum",
        change("rows_query", lambda text: text[:-4], lambda event, reported: not event.has_checksum),
        also=("WL4033-READ-ROWS-QUERY-TEXT",),
    ),
    Mutant(
        "new-rule-in-old-reader",
        "WL4033-CROSS-NEW-TO-OLD",
        "a reader of 5.5 skips ignorable events",
        rules=lambda rules: replace(rules, ignorable=True),
    ),
    Mutant("no-5.5-logs", "WL4033-CROSS-OLD-TO-NEW", "logs of 5.5 are refused", refuse(of_version("5.5"))),
    Mutant(
        "late-ignorable-refused",
        "WL4033-CROSS-NEW-TO-NEW",
        "ignorable events beyond the first 600 bytes are refused",
        refuse(lambda event, reported: not event.recognised and event.offset > 600),
    ),
    Mutant(
        "no-5.1-logs",
        "WL4033-CROSS-OLD-TO-OLD",
        "logs of 5.1 are refused",
        refuse(of_version("5.1")),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
)
