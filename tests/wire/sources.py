"""Sources and clients that the tests of the wire share."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from conformance.binlog.gtid_set import GtidSet
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from conformance.wire.client import Connection
from conformance.wire.dump_commands import NOT_BLOCKING, DumpCommand
from conformance.wire.listener import Listener
from conformance.wire.question_source import source_of_question
from conformance.wire.session import Access
from conformance.wire.source import Source
from tests.first_case import first_case, has_gtids_and_checksums

CASE = first_case("transactions", "mysql-8.0", has_gtids_and_checksums)
REPLICA_ID = 77


def source_of(case: str = CASE, **changes: object) -> Source:
    made = case_of(CaseId.parse(case))
    return replace(source_of_question(made.id.profile, made.stream, made.settings), **changes)


@contextmanager
def listening(source: Source, access: Access | None = None) -> Iterator[int]:
    with Listener(access=access) as listener:
        yield listener.serve(source)


def connected(port: int, *, password: str = "secret", tls=None) -> Connection:
    return Connection("127.0.0.1", port, user="kit", password=password, tls=tls)


def announced(port: int, *statements: str) -> Connection:
    connection = connected(port)
    for each in ("SET @source_binlog_checksum = 'CRC32'", *statements):
        connection.query(each)
    return connection


def asking(log_name: str = "", log_pos: int = 4, gtids: str | None = None, flags: int = NOT_BLOCKING) -> DumpCommand:
    return DumpCommand(log_name, log_pos, flags, REPLICA_ID, None if gtids is None else GtidSet.from_text(gtids))


def dumped(port: int, command: DumpCommand | None = None, *statements: str) -> list[bytes]:
    with announced(port, *statements) as connection:
        return list(connection.dump(command or asking()))


def logged(source: Source) -> list[bytes]:
    return [event.data for log in source.logs for event in log.events]


def query_event(body_bytes: int, log_pos: int = 0) -> bytes:
    return struct.pack("<IBIIIH", 0, 2, 1, 19 + body_bytes, log_pos, 0) + bytes(body_bytes)
