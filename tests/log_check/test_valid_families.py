"""Each family of valid streams: `check` calls them sound, but for what a family is deliberately otherwise about."""

from dataclasses import dataclass

import pytest
from judged_log import judge

from conformance.binlog.servers import server_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

CASES = 30
WORKLOG_VERSION = server_of("worklog").version.encode()
#: Bytes of a log in which its server's version stands.
HEAD = 80


@dataclass(frozen=True)
class Left:
    """What `check` names in the streams of a family that are valid all the same.

    Attributes:
        why: Why the family is so.
        requirements: What is named: each in some stream, and nothing else in any.
    """

    why: str
    requirements: tuple[str, ...]


PREVIOUS = "WL7592-LOG-OFF-PREVIOUS-GTIDS"
GROUPS = ("WL7592-LOG-OFF-ANON-FIRST", "WL7592-LOG-OFF-ANON-DDL")
FORMS = "the family is about Gtid bodies of every server's form, those without logical timestamps too, and any flags"
BEFORE_WL7592 = "WL#40 is older than WL#7592: half of the logs have no Gtid events, and CREATE ... SELECT as one group"
DELETE_FILE = "WL#4162 has Delete_file stand on its own, and a LOAD DATA that fails ends with it inside its transaction"
LEFT = {
    "gtid_streams": Left(FORMS, ("WL7592-LOG-LOGICAL-TIMESTAMPS", "WL7592-LOG-ANON-IGNORABLE")),
    "anonymous_gtid_streams": Left(FORMS, ("WL7592-LOG-LOGICAL-TIMESTAMPS", "WL7592-LOG-ANON-IGNORABLE")),
    "streams_without_gtids": Left("a source may be older than its format description says", (PREVIOUS, *GROUPS)),
    "golden_vectors": Left(
        "the bytes are those that the worklogs print, cut out of their logs",
        (
            PREVIOUS,
            *GROUPS,
            "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",
            "WL4033-LOG-FLAG-SET",
            "WL4162-REPOSITION-AT-START",
        ),
    ),
    "loaded_files": Left(DELETE_FILE, ("WL4162-REPOSITION-AT-START",)),
    "every_event_type": Left(DELETE_FILE, ("WL4162-REPOSITION-AT-START",)),
    "heartbeats": Left("a source sends them between events, and no log holds one", ("WL4033-READ-POSITION-CHAIN",)),
    "tables_info_streams": Left(
        BEFORE_WL7592 + "; and relay logs have the source's Previous_gtids beside their own",
        (
            PREVIOUS,
            *GROUPS,
            "WL7592-LOG-DROP-OFF-ANON-EACH",
            "WL7592-LOG-TEMPORARY-OUTSIDE",
            "WL7592-LOG-CREATE-NOT-INSIDE",
            "FORMAT-LOG-PREVIOUS-GTIDS-ONCE",
        ),
    ),
    "table_filters": Left(
        BEFORE_WL7592, (PREVIOUS, *GROUPS, "WL7592-LOG-DROP-OFF-ANON-EACH", "WL7592-LOG-CREATE-NOT-INSIDE")
    ),
    "create_table_filters": Left(BEFORE_WL7592, (PREVIOUS, *GROUPS, "WL7592-LOG-CREATE-NOT-INSIDE")),
    "rename_filters": Left(BEFORE_WL7592, (PREVIOUS, *GROUPS)),
}
FED = "what a boundary parser is fed: servers of several modes, spare events anywhere, or several streams in one"
#: Families whose streams are valid where they are asked and are no logs -> why.
NO_LOGS = {
    "marked_streams": FED,
    "unmarked_streams": FED,
    "boundary_sequences": FED,
    "boundary_exhaustive": FED,
    "boundary_markers_missing": FED,
    "boundary_ignorable_anywhere": FED,
    "relay_logs": "all that a source sends: heartbeats between events, and the next log behind the first",
    "printed_boundaries": "a wrong step at one place, for which the printed text has a warning",
}
LOGS = [name for name, family in families().items() if family.production is not None and not family.fault]


def named(name):
    """Return what `check` names in the cases of a family: requirement -> the first case."""
    family = families()[name]
    found = {}
    for profile in family.profiles:
        for index in range(CASES):
            case = case_of(CaseId(name, profile, seed=13, index=index, role=next(iter(family.focus))))
            # As a user does it: the version says which server wrote a log, but for the one that was never released.
            rules = "worklog" if WORKLOG_VERSION in case.stream[:HEAD] else None
            checked, violations, _ = judge(case.stream, profile=rules)
            assert checked.unreadable is None, str(case.id)
            for violation in violations:
                found.setdefault(violation.requirement, f"{case.id}: {violation}")
    return found


@pytest.mark.parametrize("name", [each for each in LOGS if each not in NO_LOGS])
def test_the_streams_of_a_valid_family_are_sound_logs(name):
    left = LEFT[name].requirements if name in LEFT else ()
    found = named(name)
    assert {each: where for each, where in found.items() if each not in left} == {}
    assert set(left) <= set(found), "left for nothing"


@pytest.mark.parametrize("name", NO_LOGS)
def test_streams_that_are_no_logs_are_not_taken_for_logs(name):
    assert named(name)


def test_what_is_left_is_left_for_families_that_there_are():
    assert (LEFT.keys() | NO_LOGS.keys()) <= set(LOGS)
    assert not LEFT.keys() & NO_LOGS.keys()
