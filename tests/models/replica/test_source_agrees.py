"""The models of a source and of a replica agree on what both cover."""

import random

import pytest
from replica_events import UUID

from conformance.binlog.event_types import EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.models.replica.failed_drop import drop_statements, failure_message
from conformance.models.replica.recovery import LogGtids, recover
from conformance.models.server import drops
from conformance.models.server.drops import partial_drop_text, split_by_length
from conformance.models.server.gtid import Gtid
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.recovery import executed_after_restart
from conformance.models.server.settings import Settings

LIMIT = 1024


@pytest.mark.parametrize("seed", range(20))
def test_the_split_of_a_failed_drop_database(seed):
    choose = random.Random(seed)
    names = ["t" * choose.randint(1, 64) for _ in range(choose.randint(1, 120))]
    tables = [drops.TableName("d1", name) for name in names]
    groups = [[table.table for table in group] for group in split_by_length(tables, limit=LIMIT)]
    assert [each.count("`") // 2 for each in drop_statements(names)] == [len(group) for group in groups]


@pytest.mark.parametrize("database", ["d1", "d" * 300])
def test_the_message_of_a_drop_database_that_cannot_be_logged(database):
    ours = failure_message(database, f"{UUID}:7")
    theirs = partial_drop_text(database, f"{UUID}:7", worklog=True)
    # The source's model names the directory as servers do, by its path.
    assert ours.replace(f"directory {database[:192]};", "") == theirs.replace(
        f"directory {f'./{database}/'[:192]};", ""
    )


def planned(log):
    """Return the source's view of a log that a recovery reads."""
    made = PlannedLog(log.name, None, 1, False, previous_gtids=log.previous, boundary_markers=False)
    for gtid in map(Gtid.parse, log.gtids):
        event = LoggedEvent(EventType.GTID, {"source_uuid": gtid.uuid, "gno": gtid.gno})
        made.units.append(Unit((event,), statement=None, transaction=True, timestamp=0))
    return made


@pytest.mark.parametrize("simplified", [True, False])
@pytest.mark.parametrize("seed", range(30))
def test_the_gtids_that_a_recovery_finds(seed, simplified):
    choose = random.Random(seed)
    logs = []
    executed = ExecutedGtids()
    for number in range(choose.randint(1, 5)):
        first = executed.next_of(Gtid.parse(f"{UUID}:1").uuid)
        gtids = [f"{UUID}:{first + each}" for each in range(choose.randint(1, 3) - 1)]
        previous = None if choose.random() < 0.3 else executed.gtids()
        logs.append(LogGtids(name=str(number), previous=previous, gtids=tuple(gtids)))
        for gtid in map(Gtid.parse, gtids):
            executed.add(*gtid)
    settings = Settings(binlog_gtid_simple_recovery=simplified)
    theirs = executed_after_restart([planned(log) for log in logs], ExecutedGtids(), settings)
    assert str(recover(logs, simplified=simplified).executed) == str(theirs.gtids())
