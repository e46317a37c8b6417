"""The alignment of what was expected with what was observed, event by event."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from enum import Enum
from typing import Any, Final

from conformance.binlog.event_types import HEARTBEAT_TYPES, VARIABLE_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import MAGIC
from conformance.protocol.observation import Observation, RoleDeclaration
from conformance.protocol.roles.client import format_descriptions, is_untyped, may_be_kept_back, with_types
from conformance.protocol.roles.decode import HEADER_FIELDS, is_refused, may_be_missing, own_fields
from conformance.protocol.roles.registry import role_of
from conformance.protocol.roles.relay import comes_with_a_log
from conformance.strategies.grammar.case import EVERY_EVENT, Case

#: The requirement that fails where a reader does not go on to the next event. Without its mark a wrong header is judged
#: field by field, as nobody would be blamed for what is not reached.
_DELIVERED: Final = "FORMAT-EVENT-DELIVERED"
#: The fields of a header that are the same numbers for every reader.
_OF_HEADER: Final = ("timestamp", "server_id", "length", "log_pos", "flags")
#: The outcome of the event before which an applier has reached the position to stop at.
_UNTIL: Final = "until"
#: So many fields of a header may be wrong for reasons of their own.
_FEW: Final = 2
_NAMED: Final = frozenset(map(int, EventType))


class Fate(Enum):
    """What became of an expected event."""

    DELIVERED = "delivered"
    DROPPED = "dropped"
    REFUSED = "refused"
    UNREACHED = "not reached"


class Alignment:
    """A case and an observation of it, aligned in the way of the role: by the offsets of the events, in most roles.

    Attributes:
        case: What was asked.
        observation: What was answered.
        about: The role that was asked.
        role: What the implementation declares: its fields and abilities.
        stop: Index of the expected event that it refused, one after the last for an event that it had to
            refuse; None if it read to the end, though it may have refused single events and gone on.
        phantoms: Offsets at which it reported events although none is expected there; if entries are not aligned by
            offset, the indices of those that have no partner.
        lost: Index of an event that is made for a should, if nothing is reported after it although there is no error:
            what follows is not reached; None otherwise.
        astray: Index of the last event after which it goes on at a wrong place: an event is reported where none starts,
            or with a header that is not its own, and no expected one after it. What follows is not reached.
        declined: Indices of the expected entries about which it does not answer: they are not judged.
        ended: Index of the event before which an applier reports that it has reached the position to stop at: what
            follows is not reached; None if it does not report one.
        fell_silent: Index of the first event that a reader had to report after it ended, without an error and before
            the end: what follows is not reached. None if it did not, or if it may have left these events out by type.
        count: How many entries are expected.
        untyped: Indices of the expected events that a client delivers without their type.
        declared: The fields that the implementation reports.
        disordered: Offset of the first event that is repeated or comes before an earlier one, or None.
    """

    def __init__(self, case: Case, observation: Observation, role: RoleDeclaration) -> None:
        self.case = case
        self.observation = observation
        self.role = role
        self.about = role_of(case.role)
        self.count = len(case.expected.events)
        required = (index for index in range(self.count) if not self.may_be_dropped(index))
        #: Index of the last event that must be reported.
        self._last_required = max(required, default=0)
        self._index: dict[int, int] = {}
        self._seen: dict[int, Mapping[str, Any]] = {}
        self._differing: dict[int, Collection[str]] = {}
        #: Index of an event that it refused before it went on -> its words.
        self._refused: dict[int, str] = {}
        self.untyped: frozenset[int] = frozenset()
        self.phantoms: list[int] = []
        self.disordered: int | None = None
        self.declined: frozenset[int] = frozenset()
        # If the answer is streams, the kit has read every field itself.
        self.declared = role.fields.union(self.about.always)
        self._judged = None if self.about.answers_streams else self.declared
        if self.about.aligned == "offset":
            self._align_by_offset()
        else:
            self._align_by_place()
        self.astray = self._astray()
        self.stop = self._stop() if self.observation.error is not None else self._left_at_heartbeat()
        self.lost = self._lost()
        self.ended = self._ended()
        self.fell_silent = self._fell_silent()

    def _align_by_offset(self) -> None:
        self._index = {event["offset"]: index for index, event in enumerate(self.case.expected.events)}
        last = -1
        for event in self.observation.events:
            offset = event["offset"]
            if offset <= last and self.disordered is None:
                self.disordered = offset
            last = max(last, offset)
            index = self._index.get(offset)
            if is_refused(event) and (index is not None or offset == self.case.expected.refused_at):
                self._refused.setdefault(self.count if index is None else index, event.get("refused", ""))
            elif index is None:
                self.phantoms.append(offset)
            else:
                self._seen.setdefault(index, self._declared(event))
        if self.count in self._refused:
            # What comes after the event to be refused is not expected, and not judged.
            self.phantoms = [offset for offset in self.phantoms if offset < (self.case.expected.refused_at or 0)]

    def _astray(self) -> int | None:
        if self.case.role != "decode" or "framing" not in self.role.abilities:
            return None
        end = self.case.expected.refused_at
        last = -1
        for event in self.observation.events:
            index = self._index.get(event["offset"])
            if index is None:
                if end is not None and event["offset"] >= end:
                    return None
                return last if last >= 0 and self._last == last else None
            if self._must_go_on(last) and self._has_foreign_header(event, index) and self._last == index > 0:
                del self._seen[index]
                return last
            last = index
        return None

    def _must_go_on(self, index: int) -> bool:
        """Return whether a requirement fails where nothing is reached after an event."""
        known = index >= 0 and self.case.expected.events[index].get("handled") == "known"
        return known and index in self.marked(_DELIVERED)

    def _has_foreign_header(self, event: Mapping[str, Any], index: int) -> bool:
        """Return whether most of a header is wrong: it is made of other bytes than those of the event."""
        wanted = self.case.expected.events[index]
        shown = [name for name in _OF_HEADER if name in self.declared and event.get(name) is not None]
        wrong = sum(event[name] != wanted[name] for name in shown)
        return not is_refused(event) and len(shown) > _FEW and wrong > len(shown) // 2

    def _align_by_place(self) -> None:
        observed = self.observation.events
        is_client = self.case.role == "client"
        untyped = {place for place, each in enumerate(observed) if is_client and is_untyped(each)}
        if untyped or (is_client and any(each["type"] is None for each in observed[:-1])):
            formats = format_descriptions(self.case.stream, self.case.settings["source"]["logs"])
            ends = {len(MAGIC) + len(each) for each in formats}
            observed = with_types(observed, self.case.expected.events, ends)
            self.observation = replace(self.observation, events=observed)
        if self.about.aligned == "order":
            partners = {index: index for index in range(min(self.count, len(observed)))}
        else:
            kind_of = self.about.kind_of
            kinds = [[kind_of(entry) for entry in entries] for entries in (self.case.expected.events, observed)]
            partners = _common(*kinds)
            if self.about.content_of is not None and kinds[0] != kinds[1]:
                content_of = self.about.content_of
                contents = [[content_of(entry) for entry in each] for each in (self.case.expected.events, observed)]
                partners = max(_common_by_content(kinds, contents), partners, key=len)
        self.declined = frozenset(index for index, place in partners.items() if self.about.declines(observed[place]))
        self._seen = {
            index: self._declared(observed[place]) for index, place in partners.items() if index not in self.declined
        }
        self.untyped = frozenset(index for index, place in partners.items() if place in untyped)
        aligned = set(partners.values())
        self.phantoms = [place for place in range(len(observed)) if place not in aligned]

    def _declared(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an entry without what the implementation does not declare: only what it declares is judged."""
        if self._judged is None or entry.keys() <= self._judged:
            return entry
        return {name: value for name, value in entry.items() if name in self._judged}

    def _stop(self) -> int | None:
        error = self.observation.error
        if error is None:
            return None
        if "error_at" in self.role.abilities and error.at is not None:
            if error.at in self._index:
                return self._index[error.at]
            if error.at == self.case.expected.refused_at:
                return self.count
        refuses = self.case.expected.refused_at is not None
        if refuses and all(self._may_be_passed(index) for index in range(self._last + 1, self.count)):
            # An error without a place: only events that it need not report are between what it reported and the fault.
            return self.count
        if self.case.role == "decode" and error.at in self._index:
            named = self._index[error.at]
            if named > self._last and all(map(self.is_of_unread_statement, range(self._last + 1, named))):
                return named
        if self.case.role == "relay":
            return self._after_own_events()
        return self._after_kept_back() if self.case.role == "client" else self._last + 1

    def _left_at_heartbeat(self) -> int | None:
        """Return the index of the heartbeat with which an answer of a reader of files ends; None if there is none.

        No file has one, and its position is one of its source, not that of its end: a reader that goes from event to
        event by these finds nothing more, or the same events again. That is as good as a refusal.
        """
        last = self._last
        if self.case.role != "decode" or "framing" not in self.role.abilities or last < 0:
            return None
        if last >= self._last_required and self.disordered is None:
            return None
        event = self.case.expected.events[last]
        is_of_source = event.get("type") in HEARTBEAT_TYPES and event["log_pos"] != event["offset"] + event["length"]
        if not is_of_source or last not in self.case.expected.tolerated:
            return None
        if self.disordered is not None and not self.ends_with_repeated:
            return None  # It has gone on after what it has returned again.
        self.disordered = None
        return last

    @property
    def ends_with_repeated(self) -> bool:
        """Whether the last event of the answer is the first that was there before, or comes before an earlier one."""
        return self.disordered is not None and bool(self.observation.events[-1]["offset"] == self.disordered)

    def _after_own_events(self) -> int:
        """Return the index of the first event that a replica received after what it wrote: none of its own."""
        events, own_id = self.case.expected.events, self.case.settings["server_id"]
        following = range(self._last + 1, self.count)
        return next((index for index in following if not comes_with_a_log(events[index], own_id)), self.count)

    def _may_be_passed(self, index: int) -> bool:
        """Return whether an event before the one to be refused may be passed over, or before the end of a source."""
        if self.case.role != "client":
            return self.may_be_dropped(index)
        return may_be_kept_back(self.case.expected.events[index]) or index >= self.count - self.begun

    @property
    def begun(self) -> int:
        """How many entries at the end are of a group of which a client gets no more; it may keep these back.

        An error without the number that one of a source has is the client's own, and no reason to keep them back.
        """
        error = self.observation.error
        if error is not None and error.code is None and "error_code" in self.role.abilities:
            return 0
        begun: int = self.case.settings["source"].get("failure", {}).get("begun", 0)
        return begun

    def _after_kept_back(self) -> int:
        """Return the index of the first event after what a client delivered that it is not known to keep back.

        An error of a client has no place: what it has kept back before, it keeps back where it stops too.
        """
        following = range(self._last + 1, self.count)
        return next((index for index in following if not self.keeps_back(index)), self.count)

    def keeps_back(self, index: int) -> bool:
        """Return whether the answer shows that a client keeps back events such as an expected one.

        It does if the client went on after such an event, and delivered none. A client that delivers nothing that it
        may keep back is taken to keep back all of it but unknown events, which are a matter of their own.
        """
        events = self.case.expected.events
        if not may_be_kept_back(events[index]):
            return False
        optional = [(at, _kind(events[at])) for at in range(self._last) if may_be_kept_back(events[at])]
        delivered = {kind for at, kind in optional if at in self._seen}
        kept = {kind for at, kind in optional if at not in self._seen} - delivered
        kind = _kind(events[index])
        return kind in kept or (kind is not None and not delivered and bool(kept - {None}))

    @property
    def _last(self) -> int:
        """Index of the last event that it delivered or refused, -1 if there is none."""
        return max((*self._seen, *self._refused), default=-1)

    def _lost(self) -> int | None:
        if self.stop is not None or self.astray is not None or self._last >= self._last_required:
            return None
        return next((index for index in (self._last, self._last + 1) if index in self.case.expected.made_for), None)

    def _ended(self) -> int | None:
        if self.case.role != "apply" or self.stop is not None or self._last < 0:
            return None
        return self._last if self._seen[self._last].get("outcome") == _UNTIL else None

    def _fell_silent(self) -> int | None:
        if self.case.role != "decode" or any(each is not None for each in (self.stop, self.astray, self.lost)):
            return None
        events = self.case.expected.events
        missing = [index for index in range(self._last + 1, self.count) if not self.may_be_dropped(index)]
        reported = {seen.get("type") for seen in self._seen.values()}
        # A reader may pass over known events for their flag.
        plain = {events[index]["type"] for index in missing if not events[index]["flags"] & Flag.IGNORABLE}
        return None if plain.isdisjoint(reported) else missing[0]

    def describe(self, index: int) -> str:
        """Return the words for an expected entry, such as ``the QUERY event at offset 120``."""
        return self.about.describe(self.case.expected.events[index], index)

    def index_at(self, offset: int | None) -> int | None:
        """Return the index of the first expected entry at an offset of the stream; None if there is none."""
        if offset is None:
            return None
        entries = self.case.expected.events
        return next((index for index, entry in enumerate(entries) if entry.get("offset") == offset), None)

    def observed(self, index: int) -> Mapping[str, Any] | None:
        """Return what was observed for an expected event, with the fields that are declared; None for nothing."""
        return self._seen.get(index)

    def differing(self, index: int) -> Collection[str]:
        """Return the fields of an expected event that was observed whose value is not there, or is another one.

        Most events differ in none, or in few: checks of other fields have nothing to find there.
        """
        names = self._differing.get(index)
        if names is None:
            names = self._differing[index] = self._differing_fields(index)
        return names

    def _differing_fields(self, index: int) -> Collection[str]:
        wanted, seen = self.case.expected.events[index], self._seen[index]
        # True and 1 are not the same.
        differing = {
            name
            for name, value in seen.items()
            if name not in wanted or wanted[name] != value or isinstance(wanted[name], bool) != isinstance(value, bool)
        }
        return differing | ((self.declared & wanted.keys()) - seen.keys())

    def observed_entries(self) -> Iterable[Mapping[str, Any]]:
        """Return what was observed for all expected events that were delivered."""
        return self._seen.values()

    def asks(self, index: int, field: str) -> bool:
        """Return whether a requirement on a field can be judged by an expected entry that was observed.

        Not by an event whose type the reader does not know, except in the header's fields; nor by a missing
        field of those that not every reader reports.
        """
        if self.case.role != "decode":
            return True
        wanted, seen = self.case.expected.events[index], self._seen[index]
        if field == "type":
            return seen.get("type") is not None
        if field == "flags":
            return not self.may_lack_in_use(index)
        if field == "handled":
            return not self.is_unknown(index) or self.knows(wanted["type"])
        if field in HEADER_FIELDS:
            return True
        return not self.is_unknown(index) and (seen.get(field) is not None or not may_be_missing(wanted["type"], field))

    def may_lack_in_use(self, index: int) -> bool:
        """Return whether the flags of an event lack the bit of a log in use alone, for a reader of what servers send.

        A server clears it in the format description that it sends.
        """
        if "framing" in self.role.abilities:
            return False
        wanted, seen = (each.get("flags", 0) for each in (self.case.expected.events[index], self._seen[index]))
        return bool(wanted & Flag.BINLOG_IN_USE) and bool(seen == wanted & ~Flag.BINLOG_IN_USE)

    def is_unknown(self, index: int) -> bool:
        """Return whether the reader passed over an expected event as one of a type that it does not know."""
        wanted, seen = self.case.expected.events[index], self._seen[index]
        return bool(seen.get("handled") == "ignored" != wanted.get("handled"))

    def knows(self, type_code: int) -> bool:
        """Return whether the reader knows a type: it declares a field of it alone, or decoded one of its events."""
        if not self.declared.isdisjoint(own_fields(type_code)):
            return True
        return any(seen.get("handled") == "known" and seen.get("type") == type_code for seen in self._seen.values())

    def fate(self, index: int) -> Fate:
        """Return what became of an expected event; the index after the last is that of the event to be refused."""
        if index in self._seen:
            return Fate.DELIVERED
        if index in self._refused:
            return Fate.REFUSED
        if index in self.declined:
            return Fate.UNREACHED
        ends = (self.astray, self.lost, self.ended, self.fell_silent)
        if any(place is not None and index > place for place in ends):
            return Fate.UNREACHED
        if self.stop is None or index < self.stop:
            return Fate.DROPPED
        return Fate.REFUSED if index == self.stop else Fate.UNREACHED

    @property
    def refuses_fault(self) -> bool:
        """Whether it reports the event to be refused as one that it refused, and goes on."""
        return self.count in self._refused

    @property
    def stops_at_fault(self) -> bool:
        """Whether it ends with the error that is expected, and not with one before."""
        return self.case.expected.refused_at is not None and self.stop == self.count

    def refusal(self, index: int) -> str:
        """Return the words with which it refused an event; empty if it did not."""
        if index in self._refused:
            return self._refused[index]
        error = self.observation.error
        return error.message if error is not None and index == self.stop else ""

    def may_be_dropped(self, index: int) -> bool:
        """Return whether an expected event may be passed over without a word.

        It may if its type is unknown, if it is open whether the reader knows it, and if it is a heartbeat: a reader
        that does not ask for these never gets one. It may if it has a value for a statement that cannot be read.
        """
        event = self.case.expected.events[index]
        if event.get("handled") == "ignored" or self.is_of_unread_statement(index):
            return True
        is_open = "handled" not in event
        is_heartbeat = event.get("type") in HEARTBEAT_TYPES and index in self.case.expected.tolerated
        return self.case.role == "decode" and (is_open or is_heartbeat)

    def is_of_unread_statement(self, index: int) -> bool:
        """Return whether an event sets a value for a statement that is not read, so that nothing runs with it."""
        events, error = self.case.expected.events, self.observation.error
        if self.case.role != "decode" or events[index].get("type") not in VARIABLE_TYPES:
            return False
        following = next((at for at in range(index, self.count) if events[at].get("type") not in VARIABLE_TYPES), None)
        if following is None:
            return self.case.expected.refused_at is not None
        return error is not None and bool(error.at == events[following]["offset"])

    def read_on(self, index: int) -> bool:
        """Return whether any event after an expected one was reported, or none had to be."""
        if index == self.astray:
            return False
        if index >= self._last_required or any(each is not None for each in (self.stop, self.lost, self.ended)):
            return True
        return self._last > index

    def marked(self, requirement: str) -> range | tuple[int, ...]:
        """Return the indices of the events that a requirement governs, of those about which there is an answer."""
        indices = self.case.marks.get(requirement, ())
        if self.declined:
            return tuple(index for index in indices if index not in self.declined)
        return range(self.count) if EVERY_EVENT in indices else indices


def _kind(entry: Mapping[str, Any]) -> int | None:
    """Return the type of an event that a client may keep back; one for all that have no name."""
    return entry["type"] if entry["type"] in _NAMED else None


def _common_by_content(kinds: Sequence[Sequence[Hashable]], contents: Sequence[Sequence[Hashable]]) -> dict[int, int]:
    """Return which places of two sequences are partners: those of equal content, and between these of one kind.

    Where something is missing or added, kinds alone may pair an event with another of its kind.
    """
    partners: dict[int, int] = {}
    end = (len(kinds[0]), len(kinds[1]))
    at = (0, 0)
    for pair in (*_common(*contents).items(), end):
        gap = [each[first:last] for each, first, last in zip(kinds, at, pair, strict=True)]
        if all(gap):
            partners |= {at[0] + one: at[1] + other for one, other in _common(*gap).items()}
        if pair != end:
            partners[pair[0]] = pair[1]
        at = (pair[0] + 1, pair[1] + 1)
    return partners


def _common(expected: Sequence[Hashable], observed: Sequence[Hashable]) -> dict[int, int]:
    """Return which places of two sequences are partners: those of their longest common stretches."""
    blocks = SequenceMatcher(None, expected, observed, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}
