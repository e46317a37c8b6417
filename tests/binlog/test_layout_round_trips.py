"""The fields written into an event are those read from it, for every event type."""

import pytest
from field_values import Fields, field_values, names, short_bytes
from hypothesis import given
from hypothesis import strategies as st

from conformance.binlog.event_types import MARIADB_TYPES, EventType, type_name
from conformance.binlog.layouts.by_type import KEPT_AS_BYTES, OPAQUE, layout_of
from conformance.binlog.rows.images import READABLE_ROWS_TYPES
from conformance.binlog.servers import server_of

U8 = st.integers(0, 0xFF)
U32 = st.integers(0, 2**32 - 1)
U56 = st.integers(0, 2**55 - 1)
U63 = st.integers(0, 2**63 - 1)

MYSQL_5_7 = server_of("mysql-5.7").post_header_lengths
MYSQL_9 = server_of("mysql-9.x").post_header_lengths
MARIADB = server_of("mariadb-11.x").post_header_lengths


def declared(code: int) -> int:
    """The post-header length declared by servers that write the type; 0 if none of them declares it."""
    arrays = (MARIADB,) if code in MARIADB_TYPES else (MYSQL_9, MYSQL_5_7)
    lengths = [array[code - 1] for array in arrays if 0 < code <= len(array)]
    return next((length for length in lengths if length), 0)


@st.composite
def gtid_fields(draw) -> Fields:
    """A Gtid event of any server version: each part may be the last one."""
    fields: Fields = {
        "gtid_flags": draw(U8),
        "source_uuid": draw(st.binary(min_size=16, max_size=16)),
        "gno": draw(U63),
        "logical_timestamp_typecode": 2,
        "last_committed": draw(U63),
        "sequence_number": draw(U63),
    }
    parts = (
        {"immediate_commit_timestamp": U56, "original_commit_timestamp": U56},
        {"transaction_length": U63},
        {"immediate_server_version": st.integers(0, 2**31 - 1), "original_server_version": U32},
        {"commit_group_ticket": U63},
    )
    for part in parts[: draw(st.integers(0, len(parts)))]:
        for name, values in part.items():
            if not name.startswith("original") or draw(st.booleans()):
                fields[name] = draw(values)
    return fields


@st.composite
def mariadb_gtid_fields(draw) -> Fields:
    flags = draw(U8)
    extra = draw(st.integers(0, 0x1F))
    fields: Fields = {"gno": draw(U63), "domain_id": draw(U32), "mariadb_gtid_flags": flags}
    if flags & 0x02:
        fields["commit_id"] = draw(U63)
    if flags & 0xC0:
        parts = draw(names), draw(names)
        fields |= {"xa_format_id": draw(U32), "xa_data": b"".join(parts)}
        fields |= {"xa_gtrid_length": len(parts[0]), "xa_bqual_length": len(parts[1])}
    fields["mariadb_gtid_extra_flags"] = extra
    for bits, name, values in ((0x01, "extra_engines", U8), (0x0C, "start_alter_gno", U63), (0x10, "thread_id", U32)):
        if extra & bits:
            fields[name] = draw(values)
    return fields


