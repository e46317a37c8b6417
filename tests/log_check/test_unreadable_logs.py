"""Files that cannot be judged at all, and the generated faults of the kit's own families."""

import pytest
from judged_log import judge, places
from written_log import WrittenLog

from conformance.binlog.event_types import EventType
from conformance.binlog.header import ENCRYPTED_MAGIC, HEADER_BYTES, MAGIC
from conformance.binlog.limits import Limits, limits_in_force
from conformance.binlog.transaction_payload import pack_payload
from conformance.binlog.writer import frame
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families


@pytest.mark.parametrize(
    ("data", "at", "kind"),
    [
        (b"", 0, "truncated"),
        (MAGIC[:3], 0, "truncated"),
        (MAGIC, 4, "no-format-description"),
        (b"not a log at all", 0, "not-a-binlog"),
        (ENCRYPTED_MAGIC + bytes(512), 0, "encrypted"),
        (bytes(WrittenLog().stop().data), 4, "no-format-description"),
    ],
)
def test_a_file_that_is_not_a_log_cannot_be_read(data, at, kind):
    checked, violations, _ = judge(data)
    assert violations == []
    assert checked.unreadable is not None
    assert (checked.unreadable.at, checked.unreadable.kind) == (at, kind)


def test_a_log_that_mariadb_encrypts_from_its_second_event_on():
    log = WrittenLog("mariadb-10.x").describe().bytes(EventType.MARIADB_START_ENCRYPTION, bytes(17))
    checked, _, _ = judge(log.data + bytes(range(200)))
    assert checked.unreadable is not None
    assert (checked.unreadable.at, checked.unreadable.kind) == (len(log.data), "encrypted")


def test_a_server_without_a_version_needs_a_profile():
    log = WrittenLog(server_version="mystery").describe()
    checked, _, _ = judge(log.data)
    assert checked.unreadable is not None
    assert "name the profile" in checked.unreadable.message
    assert judge(log.data, profile="mysql-5.1")[0].unreadable is None


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(payload_bytes=53), "the payload unpacks to 54 bytes; the limit is 53, raise it with --limit payload-"),
        (Limits(events=1), "the payload holds 2 events or more; the limit is 1, raise it with --limit events="),
        (Limits(event_bytes=100), "the event has 122 bytes; the limit is 100, raise it with --limit event-bytes="),
    ],
)
def test_an_event_beyond_a_limit_is_not_judged(limits, message):
    note = frame(EventType.IGNORABLE, bytes(8), offset=0, checksummed=False, flags=0x80)
    log = WrittenLog().begin().anonymous().event(EventType.TRANSACTION_PAYLOAD, **pack_payload(2 * note))
    with limits_in_force(limits):
        checked, violations, _ = judge(log.data)
    assert violations == []
    assert checked.unreadable is not None
    assert checked.unreadable.message.startswith(message)


@pytest.mark.parametrize("profile", ["mysql-5.1", "mysql-5.7", "mysql-8.0", "mariadb-10.x"])
def test_a_log_of_any_server_that_ends_within_a_header_is_broken(profile):
    log = WrittenLog(profile).begin().stop()
    _, violations, _ = judge(log.data + bytes(range(1, 11)))
    assert places(violations) == [(len(log.data), "FORMAT-TRUNCATED-HEADER")]


FAULTS = (
    "truncated_streams",
    "wrong_event_lengths",
    "bad_checksum",
    "type_beyond_format_description",
    "missing_format_description",
    "bad_magic",
)


#: A length beyond the end and a truncated body look the same, and the checksum of a log in use has a rule of its own.
ALIKE = {
    "FORMAT-TRUNCATED-BODY": {"FORMAT-TRUNCATED-BODY", "FORMAT-LENGTH-TOO-LARGE"},
    "FORMAT-IN-USE-CHECKSUM": {"FORMAT-CHECKSUM-WRONG"},
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("index", range(12))
def test_a_generated_fault_is_found_at_its_offset(fault, index):
    profile = families()[fault].profiles.names[index % len(families()[fault].profiles)]
    case = case_of(CaseId(fault, profile, 7, index))
    checked, violations, _ = judge(case.stream)
    where = case.expected.refused_at
    if checked.unreadable is not None:
        assert checked.unreadable.at == where
    else:
        # The kit's streams have arbitrary GTIDs and timestamps, which break other rules before the fault.
        last = violations[-1]
        assert last.offset == where
        # Readers of old servers may pass over a torn header, so that their families do not mark it.
        torn = {"FORMAT-TRUNCATED-HEADER"} if len(case.stream) - where < HEADER_BYTES else set()
        assert ALIKE.get(last.requirement, {last.requirement}) & (torn | set(case.marks))
    assert places(violations) == sorted(places(violations), key=lambda each: each[0])
