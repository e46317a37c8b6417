"""A run's folder: the waves of each run have folders of their own, and committed ones are read by every run."""

import pytest

from conformance.corpus.output import NotUsable, Wave


def test_waves_of_two_runs_are_in_two_folders(folder):
    one, other = folder("run"), folder("run")
    assert one.wave_uri(0, 10) != other.wave_uri(0, 10)
    one.commit(Wave(0, 10, 10, 30, 1.0))
    # What is committed is read by every later run, whoever wrote it.
    assert other.committed() == [Wave(0, 10, 10, 30, 1.0)]
    assert other.wave_uri(0, 10) == one.wave_uri(0, 10)


def test_a_mark_is_that_of_its_own_wave(folder):
    folder("run").commit(Wave(0, 10, 10, 30, 1.0))
    waves = folder("run").storage.at("waves")
    (wave,) = map(waves.at, waves.names())
    wave.write("_COMMITTED", wave.read("_COMMITTED", limit=1 << 10).replace(b'"end":10', b'"end":1000'))
    with pytest.raises(NotUsable, match="_COMMITTED: the cases 0 to 1000, in the folder of 0 to 10"):
        folder("run").committed()
