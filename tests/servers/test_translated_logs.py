"""Logs of a server in use, as a new server would have written them: byte for byte, and nothing more is changed."""

import struct
from uuid import UUID

import pytest

from conformance.binlog.checksum import checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import read_events
from conformance.binlog.writer import frame, write_body
from conformance.servers.translated_logs import State, Translation, is_naming, named_log, split_dump
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

OWN, NEW, OTHER = (UUID(int=each) for each in (11, 22, 33))


def described(profile: str) -> tuple[bytes, FormatDescription]:
    """Return the format description that begins a generated log, with checksums."""
    for index in range(40):
        stream = case_of(CaseId("checksum_streams", profile, seed=1, index=index)).stream
        event = next(read_events(stream))
        if event.format.checksum_bytes:
            return event.data, event.format
    raise AssertionError("no stream with checksums")


def log(profile: str, *events: tuple[EventType, dict[str, object]]) -> bytes:
    first, format_description = described(profile)
    made = MAGIC + first
    for code, fields in events:
        body = write_body(code, fields, format_description)
        made += frame(code, body, offset=len(made), checksummed=True)
    return made


def gtid(uuid: UUID, number: int) -> tuple[EventType, dict[str, object]]:
    times = {"logical_timestamp_typecode": 2, "last_committed": 0, "sequence_number": 1}
    fields = {"gtid_flags": 1, "source_uuid": uuid.bytes, "gno": number, **times}
    return EventType.GTID, fields


def previous(text: str) -> tuple[EventType, dict[str, object]]:
    return EventType.PREVIOUS_GTIDS, {"previous_gtids": GtidSet.from_text(text)}


def rotate(name: str) -> tuple[EventType, dict[str, object]]:
    return EventType.ROTATE, {"next_position": 4, "next_file": name.encode()}


XID = EventType.XID, {"xid": 7}


def test_a_log_of_mysql_is_that_of_a_new_server():
    before = f"{OWN}:1-4:7-9,{OTHER}:1-3"
    used = log(
        "mysql-5.7", previous(before), gtid(OWN, 5), XID, gtid(OWN, 10), XID, gtid(OTHER, 8), XID, rotate("b.000043")
    )
    new = log(
        "mysql-5.7", previous(""), gtid(NEW, 1), XID, gtid(NEW, 3), XID, gtid(OTHER, 8), XID, rotate("bin.000002")
    )
    state = State(first_log=42, uuid=OWN.bytes, executed=GtidSet.from_text(before))
    assert Translation(state, NEW.bytes).translate(used) == new


def test_what_a_later_log_holds_is_counted_from_the_beginning():
    before = f"{OWN}:1-100"
    used = log("mysql-5.7", previous(f"{OWN}:1-107,{OTHER}:5"), gtid(OWN, 108), XID)
    new = log("mysql-5.7", previous(f"{NEW}:1-7,{OTHER}:5"), gtid(NEW, 8), XID)
    state = State(first_log=1, uuid=OWN.bytes, executed=GtidSet.from_text(before))
    assert Translation(state, NEW.bytes).translate(used) == new


def created(stream: bytes) -> int:
    """Return the time of the server's start in the format description of a log, which must have a right checksum."""
    return next(read_events(stream)).fields()["created"]


def began(stream: bytes, time: int) -> bytes:
    """Return a log whose format description has another time of the server's start."""
    event = next(read_events(stream))
    body = write_body(EventType.FORMAT_DESCRIPTION, {**event.fields(), "created": time}, event.format)
    data = event.data[: event.format.header_length] + body
    return MAGIC + data + checksum(data).to_bytes(4, "little") + stream[event.end :]


@pytest.mark.parametrize("profile", ["mysql-5.7", "mariadb-10.x"])
def test_only_the_first_log_begins_with_a_start_and_only_where_the_log_in_use_has_none(profile):
    # As every log that FLUSH begins, the first of a scenario must have 0 there: a time would be wrong.
    flushed, restarted = (began(log(profile, XID), time) for time in (0, 1_276_143_737))
    translation = Translation(State(first_log=4), NEW.bytes)
    assert created(translation.translate(flushed, is_first=True)) == next(read_events(flushed)).header.timestamp
    assert created(translation.translate(restarted, is_first=True)) == 0
    assert translation.translate(flushed) == flushed
    assert translation.translate(restarted) == restarted


def test_a_log_of_mariadb_is_that_of_a_new_server():
    def group(number: int) -> tuple[EventType, dict[str, object]]:
        return EventType.MARIADB_GTID, {"gno": number, "domain_id": 0, "mariadb_gtid_flags": 1}

    def listed(*numbers: int) -> tuple[EventType, dict[str, object]]:
        entries = [{"domain_id": 0, "server_id": 1, "gno": each} for each in numbers]
        return EventType.MARIADB_GTID_LIST, {"gtid_list": entries}

    used = log("mariadb-10.x", listed(17), group(18), rotate("m.000005"))
    new = log("mariadb-10.x", listed(), group(1), rotate("bin.000002"))
    assert Translation(State(first_log=4, positions={0: 17}), NEW.bytes).translate(used) == new


def test_a_wrong_checksum_and_a_wrong_position_stay_wrong():
    before = f"{OWN}:1-4"
    used = bytearray(log("mysql-5.7", previous(before), gtid(OWN, 5), XID))
    new = bytearray(log("mysql-5.7", previous(""), gtid(NEW, 1), XID))
    for each in (used, new):
        each[-1] ^= 0x10
        start = next(event.offset for event in read_events(bytes(each[:-31])) if event.header.type == EventType.GTID)
        end = start + struct.unpack_from("<I", each, start + 9)[0]
        struct.pack_into("<I", each, start + 13, struct.unpack_from("<I", each, start + 13)[0] + 3)
        each[end - 4 : end] = checksum(bytes(each[start : end - 4])).to_bytes(4, "little")
    state = State(first_log=1, uuid=OWN.bytes, executed=GtidSet.from_text(before))
    assert Translation(state, NEW.bytes).translate(bytes(used)) == bytes(new)


def test_what_cannot_be_read_stays_as_it_is():
    whole = log("mysql-5.7", gtid(OWN, 5), XID)
    state = State(first_log=1, uuid=OWN.bytes)
    assert Translation(state, OWN.bytes).translate(whole[:-3]) == whole[:-3]
    assert Translation(state, OWN.bytes).translate(whole) == whole


@pytest.mark.parametrize("checksummed", [True, False])
def test_a_dump_is_split_where_a_log_is_named(checksummed):
    _, format_description = described("mysql-5.7")

    def naming(name: str) -> bytes:
        body = write_body(*rotate(name), format_description)
        length = 19 + len(body) + 4 * checksummed
        return frame(EventType.ROTATE, body, offset=-length, checksummed=checksummed, flags=0x20)

    one = [event.data for event in read_events(log("mysql-5.7", XID, rotate("b.000002")))]
    two = [event.data for event in read_events(log("mysql-5.7", XID))]
    sent = [naming("b.000001"), *one, naming("b.000002"), *two]
    assert [named_log(each) for each in sent if is_naming(each)] == ["b.000001", "b.000002"]
    assert split_dump(sent) == [MAGIC + b"".join(one), MAGIC + b"".join(two)]
