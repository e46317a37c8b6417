"""The mutants of the role `filter`: the model with one fault each."""

from typing import Final

from conformance.mutants.filter.definitions import DEFINITION_MUTANTS
from conformance.mutants.filter.groups import GROUP_MUTANTS
from conformance.mutants.filter.rules import RULE_MUTANTS
from conformance.mutants.mutant import Mutant

#: Every mutant.
MUTANTS: Final[tuple[Mutant, ...]] = (*RULE_MUTANTS, *GROUP_MUTANTS, *DEFINITION_MUTANTS)
