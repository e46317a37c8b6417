"""The mutants of the role `boundary`: the parser of WL#4162 and the shipped parser, with one fault each."""

from typing import Final

from conformance.mutants.boundary.misread_events import MISREAD_EVENT_MUTANTS
from conformance.mutants.boundary.shipped_parser import SHIPPED_BOUNDARY_MUTANTS
from conformance.mutants.boundary.worklog_parser import BOUNDARY_MUTANTS
from conformance.mutants.mutant import Mutant

MUTANTS: Final[tuple[Mutant, ...]] = (*BOUNDARY_MUTANTS, *SHIPPED_BOUNDARY_MUTANTS, *MISREAD_EVENT_MUTANTS)
