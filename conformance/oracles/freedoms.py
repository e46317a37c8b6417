"""What is left to the implementation: the differences from an expected answer for which nobody is blamed.

A difference that is neither here nor blamed on a requirement is a gap in the catalogue, and the run reports it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.models.boundary.open_readings import OPEN_READINGS, PASSED_OVER, UNKNOWN_BY_CODE
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.apply_freedoms import (
    ends_at_implicit_commit,
    is_position_before_ignored,
    is_position_of_no_log,
    is_spread_of_drops,
    stops_at_begin,
)
from conformance.oracles.checks.boundary_freedoms import (
    is_after_malformed,
    is_after_spare_marker,
    is_in_own_words,
    is_of_other_reading,
    is_truncated,
)
from conformance.oracles.checks.client_freedoms import (
    is_end_beside_error,
    is_kept_back,
    is_of_begun_group,
    is_of_connection,
    is_sent_again,
    is_type_missing,
)
from conformance.oracles.checks.decode_freedoms import (
    is_at_burden,
    is_faulty_payload,
    is_in_another_notation,
    is_in_right_state,
    is_malformed_unknown,
    is_not_of_a_log,
    is_of_unknown_type,
    is_sent_without_in_use,
    is_skipped,
    is_torn_header,
    is_unreported,
    is_value_of_unread_statement,
)
from conformance.oracles.checks.filter_freedoms import is_border_of_nothing, is_of_kept_file
from conformance.oracles.checks.log_freedoms import (
    has_free_flags,
    is_bare_text,
    is_checkpoint,
    is_division_of_rows,
    is_end_by_engine,
    is_order_of_dropped,
    is_order_of_tables,
    is_own_wording,
    is_rows_flag,
    is_rows_order,
    is_same_list,
)
from conformance.oracles.checks.relay_freedoms import (
    differs_in_checksum_alone,
    differs_in_last_gtid_alone,
    is_format_again,
    is_format_repeated,
    is_from_replica_itself,
    is_log_number,
    is_own_event,
    is_own_value,
    is_warning_without_text,
    stands_for_left_out,
    stops_at_unknown,
)
from conformance.oracles.checks.render_freedoms import (
    is_foreign_warning,
    is_other_info,
    is_other_spelling_of_type,
    is_refusal_of_tolerated,
)
from conformance.oracles.checks.send_freedoms import (
    differs_in_encoding_alone,
    differs_in_letter_case_alone,
    differs_in_unused_checksum,
)
from conformance.oracles.differences import ERROR_CODE, Difference
from conformance.specs.catalogue import ENTRY, ERROR

#: Returns whether a difference is one that is left to the implementation.
Covers = Callable[[Alignment, Difference], bool]


@dataclass(frozen=True, slots=True)
class Freedom:
    """One thing that is left to the implementation.

    Attributes:
        role: The role.
        name: Its name, for tests.
        what: What may differ, as the page of the role names it.
        reason: Why nobody is blamed for it.
        covers: Returns whether a difference is of this kind.
    """

    role: str
    name: str
    what: str
    reason: str
    covers: Covers


def _in_notation(*fields: str) -> Covers:
    return lambda alignment, difference: difference.field in fields and is_in_another_notation(alignment, difference)


def _is_unlisted(alignment: Alignment, difference: Difference) -> bool:
    lists_all = "every_event" in alignment.role.abilities
    return difference.field == ENTRY and difference.index < alignment.count and not lists_all


def _is_error_number(alignment: Alignment, difference: Difference) -> bool:
    return difference.field == ERROR_CODE


def _is_failed_entry(alignment: Alignment, difference: Difference) -> bool:
    error, at = alignment.observation.error, alignment.case.expected.refused_at
    if difference.field != ENTRY or error is None or error.at != at:
        return False
    if difference.place is not None:
        entries = (entry for entry in alignment.observation.events if entry["offset"] == difference.place)
        return difference.place == at and all(entry["outcome"] == "failed" for entry in entries)
    if difference.index >= alignment.count:
        return False
    return bool(alignment.case.expected.events[difference.index]["offset"] == at)


def _is_lost_connection(alignment: Alignment, difference: Difference) -> bool:
    is_end = difference.field == ERROR and alignment.observation.error is None
    return is_end and alignment.case.expected.refused_kind == "truncated"


def _is_of_old_replica(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a difference is at or after an Anonymous_gtid at which replicas of some old versions stop."""
    stops = ("WL7592-COMPAT-OFF-5621", "WL7592-COMPAT-OFF-575")
    strict = "profile_strict" in alignment.role.abilities
    marked = [index for requirement in stops for index in alignment.marked(requirement)]
    return not strict and bool(marked) and difference.index >= min(marked)


