"""Controls: correct implementations that read otherwise than the reference, as an interpretation allows.

Each is the reverse of a mutant: nobody may be blamed for it. The interpretations that leave a choice name their
controls in the catalogue, in `choice`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.errors import BinlogError
from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, PRE_GA_ROWS, EventType
from conformance.binlog.header import TYPE_AT
from conformance.binlog.reader import ReaderRules
from conformance.binlog.servers import server_of
from conformance.models.boundary.open_readings import PASSED_OVER, SPELLINGS, UNKNOWN_BY_CODE
from conformance.models.filtering.group_filter import Fate, GroupFilter
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.other_readings import AddsNewNames, MovesRules, SkipsTargets
from conformance.models.filtering.table_filter import RenamesMode, TableFilter
from conformance.models.replica.open_group import OpenGroup
from conformance.models.replica.other_readings import EndsAtImplicitCommit, MovesByEventsOfNoLog
from conformance.models.replica.relay import Receiver
from conformance.models.replica.relay_rules import OwnGtids, RelayRules
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.mutants.apply.faulty_applier import of as applied_by
from conformance.mutants.boundary.right_answers import (
    PassesOverSpare,
    ResetsAtSpare,
    has_spare_marker,
    in_own_words,
    parsed_by,
    read_as,
)
from conformance.mutants.log.right_answers import with_bare_texts, with_empty_groups
from conformance.mutants.mutant import Mutant, MutantDecoder
from conformance.mutants.render.right_answers import in_another_style
from conformance.protocol.observation import Observation, Refusal, Request, Trouble
from conformance.reference.filter import answer_with as filtered_by
from conformance.reference.filter import table_filter
from conformance.reference.implementation import ReferenceImplementation
from conformance.reference.relay import answer_with

Entry = Mapping[str, Any]
Answer = Callable[[Request], Observation | Trouble]
#: Changes an entry of a right answer; None leaves it out.
ChangeEntry = Callable[[Request, Entry], Entry | None]

_REFERENCE: Final = ReferenceImplementation()
_OF_GROUP: Final = frozenset({"group_relay_log_pos", "source_log", "source_log_pos"})


@dataclass(frozen=True, slots=True)
class Control:
    """A correct implementation of one role.

    Attributes:
        name: Its name, as the catalogue has it.
        role: The role.
        text: What it does otherwise than the reference.
        answer: Answers in its place.
    """

    name: str
    role: str
    text: str
    answer: Answer


def _entries(change: ChangeEntry) -> Answer:
    """Return the reference's answer with other entries."""

    def answer(request: Request) -> Observation | Trouble:
        seen = _REFERENCE.ask(request)
        if isinstance(seen, Trouble):
            return seen
        changed = (change(request, entry) for entry in seen.events)
        return replace(seen, events=tuple(entry for entry in changed if entry is not None))

    return answer


def _refusing(refuses: Callable[[Request, Entry], bool]) -> Answer:
    """Return the reference's answer up to the first event that is refused."""

    def answer(request: Request) -> Observation | Trouble:
        seen = _REFERENCE.ask(request)
        if isinstance(seen, Trouble):
            return seen
        for place, entry in enumerate(seen.events):
            if refuses(request, entry):
                error = Refusal(entry["offset"], "other", "this reader does not take such an event")
                return replace(seen, events=seen.events[:place], error=error)
        return seen

    return answer


# Decoding


def _immediate_for_original(request: Request, entry: Entry) -> Entry:
    """Return a Gtid event with the immediate values in the place of original ones that are not in it."""
    names = (
        ("original_commit_timestamp", "immediate_commit_timestamp"),
        ("original_server_version", "immediate_server_version"),
    )
    return {**entry, **{name: entry[other] for name, other in names if other in entry and entry.get(name) is None}}


def _zero_timestamps(request: Request, entry: Entry) -> Entry:
    names = ("last_committed", "sequence_number")
    return {**entry, **{name: 0 for name in names if entry["type"] in GTID_TYPES and entry.get(name) is None}}


def _resolved_databases(request: Request, entry: Entry) -> Entry:
    if not entry.get("tables_info"):
        return entry
    database = entry["database"].replace("`", "``")
    return {**entry, "tables_info": entry["tables_info"].replace("``.", f"`{database}`.")}


def _without_gtid(request: Request, entry: Entry) -> Entry:
    if entry["type"] != EventType.ANONYMOUS_GTID:
        return entry
    return {name: value for name, value in entry.items() if name != "gtid"}


