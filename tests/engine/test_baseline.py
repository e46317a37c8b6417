"""Baselines: known failures with reasons, read strictly."""

import pytest

from conformance.engine.baseline import Baseline, BaselineError, KnownFailure

GROUP = "mysql 5.6 to 8.4"
ENTRY = """[[known]]
finding = "xid of XID differs"
groups = ["mysql 5.6 to 8.4"]
requirements = ["FORMAT-XID"]
reason = "a double"
"""


def written(tmp_path, text):
    path = tmp_path / "baseline.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_entry_covers_its_finding_in_its_groups_of_profiles_only(tmp_path):
    baseline = Baseline.load(written(tmp_path, ENTRY))
    assert baseline.reason("xid of XID differs", GROUP, ["FORMAT-XID"]) == "a double"
    # The same cause may break more at another seed.
    assert baseline.reason("xid of XID differs", GROUP, ["FORMAT-XID", "FORMAT-ROWS"]) == "a double"
    assert baseline.reason("xid of XID differs", "mariadb", ["FORMAT-XID"]) is None
    assert baseline.reason("another", GROUP, ["FORMAT-XID"]) is None


def test_an_asterisk_covers_every_finding_that_breaks_nothing_else(tmp_path):
    baseline = Baseline.load(written(tmp_path, ENTRY.replace("xid of XID differs", "*")))
    assert baseline.reason("another", GROUP, ["FORMAT-XID"]) == "a double"
    assert baseline.reason("another", GROUP, ["FORMAT-XID", "FORMAT-ROWS"]) is None


def test_a_file_of_an_older_kit_is_refused_in_one_line(tmp_path):
    old = '[[known]]\nrequirement = "FORMAT-XID"\nsignature = "xid of XID differs"\nreason = "a double"\n'
    with pytest.raises(BaselineError, match=r"by requirement and signature; .* write it again with --write-baseline$"):
        Baseline.load(written(tmp_path, old))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ENTRY.replace("FORMAT-XID", "FORMAT-NONSENSE"),
            r"known\[0\]\.requirements: FORMAT-NONSENSE is not a requirement of the catalogue",
        ),
        (ENTRY.replace("FORMAT-XID", "TROUBLES"), r"TROUBLES is not a requirement .*, nor one of TROUBLE, UNEXPLAINED"),
        (ENTRY.replace("mysql 5.6 to 8.4", "mysql-8.0"), r"known\[0\]\.groups: 'mysql-8.0' is not a group of profiles"),
        (ENTRY.replace('["FORMAT-XID"]', "[]"), r"known\[0\]\.requirements: "),
        (ENTRY.replace("a double", ""), r"known\[0\]\.reason: expected a text of length 1 or more, found ''"),
        (ENTRY.replace("reason", "reasons"), r"known\[0\]\.reasons: there is no such key; there are finding, "),
        (ENTRY.replace("[[known]]", "[[knwon]]"), "knwon: there is no such key; there are known"),
        ("known = 3", "known: expected a list, found 3"),
        ("[[known]\n", "baseline.toml"),
    ],
)
def test_an_unusable_file_is_reported_with_its_place(tmp_path, text, message):
    with pytest.raises(BaselineError, match=message):
        Baseline.load(written(tmp_path, text))


@pytest.mark.parametrize("name", ["TROUBLE", "UNEXPLAINED"])
def test_what_is_beside_the_catalogue_can_be_known(name, tmp_path):
    baseline = Baseline.load(written(tmp_path, ENTRY.replace("FORMAT-XID", name)))
    assert baseline.reason("xid of XID differs", GROUP, [name]) == "a double"


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(BaselineError, match=r"nowhere\.toml"):
        Baseline.load(tmp_path / "nowhere.toml")


def test_the_lines_of_an_entry_can_be_read_back(tmp_path):
    entry = KnownFailure('a "quoted" \\ sign\n', (GROUP, "mariadb"), ("FORMAT-XID", "TROUBLE"), "why\x1b")
    assert Baseline.load(written(tmp_path, entry.lines())).entries == (entry,)
