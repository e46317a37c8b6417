"""The variants of a run in the HTML report."""

from conformance.reports.variants_table import variants_table
from conformance.specs.run_record import Variants

WHOLE = Variants("whole", "decode", {"groups": 4, "place": 3}, 12, 12, 0, 0, (), {})
LACKING = Variants(
    "lacking",
    "decode",
    {"size": 2, "code": 2},
    3,
    4,
    1,
    2,
    ("code: 254, size: 0 [worklog]",),
    {"code: <1>, size: 9": "no event is so small"},
)


def test_families_that_lack_a_pair_come_first_and_name_it():
    html = str(variants_table([WHOLE, LACKING]))
    assert html.index("lacking") < html.index("whole")
    assert "15 of the 16 pairs" in html
    assert "1 missing" in html
    assert "code: 254, size: 0 [worklog]" in html


def test_what_cannot_occur_has_its_reason_and_is_escaped():
    html = str(variants_table([LACKING]))
    assert "1 impossible" in html
    assert "code: &lt;1&gt;, size: 9: no event is so small" in html


def test_triples_are_shown_only_where_they_were_counted():
    assert "1 of 2" in str(variants_table([LACKING]))
    assert "Triples" not in str(variants_table([WHOLE]))


def test_a_record_without_variants_is_described():
    assert str(variants_table([])) == "<p>The record has no variants.</p>"