def _at_whole_groups(request: Request) -> Observation | Trouble:
    """Return the answer of a reader whose position moves where a group ends, and over events that are in none."""
    group, answer = OpenGroup(), _REFERENCE.ask(request)
    if isinstance(answer, Trouble):
        return answer
    entries = []
    for entry in answer.events:
        begun = group.after(entry)
        entries.append({**entry, "position": begun[0]} if begun and "position" in entry else entry)
    return replace(answer, events=tuple(entries))


def _skips_uncovered(request: Request) -> Observation | Trouble:
    """Return the answer of a reader that skips every ignorable event, also of codes that servers refuse."""

    def every_code(rules: ReaderRules) -> ReaderRules:
        return replace(rules, beyond_format_description=rules.ignorable, highest_type=255)

    return MutantDecoder(Mutant("", "WL4033-READ-UNKNOWN-ANY-CODE", "", rules=every_code)).answer(request)


def _refuses_uncovered(request: Request) -> Observation | Trouble:
    """Return the answer of a reader that refuses ignorable events of codes that the format description lacks."""

    def declared_codes(rules: ReaderRules) -> ReaderRules:
        return replace(rules, beyond_format_description=False)

    return MutantDecoder(Mutant("", "WL4033-READ-UNKNOWN-ANY-CODE", "", rules=declared_codes)).answer(request)


def _signed_code(request: Request) -> Observation | Trouble:
    """Return the answer of a reader that takes type codes from a signed character in its message."""
    seen = _REFERENCE.ask(request)
    if isinstance(seen, Trouble) or seen.error is None or seen.error.at is None or request.profile != "worklog":
        return seen
    # A log can end before the type of its last event.
    (code,) = request.stream[seen.error.at + TYPE_AT :][:1] or (0,)
    message = seen.error.message.replace(f"code: {code}", f"code: {code - 256}") if code > 127 else seen.error.message
    return replace(seen, error=replace(seen.error, message=message))


# Senders


def _with_renewed_checksum(request: Request, entry: Entry) -> Entry:
    data = bytes.fromhex(entry["data"])
    if data[TYPE_AT] != EventType.FORMAT_DESCRIPTION:
        return entry
    kept = data[:-CHECKSUM_BYTES]
    return {"data": (kept + checksum(kept).to_bytes(CHECKSUM_BYTES, "little")).hex()}


# Replicas


class _KeepsItsOwn(Receiver):
    """A receiver that writes events with its own server id, which come back to it."""

    def _reception(self, event: ReplicaEvent) -> Any:
        came_back = event.server_id == self.settings.server_id
        return super()._reception(replace(event, server_id=event.server_id + came_back))


class _GtidsInEveryMode(Receiver):
    """A receiver of 5.6 whose relay logs have a Previous_gtids event in every gtid_mode."""

    def _rules(self) -> RelayRules:
        rules = super()._rules()
        with_mode = rules.previous_gtids is OwnGtids.WITH_GTID_MODE
        return replace(rules, previous_gtids=OwnGtids.ALWAYS) if with_mode else rules


class _OneRelayLog(Receiver):
    """A receiver that goes on in the same relay log."""

    def _rotate(self) -> None:
        """Begin no other log."""


class _StopsAtUnknown(Receiver):
    """A receiver that stops with an error at an event that it does not know and must not ignore."""

    def receive(self, event: ReplicaEvent, data: bytes) -> Any:
        skips = event.ignorable and server_of(self.settings.profile).rules.ignorable
        if not event.recognised and not skips:
            raise BinlogError(at=event.offset, kind="unknown-event", message=f"Unknown event code: {event.type}")
        return super().receive(event, data)


def _received_by(receiver: Any) -> Answer:
    return lambda request: answer_with(receiver, request)


# Appliers


def _drop_per_table(request: Request, entry: Entry) -> Entry:
    names = ("logged_statements", "logged_anonymous_gtids")
    if not entry.get("logged_anonymous_gtids"):
        return entry  # One statement that keeps the GTID of DROP DATABASE.
    return {**entry, **{name: entry[name] + 1 for name in names if entry.get(name)}}


