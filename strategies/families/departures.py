"""Families whose streams differ on purpose from the logs of the profile's servers, and how.

The table on docs/protocol.md and the line in reports are written from here.
"""

from dataclasses import dataclass
from typing import Final

from conformance.specs.versions import EVERY_PROFILE, Profiles


@dataclass(frozen=True, slots=True)
class Departure:
    """What the streams of some families have that no log of the profile's servers has.

    Attributes:
        families: The families.
        streams: What their streams have or are, after the word ``streams``.
        profiles: The profiles under which they do.
    """

    families: tuple[str, ...]
    streams: str
    profiles: Profiles = EVERY_PROFILE


#: Every departure; a family or a profile has at most one. Faults are not in it: each breaks a rule by definition.
DEPARTURES: Final[tuple[Departure, ...]] = (
    Departure(
        ("gtid_streams", "anonymous_gtid_streams"), "also have Gtid bodies of other servers, and any flags and lengths"
    ),
    Departure(
        ("previous_gtids_streams",),
        "have a Previous_gtids event with any flags, and in some cases a second log, of this server or another",
    ),
    Departure(
        ("transaction_payloads",),
        "have payloads that are not compressed in some cases, which the format has and no server writes",
    ),
    Departure(("changed_format_descriptions",), "have a second format description that differs from the first"),
    Departure(("tables_after_restarts",), "have the logs of a server after its restarts one after another"),
    Departure(("rows_query_streams",), "have Rows_query events with any length byte, some without a text"),
    Departure(
        ("post_header_lengths",),
        "declare longer post-headers and more event types than any server does, as a later one might",
    ),
    Departure(
        (
            "ignorable_events",
            "ignorable_bodies",
            "ignorable_flags",
            "ignorable_codes",
            "uncovered_ignorable_events",
            "unknown_events_applied",
            "ignorable_events_in_payloads",
            "sent_types_of_mariadb",
        ),
        "have ignorable events of types that no server writes yet",
    ),
    Departure(("flagged_known_events", "flagged_groups"), "have the ignorable flag on events of ordinary types"),
    Departure(
        ("sent_gtids", "sent_without_gtids", "tagged_gtid_streams"),
        "have the ignorable flag on events of ordinary types in some cases",
    ),
    Departure(
        ("large_transactions",),
        "declare and have an event type that is in the sources of the server, but in no log of a release",
    ),
    Departure(
        ("heartbeats", "relay_logs", "reconnected_streams", "ignored_servers"),
        "have events that a source sends but no log contains",
    ),
    Departure(("flushed_relay_logs",), "have the source's next log after the first in some cases"),
    Departure(("odd_groups_applied",), "have the source's format description within a group in some cases"),
    Departure(
        ("groups_sent_again",),
        "have a group whose GTID is executed once more, in some cases cut off",
    ),
    Departure(("stop_positions",), "have events with positions of other logs"),
    Departure(
        ("show_binlog_events",), "have events with positions of other logs, and in some cases with the ignorable flag"
    ),
    Departure(("skipped_groups", "groups_in_permissive_modes"), "also have groups without any Gtid event"),
    Departure(
        ("sent_logs",),
        "are several logs, in some cases the first from before the server's upgrade, or with flags that no server sets",
    ),
    Departure(("golden_vectors",), "are parts cut out of logs"),
    Departure(("mysql_logs_to_mariadb",), "have one event without its transaction, and no other Gtid events"),
    Departure(
        ("recorded_logs",), "are logs that servers wrote, some of them cut off, and most of them with one value changed"
    ),
    Departure(("cross_version_streams", "older_source_streams", "old_source_streams"), "are logs of older servers"),
    Departure(
        ("newer_source_streams", "newer_sources_with_gtids", "anonymous_gtids_to_older_readers"),
        "are logs of newer servers",
    ),
    Departure(("rows_of_betas",), "are logs of 5.1's betas"),
    Departure(("malformed_bodies_received",), "have one event with a malformed body, as after a fault of the source"),
    Departure(("streams_without_gtids",), "come from a source that is older than its format description claims"),
    Departure(
        (
            "tables_info_streams",
            "extended_query_sizes",
            "name_filters",
            "create_table_filters",
            "clever_filters",
            "rename_filters",
            "joint_rename_filters",
            "xa_filters",
        ),
        "have no Gtid events in half of the cases, as before WL#7592",
    ),
    Departure(
        ("group_filters",),
        "have no Gtid events in half of the cases, as before WL#7592, and an Incident within a transaction in some",
    ),
    Departure(
        ("row_filters",), "have the ignorable flag on Table_map and rows events in some cases, where servers know it"
    ),
    Departure(
        ("table_filters",),
        "have no Gtid events in half of the cases, as before WL#7592, and the ignorable flag on statements in some",
    ),
    Departure(
        (
            "marked_streams",
            "unmarked_streams",
            "boundary_sequences",
            "boundary_exhaustive",
            "boundary_runs",
            "boundary_connections",
            "extended_transactions",
            "boundary_markers_missing",
            "boundary_ignorable_anywhere",
        ),
        "have anything that a boundary parser may be fed",
    ),
    Departure(
        ("rendered_text",),
        "have some Query events of development releases, with a timestamp in the status variables, and in some cases "
        "the positions of another log, or the ignorable flag on events of ordinary types",
    ),
    Departure(("printed_boundaries",), "have one wrong step, about which the printed text warns"),
    Departure(
        ("loaded_files", "every_event_type", "printed_event_types"),
        "have a Delete_file within a transaction, although WL#4162 makes it self-contained",
        Profiles("worklog"),
    ),
)


def departure_of(family: str, profile: str) -> str | None:
    """Return how a family's streams under a profile differ from a server's logs on purpose; None if they do not."""
    for each in DEPARTURES:
        if family in each.families and profile in each.profiles:
            return f"streams of {family} {each.streams}"
    return None
