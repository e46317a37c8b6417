"""The warnings of the boundary parser that servers ship.

Source: the texts of MySQL 5.7 to 9.7, and the numbers that they have from 8.0 on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from conformance.binlog.total_table import total
from conformance.models.boundary.shipped_tables import ShippedState, ShippedType, ShippedVersion

#: The place of an event in a message, by the state before it.
_OUTSIDE: Final = "outside a transaction"
_AFTER_GTID: Final = "after a GTID_LOG_EVENT"
_AFTER_GTIDS: Final = "after a GTID_LOG_EVENT or an ANONYMOUS_GTID_LOG_EVENT"
_AFTER_TAGGED: Final = "after a GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT or an ANONYMOUS_GTID_LOG_EVENT"
_IN_DDL: Final = "in the middle of a DDL"
_IN_DML: Final = "in the middle of a DML"

_NONE, _GTID, _DDL, _DML = ShippedState.NONE, ShippedState.GTID, ShippedState.DDL, ShippedState.DML


@dataclass(frozen=True, slots=True)
class _Message:
    """A message, and its words for the place of the event; a state without a place gives no message."""

    code: str
    text: str
    places: Mapping[ShippedState, str]


_ANYWHERE: Final = dict.fromkeys(ShippedState, "")
_MESSAGES: Final[Mapping[ShippedType, _Message | None]] = total(
    f"{__name__}._MESSAGES",
    ShippedType,
    {
        ShippedType.ERROR: _Message(
            "MY-010442", "Unsupported non-ignorable event fed into the event stream.", _ANYWHERE
        ),
        ShippedType.GTID: _Message(
            "MY-010443",
            "GTID_LOG_EVENT or ANONYMOUS_GTID_LOG_EVENT is not expected in an event stream {}.",
            {_GTID: _AFTER_GTIDS, _DDL: _IN_DDL, _DML: _IN_DML},
        ),
        ShippedType.BEGIN: _Message(
            "MY-010444", "QUERY(BEGIN) is not expected in an event stream {}.", {_DDL: _IN_DDL, _DML: _IN_DML}
        ),
        ShippedType.END: _Message(
            "MY-010445",
            "QUERY(COMMIT or ROLLBACK) or XID_LOG_EVENT is not expected in an event stream {}.",
            {_NONE: _OUTSIDE, _GTID: _AFTER_GTID, _DDL: _IN_DDL},
        ),
        ShippedType.END_XA: _Message(
            "MY-010446",
            "QUERY(XA ROLLBACK) is not expected in an event stream {}.",
            {_NONE: _OUTSIDE, _DDL: _IN_DDL},
        ),
    },
    entry="its message",
    rest={
        # They are never an error, or nothing is known of a text.
        (ShippedType.STMT, ShippedType.PRE_STMT, ShippedType.INCIDENT, ShippedType.IGNORE, ShippedType.PAYLOAD): None,
    },
)
#: Versions with tagged GTIDs name three types in the message about Gtid events.
_TAGGED: Final = _Message(
    "MY-010443",
    "GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT or ANONYMOUS_GTID_LOG_EVENT is not expected in an event stream {}.",
    {_GTID: _AFTER_TAGGED, _DDL: _IN_DDL, _DML: _IN_DML},
)


@dataclass(frozen=True, slots=True)
class ShippedWarning:
    """A warning of a shipped parser.

    Attributes:
        code: Its number, such as ``MY-010443``; None before 8.0, where messages have none.
        text: Its text.
    """

    code: str | None
    text: str


def shipped_warning(version: ShippedVersion, state: ShippedState, kind: ShippedType) -> ShippedWarning | None:
    """Return the warning for an error at an event of the type `kind` in `state`.

    In the state ERROR only an event of the type ERROR gives a warning again; no text is known for a payload.
    """
    message = _TAGGED if version in ("8.4", "9.7") and kind is ShippedType.GTID else _MESSAGES[kind]
    if message is None or state not in message.places:
        return None
    code = None if version == "5.7" else message.code
    return ShippedWarning(code, message.text.format(message.places[state]))
