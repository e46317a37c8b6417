"""Baselines: known failures with reasons, read strictly."""

import pytest

from conformance.engine.baseline import Baseline, BaselineError, KnownFailure

ENTRY = '[[known]]\nrequirement = "FORMAT-XID"\nsignature = "xid of XID differs"\nreason = "a double"\n'


def written(tmp_path, text):
    path = tmp_path / "baseline.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_entry_covers_its_signature_only(tmp_path):
    baseline = Baseline.load(written(tmp_path, ENTRY))
    assert baseline.reason("FORMAT-XID", "xid of XID differs") == "a double"
    assert baseline.reason("FORMAT-XID", "another") is None


def test_an_asterisk_covers_every_signature(tmp_path):
    baseline = Baseline.load(written(tmp_path, ENTRY.replace("xid of XID differs", "*")))
    assert baseline.reason("FORMAT-XID", "another") == "a double"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ENTRY.replace("FORMAT-XID", "FORMAT-NONSENSE"),
            r"known\[0\]\.requirement: FORMAT-NONSENSE is not a requirement of the catalogue",
        ),
        (ENTRY.replace("FORMAT-XID", "TROUBLES"), r"TROUBLES is not a requirement .*, nor one of TROUBLE, UNEXPLAINED"),
        (ENTRY.replace("a double", ""), r"known\[0\]\.reason: expected a text of length 1 or more, found ''"),
        (ENTRY.replace("reason", "reasons"), r"known\[0\]\.reasons: there is no such key; there are requirement, "),
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
    assert baseline.reason(name, "xid of XID differs") == "a double"


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(BaselineError, match=r"nowhere\.toml"):
        Baseline.load(tmp_path / "nowhere.toml")


def test_the_lines_of_an_entry_can_be_read_back(tmp_path):
    entry = KnownFailure("FORMAT-XID", 'a "quoted" \\ sign\n', "why\x1b")
    assert Baseline.load(written(tmp_path, entry.lines())).entries == (entry,)
