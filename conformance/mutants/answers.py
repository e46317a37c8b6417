"""The mutants of the requirements that own fields: wrong in one value that no other requirement accounts for."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.mutants.log.event_faults import is_begin
from conformance.mutants.log.faults import changed, of_type, other_bytes, set_fields, set_flags, without
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Refusal, Request, Trouble
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE, FIELDS_OF_TYPE, TypeFields
from conformance.reference.implementation import ReferenceImplementation

Entry = Mapping[str, Any]
Answer = Callable[[Request], Observation | Trouble]

_REFERENCE: Final = ReferenceImplementation()


def _answered(change: Callable[[Observation], Observation]) -> Answer:
    """Return the reference's answer, changed."""

    def answer(request: Request) -> Observation | Trouble:
        observed = _REFERENCE.ask(request)
        return observed if isinstance(observed, Trouble) else change(observed)

    return answer


def _entries(is_wrong: Callable[[Entry], bool], **values: Any) -> Answer:
    """Return the reference's answer with other values in some entries; a function is given the right value."""

    def change(entry: Entry) -> Entry:
        if not is_wrong(entry):
            return entry
        wrong = {name: value(entry[name]) if callable(value) else value for name, value in values.items()}
        return {**entry, **{name: value for name, value in wrong.items() if name in entry}}

    return _answered(lambda observed: replace(observed, events=tuple(map(change, observed.events))))


def _of_type(code: EventType) -> Callable[[Entry], bool]:
    return lambda entry: entry.get("type") == code


def _is_capable_of_neither(entry: Entry) -> bool:
    return bool(entry["row_capable"] == entry["statement_capable"] == "no")


def _is_shipped_table_map(entry: Entry) -> bool:
    # Only the parser of the worklog reports markers.
    return "marker" not in entry and _of_type(EventType.TABLE_MAP)(entry)


def _with_error_at_the_end(observed: Observation) -> Observation:
    if observed.error is not None:
        return observed
    return replace(observed, error=Refusal(None, "other", "the end of the stream was reached"))


def _with_last_entry_twice(observed: Observation) -> Observation:
    return replace(observed, events=(*observed.events, *observed.events[-1:]))


def _without_rand(entry: Entry) -> Entry:
    if not _of_type(EventType.RAND)(entry):
        return entry
    return {name: "ignored" if name == "handled" else entry[name] for name in FIELDS_OF_EVERY_TYPE if name in entry}


def _with_kept_fields(observed: Observation) -> Observation:
    """Return an answer in which each optional field that an event does not have is that of an event before."""
    events, kept = [], dict[str, Any]()
    for entry in observed.events:
        optional = FIELDS_OF_TYPE.get(entry["type"], TypeFields()).optional if entry["handled"] == "known" else ()
        events.append({**{name: kept[name] for name in optional if name in kept}, **entry})
        kept |= {name: entry[name] for name in optional if name in entry}
    return replace(observed, events=tuple(events))


def _is_data_of(code: EventType) -> Callable[[Entry], bool]:
    return lambda entry: bool(HEADER.unpack(bytes.fromhex(entry["data"])[:HEADER_BYTES])[1] == code)


