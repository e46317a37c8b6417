"""The adapter of mysql-binlog-connector-java is a window: each defect of the library shows through it."""

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from tests.other_parsers.broken_library import (
    CLIENT_SHOWN_AS,
    OF_SOURCE,
    SOURCES,
    WholeLibrary,
    build_with_maven,
    class_path_before,
    named,
    published_sources,
    replace_texts,
)

pytestmark = [pytest.mark.slow, pytest.mark.network]

LIMITS = Limits(seconds=60.0)
JAVA = ["java", "-Xmx224m", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"]

NAME = "mysql-binlog-connector-java"
#: What is replaced in the library's BinaryLogClient.java, by what: where BinaryLogFileReader.java is called.
CLIENT_PLACES = {
    "if (event == null) {\n                        throw new EOFException();\n                    }": (
        "if (event == null) {\nthrow new EOFException();\n}\nevent = BinaryLogFileReader.changed(event);"
    ),
    "return binlogFilename;": 'return BinaryLogFileReader.placed("resume_log", binlogFilename);',
    "return binlogPosition;": "return BinaryLogFileReader.placed(binlogPosition);",
    "return gtidSet != null ? gtidSet.toString() : null;": (
        "return BinaryLogFileReader.executed(gtidSet != null ? gtidSet.toString() : null);"
    ),
}

#: Defect -> the member of the library's header, or of the data of a type of event, that has a wrong value.
MEMBERS = {
    "type": "HEADER eventType",
    "timestamp": "HEADER timestamp",
    "server_id": "HEADER serverId",
    "length": "HEADER eventLength",
    "log_pos": "HEADER nextPosition",
    "flags": "HEADER flags",
    "binlog_version": "FORMAT_DESCRIPTION binlogVersion",
    "server_version": "FORMAT_DESCRIPTION serverVersion",
    "checksum_algorithm": "FORMAT_DESCRIPTION checksumType",
    "thread_id": "QUERY threadId",
    "exec_time": "QUERY executionTime",
    "error_code": "QUERY errorCode",
    "database": "QUERY database",
    "query": "QUERY sql",
    "next_position": "ROTATE binlogPosition",
    "next_file": "ROTATE binlogFilename",
    "intvar_type": "INTVAR type",
    "intvar_value": "INTVAR value",
    "xid": "XID xid",
    "one_phase": "XA_PREPARE onePhase",
    "xa_format_id": "XA_PREPARE formatID",
    "xa_gtrid": "XA_PREPARE gtridLength",
    "xa_bqual": "XA_PREPARE data",
    "table_id": "TABLE_MAP tableId",
    "database of TABLE_MAP": "TABLE_MAP database",
    "table": "TABLE_MAP table",
    "column_count": "TABLE_MAP columnTypes",
    "table_id of WRITE_ROWS": "EXT_WRITE_ROWS tableId",
    "rows": "EXT_WRITE_ROWS rows",
    "rows: no update": "EXT_UPDATE_ROWS rows",
    "rows: no delete": "EXT_DELETE_ROWS rows",
    "rows: images": "EXT_WRITE_ROWS includedColumns",
    "rows_query": "ROWS_QUERY query",
    "gtid": "GTID gtid",
    "gtid_flags": "GTID flags",
    "last_committed": "GTID lastCommitted",
    "sequence_number": "GTID sequenceNumber",
    "immediate_commit_timestamp": "GTID immediateCommitTimestamp",
    "original_commit_timestamp": "GTID originalCommitTimestamp",
    "transaction_length": "GTID transactionLength",
    "immediate_server_version": "GTID immediateServerVersion",
    "original_server_version": "GTID originalServerVersion",
    "previous_gtids": "PREVIOUS_GTIDS gtidSet",
    "compression_type": "TRANSACTION_PAYLOAD compressionType",
    "uncompressed_size": "TRANSACTION_PAYLOAD uncompressedSize",
    "payload_size": "TRANSACTION_PAYLOAD payloadSize",
    "rows_query of MARIADB_ANNOTATE_ROWS": "ANNOTATE_ROWS rowsQuery",
    "log_name": "BINLOG_CHECKPOINT logFileName",
    "gtid of MARIADB_GTID": "MARIADB_GTID sequence",
    "mariadb_gtid_flags": "MARIADB_GTID flags",
    "gtid_list": "MARIADB_GTID_LIST mariaGTIDSet",
}
#: Defect -> the Java type of the wrong values in rows.
CELLS = {
    "rows: integers": "Integer",
    "rows: times": "Long",
    "rows: decimals": "BigDecimal",
    "rows: floats": "Float",
    "rows: doubles": "Double",
    "rows: bits": "BitSet",
    "rows: texts": "byte[]",
}
#: Every defect, as the property that BinaryLogFileReader.java reads.
DEFECTS = {
    **{name: f"member {member}" for name, member in MEMBERS.items()},
    **{name: f"cell {type_}" for name, type_ in CELLS.items()},
    **{name: name for name in ("offset", "handled", "crash", "framing", "payloads")},
}
#: Those of the library's client.
CLIENT_DEFECTS = {
    **{name: DEFECTS[name] for name in ("timestamp", "server_id", "log_pos", "flags", "query", "crash")},
    **{name: name for name in ("type", "resume_log", "resume_pos", "executed_gtids")},
}
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "offset": "read to a wrong end",
    "handled": "XID not known",
    "crash": "StackOverflowError: a defect of the library",
    "framing": "truncated not reported",
    "payloads": "faulty payload",
    "table_id of WRITE_ROWS": "WRITE_ROWS refused",
    "rows": "wrong number of rows",
    "rows: no update": "wrong number of rows",
    "rows: no delete": "wrong number of rows",
    "rows: images": "differs",
    "rows: integers": "TINY differs",
    "rows: times": "DATETIME2 differs",
    "rows: decimals": "NEWDECIMAL differs",
    "rows: floats": "FLOAT differs",
    "rows: doubles": "DOUBLE differs",
    "rows: bits": "BIT differs",
    "rows: texts": "VARCHAR differs",
}
#: The client goes on from the position in the header.
SHOWN_BY_CLIENT = {**SHOWN_AS, **CLIENT_SHOWN_AS, "log_pos": "it begins at a wrong place"}


