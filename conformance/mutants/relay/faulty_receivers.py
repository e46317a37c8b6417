"""Receivers with one fault each: what they write, feed to their boundary parser, count and keep."""

from collections.abc import Container
from dataclasses import replace
from itertools import pairwise
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import FLAGS_AT, HEADER_BYTES
from conformance.models.replica.groups import State
from conformance.models.replica.relay import NewFeed, Receiver, Reception, RelaySettings
from conformance.models.replica.relay_rules import OwnGtids, RelayRules
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.transaction_table import ANONYMOUS

_ARTIFICIAL: Final = 0x20
#: The bytes of a format description with its time of creation.
_CREATED: Final = slice(HEADER_BYTES + 52, HEADER_BYTES + 56)


class DropsIgnorable(Receiver):
    """A receiver that does not write ignorable events of unknown types."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.LEFT_OUT if not event.recognised else super()._reception(event)


class DropsExtended(Receiver):
    """A receiver that does not write extended Query events."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.LEFT_OUT if "tables_info" in event.fields else super()._reception(event)


class KeepsParserOnReconnect(Receiver):
    """A receiver that continues with the parser after a reconnect."""

    def _connect(self) -> None:
        """Go on with the parser of the connection before."""
        feed = self._feed
        super()._connect()
        self._feed = feed


class RenewsFirstFormat(Receiver):
    """A receiver whose next relay logs go on with the first format description that it has received."""

    _first: bytes | None = None

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if event.type == EventType.FORMAT_DESCRIPTION:
            self._source_format = self._first = self._first or data


class RepeatsWithoutFlags(Receiver):
    """A receiver whose next relay logs go on with the source's format description without its flags."""

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if event.type == EventType.FORMAT_DESCRIPTION:
            self._source_format = data[:FLAGS_AT] + bytes(2) + data[FLAGS_AT + 2 :]


class KeepsFormatOfConnection(Receiver):
    """A receiver that keeps the format description of its first connection over those that follow."""

    _kept: bytes | None = None
    _is_first = True

    def _connect(self) -> None:
        super()._connect()
        self._is_first = False

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if event.type == EventType.FORMAT_DESCRIPTION:
            self._kept = data if self._is_first else self._kept
            self._source_format = self._kept


class ReplacesUnlessFlushed(Receiver):
    """A receiver that writes nothing in the place of a Previous_gtids event once a relay log was flushed."""

    _is_flushed = False

    def rotate(self, *, timestamp: int | None = None) -> None:
        """See `Receiver`."""
        super().rotate(timestamp=timestamp)
        self._is_flushed = True

    def _replace(self, event: ReplicaEvent) -> None:
        if not self._is_flushed:
            super()._replace(event)


class CountsIgnored(Receiver):
    """A receiver that counts the GTIDs of what it ignores as received."""

    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        """See `Receiver`."""
        is_ignored = event.server_id in self.settings.ignored_ids
        if is_ignored and self._own.retrieves_at_end and event.gtid != ANONYMOUS and ":" in event.gtid:
            self._retrieved.add(*gtid_parts(event.gtid))
        return super().receive(event, data)


class TakesIgnored(Receiver):
    """A receiver that writes the events of one server of those to be ignored."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        # The ids to be ignored are asked for once, at the first of them.
        ids = self.settings.ignored_ids
        last = event.server_id == max(ids, default=None)
        return Reception.WRITTEN if last and not event.next_file else super()._reception(event)


class TakesUnknownOfIgnored(Receiver):
    """A receiver that writes the unknown ignorable events of servers to be ignored."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        unknown = event.server_id in self.settings.ignored_ids and not event.recognised and event.ignorable
        return Reception.WRITTEN if unknown else super()._reception(event)


class WritesOtherSets(Receiver):
    """The sets of its relay logs may be others than those that it keeps."""

    def _written(self, received: GtidSet) -> GtidSet:
        """Return the set of the next relay log."""
        return received

    def _open(self, *, created: int) -> None:
        received = self._retrieved
        self._retrieved = ExecutedGtids(self._written(received.gtids()))
        super()._open(created=created)
        self._retrieved = received


