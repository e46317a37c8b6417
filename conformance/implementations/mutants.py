"""The mutants: every requirement that has an oracle has at least one, and its oracle catches it.

A check that no mutant breaks checks nothing.
"""

from difflib import get_close_matches
from typing import Final

from conformance.implementations.apply_mutants import APPLY_MUTANTS
from conformance.implementations.boundary_mutants import BOUNDARY_MUTANTS
from conformance.implementations.column_type_mutants import COLUMN_TYPE_MUTANTS
from conformance.implementations.decide_mutants import DECIDE_MUTANTS
from conformance.implementations.event_type_mutants import EVENT_TYPE_MUTANTS
from conformance.implementations.filter_mutants import FILTER_MUTANTS
from conformance.implementations.format_mutants import FORMAT_MUTANTS
from conformance.implementations.gtid_mutants import GTID_MUTANTS
from conformance.implementations.ignorable_event_mutants import IGNORABLE_EVENT_MUTANTS
from conformance.implementations.log_mutants import LOG_MUTANTS
from conformance.implementations.mutation import Mutant
from conformance.implementations.relay_mutants import RELAY_MUTANTS
from conformance.implementations.render_mutants import RENDER_MUTANTS
from conformance.implementations.shipped_boundary_mutants import SHIPPED_BOUNDARY_MUTANTS
from conformance.implementations.tables_info_mutants import TABLES_INFO_MUTANTS

#: Every mutant, role by role.
MUTANTS: Final[tuple[Mutant, ...]] = (
    # decode
    *FORMAT_MUTANTS,
    *EVENT_TYPE_MUTANTS,
    *COLUMN_TYPE_MUTANTS,
    *IGNORABLE_EVENT_MUTANTS,
    *TABLES_INFO_MUTANTS,
    *GTID_MUTANTS,
    # boundary
    *BOUNDARY_MUTANTS,
    *SHIPPED_BOUNDARY_MUTANTS,
    # filter
    *FILTER_MUTANTS,
    # decide
    *DECIDE_MUTANTS,
    # render
    *RENDER_MUTANTS,
    # relay
    *RELAY_MUTANTS,
    # apply
    *APPLY_MUTANTS,
    # log
    *LOG_MUTANTS,
)


def mutant_of(name: str) -> Mutant:
    """Return a mutant by its name.

    Raises:
        ValueError: There is no such mutant.
    """
    for mutant in MUTANTS:
        if mutant.name == name:
            return mutant
    close = get_close_matches(name, [each.name for each in MUTANTS])
    hint = f"; close to it are {', '.join(close)}" if close else ""
    raise ValueError(f"no mutant {name!r}{hint}; `binlog-conformance implementations --mutants` lists them")
