"""Shapes of recorded logs: what the parser of the worklog does with them, which the shapes themselves do not know."""

import pytest

from conformance.binlog.event_types import type_name
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.strategies.families.old_sources import RECORDED_SHAPES, planned
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.family import case_of
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups.boundary_groups import fed

EVERY_EVENT = ReaderRules(beyond_format_description=True, known=frozenset(range(256)))


@pytest.mark.parametrize("shape", RECORDED_SHAPES, ids=lambda shape: f"{shape.server} {shape.parts}")
def test_a_recorded_shape_is_one_transaction_without_a_warning(shape):
    parser = WorklogParser()
    for _ in range(2):
        stream = StreamBuilder(SeededChooser(shape.parts), server_of(shape.server), checksums=False)
        stream.describe_format()
        events = [fed(event) for event in planned(stream, shape)]
        steps = []
        for event in events:
            steps.append(parser.feed(event).warning)
            assert parser.within_transaction == (len(steps) < len(events))
        assert steps == [None] * len(events)


def test_the_streams_hold_every_shape():
    events = {
        (entry["type"], entry["within_transaction"])
        for index in range(200)
        for entry in case_of(
            CaseId("old_source_streams", "worklog", seed=1, index=index, role="boundary")
        ).expected.events
    }
    # Statements, rows and Gtid events, with and without a transaction around them.
    assert {(2, "yes"), (2, "no"), (5, "yes"), (16, "no"), (23, "yes"), (30, "yes"), (33, "yes"), (17, "yes")} <= events


@pytest.mark.ground_truth
@pytest.mark.parametrize(
    ("name", "warned"),
    [
        # Rows of MyISAM tables and LOAD DATA without BEGIN: the type table contradicts the footnote.
        (
            "5.1.23_ver_5_1_23.001",
            {"TABLE_MAP", "WRITE_ROWS_V1", "UPDATE_ROWS_V1", "DELETE_ROWS_V1", "BEGIN_LOAD_QUERY"},
        ),
        ("5.0.16_bug16266.000001", set()),
        ("5.1.30_bug40482-bin.000001", set()),
        ("5.1.43_binlog_savepoint.000001", set()),
        ("5.5.27_mysql-bin.sakila", set()),
        ("5.6.4_ver_trunk_row_v2.001", set()),
        ("5.6.24_binlog_transaction_with_GTID.000001", set()),
    ],
)
def test_a_recorded_log_warns_only_where_the_type_table_contradicts_the_footnote(ground_truth, name, warned):
    parser = WorklogParser()
    types = set()
    for event in read_events((ground_truth / "real-binlogs" / name).read_bytes(), EVERY_EVENT):
        if parser.feed(FedEvent.of(event)).warning is not None:
            types.add(type_name(event.header.type))
    assert types - {"APPEND_BLOCK"} == warned


def logical_timestamps(profile):
    """Return how many cases of old logs have a statement with a logical timestamp, status code 14."""
    marked = (
        "WL7592-OLD-QUERY-TIMESTAMPS-READ"
        in case_of(CaseId("cross_version_streams", profile, seed=1, index=index)).marks
        for index in range(40)
    )
    return sum(marked)


@pytest.mark.parametrize("profile", ["mysql-5.6", "mysql-8.4", "mysql-9.x", "mariadb-10.x"])
def test_readers_of_servers_are_not_given_what_no_release_logged(profile):
    """As canal and mysql-replication are not to be blamed for the status variables of development releases of 5.7."""
    assert logical_timestamps(profile) == 0
    assert logical_timestamps("worklog") > 0