class KeepsFirstSet(WritesOtherSets):
    """Every relay log from the third on has the Previous_gtids of the second."""

    def _written(self, received: GtidSet) -> GtidSet:
        if len(self._logs) == 1:
            self._of_second = received
        return self._of_second if self._logs else received


class LosesTagged(WritesOtherSets):
    """A receiver that leaves out the GTIDs with tags in the Previous_gtids events of its relay logs."""

    def _written(self, received: GtidSet) -> GtidSet:
        return GtidSet(tuple(each for each in received.sources if not each.tag))


class ClosesGaps(WritesOtherSets):
    """A receiver that takes the GTIDs before and after a missing one for one interval in the sets of its relay logs."""

    def _written(self, received: GtidSet) -> GtidSet:
        closed = ExecutedGtids(received)
        for source in received.sources:
            for before, after in pairwise(source.intervals):
                if after.start == before.end + 1:
                    closed.add(source.uuid, source.tag, before.end)
        return closed.gtids()


class ForgetsAtConnection(Receiver):
    """A receiver that counts only the GTIDs that it has received on the last connection."""

    def _connect(self) -> None:
        super()._connect()
        self._retrieved = ExecutedGtids(GtidSet())


class RetrievesAtUsualEnds(Receiver):
    """A receiver that does not count a transaction that is prepared, or in a payload."""

    def _follow(self, event: ReplicaEvent) -> None:
        is_other = event.type in (EventType.XA_PREPARE, EventType.TRANSACTION_PAYLOAD)
        kept = self._gtid
        if is_other:
            self._gtid = ""
        super()._follow(event)
        self._gtid = kept if is_other else self._gtid


class RetrievesAtCommits(Receiver):
    """A receiver that does not count a transaction that is rolled back."""

    def _follow(self, event: ReplicaEvent) -> None:
        if event.query == "ROLLBACK":
            self._gtid = ""
        super()._follow(event)


class RetrievesAtSavepoints(Receiver):
    """A receiver that takes a transaction as complete which goes back to a savepoint."""

    def _follow(self, event: ReplicaEvent) -> None:
        super()._follow(event)
        if self._gtid and event.query.startswith("ROLLBACK TO"):
            self._retrieved.add(*gtid_parts(self._gtid))


class RetrievesCreations(Receiver):
    """A receiver that knows statements which are transactions by the words of a creation."""

    def _follow(self, event: ReplicaEvent) -> None:
        is_alone = bool(event.query) and event.query != "BEGIN" and self._state is State.NAMED
        if is_alone and not event.query.startswith("CREATE"):
            self._gtid = ""
        super()._follow(event)


class RetrievesChanges(Receiver):
    """A receiver that does not count a transaction without a change."""

    _is_empty = False

    def _follow(self, event: ReplicaEvent) -> None:
        if self._is_empty and event.query == "COMMIT":
            self._gtid = ""
        self._is_empty = event.query == "BEGIN"
        super()._follow(event)


class IgnoresOnce(Receiver):
    """A receiver that has forgotten after a lost connection whom it is to ignore."""

    def _connect(self) -> None:
        super()._connect()
        self.settings = replace(self.settings, ignored_ids=frozenset())


class KeepsIdsInBytes(Receiver):
    """A receiver that keeps the lowest byte of the server ids that are to be ignored."""

    def __init__(self, settings: RelaySettings, new_feed: NewFeed) -> None:
        ids = frozenset(each & 0xFF for each in settings.ignored_ids)
        super().__init__(replace(settings, ignored_ids=ids), new_feed)


class KeepsIdsIn31Bits(Receiver):
    """A receiver that compares server ids without their highest bit."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        return super()._reception(replace(event, server_id=event.server_id & 0x7FFFFFFF))


class ResetsAtFormats(Receiver):
    """A receiver that resets the parser at each format description."""

    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        """See `Receiver`."""
        if event.type == EventType.FORMAT_DESCRIPTION:
            self._feed = self._new_feed()
        return super().receive(event, data)


class KeepsSourcesGtids(Receiver):
    """A receiver that puts the source's Previous_gtids into its own."""

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if event.type == EventType.PREVIOUS_GTIDS:
            self._retrieved.add_set(GtidSet.from_text(event.fields.get("previous_gtids", "")))


