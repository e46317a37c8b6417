"""What the tests change of the kit, its processes have too: they are forks of the test run, whatever threads it has."""

import pytest


@pytest.fixture(autouse=True)
def forked_processes(monkeypatch):
    monkeypatch.setattr("conformance.engine.process_pool.can_fork", lambda: True)