@st.composite
def table_map_fields(draw) -> Fields:
    count = draw(st.integers(0, 300))
    return {
        "table_id": draw(st.integers(0, 2**48 - 1)),
        "table_flags": draw(st.integers(0, 0xFFFF)),
        "database": draw(names),
        "table": draw(names),
        "column_types": draw(st.binary(min_size=count, max_size=count)),
        "column_metadata": draw(short_bytes),
        "null_bits": draw(st.binary(min_size=(count + 7) // 8, max_size=(count + 7) // 8)),
        "optional_metadata": draw(short_bytes),
    }


@st.composite
def rows_fields(draw, *, after: bool, extra: bool, rows: str) -> Fields:
    count = draw(st.integers(1, 300))
    bitmap = st.binary(min_size=(count + 7) // 8, max_size=(count + 7) // 8)
    fields: Fields = {
        "table_id": draw(st.integers(0, 2**48 - 1)),
        "rows_flags": draw(st.integers(0, 0xFFFF)),
        "column_count": count,
        "columns_present": draw(bitmap),
        rows: draw(short_bytes),
    }
    if after:
        fields["columns_present_after"] = draw(bitmap)
    if extra:
        fields["extra_data"] = draw(short_bytes)
    return fields


@st.composite
def user_var_fields(draw) -> Fields:
    fields: Fields = {"variable_name": draw(names)}
    if draw(st.booleans()):
        fields |= {"variable_type": draw(U8), "variable_charset": draw(U32), "variable_value": draw(short_bytes)}
        if draw(st.booleans()):
            fields["variable_flags"] = draw(U8)
    return fields


@st.composite
def xa_fields(draw) -> Fields:
    gtrid, bqual = draw(names), draw(names)
    sizes = {"xa_gtrid_length": len(gtrid), "xa_bqual_length": len(bqual)}
    return {"one_phase": draw(U8), "xa_format_id": draw(U32), "xa_data": gtrid + bqual, **sizes}


@st.composite
def fragment_fields(draw) -> Fields:
    flags = draw(U8)
    fields: Fields = {"fragment_count": draw(U32), "fragment_number": draw(U32), "fragment_flags": flags}
    if flags & 1:
        fields["original_size"] = draw(U63)
    return {**fields, "fragment": draw(short_bytes)}


@st.composite
def tagged_gtid_fields(draw) -> Fields:
    return draw(field_values(layout_of(EventType.GTID_TAGGED, 0)))


def _rows(code: EventType) -> st.SearchStrategy[Fields]:
    compressed = "COMPRESSED" in code.name
    return rows_fields(
        after="UPDATE" in code.name,
        extra=not code.name.endswith("V1"),
        rows="compressed_rows" if compressed else "row_data",
    )


SPECIAL = {
    EventType.GTID: gtid_fields(),
    EventType.ANONYMOUS_GTID: gtid_fields(),
    EventType.MARIADB_GTID: mariadb_gtid_fields(),
    EventType.TABLE_MAP: table_map_fields(),
    EventType.USER_VAR: user_var_fields(),
    EventType.XA_PREPARE: xa_fields(),
    EventType.MARIADB_PARTIAL_ROW_DATA: fragment_fields(),
    **{code: _rows(code) for code in READABLE_ROWS_TYPES},
}


def test_only_types_that_no_server_writes_now_are_kept_as_bytes():
    assert {code for code in EventType if layout_of(code, declared(code)) is OPAQUE} == KEPT_AS_BYTES


@pytest.mark.parametrize("code", sorted(set(EventType) - KEPT_AS_BYTES), ids=type_name)
@given(data=st.data())
def test_what_is_written_is_read(code, data):
    length = declared(code)
    layout = layout_of(code, length)
    values = data.draw(SPECIAL[code] if code in SPECIAL else field_values(layout))
    written = layout.write(values, post_header_length=length)

    read = layout.read(written, 0, len(written), post_header_length=length)
    assert {name: read[name] for name in values} == values
    assert layout.write(read, post_header_length=length) == written

    spans = layout.spans(written, 0, len(written), post_header_length=length)
    assert [span.offset for span in spans] == [sum(each.size for each in spans[:at]) for at in range(len(spans))]
    assert sum(span.size for span in spans) == len(written)


@pytest.mark.parametrize("code", sorted(set(EventType)), ids=type_name)
@given(body=st.binary(max_size=80))
def test_bytes_that_no_server_wrote_are_read_or_refused_but_never_lost(code, body):
    layout = layout_of(code, declared(code))
    spans = layout.spans(body, 0, len(body), post_header_length=declared(code))
    assert sum(span.size for span in spans) <= len(body)


QUERY_FIELDS = {
    "thread_id": 1,
    "exec_time": 2,
    "error_code": 0,
    "status_variables": b"",
    "database": b"d",
    "query": b"q",
}


@pytest.mark.parametrize("name", ["exec_time", "error_code", "query"])
def test_the_error_names_a_required_field_that_is_missing(name):
    values = {each: value for each, value in QUERY_FIELDS.items() if each != name}
    with pytest.raises(ValueError, match=f"the field '{name}' is missing"):
        layout_of(EventType.QUERY, 13).write(values, post_header_length=13)


def test_a_number_that_is_too_large_for_its_field_is_refused():
    with pytest.raises(OverflowError):
        layout_of(EventType.QUERY, 13).write({**QUERY_FIELDS, "exec_time": 2**32}, post_header_length=13)


def test_a_shorter_post_header_ends_before_fields_that_are_not_given():
    values = {"table_id": 7, "database": b"d", "table": b"t", "column_types": b"", "column_metadata": b""}
    values |= {"null_bits": b"", "optional_metadata": b""}
    written = layout_of(EventType.TABLE_MAP, 8).write(values, post_header_length=6)
    assert written == b"\x07\0\0\0\0\0" + b"\x01d\0" + b"\x01t\0" + b"\0" + b"\0"
