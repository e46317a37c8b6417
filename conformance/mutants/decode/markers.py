"""Mutants that lose or invent the boundary markers of events (WL#4162)."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.mutants.mutant import Mutant, all_of, change, of_type, unknown

#: Mutants that misread markers, in the order of the catalogue.
MARKER_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "marker-of-four-bits",
        "WL4162-MARKER-THREE-FLAG-BITS",
        "bit 13 of the flags word is read as a bit of the marker",
        change("flags", lambda flags: flags ^ 0x1000 if flags & 0x2000 else flags),
    ),
    Mutant(
        "xid-without-marker",
        "WL4162-MARKER-READ-BACK",
        "the marker of an Xid is lost",
        change("flags", lambda flags: flags & ~MARKER_BITS.mask, of_type(EventType.XID)),
    ),
    Mutant(
        "marker-by-class",
        "WL4162-MARKER-UNMARKED-STAYS-UNDEFINED",
        "an unmarked Xid has the marker End Transaction",
        change(
            "flags",
            lambda flags: MARKER_BITS.write(flags, BoundaryType.END_TRANSACTION),
            all_of(of_type(EventType.XID), lambda event, reported: not MARKER_BITS.stored(event.header.flags)),
        ),
        also=("FORMAT-HEADER-FLAGS",),
    ),
    Mutant(
        "ignorable-without-flags",
        "WL4162-EVENT-HAS-TYPE",
        "an event that is skipped has no flags word",
        change("flags", lambda flags: None, unknown),
        also=("FORMAT-HEADER-FLAGS",),
    ),
)
