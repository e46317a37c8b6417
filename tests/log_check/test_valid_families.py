"""Each family of valid streams: `check` reports nothing, except for what a family deliberately does differently."""

from dataclasses import dataclass

import pytest
from judged_log import judge

from conformance.binlog.servers import server_of
from conformance.strategies.families.departures import DEPARTURES
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

#: Cases of each profile: of families without a deviation, and of those with one, which is in some cases only.
CASES, OF_DEVIATIONS = 6, 40
WORKLOG_VERSION = server_of("worklog").version.encode()
#: Bytes at the beginning of a log that hold its server's version.
HEAD = 80


@dataclass(frozen=True)
class Deviation:
    """What `check` reports for the streams of a family although they are valid.

    Attributes:
        reason: Why the family is so.
        requirements: The reported requirements: each in some stream, and no other in any.
    """

    reason: str
    requirements: tuple[str, ...]


PREVIOUS = "WL7592-LOG-OFF-PREVIOUS-GTIDS"
GROUPS = ("WL7592-LOG-OFF-ANON-FIRST", "WL7592-LOG-OFF-ANON-DDL")
FORMS = "the family has Gtid bodies of every server, also those without logical timestamps, with any flags and lengths"
OF_FORMS = ("WL7592-LOG-LOGICAL-TIMESTAMPS", "WL7592-LOG-ANON-IGNORABLE", "FORMAT-LOG-TRANSACTION-LENGTH")
BEFORE_WL7592 = "WL#40 is older than WL#7592: half of the logs have no Gtid events, and CREATE ... SELECT as one group"
DELETE_FILE = "in WL#4162 Delete_file is a group of its own, but a failed LOAD DATA ends with it inside its transaction"
OLD_QUERIES = "some Query events are those of development releases, with a timestamp that must not be printed"
PART = "some are parts of a large log, with the positions that they have there"
FLAGGED = "the events of some logs have the ignorable flag, whatever their types"
DEVIATIONS = {
    "rendered_text": Deviation(
        f"{OLD_QUERIES}; {PART}; {FLAGGED}",
        ("WL7592-LOG-NO-QUERY-TIMESTAMPS", "WL4033-READ-POSITION-CHAIN", "FORMAT-LOG-FLAGS"),
    ),
    "show_binlog_events": Deviation(f"{PART}; {FLAGGED}", ("WL4033-READ-POSITION-CHAIN", "FORMAT-LOG-FLAGS")),
    "sent_logs": Deviation(
        f"the first log may be that of an older server, before its upgrade; {FLAGGED}",
        (PREVIOUS, *GROUPS, "FORMAT-LOG-FLAGS"),
    ),
    "sent_gtids": Deviation(FLAGGED, ("FORMAT-LOG-FLAGS",)),
    "sent_without_gtids": Deviation(FLAGGED, ("FORMAT-LOG-FLAGS",)),
    "gtid_streams": Deviation(f"{FORMS}; {FLAGGED}", (*OF_FORMS, "FORMAT-LOG-FLAGS")),
    "tagged_gtid_streams": Deviation(FLAGGED, ("FORMAT-LOG-FLAGS",)),
    "anonymous_gtid_streams": Deviation(FORMS, OF_FORMS),
    "streams_without_gtids": Deviation("a source may be older than its format description", (PREVIOUS, *GROUPS)),
    "golden_vectors": Deviation(
        "the bytes are those that the worklogs print, cut out of their logs",
        (
            PREVIOUS,
            *GROUPS,
            "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",
            "WL4033-LOG-FLAG-SET",
            "WL4162-REPOSITION-AT-START",
            "FORMAT-LOG-MARIADB-GTID-FIRST",
            "FORMAT-LOG-MARIADB-GTID-LIST",
        ),
    ),
    "recorded_logs": Deviation(
        "one value of a real log is changed: a flag, or a statement that makes its transaction longer",
        ("WL4033-LOG-FLAG-ALONE", "FORMAT-LOG-TRANSACTION-LENGTH"),
    ),
    "loaded_files": Deviation(DELETE_FILE, ("WL4162-REPOSITION-AT-START",)),
    "every_event_type": Deviation(DELETE_FILE, ("WL4162-REPOSITION-AT-START",)),
    "printed_event_types": Deviation(DELETE_FILE, ("WL4162-REPOSITION-AT-START",)),
    "heartbeats": Deviation(
        "a source sends them between events, and no log holds one", ("WL4033-READ-POSITION-CHAIN",)
    ),
    "tables_info_streams": Deviation(
        BEFORE_WL7592 + "; and relay logs have the source's Previous_gtids besides their own",
        (
            PREVIOUS,
            *GROUPS,
            "WL7592-LOG-DROP-OFF-ANON-EACH",
            "WL7592-LOG-CREATE-NOT-INSIDE",
            "WL7592-LOG-TEMPORARY-OUTSIDE",
            "FORMAT-LOG-PREVIOUS-GTIDS-ONCE",
        ),
    ),
    "table_filters": Deviation(
        f"{BEFORE_WL7592}; {FLAGGED}",
        (
            "FORMAT-LOG-FLAGS",
            PREVIOUS,
            *GROUPS,
            "WL7592-LOG-DROP-OFF-ANON-EACH",
            "WL7592-LOG-CREATE-NOT-INSIDE",
            "WL7592-LOG-TEMPORARY-OUTSIDE",
            "WL7592-LOG-MAINTENANCE-FAILED",
        ),
    ),
    "row_filters": Deviation(FLAGGED, ("FORMAT-LOG-FLAGS",)),
    **dict.fromkeys(
        ("create_table_filters", "clever_filters"),
        Deviation(
            BEFORE_WL7592,
            (
                PREVIOUS,
                *GROUPS,
                "WL7592-LOG-DROP-OFF-ANON-EACH",
                "WL7592-LOG-CREATE-NOT-INSIDE",
                "WL7592-LOG-TEMPORARY-OUTSIDE",
            ),
        ),
    ),
    "xa_filters": Deviation(
        BEFORE_WL7592 + "; XA COMMIT is a group of its own there",
        (PREVIOUS, "WL7592-LOG-OFF-ANON-FIRST", "WL4162-REPOSITION-AT-START"),
    ),
    "group_filters": Deviation(
        f"{BEFORE_WL7592}; {DELETE_FILE}; an Incident, which is a group of its own, is within one in some cases",
        (
            PREVIOUS,
            *GROUPS,
            "WL7592-LOG-ON-GTID-FIRST",
            "WL4162-REPOSITION-AT-START",
            "FORMAT-LOG-END-NEEDS-BEGIN",
            "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",
        ),
    ),
    "joint_rename_filters": Deviation(BEFORE_WL7592, (PREVIOUS, *GROUPS)),
    "rename_filters": Deviation(BEFORE_WL7592, (PREVIOUS, *GROUPS, "WL7592-LOG-DROP-OFF-ANON-EACH")),
    "name_filters": Deviation(BEFORE_WL7592, (PREVIOUS, *GROUPS)),
    "extended_query_sizes": Deviation(BEFORE_WL7592, (PREVIOUS, "WL7592-LOG-OFF-ANON-FIRST")),
}
FED = "events for a boundary parser: of servers in several modes, with spare events, or of several streams in one"
TWO_LOGS = "some streams are two logs, one after the other, each with its format description"
#: Families whose streams are valid in their role, but are not logs -> the reason.
NOT_LOGS = {
    "marked_streams": FED,
    "unmarked_streams": FED,
    "boundary_sequences": FED,
    "boundary_exhaustive": FED,
    "boundary_runs": FED,
    "boundary_connections": FED,
    "extended_transactions": FED,
    "boundary_markers_missing": FED,
    "boundary_ignorable_anywhere": FED,
    "ignorable_bodies": TWO_LOGS,
    "ignorable_flags": TWO_LOGS,
    "flagged_known_events": TWO_LOGS,
    "previous_gtids_streams": TWO_LOGS,
    "post_header_lengths": TWO_LOGS,
    "changed_format_descriptions": TWO_LOGS,
    "tables_after_restarts": TWO_LOGS,
    "relay_logs": "all that a source sends: heartbeats between events, and the next log after the first",
    "flushed_relay_logs": "what a source sends, in some streams with the next log after the first",
    "reconnected_streams": "all that a source sends over several connections, each with its format description",
    "ignored_servers": "the events of several servers, whose logs are in one stream",
    "groups_sent_again": "groups that come again, which may be cut off or go on in another relay log",
    "odd_groups_applied": "groups in two relay logs, with the source's format description between their parts",
    "stop_positions": "events of a relay log with positions of other logs",
    "skipped_groups": "groups of an older source, and groups with Anonymous_gtid events",
    "groups_in_permissive_modes": "groups of sources in several modes",
    "mysql_logs_to_mariadb": "one event without its transaction, in a log without Gtid events",
    "malformed_bodies_received": "one event has a malformed body, which a receiver copies",
    "printed_boundaries": "a wrong step at one place, for which the printed text has a warning",
}
LOGS = [name for name, family in families().items() if family.production is not None and not family.fault]


