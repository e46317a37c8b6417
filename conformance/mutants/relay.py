"""The mutants of the role `relay`: the model of a receiver with one fault each."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import KNOWN_TYPES, ROWS_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER, HEADER_BYTES, TYPE_AT
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.replica.relay import NewFeed, Receiver, Reception, RelaySettings
from conformance.models.replica.relay_rules import OwnGtids, RelayRules
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.mutants.faulty_receivers import (
    passing_over_spoilt,
    passing_over_spoilt_of_ignored,
    refusing_malformed,
    unverified,
    unverified_descriptions,
    writing_parts,
)
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.reference.relay import answer_with

_FAR: Final = 1_000_000
_ARTIFICIAL: Final = 0x20
#: The bytes of a format description with its time of creation.
_CREATED: Final = slice(HEADER_BYTES + 52, HEADER_BYTES + 56)
_RECEIVED: Final = {int(EventType.QUERY)}


class _DropsIgnorable(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.LEFT_OUT if not event.recognised else super()._reception(event)


class _KeepsParserOnReconnect(Receiver):
    def _connect(self) -> None:
        """Go on with the parser of the connection before."""
        feed = self._feed
        super()._connect()
        self._feed = feed


class _TakesIgnored(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        # The ids to be ignored are asked for once, at the first of them.
        ids = self.settings.ignored_ids
        last = event.server_id == max(ids, default=None)
        return Reception.WRITTEN if last and not event.next_file else super()._reception(event)


class _TakesUnknownOfIgnored(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        unknown = event.server_id in self.settings.ignored_ids and not event.recognised and event.ignorable
        return Reception.WRITTEN if unknown else super()._reception(event)


class _WritesOtherSets(Receiver):
    """The sets of its relay logs may be others than those that it keeps."""

    def _written(self, received: GtidSet) -> GtidSet:
        """Return the set of the next relay log."""
        return received

    def _open(self, *, created: int) -> None:
        received = self._retrieved
        self._retrieved = ExecutedGtids(self._written(received.gtids()))
        super()._open(created=created)
        self._retrieved = received


class _KeepsFirstSet(_WritesOtherSets):
    """Every relay log from the third on has the Previous_gtids of the second."""

    def _written(self, received: GtidSet) -> GtidSet:
        if len(self._logs) == 1:
            self._of_second = received
        return self._of_second if self._logs else received


class _LosesTagged(_WritesOtherSets):
    def _written(self, received: GtidSet) -> GtidSet:
        return GtidSet(tuple(each for each in received.sources if not each.tag))


class _ClosesGaps(_WritesOtherSets):
    def _written(self, received: GtidSet) -> GtidSet:
        closed = ExecutedGtids(received)
        for source in received.sources:
            for before, after in pairwise(source.intervals):
                if after.start == before.end + 1:
                    closed.add(source.uuid, source.tag, before.end)
        return closed.gtids()


class _ForgetsAtConnection(Receiver):
    def _connect(self) -> None:
        super()._connect()
        self._retrieved = ExecutedGtids(GtidSet())


class _RetrievesAtUsualEnds(Receiver):
    """A receiver for which a transaction that is prepared, or in a payload, is complete when the next one begins."""

    def _follow(self, event: ReplicaEvent) -> None:
        is_other = event.type in (EventType.XA_PREPARE, EventType.TRANSACTION_PAYLOAD)
        kept = self._gtid
        if is_other:
            self._gtid = ""
        super()._follow(event)
        self._gtid = kept if is_other else self._gtid


class _IgnoresOnce(Receiver):
    """A receiver that has forgotten after a lost connection whom it is to ignore."""

    def _connect(self) -> None:
        super()._connect()
        self.settings = replace(self.settings, ignored_ids=frozenset())


class _KeepsIdsInBytes(Receiver):
    def __init__(self, settings: RelaySettings, new_feed: NewFeed) -> None:
        ids = frozenset(each & 0xFF for each in settings.ignored_ids)
        super().__init__(replace(settings, ignored_ids=ids), new_feed)


class _ResetsAtFormats(Receiver):
    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        if event.type == EventType.FORMAT_DESCRIPTION:
            self._feed = self._new_feed()
        return super().receive(event, data)


class _KeepsSourcesGtids(Receiver):
    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if event.type == EventType.PREVIOUS_GTIDS:
            self._retrieved.add_set(GtidSet.from_text(event.fields.get("previous_gtids", "")))


class _RetrievesLate(Receiver):
    """A receiver that counts a transaction when the next one begins, which servers from 5.7 on do not do."""

    def _rules(self) -> RelayRules:
        rules = super()._rules()
        return rules if self.settings.profile == "worklog" else replace(rules, retrieves_at_end=False)


class _RetrievesEarly(Receiver):
    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if self._gtid:
            self._retrieved.add(*gtid_parts(self._gtid))


class _DropsUnknown(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        refused = not event.recognised and not event.ignorable
        return Reception.LEFT_OUT if refused else super()._reception(event)


class _WritesFlagged(Receiver):
    def leaves_out(self, event: ReplicaEvent) -> bool:
        return super().leaves_out(event) and (not event.ignorable or _is_replaced(event))


class _WritesMysqlGtids(Receiver):
    def leaves_out(self, event: ReplicaEvent) -> bool:
        return super().leaves_out(event) and (event.ignorable or _is_replaced(event))


def _is_replaced(event: ReplicaEvent) -> bool:
    """Return whether an event that is not left out is replaced by a Rotate, which is another fault."""
    return event.type == EventType.PREVIOUS_GTIDS


class _DropsRows(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.LEFT_OUT if event.type in ROWS_TYPES else super()._reception(event)


class _DropsFirstText(Receiver):
    """Loses a Rows_query event that comes first in a relay log."""

    _is_new = False

    def _open(self, *, created: int) -> None:
        super()._open(created=created)
        self._is_new = True

    def _reception(self, event: ReplicaEvent) -> Reception:
        is_first, self._is_new = self._is_new, False
        lost = is_first and event.type == EventType.ROWS_QUERY
        return Reception.LEFT_OUT if lost else super()._reception(event)


class _ReplacesNothing(Receiver):
    def _replace(self, event: ReplicaEvent) -> None:
        """Write no Rotate with the source's position in the place of an event that is left out."""


