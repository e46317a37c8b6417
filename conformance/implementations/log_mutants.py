"""The mutants of the role `log`: the model of a server that logs, with one fault each."""

from typing import Final

from conformance.implementations.log_gtid_mutants import LOG_GTID_MUTANTS
from conformance.implementations.log_marker_mutants import LOG_MARKER_MUTANTS
from conformance.implementations.log_rows_query_mutants import LOG_ROWS_QUERY_MUTANTS
from conformance.implementations.log_tables_info_mutants import LOG_TABLES_INFO_MUTANTS
from conformance.implementations.mutation import Mutant

LOG_MUTANTS: Final[tuple[Mutant, ...]] = (
    *LOG_GTID_MUTANTS,
    *LOG_ROWS_QUERY_MUTANTS,
    *LOG_TABLES_INFO_MUTANTS,
    *LOG_MARKER_MUTANTS,
)
