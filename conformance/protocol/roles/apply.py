"""The role `apply`: what a replica's applier does with a relay log (WL#7592, WL#4033)."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.protocol.observation import RoleDeclaration
from conformance.protocol.role import AnswerField, Role

_OF_A_FAILURE: Final = frozenset({"logged_statements", "logged_anonymous_gtids"})

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "offset": AnswerField("integer", "where the event starts in the stream, in bytes"),
    "type": AnswerField("integer", "event type code"),
    "outcome": AnswerField(
        "word",
        "``applied``; ``ignored`` as an ignorable event of an unknown type; ``skipped`` by the skip counter, or as its "
        "GTID is executed already; ``until`` for the event before which the position to stop at is reached; ``failed`` "
        "for the one at which the applier stops with an error; both are the last entry",
        ("applied", "ignored", "skipped", "until", "failed"),
    ),
    "relay_log_pos": AnswerField("integer", "where reading goes on behind the event, in bytes of the relay log"),
    "group_relay_log_pos": AnswerField("integer", "the end of the last whole group: where a restart begins"),
    "source_log": AnswerField("text", "the source's log that the position counts in, empty where none was named yet"),
    "source_log_pos": AnswerField("integer", "the end of the last whole group in the source's log, in bytes"),
    "in_group": AnswerField("integer", "1 where a group is open behind the event, else 0"),
    "skip_counter": AnswerField("integer", "how many events are still to be skipped"),
    "gtid": AnswerField("text", "the GTID of the open group, ``ANONYMOUS`` where it has none, else empty"),
    "executed_gtids": AnswerField("text", "the GTIDs executed so far, as a set"),
    "transactions": AnswerField("integer", "how many groups were committed so far"),
    "logged_statements": AnswerField(
        "integer", "in a ``failed`` entry: how many statements the replica wrote to its own log on account of the event"
    ),
    "logged_anonymous_gtids": AnswerField("integer", "the same for the Anonymous_gtid events before them"),
}
ALWAYS: Final = ("offset", "outcome")


def missing_fields(declaration: RoleDeclaration, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the declared fields that an entry of the role `apply` owes and does not have, sorted."""
    owed = declaration.fields if entry["outcome"] == "failed" else declaration.fields - _OF_A_FAILURE
    return () if owed <= entry.keys() else tuple(sorted(owed - entry.keys()))


#: The role itself.
ROLE: Final = Role(
    name="apply",
    question="What does a replica with these settings do with each event of this relay log, and where does it stop?",
    fields=FIELDS,
    always=ALWAYS,
    missing=missing_fields,
    settings={
        "gtid_mode": "the replica's gtid_mode: ``OFF`` or ``ON``",
        "server_id": "the replica's own server id",
        "version": "its version, where it is not the one that stands for the profile",
        "skip_counter": "how many events to skip, as sql_slave_skip_counter says; none where it is missing",
        "until": "where to stop: `log_name` and `log_pos`, a position in the source's log; missing for the end",
        "leftovers": "database -> its tables, for each one whose directory holds a file that DROP DATABASE does not "
        "remove; the tables themselves can be dropped",
    },
)