@pytest.fixture(scope="module")
def class_path(tmp_path_factory):
    """The class path of the adapter, with the class that has the defects before the library's own."""
    target = build_with_maven(NAME, tmp_path_factory.mktemp("java"))
    client = published_sources(NAME, target) / "com" / "github" / "shyiko" / "mysql" / "binlog" / "BinaryLogClient.java"
    replace_texts(client, CLIENT_PLACES)
    return class_path_before(target, SOURCES / "BinaryLogFileReader.java", SOURCES / "OtherValue.java", client)


def parser(class_path, defect):
    return ProcessImplementation([*JAVA, f"-Ddefect={defect}", "-cp", class_path, "Adapter"], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(class_path):
    with parser(class_path, "none") as library:
        return WholeLibrary.of(library, examples=2)


def test_each_declared_field_and_ability_has_a_defect(whole):
    assert {named(defect) for defect in DEFECTS} == {*whole.names(), "crash"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_library_shows_through(class_path, whole, defect):
    with parser(class_path, DEFECTS[defect]) as broken:
        assert whole.shows(broken, defect, SHOWN_AS)


@pytest.fixture(scope="module")
def whole_client(class_path):
    with parser(class_path, "none") as library:
        return WholeLibrary.of(library, examples=4, role="client")


def test_each_field_that_a_client_declares_has_a_defect(whole_client):
    assert CLIENT_DEFECTS.keys() | OF_SOURCE == {*whole_client.names(), "crash"}


@pytest.mark.parametrize("defect", CLIENT_DEFECTS)
def test_a_defect_of_the_library_shows_through_its_client(class_path, whole_client, defect):
    with parser(class_path, CLIENT_DEFECTS[defect]) as broken:
        assert whole_client.shows(broken, defect, SHOWN_BY_CLIENT)
