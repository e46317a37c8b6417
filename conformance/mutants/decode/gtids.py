"""Mutants that misread Gtid, Anonymous_gtid and Previous_gtids events, and the logs around them (WL#7592)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from conformance.binlog.event import Event
from conformance.binlog.event_types import PLAIN_GTID_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.layout import TAIL
from conformance.binlog.rows.open_tables import OpenTables
from conformance.mutants.mutant import (
    Mutant,
    all_of,
    change,
    checksummed,
    flagged,
    has_field,
    invent,
    low_half,
    minus,
    of_checksum,
    of_type,
    refuse,
    to,
)
from conformance.protocol.observation import Observation, Request
from conformance.protocol.reported_event import report
from conformance.reference.decode import Decoder, answer

#: The largest number of one byte.
_BYTE: Final = 0xFF


def _gtid_as_double(value: str) -> str:
    uuid, _, gno = value.rpartition(":")
    return f"{uuid}:{int(float(gno))}"


class _TakesXaEndForBeginning(Decoder):
    """A reader for which every statement about an XA transaction begins one."""

    def report(self, event: Event, tables: OpenTables) -> dict[str, Any]:
        """Return an event with the state of the reader after it."""
        reported = report(event, tables)
        begins = str(reported.get("query", "")).startswith(("XA COMMIT", "XA ROLLBACK"))
        return {**reported, **self._state.after({**reported, "query": "XA START"} if begins else reported)}


class _CountsPreparedAlone(Decoder):
    """A reader for which an XA transaction that is committed in one phase goes on."""

    def report(self, event: Event, tables: OpenTables) -> dict[str, Any]:
        """Return an event with the state of the reader after it."""
        reported = report(event, tables)
        goes_on = reported.get("one_phase") == 1
        return {**reported, **self._state.after({**reported, "type": int(EventType.INTVAR)} if goes_on else reported)}


def _few_sources(text: str) -> str:
    sources = text.split(",")
    return text if len(sources) <= _BYTE else ",".join(sources[: len(sources) & _BYTE])


def _few_tags(text: str) -> str:
    gtids = GtidSet.from_text(text)
    if not gtids.tagged or len(gtids.sources) <= _BYTE:
        return text
    return str(replace(gtids, sources=gtids.sources[: len(gtids.sources) & _BYTE]))


def _joined_sets(request: Request) -> Observation:
    """Return the answer of a reader to which each Previous_gtids adds to the set of those before it."""
    seen = answer(request)
    joined = ExecutedGtids()
    entries: list[Mapping[str, Any]] = []
    for entry in seen.events:
        if "previous_gtids" in entry:
            joined.add_set(GtidSet.from_text(entry["previous_gtids"]))
            entries.append({**entry, "previous_gtids": str(joined.gtids())})
        else:
            entries.append(entry)
    return replace(seen, events=tuple(entries))


#: Every mutant about Gtid events, in the order of the catalogue.
GTID_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "anonymous-known-too-early",
        "WL7592-COMPAT-NEW-55",
        "a reader of 5.5 knows Anonymous_gtid events",
        rules=lambda rules: replace(rules, known=rules.known | {int(EventType.ANONYMOUS_GTID)}),
    ),
    Mutant(
        "anonymous-is-gtid",
        "WL7592-TYPE-CODES-DISTINCT",
        "Anonymous_gtid has the type of Gtid",
        change("type", to(33), of_type(EventType.ANONYMOUS_GTID)),
    ),
    Mutant(
        "types-up-to-33",
        "WL7592-ANON-CODE-DECLARED-EARLY",
        "the count of event types is at most 33",
        change("event_types", lambda count: min(count, 33)),
        also=("FORMAT-TYPE-COUNT",),
    ),
    Mutant(
        "anonymous-flags",
        "WL7592-BODY-SHARED-LAYOUT",
        "the flags of Anonymous_gtid are 2",
        change("gtid_flags", to(2), of_type(EventType.ANONYMOUS_GTID)),
    ),
    Mutant(
        "gno-as-double",
        "WL7592-GTID-IDENTIFIER-READ",
        "a GTID's number is converted through a double",
        change("gtid", _gtid_as_double, of_type(EventType.GTID)),
    ),
    Mutant(
        "zero-gtid",
        "WL7592-ANON-NO-IDENTIFIER",
        "Anonymous_gtid has the GTID of zeros",
        change("gtid", to(f"{UUID(int=0)}:0"), of_type(EventType.ANONYMOUS_GTID)),
    ),
    Mutant(
        "odd-gtid-length-refused",
        "WL7592-BODY-SIZES-DIFFER",
        "a Gtid event of an odd length is refused",
        refuse(lambda event, reported: event.header.type in PLAIN_GTID_TYPES and event.body_end % 2 == 1),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "gtid-tail-refused",
        "WL7592-BODY-UNKNOWN-TAIL",
        "bytes after the known fields are refused",
        refuse(lambda event, reported: event.header.type in PLAIN_GTID_TYPES and TAIL in event.fields()),
    ),
    Mutant(
        "last-committed-32-bits",
        "WL7592-BODY-LOGICAL-TIMESTAMPS",
        "last committed has 32 bits",
        change("last_committed", low_half, of_type(EventType.GTID)),
    ),
    Mutant(
        "anonymous-sequence-lost",
        "WL7592-ANON-TIMESTAMPS-ALIKE",
        "Anonymous_gtid has no sequence number",
        change("sequence_number", to(0), of_type(EventType.ANONYMOUS_GTID)),
    ),
    Mutant(
        "timestamps-invented",
        "WL7592-BODY-NO-TIMESTAMPS",
        "a body without logical timestamps has some",
        invent("last_committed", 1, of_type(*PLAIN_GTID_TYPES)),
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
        refuse(lambda event, reported: event.header.type in PLAIN_GTID_TYPES and event.header.length == 57),
    ),
    Mutant(
        "flagged-anonymous-ignored",
        "WL7592-ANON-FLAG-EITHER-WAY",
        "a flagged Anonymous_gtid is ignored",
        change("handled", to("ignored"), all_of(of_type(EventType.ANONYMOUS_GTID), flagged(Flag.IGNORABLE))),
        also=("FORMAT-TYPE-KNOWN",),
    ),
    Mutant(
        "flagged-anonymous-refused",
        "WL7592-ANON-SKIPPED-BY-FLAG",
        "a flagged Anonymous_gtid is refused",
        refuse(all_of(of_type(EventType.ANONYMOUS_GTID), flagged(Flag.IGNORABLE))),
    ),
    Mutant(
        "empty-set-is-none",
        "WL7592-PREVIOUS-GTIDS-EMPTY-READ",
        "the empty GTID set is null",
        change("previous_gtids", lambda text: text or None),
    ),
    Mutant(
        "gtid-set-of-few-sources",
        "WL7592-PREVIOUS-GTIDS-SET-READ",
        "the number of a GTID set's sources is read as one byte",
        change("previous_gtids", _few_sources),
    ),
    Mutant(
        "gtid-set-of-few-tags",
        "WL7592-PREVIOUS-GTIDS-SET-READ",
        "the number of entries of a GTID set with tags is read as one byte",
        change("previous_gtids", _few_tags),
    ),
    Mutant(
        "gtid-sets-joined",
        "WL7592-PREVIOUS-GTIDS-SET-READ",
        "a second Previous_gtids has the set of the first too",
        answer=_joined_sets,
        also=("WL7592-PREVIOUS-GTIDS-EMPTY-READ",),
    ),
    Mutant(
        "gtid-set-digit-lost",
        "WL7592-PREVIOUS-GTIDS-SET-READ",
        "the last digit of a GTID set is lost",
        change("previous_gtids", lambda text: text[:-1]),
    ),
    Mutant(
        "relay-previous-gtids-ignored",
        "WL7592-PREVIOUS-GTIDS-FLAG-EITHER-WAY",
        "a Previous_gtids of a relay log is ignored",
        change("handled", to("ignored"), all_of(of_type(EventType.PREVIOUS_GTIDS), flagged(Flag.RELAY_LOG))),
    ),
    Mutant(
        "query-without-gtids-refused",
        "WL7592-OLD-STREAMS-READ",
        "a Query is refused if no Gtid type is declared",
        refuse(lambda event, reported: event.header.type == EventType.QUERY and event.format.event_types < 33),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "create-in-group-refused",
        "WL7592-OLD-CREATE-SELECT-READ",
        "CREATE inside a transaction is refused",
        refuse(has_field("query", b"CREATE TABLE `t2` (`a` int(11))")),
    ),
    Mutant(
        "query-after-timestamps-lost",
        "WL7592-OLD-QUERY-TIMESTAMPS-READ",
        "a query after logical timestamps is lost",
        change("query", to(""), lambda event, reported: event.fields()["status_variables"][:1] == b"\x0e"),
    ),
    Mutant(
        "table-map-length-plus-one",
        "WL7592-HEADER-19-BYTES",
        "a Table_map's length counts one byte more",
        change("length", minus(-1), of_type(EventType.TABLE_MAP)),
    ),
    Mutant(
        "gtid-log-pos",
        "WL7592-LOG-POS-CHAIN",
        "the log_pos of a Gtid event does not count its checksum",
        change("log_pos", minus(4), of_type(*PLAIN_GTID_TYPES)),
    ),
    Mutant(
        "checksummed-gtid-refused",
        "WL7592-GTID-CHECKSUM",
        "a Gtid event with a checksum is refused",
        refuse(all_of(of_type(*PLAIN_GTID_TYPES), checksummed)),
    ),
    Mutant(
        "gtid-unverified",
        "WL7592-GTID-CHECKSUM-WRONG",
        "a wrong checksum of a Gtid event ends the log quietly",
        swallow=of_checksum(*PLAIN_GTID_TYPES),
    ),
    Mutant(
        "large-rows-table-id",
        "WL7592-LARGE-EVENTS-WHOLE",
        "rows events of more than 8 KiB have a wrong table id",
        change("table_id", minus(1), lambda event, reported: event.header.length > 8192),
        also=("FORMAT-ROWS",),
    ),
    Mutant(
        "xid-always-27-bytes",
        "WL7592-XID-SIZE",
        "an Xid has 27 bytes, whatever its checksum",
        change("length", to(27), of_type(EventType.XID)),
    ),
    Mutant(
        "query-cut-at-64k",
        "WL7592-QUERY-SIZE-GROWS",
        "a query is cut at 64 KiB",
        change("query", lambda text: text[:65535]),
    ),
    Mutant(
        "xa-end-not-executed",
        "FORMAT-READER-GTIDS",
        "the GTID of an XA COMMIT or XA ROLLBACK is not in the set of executed ones",
        answer=lambda request: _TakesXaEndForBeginning().answer(request),
    ),
    Mutant(
        "one-phase-not-executed",
        "FORMAT-READER-GTIDS",
        "the GTID of an XA transaction that is committed in one phase is not in the set of executed ones",
        answer=lambda request: _CountsPreparedAlone().answer(request),
    ),
    Mutant(
        "tail-hides-gtid",
        "WL7592-COMPAT-ON-56-57",
        "a Gtid with a newer tail has no GTID",
        change("gtid", to(""), lambda event, reported: TAIL in event.fields()),
    ),
)
