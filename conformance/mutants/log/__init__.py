"""The mutants of the role `log`: the model of a logging server, with one fault each."""

from typing import Final

from conformance.mutants.log.given_gtids import LOG_GIVEN_GTID_MUTANTS
from conformance.mutants.log.gtids import LOG_GTID_MUTANTS
from conformance.mutants.log.kept_rows import LOG_KEPT_ROWS_MUTANTS
from conformance.mutants.log.markers import LOG_MARKER_MUTANTS
from conformance.mutants.log.refused_settings import LOG_REFUSED_SETTINGS_MUTANTS
from conformance.mutants.log.refused_statements import LOG_REFUSED_STATEMENTS_MUTANTS
from conformance.mutants.log.rows_queries import LOG_ROWS_QUERY_MUTANTS
from conformance.mutants.log.session_ends import LOG_SESSION_END_MUTANTS
from conformance.mutants.log.sessions import LOG_SESSION_MUTANTS
from conformance.mutants.log.splits import LOG_SPLIT_MUTANTS
from conformance.mutants.log.statement_texts import LOG_STATEMENT_TEXT_MUTANTS
from conformance.mutants.log.strange_statements import LOG_STATEMENT_MUTANTS
from conformance.mutants.log.tables_info import LOG_TABLES_INFO_MUTANTS
from conformance.mutants.mutant import Mutant

MUTANTS: Final[tuple[Mutant, ...]] = (
    *LOG_GTID_MUTANTS,
    *LOG_GIVEN_GTID_MUTANTS,
    *LOG_SESSION_MUTANTS,
    *LOG_SESSION_END_MUTANTS,
    *LOG_REFUSED_STATEMENTS_MUTANTS,
    *LOG_REFUSED_SETTINGS_MUTANTS,
    *LOG_KEPT_ROWS_MUTANTS,
    *LOG_STATEMENT_MUTANTS,
    *LOG_STATEMENT_TEXT_MUTANTS,
    *LOG_SPLIT_MUTANTS,
    *LOG_ROWS_QUERY_MUTANTS,
    *LOG_TABLES_INFO_MUTANTS,
    *LOG_MARKER_MUTANTS,
)
