"""The storage analysis of WL#7592."""

import pytest

from conformance.models.server.storage import storage_analysis


@pytest.mark.parametrize(
    ("figure", "bytes_"),
    [("gtid", 57), ("net", 49), ("query", 79), ("xid", 31), ("minimal_transaction", 217), ("saved_later", 67)],
)
def test_the_figures_are_those_of_the_worklog(figure, bytes_):
    assert getattr(storage_analysis(), figure) == bytes_


def test_the_overhead_is_that_of_the_worklog():
    assert int(100 * storage_analysis().overhead) == 22
