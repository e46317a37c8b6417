"""The adapter of canal's dbsync is a window: each defect of a copy of the library shows through it."""

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from tests.other_parsers.broken_library import (
    SOURCES,
    WholeLibrary,
    build_with_maven,
    class_path_before,
    named,
    published_sources,
    replace_texts,
)

pytestmark = [pytest.mark.slow, pytest.mark.network]

NAME = "canal-dbsync"
LIMITS = Limits(seconds=60.0)
JAVA = ["java", "-Xmx224m", "-XX:+UseSerialGC", "-XX:-OmitStackTraceInFastThrow", "-Dfile.encoding=UTF-8"]

#: Class of the library -> what is replaced in it, by what: where LogDefects.java is called.
PLACES = {
    "LogDecoder.java": {
        "event = decode(buffer, header, context);": "event = LogDefects.returned(decode(buffer, header, context));",
    },
    "FileLogFetcher.java": {
        'throw new IOException("Error binlog file header: "': (
            'if (!LogDefects.is("framing")) throw new IOException("Error binlog file header: "'
        ),
    },
}
#: Defect -> the member of the library's header, or of events of a type, that has a wrong value.
MEMBERS = {
    "timestamp": "header when",
    "server_id": "header serverId",
    "length": "header eventLen",
    "log_pos": "header logPos",
    "flags": "header flags",
    "binlog_version": "15 binlogVersion",
    "server_version": "15 serverVersion",
    "thread_id": "2 sessionId",
    "exec_time": "2 execTime",
    "error_code": "2 errorCode",
    "database": "2 dbname",
    "query": "2 query",
    "sql_mode": "2 sql_mode",
    "auto_increment_increment": "2 autoIncrementIncrement",
    "auto_increment_offset": "2 autoIncrementOffset",
    "character_set_client": "2 clientCharset",
    "collation_connection": "2 clientCollation",
    "collation_server": "2 serverCollation",
    "time_zone": "2 timezone",
    "next_position": "4 position",
    "next_file": "4 filename",
    "intvar_type": "5 type",
    "intvar_value": "5 value",
    "xid": "16 xid",
    "file_id": "17 fileId",
    "block_data": "17 blockBuf",
    "file_id of EXECUTE_LOAD_QUERY": "18 fileId",
    "file_name_start": "18 fnPosStart",
    "file_name_end": "18 fnPosEnd",
    "file_id of DELETE_FILE": "11 fileId",
    "incident": "26 incident",
    "message": "26 message",
    "log_name": "27 logIdent",
    "rows_query": "29 rowsQuery",
    "table_id": "19 tableId",
    "database of TABLE_MAP": "19 dbname",
    "table": "19 tblname",
    "column_count": "19 columnCnt",
    "table_id of WRITE_ROWS": "30 tableId",
    "rows_flags": "30 flags",
    "gtid": "33 gno",
    "last_committed": "33 lastCommitted",
    "sequence_number": "33 sequenceNumber",
    "one_phase": "38 onePhase",
    "xa_format_id": "38 formatId",
    "xa_gtrid": "38 gtridLength",
    "xa_bqual": "38 bqualLength",
    "rows_query of MARIADB_ANNOTATE_ROWS": "160 rowsQuery",
    "log_name of MARIADB_BINLOG_CHECKPOINT": "161 filename",
    "gtid of MARIADB_GTID": "162 mariaGtid",
    "gtid_list": "163 mariaGTIDSet",
}
#: Every defect, as the property that LogDefects.java reads.
DEFECTS = {
    **MEMBERS,
    **{name: name for name in ("offset", "type", "handled", "checksum_algorithm", "crash", "framing")},
}
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "offset": "dropped",
    "handled": "XID not known",
    "crash": "StackOverflowError: a defect of the library",
    "framing": "not-a-binlog accepted",
}


@pytest.fixture(scope="module")
def class_path(tmp_path_factory):
    """The class path of the adapter, with the classes that have the defects before the library's own."""
    target = build_with_maven(NAME, tmp_path_factory.mktemp("java"))
    folder = published_sources(NAME, target) / "com" / "taobao" / "tddl" / "dbsync" / "binlog"
    for name, replacements in PLACES.items():
        replace_texts(folder / name, replacements)
    sources = (SOURCES / "LogDefects.java", SOURCES / "OtherValue.java", *(folder / name for name in PLACES))
    return class_path_before(target, *sources)


def parser(class_path, defect):
    return ProcessImplementation([*JAVA, f"-Ddefect={defect}", "-cp", class_path, "Adapter"], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(class_path):
    with parser(class_path, "none") as library:
        return WholeLibrary.of(library, examples=3)


def test_each_declared_field_and_ability_has_a_defect(whole):
    assert {named(defect) for defect in DEFECTS} == {*whole.names(), "crash"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_library_shows_through(class_path, whole, defect):
    with parser(class_path, DEFECTS[defect]) as broken:
        assert whole.shows(broken, defect, SHOWN_AS)