class _GroupStart:
    """An applier whose group position stays at the group's start after an event that it ignores."""

    def __call__(self, request: Request) -> Observation | Trouble:
        """Return the reference's answer with the group positions of before each ignored event."""
        seen = _REFERENCE.ask(request)
        if isinstance(seen, Trouble):
            return seen
        events: list[Entry] = []
        kept: dict[str, Any] = {}
        for place, entry in enumerate(seen.events):
            before = seen.events[max(place - 1, 0)]
            for name in _OF_GROUP & entry.keys():
                if entry["outcome"] != "ignored" and entry[name] != before[name]:
                    kept[name] = entry[name]
                elif entry["outcome"] == "ignored":
                    kept.setdefault(name, before[name])
                elif place == 0:
                    kept[name] = entry[name]
            events.append({**entry, **kept})
        return replace(seen, events=tuple(events))


# Printed logs


def _warned_in_text(request: Request, entry: Entry) -> Entry:
    if not entry.get("warnings"):
        return entry
    return {**entry, "warnings": "", "text": f"{entry['text']}{entry['warnings']}\n"}


def _without_unknown_comments(request: Request, entry: Entry) -> Entry:
    return (
        {**entry, "text": entry["text"].replace("# Unrecognized ignorable event\n", "")} if "text" in entry else entry
    )


def _with_more_flags(request: Request, entry: Entry) -> Entry:
    if not str(entry.get("info", "")).endswith(" flags: STMT_END_F"):
        return entry
    return {**entry, "info": f"{entry['info']} USE_SQL_FOREIGN_KEY_F"}


# Filters


