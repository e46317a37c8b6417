"""What a kill matrix came to, as the lines of a record."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from conformance.mutants.registry import mutant_of
from conformance.self_check.cells import Kill, MutantCells, TriggerForm, forms_of
from conformance.self_check.matrix import RoleMatrix
from conformance.self_check.reasons import reason_of
from conformance.self_check.record import CellLine, MutantLine, Status, Totals

#: The shares that are wanted at default settings: killed, and killed with the right requirement first.
WANTED_KILLED: Final = 0.95
WANTED_RIGHT: Final = 0.90
_FREE: Final = "wherever it holds, the mutant differs only in what is free or not asked"


def lines_of(matrix: RoleMatrix) -> list[MutantLine]:
    """Return a line for each mutant of a matrix."""
    return [_line(matrix, name, cells) for name, cells in matrix.cells.items()]


def _line(matrix: RoleMatrix, name: str, cells: MutantCells) -> MutantLine:
    mutant = mutant_of(name)
    left_out = matrix.left_out[name]
    triggers = {
        form.name: _cell(matrix, name, mutant.requirement, index, form, cells)
        for index, form in enumerate(forms_of(matrix.role))
        if not left_out >> index & 1
    }
    return MutantLine(matrix.role, name, mutant.requirement, mutant.text, triggers)


def _cell(
    matrix: RoleMatrix, name: str, requirement: str, index: int, form: TriggerForm, cells: MutantCells
) -> CellLine:
    kills = cells.kills.get(index)
    if kills:
        return _killed(matrix, kills)
    reason = reason_of(matrix.role, name, requirement, form, cells.codes)
    if reason is not None:
        return CellLine("explained", reason=reason)
    if cells.met >> index & 1:
        return CellLine("survived")
    return CellLine("explained", reason=_FREE) if cells.free >> index & 1 else CellLine("never")


def _killed(matrix: RoleMatrix, kills: Sequence[Kill]) -> CellLine:
    first, right = kills[0], kills[-1]
    status: Status = "killed" if matrix.is_of_default(first.order) else "late"
    return CellLine(
        status,
        after=matrix.cases_until(first.order),
        blamed=first.blamed,
        right_after=matrix.cases_until(right.order) if right.rank == 0 else None,
        case=first.case,
    )


def totals_of(matrix: RoleMatrix, lines: Sequence[MutantLine]) -> Totals:
    """Return what the cells of a role came to."""
    cells = [(line, name, cell) for line in lines for name, cell in line.triggers.items()]
    counts = Counter(cell.status for _, _, cell in cells)
    rights = Counter(cell.right_after == cell.after for _, _, cell in cells if cell.right_after is not None)
    return Totals(
        mutants=len(lines),
        triggers=len(forms_of(matrix.role)),
        cases=sum(matrix.counts),
        seconds=round(matrix.seconds, 1),
        killed=counts["killed"],
        late=counts["late"],
        right=rights[True],
        right_later=rights[False],
        survived=counts["survived"],
        explained=counts["explained"],
        never=counts["never"],
        survivors=tuple(f"{line.mutant} {name}" for line, name, cell in cells if cell.status == "survived"),
    )


def is_good(totals: Totals) -> bool:
    """Return whether the shares that are wanted are reached."""
    return totals.killed_share >= WANTED_KILLED and totals.right_share >= WANTED_RIGHT