#: Every mutant, in the order of specs/requirements/answers.toml.
MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "rand-not-known",
        "FORMAT-TYPE-KNOWN",
        "Rand events are passed over as if their type were not known",
        answer=_answered(lambda observed: replace(observed, events=tuple(map(_without_rand, observed.events)))),
    ),
    Mutant(
        "end-is-an-error",
        "FORMAT-EVENT-FIELDS",
        "the end of the stream is reported as an error",
        answer=_answered(_with_error_at_the_end),
    ),
    Mutant(
        "absent-fields-kept",
        "FORMAT-EVENT-FIELDS",
        "a field that an event does not have keeps the value that an earlier event had",
        answer=_answered(_with_kept_fields),
    ),
    Mutant(
        "shipped-table-map-outside",
        "FORMAT-BOUNDARY-STATE",
        "after a Table_map event the shipped parser counts as outside any transaction",
        answer=_entries(_is_shipped_table_map, within_transaction="no"),
        also=("WL4162-STREAM-MIDDLE-KNOWN",),
    ),
    Mutant(
        "boundary-incident-warned",
        "FORMAT-BOUNDARY-WARNING",
        "every Incident event causes a warning",
        answer=_entries(_of_type(EventType.INCIDENT), warning="an incident occurred"),
        also=(
            "FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD",
            "FORMAT-SHIPPED-BOUNDARY-INCIDENT",
            "WL4162-STREAM-GRAMMAR",
            "WL4162-TT-END-SELF",
            "WL4162-TT-SELF-SELF",
            "WL4162-TT-UNDEFINED-SELF",
        ),
    ),
    Mutant(
        "boundary-xid-code",
        "FORMAT-BOUNDARY-EVENT",
        "Xid events are reported with the type code of Query events",
        answer=_entries(_of_type(EventType.XID), type=int(EventType.QUERY)),
    ),
    Mutant(
        "filter-format-dropped",
        "FORMAT-FILTER-LOG",
        "the format description is dropped",
        answer=_entries(_of_type(EventType.FORMAT_DESCRIPTION), fate="dropped"),
    ),
    Mutant(
        "filter-xid-code",
        "FORMAT-FILTER-EVENT",
        "Xid events are reported with the type code of Query events",
        answer=_entries(_of_type(EventType.XID), type=int(EventType.QUERY)),
    ),
    Mutant(
        "decide-rows-not-executed",
        "FORMAT-DECIDE-EXECUTED",
        "statements that are logged as rows are not executed",
        answer=_entries(lambda entry: entry["format"] == "row", executed="no"),
    ),
    Mutant(
        "decide-neither-restricted",
        "FORMAT-DECIDE-CAPABILITY",
        "tables that are capable of neither format are restricted to rows",
        answer=_entries(_is_capable_of_neither, restricted="row"),
    ),
    Mutant(
        "decide-last-twice",
        "FORMAT-DECIDE-FORMAT",
        "the last statement is answered twice",
        answer=_answered(_with_last_entry_twice),
    ),
    Mutant(
        "render-end-of-xid",
        "FORMAT-RENDER-ENTRIES",
        "the row of an Xid event has the event's start as its end",
        answer=_entries(lambda entry: "xid=" in entry.get("info", ""), end_log_pos=lambda end: end - 1),
    ),
    Mutant(
        "render-end-signed",
        "FORMAT-RENDER-ENTRIES",
        "the row of an event that ends beyond 2^31 has a negative end",
        answer=_entries(lambda entry: entry.get("end_log_pos", 0) >> 31 == 1, end_log_pos=lambda end: end - (1 << 32)),
    ),
    Mutant(
        "relay-xid-warned",
        "FORMAT-RELAY-WARNING",
        "every Xid event causes a warning",
        answer=_entries(_is_data_of(EventType.XID), warning="a transaction was committed"),
    ),
    Mutant(
        "apply-format-ignored",
        "FORMAT-APPLY-OUTCOME",
        "format descriptions are reported as ignored",
        answer=_entries(_of_type(EventType.FORMAT_DESCRIPTION), outcome="ignored"),
    ),
    Mutant(
        "apply-source-position",
        "FORMAT-APPLY-POSITION",
        "after an Xid event the position in the source's log is one byte too far",
        answer=_entries(_of_type(EventType.XID), source_log_pos=lambda position: position + 1),
    ),
    Mutant(
        "apply-format-opens-group",
        "FORMAT-APPLY-GROUP",
        "a format description opens a group",
        answer=_entries(_of_type(EventType.FORMAT_DESCRIPTION), in_group=1),
    ),
    Mutant(
        "apply-gtid-kept",
        "FORMAT-APPLY-GTID",
        "after an Xid event the group still has a GTID",
        answer=_entries(_of_type(EventType.XID), gtid="ANONYMOUS"),
    ),
    Mutant(
        "apply-xid-code",
        "FORMAT-APPLY-EVENT",
        "Xid events are reported with the type code of Query events",
        answer=_entries(_of_type(EventType.XID), type=int(EventType.QUERY)),
    ),
    Mutant(
        "log-insert-id-lost",
        "FORMAT-LOG-EVENTS",
        "no Intvar event is written before a statement that needs its insert id",
        answer=without(of_type(EventType.INTVAR)),
        also=("WL4162-CONTEXT-EVENTS-BEFORE-STATEMENT",),
    ),
    Mutant(
        "log-torn",
        "FORMAT-LOG-READABLE",
        "the last byte of each log is missing",
        answer=other_bytes(lambda stream: stream[:-1]),
    ),
    Mutant(
        "log-begin-in-other-database",
        "FORMAT-LOG-STATEMENT",
        "BEGIN has the default database `other`",
        answer=changed(is_begin, set_fields(database=b"other")),
    ),
    Mutant(
        "log-query-flag",
        "FORMAT-LOG-FLAGS",
        "BEGIN has the flag UPDATE_TABLE_MAP_VERSION",
        answer=changed(is_begin, set_flags(int(Flag.UPDATE_TABLE_MAP_VERSION))),
    ),
    Mutant(
        "log-table-renamed",
        "FORMAT-LOG-FIELDS",
        "Table_map events name the table `other`",
        answer=changed(of_type(EventType.TABLE_MAP), set_fields(table=b"other")),
    ),
)