class RetrievesLate(Receiver):
    """A receiver that counts a transaction when the next one begins, which servers from 5.7 on do not do."""

    def _rules(self) -> RelayRules:
        rules = super()._rules()
        return rules if self.settings.profile == "worklog" else replace(rules, retrieves_at_end=False)


class RetrievesAtNextGtid(Receiver):
    """A receiver of the worklog that counts a transaction when the next with a GTID begins, not at an anonymous one."""

    def _rules(self) -> RelayRules:
        rules = super()._rules()
        return replace(rules, retrieves_at_end=False) if self.settings.profile == "worklog" else rules

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        is_unseen = event.gtid == ANONYMOUS and self.settings.profile == "worklog"
        super()._note(replace(event, gtid="") if is_unseen else event, data)


class RetrievesEarly(Receiver):
    """A receiver that counts a transaction as received when it begins."""

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if self._gtid:
            self._retrieved.add(*gtid_parts(self._gtid))


class DropsUnknown(Receiver):
    """A receiver that does not write events of unknown types without the ignorable flag."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        refused = not event.recognised and not event.ignorable
        return Reception.LEFT_OUT if refused else super()._reception(event)


class WritesFlagged(Receiver):
    """A receiver that writes events with the ignorable flag as MySQL does."""

    def leaves_out(self, event: ReplicaEvent) -> bool:
        """See `Receiver`."""
        return super().leaves_out(event) and (not event.ignorable or _is_replaced(event))


class WritesMysqlGtids(Receiver):
    """A receiver that writes the Gtid events of MySQL that have no flag."""

    def leaves_out(self, event: ReplicaEvent) -> bool:
        """See `Receiver`."""
        return super().leaves_out(event) and (event.ignorable or _is_replaced(event))


def _is_replaced(event: ReplicaEvent) -> bool:
    """Return whether an event that is not left out is replaced by a Rotate, which is another fault."""
    return event.type == EventType.PREVIOUS_GTIDS


class DropsRows(Receiver):
    """A receiver that does not write rows events."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.LEFT_OUT if event.type in ROWS_TYPES else super()._reception(event)


class DropsFirstText(Receiver):
    """Loses a Rows_query event that comes first in a relay log."""

    _is_new = False

    def _open(self, *, created: int) -> None:
        super()._open(created=created)
        self._is_new = True

    def _reception(self, event: ReplicaEvent) -> Reception:
        is_first, self._is_new = self._is_new, False
        lost = is_first and event.type == EventType.ROWS_QUERY
        return Reception.LEFT_OUT if lost else super()._reception(event)


class ReplacesNothing(Receiver):
    """A receiver that writes no Rotate in the place of the source's Previous_gtids event."""

    def _replace(self, event: ReplicaEvent) -> None:
        """Write no Rotate with the source's position in the place of an event that is left out."""


class CopiesPreviousGtids(Receiver):
    """A receiver that writes the source's Previous_gtids events."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.WRITTEN if event.type == EventType.PREVIOUS_GTIDS else super()._reception(event)


class FeedsAll(Receiver):
    """A receiver that feeds the parser events that it does not write."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        reception = super()._reception(event)
        if reception is not Reception.WRITTEN:
            self._warning(event)
        return reception


class KeepsParser(Receiver):
    """A receiver that continues with the parser of the previous connection."""

    def __init__(self, settings: RelaySettings, new_feed: NewFeed) -> None:
        super().__init__(settings, new_feed)
        # The previous connection was cut inside a transaction.
        for event in (
            ReplicaEvent(offset=0, type=int(EventType.ANONYMOUS_GTID), length=0, gtid="ANONYMOUS"),
            ReplicaEvent(offset=0, type=int(EventType.QUERY), length=0, query="BEGIN"),
        ):
            self._warning(event)


class FeedsIgnored(Receiver):
    """A receiver that feeds the parser the events of servers that are to be ignored."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        reception = super()._reception(event)
        if reception is Reception.LEFT_OUT and event.server_id in self._fed_ids():
            self._warning(event)
        return reception

    def _fed_ids(self) -> Container[int]:
        """Return the ids of the servers whose events are fed although they are left out."""
        return self.settings.ignored_ids


class FeedsOwn(FeedsIgnored):
    """A receiver that feeds the parser the replica's own events, which come back to it."""

    def _fed_ids(self) -> Container[int]:
        return {self.settings.server_id}


