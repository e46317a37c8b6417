"""The mutants of the role `decode`, one module for each subject."""

from typing import Final

from conformance.mutants.decode.column_types import COLUMN_TYPE_MUTANTS
from conformance.mutants.decode.event_types import EVENT_TYPE_MUTANTS
from conformance.mutants.decode.gtids import GTID_MUTANTS
from conformance.mutants.decode.ignorable_events import IGNORABLE_EVENT_MUTANTS
from conformance.mutants.decode.markers import MARKER_MUTANTS
from conformance.mutants.decode.refusals import REFUSAL_MUTANTS
from conformance.mutants.decode.tables_info import TABLES_INFO_MUTANTS
from conformance.mutants.decode.wire_format import FORMAT_MUTANTS
from conformance.mutants.mutant import Mutant

MUTANTS: Final[tuple[Mutant, ...]] = (
    *FORMAT_MUTANTS,
    *REFUSAL_MUTANTS,
    *EVENT_TYPE_MUTANTS,
    *COLUMN_TYPE_MUTANTS,
    *IGNORABLE_EVENT_MUTANTS,
    *TABLES_INFO_MUTANTS,
    *GTID_MUTANTS,
    *MARKER_MUTANTS,
)