class _CopiesPreviousGtids(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.WRITTEN if event.type == EventType.PREVIOUS_GTIDS else super()._reception(event)


class _FeedsAll(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        reception = super()._reception(event)
        if reception is not Reception.WRITTEN:
            self._warning(event)
        return reception


class _KeepsParser(Receiver):
    def __init__(self, settings: RelaySettings, new_feed: NewFeed) -> None:
        super().__init__(settings, new_feed)
        # The previous connection was cut inside a transaction.
        for event in (
            ReplicaEvent(offset=0, type=int(EventType.ANONYMOUS_GTID), length=0, gtid="ANONYMOUS"),
            ReplicaEvent(offset=0, type=int(EventType.QUERY), length=0, query="BEGIN"),
        ):
            self._warning(event)


class _FeedsIgnored(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        reception = super()._reception(event)
        if reception is Reception.LEFT_OUT and event.server_id in self.settings.ignored_ids:
            self._warning(event)
        return reception


class _CountsCutOff(Receiver):
    """A receiver that takes a transaction as received when the connection is lost within it."""

    def _connect(self) -> None:
        gtid = self._gtid
        super()._connect()
        self._gtid = gtid


class _KeepsTimeOfStart(Receiver):
    """A receiver that goes on in the next relay log with the source's format description as it was received."""

    def rotate(self, *, timestamp: int | None = None) -> None:
        before = len(self.events)
        super().rotate(timestamp=timestamp)
        last = self.events[-1]
        if self._source_format is not None and len(self.events) > before and last.flags & _ARTIFICIAL:
            made = bytearray(last.data)
            made[_CREATED] = self._source_format[_CREATED]
            if self._algorithm is not None:
                made[-CHECKSUM_BYTES:] = checksum(made[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
            self.events[-1] = last._replace(data=bytes(made))


class _LeavesOutWarned(Receiver):
    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        reception = super().receive(event, data)
        if self.events[-1].warning:
            del self.events[-1]
        return reception


class _WritesNewHeartbeats(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.WRITTEN if event.type == EventType.HEARTBEAT_V2 else super()._reception(event)


class _IgnoresRotates(Receiver):
    def _reception(self, event: ReplicaEvent) -> Reception:
        ignored = event.type == EventType.ROTATE and event.server_id in self.settings.ignored_ids
        return Reception.LEFT_OUT if ignored else super()._reception(event)


class _FollowsLoggedRotates(Receiver):
    """A receiver that learns the name of the source's next log from the Rotate of the log alone."""

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        name = self._source_log
        super()._note(event, data)
        if event.artificial:
            self._source_log = name


class _CopiesLaterPreviousGtids(Receiver):
    """A receiver that goes on in the same relay log, and skips the Previous_gtids event of the first log alone."""

    def _rotate(self) -> None:
        """Begin no other relay log at a Rotate."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        reception = super()._reception(event)
        later = reception is Reception.REPLACED and any(each.source is not None for each in self.events[:-1])
        return Reception.WRITTEN if later else reception


class _NoOwnPreviousGtids(Receiver):
    def _rules(self) -> RelayRules:
        return replace(super()._rules(), previous_gtids=OwnGtids.NEVER)


class _OwnIdEverywhere(Receiver):
    def _rules(self) -> RelayRules:
        return replace(super()._rules(), own_id_zero=False)


def _of(receiver: Callable[[RelaySettings, NewFeed], Receiver]) -> Callable[[Request], Observation]:
    """Return the answer of a faulty receiver."""
    return lambda request: answer_with(receiver, request)


def _changing(change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Callable[[Request], Observation]:
    """Return the answer with each entry changed."""

    def answer(request: Request) -> Observation:
        observed = answer_with(Receiver, request)
        return replace(observed, events=tuple(map(change, observed.events)))

    return answer


def _with_header(entry: Mapping[str, Any], **changed: int) -> Mapping[str, Any]:
    data = bytes.fromhex(entry["data"])
    names = ("timestamp", "type", "server_id", "length", "log_pos", "flags")
    header = dict(zip(names, HEADER.unpack(data[:HEADER_BYTES]), strict=True)) | changed
    return {**entry, "data": (HEADER.pack(*header.values()) + data[HEADER_BYTES:]).hex()}


def _header(entry: Mapping[str, Any]) -> tuple[int, ...]:
    return HEADER.unpack(bytes.fromhex(entry["data"])[:HEADER_BYTES])


def _marks_guesses(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    _, code, _, _, _, flags = _header(entry)
    if code not in _RECEIVED or MARKER_BITS.read(flags) is not BoundaryType.NOT_DEFINED:
        return entry
    return _with_header(entry, flags=MARKER_BITS.write(flags, BoundaryType.SELF_CONTAINED))


def _spoils_ends(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Change the last byte of each Query event: of its checksum, or of its statement."""
    data = bytes.fromhex(entry["data"])
    return {**entry, "data": (data[:-1] + bytes([data[-1] ^ 1])).hex()} if data[TYPE_AT] == EventType.QUERY else entry


def _moves_rotates(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    _, code, server_id, _, log_pos, flags = _header(entry)
    own = code == EventType.ROTATE and (server_id == 0 or flags & 0x40)
    return _with_header(entry, log_pos=log_pos + _FAR) if own else entry


def _silent(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**entry, "warning": ""}


def _rewords(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    before, between, _ = entry["warning"].partition(" to ")
    return {**entry, "warning": f"{before} to {before.rpartition(' from ')[2]}."} if between else entry


def _clears_ignorable(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    _, code, _, _, _, flags = _header(entry)
    unknown = code not in KNOWN_TYPES and flags & 0x80
    return _with_header(entry, flags=flags & ~0x80) if unknown else entry


def _stops_at_warning(request: Request) -> Observation:
    observed = answer_with(Receiver, request)
    for index, entry in enumerate(observed.events):
        if entry["warning"]:
            return Observation(observed.events[: index + 1], Refusal(None, "other", entry["warning"]))
    return observed


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "relay-ignorable-dropped",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "does not write ignorable events of unknown types",
        answer=_of(_DropsIgnorable),
    ),
    Mutant(
        "relay-ignorable-unflagged",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "clears the ignorable flag of events of unknown types",
        answer=_changing(_clears_ignorable),
    ),
    Mutant(
        "relay-query-checksum",
        "WL4033-RELAY-EVENTS-AS-USUAL",
        "the last byte of copied Query events is changed",
        answer=_changing(_spoils_ends),
    ),
    Mutant(
        "relay-rows-dropped",
        "WL4033-RELAY-EVENTS-AS-USUAL",
        "does not write rows events",
        answer=_of(_DropsRows),
    ),
    Mutant(
        "relay-first-text-dropped",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "does not write a Rows_query event that comes first in a relay log",
        answer=_of(_DropsFirstText),
    ),
    Mutant(
        "relay-unknown-dropped",
        "WL4033-RELAY-UNKNOWN-NOT-LOST",
        "does not write events of unknown types without the ignorable flag",
        answer=_of(_DropsUnknown),
    ),
    Mutant(
        "relay-retrieved-at-usual-ends",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts a transaction that is prepared, or in a payload, only when the next one begins",
        answer=_of(_RetrievesAtUsualEnds),
    ),
    Mutant(
        "relay-ignores-once",
        "FORMAT-RELAY-IGNORED",
        "writes the events of servers to be ignored after the connection was lost",
        answer=_of(_IgnoresOnce),
    ),
    Mutant(
        "relay-replacement-missing",
        "FORMAT-RELAY-EVENT",
        "writes no Rotate in the place of the source's Previous_gtids event",
        answer=_of(_ReplacesNothing),
    ),
    Mutant(
        "relay-guess-marked",
        "WL4162-TT-GUESS-LEAVES-BYTES",
        "writes the guessed boundary type into the event",
        answer=_changing(_marks_guesses),
    ),
    Mutant(
        "relay-parser-not-reset",
        "WL4162-RESET-RECEIVER-LOOP",
        "continues with the parser of the previous connection",
        answer=_of(_KeepsParser),
    ),
    Mutant(
        "relay-parser-kept-on-reconnect",
        "WL4162-RESET-RECEIVER-LOOP",
        "continues with the parser after a reconnect",
        answer=_of(_KeepsParserOnReconnect),
    ),
    Mutant(
        "relay-flagged-written",
        "FORMAT-RELAY-MARIADB-LEFT-OUT",
        "writes events with the ignorable flag as MySQL does",
        answer=_of(_WritesFlagged),
    ),
    Mutant(
        "relay-mysql-gtids-written",
        "FORMAT-RELAY-MARIADB-LEFT-OUT",
        "writes the Gtid events of MySQL that have no flag",
        answer=_of(_WritesMysqlGtids),
    ),
    Mutant(
        "relay-ignored-id-written",
        "FORMAT-RELAY-IGNORED",
        "writes the events of one server of those to be ignored",
        answer=_of(_TakesIgnored),
    ),
    Mutant(
        "relay-unknown-of-ignored-id-written",
        "FORMAT-RELAY-IGNORED",
        "writes the unknown ignorable events of servers to be ignored",
        answer=_of(_TakesUnknownOfIgnored),
    ),
    Mutant(
        "relay-previous-gtids-of-second-log",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "begins every relay log from the third on with the Previous_gtids of the second",
        answer=_of(_KeepsFirstSet),
    ),
    Mutant(
        "relay-sources-gtids-as-retrieved",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "puts the source's Previous_gtids into its own",
        answer=_of(_KeepsSourcesGtids),
    ),
    Mutant(
        "relay-last-gtid-missing",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts a transaction as received only when the next one begins",
        answer=_of(_RetrievesLate),
    ),
    Mutant(
        "relay-unfinished-gtid-counted",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts a transaction as received when it begins",
        answer=_of(_RetrievesEarly),
    ),
    Mutant(
        "relay-warning-in-other-words",
        "WL4162-RELAY-WARN-TEXT",
        "names the same type twice in its warnings",
        answer=_changing(_rewords),
    ),
    Mutant("relay-warning-missing", "WL4162-WARN-RECEIVER", "does not warn", answer=_changing(_silent)),
    Mutant(
        "relay-stops-at-warning",
        "WL4162-WARN-RECEIVER",
        "stops with an error where it should warn",
        answer=_stops_at_warning,
    ),
    Mutant(
        "relay-warned-event-left-out",
        "WL4162-RELAY-KEEPS-EVENTS",
        "does not write an event that causes a warning",
        answer=_of(_LeavesOutWarned),
    ),
    Mutant(
        "relay-parser-fed-all",
        "WL4162-RELAY-FEEDS-QUEUED",
        "feeds the parser events that it does not write",
        answer=_of(_FeedsAll),
    ),
    Mutant(
        "relay-parser-fed-ignored",
        "WL4162-RELAY-FEEDS-QUEUED",
        "feeds the parser the events of servers that are to be ignored",
        answer=_of(_FeedsIgnored),
        also=("WL4162-RESET-RECEIVER-LOOP",),
    ),
    Mutant(
        "relay-cut-off-group-counted",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes a transaction as received in which the connection was lost",
        answer=_of(_CountsCutOff),
    ),
    Mutant(
        "relay-next-format-created",
        "FORMAT-RELAY-EVENT",
        "goes on in the next relay log with the time of the source's start in its format description",
        answer=_of(_KeepsTimeOfStart),
    ),
    Mutant(
        "relay-no-previous-gtids",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "begins its relay logs without a Previous_gtids event",
        answer=_of(_NoOwnPreviousGtids),
    ),
    Mutant(
        "relay-tagged-gtids-lost",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "leaves out the GTIDs with tags in the Previous_gtids events of its relay logs",
        answer=_of(_LosesTagged),
    ),
    Mutant(
        "relay-closes-gaps",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "takes the GTIDs before and after a missing one for one interval in the sets of its relay logs",
        answer=_of(_ClosesGaps),
    ),
    Mutant(
        "relay-gtids-of-connection",
        "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "counts only the GTIDs that it has received on the last connection",
        answer=_of(_ForgetsAtConnection),
    ),
    Mutant(
        "relay-ids-in-one-byte",
        "FORMAT-RELAY-IGNORED",
        "keeps the lowest byte of the server ids that are to be ignored",
        answer=_of(_KeepsIdsInBytes),
    ),
    Mutant(
        "relay-parser-reset-by-format",
        "WL4162-WARN-RECEIVER",
        "resets the parser at each format description",
        answer=_of(_ResetsAtFormats),
    ),
    Mutant(
        "relay-previous-gtids-copied",
        "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED",
        "writes the source's Previous_gtids events",
        answer=_of(_CopiesPreviousGtids),
    ),
    Mutant(
        "relay-later-previous-gtids-copied",
        "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED",
        "writes the Previous_gtids events of the source's logs after the first",
        answer=_of(_CopiesLaterPreviousGtids),
    ),
    Mutant(
        "relay-new-heartbeats-written",
        "FORMAT-RELAY-EVENT",
        "writes heartbeats of the second version",
        answer=_of(_WritesNewHeartbeats),
    ),
    Mutant(
        "relay-rotate-of-ignored-dropped",
        "WL4033-RELAY-EVENTS-AS-USUAL",
        "does not write the Rotate events of servers that are to be ignored",
        answer=_of(_IgnoresRotates),
    ),
    Mutant(
        "relay-name-of-crashed-source",
        "FORMAT-RELAY-EVENT",
        "keeps the name of the source's log that ends without a Rotate",
        answer=_of(_FollowsLoggedRotates),
    ),
    Mutant(
        "relay-checksums-unverified",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "writes events whose checksum is wrong",
        answer=unverified,
    ),
    Mutant(
        "relay-descriptions-unverified",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "writes format descriptions whose checksum is wrong",
        answer=unverified_descriptions,
    ),
    Mutant(
        "relay-spoilt-event-left-out",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "leaves out an event whose checksum is wrong, and goes on",
        answer=passing_over_spoilt,
    ),
    Mutant(
        "relay-spoilt-event-of-ignored",
        "FORMAT-RELAY-CHECKSUM-WRONG",
        "does not look at the checksums of events of servers that are to be ignored",
        answer=passing_over_spoilt_of_ignored,
    ),
    Mutant(
        "relay-part-written",
        "FORMAT-RELAY-WHOLE-EVENTS",
        "writes the part of an event that has arrived when the connection is lost",
        answer=writing_parts,
    ),
    Mutant(
        "relay-malformed-refused",
        "FORMAT-RELAY-BODIES-UNREAD",
        "reads the bodies of all events, and stops at a malformed one",
        answer=refusing_malformed,
    ),
    Mutant(
        "relay-rotate-position",
        "WL7592-RELAY-ROTATE-OWN-POSITION",
        "gives its own Rotate events end positions that are not in the relay log",
        answer=_changing(_moves_rotates),
    ),
    Mutant(
        "relay-own-server-id",
        "WL7592-RELAY-OWN-EVENTS-SERVER-ID-ZERO",
        "writes its own server id into its own events",
        answer=_of(_OwnIdEverywhere),
    ),
)
