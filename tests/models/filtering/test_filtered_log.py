"""The output of a filter is a valid log without anything of the tables that it drops."""

import pytest
from generated_logs import log_of

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.layouts.mariadb_layouts import STANDALONE
from conformance.binlog.reader import read_events
from conformance.binlog.rows.images import rows_kind
from conformance.binlog.transaction_payload import inner_events
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.filtered_log import LogFilter
from conformance.models.filtering.sql_statement import read_statement
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName, as_text, named_by
from conformance.specs.profiles import PROFILES
from tests.extras import require

require("sql")

USUAL = ("mysql-5.1", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x", "mariadb-11.x")

#: Logs of each profile.
LOGS = 60


def filtered(stream, rules, *, unpack=False, reading=None, **modes):
    """Return the filtered log, and the counts."""
    chosen = LogFilter(TableFilter(rules, **modes), unpack_payloads=unpack)
    return b"".join(chosen.filtered(read_events(stream, reading))), chosen.counts


def ignoring(tables):
    return FilterRules(ignore_tables=frozenset(tables))


def doing(tables):
    return FilterRules(do_tables=frozenset(tables))


def all_events(stream, reading=None):
    """Yield the events of a log, those in payloads after the payload."""
    for event in read_events(stream, reading):
        yield event
        if event.recognised and event.header.type == EventType.TRANSACTION_PAYLOAD:
            yield from inner_events(event)


def tables_of(stream, reading=None):
    """Return every list of tables in a log: of statements, by their tables info or their text, and of Table_maps."""
    table_lists = []
    for event in all_events(stream, reading):
        code = event.format.type_code(event.header.type)
        if code == EventType.QUERY and event.recognised:
            fields = event.fields()
            database = as_text(fields["database"])
            if "tables_info" in fields:
                table_lists.append(named_by(fields["tables_info"], database))
            else:
                table_lists.append(read_statement(as_text(fields["query"]), database).tables)
        elif code == EventType.TABLE_MAP:
            fields = event.fields()
            table_lists.append((TableName(as_text(fields["database"]), as_text(fields["table"])),))
    return [each for each in table_lists if each]


def begins_in_mariadb(event):
    is_gtid = event.header.type == EventType.MARIADB_GTID
    return is_gtid and not event.fields()["mariadb_gtid_flags"] & STANDALONE


def assert_sound(stream, *, lengths=True):
    """Check that positions and lengths are right, that every rows event has a Table_map, and that groups are closed."""
    open_maps, inside, marked = {}, False, None
    for event in read_events(stream):
        assert event.header.log_pos == event.end
        code = event.header.type
        if code in GTID_TYPES:
            assert not inside
            assert marked is None
            marked = event.offset
            length = event.fields().get("transaction_length")
            wanted = length and event.offset + length
        elif code not in (EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS, EventType.ROTATE, EventType.STOP):
            for each in (event, *(inner_events(event) if code == EventType.TRANSACTION_PAYLOAD else ())):
                query = each.fields().get("query") if each.header.type == EventType.QUERY else None
                if query == b"BEGIN" or begins_in_mariadb(each):
                    assert not inside
                    inside = True
                elif query in (b"COMMIT", b"ROLLBACK") or each.header.type == EventType.XID:
                    assert inside
                    assert not open_maps, "a statement's rows are not ended"
                    inside = False
                elif each.header.type == EventType.TABLE_MAP:
                    open_maps[each.fields()["table_id"]] = each
                elif rows_kind(each.header.type):
                    fields = each.fields()
                    assert fields["table_id"] in open_maps
                    if fields["rows_flags"] & 1:
                        open_maps.clear()
            if not inside:
                if lengths and marked is not None and wanted:
                    assert event.end == wanted
                marked = None
    assert not inside
    assert marked is None
    assert not open_maps


@pytest.mark.parametrize("profile", USUAL)
@pytest.mark.parametrize("rules", [ignoring, doing])
@pytest.mark.parametrize("unpack", [False, True])
def test_filtered_generated_logs_are_valid_and_hold_only_tables_that_pass(profile, rules, unpack):
    left_out = 0
    for number in range(LOGS):
        stream, tables = log_of(number, profile)
        assert_sound(stream)
        left, counts = filtered(stream, rules(tables), unpack=unpack)
        assert_sound(left)
        named = [table for each in tables_of(left) for table in each]
        if rules is ignoring:
            assert not set(named) & set(tables)
        else:
            assert set(named) <= set(tables)
        left_out += counts.dropped
        assert counts.uncertain == 0
    assert left_out > LOGS


@pytest.mark.parametrize("renames", ["name", "identity"])
@pytest.mark.parametrize("tables_mode", ["literal", "clever"])
def test_filtered_extended_logs_are_valid_and_hold_no_ignored_table(tables_mode, renames):
    for number in range(LOGS):
        stream, tables = log_of(number, "worklog", extended=True)
        left, _ = filtered(stream, ignoring(tables), tables=tables_mode, renames=renames)
        assert_sound(left)
        if (tables_mode, renames) == ("literal", "name"):
            assert not {table for each in tables_of(left) for table in each} & set(tables)


@pytest.mark.parametrize("profile", USUAL)
def test_a_filter_that_drops_nothing_changes_nothing(profile):
    for number in range(LOGS):
        stream, _ = log_of(number, profile)
        left, counts = filtered(stream, ignoring([TableName("none", "such")]))
        assert (left, counts.dropped) == (stream, 0)


@pytest.mark.parametrize("profile", USUAL)
def test_filtering_a_filtered_log_again_changes_nothing(profile):
    for number in range(LOGS):
        stream, tables = log_of(number, profile)
        once, _ = filtered(stream, ignoring(tables))
        assert filtered(once, ignoring(tables))[0] == once


@pytest.mark.parametrize("profile", ["mysql-8.0", "mysql-9.x"])
def test_previous_gtids_stay(profile):
    stream, tables = log_of(3, profile)
    left, _ = filtered(stream, ignoring(tables))
    kept = [[e.data[HEADER_BYTES : e.body_end] for e in read_events(s) if e.header.type == EventType.PREVIOUS_GTIDS]
            for s in (stream, left)]  # fmt: skip
    assert kept[0] == kept[1] != []


def test_every_profile_has_a_log_to_filter():
    for profile in PROFILES:
        stream, tables = log_of(1, profile)
        assert_sound(filtered(stream, doing(tables))[0])
