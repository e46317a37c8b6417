"""How pytest-xdist shares the tests out among its workers."""

import re
from typing import Final

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests.real_servers.node_ids import file_and_server

#: How the names of tests begin that one worker runs together: those that run Spark, which takes every core, and those
#: that share cases which take half a minute to make.
_TOGETHER: Final = re.compile(
    r"tests/corpus/"
    r"|tests/strategies/test_families\.py::test_every_"
    r"|tests/strategies/test_field_domains\.py"
    r"|tests/mutants/test_blame\.py::\w+\[(?:apply|client|logs|relay|send)-"
)


class SomeTogether(LoadScopeScheduling):
    """Give each test to the next free worker, but some together to one.

    Those are the tests of `_TOGETHER`, and those of a file that use the same real server, which is started once.

    `--dist loadgroup` does the same by a mark, but not with pytest 9.2 (pytest-xdist's issue 1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        place = file_and_server(nodeid)
        if place is not None:
            return "::".join(place)
        together = _TOGETHER.match(nodeid)
        return nodeid if together is None else together[0]

    def remove_node(self, node: WorkerController) -> str | None:
        """Return the test in which a worker crashed; only the tests that it did not begin are given to others.

        pytest-xdist 3.8 gives everything that the worker had to others: for a test that was run to its end they wait
        for ever (its issue 1378), and a test that crashes every worker is run again for ever (1371).
        """
        work = self.assigned_work[node]
        crashed = next((test for unit in work.values() for test, done in unit.items() if not done), None)
        if crashed is not None:
            work[self._split_scope(crashed)][crashed] = True
        self.assigned_work[node] = {scope: unit for scope, unit in work.items() if not all(unit.values())}
        super().remove_node(node)
        return crashed

    def _reschedule(self, node: WorkerController) -> None:
        if node not in self.registered_collections:
            return  # It replaces another, and has not collected its tests yet: it gets some when it has.
        super()._reschedule(node)
        # A worker that replaces another waits with its first test until it has a second (issue 1327).
        if self.workqueue and self._pending_of(self.assigned_work[node]) == 1:
            super()._reschedule(node)
