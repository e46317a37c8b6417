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
        (ENTRY.replace("FORMAT-XID", "FORMAT-NONSENSE"), "FORMAT-NONSENSE, which is not a requirement"),
        (ENTRY.replace("a double", ""), "entry 1 has no reason"),
        ("[[known]\n", "baseline.toml"),
    ],
)
def test_an_unusable_file_is_reported_with_its_place(tmp_path, text, message):
    with pytest.raises(BaselineError, match=message):
        Baseline.load(written(tmp_path, text))


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(BaselineError, match=r"nowhere\.toml"):
        Baseline.load(tmp_path / "nowhere.toml")


def test_the_lines_of_an_entry_can_be_read_back(tmp_path):
    entry = KnownFailure("FORMAT-XID", 'a "quoted" \\ sign\n', "why\x1b")
    assert Baseline.load(written(tmp_path, entry.lines())).entries == (entry,)
