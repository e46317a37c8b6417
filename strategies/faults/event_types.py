"""Faults of the event type: types that a reader does not know and may not skip, and one that encrypts what follows."""

from typing import Final

from conformance.binlog.servers import WITH_IGNORABLE_FLAG, WITH_PAYLOADS
from conformance.binlog.transaction_payload import Compression
from conformance.specs.versions import Profiles
from conformance.strategies.events import mariadb_events, mysql_events, payloads
from conformance.strategies.events.unassigned_types import UNASSIGNED, codes_dimension, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_CODE: Final = codes_dimension("any up to 127", "28", "44", "127", "any from 128")
_FLAGS: Final = mysql_events.other_flags("flags")
_BEFORE: Final = Number("groups before", fewest=0, few=2)
_LOG: Final = choices("log with the fault", ("the first", "the second"))


def _begin(stream: StreamBuilder, type_code: int) -> None:
    """Add what comes before a fault: groups of a log that declares its type, perhaps after another log."""
    if stream.vary(_LOG) == "the second":
        groups.begin_plain_log(stream)
        stream.add(mysql_events.rotate(stream))
        groups.begin_next_log(stream, lengths=declare_up_to(stream, type_code))
    else:
        groups.begin_plain_log(stream, lengths=declare_up_to(stream, type_code))
    for _ in stream.several_of(_BEFORE):
        groups.add_group(stream, groups.group(stream))


#: Ignorable events of an unknown type before it: having skipped one, a reader still refuses what has no flag.
_SKIPPED: Final = Dimension(
    "ignorable events before it", {"0": 0, "1": 1, "3": 3}, profiles=dict.fromkeys(("1", "3"), WITH_IGNORABLE_FLAG)
)
_BODY: Final[Dimension[tuple[int, int]]] = Dimension(
    "size of the body", {"up to 40": (0, 40), "0": (0, 0), "300": (300, 300), "70000": (70_000, 70_000)}
)


@family(focus="WL4033-READ-UNKNOWN-REFUSED", fault=True, dimensions=(_CODE, _FLAGS, _BEFORE, _LOG, _SKIPPED, _BODY))
def unknown_not_ignorable(stream: StreamBuilder) -> None:
    """An event of an unassigned type, or of type 28, without the ignorable flag, in an otherwise valid stream."""
    choose = stream.choose
    codes, flags = stream.vary(_CODE), stream.vary(_FLAGS)
    code = choose.one_of(codes)
    skipped, size = stream.vary(_SKIPPED), stream.vary(_BODY)
    _begin(stream, max(code, UNASSIGNED[0]))
    for _ in range(skipped):
        ignorable = mysql_events.ignorable(stream, UNASSIGNED[0], choose.octets(0, 40), flags=0)
        stream.add(ignorable.marked("WL4033-READ-UNKNOWN-SKIPPED"))
    event = PlannedEvent(code, choose.octets(*size), {}, flags)
    marks = ("WL4033-READ-UNKNOWN-REFUSED", *(("WL4033-READ-FLAG-BIT",) if flags else ()))
    stream.refuse(event, kind="unknown-event", marks=(*marks, "WL4033-READ-UNKNOWN-MESSAGE"))
    groups.add_groups(stream, 0, 1)


#: Where the code of an undeclared type is among those that are not declared; 0 is below them.
_BEYOND: Final = choices("undeclared type code", ("the lowest", "0", "any", "255"))


@family(focus="FORMAT-TYPE-NOT-DECLARED", fault=True, dimensions=(_BEYOND, _FLAGS, _BEFORE, _LOG))
def type_beyond_format_description(stream: StreamBuilder) -> None:
    """An event, without the ignorable flag, of a type that the format description does not declare."""
    choose = stream.choose
    beyond, flags = stream.vary(_BEYOND), stream.vary(_FLAGS)
    lowest = max(stream.server.event_types + 1, UNASSIGNED[0])
    code = {"the lowest": lowest, "0": 0, "255": 255}.get(beyond)
    _begin(stream, 0)
    event = PlannedEvent(choose.integer(lowest, 255) if code is None else code, choose.octets(0, 40), {}, flags)
    stream.refuse(event, kind="unknown-event", marks=("FORMAT-TYPE-NOT-DECLARED",))
    groups.add_groups(stream, 0, 1)


#: What the format descriptions of MySQL 5.1 and 5.5 declare: the types of the logs of that time.
_TYPES_OF_OLD: Final = 27
_STATEMENTS: Final = Number("statements before", fewest=0, few=2)


@family(
    focus="FORMAT-TYPE-NOT-DECLARED",
    profiles=Profiles("worklog", "mysql >= 5.6", "mariadb"),
    fault=True,
    dimensions=(_STATEMENTS, _LOG),
)
def undeclared_known_types(stream: StreamBuilder) -> None:
    """A Gtid event under a format description of old servers, which does not declare it, as one before it may."""
    lengths = stream.server.post_header_lengths[:_TYPES_OF_OLD]
    if stream.vary(_LOG) == "the second":
        groups.begin_plain_log(stream)
        stream.add(mysql_events.rotate(stream))
    stream.describe_format(post_header_lengths=lengths)
    for _ in stream.several_of(_STATEMENTS):
        statement = mysql_events.query(stream, mysql_events.text(stream, 1, 80))
        for event in (mysql_events.query(stream, "BEGIN"), statement, mysql_events.xid(stream)):
            stream.add(event)
    group = groups.group(stream)
    if stream.server.is_mariadb:
        gtid, *group = groups.with_gtid(stream, group)
    else:
        gtid = groups.group_gtid(stream, group, anonymous=False)
    stream.refuse(gtid, kind="unknown-event", marks=("FORMAT-TYPE-NOT-DECLARED",))
    for event in group:
        stream.add(event)


@family(
    focus="FORMAT-TRANSACTION-PAYLOAD-UNKNOWN", profiles=WITH_PAYLOADS, fault=True, dimensions=(_CODE, _BEFORE, _LOG)
)
def unknown_inside_payload(stream: StreamBuilder) -> None:
    """A Transaction_payload that holds an event of an unassigned type without the ignorable flag."""
    choose = stream.choose
    codes = stream.vary(_CODE)
    code = choose.one_of(codes)
    _begin(stream, code)
    unknown = PlannedEvent(code, choose.octets(0, 40), {}, int(choose.one_of(mysql_events.FREE_FLAGS)))
    inner = payloads.put_in(stream, groups.transaction(stream), unknown)
    payload = payloads.transaction_payload(stream, inner, compression=Compression.NONE)
    stream.refuse(payload, kind="unknown-event", marks=("FORMAT-TRANSACTION-PAYLOAD-UNKNOWN",))
    groups.add_groups(stream, 0, 1)


_ENCRYPTED: Final = Number("encrypted groups")


@family(focus="FORMAT-MARIADB-START-ENCRYPTION", profiles=Profiles("mariadb"), fault=True, dimensions=(_ENCRYPTED,))
def encrypted_events(stream: StreamBuilder) -> None:
    """A log of MariaDB that is encrypted after its Start_encryption event, except for the lengths of the events."""
    stream.describe_format()
    stream.add(mariadb_events.start_encryption(stream))
    start = stream.offset
    stream.expect_refusal(at=start, kind="encrypted", marks=("FORMAT-MARIADB-START-ENCRYPTION",))
    stream.add(mariadb_events.gtid_list(stream))
    for _ in stream.several_of(_ENCRYPTED):
        groups.add_group(stream, groups.group(stream))
    mariadb_events.encrypt(stream, start)
