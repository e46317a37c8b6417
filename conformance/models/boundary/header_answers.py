"""The eight answers that the header of an event gives about its boundary.

Source: WL#4162, Executive Summary, list a to h.
"""

from dataclasses import dataclass

from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType, MarkerBits


@dataclass(frozen=True, slots=True)
class HeaderAnswers:
    """The answers, in the order of the worklog.

    Attributes:
        feature_enabled: a) The event is from a server with the feature.
        no_information: b) It has no boundary information.
        self_contained: c) It is self-contained.
        starting: d) It starts a transaction.
        inside: e) It is inside a transaction.
        ending: f) It ends a transaction.
        in_the_middle: g) It is in the middle of a transaction; this has no separate type, so it equals e).
        ignored: h) It takes no part in boundary parsing.
    """

    feature_enabled: bool
    no_information: bool
    self_contained: bool
    starting: bool
    inside: bool
    ending: bool
    in_the_middle: bool
    ignored: bool


def header_answers(flags: int, *, bits: MarkerBits = MARKER_BITS) -> HeaderAnswers:
    """Return the answers that the flags word of an event gives."""
    marker = bits.read(flags)
    unmarked = marker is BoundaryType.NOT_DEFINED
    return HeaderAnswers(
        feature_enabled=not unmarked,
        no_information=unmarked,
        self_contained=marker is BoundaryType.SELF_CONTAINED,
        starting=marker is BoundaryType.START_TRANSACTION,
        inside=marker is BoundaryType.INSIDE_TRANSACTION,
        ending=marker is BoundaryType.END_TRANSACTION,
        in_the_middle=marker is BoundaryType.INSIDE_TRANSACTION,
        ignored=marker is BoundaryType.IGNORE_BOUNDARY,
    )
