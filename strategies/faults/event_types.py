"""Faults of the event type: types that a reader does not know and may not skip, and one that encrypts what follows."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.servers import WITH_PAYLOADS
from conformance.specs.versions import Profiles
from conformance.strategies.events import mariadb_events, mysql_events, payloads
from conformance.strategies.families.ignorable_events import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: The most groups before the fault.
_BEFORE: Final = 2


@family(focus="WL4033-READ-UNKNOWN-REFUSED", fault=True)
def unknown_not_ignorable(stream: StreamBuilder) -> None:
    """An event of an unassigned type, or of type 28, without the ignorable flag, in an otherwise valid stream."""
    choose = stream.choose
    code = choose.one_of(UNASSIGNED)
    since_ignorable = stream.server.rules.ignorable
    if since_ignorable and choose.yes(6):
        code = int(EventType.IGNORABLE)
    groups.begin_plain_log(stream, lengths=declare_up_to(stream, code))
    groups.add_groups(stream, 0, _BEFORE)
    flags = int(choose.one_of(mysql_events.FREE_FLAGS))
    event = PlannedEvent(code, choose.octets(0, 40), {}, flags)
    marks = ("WL4033-READ-UNKNOWN-REFUSED", *(("WL4033-READ-FLAG-BIT",) if flags else ()))
    stream.refuse(event, kind="unknown-event", marks=(*marks, "WL4033-READ-UNKNOWN-MESSAGE"))
    groups.add_groups(stream, 0, 1)


@family(focus="FORMAT-TYPE-NOT-DECLARED", fault=True)
def type_beyond_format_description(stream: StreamBuilder) -> None:
    """An event, without the ignorable flag, of a type that the format description does not declare."""
    choose = stream.choose
    groups.begin_log(stream, previous=False)
    groups.add_groups(stream, 0, _BEFORE)
    code = choose.integer(max(stream.format.event_types + 1, UNASSIGNED[0]), 255)
    event = PlannedEvent(code, choose.octets(0, 40), {}, int(choose.one_of(mysql_events.FREE_FLAGS)))
    stream.refuse(event, kind="unknown-event", marks=("FORMAT-TYPE-NOT-DECLARED",))
    groups.add_groups(stream, 0, 1)


@family(focus="FORMAT-TRANSACTION-PAYLOAD-UNKNOWN", profiles=WITH_PAYLOADS, fault=True)
def unknown_inside_payload(stream: StreamBuilder) -> None:
    """A Transaction_payload that holds an event of an unassigned type without the ignorable flag."""
    choose = stream.choose
    code = choose.one_of(UNASSIGNED)
    groups.begin_plain_log(stream, lengths=declare_up_to(stream, code))
    groups.add_groups(stream, 0, _BEFORE)
    unknown = PlannedEvent(code, choose.octets(0, 40), {}, int(choose.one_of(mysql_events.FREE_FLAGS)))
    inner = payloads.put_in(stream, groups.transaction(stream), unknown)
    payload = payloads.transaction_payload(stream, inner, plain=True)
    stream.refuse(payload, kind="unknown-event", marks=("FORMAT-TRANSACTION-PAYLOAD-UNKNOWN",))
    groups.add_groups(stream, 0, 1)


@family(focus="FORMAT-MARIADB-START-ENCRYPTION", profiles=Profiles("mariadb"), fault=True)
def encrypted_events(stream: StreamBuilder) -> None:
    """A log of MariaDB that is encrypted after its Start_encryption event, except for the lengths of the events."""
    stream.describe_format()
    stream.add(mariadb_events.start_encryption(stream))
    start = stream.offset
    stream.expect_refusal(at=start, kind="encrypted", marks=("FORMAT-MARIADB-START-ENCRYPTION",))
    stream.add(mariadb_events.gtid_list(stream))
    groups.add_groups(stream, 1, 2)
    mariadb_events.encrypt(stream, start)
