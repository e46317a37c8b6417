"""A reader that does not pass over the extra data of rows events shows one finding, whatever the bytes become."""

import pytest

from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.judge import Judge
from conformance.protocol.observation import Trouble
from tests.oracles.test_causes import REFERENCE, cases, changed, findings
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


@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_integers_read_with_the_wrong_sign_are_not_blamed_on_it(sign):
    """As mysql-replication, or mysql_cdc, reads those of tables whose metadata is not in the log: they are in place."""
    broken, together = set(), set()
    for case in cases(FAMILY, "mysql-8.0") + cases(FAMILY, "mysql-9.x"):
        codes = next((each for each in case.expected.columns.values()), ())
        if set(codes) != {ColumnType.LONG}:
            continue
        answer = changed(case, lambda entry: with_sign(entry, sign) if is_rows(entry) else entry)
        for finding, requirements in findings(case, answer).items():
            together.add(finding)
            broken |= requirements
    assert together == {f"value of integer is read as {sign}"}
    assert broken == {"FORMAT-EVENT-FIELDS"}


def with_sign(entry, sign):
    """Return a rows event whose integers of four bytes are all read as signed, or as unsigned."""

    def read(value):
        if not isinstance(value, int):
            return value
        return value % (1 << 32) if sign == "unsigned" else (value + (1 << 31)) % (1 << 32) - (1 << 31)

    def image_of(image):
        return image and {each: read(value) for each, value in image.items()}

    return entry | {"rows": [{side: image_of(image) for side, image in row.items()} for row in entry["rows"]]}


def test_a_crash_there_is_named_by_it():
    case = next(each for each in cases(FAMILY, "mysql-8.4") if any(map(is_rows, each.expected.events)))
    before = next(number for number, entry in enumerate(case.expected.events) if is_rows(entry)) - 1
    trouble = Trouble("crash", "TypeError: NoneType", "", last_at=case.expected.events[before]["offset"])
    verdicts = Judge(REFERENCE.declaration.roles["decode"]).judge(case, trouble)
    assert {each.finding for each in verdicts if each.is_failure} == {"crash at a rows event with extra data"}
