"""Where a file system has no locks, a run holds its folder by a lease that it renews."""

from threading import Event, Thread

import pytest

from conformance.corpus.lease import LEASE, Lease
from conformance.corpus.output import Output, Wave
from conformance.corpus.storage import Storage
from conformance.engine.run_lock import InUse

#: Long enough that a loaded machine renews in time, short enough for a test.
TIMES = {"renewed": 0.2, "lapsed": 5.0}


@pytest.fixture
def storage(spark, tmp_path):
    return Storage(spark, str(tmp_path / "run"))


def test_a_lease_that_is_renewed_keeps_the_folder(storage):
    with Lease(storage, **TIMES).held():
        with (
            pytest.raises(InUse, match=r"in use by another run \(process \d+ on host .+\)"),
            Lease(storage, **TIMES | {"lapsed": 600.0}).held(),
        ):
            pass
        assert storage.exists(LEASE)
    assert not storage.exists(LEASE)


def test_the_lease_of_a_killed_run_lapses(storage):
    with Lease(storage, **TIMES).held():
        killed = storage.read(LEASE, limit=1 << 10)
    storage.write(LEASE, killed)  # Nobody renews it.
    taken = Lease(storage, renewed=0.2, lapsed=1.0)
    with taken.held():
        taken.check()


def test_a_run_whose_lease_was_taken_notices(storage):
    stopped, taken, ended = Lease(storage, renewed=600.0, lapsed=0.0), Event(), Event()

    def take():
        with Lease(storage, renewed=600.0, lapsed=0.0).held():
            taken.set()
            ended.wait(60)

    with stopped.held():
        stopped.check()
        other = Thread(target=take)
        other.start()
        assert taken.wait(60)
        with pytest.raises(InUse):
            stopped.check()
        ended.set()
        other.join()


def test_a_run_commits_no_wave_once_its_lease_is_gone(storage, monkeypatch):
    monkeypatch.setattr(Storage, "local", None)
    output = Output(storage)
    with output.in_use():
        assert "process" in output.holder()
        output.commit(Wave(0, 10, 10, 30, 1.0))
        storage.delete(LEASE)
        with pytest.raises(InUse):
            output.commit(Wave(10, 20, 10, 30, 1.0))
    assert [wave.end for wave in output.committed()] == [10]
