"""Each fault family whose streams are valid logs except for one fault: `check` reports that, once, and nothing else."""

from dataclasses import dataclass

import pytest
from judged_log import judge

from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

ON, OFF = "WL7592-LOG-ON-GTID-FIRST", "WL7592-LOG-OFF-ANON-FIRST"
OFF_DDL = "WL7592-LOG-OFF-ANON-DDL"
CASES = 30


@dataclass(frozen=True)
class Reported:
    """What is reported for the streams of a family.

    Attributes:
        role: The role of its cases.
        requirements: The reported requirements: one in each stream, and each in some stream.
        times: How often at most; a split that is missing twice is reported twice.
    """

    role: str
    requirements: tuple[str, ...]
    times: int = 1


REPORTED = {
    "gtid_missing": Reported("apply", (ON, OFF, OFF_DDL)),
    "gtid_after_begin": Reported("apply", (ON, OFF)),
    "gtid_doubled": Reported("relay", (ON, OFF)),
    "broken_groups_received": Reported("relay", ("FORMAT-LOG-TRANSACTION-ENDS", "FORMAT-LOG-END-NEEDS-BEGIN")),
    "previous_gtids_missing": Reported("relay", ("WL7592-LOG-OFF-PREVIOUS-GTIDS",)),
    "previous_gtids_doubled": Reported("relay", ("FORMAT-LOG-PREVIOUS-GTIDS-ONCE",), times=2),
    "previous_gtids_misplaced": Reported("relay", ("WL7592-LOG-OFF-PREVIOUS-GTIDS",)),
    "create_select_not_split": Reported("apply", ("WL7592-LOG-CREATE-NOT-INSIDE", "WL7592-LOG-CREATE-SELECT-ROW")),
    "drops_not_split": Reported("apply", ("WL7592-LOG-DROP-ON-GTID-EACH", "WL7592-LOG-DROP-OFF-ANON-EACH"), times=7),
    "rows_before_rows_query": Reported("apply", ("WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",)),
}


def reported(name, profile, index):
    case = case_of(CaseId(name, profile, seed=13, index=index, role=REPORTED[name].role))
    _, violations, _ = judge(case.stream, profile=profile)
    return case, [each.requirement for each in violations]


@pytest.mark.parametrize("name", REPORTED)
def test_a_fault_is_reported_for_its_own_requirement(name):
    expected = REPORTED[name]
    seen = set()
    for profile in families()[name].profiles:
        for index in range(CASES):
            case, requirements = reported(name, profile, index)
            assert len(set(requirements)) == 1, (str(case.id), requirements)
            assert len(requirements) <= expected.times, (str(case.id), requirements)
            seen |= set(requirements)
    assert seen == set(expected.requirements)
