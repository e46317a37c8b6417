"""The mutants: every requirement that has an oracle has at least one, and its oracle catches it.

A check that no mutant breaks checks nothing.
"""

from difflib import get_close_matches
from typing import Final

from conformance.mutants.apply import APPLY_MUTANTS
from conformance.mutants.boundary.shipped_parser import SHIPPED_BOUNDARY_MUTANTS
from conformance.mutants.boundary.worklog_parser import BOUNDARY_MUTANTS
from conformance.mutants.decide import DECIDE_MUTANTS
from conformance.mutants.decode.column_types import COLUMN_TYPE_MUTANTS
from conformance.mutants.decode.event_types import EVENT_TYPE_MUTANTS
from conformance.mutants.decode.gtids import GTID_MUTANTS
from conformance.mutants.decode.ignorable_events import IGNORABLE_EVENT_MUTANTS
from conformance.mutants.decode.tables_info import TABLES_INFO_MUTANTS
from conformance.mutants.decode.wire_format import FORMAT_MUTANTS
from conformance.mutants.filter import FILTER_MUTANTS
from conformance.mutants.log.every_mutant import LOG_MUTANTS
from conformance.mutants.mutant import Mutant
from conformance.mutants.relay import RELAY_MUTANTS
from conformance.mutants.render import RENDER_MUTANTS

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
