"""What a reader keeps: its position, and the GTIDs it has executed."""

from conformance.binlog.flags import Flag
from conformance.models.replica.reader_state import ReaderState

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"


def entry(code, *, flags=0, log_pos=None, offset=100, **fields):
    end = offset + 31
    return {
        "type": code, "offset": offset, "length": 31, "log_pos": end if log_pos is None else log_pos,
        "flags": flags, "handled": "known", **fields,
    }  # fmt: skip


def sets_after(*entries):
    reader = ReaderState()
    return [reader.after(each).get("executed_gtid_set") for each in entries]


def test_the_position_is_the_end_of_an_event_that_is_in_the_log():
    assert ReaderState().after(entry(16))["position"] == 131


def test_events_that_are_in_no_log_or_in_another_one_have_no_position():
    for other in (entry(27), entry(4, flags=int(Flag.ARTIFICIAL), log_pos=0), entry(2, log_pos=4711, query="")):
        assert "position" not in ReaderState().after(other)


def test_a_transaction_is_executed_when_it_ends():
    gtid = entry(33, gtid=f"{UUID}:5")
    previous = entry(35, previous_gtids=f"{UUID}:1-4")
    begin, commit = (entry(2, query=word) for word in ("BEGIN", "COMMIT"))
    change = entry(2, query="INSERT INTO t VALUES (1)")
    before, after = f"{UUID}:1-4", f"{UUID}:1-5"
    assert sets_after(previous, gtid, begin, change, entry(16)) == [before, None, None, None, after]
    assert sets_after(previous, gtid, begin, change, commit) == [before, None, None, None, after]
    assert sets_after(previous, gtid, change) == [before, None, after]


def test_nothing_is_certain_after_a_torn_transaction():
    gtids = [entry(33, gtid=f"{UUID}:{number}") for number in (1, 2)]
    assert sets_after(entry(35, previous_gtids=""), *gtids, entry(16)) == ["", None, None, None]


def test_an_anonymous_transaction_adds_nothing():
    anonymous = [entry(34, gtid="ANONYMOUS"), entry(16)]
    assert sets_after(*anonymous) == [None, None]
    assert sets_after(entry(35, previous_gtids=f"{UUID}:1"), *anonymous) == [f"{UUID}:1", None, f"{UUID}:1"]
