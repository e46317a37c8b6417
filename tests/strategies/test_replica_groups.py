"""Groups for appliers: what a server can apply."""

import re

import pytest

from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

CASES = 30


@pytest.mark.parametrize("family", ["split_create_selects", "create_select_not_split"])
def test_a_table_that_a_select_makes_does_not_exist_before(family):
    for index in range(CASES):
        case = case_of(CaseId(family, "mysql-5.7", seed=1, index=index, role="apply"))
        assert len(re.findall(rb"CREATE TABLE (?:IF NOT EXISTS )?`t9`", case.stream)) == 1
