"""A reader that does not pass over the extra data of rows events shows one finding, whatever the bytes become."""

import pytest

from conformance.oracles.judge import Judge
from conformance.protocol.observation import Trouble
from tests.oracles.test_causes import REFERENCE, cases, changed
from tests.oracles.test_joined_causes import refused_where, together_of

FAMILY = "partitioned_tables"
MISREAD = "rows event with extra data misread"


def is_rows(entry):
    return "rows" in entry


@pytest.mark.parametrize(
    "words",
    ["IndexError: index out of range", "ValueError: year 26816 is out of range", "unexpected EOF", "bad length 0"],
)
def test_refusals_are_one_finding(words):
    """As asyncmy takes an eighth of the length for that of the extra data."""
    assert together_of(FAMILY, "mysql-9.x", lambda case: refused_where(case, is_rows, words)) == {MISREAD}


@pytest.mark.parametrize(
    "rows",
    [
        lambda rows: [],
        lambda rows: rows * 3,
        lambda rows: [{side: image and {"0": 257} for side, image in row.items()} for row in rows],
        lambda rows: [{side: image and dict.fromkeys(image) for side, image in row.items()} for row in rows],
    ],
    ids=["none", "too many", "other columns", "NULLs"],
)
def test_other_rows_are_one_finding(rows):
    def answered(case):
        return changed(case, lambda entry: entry | {"rows": rows(entry["rows"])} if is_rows(entry) else entry)

    assert together_of(FAMILY, "mysql-8.0", answered) == {MISREAD}


def test_a_crash_there_is_named_by_it():
    case = next(each for each in cases(FAMILY, "mysql-8.4") if any(map(is_rows, each.expected.events)))
    before = next(number for number, entry in enumerate(case.expected.events) if is_rows(entry)) - 1
    trouble = Trouble("crash", "TypeError: NoneType", "", last_at=case.expected.events[before]["offset"])
    verdicts = Judge(REFERENCE.declaration.roles["decode"]).judge(case, trouble)
    assert {each.finding for each in verdicts if each.is_failure} == {"crash at a rows event with extra data"}
