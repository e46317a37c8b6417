"""The role `apply`: what a replica's applier does with a relay log (WL#7592, WL#4033)."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.protocol.observation import RoleDeclaration
from conformance.protocol.role import AnswerField, Role

_ONLY_IF_FAILED: Final = frozenset({"logged_statements", "logged_anonymous_gtids"})
#: An entry may lack what is not certain there, and has the rows only at the end.
_MAY_BE_MISSING: Final = frozenset({"logged_groups", "logged_gtids", "tables"})

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "offset": AnswerField("integer", "where the event starts, in bytes from the start of the stream"),
    "type": AnswerField("integer", "event type code"),
    "outcome": AnswerField(
        "word",
        "``applied``; ``ignored`` for an ignorable event of an unknown type; ``skipped`` because of the skip counter, "
        "or because the GTID has been executed already; ``until`` for the event before which the stop position is "
        "reached; ``failed`` for the event at which the applier stops with an error; the last two end the answer",
        ("applied", "ignored", "skipped", "until", "failed"),
    ),
    "relay_log_pos": AnswerField("integer", "where reading continues after the event, in bytes of the relay log"),
    "group_relay_log_pos": AnswerField("integer", "the end of the last complete group, where a restart begins"),
    "source_log": AnswerField(
        "text", "the name of the source's log that `source_log_pos` refers to, empty before a Rotate"
    ),
    "source_log_pos": AnswerField("integer", "the end of the last complete group in the source's log, in bytes"),
    "in_group": AnswerField("integer", "1 if a group is open after the event, else 0"),
    "skip_counter": AnswerField("integer", "how many events are still to be skipped"),
    "gtid": AnswerField("text", "the GTID of the open group, ``ANONYMOUS`` if it has none; empty if none is open"),
    "executed_gtids": AnswerField("text", "the GTIDs executed so far, as a set"),
    "transactions": AnswerField("integer", "how many groups were committed so far"),
    "logged_groups": AnswerField(
        "integer", "how many groups the replica wrote to its own binary log because of the event"
    ),
    "logged_gtids": AnswerField(
        "text",
        "the GTIDs of these groups in its own log, separated by commas; ``ANONYMOUS`` for an Anonymous_gtid event, and "
        "nothing for a group without either",
    ),
    "tables": AnswerField(
        "value",
        "in the last entry, if the setting `tables` asks for it: ``database.table`` -> its rows as other sessions see "
        "them, sorted, each an array of its values; without tables that do not exist",
    ),
    "logged_statements": AnswerField(
        "integer", "in a ``failed`` entry: how many statements the replica wrote to its own log because of the event"
    ),
    "logged_anonymous_gtids": AnswerField(
        "integer", "in a ``failed`` entry: how many Anonymous_gtid events it wrote before these"
    ),
}
ALWAYS: Final = ("offset", "outcome")


def missing_fields(declaration: RoleDeclaration, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the declared fields that an entry of the role `apply` lacks, sorted."""
    fields = declaration.fields - _MAY_BE_MISSING
    required = fields if entry["outcome"] == "failed" else fields - _ONLY_IF_FAILED
    return () if required <= entry.keys() else tuple(sorted(required - entry.keys()))


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
        "version": "the replica's version; missing if it is the default version of the profile",
        "skip_counter": "how many events to skip, the value of sql_slave_skip_counter; missing if none",
        "until": "where to stop: `log_name` and `log_pos`, a position in the source's log; missing if at the end",
        "tables": "the tables whose rows are asked for, as ``database.table``; missing if none",
        "leftovers": "database -> its tables, for each database that DROP DATABASE fails for, because its directory "
        "holds a file that it does not remove; it can drop the tables",
    },
)