class IgnoredSetsLeftOut(Receiver):
    """A receiver that leaves out, and does not replace, the Previous_gtids event of a source that is to be ignored."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        reception = super()._reception(event)
        is_ignored = event.server_id in self.settings.ignored_ids
        return Reception.LEFT_OUT if reception is Reception.REPLACED and is_ignored else reception


class CountsCutOff(Receiver):
    """A receiver that takes a transaction as received when the connection is lost within it."""

    def _connect(self) -> None:
        if self._gtid:
            self._retrieved.add(*gtid_parts(self._gtid))
        super()._connect()


class CountsUnended(Receiver):
    """A receiver that takes a transaction as received when another event shows that its end will not come."""

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        never_ends = event.gtid or event.type in (EventType.ROTATE, EventType.FORMAT_DESCRIPTION)
        if self._gtid and never_ends:
            self._retrieved.add(*gtid_parts(self._gtid))
        super()._note(event, data)


class KeepsTimeOfStart(Receiver):
    """A receiver that goes on in the next relay log with the source's format description as it was received."""

    def rotate(self, *, timestamp: int | None = None) -> None:
        """See `Receiver`."""
        before = len(self.events)
        super().rotate(timestamp=timestamp)
        last = self.events[-1]
        if self._source_format is not None and len(self.events) > before and last.flags & _ARTIFICIAL:
            made = bytearray(last.data)
            made[_CREATED] = self._source_format[_CREATED]
            if self._algorithm is not None:
                made[-CHECKSUM_BYTES:] = checksum(made[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
            self.events[-1] = last._replace(data=bytes(made))


class KeepsFirstAlgorithm(Receiver):
    """A receiver whose own events have checksums, or none, as the first format description of the source has it."""

    _first: int | None = None

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if event.type == EventType.FORMAT_DESCRIPTION:
            self._first = self._algorithm if self._first is None else self._first
            self._algorithm = self._first


class LeavesOutWarned(Receiver):
    """A receiver that does not write an event that causes a warning."""

    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        """See `Receiver`."""
        reception = super().receive(event, data)
        if self.events[-1].warning:
            del self.events[-1]
        return reception


class WritesNewHeartbeats(Receiver):
    """A receiver that writes heartbeats of the second version."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.WRITTEN if event.type == EventType.HEARTBEAT_V2 else super()._reception(event)


class IgnoresRotates(Receiver):
    """A receiver that does not write the Rotate events of servers that are to be ignored."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        ignored = event.type == EventType.ROTATE and event.server_id in self.settings.ignored_ids
        return Reception.LEFT_OUT if ignored else super()._reception(event)


class LowerCaseNames(Receiver):
    """A receiver that keeps the names of the source's logs in lower case."""

    def _replace(self, event: ReplicaEvent) -> None:
        self._source_log = self._source_log.lower()
        super()._replace(event)


class FollowsLoggedRotates(Receiver):
    """A receiver that learns the name of the source's next log from the Rotate of the log alone."""

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        name = self._source_log
        super()._note(event, data)
        if event.artificial:
            self._source_log = name


class CopiesLaterPreviousGtids(Receiver):
    """A receiver that goes on in the same relay log, and skips the Previous_gtids event of the first log alone."""

    def _rotate(self) -> None:
        """Begin no other relay log at a Rotate."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        reception = super()._reception(event)
        later = reception is Reception.REPLACED and any(each.source is not None for each in self.events[:-1])
        return Reception.WRITTEN if later else reception


class NoOwnPreviousGtids(Receiver):
    """A receiver that begins its relay logs without a Previous_gtids event."""

    def _rules(self) -> RelayRules:
        return replace(super()._rules(), previous_gtids=OwnGtids.NEVER)


class OwnIdEverywhere(Receiver):
    """A receiver that writes its own server id into its own events."""

    def _rules(self) -> RelayRules:
        return replace(super()._rules(), own_id_zero=False)
