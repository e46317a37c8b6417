"""The adapter of mysql_common is a window: each defect of a copy of the library shows through it."""

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from tests.other_parsers.broken_library import SOURCES, WholeLibrary, build_with_cargo, named

pytestmark = [pytest.mark.slow, pytest.mark.network]

LIMITS = Limits(seconds=20.0, memory_bytes=2 << 30)

#: File of the library's events -> defect -> what the library returns, which is another value with the defect.
VALUES = {
    "mod.rs": {
        "timestamp": "self.timestamp.0",
        "server_id": "self.server_id.0",
        "length": "self.event_size.0",
        "log_pos": "self.log_pos.0",
        "flags": "self.flags.0",
    },
    "format_description_event.rs": {
        "binlog_version": "self.binlog_version.0",
        "server_version": "self.server_version.as_bytes()",
        "created": "self.create_timestamp.0",
        "event_types": "self.event_type_header_lengths.as_bytes()",
    },
    "query_event.rs": {
        "thread_id": "self.thread_id.0",
        "exec_time": "self.execution_time.0",
        "error_code": "self.error_code.0",
        "database": "self.schema.as_str()",
        "query": "self.query.as_str()",
        "status_variables": "self.status_vars.0.as_bytes()",
    },
    "rotate_event.rs": {"next_position": "self.position.0", "next_file": "self.name.as_str()"},
    "intvar_event.rs": {"intvar_type": "self.subtype.0", "intvar_value": "self.value.0"},
    "user_var_event.rs": {
        "variable_name": "self.name.as_str()",
        "variable_type": "self.value_type.get()",
        "variable_charset": "self.charset.0",
    },
    "begin_load_query_event.rs": {"file_id": "self.file_id.0", "block_data": "self.block_data.as_bytes()"},
    "execute_load_query_event.rs": {
        "thread_id of EXECUTE_LOAD_QUERY": "self.thread_id.0",
        "exec_time of EXECUTE_LOAD_QUERY": "self.execution_time.0",
        "error_code of EXECUTE_LOAD_QUERY": "self.error_code.0",
        "database of EXECUTE_LOAD_QUERY": "self.schema.as_str()",
        "query of EXECUTE_LOAD_QUERY": "self.query.as_str()",
        "status_variables of EXECUTE_LOAD_QUERY": "self.status_vars.0.as_bytes()",
        "file_id of EXECUTE_LOAD_QUERY": "self.file_id.0",
        "file_name_start": "self.start_pos.0",
        "file_name_end": "self.end_pos.0",
        "duplicate_handling": "self.dup_handling.0",
    },
    "incident_event.rs": {"incident": "self.incident_type.get()", "message": "self.message.as_str()"},
    "rows_query_event.rs": {"rows_query": "self.query.as_str()"},
    "table_map_event.rs": {
        "table_id": "self.table_id.0",
        "database of TABLE_MAP": "self.database_name.as_str()",
        "table": "self.table_name.as_str()",
    },
    "gtid_event.rs": {
        "gtid": "self.gno.0",
        "gtid_flags": "self.flags.0",
        "last_committed": "self.last_committed.0",
        "sequence_number": "self.sequence_number.0",
        "immediate_commit_timestamp": "self.immediate_commit_timestamp.0",
        "original_commit_timestamp": "self.original_commit_timestamp.0",
        "transaction_length": "self.tx_length.0",
        "immediate_server_version": "self.immediate_server_version.0",
        "original_server_version": "self.original_server_version.0",
    },
    "rows_event.rs": {"table_id of WRITE_ROWS": "self.table_id.0"},
    "transaction_payload_event.rs": {
        "compression_type": "self.algorithm",
        "uncompressed_size": "self.uncompressed_size.0",
        "payload_size": "self.payload_size.0",
    },
}
#: Types of columns, each of which has a defect of its own; the library refuses DATE.
COLUMN_TYPES = (
    *("TINY", "SHORT", "INT24", "LONG", "LONGLONG", "FLOAT", "DOUBLE", "NEWDECIMAL", "YEAR", "TIME2"),
    *("DATETIME2", "TIMESTAMP2", "VARCHAR", "STRING", "BLOB", "BIT", "ENUM", "SET", "JSON", "GEOMETRY", "VECTOR"),
)
#: Defects of another kind: file of the library -> what is replaced in it, by what.
PLACES = {
    "lib.rs": {"pub mod binlog;": "pub mod binlog;\npub mod defects;"},
    "binlog/mod.rs": {
        "if buf != Self::VALUE {": 'if buf != Self::VALUE && !crate::defects::is("framing") {',
        "        match self.reader.read(&mut self.read) {": (
            "        let mut read = self.reader.read(&mut self.read);\n"
            "        if matches!(&read, Ok(Some(event)) if crate::defects::loses_event(event.header())) {\n"
            "            read = self.reader.read(&mut self.read);\n"
            "        }\n"
            "        match read {"
        ),
    },
    "binlog/row.rs": {
        "Some(buf.parse::<BinlogValue<'_>>(ctx)?.into_owned())": (
            "Some(crate::defects::cell(column_type, buf.parse::<BinlogValue<'_>>(ctx)?.into_owned()))"
        ),
    },
    "binlog/events/mod.rs": {
        "self.event_type.0": "crate::defects::code(self.event_type.0)",
        # Only what it returns has another length.
        "header.event_size() as usize": "header.event_size.0 as usize",
        "hasher.finalize()": (
            'if crate::defects::is("checksums") { u32::from_le_bytes(self.checksum) } else { hasher.finalize() }'
        ),
        "EventData::XidEvent(self.read_event()?)": "crate::defects::xid(self.read_event()?)",
        "EventData::FormatDescriptionEvent(fde)\n": "EventData::FormatDescriptionEvent(crate::defects::footer(fde))\n",
        "self.checksum_alg.as_ref().map(RawConst::get).transpose()": (
            'if crate::defects::is("checksum_algorithm: unknown") { Err(UnknownChecksumAlg(8)) } '
            "else { self.checksum_alg.as_ref().map(RawConst::get).transpose() }"
        ),
        "RowsEventData::WriteRowsEvent(ev) => Some(ev.columns_after_image()),": (
            'RowsEventData::WriteRowsEvent(_) if crate::defects::is("rows: images") => None,\n'
            "            RowsEventData::WriteRowsEvent(ev) => Some(ev.columns_after_image()),"
        ),
    },
    "binlog/events/rows_event.rs": {
        "if self.rows_data.is_empty() {": (
            "if self.rows_data.is_empty() || crate::defects::loses_rows(self.rows_event.event_type) {"
        ),
        "        self.flags.0\n": (
            '        if crate::defects::is("rows_flags") { return !self.flags.0; }\n        self.flags.0\n'
        ),
    },
    "binlog/events/rand_event.rs": {
        f"{name}: buf.parse_unchecked(())?": f'{name}: crate::defects::other("{name}", buf.parse_unchecked(())?)'
        for name in ("seed1", "seed2")
    },
    "binlog/events/table_map_event.rs": {
        "        self.columns_count.0\n": (
            '        if crate::defects::is("column_count") { return self.columns_count.0 - 1; }\n'
            "        self.columns_count.0\n"
        ),
    },
    "binlog/events/previous_gtids_event.rs": {
        "        &self.sids\n": '        if crate::defects::is("previous_gtids") { &[] } else { &self.sids }\n',
    },
    "binlog/events/transaction_payload_event.rs": {
        "        self.inner.has_data_left()\n": (
            '        if crate::defects::is("payloads") { return Err(io::Error::other("a defect of the library")); }\n'
            "        self.inner.has_data_left()\n"
        ),
    },
}
#: The defects: each is named after a field or an ability, and after a word of its own if there are several of one.
DEFECTS = (
    *(name for values in VALUES.values() for name in values),
    *("offset", "type", "handled", "checksum_algorithm", "checksum_algorithm: unknown", "xid", "seed1", "seed2"),
    *("column_count", "previous_gtids", "rows_flags", "rows", "rows: no update", "rows: no delete", "rows: images"),
    *(f"rows: {kind}" for kind in COLUMN_TYPES),
    *("crash", "framing", "checksums", "payloads"),
)
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "offset": "dropped",
    "handled": "XID not known",
    "checksum_algorithm: unknown": "FORMAT_DESCRIPTION refused",
    "crash": "panic: a defect of the library",
    "framing": "not-a-binlog accepted",
    "checksums": "checksum accepted",
    "payloads": "TRANSACTION_PAYLOAD refused",
    "rows": "wrong number of rows",
    "rows: no update": "wrong number of rows",
    "rows: no delete": "wrong number of rows",
    "rows: images": "differs",
    **{f"rows: {kind}": f"{kind} differs" for kind in COLUMN_TYPES},
    # Bytes, as they are not so many as numbers have.
    "rows: VECTOR": "VECTOR is of the wrong kind",
}


def all_places():
    """What is replaced in all files, by what."""
    places = {file: dict(replacements) for file, replacements in PLACES.items()}
    for file, values in VALUES.items():
        for name, value in values.items():
            returned = f"        {value}\n    }}"
            changed = f'        crate::defects::other("{name}", {value})\n    }}'
            places.setdefault(f"binlog/events/{file}", {})[returned] = changed
    return places


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """The adapter, built with a copy of the library that has every defect, each for its own name in DEFECT."""
    folder = tmp_path_factory.mktemp("rust")
    return build_with_cargo("mysql_common", folder, source=SOURCES / "mysql_common.rs", places=all_places())


def parser(adapter, defect):
    return ProcessImplementation(["env", f"DEFECT={defect}", str(adapter)], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(adapter):
    with parser(adapter, "none") as library:
        return WholeLibrary.of(library, examples=12)


def test_each_declared_field_and_ability_has_a_defect(whole):
    assert {named(defect) for defect in DEFECTS} == {*whole.names(), "crash"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_library_shows_through(adapter, whole, defect):
    with parser(adapter, defect) as broken:
        assert whole.shows(broken, defect, SHOWN_AS)
