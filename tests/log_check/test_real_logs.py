"""The real logs: healthy ones break nothing, and damaged or edited ones are named with offset and requirement."""

from itertools import pairwise

import pytest
from real_files import ALL, DAMAGED, FOREIGN, logs_in

from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN, follows, judge_chain
from conformance.log_check.log_checker import LogChecker
from conformance.log_check.verdicts import Note, Verdicts, Violation
from tests.witnesses import witnessed_in_log

pytestmark = pytest.mark.ground_truth

POSITIONS = "WL4033-READ-POSITION-CHAIN"
ENDS = "FORMAT-LOG-TRANSACTION-ENDS"
NEEDS_BEGIN = "FORMAT-LOG-END-NEEDS-BEGIN"
CHECKSUM = "FORMAT-CHECKSUM-WRONG"

#: Files that the server's own tests edited by cutting events out: the events after the cut have the positions from
#: before it, and the cut leaves a transaction without its end, or an end without its transaction.
EDITED = {
    "real-binlogs/8.0.30_duplicate_xid_xa_rollback.000001": [(980, POSITIONS)],
    "real-binlogs/8.0.30_orphan_begin_start.000001": [(487, POSITIONS), (487, ENDS)],
    "real-binlogs/8.0.30_orphan_commit.000001": [(431, POSITIONS), (431, NEEDS_BEGIN)],
    "real-binlogs/8.0.30_orphan_rollback.000001": [(589, POSITIONS), (589, NEEDS_BEGIN)],
    "real-binlogs/8.0.30_orphan_xa_prepare.000001": [(236, POSITIONS), (236, NEEDS_BEGIN)],
    "real-binlogs/8.0.30_orphan_xa_rollback.000001": [(775, POSITIONS), (775, ENDS)],
    # An alpha of 2008: the positions of statements inside a transaction count from a wrong offset.
    "real-binlogs/5.2.2_ver_5_1-wl2325_s.001": [(170, POSITIONS)],
}

#: Damaged files that can be read up to the damage.
BROKEN = {
    "real-binlogs/8.0.30_duplicate_xid.000001": [(672, CHECKSUM)],
    "real-binlogs/8.0.30_duplicate_xid_ddl.000001": [(507, CHECKSUM)],
    "real-binlogs/8.0.30_duplicate_xid_xa_prepare.000001": [(884, CHECKSUM)],
    "real-binlogs/8.0.30_malformed_xid_xa_commit.000001": [(889, CHECKSUM)],
    "real-binlogs/x_binlog_truncated_event.000001": [(4, "FORMAT-TRUNCATED-HEADER")],
}

#: Torn tails of logs with the in-use flag: a note, not a violation.
TORN = {
    "real-binlogs/5.7.2_binlog_truncated_prev_gtid_event.000001": 120,
    "real-servers/j_rotate_crash/crashed/bin.000006": 81394,
}

#: Files that are not logs that can be judged: offset and kind of error.
UNREADABLE = {
    "real-binlogs/5.7.2_binlog_no_fd_event.000001": (4, "no-format-description"),
    "real-binlogs/x_mysql-bin.000001": (0, "not-a-binlog"),
    "real-binlogs/x_rpl_nogtid_encryption_master-bin.000002": (0, "encrypted"),
}

#: Cut between two events, inside a transaction.
UNFINISHED = {"real-binlogs/5.7.12_mysql-bin.aurora-padding": 1294}

RELAY_LOGS = {
    "real-binlogs/5.1.43_binlog_savepoint.000001",
    "real-binlogs/5.7.41_rpl_no_gipk_high_column_number.000001",
    "real-binlogs/8.0.17_rpl_unfiltered_hidden_gcol.000001",
    "real-binlogs/8.0.28_rpl_no_gipk_minus_one_column_number.000001",
    "real-binlogs/8.0.28_rpl_no_gipk_schema_divergence.000001",
    *(f"real-servers/k_replica_relay/pos/relay.{number:06d}" for number in range(1, 6)),
}


def check(folder, name):
    findings = []
    with (folder / name).open("rb") as stream:
        checked = LogChecker(name, rows=True, report=findings.append).check(stream)
    return (
        checked,
        [(each.offset, each.requirement) for each in findings if isinstance(each, Violation)],
        [each for each in findings if isinstance(each, Note)],
    )


@pytest.mark.parametrize("name", ALL)
def test_a_real_log(ground_truth, name):
    checked, violations, notes = check(ground_truth, name)
    assert violations == (EDITED | BROKEN).get(name, [])
    if name in UNREADABLE:
        assert checked.unreadable is not None
        assert (checked.unreadable.at, checked.unreadable.kind) == UNREADABLE[name]
        return
    assert checked.unreadable is None
    assert checked.log.relay == (name in RELAY_LOGS)
    expected = {each[name] for each in (TORN, UNFINISHED) if name in each}
    assert {each.offset for each in notes} == expected
    if name not in FOREIGN:
        witnessed_in_log(checked)


def test_no_real_log_is_left_out(ground_truth):
    assert logs_in(ground_truth) == set(ALL)
    assert set(BROKEN) | set(TORN) | set(UNREADABLE) == set(DAMAGED)


@pytest.mark.parametrize("name", DAMAGED)
def test_the_reader_and_the_checker_stop_at_the_same_offset(ground_truth, name):
    offset, _ = DAMAGED[name]
    assert offset in ({TORN.get(name)} | {UNREADABLE.get(name, (None,))[0]} | {at for at, _ in BROKEN.get(name, [])})


def test_the_real_logs_exercise_what_a_shipped_server_can_show(ground_truth):
    judged = set()
    for name in ALL:
        judged |= set(check(ground_truth, name)[0].verdicts.judged)
    assert {
        "FORMAT-LOG-TRANSACTION-LENGTH",
        "FORMAT-LOG-TABLE-MAP",
        "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",
        "WL7592-LOG-ON-GTID-FIRST",
        "WL7592-LOG-OFF-ANON-FIRST",
        "WL7592-LOG-CREATE-SELECT-ROW",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "WL7592-LOG-DROP-ON-GTID-EACH",
    } <= judged


#: Folder -> how many pairs of logs follow each other in it.
CHAINS = {
    "a_gtid_off": 1,
    "b_gtid_on": 1,
    "e_checksum_none": 3,
    "g_tagged_gtid": 1,
    "j_rotate_crash": 6,
    "j_rotate_crash/crashed": 5,
    "k_replica_relay/pos": 5,
    "l_mariadb1011": 1,
}


@pytest.mark.parametrize("folder", CHAINS)
def test_a_real_chain(ground_truth, folder):
    place = f"real-servers/{folder}/"
    names = sorted(name for name in ALL if name.startswith(place) and "/" not in name.removeprefix(place))
    logs = [check(ground_truth, name)[0] for name in names]
    findings = []
    verdicts = Verdicts(JUDGED_IN_A_CHAIN, findings.append)
    pairs = [pair for pair in pairwise(logs) if follows(*pair)]
    for pair in pairs:
        judge_chain(*pair, of_before=verdicts, of_after=verdicts)
    assert findings == []
    assert len(pairs) == CHAINS[folder]
    assert verdicts.judged["FORMAT-LOG-ROTATE-NEXT"]