def _filtered_in(mode: RenamesMode, kind: type[TableFilter]) -> Answer:
    """Return the answer of another filter to the questions in one mode of renamings."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        plain = table_filter(settings)
        return kind(plain.rules, renames=mode) if settings["renames"] == mode else plain

    return lambda request: filtered_by(request, tables=tables)


def _without_tables(event: Event, part: LogPart) -> LogPart:
    """Return what part of a log an event is, its tables empty for a statement without tables info."""
    listed = part.part is not Part.STATEMENT or "tables_info" in event.fields()
    return part if listed else replace(part, tables=(), statement=None)


class KeepsEmptyXa(GroupFilter):
    """A filter of events that keeps the statements of an XA transaction of which nothing passes."""

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        is_xa = bool(self._xa)
        group = super().finish()
        if is_xa and not any(fate.kept for fate in group):
            self._dropped_xa.clear()
            for fate in group:
                fate.kept = fate.part.part in _OF_EMPTY_XA
        return group


#: What is left of an XA transaction of which nothing passes.
_OF_EMPTY_XA: Final = frozenset({Part.MARKER, Part.BEGIN, Part.MEMBER, Part.END})


class KeepsStatement(GroupFilter):
    """A filter of events that keeps a Rows_query if any of its rows are kept."""

    def _end_rows(self) -> None:
        context, some_rows = self._context, any(each.kept for each in self._rows.rows)
        super()._end_rows()
        for fate in context if some_rows else ():
            fate.kept = True


#: Every control, by role.
CONTROLS: Final = (
    Control(
        "ignorable-events-unreported",
        "decode",
        "reports no event that it skips",
        _entries(lambda request, entry: None if entry["handled"] == "ignored" else entry),
    ),
    Control(
        "immediate-for-original",
        "decode",
        "reports the immediate commit timestamp and version where the event has no original ones",
        _entries(_immediate_for_original),
    ),
    Control(
        "zero-for-no-timestamps", "decode", "reports absent logical timestamps as zero", _entries(_zero_timestamps)
    ),
    Control(
        "databases-resolved", "decode", "reports tables info with the default database", _entries(_resolved_databases)
    ),
    Control("no-gtid-of-anonymous", "decode", "reports no GTID of an Anonymous_gtid event", _entries(_without_gtid)),
    Control("position-of-groups", "decode", "resumes at whole groups only", _at_whole_groups),
    Control(
        "heartbeats-refused",
        "decode",
        "refuses heartbeats, which no file holds",
        _refusing(lambda request, entry: entry["type"] in (EventType.HEARTBEAT, EventType.HEARTBEAT_V2)),
    ),
    Control(
        "beta-rows-refused",
        "decode",
        "refuses rows events of betas",
        _refusing(lambda request, entry: entry["type"] in PRE_GA_ROWS),
    ),
    Control(
        "uncovered-types-skipped", "decode", "skips ignorable events of codes that servers refuse", _skips_uncovered
    ),
    Control(
        "uncovered-types-refused",
        "decode",
        "refuses ignorable events of codes that the format description lacks, as servers do",
        _refuses_uncovered,
    ),
    Control("code-as-signed", "decode", "names the type code as a signed number in its message", _signed_code),
    Control("spare-passed-over", "boundary", "passes over events with spare markers", parsed_by(PassesOverSpare)),
    Control("spare-resets", "boundary", "begins again after an event with a spare marker", parsed_by(ResetsAtSpare)),
    Control("spare-refused", "boundary", "refuses an event with a spare marker", _refusing(has_spare_marker)),
    Control(
        "later-types-passed-over",
        "boundary",
        "guesses Ignore for flagged events of the types that WL#4162 does not name",
        read_as(PASSED_OVER),
    ),
    Control(
        "type-zero-by-code",
        "boundary",
        "guesses Self Contained for type 0, whatever its flags",
        read_as(UNKNOWN_BY_CODE),
    ),
    Control("own-words", "boundary", "has a text of its own for each error that has none", _entries(in_own_words)),
    Control(
        "format-checksum-renewed",
        "send",
        "renews the checksum of a format description that announces none",
        _entries(_with_renewed_checksum),
    ),
    Control(
        "words-in-any-spelling",
        "boundary",
        "takes every spelling of BEGIN, COMMIT and ROLLBACK for the word",
        read_as(SPELLINGS),
    ),
    Control("own-events-written", "relay", "writes events with its own server id", _received_by(_KeepsItsOwn)),
    Control(
        "gtids-in-every-mode",
        "relay",
        "begins relay logs of 5.6 with a Previous_gtids event whatever gtid_mode is",
        _received_by(_GtidsInEveryMode),
    ),
    Control("one-relay-log", "relay", "goes on in the same relay log", _received_by(_OneRelayLog)),
    Control(
        "receiver-stops-at-unknown",
        "relay",
        "stops with an error at an event that it does not know and must not ignore",
        _received_by(_StopsAtUnknown),
    ),
    Control("position-at-group-start", "apply", "keeps the group position at an ignored event", _GroupStart()),
    Control(
        "position-of-no-log",
        "apply",
        "takes the position of an event with the server id 0 or its own",
        applied_by(MovesByEventsOfNoLog),
    ),
    Control(
        "group-ends-at-implicit-commit",
        "apply",
        "ends a group without a GTID at a statement that commits implicitly",
        applied_by(EndsAtImplicitCommit),
    ),
    Control("drop-per-table", "apply", "logs more DROP statements of fewer tables", _entries(_drop_per_table)),
    Control(
        "new-names-added",
        "filter",
        "adds the new name of a renamed table to the rules, and keeps the old one there",
        _filtered_in("identity", AddsNewNames),
    ),
    Control(
        "rules-moved",
        "filter",
        "moves a rule to the new name of a renamed table, and leaves the old name without it",
        _filtered_in("identity", MovesRules),
    ),
    Control(
        "statements-without-list-kept",
        "filter",
        "keeps every statement without tables info",
        lambda request: filtered_by(request, part=_without_tables),
    ),
    Control(
        "targets-skipped",
        "filter",
        "does not judge names that came from an earlier renaming, as section 4.2 has it for one statement",
        _filtered_in("list", SkipsTargets),
    ),
    Control(
        "statement-with-some-rows",
        "filter",
        "keeps a Rows_query if any of its rows are kept",
        lambda request: filtered_by(request, groups=KeepsStatement),
    ),
    Control(
        "empty-xa-kept",
        "filter",
        "keeps the statements of an XA transaction of which nothing passes",
        lambda request: filtered_by(request, groups=KeepsEmptyXa),
    ),
    Control(
        "empty-create-select-group",
        "log",
        "logs a second, empty transaction for a CREATE TABLE ... SELECT without rows",
        with_empty_groups,
    ),
    Control("bare-rows-query", "log", "writes the text of a statement without '# ' before it", with_bare_texts),
    Control("warnings-in-text", "render", "prints the warnings of WL#4162 within the text", _entries(_warned_in_text)),
    Control(
        "no-unknown-comment", "render", "prints no comment for an unknown event", _entries(_without_unknown_comments)
    ),
    Control(
        "printed-in-another-style",
        "render",
        "prints hours, delimiters, empty lines, base64, its last words and GTIDs in another style",
        _entries(in_another_style),
    ),
    Control("more-flags-named", "render", "names further flags of rows in Info", _entries(_with_more_flags)),
)
