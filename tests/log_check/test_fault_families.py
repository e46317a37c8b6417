"""Each fault family whose streams are sound logs but for one fault: `check` blames that, once, and nothing else."""

from dataclasses import dataclass

import pytest
from judged_log import judge

from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

ON, OFF = "WL7592-LOG-ON-GTID-FIRST", "WL7592-LOG-OFF-ANON-FIRST"
OFF_DDL = "WL7592-LOG-OFF-ANON-DDL"
CASES = 30


@dataclass(frozen=True)
class Blamed:
    """What is blamed for the streams of a family.

    Attributes:
        role: The role in which it is asked.
        requirements: What is blamed, one in each stream, and each in some.
        times: How often at most; a split that is missing twice is blamed twice.
    """

    role: str
    requirements: tuple[str, ...]
    times: int = 1


BLAMED = {
    "gtid_missing": Blamed("apply", (ON, OFF, OFF_DDL)),
    "gtid_after_begin": Blamed("apply", (ON, OFF)),
    "gtid_doubled": Blamed("relay", (ON, OFF)),
    "broken_groups_received": Blamed("relay", ("FORMAT-LOG-TRANSACTION-ENDS", "FORMAT-LOG-END-NEEDS-BEGIN")),
    "previous_gtids_missing": Blamed("relay", ("WL7592-LOG-OFF-PREVIOUS-GTIDS",)),
    "previous_gtids_doubled": Blamed("relay", ("FORMAT-LOG-PREVIOUS-GTIDS-ONCE",)),
    "previous_gtids_misplaced": Blamed("relay", ("WL7592-LOG-OFF-PREVIOUS-GTIDS",)),
    "create_select_not_split": Blamed("apply", ("WL7592-LOG-CREATE-NOT-INSIDE", "WL7592-LOG-CREATE-SELECT-ROW")),
    "drops_not_split": Blamed("apply", ("WL7592-LOG-DROP-ON-GTID-EACH", "WL7592-LOG-DROP-OFF-ANON-EACH"), times=2),
    "rows_before_rows_query": Blamed("apply", ("WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",)),
}


def blamed(name, profile, index):
    case = case_of(CaseId(name, profile, seed=13, index=index, role=BLAMED[name].role))
    _, violations, _ = judge(case.stream, profile=profile)
    return case, [each.requirement for each in violations]


@pytest.mark.parametrize("name", BLAMED)
def test_a_fault_is_blamed_on_its_own_requirement(name):
    expected = BLAMED[name]
    seen = set()
    for profile in families()[name].profiles:
        for index in range(CASES):
            case, found = blamed(name, profile, index)
            assert len(set(found)) == 1, (str(case.id), found)
            assert len(found) <= expected.times, (str(case.id), found)
            seen |= set(found)
    assert seen == set(expected.requirements)
