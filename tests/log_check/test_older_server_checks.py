"""Nothing is found in the logs of older servers but what those servers break."""

from itertools import pairwise

import pytest
from older_servers import SERVERS, logs_of

from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN, follows, judge_chain
from conformance.log_check.log_checker import LogChecker
from conformance.log_check.verdicts import Verdicts
from tests.witnesses import witnessed_in_log

pytestmark = pytest.mark.ground_truth

EACH = "WL7592-LOG-DROP-ON-GTID-EACH"
#: Log -> what is found in it. A DROP DATABASE that fails half way is logged as two DROP TABLE statements for its 40
#: tables, and 5.6.24 writes one Gtid event before both; a replica of 5.6.24 or 5.7.22 stops there with 1837.
BROKEN = {
    "mysql56-gtid/drop_database_mixed/bin.000001": [(7121, EACH)],
    "mysql56-gtid/drop_database_row/bin.000001": [(7121, EACH)],
    "mysql56-gtid/drop_database_statement/bin.000001": [(7121, EACH)],
    "mysql56-gtid/gtid_on/bin.000002": [(7470, EACH)],
}


def checked(log):
    findings = []
    with log.path.open("rb") as stream:
        result = LogChecker(str(log.path), rows=True, report=findings.append).check(stream)
    return result, [(each.offset, each.requirement) for each in findings]


@pytest.mark.parametrize("server", SERVERS)
def test_what_is_found_in_a_log_is_what_its_server_breaks(ground_truth, server):
    for log in logs_of(ground_truth, server):
        result, findings = checked(log)
        assert result.unreadable is None
        assert not result.log.relay
        assert findings == BROKEN.get(log.name, []), log.name
        witnessed_in_log(result)


def test_logs_that_follow_each_other_do(ground_truth):
    pairs, findings = 0, []
    verdicts = Verdicts(JUDGED_IN_A_CHAIN, findings.append)
    for server in SERVERS:
        results = [checked(log)[0] for log in logs_of(ground_truth, server)]
        for pair in pairwise(results):
            if follows(*pair):
                pairs += 1
                judge_chain(*pair, of_before=verdicts, of_after=verdicts)
    assert findings == []
    assert pairs == 57
