"""The mutants of the role `apply`: the model of an applier with one fault each."""

from typing import Final

from conformance.mutants.apply.damaged_logs import APPLY_DAMAGED_LOGS_MUTANTS
from conformance.mutants.apply.failed_drops import APPLY_FAILED_DROPS_MUTANTS
from conformance.mutants.apply.groups import APPLY_GROUPS_MUTANTS
from conformance.mutants.apply.gtids import APPLY_GTIDS_MUTANTS
from conformance.mutants.apply.odd_groups import APPLY_ODD_GROUPS_MUTANTS
from conformance.mutants.apply.own_events import APPLY_OWN_EVENTS_MUTANTS
from conformance.mutants.apply.positions import APPLY_POSITIONS_MUTANTS
from conformance.mutants.apply.unknown_events import APPLY_UNKNOWN_EVENTS_MUTANTS
from conformance.mutants.apply.versions import APPLY_VERSIONS_MUTANTS
from conformance.mutants.mutant import Mutant

MUTANTS: Final[tuple[Mutant, ...]] = (
    *APPLY_UNKNOWN_EVENTS_MUTANTS,
    *APPLY_GROUPS_MUTANTS,
    *APPLY_FAILED_DROPS_MUTANTS,
    *APPLY_ODD_GROUPS_MUTANTS,
    *APPLY_OWN_EVENTS_MUTANTS,
    *APPLY_POSITIONS_MUTANTS,
    *APPLY_GTIDS_MUTANTS,
    *APPLY_VERSIONS_MUTANTS,
    *APPLY_DAMAGED_LOGS_MUTANTS,
)