def reported(name):
    """Return what `check` reports in the cases of a family: requirement -> the first case."""
    family = families()[name]
    first_cases = {}
    for profile in family.profiles:
        for index in range(OF_DEVIATIONS if name in DEVIATIONS else CASES):
            case = case_of(CaseId(name, profile, seed=13, index=index, role=next(iter(family.focus))))
            # As for a user: the profile follows from the server's version, except for the one never released.
            rules = "worklog" if WORKLOG_VERSION in case.stream[:HEAD] else None
            for log in logs_of(case):
                checked, violations, _ = judge(log, profile=rules)
                assert checked.unreadable is None, str(case.id)
                for violation in violations:
                    first_cases.setdefault(violation.requirement, f"{case.id}: {violation}")
    return first_cases


def logs_of(case):
    """Yield the logs of a case: a source that sends has several. One with a hole is not a whole log."""
    at = 0
    logs = case.settings["source"]["logs"] if case.role == "client" else case.settings.get("logs")
    for each in logs or [{"length": len(case.stream)}]:
        if "hole" not in each:
            yield case.stream[at : at + each["length"]]
        at += each["length"]


@pytest.mark.parametrize("name", [each for each in LOGS if each not in NOT_LOGS])
def test_the_streams_of_a_valid_family_are_valid_logs(name):
    deviations = DEVIATIONS[name].requirements if name in DEVIATIONS else ()
    violations = reported(name)
    assert {each: where for each, where in violations.items() if each not in deviations} == {}
    assert set(deviations) <= set(violations), "a deviation that does not occur"


@pytest.mark.parametrize("name", NOT_LOGS)
def test_streams_that_are_not_logs_are_reported(name):
    assert reported(name)


def test_deviations_are_those_of_existing_families():
    assert (DEVIATIONS.keys() | NOT_LOGS.keys()) <= set(LOGS)
    assert not DEVIATIONS.keys() & NOT_LOGS.keys()


def test_every_family_with_a_deviation_is_in_the_table_of_departures():
    assert (DEVIATIONS.keys() | NOT_LOGS.keys()) <= {name for each in DEPARTURES for name in each.families}
