"""Event types without a meaning to a reader: their codes, and format descriptions that declare them."""

from dataclasses import replace
from functools import partial
from typing import Final

from conformance.binlog.event_types import HEARTBEAT_TYPES, MARIADB_TYPES, MARIADB_TYPES_START, EventType
from conformance.binlog.reader import ReaderRules
from conformance.binlog.servers import MOST_EVENT_TYPES, READER_RULES, WITH_IGNORABLE_FLAG
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.dimension import Dimension, When
from conformance.strategies.grammar.stream import StreamBuilder

_HIGHEST_CODE: Final = 0xFF
#: The highest type code that a signed char holds, as MySQL reads it.
_HIGHEST_SIGNED: Final = 0x7F
#: Type codes that no server has given a meaning, up to the highest that MySQL can skip.
UNASSIGNED: Final = tuple(range(EventType.LARGE_TRANSACTION_HEADER + 1, _HIGHEST_SIGNED + 1))
#: Codes that only the worklog and MariaDB let a reader skip, up to the highest that can be declared; and higher ones.
UNASSIGNED_HIGH: Final = (
    *range(_HIGHEST_SIGNED + 1, MARIADB_TYPES_START),
    *range(max(MARIADB_TYPES) + 1, MOST_EVENT_TYPES + 1),
)
UNDECLARABLE: Final = tuple(range(MOST_EVENT_TYPES + 1, _HIGHEST_CODE + 1))
#: The profiles whose readers skip events of types above the highest that a signed char holds.
WITH_HIGH_TYPES: Final = Profiles("worklog", "mariadb")


def _is_known(code: EventType, rules: ReaderRules) -> bool:
    return code in rules.known


def _is_unknown(code: EventType, rules: ReaderRules) -> bool:
    return code not in rules.known


#: The types that some releases of MySQL know and others do not: they came later, or, rows events of version 1, are
#: gone. Heartbeats are about a connection, and in no log.
_OF_OTHER_RELEASES: Final = {
    each.name: each
    for each in EventType
    if each not in MARIADB_TYPES | HEARTBEAT_TYPES
    and READER_RULES.where(partial(_is_known, each))
    and READER_RULES.where(partial(_is_unknown, each))
}


def with_types_of_other_releases(dimension: Dimension[tuple[int, ...]]) -> Dimension[tuple[int, ...]]:
    """Return a dimension of type codes with those that a server of the profile does not know, but another one does.

    For servers only: a parser may know the types of every release, whichever profile it reads.
    """
    classes = {name: (int(each),) for name, each in _OF_OTHER_RELEASES.items()}
    profiles = {name: READER_RULES.where(partial(_is_unknown, each)) for name, each in _OF_OTHER_RELEASES.items()}
    return replace(dimension, classes={**dimension.classes, **classes}, profiles={**dimension.profiles, **profiles})


def codes_dimension(*names: str, when: When | None = None) -> Dimension[tuple[int, ...]]:
    """Return the dimension of the codes of unassigned types that a format description can declare.

    Args:
        *names: The names of its classes, if not all.
        when: See `Dimension`.
    """
    classes = {
        "any up to 127": UNASSIGNED,
        "28": (int(EventType.IGNORABLE),),
        "44": UNASSIGNED[:1],
        "64": (64,),
        "127": UNASSIGNED[-1:],
        "128": UNASSIGNED_HIGH[:1],
        "any from 128": UNASSIGNED_HIGH,
        "198": UNASSIGNED_HIGH[-1:],
    }
    classes = {name: codes for name, codes in classes.items() if name in names or not names}
    profiles = {name: WITH_HIGH_TYPES for name, codes in classes.items() if codes[0] > _HIGHEST_SIGNED}
    if "28" in classes:
        profiles["28"] = WITH_IGNORABLE_FLAG
    return Dimension("type code", classes, when or {}, profiles=profiles)


def declare_up_to(stream: StreamBuilder, type_code: int) -> bytes:
    """Return the server's post-header lengths, extended to cover a type code.

    The entries for unknown types are arbitrary, as in the logs of Aurora 5.7.12.
    """
    lengths = stream.server.post_header_lengths
    more = max(type_code - len(lengths), 0)
    return lengths + stream.choose.octets(more, more)
