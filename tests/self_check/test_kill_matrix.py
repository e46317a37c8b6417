"""A fixed sample of the kill matrix: what occurs is noticed, and what nobody may notice survives."""

from dataclasses import replace

import pytest

from conformance.mutants.mutant import Mutant
from conformance.protocol.roles.registry import role_names
from conformance.self_check import cells
from conformance.self_check.cells import MutantCells, forms_of, mutants_of
from conformance.self_check.matrix import RoleMatrix, Scope, role_matrix
from conformance.self_check.results import lines_of, totals_of
from tests.extras import require_role

#: Role -> mutants of the sample, and the cases of each pair of family and profile that they need.
SAMPLE = {
    "decode": (("xid-one-byte-late", "no-ignorable-rule"), 1),
    "boundary": (("no-reset", "silent-in-dumps"), 1),
    "filter": (("any-do-table", "rows-stay"), 6),
    "decide": (("safe-row-yy", "warning-stops"), 4),
    "render": (("silent-dump", "render-end-of-xid"), 2),
    "send": (("send-heartbeat-unmarked", "send-rotate-unflagged"), 2),
    "client": (("client-table-maps-lost", "client-stops-at-ignorable"), 2),
    "relay": (("relay-query-checksum", "relay-xid-warned"), 2),
    "apply": (("apply-gtid-kept", "apply-source-position"), 2),
    "log": (("logs-two-query-formats", "log-insert-id-lost"), 3),
}


@pytest.mark.parametrize("role", role_names())
def test_the_sample_is_noticed_where_it_occurs(role):
    require_role(role)
    names, cases = SAMPLE[role]
    matrix = role_matrix(role, Scope(mutants=names, cases=cases))
    lines = lines_of(matrix)
    assert {line.mutant for line in lines} == set(names)
    assert totals_of(matrix, lines).survivors == ()
    for line in lines:
        assert sum(cell.status == "killed" for cell in line.triggers.values()) > 20, line.mutant


def test_a_fault_that_no_oracle_can_see_survives(monkeypatch):
    """A fault in what is declared free differs from the reference, and nobody may be blamed for it."""
    (free,) = [each for each in mutants_of("relay") if each.name == "relay-xid-warned"]
    monkeypatch.setattr(cells.Judge, "judge", lambda self, case, answer: [])
    matrix = role_matrix("relay", Scope(mutants=(free.name,), cases=1, jobs=1))
    totals = totals_of(matrix, lines_of(matrix))
    assert totals.killed == 0
    assert totals.survived > 20
    assert totals.killed_share == 0


def test_cells_are_the_same_whatever_the_number_of_processes():
    scope = Scope(mutants=("relay-xid-warned",), triggers=("flag*",), cases=1)
    one, two = (role_matrix("relay", replace(scope, jobs=jobs)) for jobs in (1, 2))
    assert lines_of(one) == lines_of(two)


def test_the_first_kill_is_kept_and_the_first_right_one():
    kept = MutantCells()
    for kill in (
        cells.Kill((2, 0), "c", ("B",), 0),
        cells.Kill((1, 5), "b", ("A",), 2),
        cells.Kill((3, 0), "d", ("B",), 0),
    ):
        kept.add_kill(0, kill)
    assert [each.case for each in kept.kills[0]] == ["b", "c"]
    assert kept.closed() == 1
    pairs, counts, defaults = [("f", "p")] * 10, [4] * 9 + [1], [2] * 5 + [1] * 5
    nothing = {"relay-xid-warned": 0}
    line = lines_of(RoleMatrix("relay", {"relay-xid-warned": kept}, pairs, counts, defaults, nothing, 0))
    cell = line[0].triggers[forms_of("relay")[0].name]
    assert (cell.status, cell.after, cell.right_after, cell.blamed) == ("late", 16, 20, ("A",))


def test_a_mutant_that_is_measured_is_left_to_processes():
    assert all(isinstance(each, Mutant) for each in mutants_of("decode"))
    assert "grows-with-counts" not in {each.name for each in mutants_of("decode")}


def test_a_case_at_which_the_reference_fails_is_not_taken_for_kills(monkeypatch):
    failure = cells.Verdict("FORMAT-RELAY-EVENT", "fail")
    monkeypatch.setattr(cells.Judge, "judge", lambda self, case, answer: [failure])
    with pytest.raises(RuntimeError, match="the reference does not conform at relay:"):
        role_matrix("relay", Scope(mutants=("relay-xid-warned",), cases=1, jobs=1))


def test_a_mutant_that_fails_is_named_with_its_case(monkeypatch):
    def fails(implementation, request):
        raise LookupError("no such event")

    monkeypatch.setattr(cells, "answer_of", fails)
    with pytest.raises(RuntimeError, match="the mutant relay-xid-warned fails at relay:"):
        role_matrix("relay", Scope(mutants=("relay-xid-warned",), cases=1, jobs=1))
