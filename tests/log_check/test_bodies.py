"""Bodies that recur are read once, and are judged as if each were read by itself."""

import pytest
from broken_logs import BROKEN
from judged_log import judge
from written_log import WrittenLog

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.log_check import bodies
from conformance.log_check.bodies import Bodies
from conformance.log_check.log_event import Log
from conformance.log_check.statements import LoggedStatement
from conformance.log_check.verdicts import Verdicts

BODY = "FORMAT-LOG-BODY"


def reader(report=lambda finding: None):
    verdicts = Verdicts((BODY,), report)
    verdicts.use_profile("mysql-8.0")
    return Bodies(Log("bin.000001"), verdicts), verdicts


def mapped(*tables: bytes) -> list:
    """Return the Table_map events of a log that names some tables, each by an id of its own."""
    log = WrittenLog().describe()
    for table in tables:
        log.table_map(table[0], table=table)
    return list(read_events(bytes(log.data)))[1:]


def test_a_body_that_recurs_is_read_once():
    first, second, again = mapped(b"t", b"u", b"t")
    read, verdicts = reader()
    body = read.read(first, EventType.TABLE_MAP)
    assert read.read(second, EventType.TABLE_MAP).fields["table"] == b"u"
    assert read.read(again, EventType.TABLE_MAP) is body
    read.finish()
    assert verdicts.judged[BODY] == 3


def test_a_body_is_read_again_under_another_format_description():
    first, again = mapped(b"t", b"t")
    read, _ = reader()
    body = read.read(first, EventType.TABLE_MAP)
    read.begin_format()
    assert read.read(again, EventType.TABLE_MAP) is not body


def test_the_bodies_that_are_kept_are_limited(monkeypatch):
    monkeypatch.setattr(bodies, "_KEPT", 2)
    first, *others, again = mapped(b"t", b"u", b"v", b"t")
    read, _ = reader()
    body = read.read(first, EventType.TABLE_MAP)
    for each in others:
        read.read(each, EventType.TABLE_MAP)
    later = read.read(again, EventType.TABLE_MAP)
    assert later == body
    assert later is not body


def test_a_broken_body_is_reported_each_time():
    findings = []
    log, body = WrittenLog().describe(), bytes(8) + b"\5"
    log.bytes(EventType.TABLE_MAP, body).bytes(EventType.TABLE_MAP, body)
    read, verdicts = reader(findings.append)
    for each in list(read_events(bytes(log.data)))[1:]:
        assert not read.read(each, EventType.TABLE_MAP).fields
    read.finish()
    assert [each.offset for each in findings] == log.offsets[1:]
    assert verdicts.judged[BODY] == verdicts.broken[BODY] == 2


def test_an_event_that_a_reader_skips_has_no_fields_of_a_type():
    known = mapped(b"t")[0]
    read, _ = reader()
    assert "table" in read.read(known, EventType.TABLE_MAP).fields
    skipped = known._replace(recognised=False)
    assert list(read.read(skipped, EventType.TABLE_MAP).fields) == ["body"]


def test_the_kind_of_a_statement_belongs_to_its_body():
    log = WrittenLog().describe().query("BEGIN").query("BEGIN").query("INSERT INTO t VALUES (1)")
    read, _ = reader()
    kinds = [read.read(each, EventType.QUERY).statement for each in list(read_events(bytes(log.data)))[1:]]
    assert kinds == [LoggedStatement.BEGIN, LoggedStatement.BEGIN, LoggedStatement.OTHER]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.make.__name__)
def test_a_verdict_does_not_depend_on_what_is_kept(broken, monkeypatch):
    log = broken.make().data
    checked, violations, notes = judge(log, profile=broken.profile, rows=broken.rows)
    monkeypatch.setattr(bodies, "_RECURRING", {})
    alone, *findings = judge(log, profile=broken.profile, rows=broken.rows)
    assert findings == [violations, notes]
    assert alone.verdicts.judged == checked.verdicts.judged