#: Everything that is free, by role.
FREE: Final[tuple[Freedom, ...]] = (
    Freedom(
        "decode",
        "ignorable events unreported",
        "whether an ignorable event of an unknown type is reported, and then whether with its type code or with null",
        "WL#4033 has readers pass over it; whether they hand it on is left to them.",
        is_skipped,
    ),
    Freedom(
        "decode",
        "values for an unread statement",
        "whether Intvar, Rand and User_var events are reported if the event after them, or after the last of several, "
        "cannot be read",
        "They are a part of the statement after them: mysqlbinlog prints them with it.",
        is_value_of_unread_statement,
    ),
    Freedom(
        "decode",
        "events of no log",
        "whether an event that no log of this server has is refused, or reported as `ignored`: a heartbeat, which may "
        "also be left out, an event of a beta version, a type that the format description does not declare, with the "
        "ignorable flag",
        "Readers meet none, or only if they ask for it, and servers differ; after a clean error nothing is judged.",
        is_not_of_a_log,
    ),
    Freedom(
        "decode",
        "torn header of old logs",
        "under `worklog` and before MySQL 8.0, whether there is an error where the stream ends within a header",
        "mysqlbinlog of these versions takes fewer than 19 bytes for the end of the log.",
        is_torn_header,
    ),
    Freedom(
        "decode",
        "faulty payloads reported",
        "whether a Transaction_payload event is reported before the error about an event inside it",
        "A reader may open it when it reads it, or later.",
        is_faulty_payload,
    ),
    Freedom(
        "decode",
        "events that claim or hold too much",
        "whether an event that claims or holds far more than it should is refused, with any error, or read, and how",
        "A reader may have limits of its own; only the memory and the time that it takes are judged.",
        is_at_burden,
    ),
    Freedom(
        "decode",
        "events of unknown types",
        "the fields of an event that is reported as `ignored`, except those of the header",
        "That the type is not known is one finding, of FORMAT-TYPE-KNOWN.",
        is_of_unknown_type,
    ),
    Freedom(
        "decode",
        "fields of rare types",
        "a missing field of a type that has only *fields of some such events*; the statement of Execute_load_query, "
        "the thread of Transaction_context, the number of View_change",
        "Libraries have classes for these types without all the fields, which they report of other types.",
        is_unreported,
    ),
    Freedom(
        "decode",
        "notation of a GTID",
        "the letter case of a GTID in `gtid`; in an Anonymous_gtid event `ANONYMOUS`, empty or missing",
        "Servers accept both cases; an Anonymous_gtid event has no GTID, and the worklog gives it no name.",
        _in_notation("gtid"),
    ),
    Freedom(
        "decode",
        "notation of GTID sets",
        "the notation of `previous_gtids` and `gtid_list`: order of the sources and tags, letter case, white space, "
        "5-5 for 5, a source or an interval in several parts",
        "Servers accept all of these as the same set.",
        _in_notation("previous_gtids", "gtid_list"),
    ),
    Freedom(
        "decode",
        "padding",
        "the NULs that pad `server_version` and `view_id`",
        "The field has a fixed width; nothing is lost or invented.",
        _in_notation("server_version", "view_id"),
    ),
    Freedom(
        "decode",
        "bytes of no character",
        "what stands in `query` and `rows_query` for bytes that are not UTF-8: U+FFFD, or anything else",
        "A statement may have any bytes, as in a literal of binary data; libraries show them in ways of their own.",
        _in_notation("query", "rows_query"),
    ),
    Freedom(
        "decode",
        "notation of tables info",
        "the notation of `tables_info`: the default database written out or not, an empty list left out",
        "An empty name means the default database.",
        _in_notation("tables_info"),
    ),
    Freedom(
        "decode",
        "notation of values",
        "the notation of values and rows, within the rules of [Values and rows](#values-and-rows)",
        "The same value has several forms in JSON.",
        _in_notation(
            "rows", "status_variables", "variable_value", "block_data", "snapshot_version", "xa_gtrid", "xa_bqual"
        ),
    ),
    Freedom(
        "decode",
        "malformed bodies of unknown types",
        "whether an event with a malformed body is refused by a reader that does not know its type, or that declares "
        "neither `handled` nor a field of every such event, and reports nothing of its body",
        "It does not read the body.",
        is_malformed_unknown,
    ),
    Freedom(
        "decode",
        "flag of a log in use",
        "without the ability `framing`: whether `flags` of a format description has the bit of a log in use",
        "A server clears it in what it sends; an adapter that cuts the stream into events does as the server would.",
        is_sent_without_in_use,
    ),
    Freedom(
        "decode",
        "state of the reader",
        "`position` after a Rotate event: its end or `next_position`, and within a group where that begins; "
        "`executed_gtid_set` with or without the set of Previous_gtids, in any order; both may be left out of an event "
        "that is reported as `ignored`",
        "A reader may go over to the next log at once, may resume at whole groups only, may begin with a set from "
        "elsewhere, and hands over no body of what it does not know.",
        is_in_right_state,
    ),
    Freedom(
        "boundary",
        "spare markers",
        "everything about an event with a spare marker, and the state, type and warning of the events after it, up to "
        "the next reset",
        "WL#4162 keeps the two values for later and does not say what a reader does with them.",
        is_after_spare_marker,
    ),
    Freedom(
        "boundary",
        "later types passed over",
        "under `worklog`, the answers of a parser that passes over events with the ignorable flag and without a marker "
        "whose type came after WL#4162: Anonymous_gtid, Transaction_context, View_change, Xa_prepare, "
        "Partial_update_rows, Transaction_payload, Heartbeat_v2, Gtid_tagged",
        "WL#4162 has parsers pass over ignorable events that they do not know, and does not name these types.",
        is_of_other_reading((PASSED_OVER,)),
    ),
    Freedom(
        "boundary",
        "type 0 with the ignorable flag",
        "under `worklog`, whether an event of type 0 with the ignorable flag and without a marker is Ignore Boundary "
        "or Self Contained, and what follows from it",
        "WL#4162 has a row for unknown events and one for ignorable events, and this one is both.",
        is_of_other_reading((UNKNOWN_BY_CODE,)),
    ),
    Freedom(
        "boundary",
        "other spellings of BEGIN, COMMIT and ROLLBACK",
        "under `worklog`, whether a statement that means BEGIN, COMMIT or ROLLBACK in another spelling (letter case, "
        "spaces, comments, further words, XA) counts as that word, and what follows from it",
        "Servers write the words in upper case alone, and WL#4162 does not say what other spellings are.",
        is_of_other_reading(OPEN_READINGS),
    ),
    Freedom(
        "boundary",
        "errors without a text",
        "the text of `warning` where the shipped parser fails and servers have no text, as for most events in its "
        "state ERROR, and for a Transaction_payload",
        "Nothing is printed there; that there is an error must be seen.",
        is_in_own_words,
    ),
    Freedom(
        "boundary",
        "error in a torn event",
        "whether there is an error where the stream ends within an event",
        "The rules are about whole events.",
        is_truncated,
    ),
    Freedom(
        "boundary",
        "events after a malformed one",
        "whether a parser stops with an error at a Query event with a malformed body, or goes on, and everything "
        "about the events from there on",
        "The rules are about sound events. Servers go on without a warning.",
        is_after_malformed,
    ),
    Freedom(
        "filter",
        "events without an entry",
        "without the ability `every_event`: an event without an entry",
        "Programs that filter do not report every event; what they report is judged.",
        _is_unlisted,
    ),
    Freedom(
        "filter",
        "discarded files",
        "whether a file is dropped that a Delete_file discards, if its blocks and that event have one fate",
        "It changes nothing either way.",
        is_of_kept_file,
    ),
    Freedom(
        "filter",
        "borders of empty groups",
        "whether the BEGIN and the end of a group of which nothing else passes are kept, if both have one fate, and "
        "whether a Gtid or Anonymous_gtid event before them is; MariaDB's Gtid event counts as either",
        "WL#40 speaks of the group of a CREATE TABLE ... SELECT in row format alone, all of which passes or none. "
        "Replicas of MySQL keep the GTID of what they filter out.",
        is_border_of_nothing,
    ),
    Freedom(
        "render",
        "other warnings",
        "what is printed to standard error besides the warnings of WL#4162, and whether these are there, in the text "
        "or in both",
        "Programs warn about much else.",
        is_foreign_warning,
    ),
    Freedom(
        "render",
        "spelling of Info",
        "in `info`: the space after the semicolon of `use`, flags after `STMT_END_F`, the number of a transaction "
        "after a definition, what of a Table_map is beyond 255 bytes, whether the `# ` that a source has stored before "
        "a statement is printed again, the letter case of a GTID and the space before it, the notation of a set, and "
        "the word before the number of an Xid",
        "Servers differ, and WL#4033 has `COMMIT /* XID */`.",
        is_other_info,
    ),
    Freedom(
        "render",
        "spelling of types",
        "the letter case of `event_type`, and `_v1` after the name of a rows event",
        "Servers name rows events of the first version so; WL#4033 has `Write_rows` for one.",
        is_other_spelling_of_type,
    ),
    Freedom(
        "render",
        "refused events",
        "whether a program stops with an error at an event that a reader may refuse, such as an empty Rows_query",
        "As in `decode`: after a clean error nothing is judged.",
        is_refusal_of_tolerated,
    ),
    Freedom(
        "send",
        "checksum of a format description without checksums",
        "the last four bytes of a format description that announces no checksums",
        "They belong to no checksum of the log; servers leave them as they were, although they change the event.",
        differs_in_unused_checksum,
    ),
    Freedom(
        "send",
        "encoding of heartbeats",
        "in the body of a heartbeat of the second version, the order of its fields, the width of numbers, and the key "
        "at its end",
        "Each field has its key; replicas of MySQL 9.7 take all of these.",
        differs_in_encoding_alone,
    ),
    Freedom(
        "send",
        "letter case of what is sent",
        "the letter case of `data`",
        "The bytes are the same.",
        differs_in_letter_case_alone,
    ),
    Freedom(
        "client",
        "events kept back",
        "whether events about a log, Anonymous_gtid, the texts of statements, and ignorable events that neither change "
        "data nor end a transaction nor belong to a statement are delivered, as long as the client stops at none",
        "They change nothing by themselves; many clients keep them.",
        is_kept_back,
    ),
    Freedom(
        "client",
        "begun groups",
        "the last events of a group in which the source ends with an error, or all of them",
        "A client may deliver whole groups, or deliver an event when the next one has come.",
        is_of_begun_group,
    ),
    Freedom(
        "client",
        "the end beside an error",
        "the entry about the end, beside the error of the source",
        "The error shows that it ends there.",
        is_end_beside_error,
    ),
    Freedom(
        "client",
        "types of events kept back",
        "the type of an event that need not be delivered",
        "A client may keep back the whole event.",
        is_type_missing,
    ),
    Freedom(
        "client",
        "events of the connection",
        "Rotate events and format descriptions that the source makes, Previous_gtids and the like that come again, "
        "Annotate_rows events that the client asks for",
        "A client may show what it is sent.",
        is_of_connection,
    ),
    Freedom(
        "client",
        "interrupted groups",
        "the events of a group in which the connection was lost, once more from its beginning",
        "A source sends the whole transaction again to a client that asks by GTIDs.",
        is_sent_again,
    ),
    Freedom(
        "client",
        "notation of a client's GTIDs",
        "the notation of `executed_gtids`: as that of `previous_gtids` in the role `decode`",
        "Servers accept all of these as the same set.",
        _in_notation("executed_gtids"),
    ),
    Freedom(
        "relay",
        "letter case of what is written",
        "the letter case of `data`",
        "The bytes are the same.",
        differs_in_letter_case_alone,
    ),
    Freedom(
        "relay",
        "relay logs",
        "how many relay logs there are, so `log`, and the events with which the replica ends and begins them, within "
        "FORMAT-RELAY-LOG-BOUNDS and FORMAT-RELAY-OWN-GTIDS",
        "A replica begins another log when it likes.",
        lambda alignment, difference: any(
            each(alignment, difference) for each in (is_log_number, is_own_event, is_format_again, is_format_repeated)
        ),
    ),
    Freedom(
        "relay",
        "values of own events",
        "in the replica's own events: the time, the server version and what follows from it, such as the post-header "
        "lengths of events that the replica itself does not write, the position, but for "
        "that of a Rotate, which is its end or 0, the name of the next relay log, the order of the sources in the set; "
        "under `worklog` also whether they have the markers of their types, and whether the server id of the format "
        "description and of the Previous_gtids event is 0 or the replica's own",
        "They are the replica's own. WL#4162 leaves open whether a replica marks them, and the id 0 in WL#7592 is that "
        "of Rotate events.",
        is_own_value,
    ),
    Freedom(
        "relay",
        "warnings without a text",
        "`warning` at an event at which the shipped boundary parser fails and servers have no text for it, as for most "
        "events after an unsupported one",
        "The parser prints nothing there; the receiver logs that it has met an unexpected sequence of events.",
        is_warning_without_text,
    ),
    Freedom(
        "relay",
        "last GTID of a relay log",
        "under `worklog` and in MySQL 5.6, whether the Previous_gtids event of the next relay log has the GTID of the "
        "last transaction before it, also of one in which a connection was lost",
        "It may count when it is complete or when the next one begins; WL#7592 is silent. In MySQL 5.7 and later it "
        "counts when it is complete, in MySQL 5.6 when the next one or the source's next log begins.",
        differs_in_last_gtid_alone,
    ),
    Freedom(
        "relay",
        "checksums of relay logs",
        "whether events have checksums, as the format description before them in the relay log then announces; they "
        "must be right, and a relay log that a replica begins of its own accord has them if the log before it has",
        "A relay log can have checksums although the source has none, and the reverse.",
        differs_in_checksum_alone,
    ),
    Freedom(
        "relay",
        "own events that come back",
        "whether an event that comes back with the replica's own server id is written, and the warnings that follow",
        "It comes from the replica itself; WL#7592 is silent.",
        is_from_replica_itself,
    ),
    Freedom(
        "relay",
        "what stands for events left out",
        "whether a Rotate to their end follows the last events where these were left out, and in MariaDB, there too, a "
        "Gtid_list of all GTIDs that were left out, with the server id 0 and the flag `0x0020` or as the replica's own",
        "It depends on when the connection ends; in the midst of a stream there is none.",
        stands_for_left_out,
    ),
    Freedom(
        "relay",
        "stop at unknown events",
        "whether the receiver stops with an error at an event of an unknown type without the ignorable flag",
        "WL#4033 has a replica stop there, and does not say which of its threads does.",
        lambda alignment, difference: stops_at_unknown(alignment),
    ),
    Freedom(
        "relay",
        "lost connections",
        "whether a connection that is lost within an event is an error",
        "A receiver connects again; when it gives up is its own affair.",
        _is_lost_connection,
    ),
    Freedom(
        "apply",
        "notation of executed GTIDs",
        "the notation of `executed_gtids`: as that of `previous_gtids` in the role `decode`",
        "Servers accept all of these as the same set.",
        _in_notation("executed_gtids"),
    ),
    Freedom(
        "apply",
        "group position at ignored events",
        "whether the positions of the group move over an event of an unknown type outside of a group",
        "The worklog asks for the position of the event only; after a restart the event may be ignored again.",
        is_position_before_ignored,
    ),
    Freedom(
        "apply",
        "position of events of no log",
        "whether an event with the server id 0 or the replica's own, but no Rotate or format description, moves "
        "`source_log_pos`",
        "Replicas make no other events than these two; servers take the position of any other for one of the source.",
        is_position_of_no_log,
    ),
    Freedom(
        "apply",
        "group ends at implicit commit",
        "whether a group without a GTID ends at a statement in it that commits implicitly, such as CREATE TABLE",
        "Servers end the transaction there, as WL#7592 has it for statements; a reader of groups waits for the COMMIT.",
        ends_at_implicit_commit,
    ),
    Freedom(
        "apply",
        "spread of dropped tables",
        "how many DROP statements a DROP DATABASE that fails half way logs, each with its Anonymous_gtid event",
        "How the tables are spread over statements is up to the writer.",
        is_spread_of_drops,
    ),
    Freedom(
        "apply",
        "stop at BEGIN",
        "with gtid_mode=ON, after a group with a GTID in the same log of the source, whether the applier stops at the "
        "BEGIN of one without or at the event after it, but not under worklog, where it stops at the BEGIN",
        "WL#7592 checks BEGIN too; there servers leave it out.",
        stops_at_begin,
    ),
    Freedom(
        "apply",
        "entry of the failure",
        "whether there is an entry for the event at which the applier fails, or which it cannot read, if the error "
        "names it",
        "An applier may report an event when it is done with it.",
        _is_failed_entry,
    ),
    Freedom(
        "apply",
        "error numbers",
        "the number of an error, except where a DROP DATABASE cannot be logged",
        "The worklog gives no other number.",
        _is_error_number,
    ),
    Freedom(
        "apply",
        "replicas of 5.6.21 and 5.7.5",
        "without the ability `profile_strict`: whether replicas of 5.6.21 or older and of 5.7.5 "
        "or older stop at an Anonymous_gtid event",
        "Only these releases stop; an implementation of the profile need not be one of them.",
        _is_of_old_replica,
    ),
    Freedom(
        "log",
        "notation of Previous_gtids",
        "the order of the sources and tags in a Previous_gtids event",
        "Servers accept any as the same set; intervals that touch each other they refuse.",
        _in_notation("previous_gtids"),
    ),
    Freedom(
        "log",
        "wording of own statements",
        "the wording of statements that a server writes itself, and comments in them, but for BEGIN, COMMIT and "
        "ROLLBACK",
        "Versions spell DROP TABLE and CREATE TABLE differently; the meaning is compared, an IF EXISTS of a DROP "
        "included. By `BEGIN`, `COMMIT` and `ROLLBACK`, in upper case and alone, replicas know where transactions "
        "begin and end.",
        is_own_wording,
    ),
    Freedom(
        "log",
        "prefix of a statement's text",
        "whether the text of a Rows_query event begins with `# `, under worklog",
        "The bytes of the sample in WL#4033 have it, the code of its design writes the statement alone.",
        is_bare_text,
    ),
    Freedom(
        "log",
        "Xid or COMMIT",
        "whether a transaction ends with an Xid event or with a Query event, except that of a CREATE TABLE ... SELECT "
        "with tables info, which WL#40 ends with a Query event",
        "It depends on the engine.",
        is_end_by_engine,
    ),
    Freedom(
        "log",
        "notation of logged tables info",
        "the notation of `tables_info`: the default database written out or not, a table named again; of a DROP TABLE "
        "the order of the tables",
        "An empty name means the default database. A server writes the DROP TABLE of temporary tables itself, in an "
        "order of its own.",
        is_same_list,
    ),
    Freedom(
        "log",
        "flags of sessions",
        "in `flags` BINLOG_IN_USE of a format description, and THREAD_SPECIFIC and SUPPRESS_USE of a statement",
        "The worklogs are silent about them, and versions set them differently.",
        has_free_flags,
    ),
    Freedom(
        "log",
        "flags of rows",
        "the bits of `rows_flags`, except that of the last event of a statement",
        "They say how the session checked keys; no worklog names them.",
        is_rows_flag,
    ),
    Freedom(
        "log",
        "order of rows",
        "the order of the rows in a rows event",
        "The engine finds them in its own order.",
        is_rows_order,
    ),
    Freedom(
        "log",
        "division of rows",
        "how the rows of a statement on one table are divided among its rows events",
        "WL#4033 asks for one or more of them; whether `binlog_row_event_max_size` counts headers is left to servers.",
        is_division_of_rows,
    ),
    Freedom(
        "log",
        "order of tables",
        "the order of the Table_map and rows events of one statement that changes several tables, each rows event "
        "after the Table_map of its table",
        "The optimizer chooses the order in which it joins them, and a reader needs a Table_map before its rows only.",
        is_order_of_tables,
    ),
    Freedom(
        "log",
        "order of dropped tables",
        "which of the DROP TABLE statements of a DROP DATABASE that fails half way names a table; the order of those "
        "as which one DROP TABLE or the end of a session is logged, but for temporary tables before or after others",
        "Servers drop the tables in the order in which they read the directory; WL#7592 has one statement for each "
        "type of tables, and orders temporary and ordinary ones alone.",
        is_order_of_dropped,
    ),
    Freedom(
        "log",
        "checkpoints",
        "further Binlog_checkpoint events of MariaDB, but not within a group",
        "MariaDB writes them at any time, in a thread of its own.",
        is_checkpoint,
    ),
)
