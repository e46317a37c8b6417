"""Questions in the role `apply`: the entries that the model of an applier gives for the events of a stream."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from conformance.models.replica.applier import Applied, Applier, ApplyOutcome
from conformance.models.replica.event_kind import OF_TRANSACTIONS, SKIPPED_IF_OWN, Kind, kind_of
from conformance.models.replica.replica_settings import COUNTER_REFUSED, ReplicaSettings
from conformance.models.replica.stop_reason import StopReason
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.strategies.grammar.case import EVERY_EVENT, Expected
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups.replica_groups import REPLICA_ID
from conformance.strategies.questions.sent_events import events_to_apply

#: The kind of error of a stop: the stream can be read but not applied.
_STOP_KIND: Final = "other"
#: The kind of error of a stop at an event of a type that the replica does not know.
_UNKNOWN_KIND: Final = "unknown-event"
#: Why an applier stops -> the requirements that it must.
_STOPS: Final = {
    StopReason.GTID_MISSING: ("WL7592-APPLY-ON-GTID-MISSING",),
    StopReason.ANONYMOUS: ("WL7592-APPLY-ON-GTID-MISSING",),
    StopReason.PARTIAL_DROP: (
        "WL7592-APPLY-DROPDB-ON-ERROR",
        "WL7592-APPLY-DROPDB-ERROR-CODE",
        "WL7592-APPLY-DROPDB-ERROR-TEXT",
        "WL7592-APPLY-DROPDB-GTID-UNUSED",
    ),
    StopReason.DIRECTORY_REMAINS: ("WL7592-APPLY-DROPDB-OFF-ANON-EACH",),
    StopReason.DIRECTORY_REMAINS_ONE_DROP: ("WL7592-APPLY-DROPDB-ONE-WITH-GTID",),
}
#: Major and minor version -> the requirement on replicas that stop at Anonymous_gtid events.
_STOPS_OF_OLD: Final = {"5.6": "WL7592-COMPAT-OFF-5621", "5.7": "WL7592-COMPAT-OFF-575"}
#: Whether a group has no GTID -> the requirement on it in the replica's own log.
_OWN_LOG: Final = {True: "WL7592-APPLY-OWN-LOG-ANONYMOUS", False: "WL7592-APPLY-OWN-LOG-GTID"}
#: A setting of filters: where a stream has it, `tables` is one of theirs too, and of another meaning.
_RULES: Final = "do_tables"
_MISSING_AT_BEGIN: Final = "WL7592-APPLY-ON-GTID-MISSING-BEGIN"


def question(stream: StreamBuilder) -> Question:
    """Return the question about a relay log for an applier, with what it must answer."""
    own = {name: value for name, value in stream.settings.items() if name != "tables" or _RULES not in stream.settings}
    settings = ReplicaSettings.of_json(stream.server.profile, {"server_id": REPLICA_ID, **own})
    if settings.is_counter_refused:
        return _refused_counter(settings, stream)
    applier = Applier(settings)
    done = applier.apply(events_to_apply(stream))
    stop = applier.stopped
    marks: dict[str, list[int]] = defaultdict(list)
    # An event that cannot be read has no entry; what governs it is marked after the last one.
    unreadable = stop is None and stream.refused_at is not None and not _is_reached(done, stream.refused_at)
    for requirement, indices in stream.marks.items():
        marks[requirement] += (index for index in indices if index < len(done) + unreadable)
    for requirement, index in (
        *_marks(settings, done),
        *_compatible(settings, stream, stops=stop is not None or unreadable),
    ):
        marks[requirement].append(index)
    if stop is not None:
        if stop.reason is StopReason.ANONYMOUS_UNKNOWN:
            marks[_STOPS_OF_OLD[settings.version[:3]]].append(len(done) - 1)
        for requirement in _STOPS.get(stop.reason, ()):
            begins = stop.reason is StopReason.GTID_MISSING and kind_of(stop.event) in (Kind.BEGIN, Kind.COMMIT)
            marks[_MISSING_AT_BEGIN if begins else requirement].append(len(done) - 1)
    entries = tuple(_entries(settings, done))
    expected = Expected(entries)
    if stop is not None:
        kind = _STOP_KIND if stop.event.recognised else _UNKNOWN_KIND
        expected = Expected(entries, stop.event.offset, kind, stop.code)
    elif unreadable:
        expected = Expected(entries, stream.refused_at, stream.refused_kind, settings.rules.read_failure)
    return Question(
        expected,
        {requirement: indices for requirement, indices in marks.items() if indices},
        settings.as_json(),
        bytes(stream.bytes),
    )


def _entries(settings: ReplicaSettings, done: list[Applied]) -> Iterator[dict[str, Any]]:
    """Yield the expected entries.

    Of an event that is skipped alone it is left open whether it shows the GTID of its group, and outside groups whether
    it is the end of one, up to the end of the next group: 5.7.22 and 8.0.15 restart after it, 9.7.4 before it.
    """
    skipped_to: int | None = None
    for each in done:
        entry = each.entry()
        is_own = _is_own(settings, each)
        if is_own:
            del entry["gtid"]
            if not each.in_group:
                skipped_to = each.group_relay_log_pos
        if each.group_relay_log_pos == skipped_to:
            del entry["group_relay_log_pos"]
        yield entry


def _is_own(settings: ReplicaSettings, applied: Applied) -> bool:
    """Return whether an event is skipped because it comes from the replica itself."""
    is_own = applied.event.server_id == settings.server_id and kind_of(applied.event) in SKIPPED_IF_OWN
    return is_own and applied.outcome is ApplyOutcome.SKIPPED


def _is_reached(done: list[Applied], offset: int) -> bool:
    """Return whether the applier takes the event at an offset, or ends before it."""
    return any(each.event.offset >= offset or each.outcome is ApplyOutcome.UNTIL for each in done)


def _refused_counter(settings: ReplicaSettings, stream: StreamBuilder) -> Question:
    """Return the question with a skip counter that the server refuses, so that nothing is applied."""
    expected = Expected((), refused_at=0, refused_kind=_STOP_KIND, refused_code=COUNTER_REFUSED)
    return Question(expected, {"WL7592-APPLY-ON-SKIP-REFUSED": (0,)}, settings.as_json(), bytes(stream.bytes))


def _marks(settings: ReplicaSettings, done: list[Applied]) -> Iterator[tuple[str, int]]:
    """Yield the requirements that the entries themselves show, each with the index of an entry."""
    for index, each in enumerate(done):
        if each.outcome is ApplyOutcome.IGNORED and kind_of(each.event) is Kind.UNKNOWN:
            yield "WL4033-APPLY-UNKNOWN-IGNORED", index
            yield "WL4033-APPLY-UNKNOWN-POSITION", index
        # A Previous_gtids event within a group is about the group, whatever flag it has.
        is_within = each.in_group and kind_of(each.event) is Kind.PREVIOUS_GTIDS
        is_known = each.event.ignorable and each.event.recognised and not is_within
        if is_known and each.outcome is ApplyOutcome.APPLIED:
            yield "WL4033-APPLY-KNOWN-HANDLED", index
        is_outside = not (index and done[index - 1].in_group) and not _is_own(settings, each)
        starts = is_outside and kind_of(each.event) in {Kind.GTID, *OF_TRANSACTIONS}
        if settings.gtid_mode == "OFF" and starts and each.outcome is ApplyOutcome.APPLIED and settings.rules.gtids:
            yield "WL7592-APPLY-OFF-GTID-NOT-MISSED", index
        for group in each.logged or () if each.outcome is ApplyOutcome.APPLIED else ():
            yield _OWN_LOG[group.gtid in ("", ANONYMOUS)], index
        if "PERMISSIVE" in settings.gtid_mode and starts:
            yield "FORMAT-APPLY-PERMISSIVE", index
        if settings.until is not None:
            is_about_zero = 0 in (each.event.server_id, done[index - 1].event.server_id if index else None)
            yield "WL7592-APPLY-UNTIL-SERVER-ID-ZERO" if is_about_zero else "FORMAT-APPLY-UNTIL", index
    own = [index for index, each in enumerate(done) if _is_own(settings, each)]
    yield from (("FORMAT-APPLY-OWN-EVENTS", index) for index in (*own, *[len(done) - 1][: len(own)]))
    if "test.t9" in settings.tables:
        yield "WL7592-APPLY-CREATE-SELECT-COMMITS", len(done) - 1
    yield from _skipped(settings, done)


def _skipped(settings: ReplicaSettings, done: list[Applied]) -> Iterator[tuple[str, int]]:
    """Yield the requirements on the skip counter: the events that are skipped, and the one after them."""
    counter = settings.skip_counter
    skipped = [index for index, each in enumerate(done) if each.outcome is ApplyOutcome.SKIPPED and counter]
    indices = [index for index in skipped if not _is_own(settings, done[index])]
    if indices and settings.gtid_mode == "OFF":
        yield "WL7592-APPLY-OFF-SKIP-ALLOWED", indices[0]
    rule = "WL7592-APPLY-SKIP-NOT-MID-GROUP"
    for index in indices:
        if counter == 1 and kind_of(done[index].event) is Kind.GTID:
            # Whether a Gtid event belongs to the group matters only if the counter is 1 at that event.
            rule = "WL7592-APPLY-SKIP-GTID-IN-GROUP"
        yield rule, index
        counter = done[index].skip_counter
    after = indices[-1] + 1 if indices else len(done)
    # An answer may leave out the entry of the event at which the applier stops with an error.
    if after < len(done) and done[after].outcome is not ApplyOutcome.FAILED:
        yield rule, after


def _compatible(settings: ReplicaSettings, stream: StreamBuilder, *, stops: bool) -> Iterator[tuple[str, int]]:
    """Yield the requirements on the streams of other versions, which govern every event.

    Args:
        settings: The replica's settings.
        stream: What it is to apply.
        stops: Whether the model stops in it, or cannot read it on, so that it is not applied to its end.
    """
    if stops:
        return
    if settings.version:
        if settings.version == "5.6.21" and settings.gtid_mode == "ON":
            yield "WL7592-COMPAT-ON-5621", EVERY_EVENT
        if settings.gtid_mode == "ON":
            yield "WL7592-APPLY-ON-56-57", EVERY_EVENT
        if settings.version == "5.6.22":
            yield "WL7592-COMPAT-OFF-5622", EVERY_EVENT
    elif settings.gtid_mode == "OFF" and not any("gtid" in entry for entry in stream.expected_events):
        yield "WL7592-COMPAT-OLD-NEW", EVERY_EVENT
