"""What holds for every recorded log of a real server, as laws that the generator's valid streams have to obey too."""

from collections.abc import Callable, Iterator
from itertools import takewhile

from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, HEARTBEAT_TYPES, ROWS_V1, ROWS_V2, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.rows.column_codes import NUMERIC, ColumnType
from conformance.binlog.rows.table_metadata import read_table_metadata

#: Yields the events of a log that break a law.
Law = Callable[[list[Event]], Iterator[Event]]

LAWS: dict[str, Law] = {}


def law(broken: Law) -> Law:
    LAWS[broken.__name__] = broken
    return broken


def law_of(*types: int) -> Callable[[Callable[[Event, dict], bool]], Callable[[Event, dict], bool]]:
    """Register a law about the fields of each event of some types."""

    def register(holds: Callable[[Event, dict], bool]) -> Callable[[Event, dict], bool]:
        def broken(events: list[Event]) -> Iterator[Event]:
            known = (event for event in events if event.recognised and event.header.type in types)
            return (event for event in known if not holds(event, event.fields()))

        LAWS[holds.__name__] = broken
        return holds

    return register


def version(event: Event) -> tuple[int, ...]:
    """Return the first two numbers of the version in the format description that governs an event."""
    return tuple(int(part) for part in event.format.server_version.split(".")[:2])


def of_mariadb(event: Event) -> bool:
    return "MariaDB" in event.format.server_version


@law_of(EventType.FORMAT_DESCRIPTION)
def a_format_description_has_its_own_post_header_length(event: Event, fields: dict) -> bool:
    lengths = event.format.post_header_lengths
    return lengths[EventType.FORMAT_DESCRIPTION - 1] == 57 + len(lengths)


@law_of(*GTID_TYPES)
def the_original_commit_timestamp_is_written_where_it_differs(event: Event, fields: dict) -> bool:
    original = fields.get("original_commit_timestamp")
    return original is None or original != fields["immediate_commit_timestamp"]


@law_of(*GTID_TYPES)
def the_original_server_version_is_written_where_it_differs(event: Event, fields: dict) -> bool:
    original = fields.get("original_server_version")
    return original is None or original != fields["immediate_server_version"]


@law_of(*GTID_TYPES)
def the_immediate_server_version_is_that_of_the_log(event: Event, fields: dict) -> bool:
    major, minor, patch = event.format.server_version.split("-")[0].split(".")
    number = int(major) * 10_000 + int(minor) * 100 + int(patch)
    return fields.get("immediate_server_version") in (None, number)


@law_of(*GTID_TYPES)
def a_ticket_of_a_commit_group_is_not_0(event: Event, fields: dict) -> bool:
    return fields.get("commit_group_ticket") != 0


@law_of(*GTID_TYPES)
def a_transaction_depends_on_earlier_ones(event: Event, fields: dict) -> bool:
    return "last_committed" not in fields or fields["last_committed"] < fields["sequence_number"]


@law_of(EventType.GTID)
def a_gtid_event_of_5_6_has_the_flag_of_a_commit(event: Event, fields: dict) -> bool:
    return version(event) != (5, 6) or fields["gtid_flags"] == 1


@law_of(EventType.PREVIOUS_GTIDS)
def previous_gtids_have_the_tagged_form_for_sets_with_tags(event: Event, fields: dict) -> bool:
    gtids = fields["previous_gtids"]
    return gtids.tagged == any(source.tag for source in gtids.sources)


@law_of(EventType.PREVIOUS_GTIDS)
def previous_gtids_are_ignorable_since_5_7(event: Event, fields: dict) -> bool:
    return bool(event.header.flags & Flag.IGNORABLE) == (version(event) >= (5, 7))


@law_of(EventType.TABLE_MAP)
def the_bits_of_null_columns_end_with_the_columns(event: Event, fields: dict) -> bool:
    bits = fields.get("null_bits")
    return bits is None or int.from_bytes(bits, "little") >> fields["column_count"] == 0


@law_of(EventType.QUERY)
def the_bounds_of_a_transaction_need_no_default_database_since_5_5(event: Event, fields: dict) -> bool:
    is_bound = fields["query"] in (b"BEGIN", b"COMMIT", b"ROLLBACK")
    return not is_bound or version(event) < (5, 5) or bool(event.header.flags & Flag.SUPPRESS_USE)


@law_of(EventType.TABLE_MAP)
def a_table_map_has_metadata_since_8_0_alone(event: Event, fields: dict) -> bool:
    types, metadata = fields.get("column_types", b""), fields.get("optional_metadata", b"")
    if of_mariadb(event) or version(event) < (8, 0):
        return not metadata
    # 8.0.15 records no sign of a YEAR, 9.7 does.
    numbers = sum(each in NUMERIC and each != ColumnType.YEAR for each in types)
    signs = read_table_metadata(metadata).get("unsigned", [])
    return len(signs) >= numbers


@law_of(EventType.TABLE_MAP)
def a_table_map_has_exact_bits_since_5_5(event: Event, fields: dict) -> bool:
    return "table_flags" not in fields or fields["table_flags"] & 1 == (
        version(event) >= (5, 5) or version(event) == (5, 2)
    )


@law
def the_bitmaps_of_nulls_are_filled_with_zeros_since_8_0(events: list[Event]) -> Iterator[Event]:
    """Look at the first bitmap of each rows event."""
    for event in events:
        if not event.recognised or event.header.type not in (*ROWS_V1, *ROWS_V2):
            continue
        fields = event.fields()
        columns = int.from_bytes(fields["columns_present"], "little") & ((1 << fields["column_count"]) - 1)
        size, used = divmod(columns.bit_count(), 8)
        zeros = not of_mariadb(event) and version(event) >= (8, 0)
        if used and fields["row_data"] and fields["row_data"][size] >> used != (0 if zeros else (1 << 8 - used) - 1):
            yield event


@law
def a_log_begins_with_previous_gtids_since_5_7(events: list[Event]) -> Iterator[Event]:
    if not of_mariadb(events[0]) and version(events[0]) >= (5, 7):
        yield from (event for event in events[1:2] if event.header.type != EventType.PREVIOUS_GTIDS)


@law
def a_log_of_mariadb_begins_with_gtid_list(events: list[Event]) -> Iterator[Event]:
    if of_mariadb(events[0]) and version(events[0]) >= (10, 0):
        yield from (event for event in events[1:2] if event.header.type != EventType.MARIADB_GTID_LIST)


@law_of(EventType.QUERY)
def a_transaction_of_mariadb_begins_with_its_gtid(event: Event, fields: dict) -> bool:
    return not of_mariadb(event) or version(event) < (10, 0) or fields["query"] != b"BEGIN"


@law
def the_length_of_a_transaction_counts_its_events(events: list[Event]) -> Iterator[Event]:
    outside = (EventType.TRANSACTION_CONTEXT, EventType.LARGE_TRANSACTION_HEADER, *HEARTBEAT_TYPES)
    ends = (*GTID_TYPES, *outside, EventType.ROTATE, EventType.STOP, EventType.FORMAT_DESCRIPTION)
    for place, event in enumerate(events):
        if not event.recognised or event.header.type not in GTID_TYPES:
            continue
        wanted = event.fields().get("transaction_length")
        group = list(takewhile(lambda each: each.header.type not in ends, events[place + 1 :]))
        # Ignorable events of unknown types after the last event of the group can be outside it.
        last = max((at for at, each in enumerate(group) if each.recognised), default=-1)
        sizes = {each.end - event.offset for each in (event, *group)[last + 1 :]}
        if wanted is not None and wanted not in sizes:
            yield event
